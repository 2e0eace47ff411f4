load common

@test "norm: as NumPy for every type, kind and way" {
    py '
import subprocess
r = np.random.default_rng(2)
def run(line): return subprocess.run(line, shell=True, check=True, capture_output=True, text=True).stdout
for t in "bool i1 u2 i4 u8 f2 f4 f8 c8 c16".split():
    x = r.standard_normal((37, 41, 3)) * 50
    x = (abs(x) if t[0] in "ub" else x + 1j * x[::-1] if t[0] == "c" else x).astype(t)
    write("x", x)
    m = abs(x.astype("c16"))
    for kind, ufunc in (("2", lambda v, **a: np.sqrt((v * v).sum(**a))), ("1", np.sum), ("max", np.max)):
        near = 1e-6 if t in ("f2", "f4", "c8") else 1e-13
        said = run("gantry norm --kind %s x" % kind)
        assert np.isclose(float(said), ufunc(m), rtol=near), (t, kind, said)
        assert said == run("gantry copy x - | gantry norm -j 7 --kind %s -" % kind), (t, kind)
        for dims in (0,), (2,), (0, 1), (1, 2), (0, 1, 2):
            run("gantry norm --kind %s --dims %s x y" % (kind, ",".join(map(str, dims))))
            want = ufunc(m, axis=dims, keepdims=True)
            got = read("y")
            assert got.dtype == (np.float32 if t in ("f2", "f4", "c8") else np.float64)
            assert np.allclose(got.reshape(want.shape), want, rtol=near), (t, kind, dims)
'
}

@test "norm: kind 2 is the root of the dot product with itself" {
    gantry random --size 513:255:9 --type complex64 x
    py "assert abs($(gantry norm x)**2 / $(gantry dot x x | sed 's/+0i//') - 1) < 1e-14"
}

@test "norm: of zeros, NaN, infinity" {
    gantry zeros --size 10:10 x
    [ "$(gantry norm x)" = 0 ]
    [ "$(gantry norm --kind max x)" = 0 ]
    py 'write("n", np.array([1, np.nan, 2], "f4")); write("i", np.array([1, -np.inf, 2], "f4"))'
    for kind in 2 1 max; do
        [ "$(gantry norm --kind $kind n)" = nan ]
        [ "$(gantry norm --kind $kind i)" = inf ]
    done
}

@test "norm: OUT without --dims holds the norm of everything; --type" {
    py 'write("x", np.array([[3, 4], [0, 12]], "u1"), Quantity="counts", Unit="1")'
    gantry norm x y
    py 'assert read("y").dtype == np.float64 and read("y") == [13]'
    [ -z "$(section y Quantity)" ]
    gantry norm --type float32 --dims 1 x y
    py 'assert read("y").dtype == np.float32 and np.allclose(read("y"), [5, 12])'
}

@test "norm: bad input fails, says so and leaves no output" {
    gantry ones --size 3:4 x
    fails 2 "needs an output array" gantry norm --dims 0 x
    fails 2 "needs an output array" gantry norm --type float64 x
    fails 2 kind gantry norm --kind 3 x
    fails 1 missing gantry norm missing
    truncate -s 20 x.cfl
    fails 1 x.cfl gantry norm --dims 0 x y
    no_output y
}
