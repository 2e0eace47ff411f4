load common

@test "irn: sums of magnitudes, from SciPy" {
    gantry traj --views 11 --detector 8:1 geom
    py 'write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
write("proj", np.random.default_rng(3).normal(size=(8, 1, 11)) + 2)'
    gantry project geom units matrix
    gantry recon --algorithm irn --size 6:5:1 -R l1:9 --lambda 0.5 -i 1500 geom proj a
    gantry recon --algorithm irn --size 6:5:1 -R smooth:4 -i 60 geom proj b
    gantry recon --algorithm nlcg --size 6:5:1 -R smooth:4 -i 200 geom proj c
    gantry compare --tolerance 1e-4 c b
    py '
from scipy.optimize import minimize
A = read("matrix").reshape(88, 30, order="F")
y = read("proj").ravel(order="F")
f = lambda x: 0.5 * np.sum((A @ x - y) ** 2) + 0.25 * np.sum(x ** 2) + 9 * np.sum(abs(x))
def split(u): # x = p - q, both >= 0
    x = u[:30] - u[30:]
    g = A.T @ (A @ x - y) + 0.5 * x
    return 0.5 * np.sum((A @ x - y) ** 2) + 0.25 * np.sum(x ** 2) + 9 * np.sum(u), np.concatenate([9 + g, 9 - g])
best = minimize(split, np.ones(60), jac=True, method="L-BFGS-B", bounds=[(0, None)] * 60, options=dict(maxiter=5000, maxfun=20000, ftol=1e-15, gtol=1e-9)).fun
a = f(read("a").ravel(order="F"))
assert -1e-9 < a / best - 1 < 1e-4, (a, best)'
}

@test "irn: total variation, the minimum that pdhg finds; the same bytes after a pause" {
    gantry phantom --size 40:40:1 vol
    gantry traj --views 30 --detector 60:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 20000 exact proj
    gantry recon --algorithm irn -R tv:0.05 -i 300 --like vol --log irn.csv geom proj a
    gantry recon --algorithm pdhg -R tv:0.05 -i 500 --like vol --log pdhg.csv geom proj b
    py '
import csv
a, b = (float(list(csv.DictReader(open(n)))[-1]["objective"]) for n in ("irn.csv", "pdhg.csv"))
assert abs(a / b - 1) < 1e-3, (a, b)'
    gantry recon -j 1 --algorithm irn -R tv:0.05 -i 24 --like vol geom proj whole
    gantry recon -j 2 --algorithm irn -R tv:0.05 -i 13 --checkpoint state --like vol geom proj half
    gantry recon -j 3 --algorithm irn -R tv:0.05 -i 24 --checkpoint state --resume --like vol geom proj rest
    same_bytes whole rest
    fails 1 "irn supports only the terms tv" gantry recon --algorithm irn -R box:0:1 --like vol geom proj rec
    no_output rec
}
