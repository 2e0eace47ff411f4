"""Joseph's method in NumPy from the definition alone, one ray at a time, for volumes of any size (memory maps too)."""

import numpy as np

from arrays import TYPES, sections


def mapped(name):
    """The array as a memory map, at least three-dimensional."""
    head = sections(name)
    dims = [int(n) for n in head["Dimensions"].split()]
    while len(dims) > 3 and dims[-1] == 1:
        dims.pop()
    return np.memmap(name + ".cfl", dtype=TYPES[head["Type"]], mode="r", shape=tuple(dims), order="F")


def ray(shape, spacing, g, a, b, cols, rows):
    """Voxels (n, 3) and their weights (n) of the ray through pixel (a, b); g: the view's 4 x 4 columns."""
    n, spacing = np.array(shape), np.array(spacing, float)
    s, d, u, v = (g[:3, c] for c in range(4))
    p = d + (a - (cols - 1) / 2) * u + (b - (rows - 1) / 2) * v
    point = g[3, 0] == 1
    start, to = (s, p - s) if point else (p, s)
    si, di = start / spacing + (n - 1) / 2, to / spacing
    m = int(np.argmax(np.abs(di)))
    o = [k for k in range(3) if k != m]
    i = np.arange(n[m])
    t = (i - si[m]) / di[m]
    i, t = (i[t >= 0], t[t >= 0]) if point else (i, t)
    at = si[o] + t[:, None] * di[o]
    low = np.floor(at)
    voxels, weights = [], []
    for j in (0, 1):
        for k in (0, 1):
            c = low + [j, k]
            w = np.prod(1 - np.abs(at - c), axis=1)
            ok = (c >= 0).all(1) & (c < n[o]).all(1) & (w != 0)
            x = np.empty((ok.sum(), 3), int)
            x[:, m], x[:, o[0]], x[:, o[1]] = i[ok], c[ok, 0], c[ok, 1]
            voxels.append(x)
            weights.append(w[ok])
    return np.concatenate(voxels), np.concatenate(weights) * np.linalg.norm(to) / abs(di[m])


def ray_sum(vol, spacing, g, a, b, cols, rows):
    voxels, weights = ray(vol.shape, spacing, g, a, b, cols, rows)
    return float((vol[tuple(voxels.T)].astype("f8") * weights).sum())
