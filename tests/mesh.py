"""Readers of mesh files and checks of meshes, independent of Gantry."""

import re
import struct

import numpy as np


def _ply(b):
    head, data = b.split(b"end_header\n", 1)
    nv, nt = (int(re.search(rb"element %s (\d+)" % k, head)[1]) for k in (b"vertex", b"face"))
    types = {b"float": "<f4", b"uchar": "u1"}
    fields = [(n.decode(), types[t]) for t, n in re.findall(rb"property (float|uchar) (\w+)\n", head)]
    v = np.frombuffer(data, fields, nv)
    f = np.frombuffer(data, [("n", "u1"), ("i", "<u4", 3)], nt, v.nbytes)
    assert len(data) == v.nbytes + f.nbytes and np.all(f["n"] == 3)
    return np.stack([v["x"], v["y"], v["z"]], 1), f["i"].astype(np.int64)


def _stl(b):
    n = struct.unpack("<I", b[80:84])[0]
    t = np.frombuffer(b, [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")], n, 84)
    assert len(b) == 84 + t.nbytes
    v, f = np.unique(t["v"].reshape(-1, 3), axis=0, return_inverse=True)
    a, b, c = (t["v"][:, i].astype("f8") for i in range(3))
    x = np.cross(b - a, c - a)
    assert np.allclose(x / np.linalg.norm(x, axis=1)[:, None], t["n"], atol=1e-5)
    return v, f.reshape(-1, 3)


def _obj(b):
    rows = [line.split() for line in b.decode().splitlines()]
    v = np.array([r[1:] for r in rows if r[0] == "v"], "f4")
    return v, np.array([r[1:] for r in rows if r[0] == "f"], "i8") - 1


def _vtp(b):
    head, data = b.split(b'<AppendedData encoding="raw">\n_', 1)
    nv, nt = (int(re.search(rb'%s="(\d+)"' % k, head)[1]) for k in (b"NumberOfPoints", b"NumberOfPolys"))
    at = [int(i) for i in re.findall(rb'offset="(\d+)"', head)]

    def block(i, dtype):
        n = struct.unpack("<Q", data[at[i]:at[i] + 8])[0]
        return np.frombuffer(data[at[i] + 8:at[i] + 8 + n], dtype)

    assert np.array_equal(block(2, "<i8"), 3 * np.arange(1, nt + 1))
    v, f = block(0, "<f4").reshape(-1, 3), block(1, "<i8").reshape(-1, 3)
    assert len(v) == nv and len(f) == nt and data.endswith(b"\n</AppendedData>\n</VTKFile>\n")
    return v, f


def load(path):
    """Vertices (n, 3) and triangles (m, 3) of a mesh file."""
    with open(path, "rb") as f:
        return {"ply": _ply, "stl": _stl, "obj": _obj, "vtp": _vtp}[path.rsplit(".", 1)[1]](f.read())


def closed(v, f):
    """Whether every directed edge is in one triangle and its opposite in one other, and every vertex in one fan."""
    n = len(v)
    e = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]])
    there, back = np.sort(e[:, 0] * n + e[:, 1]), np.sort(e[:, 1] * n + e[:, 0])
    return len(np.unique(there)) == len(there) and np.array_equal(there, back) and len(np.unique(f)) == n


def measure(v, f):
    """Volume and area."""
    a, b, c = (v[f[:, i]].astype("f8") for i in range(3))
    x = np.cross(b - a, c - a)
    return (a * x).sum() / 6, np.linalg.norm(x, axis=1).sum() / 2


def _segment(p, a, b):
    t = np.clip(((p - a) * (b - a)).sum(-1) / ((b - a) ** 2).sum(-1), 0, 1)
    return np.linalg.norm(a + t[..., None] * (b - a) - p, axis=-1)


def distances(p, v, f):
    """Signed distances of points to a closed mesh, by trying all triangles; the sign from the winding number."""
    p = p.astype("f8")[:, None]
    a, b, c = (v[f[:, i]].astype("f8")[None] for i in range(3))
    d = np.minimum(np.minimum(_segment(p, a, b), _segment(p, b, c)), _segment(p, c, a))
    n = np.cross(b - a, c - a)
    s = ((p - a) * n).sum(-1) / (n ** 2).sum(-1)
    q = p - s[..., None] * n
    inside = np.ones(d.shape, bool)
    for u, w in (a, b), (b, c), (c, a):
        inside &= (np.cross(w - u, q - u) * n).sum(-1) >= 0
    d = np.where(inside, np.minimum(d, np.abs(s) * np.linalg.norm(n, axis=-1)), d).min(1)
    x, y, z = a - p, b - p, c - p
    lx, ly, lz = (np.linalg.norm(i, axis=-1) for i in (x, y, z))
    top = (x * np.cross(y, z)).sum(-1)
    low = lx * ly * lz + (x * y).sum(-1) * lz + (y * z).sum(-1) * lx + (z * x).sum(-1) * ly
    return np.where(np.arctan2(top, low).sum(1) > np.pi, -d, d)
