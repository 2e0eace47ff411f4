# Factors of penalties by rule.
load common

# A matrix of 6 x 5 voxels and 88 rays, and data with noise of deviation 0.3.
small() {
    gantry traj --views 11 --detector 8:1 geom
    py '
write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
write("truth", np.random.default_rng(1).uniform(0.5, 1, size=(6, 5, 1)))
write("w", np.random.default_rng(2).uniform(0.2, 1, size=(8, 1, 11)))'
    gantry project geom units matrix
    gantry project geom truth exact
    py '
p = read("exact"); n = np.random.default_rng(3).normal(size=p.shape)
write("proj", p + 0.3 * n); write("varied", p + 0.3 * n / np.sqrt(read("w")))'
}

scan() {
    gantry phantom --size 48:48:1 vol
    gantry traj --views 40 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    py 'p = read("exact"); write("proj", (p + 0.02 * np.random.default_rng(3).normal(size=p.shape)).astype("f4"), Quantity="line-integral")'
}

chosen() {
    sed -n 's/.*lambda \([^ ]*\) by.*/\1/p' "$1"
}

dense='
A = read("matrix").reshape(88, 30, order="F")
y = read("proj").ravel(order="F")
solve = lambda l, A=A, y=y: np.linalg.solve(A.T @ A + l * np.eye(30), A.T @ y)
'

@test "lambda: discrepancy is the root, with weights and without; the result is that of the number typed in" {
    small
    gantry recon --rule discrepancy:0.3 -i 60 --size 6:5:1 --curve curve.csv geom proj rec 2>said
    gantry recon --data weighted --weights w -a lbfgs --rule discrepancy:0.3 -i 200 --size 6:5:1 geom varied rec-w 2>said-w
    py "$dense
from scipy.optimize import brentq
f = lambda l: np.log(np.linalg.norm(A @ solve(l) - y) / (0.3 * np.sqrt(88)))
root = np.exp(brentq(lambda t: f(np.exp(t)), -10, 12))
got = float('$(chosen said)')
assert abs(f(got)) < 0.006 and abs(np.log(got / root)) < 0.1, (got, root)
assert np.allclose(read('rec').ravel(order='F'), solve(got), rtol=1e-4, atol=1e-5)
s = np.sqrt(read('w').ravel(order='F'))
B, z = A * s[:, None], read('varied').ravel(order='F') * s
got = float('$(chosen said-w)')
assert abs(np.log(np.linalg.norm(B @ solve(got, B, z) - z) / (0.3 * np.sqrt(88)))) < 0.01, got
import csv
rows = list(csv.DictReader(open('curve.csv')))
l = [float(r['lambda']) for r in rows]
assert l == sorted(l) and all(abs(float(r['residual']) / np.linalg.norm(A @ solve(float(r['lambda'])) - y) - 1) < 1e-4 for r in rows)"
    gantry recon --lambda "$(awk -F, -v l="$(chosen said)" 'NR > 1 && ($3 / l - 1) ^ 2 < 1e-10 { print $3 }' curve.csv)" -i 60 --size 6:5:1 geom proj again
    gantry compare --tolerance 1e-6 rec again
}

@test "lambda: gcv is near the smallest of the exact function, and near the best there is" {
    small
    gantry recon --rule gcv -i 60 --size 6:5:1 --curve curve.csv geom proj rec 2>said
    gantry recon --rule gcv -i 60 --size 6:5:1 --curve curve.png geom proj rec2
    same_bytes rec rec2
    [ "$(head -c 4 curve.png | tail -c 3)" = PNG ]
    py "$dense
def gcv(l):
    H = A @ np.linalg.solve(A.T @ A + l * np.eye(30), A.T)
    return 88 * np.sum((A @ solve(l) - y)**2) / (88 - np.trace(H))**2
ls = np.logspace(-3, 5, 400)
best = ls[np.argmin([gcv(l) for l in ls])]
got = float('$(chosen said)')
assert gcv(got) < 1.02 * gcv(best), (got, best)
t = read('truth').ravel(order='F')
e = lambda l: np.linalg.norm(solve(l) - t)
assert e(got) < 1.35 * min(e(l) for l in ls), (e(got), min(e(l) for l in ls))"
}

@test "lambda: the L-curve bends most where NumPy finds it" {
    small
    gantry recon --rule lcurve -i 60 --range 1e-2:1e5 --size 6:5:1 --curve curve.svg geom proj rec 2>said
    grep -q '>penalty<' curve.svg
    py "$dense
t = np.linspace(np.log(1e-2), np.log(1e5), 2000)
x = np.log([np.linalg.norm(A @ solve(l) - y) for l in np.exp(t)])
g = np.log([0.5 * np.sum(solve(l)**2) for l in np.exp(t)])
x1, g1 = np.gradient(x, t), np.gradient(g, t)
k = (x1 * np.gradient(g1, t) - np.gradient(x1, t) * g1) / np.hypot(x1, g1)**3
ok = np.hypot(x1, g1) > 0.02 * np.hypot(x1, g1).max()
best = np.exp(t[np.argmax(np.where(ok, k, -1))])
got = float('$(chosen said)')
assert abs(np.log10(got / best)) < 0.35, (got, best)"
}

@test "lambda: the factor of total variation" {
    scan
    gantry recon -R tv:auto -i 80 --like vol geom proj a 2>said
    grep -q "standard deviation 0.02[0-3]" said
    gantry recon -R "tv:$(chosen said)" -i 80 --like vol geom proj b
    gantry compare --tolerance 1e-4 a b
    gantry recon -R tv:auto -R nonneg --rule lcurve --range 1e-4:1 -i 80 --like vol geom proj c 2>said
    for l in 0.001 0.01 0.05 0.2 1; do
        gantry recon -R tv:$l -R nonneg -i 80 --like vol geom proj t$l
    done
    py '
e = lambda n: np.linalg.norm(read(n) - read("vol"))
best = min(e(f"t{l}") for l in "0.001 0.01 0.05 0.2 1".split())
assert e("a") < 1.6 * best and e("c") < 1.6 * best, (e("a"), e("c"), best)'
    gantry history a | grep -q -- '--regularise=tv:auto'
}

@test "lambda: bad input" {
    scan
    fails 2 "did you mean lcurve" gantry recon --rule lkurve geom proj rec
    fails 2 "above 0" gantry recon --rule discrepancy:-1 geom proj rec
    fails 2 "expected no number" gantry recon --rule gcv:1 geom proj rec
    fails 2 "without subsets" gantry recon --rule gcv -R tv:auto geom proj rec
    fails 2 "is for least squares" gantry recon --rule discrepancy -R tv:auto --data poisson:100 geom proj rec
    fails 2 "which is 3" gantry recon --lambda 3 --rule gcv geom proj rec
    fails 2 "need --rule" gantry recon --curve a.csv geom proj rec
    fails 2 "0 < LO < HI" gantry recon --rule gcv --range 3:1 geom proj rec
    fails 2 "box has no factor that could be auto" gantry recon -R box:auto:3 geom proj rec
    fails 2 "a second factor" gantry recon -R tv:auto -R l1:auto geom proj rec
    fails 2 "takes no lambda" gantry recon -a sirt --rule gcv geom proj rec
    no_output rec
    [ ! -e a.csv ]
}
