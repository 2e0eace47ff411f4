load common

small() {
    gantry traj --views 11 --detector 8:1 geom
    py 'write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))'
    gantry project geom units matrix
    py '
A = read("matrix").reshape(88, 30, order="F")
n = np.random.default_rng(4).poisson(1000 * np.exp(-A @ np.random.default_rng(5).uniform(0.1, 0.5, size=30))).astype("f8")
write("plain", n.reshape(8, 1, 11, order="F"))
write("counts", n.reshape(8, 1, 11, order="F"), Quantity="counts")'
}

@test "irgnm, lm: minima of nonlinear least squares, from SciPy" {
    small
    gantry irgnm --data transmission:1000 --lambda 20 -i 40 --inner 60 --size 6:5:1 geom counts a
    gantry recon --algorithm lm --data transmission:1000:counts -i 60 --inner 60 --size 6:5:1 geom plain b
    py '
from scipy.optimize import least_squares
A = read("matrix").reshape(88, 30, order="F")
n = read("plain").ravel(order="F")
w = 1 / np.sqrt(np.maximum(n, 1))
F = lambda x, l: np.concatenate([w * (1000 * np.exp(-A @ x) - n), np.sqrt(l) * x])
J = lambda x, l: np.concatenate([-w[:, None] * 1000 * np.exp(-A @ x)[:, None] * A, np.sqrt(l) * np.eye(30)])
for name, l in ("a", 20), ("b", 0):
    best = least_squares(F, np.full(30, 0.3), jac=J, args=(l,), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    f = 0.5 * np.sum(F(read(name).ravel(order="F"), l) ** 2)
    assert f < best.cost * (1 + 1e-6), (name, f, best.cost)'
}

@test "irgnm: stopped at the noise it is near the best iterate; the same bytes after a pause" {
    gantry phantom --size 40:40:1 --mu 0.06 vol
    gantry traj --views 50 --detector 60:1 --pitch 1 geom
    gantry project geom vol exact
    py 'write("counts", np.random.default_rng(1).poisson(200 * np.exp(-read("exact"))).astype("f4"), Quantity="counts")'
    gantry irgnm --data transmission:200 -i 12 --like vol --reference vol --log all.csv geom counts all
    gantry irgnm --data transmission:200 -i 12 --noise 55 --like vol --reference vol --log log.csv geom counts rec
    py '
import csv
a, b = ([float(r["nrmse"]) for r in csv.DictReader(open(n))] for n in ("all.csv", "log.csv"))
assert len(b) < len(a) and b[-1] < 1.1 * min(a) < 0.9 * a[-1], (a, b)'
    for a in irgnm lm; do
        gantry recon -j 1 --algorithm $a --data transmission:200 -i 6 --like vol geom counts whole
        gantry recon -j 2 --algorithm $a --data transmission:200 -i 3 --checkpoint state --like vol geom counts half
        gantry recon -j 3 --algorithm $a --data transmission:200 -i 6 --checkpoint state --resume --like vol geom counts rest
        same_bytes whole rest
        fails 1 "other terms or options" gantry recon --algorithm $a --data transmission:200 -i 6 --damping 3 --checkpoint state --resume --like vol geom counts other
    done
}

@test "irgnm: bad input" {
    small
    fails 2 "expected --data transmission:I0" gantry irgnm --size 6:5:1 geom counts rec
    fails 2 "not linear" gantry recon --algorithm lbfgs --data transmission:1000 --size 6:5:1 geom counts rec
    fails 2 "found -1" gantry irgnm --data transmission:-1 --size 6:5:1 geom counts rec
    fails 2 "" gantry irgnm --data transmission:1000 --factor 2 --size 6:5:1 geom counts rec
    py 'n = read("plain"); n[2, 0, 3] = -1; write("low", n)'
    fails 1 "expected counts" gantry irgnm --data transmission:1000:counts --size 6:5:1 geom low rec
    no_output rec
}
