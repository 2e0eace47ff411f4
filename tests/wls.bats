load common

small() {
    gantry traj --views 11 --detector 8:1 geom
    py '
write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
rng = np.random.default_rng(1)
write("proj", rng.normal(size=(8, 1, 11)) + 0.5)
write("w", rng.uniform(size=(8, 1, 11)))'
    gantry project geom units matrix
}

dense='
A = read("matrix").reshape(88, 30, order="F")
y = read("proj").ravel(order="F")
w = read("w").ravel(order="F")
'

@test "wls: enough iterations give the weighted least-squares solution" {
    small
    gantry wls --size 6:5:1 -i 300 --tolerance 1e-13 --weights w --lambda 0.3 geom proj rec
    py "$dense
x = np.linalg.solve(A.T @ (w[:, None] * A) + 0.3 * np.eye(30), A.T @ (w * y))
assert np.linalg.norm(read('rec').ravel(order='F') - x) < 1e-9 * np.linalg.norm(x)"
}

@test "wls: the default weights are exp(-y) scaled to maximum 1" {
    small
    py 'y = read("proj"); write("e", np.exp(-y) / np.exp(-y).max())'
    gantry wls --size 6:5:1 -i 20 --lambda 0.3 geom proj a
    gantry wls --size 6:5:1 -i 20 --lambda 0.3 --weights e geom proj b
    gantry compare --tolerance 1e-7 a b
}

@test "wls: weights of 1 give what cg gives" {
    small
    gantry ones --size 1 w1
    gantry wls --size 6:5:1 -i 5 --lambda 0.3 --weights w1 geom proj a
    gantry cg --size 6:5:1 -i 5 --lambda 0.3 geom proj b
    gantry compare --tolerance 1e-12 b a
}

@test "wls: a common factor of the weights has no effect on any iterate" {
    small
    gantry scale 1024 w w1024
    gantry wls --size 6:5:1 -i 7 --weights w geom proj a
    gantry wls --size 6:5:1 -i 7 --weights w1024 geom proj b
    gantry compare --tolerance 1e-12 a b
}

@test "wls: weights are repeated along dims of length 1, in any type" {
    small
    py 'c = np.arange(8).reshape(8, 1, 1).astype("u1")
write("col", c)
write("full", np.broadcast_to(c, (8, 1, 11)).astype("f4"))'
    gantry wls --size 6:5:1 -i 7 --weights col geom proj a
    gantry wls --size 6:5:1 -i 7 --weights full geom proj b
    same_bytes a b
}

@test "wls: weights of one channel or of each" {
    small
    gantry random --size 8:1:11:2:3 p
    py 'rng = np.random.default_rng(2)
write("w5", rng.uniform(size=(8, 1, 11, 1, 3)))
write("w1", read("w5")[:, :, :, 0, 2])'
    gantry wls --size 6:5:1 -i 5 --weights w5 geom p all
    gantry slice channel 1 time 2 p one
    gantry wls --size 6:5:1 -i 5 --weights w1 geom one alone
    gantry slice channel 1 time 2 all part
    same_bytes part alone
}

@test "wls: a measurement of weight 0 has no effect" {
    small
    py 'w = read("w"); w[2:4] = 0; write("w", w); y = read("proj"); y[2:4] = 1e3; write("other", y)'
    gantry wls --size 6:5:1 -i 9 --weights w geom proj a
    gantry wls --size 6:5:1 -i 9 --weights w geom other b
    gantry compare --tolerance 1e-12 a b
}

@test "wls --nonneg: the solution of scipy.optimize.nnls" {
    small
    gantry wls --size 6:5:1 -i 20000 --tolerance 1e-12 --nonneg --weights w geom proj rec
    py "$dense
from scipy.optimize import nnls
s = np.sqrt(w)
x = nnls(s[:, None] * A, s * y)[0]
r = read('rec').ravel(order='F')
assert r.min() == 0 and (x == 0).sum() > 3 and (x > 0).sum() > 3
assert np.linalg.norm(r - x) < 1e-7 * np.linalg.norm(x), np.linalg.norm(r - x)"
}

@test "wls --nonneg: the optimality conditions hold with a penalty, in float32" {
    small
    gantry cast --type float32 proj p32
    gantry wls --size 6:5:1 -i 5000 --tolerance 1e-6 --nonneg --weights w --lambda 0.5 geom p32 rec
    py "$dense
x = read('rec').ravel(order='F').astype('f8')
g = A.T @ (w * (A @ x - y)) + 0.5 * x
scale = np.linalg.norm(A.T @ (w * y))
assert x.min() >= 0 and (x == 0).any()
assert np.abs(g[x > 0]).max() < 1e-5 * scale and g[x == 0].min() > -1e-5 * scale"
}

@test "wls --nonneg: objective never grows; every iterate is >= 0; a warm start is projected" {
    small
    gantry random --size 6:5 x0
    gantry wls --size 6:5:1 -i 30 --nonneg --init x0 --log log.csv geom proj rec
    py 'rows = np.genfromtxt("log.csv", delimiter=",", names=True)
assert len(rows) == 31 and (np.diff(rows["objective"]) <= 0).all()
assert read("rec").min() >= 0'
    gantry wls --size 6:5:1 -i 0 --nonneg --init x0 geom proj start
    py 'assert (read("start") == np.maximum(read("x0"), 0)).all() and (read("x0") < 0).any()'
}

@test "wls: a 3-D cone-beam phantom comes back within 10 %" {
    gantry phantom --size 64:64:64 vol
    gantry traj --views 80 --sod 1000 --sdd 1500 --pitch 1.5 --detector 96:96 geom
    gantry project geom vol proj
    gantry wls --iterations 50 --like vol geom proj rec
    gantry compare --tolerance 0.10 vol rec
}

@test "wls: what does not fit is said in one sentence and nothing is written" {
    small
    py 'w = read("w"); w[5, 0, 1] = -1; write("negative", w)
w[5, 0, 1] = np.nan; write("nan", w)
write("short", w[:5]); write("z", w.astype("c8")); write("geometry", w, Quantity="attenuation")'
    fails 1 "negative: 1 of 88 values are negative, the first at (5, 0, 1)" gantry wls --size 6:5:1 --weights negative geom proj rec
    fails 1 "nan: 1 of 88 values are NaN or infinite, the first at (5, 0, 1)" gantry wls --size 6:5:1 --weights nan geom proj rec
    fails 1 "short is 5 x 1 x 11 and proj is 8 x 1 x 11" gantry wls --size 6:5:1 --weights short geom proj rec
    fails 1 "complex" gantry wls --size 6:5:1 geom z rec
    fails 1 "complex" gantry wls --size 6:5:1 --weights z geom proj rec
    fails 1 "geometry contains attenuation, expected" gantry wls --size 6:5:1 --weights geometry geom proj rec
    fails 2 "a statistical model needs a real type" gantry wls --type complex64 geom proj rec
    fails 2 "standard output" gantry wls --log - geom proj -
    no_output rec
}

@test "wls: weights too large for their type are an error, not a volume of zeros" {
    phantom --size 16:16 v
    traj --views 12 --detector 24 g
    project g v p
    ones --size 24:1:12 w
    scale 1e38 w w
    fails 1 'too large' wls -i 3 --nonneg --weights w g p x
    fails 1 'too large' wls -i 3 --weights w g p x
    no_output x
}
