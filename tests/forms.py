"""Scans in the words of other packages, straight from their documentation, for the tests of gantry geom.

Every reader returns rays of all pixels in world coordinates: points o and directions d of shape (views, rows, cols,
3). line() integrates a letter F made of boxes exactly along them, in float64.
"""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np

# The letter F: no turn or mirror maps it to itself. Boxes in mm: lower corner, upper corner, value.
CENTRE = np.array([2.0, -4.0, -3.0])
BOXES = [((-16, -4, -20), (-8, 4, 20), 0.02), ((-8, -4, 12), (14, 4, 20), 0.02), ((-8, -4, -2), (6, 4, 6), 0.02),
         ((-16, 4, -20), (-12, 14, -14), 0.03), ((8, -12, 14), (14, -4, 20), 0.05)]
BOXES = [(np.array(a, float) + CENTRE, np.array(b, float) + CENTRE, v) for a, b, v in BOXES]


def line(o, d):
    """Integrals along full lines, in gantry's order (cols, rows, views)."""
    d = d / np.linalg.norm(d, axis=-1, keepdims=True)
    total = np.zeros(o.shape[:-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        for low, high, value in BOXES:
            t = np.stack([(low - o) / d, (high - o) / d])
            near, far = np.fmin(*t).max(-1), np.fmax(*t).min(-1)
            total += value * np.maximum(far - near, 0)
    return total.transpose(2, 1, 0)


def volume(n=30, step=2.0):
    """The letter in voxels of that size, exactly: x, y, z; the centre of the first voxel."""
    origin = CENTRE - (n - 1) / 2 * step
    x = np.zeros((n, n, n), np.float32)
    for low, high, value in BOXES:
        a, b = np.rint((low - origin) / step + 0.5).astype(int), np.rint((high - origin) / step + 0.5).astype(int)
        x[a[0]:b[0], a[1]:b[1], a[2]:b[2]] += value
    return x, origin


def rays(source, centre, u, v, cols, rows, parallel=False):
    """From vectors per view (views, 3): o, d of all pixels."""
    source, centre, u, v = (np.asarray(x, float)[:, None, None, :] for x in (source, centre, u, v))
    a = (np.arange(cols) - (cols - 1) / 2)[None, None, :, None]
    b = (np.arange(rows) - (rows - 1) / 2)[None, :, None, None]
    pixel = centre + a * u + b * v
    if parallel:
        return pixel, np.broadcast_to(source, pixel.shape)
    return np.broadcast_to(source, pixel.shape), pixel - source


def turn(axis, angle):
    """Rotation matrices (n, 3, 3) about x, y or z."""
    angle = np.atleast_1d(np.asarray(angle, float))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m = np.zeros((len(angle), 3, 3))
    m[:, axis, axis] = 1
    m[:, i, i] = m[:, j, j] = np.cos(angle)
    m[:, i, j], m[:, j, i] = -np.sin(angle), np.sin(angle)
    return m


def astra(g):
    """proj_geom of the ASTRA toolbox: 2-D and 3-D, plain and vectors (as in astra.geom_2vec)."""
    kind, flat = g["type"], "DetectorCount" in g
    cols, rows = (g["DetectorCount"], 1) if flat else (g["DetectorColCount"], g["DetectorRowCount"])
    if "Vectors" in g:
        x = np.array(g["Vectors"], float)
        if flat:
            z, w = np.zeros((len(x), 1)), np.zeros((len(x), 3))
            s, d, u = (np.hstack([x[:, i:i + 2], z]) for i in (0, 2, 4))
            w[:, 2] = 1
            return rays(s, d, u, w, cols, rows, "parallel" in kind)
        return rays(x[:, :3], x[:, 3:6], x[:, 6:9], x[:, 9:], cols, rows, "parallel" in kind)
    t = np.array(g["ProjectionAngles"], float)
    zero = 0 * t
    pu, pv = (g["DetectorWidth"], 1) if flat else (g["DetectorSpacingX"], g["DetectorSpacingY"])
    u = pu * np.stack([np.cos(t), np.sin(t), zero], 1)
    v = pv * np.stack([zero, zero, zero + 1], 1)
    ray = np.stack([np.sin(t), -np.cos(t), zero], 1)
    if "parallel" in kind:
        return rays(ray, 0 * ray, u, v, cols, rows, True)
    return rays(g["DistanceOriginSource"] * ray, -g["DistanceOriginDetector"] * ray, u, v, cols, rows)


def tigre(g):
    """TIGRE's Python geometry, as its projectors use it; relative to the volume's centre, which is CENTRE here."""
    angles = np.array(g["angles"], float).reshape(-1, 3)
    n = len(angles)

    def per_view(key, width):
        x = np.array(g.get(key, np.zeros(width)), float)
        return np.broadcast_to(x.reshape((-1, width)) if x.size > 1 or width > 1 else x.reshape(1, 1), (n, width))

    dso, dsd, cor = (per_view(k, 1)[:, 0] for k in ("DSO", "DSD", "COR"))
    off, rot, org = per_view("offDetector", 2), per_view("rotDetector", 3), per_view("offOrigin", 3)
    nv, nu = (int(x) for x in g["nDetector"])
    dv, du = g["dDetector"]
    y = du * (np.arange(nu) - nu / 2 + 0.5)
    z = dv * (nv / 2 - 0.5 - (nv - 1 - np.arange(nv)))
    p = np.zeros((n, nv, nu, 3))
    p[..., 1], p[..., 2] = y, z[:, None]
    roll = turn(2, rot[:, 2]) @ turn(1, rot[:, 1]) @ turn(0, rot[:, 0])
    p = np.einsum("kij,kvuj->kvui", roll, p)
    s = np.zeros_like(p)
    if g["mode"] == "parallel":
        s = p.copy()
        angles = angles * [1, 0, 0]
    s[..., 0] += dso[:, None, None]
    p[..., 0] -= (dsd - dso)[:, None, None]
    p[..., 1] += off[:, 1, None, None]
    p[..., 2] += off[:, 0, None, None]
    euler = turn(2, angles[:, 0]) @ turn(1, angles[:, 1]) @ turn(2, angles[:, 2])
    s, p = (np.einsum("kij,kvuj->kvui", euler, x) for x in (s, p))
    move = cor[:, None] * np.stack([-np.sin(angles[:, 0]), np.cos(angles[:, 0]), 0 * cor], 1) - org[:, ::-1]
    s, p = (x + move[:, None, None, :] for x in (s, p))
    return s + CENTRE, p - s


def rtk(text, cols, rows, pu, pv):
    """RTK's XML: the documented projection matrices; on a cylinder the documented bend. World (x, -z, y)."""
    names = ["SourceToIsocenterDistance", "SourceToDetectorDistance", "SourceOffsetX", "SourceOffsetY",
             "ProjectionOffsetX", "ProjectionOffsetY", "OutOfPlaneAngle", "InPlaneAngle", "GantryAngle"]
    root = ElementTree.fromstring(text)
    radius = float(root.findtext("RadiusCylindricalDetector", "0"))
    a = pu * (np.arange(cols) - (cols - 1) / 2)
    b = pv * (np.arange(rows) - (rows - 1) / 2)
    a, b = np.meshgrid(a, b)
    all_o, all_d = [], []
    for view in root.findall("Projection"):
        sid, sdd, sx, sy, px, py, oa, ia, ga = (float(view.findtext(n, root.findtext(n, "0"))) for n in names)
        r = (turn(2, -np.radians(ia)) @ turn(0, -np.radians(oa)) @ turn(1, -np.radians(ga)))[0]
        m4 = np.eye(4)
        m4[:3, :3] = r
        if sdd == 0:
            m = np.array([[1, 0, 0, -px], [0, 1, 0, -py], [0, 0, 0, 1]]) @ m4
        else:
            m = np.array([[1, 0, sx - px], [0, 1, sy - py], [0, 0, 1]]) @ \
                np.array([[-sdd, 0, 0, 0], [0, -sdd, 0, 0], [0, 0, 1, -sid]]) @ \
                np.array([[1, 0, 0, -sx], [0, 1, 0, -sy], [0, 0, 1, 0], [0, 0, 0, 1]]) @ m4
        given = view.findtext("Matrix")
        if given:
            assert np.allclose(np.array(given.split(), float).reshape(3, 4), m, rtol=1e-9, atol=1e-7 * abs(m).max())
        if radius > 0:
            t = (a + px) / radius
            in_frame = np.stack([radius * np.sin(t), b + py, sid - sdd + radius * (1 - np.cos(t))], -1)
            o = np.broadcast_to(r.T @ [sx, sy, sid], in_frame.shape)
            d = in_frame @ r - o
        elif sdd == 0:
            d = np.broadcast_to(np.cross(m[0, :3], m[1, :3]), a.shape + (3,))
            o = np.einsum("ij,vuj->vui", np.linalg.pinv(m[:2, :3]), np.stack([a - m[0, 3], b - m[1, 3]], -1))
        else:
            inverse = np.linalg.inv(m[:, :3])
            o = np.broadcast_to(-inverse @ m[:, 3], a.shape + (3,))
            d = np.einsum("ij,vuj->vui", inverse, np.stack([a, b, 1 + 0 * a], -1))
        world = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
        all_o.append(o @ world.T)
        all_d.append(d @ world.T)
    return np.array(all_o), np.array(all_d)


class AcquisitionGeometry:
    """What CIL's class of that name keeps of its calls."""

    def __init__(self, kind, **words):
        self.kind, self.words = kind, words

    def set_panel(self, num_pixels, pixel_size=(1, 1), origin="bottom-left"):
        self.size, self.pixel, self.origin = num_pixels, pixel_size, origin
        return self

    def set_angles(self, angles, initial_angle=0, angle_unit="degree"):
        f = 1 if angle_unit == "radian" else np.pi / 180
        self.angles = f * (np.array(angles, float) + initial_angle)
        return self


for name in ("Parallel2D", "Cone2D", "Parallel3D", "Cone3D", "Cone3D_Flex"):
    setattr(AcquisitionGeometry, "create_" + name, staticmethod(lambda kind=name, **words: AcquisitionGeometry(kind, **words)))


def cil(text):
    """CIL: its frame is aligned as in align_reference_frame('cil'), then turned by minus the angles."""
    g = eval(text, {"AcquisitionGeometry": AcquisitionGeometry})  # pylint: disable=eval-used
    w, (cols, rows) = g.words, (list(g.size) + [1])[:2]
    sign = (-1 if "right" in g.origin else 1, -1 if "top" in g.origin else 1)

    def unit(x):
        x = np.asarray(x, float)
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    if g.kind == "Cone3D_Flex":
        c = np.array(w.get("volume_centre_position", [0, 0, 0]), float)
        u = unit(w["detector_direction_x_set"]) * g.pixel[0] * sign[0]
        v = unit(w["detector_direction_y_set"]) * g.pixel[1] * sign[1]
        return rays(np.array(w["source_position_set"]) - c, np.array(w["detector_position_set"]) - c, u, v, cols, rows)

    def three(key, default=None):
        x = np.array(w.get(key, default), float)
        return np.append(x, 0.0) if len(x) == 2 else x

    parallel = "Parallel" in g.kind
    s = three("ray_direction", [0, 1, 0]) if parallel else three("source_position")
    d = three("detector_position", [0, 0, 0])
    u, v = unit(three("detector_direction_x", [1, 0, 0])), unit(three("detector_direction_y", [0, 0, 1]))
    axis, at = unit(three("rotation_axis_direction", [0, 0, 1])), three("rotation_axis_position", [0, 0, 0])
    if g.kind.endswith("2D"):
        axis, v = np.array([0, 0, 1.0]), np.array([0, 0, 1.0])
    d = d - at
    s = s if parallel else s - at
    cross = np.array([[0, 0, -axis[0]], [0, 0, -axis[1]], [axis[0], axis[1], 0]])
    align = np.eye(3) + cross + cross @ cross / (1 + axis[2])
    s, d, u, v = (align @ x for x in (s, d, u, v))
    to = s if parallel else d - s
    align = turn(2, np.arctan2(to[0], to[1]))[0]
    s, d, u, v = (align @ x for x in (s, d, u, v))
    r = turn(2, -g.angles)
    pixel = np.array(g.pixel, float) * sign[:len(g.pixel)]
    return rays(r @ s, r @ d, r @ (u * pixel[0]), r @ (v * pixel[-1]), cols, rows, parallel)


def leap(text):
    """LEAP's parameter file; rays as its convert_*_to_modularbeam() and detector coordinates make them."""
    p = {}
    for row in text.splitlines():
        if "=" in row and not row.startswith("#"):
            key, value = (x.strip() for x in row.split("=", 1))
            p[key] = value if re.match("[a-z]", value) else np.array([float(x) for x in value.split(",")])
    n, rows, cols = (int(p[k][0]) for k in ("numAngles", "numRows", "numCols"))
    h, w = p["pixelHeight"][0], p["pixelWidth"][0]
    s = w * (np.arange(cols) - p["centerCol"][0])
    t = h * (np.arange(rows) - p["centerRow"][0])
    if p["geometry"] == "modular":
        o, c, v, u = (p[k].reshape(n, 1, 1, 3) for k in ("sourcePositions", "moduleCenters", "rowVectors", "colVectors"))
        pixel = c + s[None, None, :, None] * u + t[None, :, None, None] * v
        return np.broadcast_to(o, pixel.shape), pixel - o
    degrees = p["phis"] if "phis" in p else np.arange(n) * p["angularRange"][0] / n
    phi = np.radians(degrees) - np.pi / 2
    e = np.stack([np.cos(phi), np.sin(phi), 0 * phi], 1)[:, None, None, :]
    side = np.stack([-np.sin(phi), np.cos(phi), 0 * phi], 1)[:, None, None, :]
    z = np.array([0, 0, 1.0])
    grid = np.zeros((n, rows, cols, 1))
    if p["geometry"] == "parallel":
        o = s[None, None, :, None] * side + t[None, :, None, None] * z + grid
        return o, -e + 0 * o
    sod, sdd, tau = (p[k][0] for k in ("sod", "sdd", "tau"))
    height = (phi - (phi[0] + phi[-1]) / 2) * (p["helicalPitch"][0] if "helicalPitch" in p else 0)
    o = sod * e - tau * side + height[:, None, None, None] * z + grid
    if p.get("detectorType") == "curved":
        g = (np.arange(cols) - p["centerCol"][0])[None, None, :, None] * np.arctan(w / sdd)
        return o, sdd * (np.sin(g) * side - np.cos(g) * e) + t[None, :, None, None] * z + grid
    return o, -sdd * e + s[None, None, :, None] * side + t[None, :, None, None] * z + grid


def matrix(numbers, cols, rows):
    """3 x 4 projection matrices of pixel indices."""
    m = np.array(numbers, float).reshape(-1, 3, 4)
    a, b = np.meshgrid(np.arange(cols), np.arange(rows))
    at = np.stack([a, b, 1 + 0 * a], -1).astype(float)
    if np.all(m[:, 2, :3] == 0):
        d = np.cross(m[:, 0, :3], m[:, 1, :3])[:, None, None, :] + 0 * at
        o = np.einsum("kij,kvuj->kvui", np.linalg.pinv(m[:, :2, :3]), at[None, ..., :2] - m[:, None, None, :2, 3])
        return o, d
    inverse = np.linalg.inv(m[:, :, :3])
    d = np.einsum("kij,vuj->kvui", inverse, at)
    return np.broadcast_to(-np.einsum("kij,kj->ki", inverse, m[:, :, 3])[:, None, None, :], d.shape), d


def from_file(form, name, cols, rows, pu, pv):
    """Rays of a file in a form of gantry geom --to."""
    with open(name, encoding="utf-8") as f:
        text = f.read()
    if form.endswith("_vec"):
        x = np.loadtxt(name, ndmin=2)
        size = {"DetectorCount": cols} if form in ("fanflat_vec", "parallel_vec") else \
            {"DetectorColCount": cols, "DetectorRowCount": rows}
        return astra({"type": form, "Vectors": x, **size})
    if form.startswith("astra"):
        return astra(json.loads(text))
    if form == "tigre":
        return tigre(json.loads(text))
    if form == "rtk":
        return rtk(text, cols, rows, pu, pv)
    if form == "cil":
        return cil(text)
    if form.startswith("leap"):
        return leap(text)
    return matrix(np.loadtxt(name), cols, rows)
