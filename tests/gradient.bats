load common

@test "gradient: forward differences with a free end, by default along x, y and z" {
    py 'r = np.random.default_rng(1); write("x", r.standard_normal((9, 7, 5)).astype("f4"), Spacing="0.5 2 3"); write("s", r.standard_normal((9, 7)))'
    gantry gradient x g
    py 'x, g = read("x"), read("g")
assert g.shape == (9, 7, 5, 3) and g.dtype == np.float32
for d, h in enumerate((0.5, 2, 3)):
    want = np.diff(x, axis=d, append=np.take(x, [-1], axis=d)) / np.float32(h)
    assert np.allclose(g[..., d], want, rtol=1e-6, atol=1e-7), d'
    gantry gradient s g
    py 's, g = read("s"), read("g"); assert g.shape == (9, 7, 1, 2) and np.array_equal(g[:-1, :, 0, 0], np.diff(s, axis=0)) and not g[-1, :, 0, 0].any()'
}

@test "gradient: central and one-sided is numpy.gradient" {
    py 'r = np.random.default_rng(1); write("x", r.standard_normal((9, 7, 5)), Spacing="0.5 2 3")'
    gantry gradient --scheme central --boundary one-sided x g
    py 'x, g = read("x"), read("g")
for d, h in enumerate((0.5, 2, 3)):
    assert np.allclose(g[..., d], np.gradient(x, h, axis=d), rtol=1e-13, atol=1e-13)'
}

@test "gradient: every scheme and boundary as padding says, and its exact transpose" {
    py '
import subprocess
r = np.random.default_rng(0)
def run(line): subprocess.run(line, shell=True, check=True)
MODES = {"replicate": "edge", "zero": "constant", "periodic": "wrap", "one-sided": None}
h = (0.5, 2, 3)
for scheme in "forward", "backward", "central":
    for boundary, mode in MODES.items():
        for k, shape in enumerate([(9, 7, 5), (1, 2, 3), (2, 1, 1), (1, 1, 1), (3, 40000, 1)]):
            x, y = r.standard_normal(shape), r.standard_normal(shape + (3,))
            if k % 2: x, y = x + 1j * r.standard_normal(shape), y * (1 + 2j)
            write("x", x, Spacing="0.5 2 3"); write("y", y, Spacing="0.5 2 3")
            options = "--dims 0,1,2 --scheme %s --boundary %s" % (scheme, boundary)
            run("gantry gradient %s x g; gantry gradient --adjoint %s y b" % (options, options))
            g, b = read("g").reshape(y.shape), read("b").reshape(x.shape)
            assert abs(np.vdot(g, y) - np.vdot(x, b)) < 1e-12 * max(1, np.linalg.norm(g) * np.linalg.norm(y)), (options, shape)
            for d in range(3):
                if not mode: continue
                p = np.pad(x, [(1, 1) if i == d else (0, 0) for i in range(3)], mode=mode)
                at = lambda o: np.take(p, range(1 + o, 1 + o + x.shape[d]), axis=d)
                a, b, w = {"forward": (1, 0, 1), "backward": (0, -1, 1), "central": (1, -1, 2)}[scheme]
                assert np.allclose(g[..., d], (at(a) - at(b)) / (w * h[d]), rtol=1e-12, atol=1e-12), (options, shape, d)
'
}

@test "gradient: types, threads, streams and sizes beside powers of two" {
    for t in bool uint8 int16 int32 float16 float32 float64 complex32 complex64 complex128; do
        gantry random --size 30:20 r
        gantry scale 50 r r
        gantry cast --type $t r x 2>/dev/null
        gantry gradient --boundary periodic x g
        py "
x, g = read('x'), read('g')[:, :, 0]
wide = {'float64': 'f8', 'complex32': 'c8', 'complex64': 'c8', 'complex128': 'c16'}.get('$t', 'f4')
x = x.astype(wide)
assert g.dtype == wide and np.array_equal(g[..., 1], np.roll(x, -1, 1) - x), '$t'"
    done
    for n in 2047 2049 4097; do
        gantry random --size $n:33 x
        gantry gradient -j 1 --dims 0 x a
        gantry gradient -j 7 --dims 0 x b
        same_bytes a b
        gantry copy x - | gantry gradient --dims 0 - - | gantry copy - b
        same_bytes a b
        py 'x, a = read("x"), read("a"); assert np.array_equal(a[:-1], np.diff(x, axis=0))'
        gantry gradient --adjoint -j 1 --dims 0 x a
        gantry gradient --adjoint -j 7 --dims 0 x b
        same_bytes a b
    done
}

@test "gradient: foreign byte order and C order" {
    py 'r = np.random.default_rng(1); x = r.standard_normal((30, 20, 10)).astype("f4"); write("x", x); np.save("c.npy", np.ascontiguousarray(x))
write("g", x, Byte_Order="big"); x.ravel(order="F").astype(">f4").tofile("g.cfl")'
    gantry gradient x a
    gantry gradient g b
    same_bytes a b
    gantry gradient c.npy b
    same_bytes a b
}

@test "gradient: the divergence of the components of a ramp" {
    py 'i = np.indices((6, 5, 4)); write("x", 2.0 * i[0] + 3.0 * i[1] - i[2], Spacing="1 1 1", Unit="1/mm", Quantity="attenuation")'
    gantry gradient x g
    [ "$(section g Unit)|$(section g Quantity)" = "1/mm^2|" ]
    py 'g = read("g"); assert (g[:-1, :, :, 0] == 2).all() and (g[:, :-1, :, 1] == 3).all() and (g[..., :-1, 2] == -1).all()'
    gantry gradient --adjoint g d
    [ "$(dims d)" = "6 5 4" ]
    py 'd = read("d"); assert not d[1:-1, 1:-1, 1:-1].any() and abs(d.sum()) < 1e-10'
}

@test "gradient: bad input fails, says so and leaves no output" {
    gantry ones --size 3:4 x
    gantry ones --size 5 --type float64 n
    fails 2 scheme gantry gradient --scheme middle x g
    fails 2 boundary gantry gradient --boundary none x g
    fails 2 dims gantry gradient --dims w x g
    fails 1 "below 3" gantry gradient --dims 0,4 x g
    fails 1 "3 x 4" gantry gradient --adjoint --dims 0,1,2 x g
    gantry ones --size 1 one
    fails 1 "dimensions with --dims" gantry gradient one g
    fails 1 missing gantry gradient missing g
    no_output g
}
