load common

@test "rof: the minimiser of SciPy, in one dimension" {
    py 'write("y", np.cumsum(np.random.default_rng(1).standard_normal(40)), Spacing="0.5")'
    gantry rof --lambda 0.7 --tolerance 1e-9 -i 100000 y x
    py 'from scipy.optimize import lsq_linear
y = read("y"); D = np.diff(np.eye(40), axis=0) / 0.5
p = lsq_linear(D.T, y, (-0.7, 0.7), tol=1e-14).x
assert np.allclose(read("x"), y - D.T @ p, atol=1e-6), abs(read("x") - (y - D.T @ p)).max()'
}

@test "rof: the minimiser of SciPy, anisotropic in two dimensions, within bounds" {
    py 'write("y", np.random.default_rng(2).standard_normal((7, 6)))'
    gantry rof --anisotropic --lambda 0.3 --tolerance 1e-9 -i 100000 y x
    gantry rof --anisotropic --lambda 0.3 --tolerance 1e-9 -i 100000 --bounds -0.2:0.5 y b
    py 'from scipy.optimize import lsq_linear, minimize
y = read("y").ravel(order="F")
def diff(n): return np.diff(np.eye(n), axis=0)
D = np.vstack([np.kron(np.eye(6), diff(7)), np.kron(diff(6), np.eye(7))])
p = lsq_linear(D.T, y, (-0.3, 0.3), tol=1e-14).x
assert np.allclose(read("x").ravel(order="F"), y - D.T @ p, atol=1e-6)
f = lambda x: 0.5 * ((x - y)**2).sum() + 0.3 * abs(D @ x).sum()
b = read("b").ravel(order="F")
assert b.min() >= -0.2 and b.max() <= 0.5 and abs(b).max() > 0.19
r = np.random.default_rng(3)
for k in range(2000):
    z = np.clip(b + 10.0**-(k % 6) * r.standard_normal(42), -0.2, 0.5)
    assert f(z) >= f(b) + 0.5 * ((z - b)**2).sum() - 1e-7'
}

@test "rof: a bar loses contrast as computed, and spacing scales lambda" {
    py 'y = np.zeros(100, "f4"); y[40:60] = 1; write("y", y); write("z", y, Spacing="2")'
    gantry rof --lambda 1 --tolerance 1e-6 -i 100000 y x
    gantry rof --lambda 2 --tolerance 1e-6 -i 100000 z w
    py 'x = read("x"); assert np.allclose(x[40:60], 1 - 2 / 20, atol=1e-4) and np.allclose(x[:40], 1 / 40, atol=1e-4), x
assert np.allclose(read("w"), x, atol=1e-4)'
    [ "$(section w Spacing)" = 2 ]
}

@test "rof: other dimensions are independent, and complex parts are not" {
    gantry random --size 20:16:1:3 y
    gantry rof --lambda 0.5 --tolerance 0 -i 50 y all
    for k in 0 1 2; do
        gantry slice 3 $k y yk
        gantry rof --lambda 0.5 --tolerance 0 -i 50 yk xk
    done
    py 'assert np.array_equal(read("all")[..., 2].squeeze(), read("xk").squeeze())'
    gantry random --size 20:16 --type complex64 c
    gantry rof --lambda 0.5 -d x,y --tolerance 1e-5 -i 5000 c d
    py 'c = read("c"); write("r", np.asfortranarray(np.exp(0.7j) * c).astype("c8"))'
    gantry rof --lambda 0.5 -d x,y --tolerance 1e-5 -i 5000 r e
    py 'assert np.allclose(read("e"), np.exp(0.7j) * read("d"), atol=2e-4)'
}

@test "rof: a looser tolerance ends earlier, as soon as the duality gap is that small" {
    gantry random --size 64:64 --type float64 y
    gantry rof --lambda 0.5 --tolerance 0 -i 3000 y exact
    for t in 1e-1 1e-2 1e-3; do gantry rof --lambda 0.5 --tolerance $t -i 3000 y x$t; done
    py 'far = [np.linalg.norm(read("x" + t) - read("exact")) / np.linalg.norm(read("y")) for t in ("1e-1", "1e-2", "1e-3")]
# the gap bounds the distance, by not too much
assert 1e-4 < far[0] < 1e-1 and 1e-5 < far[1] < 1e-2 and 1e-6 < far[2] < 1e-3 and far[0] > far[1] > far[2], far'
}

@test "rof: the accuracy asked for" {
    gantry random --size 64:64 y
    gantry rof --lambda 0.5 --tolerance 1e-6 -i 100000 --type float64 y exact
    for t in 1e-2 1e-3; do
        gantry rof --lambda 0.5 --tolerance $t -i 100000 y x
        py "assert np.linalg.norm(read('x') - read('exact')) <= $t * np.linalg.norm(read('y'))"
    done
}

@test "rof: noise is estimated, and taken away" {
    gantry phantom --size 128:128 vol
    gantry random --size 128:128 r
    gantry saxpy 0.002 r vol y
    run --separate-stderr gantry rof y x
    [ "$status" -eq 0 ]
    [[ $stderr == *"standard deviation 0.0020"* || $stderr == *"standard deviation 0.0021"* || $stderr == *"standard deviation 0.0022"* ]]
    py 'v = read("vol"); e = lambda n: np.linalg.norm(read(n) - v); assert e("x") < 0.45 * e("y"), (e("x"), e("y"))'
    run --separate-stderr gantry history x
    [[ $output == *"--noise"* ]]
}

@test "rof: same bytes for any threads and through pipes" {
    gantry random --size 100:90:7 y
    gantry rof -j 1 --lambda 0.5 -i 40 y a
    for j in 2 7; do
        gantry rof -j $j --lambda 0.5 -i 40 y b
        same_bytes a b
    done
    gantry copy y - | gantry rof --lambda 0.5 -i 40 - - | gantry copy - b
    same_bytes a b
    gantry rof --lambda 0 y z
    same_bytes z y
}

@test "rof: bad input fails, says so and leaves no output" {
    gantry random --size 8:8 y
    py 'a = np.ones((4, 4), "f4"); a[1, 2] = np.nan; write("n", a)'
    fails 1 "NaN" gantry rof --lambda 1 n x
    fails 2 lambda gantry rof --lambda -1 y x
    fails 1 "expected a dimension longer than 1" gantry rof --lambda 1 --dims z y x
    fails 2 bounds gantry rof --lambda 1 --bounds 3:1 y x
    fails 2 type gantry rof --lambda 1 --type uint8 y x
    gantry ones --size 1 one
    fails 1 "choose other dimensions with --dims" gantry rof --lambda 1 one x
    gantry random --size 2:2 two
    fails 1 "(give --noise)" gantry rof two x
    no_output x
}

@test "rof: the example of Rudin, Osher and Fatemi" {
    "$GANTRY_SOURCE/examples/rof.sh" "$PWD/rof" >said
    [ "$(head -c 4 rof/rof.png | tail -c 3)" = PNG ]
    py 'v = read("rof/image"); e = lambda n: np.linalg.norm(read("rof/" + n) - v)
assert e("rof") < 0.3 * e("noisy") and e("nlm") < 0.3 * e("noisy") and e("tgv") < 0.35 * e("noisy") and e("wavelet") < 0.6 * e("noisy")'
}
