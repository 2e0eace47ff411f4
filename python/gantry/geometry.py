"""Geometries from vectors: the (4, 4, views) array of doc/geometry.md."""

import numpy as np

from .header import Header


def geometry(source, detector, u, v, *, size, parallel=False, radius=0.0):
    """Geometry of a scan, ready for write() and run(): the pair (array, header).

    source    (views, 3) points [mm]; with parallel=True directions from source to detector (any length)
    detector  (views, 3) centres of the detector [mm]
    u, v      (views, 3) steps to the next column and to the next row [mm]
    size      (cols, rows) of the detector
    radius    of a curved detector [mm], 0 = flat
    One row of three numbers stands for all views.
    """
    vectors = [np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (source, detector, u, v)]
    views = max(x.shape[0] for x in vectors)
    array = np.zeros((4, 4, views), order="F")
    for c, x in enumerate(vectors):
        if x.shape[1:] != (3,) or x.shape[0] not in (1, views):
            raise ValueError(f"vectors of shape {x.shape}: expected ({views}, 3) or (1, 3)")
        array[:3, c, :] = x.T
    if not np.isfinite(array).all():
        raise ValueError("vectors: found nan or infinity")
    array[3, 0] = 0.0 if parallel else 1.0
    array[3, 1] = 1.0
    cols, rows = size
    curved = (float(radius),) if radius else ()
    return array, Header(dims=array.shape, type="float64", quantity="geometry", detector=(int(cols), int(rows)) + curved)
