load common

# Counts of 88 rays through 30 voxels: few, some 0.
small() {
    gantry traj --views 11 --detector 8:1 geom
    py 'write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))'
    gantry project geom units matrix
    py '
rng = np.random.default_rng(4)
A = read("matrix").reshape(88, 30, order="F")
n = rng.poisson(40 * np.exp(-A @ rng.uniform(0.1, 0.5, size=30))).astype("f8")
write("plain", n.reshape(8, 1, 11, order="F"))
write("counts", n.reshape(8, 1, 11, order="F"), Quantity="counts")'
}

likelihood='
A = read("matrix").reshape(88, 30, order="F")
n = read("plain").ravel(order="F")
from scipy.optimize import minimize
from scipy.special import xlogy
def f(x):
    m = 40 * np.exp(-A @ x)
    return np.sum(m - n + xlogy(n, n / m))
slope = lambda x: A.T @ (n - 40 * np.exp(-A @ x))
def solve(low):
    r = minimize(f, np.full(30, 0.2), jac=slope, method="L-BFGS-B", bounds=[(low, None)] * 30,
                 options=dict(maxiter=5000, maxfun=20000, ftol=1e-15, gtol=1e-9))
    return r.fun
'

@test "ml-tr: the maximum of the likelihood, from SciPy" {
    small
    gantry recon --algorithm ml-tr --data poisson:40 --size 6:5:1 -i 3000 --log log.csv geom counts a
    gantry recon --algorithm ml-tr --data poisson:40 --size 6:5:1 -R nonneg -i 3000 geom counts b
    gantry recon --algorithm lbfgs --data poisson:40:counts --size 6:5:1 -i 500 geom plain c
    py "$likelihood
import csv
free, bounded = solve(None), solve(0)
a, b, c = (f(read(n).ravel(order='F')) for n in 'abc')
assert a < free * (1 + 1e-4) and c < free * (1 + 1e-4), (a, c, free)
assert b < bounded * (1 + 1e-4) and read('b').min() >= 0, (b, bounded)
v = [float(r['objective']) for r in csv.DictReader(open('log.csv'))]
assert all(q <= p * (1 + 1e-9) for p, q in zip(v, v[1:]))
assert abs(v[-1] - a) < 1e-6 * a"
}

@test "os-ml-tr: near the maximum in few passes" {
    small
    gantry recon --algorithm os-ml-tr --subsets 4 --data poisson:40 --size 6:5:1 -R nonneg -i 4 geom counts a
    gantry recon --algorithm ml-tr --data poisson:40 --size 6:5:1 -R nonneg -i 4 geom counts b
    py "$likelihood
a, b, best = f(read('a').ravel(order='F')), f(read('b').ravel(order='F')), solve(0)
assert a - best < 0.75 * (b - best), (a, b, best)"
}

@test "counts in a header and line integrals of the same give the same" {
    small
    py 'n = np.maximum(read("plain"), 1); write("n", n, Quantity="counts"); write("y", np.log(40 / n), Quantity="line-integral")'
    for a in ml-tr fista; do
        gantry recon --algorithm $a --data poisson:40 --size 6:5:1 -i 20 geom n a
        gantry recon --algorithm $a --data poisson:40 --size 6:5:1 -i 20 geom y b
        gantry compare --tolerance 1e-9 a b
    done
}

@test "mlem and osem take counts; ml-tr and mlem beat least squares where they are few" {
    gantry phantom --size 40:40:1 --mu 0.06 vol
    gantry traj --views 60 --detector 60:1 --pitch 1 geom
    gantry project geom vol exact
    py '
rng = np.random.default_rng(1)
p = read("exact")
n = rng.poisson(60 * np.exp(-p))
write("trans", n.astype("f4"), Quantity="counts")
write("line", np.log(60 / np.maximum(n, 0.5)).astype("f4"))
write("emit", rng.poisson(4 * p).astype("f4"), Quantity="counts")'
    gantry recon --algorithm ml-tr --data poisson:60 -R nonneg -i 60 --like vol --reference vol --log ml.csv geom trans a
    gantry cg -i 30 --like vol --reference vol --log cg.csv geom line b
    gantry scale 4 vol vol4
    gantry mlem -i 30 --like vol --reference vol4 --log em.csv geom emit c
    gantry osem -i 3 --subsets 6 --like vol geom emit d
    py 'write("emit0", read("emit").astype("f4"))'
    gantry cg -i 30 --like vol --reference vol4 --log ls.csv geom emit0 e
    py '
import csv
best = {n: min(float(r["nrmse"]) for r in csv.DictReader(open(n + ".csv"))) for n in "ml cg em ls".split()}
assert best["ml"] < 0.95 * best["cg"] and best["em"] < 0.9 * best["ls"], best'
}

@test "ml-tr: bad input" {
    small
    fails 1 "needs counts of transmission" gantry recon --algorithm ml-tr --size 6:5:1 geom plain rec
    fails 1 "contains counts, expected line-integral" gantry recon --algorithm lsqr --size 6:5:1 geom counts rec
    py 'n = read("plain"); n[2, 0, 3] = -1; write("low", n)'
    fails 1 "1 values are negative, the lowest is -1, expected counts" gantry recon --algorithm ml-tr --data poisson:40:counts --size 6:5:1 geom low rec
    fails 1 "expected counts" gantry mlem --size 6:5:1 geom low rec
    fails 2 "found -4" gantry recon --data poisson:-4:counts geom plain rec
    fails 2 "" gantry recon --data poisson:40:count geom plain rec
    no_output rec
}
