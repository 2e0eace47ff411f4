load common

# The phantom from few noisy views; a volume of 30 voxels whose matrix is small.
scan() {
    gantry phantom --size 48:48:1 vol
    gantry traj --views 40 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 20000 exact proj
}

small() {
    gantry traj --views 11 --detector 8:1 geom
    py 'write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
write("proj", np.random.default_rng(3).normal(size=(8, 1, 11)) + 2)'
    gantry project geom units matrix
    gantry project --model siddon geom units other
}

@test "gmres: back projectors that are the transpose, and others: solutions from NumPy" {
    small
    for b in joseph siddon; do
        gantry recon --algorithm ab-gmres --back-model $b --size 6:5:1 -i 120 --basis 40 geom proj ab-$b
        gantry recon --algorithm ba-gmres --back-model $b --size 6:5:1 -i 120 --basis 40 geom proj ba-$b
    done
    gantry recon --algorithm ab-gmres --size 6:5:1 -i 400 geom proj restarted
    py '
A, B = (read(n).reshape(88, 30, order="F") for n in ("matrix", "other"))
y = read("proj").ravel(order="F")
least = np.linalg.lstsq(A, y, rcond=None)[0]
r = lambda x: np.linalg.norm(A @ x - y)
for n in "ab-joseph ba-joseph restarted".split():
    e = r(read(n).ravel(order="F")) / r(least) - 1
    assert -1e-12 < e < 1e-6, (n, e)
x = np.linalg.solve(B.T @ A, B.T @ y)
e = np.linalg.norm(read("ba-siddon").ravel(order="F") - x) / np.linalg.norm(x)
assert e < 1e-6, e
assert r(read("ab-siddon").ravel(order="F")) < r(x)'
}

@test "gmres: voxel-driven and filtered back projections, measured in one step" {
    scan
    for a in ab-gmres ba-gmres; do
        for b in voxel sf; do
            gantry recon --algorithm $a --back-model $b -i 10 --like vol geom proj rec
            gantry compare --tolerance 0.3 vol rec
        done
    done
    gantry recon --algorithm ba-gmres --back-model fbp -i 1 --like vol geom exact first
    gantry compare --tolerance 0.35 vol first
    gantry recon --algorithm ba-gmres --noise 1 --back-model voxel --mask circle -i 40 --like vol --log log.csv geom proj rec
    py '
import csv
r = [float(x["residual"]) for x in csv.DictReader(open("log.csv"))]
assert r[-1] <= 1 < r[-2], r'
}

@test "hybrid-lsqr: a lambda that is given, and the discrepancy principle, from NumPy" {
    small
    gantry recon --algorithm hybrid-lsqr --lambda 2.5 --basis 6 --size 6:5:1 -i 80 geom proj a
    gantry recon --algorithm hybrid-lsqr --noise 12 --size 6:5:1 -i 30 geom proj b
    py '
A = read("matrix").reshape(88, 30, order="F")
y = read("proj").ravel(order="F")
tikhonov = lambda l: np.linalg.solve(A.T @ A + l * np.eye(30), A.T @ y)
e = np.linalg.norm(read("a").ravel(order="F") - tikhonov(2.5)) / np.linalg.norm(tikhonov(2.5))
assert e < 1e-8, e
from scipy.optimize import brentq
l = brentq(lambda l: np.linalg.norm(A @ tikhonov(l) - y) - 12, 1e-9, 1e9)
e = np.linalg.norm(read("b").ravel(order="F") - tikhonov(l)) / np.linalg.norm(tikhonov(l))
assert e < 1e-6, e'
}

@test "hybrid-lsqr: nearly as good as the best stopped lsqr, and it stays so" {
    scan
    gantry recon --algorithm lsqr -i 60 --like vol --reference vol --log a.csv geom proj a
    gantry recon --algorithm hybrid-lsqr -i 60 --like vol --reference vol --log b.csv geom proj b 2>said
    grep -q 'lambda [1-9]' said
    py '
import csv
a, b = ([float(r["nrmse"]) for r in csv.DictReader(open(f"{n}.csv"))] for n in "ab")
assert b[-1] < 1.1 * min(a) < 0.9 * a[-1], (min(a), a[-1], b[-1])'
}

@test "krylov: the same bytes after a pause, and for any number of threads" {
    scan
    for a in ab-gmres ba-gmres hybrid-lsqr; do
        gantry recon -j 1 --algorithm $a --basis 7 -i 24 --like vol geom proj whole
        gantry recon -j 2 --algorithm $a --basis 7 -i 10 --checkpoint state --like vol geom proj half
        gantry recon -j 3 --algorithm $a --basis 7 -i 24 --checkpoint state --resume --like vol geom proj rest
        same_bytes whole rest
        fails 1 "other terms, options, geometry or model" gantry recon --algorithm $a --basis 8 -i 24 --checkpoint state --resume --like vol geom proj rest
        [ $a = hybrid-lsqr ] ||
            fails 1 "other terms, options, geometry or model" gantry recon --algorithm $a --basis 7 --back-model siddon --checkpoint state --resume --like vol geom proj rest
    done
}

@test "krylov: bad input" {
    small
    fails 2 "--back-model: not supported by lsqr (valid: ab-gmres, ba-gmres)" gantry recon --algorithm lsqr --back-model siddon geom proj rec
    fails 2 "expected at least 2" gantry recon --algorithm ab-gmres --basis 1 geom proj rec
    fails 2 "--basis: not supported by lsqr (valid: hybrid-lsqr, ab-gmres, ba-gmres)" gantry recon --algorithm lsqr --basis 10 geom proj rec
    fails 2 "" gantry recon --algorithm ab-gmres --back-model voxels geom proj rec
    fails 1 "takes no regularisation terms" gantry recon --algorithm ab-gmres -R tv:1 geom proj rec
    py 'write("z", read("proj") + 1j)'
    fails 2 "real projections" gantry recon --algorithm ab-gmres --back-model voxel geom z rec
    no_output rec
}

@test "lsqr, lsmr, cg: iterations after the minimum change nothing" {
    small
    py 'write("single", read("proj").astype("f4"))'
    for views in 1,2,5 0,2,4,6,8; do
        for a in lsqr lsmr cg; do
            for proj in proj single; do
                gantry recon --algorithm $a --size 6:5:1 --views $views -i 2000 geom $proj $a-$proj
            done
        done
        py "
v = [$views]
A = read('matrix').reshape(8, 11, 30, order='F')[:, v].reshape(-1, 30, order='F')
x = np.linalg.lstsq(A, read('proj')[:, 0, v].ravel(order='F'), rcond=1e-9)[0]
for a in 'lsqr', 'lsmr', 'cg':
    for proj, most in ('proj', 1e-9), ('single', 1e-4):
        e = np.linalg.norm(read(a + '-' + proj).ravel(order='F') - x) / np.linalg.norm(x)
        assert e < most, (v, a, proj, e)"
    done
}

@test "lsqr, lsmr, cg: a start at the minimum stays there" {
    small
    py 'write("single", read("proj").astype("f4"))'
    for a in lsqr lsmr cg; do
        gantry recon --algorithm $a --size 6:5:1 -i 200 geom single x
        gantry recon --algorithm $a --init x --size 6:5:1 -i 200 geom single y 2>said
        grep -q 'minimum reached after [1-4] iteration.*within rounding' said
        gantry compare --tolerance 1e-5 x y
    done
}

@test "cgne: says where projections have no solution" {
    unset GANTRY_DEVICE # the residuals jump from iteration to iteration, by rounding
    scan
    gantry recon -a cgne --like vol geom exact x 2>said
    [ ! -s said ]
    gantry recon -a cgne -i 100 --like vol geom proj x 2>said
    grep -q 'cgne: the residual grew from .* to .* in 100 iterations: .*(use lsqr)' said
    gantry random --seed 1 --size 48:48:1 any
    gantry project geom any p
    gantry recon -a cgne -i 1 --like vol geom p x 2>said
    grep -q 'in 1 iteration: the projections may not be those of any volume' said
    # a start that differs from the solution by rounding
    gantry cast --type float64 vol wide
    gantry project geom wide p
    gantry cast --type float32 p q
    gantry recon -a cgne -i 5 --like vol --init vol geom q x 2>said
    grep -q 'minimum reached after 1 iteration: ' said
    run ! grep warning said
}

@test "admm: without terms, the tolerance is that of the gradient" {
    small
    gantry recon -a admm --tolerance 1e-6 --size 6:5:1 -i 900 geom proj x 2>said
    grep -q 'tolerance 1e-06 reached' said
    py 'A, y = read("matrix").reshape(88, 30, order="F"), read("proj").ravel(order="F")
e = A.T @ (A @ read("x").ravel(order="F") - y)
assert np.linalg.norm(e) < 1e-6 * np.linalg.norm(A.T @ y)'
}

@test "--noise ends at the first residual that is small enough, and needs one" {
    scan
    for o in "" "-a lsqr --lambda 2" "-a cg"; do
        gantry recon $o -i 90 --noise 0.4 --like vol --log log.csv geom proj x
        gantry project geom x p
        py '
import csv
r = [float(x["residual"]) for x in csv.DictReader(open("log.csv"))]
assert len(r) > 4 and r[-1] <= 0.4 < min(r[:-1]), r
assert abs(np.linalg.norm(read("p") - read("proj").astype("f8")) / r[-1] - 1) < 1e-3'
    done
    fails 1 'not available (use --change or' gantry recon -a fista -R nonneg --data huber:1 --noise 0.4 --like vol geom proj y
    fails 1 'not available (use cg, or' gantry recon -a lsmr --noise 0.4 --like vol geom proj y
    fails 1 'the residual, which --noise needs' gantry recon -a lsqr --lambda 1 --init x --noise 0.4 --like vol geom proj y
    no_output y
}
