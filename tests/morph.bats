load common

# Balls and boxes of SciPy. Dimensions of one element have no outside.
shapes='
import subprocess
from scipy import ndimage
def element(rank, ball, r, h=(1, 1, 1), shape=(0, 0, 0)):
    r = (r,) * 3 if np.isscalar(r) else r
    reach = [0 if shape[d] == 1 and max(shape) > 1 else int(r[d] / h[d] * (1 + 1e-9)) for d in range(rank)]
    index = np.indices([2 * n + 1 for n in reach]).astype(float)
    square = sum(((index[d] - reach[d]) * h[d]) ** 2 for d in range(rank))
    return square <= r[0] ** 2 * (1 + 1e-9) if ball else np.ones(index.shape[1:], bool)
def best(a, e, high, outside):
    a = a.astype("f8")
    v = outside if outside is not None else (-np.inf if high else np.inf)
    pad = [(n // 2, n // 2) for n in e.shape]
    f = ndimage.grey_dilation if high else ndimage.grey_erosion
    b = f(np.pad(a, pad, constant_values=v), footprint=e, mode="constant", cval=v)
    return b[tuple(slice(n // 2, n // 2 + k) for n, k in zip(e.shape, a.shape))]
def morph(op, a, e, outside=None):
    steps = dict(erode=[0], dilate=[1], open=[0, 1], close=[1, 0])[op]
    for high in steps:
        a = best(a, e, high, outside)
    return a
'

@test "morph: masks and values by balls and boxes are SciPy's, of all types and lengths, also 1" {
    py "$shapes"'
rng = np.random.default_rng(1)
types = "bool u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split()
for k in range(48):
    shape = [int(rng.choice([1, 2, rng.integers(1, 25), 66])) for _ in range(rng.integers(1, 4))]
    kind = types[k % 12]
    a = rng.random(shape) < rng.choice([0.05, 0.3, 0.7, 0.97]) if kind == "bool" else rng.integers(0, 100, shape).astype(kind)
    ball, op = k % 5 < 3, ["erode", "dilate", "open", "close"][rng.integers(4)]
    r = float(rng.choice([1, 1, 1.5, 2, 3, 4.3])) if ball else tuple(int(n) for n in rng.integers(0, 9, 3) + (0, 0, 1))
    outside = [None, 0, 1][k % 3]
    write("a", a)
    words = ["gantry", "morph", op, "-s", "ball" if ball else "box", "-r", "%g" % r if ball else "%d:%d:%d" % r, "-j", str(1 + k % 2 * 2), "--quiet"]
    subprocess.check_call(words + (["--outside", str(outside)] if outside is not None else []) + ["a", "b"])
    got = read("b")
    assert got.dtype == (a.dtype if kind != "bool" else "u1") and np.array_equal(got.reshape(shape, order="F"), morph(op, a, element(a.ndim, ball, r, shape=shape), outside)), (shape, kind, ball, r, op, outside)'
}

@test "morph: large balls of masks are made by distance, the same as by rows, in windows of slices" {
    py 'a = np.random.default_rng(2).random((50, 45, 190)) < 0.00002
a[10, 20, 30] = True
write("a", a); write("n", ~a)'
    for op in dilate erode; do
        for outside in "" "--outside 0" "--outside 1"; do
            # a distance of neighbours of 33 / 32 makes the same ball of 32 voxels by either way
            gantry morph $op -r 32.9 $outside a one
            gantry morph $op -r 33 $outside -j 1 a near
            gantry morph $op -r 33 $outside -j 3 a other
            same_bytes near other
            gantry morph $op -r 33 $outside n far
            py "$(printf 'op, o = "%s", "%s"' "$op" "$outside")
"'from scipy.ndimage import distance_transform_edt as edt
a = read("a") != 0
for name, x in ("near", a), ("far", ~a):
    grown = x if op == "dilate" else ~x
    outside = o == "--outside 1" if op == "dilate" else o == "--outside 0"
    want = edt(~np.pad(grown, 1, constant_values=outside))[1:-1, 1:-1, 1:-1] <= 33 if grown.any() or outside else np.zeros(x.shape, bool)
    assert np.array_equal(read(name) != 0, want == (op == "dilate")), (name, op, o)
    if name == "near":
        want = edt(~np.pad(grown, 1, constant_values=outside))[1:-1, 1:-1, 1:-1] <= 32.9
        assert np.array_equal(read("one") != 0, want == (op == "dilate")), ("one", op, o)'
        done
    done
}

@test "morph: lengths in mm follow the spacing; volumes apart; streams" {
    py 'rng = np.random.default_rng(3)
write("a", rng.random((30, 31, 20)) < 0.1, Spacing="0.1 0.2 0.3"); write("v", rng.normal(size=(30, 31, 20)).astype("f4"), Spacing="0.1 0.2 0.3"); write("four", rng.random((20, 21, 22, 3)) < 0.1)'
    gantry morph dilate --mm -r 0.6 a ball
    gantry morph erode --mm -r 0.6 v values
    gantry morph dilate --mm -s box -r 0.6 a box
    gantry morph close -r 2 four closed
    gantry -l 3 morph close -r 2 four looped
    same_bytes closed looped
    gantry copy four - | gantry morph close -r 2 - - | gantry copy - piped
    same_bytes closed piped
    py "$shapes"'
a, h = read("a"), (0.1, 0.2, 0.3)
assert np.array_equal(read("ball"), best(a, element(3, True, 0.6, h), 1, None))
assert np.array_equal(read("values"), best(read("v"), element(3, True, 0.6, h), 0, None))
assert np.array_equal(read("box"), best(a, element(3, False, 0.6, h), 1, None)) and element(3, False, 0.6, h).shape == (13, 7, 5)'
}

@test "morph: holes are filled as by SciPy" {
    py 'rng = np.random.default_rng(4)
for k, shape in enumerate([(40, 41, 42), (60, 70), (200,), (9, 1, 30), (1, 40, 40)]):
    write("a%d" % k, rng.random(shape) < 0.6)'
    for k in 0 1 2 3 4; do
        gantry morph fill a$k b$k
        gantry morph fill -c 26 -j 3 a$k c$k
    done
    py 'from scipy.ndimage import binary_fill_holes as fill
for k in range(5):
    a = read("a%d" % k)
    def filled(e):
        return fill(a.squeeze(), e).reshape(a.shape)
    b, c = (read(n + str(k)).reshape(a.shape) for n in "bc")
    assert np.array_equal(b, filled(None)) and np.array_equal(c, filled(np.ones((3,) * a.squeeze().ndim))), k'
    [ "$(section b0 Type) $(section b0 Quantity)" = "bool mask" ]
}

@test "morph: masks of other types; what is refused" {
    py 'write("m", np.array([0, 0, 5, 0], "u2")); write("q", np.array([0, 0, 5, 0], "f4"), Quantity="mask"); write("nan", np.array([1, np.nan, 2], "f4")); write("c", np.ones(3, "c8"))'
    gantry morph dilate -r 1 m values
    gantry morph dilate -r 1 -b m mask
    gantry morph dilate -r 1 q quantity
    same_bytes mask quantity
    py 'assert list(read("values")) == [0, 5, 5, 5] and list(read("mask")) == [0, 1, 1, 1]'
    for shape in ball box; do
        fails 1 "contains NaN" gantry morph erode -s $shape -r 1 nan x
        fails 1 "contains NaN" gantry morph erode -b -s $shape -r 1 nan x
    done
    fails 1 "complex" gantry morph erode -r 1 c x
    fails 1 "--outside: -1 does not fit into uint16" gantry morph erode -r 1 --outside -1 m x
    fails 2 "unknown word 'grow'" gantry morph grow -r 1 m x
    fails 2 "expected --radius" gantry morph erode m x
    fails 2 "--radius: expected R (a ball)" gantry morph erode -r 1:2:3 m x
    fails 2 "--radius: 0 voxels reaches no other voxel" gantry morph erode -r 0 m x
    fails 2 "--radius: 0.5 mm reaches no other voxel" gantry morph erode -s box --mm -r 0.5 m x
    fails 2 "fill supports no option except --connectivity" gantry morph fill -r 1 m x
    fails 2 "fill supports no option except --connectivity" gantry morph --binary fill m x
    fails 2 "no effect without fill" gantry morph erode -r 1 -c 26 m x
    no_output x
}
