load common

@test "types: all operators on all pairs of types against NumPy, by the tables of doc/types.md" {
    py "import sys, os
sys.path.insert(0, os.environ['GANTRY_SOURCE'] + '/tests')
import numpy_types; numpy_types.make('.')"
    "$GANTRY_BUILD/unit/array_types" .
    py "import sys, os, numpy_types
sys.exit(numpy_types.check('.', os.environ['GANTRY_SOURCE'] + '/doc/types.md'))"
}

@test "types: chains of views, index lists and masks equal NumPy's" {
    "$GANTRY_BUILD/unit/array_views" chains.py
    py '
def start(dims, t):
    k = np.arange(np.prod(dims))
    return np.asarray(k + 1j * (1000 + k) if t[0] == "c" else k).astype(t).reshape(dims + [1] * 12, order="F")

def check_view(v, shape, view):
    # whether steps can say it, as NumPy decides for the reversed dims
    w = v.T
    try:
        with np.errstate(all="ignore"): w.shape = shape[::-1]
        possible = True
    except AttributeError: possible = False
    assert possible == bool(view), (v.shape, v.strides, shape, view)

count = 0
def same(v, dims, data):
    global count
    want = np.array(data)
    if np.iscomplexobj(v): want = want[0::2] + 1j * want[1::2]
    assert list(v.shape) == dims, (v.shape, dims)
    assert np.array_equal(v.ravel(order="F").astype(want.dtype), want, equal_nan=True), (v, want)
    count += 1
exec(open("chains.py").read())
assert count == 1500'
}
