load common

@test "tgv: the minimiser of SciPy, in one dimension" {
    py 'write("y", np.cumsum(np.cumsum(np.random.default_rng(1).standard_normal(16))), Spacing="0.5")'
    gantry tgv --lambda 0.8 --ratio 0.6 --tolerance 0 -i 15000 y x
    py 'from scipy.optimize import minimize, LinearConstraint
n, h, a, r = 16, 0.5, 0.8, 0.6
y = read("y")
G = np.zeros((n, n)); E = np.zeros((n, n))
for i in range(n):
    j = min(i, n - 2); G[i, j + 1], G[i, j] = 1 / h, -1 / h
    j = max(i, 1); E[i, j], E[i, j - 1] = 1 / h, -1 / h
# dual: p = E.T q with |p| <= a, |q| <= a r
f = lambda q: 0.5 * ((y - G.T @ (E.T @ q))**2).sum()
g = lambda q: -E @ (G @ (y - G.T @ (E.T @ q)))
s = minimize(f, np.zeros(n), jac=g, method="SLSQP", bounds=[(-a * r, a * r)] * n,
    constraints=[{"type": "ineq", "fun": lambda q: a - E.T @ q, "jac": lambda q: -E.T}, {"type": "ineq", "fun": lambda q: a + E.T @ q, "jac": lambda q: E.T}],
    options={"maxiter": 5000, "ftol": 1e-15})
want = y - G.T @ (E.T @ s.x)
assert np.allclose(read("x"), want, atol=1e-4 * abs(y).max()), abs(read("x") - want).max()'
}

@test "tgv: infimal convolution, the minimiser of SciPy" {
    py 'write("y", np.cumsum(np.cumsum(np.random.default_rng(3).standard_normal(16))), Spacing="0.5")'
    gantry tgv --ictv --lambda 0.8 --ratio 0.6 --tolerance 0 -i 15000 y x
    py 'from scipy.optimize import minimize
n, h, a, r = 16, 0.5, 0.8, 0.6
y = read("y")
G = np.zeros((n, n)); E = np.zeros((n, n))
for i in range(n):
    j = min(i, n - 2); G[i, j + 1], G[i, j] = 1 / h, -1 / h
    j = max(i, 1); E[i, j], E[i, j - 1] = 1 / h, -1 / h
H = E @ G
# primal with slack variables: x, v, s >= |G (x - v)|, t >= |H v|
def split(z): return z[:n], z[n:2*n], z[2*n:3*n], z[3*n:]
f = lambda z: 0.5 * ((split(z)[0] - y)**2).sum() + a * split(z)[2].sum() + a * r * split(z)[3].sum()
def df(z): return np.concatenate([split(z)[0] - y, np.zeros(n), np.full(n, a), np.full(n, a * r)])
O, I = np.zeros((n, n)), np.eye(n)
C = np.block([[-G, G, I, O], [G, -G, I, O], [O, -H, O, I], [O, H, O, I]])
z0 = np.concatenate([y, 0 * y, abs(G @ y), 0 * y])
s = minimize(f, z0, jac=df, method="SLSQP", constraints=[{"type": "ineq", "fun": lambda z: C @ z, "jac": lambda z: C}], options={"maxiter": 5000, "ftol": 1e-15})
want = s.x[:n]
assert np.allclose(read("x"), want, atol=2e-3 * abs(y).max()), abs(read("x") - want).max()'
}

@test "tgv: ramps stay, where total variation makes steps" {
    py 'i = np.indices((40, 30)); v = np.where(i[0] < 20, 0.1 * i[0], 3 - 0.05 * i[1]); write("v", v.astype("f4"))
write("y", (v + 0.1 * np.random.default_rng(1).standard_normal(v.shape)).astype("f4"))'
    gantry tgv --lambda 0.15 y t
    gantry tgv --ictv --lambda 0.15 -i 3000 y i
    gantry rof --lambda 0.15 y r
    py 'v = read("v"); e = lambda n: np.linalg.norm(read(n) - v); assert e("t") < 0.75 * e("r") and e("i") < 0.9 * e("r"), (e("t"), e("i"), e("r"))'
}

@test "tgv: lengths in another unit, and so the factors, change nothing" {
    py '
y = np.random.default_rng(2).random((9, 7)) + np.arange(9)[:, None] / 3
write("y", y, Spacing="1 1.5")
write("small", y, Spacing="0.001 0.0015")'
    for o in "" --ictv; do
        gantry tgv $o --lambda 0.3 --ratio 2 y a
        gantry tgv $o --lambda 0.0003 --ratio 0.002 small b
        py 'a, b = read("a"), read("b"); assert abs(a - b).max() < 1e-9, abs(a - b).max()'
    done
}

@test "tgv: same bytes for any threads" {
    gantry random --size 60:50:4 y
    for o in --ratio=2 --ictv; do
        gantry tgv -j 1 $o --lambda 0.3 -i 20 y a
        for j in 2 7; do
            gantry tgv -j $j $o --lambda 0.3 -i 20 y b
            same_bytes a b
        done
    done
}

@test "tgv: bad input fails, says so and leaves no output" {
    gantry random --size 8:8 y
    fails 2 ratio gantry tgv --ratio 0 --lambda 1 y x
    fails 2 lambda gantry tgv --lambda -1 y x
    fails 1 missing gantry tgv missing x
    no_output x
}
