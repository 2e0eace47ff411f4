load common

# Six voxels of 32 x 32 behind six views, and as many Haar coefficients.
setup() {
    common_setup
    gantry phantom --size 32:32:1 grid
    gantry traj --views 6 --detector 48:1 --pitch 1 geom
    py '
rng = np.random.default_rng(3)
v = np.zeros((32, 32, 1), np.float32)
for i, j in ((8, 9), (20, 11), (15, 22), (16, 23), (12, 15), (22, 17)):
    v[i, j, 0] = rng.uniform(0.01, 0.05)
write("values", v)'
    gantry expr 'v + 0 * g' v=values g=grid vol
}

@test "omp: a sparse volume from few views, that lsqr does not find" {
    gantry project geom vol proj
    gantry recon --algorithm omp -i 20 --like vol --log log.csv geom proj a 2>said
    gantry recon --algorithm lsqr -i 50 --like vol geom proj b
    py '
v, a, b = (read(n).ravel() for n in ("vol", "a", "b"))
assert np.array_equal(a != 0, v != 0)
assert np.linalg.norm(a - v) < 1e-4 * np.linalg.norm(v)
assert np.linalg.norm(b - v) > 0.3 * np.linalg.norm(v)
import csv
f = [float(r["residual"]) for r in csv.DictReader(open("log.csv"))]
assert 7 == len(f) and all(q < p for p, q in zip(f, f[1:])), f'
    grep -q "after 6 iterations" said
}

@test "omp: few wavelet coefficients, by name" {
    gantry wavelet --inverse --levels 3 --family haar 0,1 values image
    gantry expr 'v + 0 * g' v=image g=grid vol
    gantry project geom vol proj
    gantry recon --algorithm omp --dictionary wavelet:levels=3:family=haar -i 20 --like vol geom proj a
    py '
v, a = (read(n).ravel() for n in ("vol", "a"))
e = np.linalg.norm(a - v) / np.linalg.norm(v)
assert e < 1e-3, e'
}

@test "omp: stops at the noise; atoms are added to --init" {
    gantry project geom vol proj
    gantry recon --algorithm omp -i 3 --like vol geom proj three
    gantry recon --algorithm omp -i 3 --init three --like vol geom proj six
    gantry recon --algorithm omp -i 20 --noise 0.1 --like vol geom proj rough
    gantry project geom rough again
    py '
assert (read("three") != 0).sum() == 3 and 3 < (read("six") != 0).sum() <= 6
r = np.linalg.norm(read("again") - read("proj"))
assert r <= 0.1001 and (read("rough") != 0).sum() <= 6, r'
}

@test "omp: the same bytes after a pause, and for any number of threads" {
    gantry phantom --size 48:48:1 vol
    gantry project geom vol proj
    for d in voxels wavelet:family=db2; do
        gantry recon -j 1 --algorithm omp --dictionary $d -i 9 --like vol geom proj whole
        gantry recon -j 2 --algorithm omp --dictionary $d -i 4 --checkpoint state --like vol geom proj half
        gantry recon -j 3 --algorithm omp --dictionary $d -i 9 --checkpoint state --resume --like vol geom proj rest
        same_bytes whole rest
        fails 1 "other terms, options, geometry or model" gantry recon --algorithm omp --dictionary wavelet:levels=1 -i 9 --checkpoint state --resume --like vol geom proj rest
    done
}

@test "omp: bad input" {
    gantry project geom vol proj
    fails 1 "takes no regularisation terms" gantry recon --algorithm omp -R tv:1 geom proj rec
    fails 1 "takes no lambda" gantry recon --algorithm omp --lambda 1 geom proj rec
    fails 1 "does not minimise this measure" gantry recon --algorithm omp --data huber:1 geom proj rec
    fails 2 "--dictionary: not supported by lsqr (valid: omp)" gantry recon --algorithm lsqr --dictionary voxels geom proj rec
    fails 2 "expected voxels or wavelet" gantry recon --algorithm omp --dictionary curvelet geom proj rec
    fails 2 "expected haar, db2 or db4" gantry recon --algorithm omp --dictionary wavelet:family=haat geom proj rec
    fails 2 "levels=0" gantry recon --algorithm omp --dictionary wavelet:levels=0 geom proj rec
    fails 2 "levels=20, but the volume has at most" gantry recon --algorithm omp --dictionary wavelet:levels=20 geom proj rec
    fails 2 "unknown key 'level=2'" gantry recon --algorithm omp --dictionary wavelet:level=2 geom proj rec
    fails 2 "--mask" gantry recon --algorithm omp --dictionary wavelet --mask circle geom proj rec
    no_output rec
}
