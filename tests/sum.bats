# sum, mean, max and min share their walk over the elements (num/shape/reduce_dims.h).

load common

# Arrays of every type and several shapes; each reduced along several sets of dims by the four commands, compared with NumPy.
cases='
import itertools, subprocess, sys
r = np.random.default_rng(3)
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
def array(shape, t):
    t = np.dtype(t)
    if t.kind == "b": return r.random(shape) > 0.4
    if t.kind in "iu": return r.integers(max(np.iinfo(t).min, -1000), min(np.iinfo(t).max, 1000), shape, endpoint=True).astype(t)
    x = r.standard_normal(shape) + (1j * r.standard_normal(shape) if t.kind == "c" else 0)
    return x.astype(t)
def full(x): return x.reshape(x.shape + (1,) * (5 - x.ndim))
def exact(x): return x.astype({"c": "c16", "f": "f8"}.get(x.dtype.kind, x.dtype))
def run(line): subprocess.run(line, shell=True, check=True)
'

@test "sum: every type as NumPy, and mean, max, min" {
    py "$cases"'
for t in TYPES:
    x = array((7, 40, 6), t)
    write("x", x)
    for op in ("sum", "mean", "max", "min"):
        if op[0] == "m" and op != "mean" and x.dtype.kind == "c": continue
        run("gantry %s 0,2 x y" % op)
        want = getattr(np, op)(exact(x), axis=(0, 2), keepdims=True)
        got = full(read("y"))[..., 0, 0]
        near = {2: 1e-3, 4: 1e-6}.get(got.dtype.itemsize // (2 if got.dtype.kind == "c" else 1), 1e-14) if got.dtype.kind in "fc" else 0
        assert got.shape == want.shape and np.allclose(got, want, rtol=near, atol=10 * near), (op, t)
'
    for line in 'sum bool int64' 'sum int16 int64' 'sum uint64 uint64' 'sum float16 float32' 'sum float32 float32' 'sum complex64 complex64' \
        'mean uint8 float32' 'mean uint16 float32' 'mean int32 float64' 'mean float16 float16' 'mean complex128 complex128' \
        'max bool bool' 'max float16 float16' 'min int8 int8' 'min uint64 uint64'; do
        read -r op t want <<<"$line"
        gantry zeros --size 3:4 --type "$t" x
        gantry "$op" 1 x y
        [ "$(section y Type)" = "$want" ] || { echo "$line: $(section y Type)"; false; }
        [ "$(dims y)" = 3 ]
    done
}

@test "sum: shapes, dims and types at random, as NumPy; same bytes for any threads and through pipes" {
    py "$cases"'
for k in range(24):
    shape = [(5, 1, 40, 3), (17, 130, 9), (3, 50000), (50000, 3), (2, 3, 4000, 5), (70001,), (300, 7, 11, 13), (40000, 2, 3)][k % 8]
    t = r.choice(TYPES[:-2] if k % 2 else ["float32", "complex64", "float64"])
    x = array(shape, t)
    dims = [d for d in range(len(shape)) if r.random() < 0.5] or [int(r.integers(len(shape)))]
    op = "sum" if x.dtype.kind == "c" else str(r.choice(["sum", "max", "min"]))
    write("x", x)
    names = ",".join(map(str, dims))
    run("gantry %s -j 1 %s x a; gantry %s -j 7 %s x b; gantry copy x - | gantry %s -j 2 %s - - >c" % ((op, names) * 3))
    a = read("a")
    want = getattr(np, op)(exact(x), axis=tuple(dims), keepdims=True)
    near = 1e-6 if a.dtype.itemsize == 4 or a.dtype == np.complex64 else 1e-12
    assert np.allclose(full(a), full(want), rtol=near, atol=near * np.sqrt(x.size)), (op, shape, dims, t)
    data = open("a.cfl", "rb").read()
    assert data == open("b.cfl", "rb").read(), (op, shape, dims, t)
    assert open("c", "rb").read().endswith(data), (op, shape, dims, t)
'
}

@test "sum: a stream whose results its end completes, and one whose results come early" {
    py 'r = np.random.default_rng(5); write("x", r.standard_normal((300, 200, 40)).astype("f4"))'
    for dims in 2 0 1 0,1 0,2 1,2 0,1,2; do
        gantry sum $dims x a
        gantry copy x - | gantry sum $dims - - | gantry copy - b
        same_bytes a b
    done
}

@test "sum: starts before its input has ended" {
    gantry ones --size 1024:1024:20 x
    gantry copy x - >stream
    { head -c 60000000 stream; sleep 1; date +%s%N >resumed; tail -c +60000001 stream; } |
        gantry sum 0 - - | { head -c 3000 >/dev/null; date +%s%N >seen; cat >/dev/null; }
    [ "$(cat seen)" -lt "$(cat resumed)" ]
}

@test "sum: floats are summed in float64, integers exactly" {
    py 'x = np.ones((3, 1 << 20), "f4"); x[:, 0] = 1 << 26; write("x", x); write("h", np.full((2, 3000), 100, "f2"))
write("i", np.full((4, 2), 2**62 - 1, "i8")); write("u", np.full((4, 3), 2**62 + 1, "u8")); write("b", np.full(1 << 24, 255, "u1"))'
    gantry sum --type float64 1 x y
    py 'assert np.array_equal(read("y"), np.full(3, 2.0**26 + 2**20 - 1))'
    gantry sum 1 h y
    py 'assert read("y").dtype == np.float32 and np.array_equal(read("y"), [300000, 300000])'
    gantry sum 1 i y
    py 'assert np.array_equal(read("y"), np.full(4, 2**63 - 2))'
    gantry sum 1 u y
    py 'assert np.array_equal(read("y"), np.full(4, 3 * (2**62 + 1), "u8"))'
    gantry sum 0 b y
    py 'assert read("y")[0] == 255 * 2**24'
    gantry sum --type float32 0 i y
    py 'assert np.array_equal(read("y"), np.full((1, 2), 2.0**64, "f4"))'
    gantry mean 0 i y
    py 'assert np.array_equal(read("y"), np.full((1, 2), 2.0**62))'
    py 'write("o", np.full((4, 3), 2**62, "i8"))'
    run --separate-stderr gantry sum 0 o y
    [[ $stderr == *"3 of 3 values do not fit into int64"* ]]
    py 'assert np.array_equal(read("y"), np.full((1, 3), 2**63 - 1))'
    run --separate-stderr gantry sum --type uint8 0 b y
    [[ $stderr == *"1 of 1 values do not fit into uint8"* ]]
    py 'assert read("y")[0] == 255'
}

@test "sum: integers are clipped once, however far sums and products go on their way" {
    py 'n = 1 << 17; x = np.zeros((4, n), "i8"); x[:, : n // 2] = 2**60; x[:, n // 2 :] = -(2**60); x[:, 7] += [3, -5, 0, 1]
write("x", x); write("t", x.T.copy()); write("v", x[0]); write("a", np.array([[2**62, 2**62, -(2**62), 5]] * 3, "i8"))
write("b", np.array([[8, 8, 16, 1]] * 3, "i8")); write("m", np.array([-(2**63)] * 4 + [2**63 - 1] * 3, "i8"))'
    gantry sum 1 x y
    py 'assert np.array_equal(read("y").ravel(), [3, -5, 0, 1]), read("y")'
    gantry sum 0 t y
    py 'assert np.array_equal(read("y").ravel(), [3, -5, 0, 1]), read("y")'
    gantry copy x - | gantry sum -q 1 - y
    py 'assert np.array_equal(read("y").ravel(), [3, -5, 0, 1]), read("y")'
    gantry sum 0 v y
    py 'assert read("y").ravel()[0] == 3, read("y")'
    gantry dot --dims 1 a b y
    py 'assert np.array_equal(read("y").ravel(), [5, 5, 5]), read("y")'
    gantry dot --dims 0 a b y 2>said
    py 'assert np.array_equal(read("y").ravel(), [2**63 - 1, 2**63 - 1, -(2**63), 15]), read("y")'
    run --separate-stderr gantry sum 0 m y
    [[ $stderr == *"1 of 1 values do not fit into int64"* ]]
    py 'assert read("y")[0] == -(2**63)'
}

@test "sum: NaN and infinity" {
    py 'x = np.ones((4, 3), "f4"); x[1, 0] = np.nan; x[2, 1] = np.inf; x[0, 2] = -np.inf; write("x", x)'
    for op in sum mean max min; do
        for dims in 0 1 0,1; do
            gantry $op $dims x y
            py "
with np.errstate(all='ignore'):
    want = np.$op(read('x').astype('f8'), axis=($dims,), keepdims=True)
assert np.array_equal(read('y').reshape(want.shape), want, equal_nan=True), read('y')"
        done
    done
}

@test "sum: nothing to reduce leaves the elements" {
    gantry random --size 20:30 x
    for op in sum mean max min; do
        gantry $op z x y
        same_bytes x y
        [ "$(dims y)" = "20 30" ]
    done
}

@test "sum: sizes beside powers of two" {
    for n in 2047 2049 4097; do
        gantry random --type float64 --size $n:33 x
        for op in sum mean max min; do
            gantry $op 0 x a
            gantry $op 1 x b
            py "x = read('x'); assert np.allclose(read('a'), x.$op(0), atol=1e-9) and np.allclose(read('b'), x.$op(1), atol=1e-10)"
        done
    done
}

@test "sum: foreign byte order and C order" {
    py 'r = np.random.default_rng(1); x = r.standard_normal((30, 20, 10)).astype("f4"); write("x", x); np.save("c.npy", np.ascontiguousarray(x))
write("g", x, Byte_Order="big"); x.ravel(order="F").astype(">f4").tofile("g.cfl")'
    for dims in 0 1,2; do
        gantry sum $dims x a
        gantry sum $dims g b
        same_bytes a b
        gantry sum $dims c.npy b
        same_bytes a b
    done
}

@test "sum: the grid keeps its place, quantities follow what the numbers mean" {
    py 'x = np.ones((4, 6, 2), "f4"); write("x", x, Spacing="0.5 2 3", Origin="1 2 0", Quantity="attenuation", Unit="1/mm", Scanner="A7")
write("c", x, Quantity="counts"); write("p", x, Spacing="0.5 2 3"); write("m", x.astype(bool), Quantity="mask")'
    gantry sum y x y
    [ "$(section y Spacing)" = "0.5 12 3" ]
    [ "$(section y Origin)" = "1 7 0" ]
    [ -z "$(section y Quantity)" ]
    [ "$(section y Unit)" = 1/mm ]
    [ "$(section y Scanner)" = A7 ]
    gantry mean y x y
    [ "$(section y Quantity)" = attenuation ]
    gantry sum y c y
    [ "$(section y Quantity)" = counts ]
    [ -z "$(section y Spacing)" ]
    gantry max x,y p y
    [ "$(section y Spacing)" = "2 12 3" ]
    [ -z "$(section y Origin)" ]
    gantry max z m y
    [ "$(section y Quantity)" = mask ]
    gantry mean z m y
    [ -z "$(section y Quantity)" ]
    py 'write("f", np.zeros((4, 4, 9)), Quantity="geometry", Detector="5 6")'
    gantry mean 2 f y
    [ -z "$(section y Quantity)$(section y Detector)" ]
}

@test "sum: OUT may be IN; little private memory for large files and streams" {
    sanitized && skip "sanitizers need memory of their own"
    gantry ones --size 1024:1024:32 x
    (
        unset GANTRY_DEVICE # drivers need memory of their own
        ulimit -d 110000    # KiB of writable private memory; the file has 134 MB
        gantry sum -j 2 2 x a
        gantry sum -j 2 1 x b
        gantry copy x - | gantry sum -j 2 2 - - | gantry copy - c
    )
    same_bytes a c
    gantry sum 0,1 a b
    py 'assert read("b")[0] == 2.0**25'
    gantry sum 2 x x
    same_bytes a x
}

@test "sum: bad input fails, says so and leaves no output" {
    py 'write("x", np.ones((3, 4), "f4")); write("z", np.ones((3, 4), "c8"))'
    fails 1 "complex" gantry max 0 z y
    fails 1 "complex" gantry min 0,1 z y
    fails 2 DIMS gantry sum w x y
    fails 2 DIMS gantry sum 16 x y
    fails 2 DIMS gantry sum 0,,1 x y
    fails 2 OUT gantry sum 0 x
    fails 1 missing gantry mean 0 missing y
    head -c 100 <(gantry copy x -) >short
    fails 1 "" gantry sum 0 - y <short
    truncate -s 20 x.cfl
    fails 1 x.cfl gantry sum 1 x y
    no_output y
}
