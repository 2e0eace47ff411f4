load common

@test "fmac: products of every pair of types, as NumPy where it does not overflow" {
    py '
import subprocess
r = np.random.default_rng(2)
T = "bool i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
def array(shape, t): return (r.integers(0, 2 if t == "bool" else 11, shape) + (1j * r.integers(0, 11, shape) if t[0] == "c" else 0)).astype(t)
script = []
for a in T: write("x" + a, array((6, 5), a)); write("y" + a, array((1, 5), a))
subprocess.run("\n".join("gantry fmac x%s y%s z%s_%s" % (a, b, a, b) for a in T for b in T), shell=True, check=True, executable="/bin/bash")
for a in T:
    for b in T:
        x, y, z = read("x" + a), read("y" + b).reshape(1, 5), read("z%s_%s" % (a, b))
        want = x.astype("c16") * y.astype("c16")
        assert np.array_equal(z, want), (a, b)
'
}

@test "fmac: products are rounded once, sums run in float64" {
    py 'r = np.random.default_rng(1)
for t in "f4", "f8":
    write("x" + t, r.standard_normal((37, 41)).astype(t)); write("y" + t, r.standard_normal((37, 41)).astype(t))'
    for t in f4 f8; do
        gantry fmac x$t y$t z
        py "assert np.array_equal(read('z'), read('x$t') * read('y$t'))"
        gantry fmac --sum 1 x$t y$t z
        py "w = (read('x$t').astype('f8') * read('y$t')).sum(1); z = read('z'); assert z.dtype == '$t' and np.allclose(z, w, rtol=1e-7 if '$t' == 'f4' else 1e-14, atol=1e-14 if '$t' == 'f8' else 0)"
    done
    gantry fmac --type float64 xf4 yf4 z
    py 'assert np.array_equal(read("z"), read("xf4").astype("f8") * read("yf4"))'
}

@test "fmac: matrix and vector, outer product, traces" {
    py 'r = np.random.default_rng(4)
c = lambda *s: (r.standard_normal(s) + 1j * r.standard_normal(s))
write("A", c(30, 40)); write("x", c(1, 40)); write("B", c(1, 40, 20)); write("u", c(30, 1)); write("v", c(1, 50))'
    gantry fmac --sum 1 A x y
    py 'assert np.allclose(read("y"), read("A") @ read("x")[0])'
    gantry fmac --sum 1 A B y
    py 'assert np.allclose(read("y")[:, 0], read("A") @ read("B")[0])'
    gantry fmac --conj u v y
    py 'assert np.allclose(read("y"), np.outer(read("u"), read("v").conj()))'
    gantry fmac --conj --sum 0,1 A A y
    py 'assert np.allclose(read("y"), np.linalg.norm(read("A"))**2)'
    gantry fmac --sum 0,1 A A y
    py 'assert np.allclose(read("y"), (read("A")**2).sum())'
}

@test "fmac: without Y it is a sum" {
    gantry random --size 30:20:10 x
    gantry fmac --sum 0,2 x a
    gantry sum 0,2 x b
    same_bytes a b
}

@test "fmac: --conj without sums, also of real data" {
    py 'write("x", np.array([1 + 2j, 3]), Unit="1/mm"); write("y", np.array([2j, 1 - 1j])); write("r", np.array([2., 5]))'
    gantry fmac -C x y z
    py 'assert np.array_equal(read("z"), read("x") * read("y").conj())'
    gantry fmac -C r r z
    py 'assert np.array_equal(read("z"), [4, 25])'
}

@test "fmac: integers stay integers and are clipped with a warning" {
    py 'write("x", np.array([200, 3, 4], "u1"))'
    run --separate-stderr gantry fmac x x z
    [[ $stderr == *"1 of 3 values do not fit into uint8"* ]]
    py 'assert read("z").dtype == np.uint8 and np.array_equal(read("z"), [255, 9, 16])'
    gantry fmac --sum 0 x x z
    py 'assert read("z").dtype == np.int64 and read("z")[0] == 40025'
    gantry fmac --type float32 x x z
    py 'assert read("z").dtype == np.float32 and np.array_equal(read("z"), [40000, 9, 16])'
}

@test "fmac: same bytes for any threads, through pipes; OUT may be X" {
    gantry random --size 513:255:9 x
    gantry random --size 513:1:9 --type complex64 y
    for options in "" "--sum 1" "--sum 0,2" "--conj --sum 2"; do
        # shellcheck disable=SC2086
        gantry fmac -j 1 $options x y a
        # shellcheck disable=SC2086
        gantry fmac -j 7 $options x y b
        same_bytes a b
        # shellcheck disable=SC2086
        gantry copy x - | gantry fmac $options - y - | gantry copy - b
        same_bytes a b
    done
    gantry fmac x x a
    gantry fmac x x x
    same_bytes a x
}

@test "fmac: sizes beside powers of two" {
    for n in 2047 2049 4097; do
        gantry random --size $n:33 x
        gantry random --size 1:33 y
        gantry fmac --sum 1 x y z
        py 'assert np.allclose(read("z"), read("x").astype("f8") @ read("y")[0], rtol=1e-6, atol=1e-6)'
        gantry fmac x y z
        py 'assert np.array_equal(read("z"), read("x") * read("y"))'
    done
}

@test "fmac: grid, quantity and unit" {
    py 'write("x", np.ones((4, 4), "f4"), Spacing="0.5 2", Origin="1 2", Quantity="attenuation", Unit="1/mm")
write("m", np.ones((4, 4), bool), Quantity="mask"); write("n", np.ones((4, 1), "f4")); write("t", np.ones((1, 1, 3), "f4"), Spacing="1 1 7")'
    gantry fmac x m z
    [ "$(section z Quantity) $(section z Unit)" = "attenuation 1/mm" ]
    gantry fmac m x z
    [ "$(section z Quantity) $(section z Unit)" = "attenuation 1/mm" ]
    gantry fmac x n z
    [ "$(section z Quantity)$(section z Unit)" = 1/mm ]
    gantry fmac x x z
    [ -z "$(section z Quantity)$(section z Unit)" ]
    gantry fmac x t z
    [ "$(section z Spacing)" = "0.5 2 7" ]
    gantry fmac --sum 0 x m z
    [ "$(section z Spacing)" = "2 2" ]
    [ -z "$(section z Quantity)" ]
}

@test "fmac: bad input fails, says so and leaves no output" {
    gantry ones --size 3:4 x
    gantry ones --size 4:3 y
    fails 1 "expected equal" gantry fmac x y z
    fails 1 ", or 1" gantry fmac --sum 0 x y z
    fails 2 "missing argument: Y (to multiply by)" gantry fmac x z
    fails 2 sum gantry fmac --sum w x x z
    fails 1 missing gantry fmac x missing z
    no_output z
}
