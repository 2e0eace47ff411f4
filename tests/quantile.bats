load common

@test "quantile: as NumPy for every real type, of all elements and along dims" {
    py '
import subprocess
r = np.random.default_rng(2)
def run(line): return subprocess.run(line, shell=True, check=True, capture_output=True, text=True).stdout
qs = [0, 0.01, 0.25, 0.5, 1 / 3, 0.9, 1]
names = ":".join(map(repr, qs))
for t in "bool i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split():
    for shape in (37, 41, 3), (1, 2), (70001,), (5, 1, 6):
        x = r.standard_normal(shape) * 50
        x = (x > 0 if t == "bool" else abs(x) if t[0] == "u" else x).astype(t)
        write("x", x)
        wide = x.astype("f4" if x.dtype.itemsize < 3 or t == "f4" else "f8").astype("f8")
        near = 1e-6 if x.dtype.itemsize < 3 or t == "f4" else 1e-14
        said = [float(v) for v in run("gantry quantile %s x" % names).split()]
        assert np.allclose(said, np.quantile(wide, qs), rtol=near, atol=1e-5), (t, shape)
        for dims in (0,), (1,), (0, 1), tuple(range(len(shape))):
            if max(dims) >= len(shape): continue
            run("gantry quantile --dims %s %s x y; gantry quantile -j 7 --dims %s 0.5 x z" % (",".join(map(str, dims)), names, ",".join(map(str, dims))))
            full = wide.reshape(wide.shape + (1,) * (3 - wide.ndim))
            want = np.moveaxis(np.quantile(full, qs, axis=dims, keepdims=True), 0, -1)
            want = np.moveaxis(want, -1, dims[0]).reshape([len(qs) if d == dims[0] else 1 if d in dims else n for d, n in enumerate(full.shape)])
            y, z = read("y"), read("z")
            assert y.dtype == (np.float32 if near > 1e-10 else np.float64)
            assert np.allclose(y.reshape(want.shape), want, rtol=near, atol=1e-5), (t, shape, dims)
            assert np.array_equal(z.ravel(), np.take(y.reshape(want.shape), 3, axis=dims[0]).ravel()), (t, shape, dims)
'
}

@test "quantile: minimum, median and maximum of integers beyond float64" {
    py 'write("x", np.array([2**53, 2**53 + 2, 2**53 + 4, -7, 5], "i8"))'
    [ "$(gantry quantile 0:0.5:1 x | tr '\n' ' ')" = "-7 9007199254740992 9007199254740996 " ]
}

@test "quantile: NaN gives NaN, infinities are values" {
    py 'write("n", np.array([1, np.nan, 2, 3], "f4")); write("i", np.array([1, -np.inf, 2, np.inf, 3], "f4"))'
    [ "$(gantry quantile 0.5 n)" = nan ]
    [ "$(gantry quantile 0:0.5:1 i | tr '\n' ' ')" = "-inf 2 inf " ]
}

@test "quantile: streams and foreign byte order" {
    py 'r = np.random.default_rng(1); x = r.standard_normal((300, 20, 10)).astype("f4"); write("x", x)
write("g", x, Byte_Order="big"); x.ravel(order="F").astype(">f4").tofile("g.cfl")'
    want=$(gantry quantile 0.1:0.7 x)
    [ "$(gantry copy x - | gantry quantile 0.1:0.7 -)" = "$want" ]
    [ "$(gantry quantile 0.1:0.7 g)" = "$want" ]
    gantry quantile --dims 2 0.3 x a
    gantry copy x - | gantry quantile --dims 2 0.3 - - | gantry copy - b
    same_bytes a b
}

@test "quantile: little private memory for large files" {
    sanitized && skip "sanitizers need memory of their own"
    gantry random --size 1024:1024:40 x
    (
        unset GANTRY_DEVICE # drivers need memory of their own
        ulimit -d 110000    # KiB of writable private memory
        gantry quantile -j 2 0.5:0.99 x >said
        gantry quantile -j 2 --dims z 0.5 x y
    )
    py 'x = read("x"); assert np.array_equal(read("y")[:16], np.median(x[:16], axis=2))
for q, v in zip((0.5, 0.99), np.loadtxt("said")): # between its neighbours, of x.size values
    below, h = np.count_nonzero(x < v), q * (x.size - 1)
    assert below <= np.ceil(h) and np.count_nonzero(x <= v) > np.floor(h), (q, v)'
}

@test "quantile: grid and quantity" {
    py 'write("x", np.ones((4, 6, 2), "f4"), Spacing="0.5 2 3", Origin="1 2 0", Quantity="attenuation", Unit="1/mm")'
    gantry quantile --dims y 0.5 x y
    [ "$(section y Spacing)|$(section y Origin)|$(section y Quantity)|$(section y Unit)" = "0.5 12 3|1 7 0|attenuation|1/mm" ]
    [ "$(dims y)" = "4 1 2" ]
    gantry quantile --dims y,z 0.1:0.5:0.9 x y
    [ "$(dims y)" = "4 3" ]
    gantry quantile 0.1:0.5:0.9 x y
    [ "$(dims y)" = "3" ]
}

@test "quantile: bad input fails, says so and leaves no output" {
    py 'write("x", np.ones((3, 4), "f4")); write("z", np.ones((3, 4), "c8"))'
    fails 1 "complex" gantry quantile 0.5 z
    fails 2 Q gantry quantile 1.5 x
    fails 2 Q gantry quantile nan x
    fails 2 Q gantry quantile 0.5: x
    fails 2 "needs an output array" gantry quantile --dims 0 0.5 x
    fails 2 dims gantry quantile --dims w 0.5 x y
    fails 1 missing gantry quantile 0.5 missing y
    truncate -s 20 x.cfl
    fails 1 x.cfl gantry quantile --dims 0 0.5 x y
    no_output y
}
