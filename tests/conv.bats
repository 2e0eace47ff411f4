load common

setup() {
    common_setup
    py 'r = np.random.default_rng(5)
write("x", r.standard_normal((40, 31)).astype("f4")); write("k", r.standard_normal((5, 4)).astype("f4"))
write("big", r.standard_normal((24, 33)).astype("f4"))
write("cx", (r.standard_normal((40, 31)) + 1j * r.standard_normal((40, 31)))); write("ck", (r.standard_normal((4, 3)) + 1j * r.standard_normal((4, 3))))'
}

@test "conv: equals SciPy, every mode, both methods" {
    for m in same valid full cyclic; do
        for how in direct fft; do
            gantry conv --mode $m --method $how 0,1 x k z-$m-$how
            gantry conv --mode $m --method $how 0,1 cx ck c-$m-$how
        done
    done
    py 'from scipy import signal
for how in ("direct", "fft"):
    for x, k, z, tol in (("x", "k", "z", 2e-6), ("cx", "ck", "c", 1e-13)):
        x, k = read(x), read(k)
        for m in ("same", "valid", "full", "cyclic"):
            w = signal.convolve2d(x.astype(x.dtype), k, "same" if m == "cyclic" else m, "wrap" if m == "cyclic" else "fill")
            got = read("%s-%s-%s" % (z, m, how))
            assert got.shape == w.shape and abs(got - w).max() < tol * abs(w).max(), (m, how, abs(got - w).max())'
}

@test "conv: correlation as SciPy's, and causal" {
    gantry conv --correlate --mode full 0,1 cx ck z
    gantry conv --correlate --mode same 0,1 cx ck s
    gantry conv --correlate --mode valid 0,1 cx ck v
    py 'write("col", read("k")[:, :1])'
    gantry conv --mode causal 0 x col c
    py 'from scipy import signal
x, k = read("cx"), read("ck")
for n, m in (("z", "full"), ("s", "same"), ("v", "valid")):
    assert np.allclose(read(n), signal.correlate(x, k, m)), m
assert np.allclose(read("c"), signal.convolve(read("x"), read("k")[:, :1])[:40], atol=1e-5)'
}

@test "conv: along one dimension, other dimensions as a batch" {
    py 'r = np.random.default_rng(6); write("v", r.standard_normal((20, 30, 6))); write("h", r.standard_normal((1, 7))); write("many", r.standard_normal((20, 3, 1)))
write("line", r.standard_normal(9))'
    gantry conv y v h z
    gantry conv 1 v many w
    gantry conv --mode causal --method fft 0 v line c
    py 'from scipy import ndimage, signal
v, h, z, w = read("v"), read("h"), read("z"), read("w")
assert np.allclose(z, signal.convolve(v, h[:, :, None], "same"))
m = read("many")
assert np.allclose(w, np.stack([signal.convolve(v[i], m[i].reshape(3, 1), "same") for i in range(20)]))
assert np.allclose(read("c"), signal.convolve(v, read("line").reshape(9, 1, 1))[:20])'
}

@test "conv: kernels larger than the input" {
    for m in same full cyclic; do
        gantry conv --mode $m --method direct 0,1 k x a
        gantry conv --mode $m --method fft 0,1 k x b
        gantry compare --tolerance 3e-6 a b
    done
    gantry conv --mode full 0,1 x k a
    gantry conv --mode full 0,1 k x b
    gantry compare --tolerance 1e-6 a b
}

@test "conv: the adjoint is the adjoint" {
    for m in same valid full cyclic causal; do
        for o in --method=direct --method=fft --correlate; do
            gantry conv $o --mode $m 0,1 cx ck y
            gantry random --type complex128 --size "$(dims y | tr ' ' :)" --seed 3 u
            gantry conv $o --mode $m --adjoint 0,1 u ck v
            py 'x, y, u, v = read("cx"), read("y"), read("u"), read("v")
assert v.shape == x.shape
a, b = np.vdot(u, y), np.vdot(v, x)
assert abs(a - b) < 1e-11 * np.linalg.norm(u) * np.linalg.norm(y), (a, b)'
        done
    done
}

@test "conv: outputs keep their place" {
    py 'x = np.zeros((9, 8), "f4"); x[4, 4] = 1; write("p", x, Spacing="0.5 2", Origin="10 20", Quantity="attenuation", Unit="1/mm"); k = np.zeros((3, 5), "f4"); k[1, 2] = 1; write("one", k)
write("centred", x, Spacing="0.5 2")'
    gantry conv 0,1 p one z
    same_bytes z p
    [ "$(section z Origin)" = "10 20" ]
    [ "$(section z Quantity)" = attenuation ]
    gantry conv --mode full 0,1 p one z
    [ "$(section z Origin)" = "9.5 16" ]
    gantry conv --mode valid 0,1 p one z
    [ "$(section z Origin)" = "10.5 24" ]
    gantry conv --mode valid --adjoint 0,1 z one y
    [ "$(section y Origin)" = "10 20" ]
    gantry conv --mode full 0,1 centred one z
    [ -z "$(section z Origin)" ]
}

@test "conv: types" {
    py 'write("u", np.arange(60, dtype="u1").reshape(10, 6)); write("i", np.ones((3, 1), "i4")); write("s", np.ones((3, 1), "i1"))'
    gantry conv 0 u s z
    py 'assert read("z").dtype == "f4"'
    gantry conv 0 u i z
    py 'assert read("z").dtype == "f8"'
    gantry conv --type uint16 0 u s z
    py 'u, z = read("u").astype("i4"), read("z"); assert z.dtype == "u2" and np.array_equal(z[1:-1], u[:-2] + u[1:-1] + u[2:])'
    gantry conv --type float64 0,1 x k z
    py 'from scipy import signal
assert abs(read("z") - signal.convolve2d(read("x").astype("f8"), read("k"), "same")).max() < 1e-13'
}

@test "conv: same bytes for any threads and through pipes, both methods" {
    gantry random --size 120:90:20 v
    for how in direct fft; do
        gantry conv --method $how -j 1 0,1 v big a
        for j in 2 7; do
            gantry conv --method $how -j $j 0,1 v big b
            same_bytes a b
        done
        gantry copy v - | gantry conv --method $how 0,1 - big - | gantry copy - b
        same_bytes a b
    done
}

@test "conv: large kernels go through transforms, in blocks" {
    gantry random --size 3000:1500 v
    py 'r = np.random.default_rng(8); write("wide", r.standard_normal((301, 201)).astype("f4"))'
    gantry conv --mode same 0,1 v wide a
    py 'from scipy import signal
x, k, a = read("v").astype("f8"), read("wide").astype("f8"), read("a")
w = signal.fftconvolve(x, k, "same"); assert abs(a - w).max() < 1e-5 * abs(w).max(), abs(a - w).max() / abs(w).max()'
}

@test "conv: bad input fails, says so and leaves no output" {
    py 'write("w", np.ones((40, 30, 2), "f4")); write("kk", np.ones((3, 1, 3), "f4")); write("row", np.ones((3, 31), "f4"))'
    fails 1 "the kernel is longer than the array" gantry conv --mode valid 0,1 k x z
    fails 1 "the kernel is longer than the array" gantry conv --mode full --adjoint 0,1 k x z
    fails 1 "along dimension 2" gantry conv 0 w kk z
    fails 1 "--method fft takes one kernel" gantry conv --method fft 0 x row z
    fails 2 mode gantry conv --mode most 0 x k z
    fails 2 DIMS gantry conv 0,q x k z
    fails 2 OUT gantry conv 0 x k
    no_output z
}
