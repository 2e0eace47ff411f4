# Every algorithm against one in NumPy (references.py): the same x after as many iterations.
load common

setup() {
    common_setup
    gantry traj --views 11 --detector 8:1 geom
    py '
write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
write("truth", np.random.default_rng(1).uniform(0.05, 0.1, size=(6, 5, 1)))'
    gantry project geom units matrix
    gantry project geom truth exact
    gantry project --model siddon geom units other
    py '
p = read("exact")
write("proj", np.maximum(p + 0.05 * np.random.default_rng(3).normal(size=p.shape), 1e-3), Quantity="line-integral")
write("prior", read("truth") + 0.01 * np.random.default_rng(4).normal(size=(6, 5)))'
}

# far(NAME, K, reference, options..): how far x after K iterations is from the reference, of its size.
common='
import csv, json, os, subprocess
import references as ref
A = read("matrix").reshape(88, 30, order="F")
B = read("other").reshape(88, 30, order="F").T
p = ref.Problem(A, read("proj").ravel(order="F"), 8, (6, 5))
exact = ref.Problem(A, read("exact").ravel(order="F"), 8, (6, 5))
S = 0.9 / p.norm2
def words(**options):
    return [w for k, v in options.items() for w in ("--" + k.replace("_", "-"), repr(v) if isinstance(v, float) else str(v))]
def run(name, K, *more, data="proj", shortcut=False):
    start = [name] if shortcut else ["recon", "-a", name]
    subprocess.run(["gantry", *start, "-q", "--force", "-i", str(K), "--size", "6:5:1", "--spacing", "1:1:1", *more, "geom", data, "rec"], check=True)
    return read("rec").ravel(order="F")
def far(name, K, want, *more, data="proj"):
    x = run(name, K, *more, data=data)
    return np.linalg.norm(x - want) / np.linalg.norm(want)
'

@test "references: x after some iterations is that of the reference, for every algorithm there is" {
    py "$common"'
tools = set(os.listdir(os.environ["GANTRY_BUILD"] + "/bin"))
names = [o for o in json.loads(subprocess.run(["gantry", "recon", "--interface"], capture_output=True, check=True).stdout)["options"] if o["long"] == "algorithm"][0]["choices"]
l1, lam = 3.0, 2.0
step, penalty, lasso, both = words(step=S), words(**{"lambda": lam}), ["-R", "l1:3"], ["-R", "l1:3", "-R", "nonneg"]
relax, model = words(relaxation=1.3), ["--back-model", "siddon"]
tv, slope = ["-R", "tv:1", "-R", "nonneg"], lambda x: ref.edges_slope(p, x)
weighed, spared = ["-R", "awtv:1:delta=0.02", "-R", "nonneg"], lambda x: ref.edges_slope(p, x, 0.02)
prior = read("prior").ravel(order="F")
image = lambda x: 0.3 * ref.edges_slope(p, x - prior) + 0.7 * ref.edges_slope(p, x)
pocs = dict(noise=0.495, descents=7, alpha=0.3, ratio=1.25, shrink=0.7, fade=0.9, relaxation=0.8)
descent = words(**pocs)
counts, i0 = ["--data", "poisson:300"], 300.0
flight = ["--data", "transmission:300"]
# K, x, options; tolerance where the steps are not given but estimated to a part in 10^4
checks = {
    "landweber": [(12, ref.gradient(p, 12, S, lam, 1.3), *step, *penalty, *relax)],
    "gradient": [(12, ref.gradient(p, 12, S, lam, 1.3), *step, *penalty, *relax)],
    "bb": [(12, ref.bb(p, 12, S, lam), *step, *penalty)],
    "armijo": [(12, ref.armijo(p, 12, S, lam), *step, *penalty)],
    "fgm": [(12, ref.fast(p, 12, S, lam, False), *step, *penalty)],
    "ogm": [(12, ref.fast(p, 12, S, lam, True), *step, *penalty)],
    "ista": [(12, ref.ista(p, 12, 1.3 * S, lam, l1), *step, *penalty, *lasso, *relax)],
    "fista": [(K, ref.fista(p, K, S, lam, l1), *step, *penalty, *lasso) for K in (12, 60)],
    "pogm": [(K, ref.pogm(p, K, S, lam, l1), *step, *penalty, *lasso) for K in (12, 60)],
    "apg": [(K, ref.apg(p, K, lam), *penalty) for K in (6, 40)],
    "sirt": [(9, ref.sart(p, 9, 1, 1.3), *relax)],
    "sart": [(3, ref.sart(p, 3, 11, 0.8), "--relaxation", "0.8")],
    "ossart": [(3, ref.sart(p, 3, 4, 0.8), "--relaxation", "0.8", "--subsets", "4")],
    "cg": [(6, ref.cg(p, 6, lam), *penalty)],
    "lsqr": [(6, ref.cg(p, 6, lam), *penalty)],
    "lsmr": [(6, ref.lsmr(p, 6, lam), *penalty)],
    "cgne": [(6, ref.cgne(exact, 6))],
    "ab-gmres": [(7, ref.ab_gmres(p, 7, B, 7), *model), (7, ref.ab_gmres(p, 7, B, 4), *model, "--basis", "4")],
    "ba-gmres": [(7, ref.ba_gmres(p, 7, B, 7), *model), (7, ref.ba_gmres(p, 7, B, 4), *model, "--basis", "4")],
    "mlem": [(9, ref.em(p, 9, 1))],
    "osem": [(3, ref.em(p, 3, 4), "--subsets", "4")],
    "ml-tr": [(5, ref.mltr(p, 5, 1, i0, 0.8), *counts, "--relaxation", "0.8")],
    "os-ml-tr": [(2, ref.mltr(p, 2, 4, i0, 0.8), *counts, "--relaxation", "0.8", "--subsets", "4")],
    "irn": [(23, ref.irn(p, 23, lam, l1, n), *penalty, *lasso, *more) for n, more in ((10, ()), (6, ("--inner", "6")))],
    "omp": [(6, ref.omp(p, 6))],
    "irgnm": [(3, ref.irgnm(p, 3, i0, 50.0, 0.3, 8.0, 4), *flight, *words(damping=50.0, factor=0.3, inner=4), "--lambda", "8")],
    "lm": [(3, ref.lm(p, 3, i0, 0.02, 4), *flight, *words(damping=0.02, inner=4))],
    "sqs": [(3, ref.sqs(p, 3, n, lam, 0.8, False), *penalty, "--relaxation", "0.8", "--subsets", str(n)) for n in (1, 4)],
    "sqs-momentum": [(3, ref.sqs(p, 3, n, lam, 0.8, True), *penalty, "--relaxation", "0.8", "--subsets", str(n)) for n in (1, 4)],
    "admm": [(9, ref.admm(p, 9, 20.0, lam, l1), "--step", "20", *penalty, *both)],
    "ladmm": [(9, ref.admm(p, 9, 20.0, lam, l1, True), "--step", "20", *penalty, *both)],
    "pdhg": [(30, ref.pdhg(p, 30, 3 * S, lam, l1)[0], *words(step=3 * S), *penalty, *both)],
    "condat-vu": [(12, ref.condat(p, 12, S, lam, l1), *step, *penalty, *both)],
    "pd3o": [(12, ref.pd3o(p, 12, S, lam, l1), *step, *penalty, *both)],
    "douglas-rachford": [(9, ref.douglas_rachford(p, 9, 0.05, lam, l1, 1.3), "--step", "0.05", *penalty, *both, *relax)],
    "asd-pocs": [(7, ref.asd_pocs(p, 7, 11, slope, **pocs), *descent, *tv)],
    "os-asd-pocs": [(7, ref.asd_pocs(p, 7, 4, slope, **pocs), *descent, *tv, "--subsets", "4")],
    "aw-asd-pocs": [(3, ref.asd_pocs(p, 3, 11, spared, **pocs), *descent, *weighed)],
    "piccs": [(7, ref.asd_pocs(p, 7, 4, image, **pocs), *descent, "-R", "piccs:1:alpha=0.3", "-R", "nonneg", "--prior", "prior", "--subsets", "4")],
}
estimated = {"ladmm": 2e-3, "pdhg": 2e-3, "condat-vu": 2e-3, "pd3o": 2e-3}
apart = {"nlcg", "lbfgs", "hybrid-lsqr", "spdhg"} # below
assert set(names) == set(checks) | apart, set(names) ^ (set(checks) | apart)
bad = []
for name, cases in checks.items():
    for K, want, *options in cases:
        d = far(name, K, want, *options, data="exact" if name == "cgne" else "proj")
        if not d < estimated.get(name, 1e-6):
            bad.append((name, K, d))
        if name in tools - {"cg", "gradient"}: # the command of that name takes the same options
            same = read("rec")
            run(name, K, *options, shortcut=True)
            if not np.array_equal(same, read("rec")):
                bad.append((name, "command"))
assert not bad, bad'
}

@test "references: weights are those of scaled rows; separable surrogates of counts" {
    py "$common"'
w = np.random.default_rng(5).uniform(0.1, 2, size=(8, 1, 11))
w[2:4, 0, 5] = 0
write("w", w)
s = np.sqrt(w.ravel(order="F"))
q = ref.Problem(A * s[:, None], p.y * s, 8, (6, 5))
lam, l1, S = 2.0, 3.0, 0.9 / q.norm2
step, penalty, lasso, both = words(step=S), words(**{"lambda": lam}), ["-R", "l1:3"], ["-R", "l1:3", "-R", "nonneg"]
checks = {
    "landweber": [(12, ref.gradient(q, 12, S, lam), *step, *penalty)],
    "gradient": [(12, ref.gradient(q, 12, S, lam), *step, *penalty)],
    "bb": [(12, ref.bb(q, 12, S, lam), *step, *penalty)],
    "armijo": [(12, ref.armijo(q, 12, S, lam), *step, *penalty)],
    "fgm": [(12, ref.fast(q, 12, S, lam, False), *step, *penalty)],
    "ogm": [(12, ref.fast(q, 12, S, lam, True), *step, *penalty)],
    "ista": [(12, ref.ista(q, 12, S, lam, l1), *step, *penalty, *lasso)],
    "fista": [(12, ref.fista(q, 12, S, lam, l1), *step, *penalty, *lasso)],
    "pogm": [(12, ref.pogm(q, 12, S, lam, l1), *step, *penalty, *lasso)],
    "apg": [(12, ref.apg(q, 12, lam), *penalty)],
    "cg": [(6, ref.cg(q, 6, lam, (A.T @ np.ones(88)) / (A.T @ s**2)), *penalty)],
    "sqs": [(3, ref.sqs(q, 3, n, lam, 0.8, False), *penalty, "--relaxation", "0.8", "--subsets", str(n)) for n in (1, 4)],
    "sqs-momentum": [(3, ref.sqs(q, 3, n, lam, 0.8, True), *penalty, "--relaxation", "0.8", "--subsets", str(n)) for n in (1, 4)],
    "admm": [(9, ref.admm(q, 9, 20.0, lam, l1), "--step", "20", *penalty, *both)],
    "ladmm": [(9, ref.admm(q, 9, 20.0, lam, l1, True), "--step", "20", *penalty, *both)],
    "condat-vu": [(12, ref.condat(q, 12, S, lam, l1), *step, *penalty, *both)],
    "pdhg": [(30, ref.pdhg(p, 30, 3 * S, lam, l1, s**2)[0], *words(step=3 * S), *penalty, *both)],
    "pd3o": [(12, ref.pd3o(q, 12, S, lam, l1), *step, *penalty, *both)],
    "douglas-rachford": [(9, ref.douglas_rachford(q, 9, 0.05, lam, l1, 1.0), "--step", "0.05", *penalty, *both)],
}
estimated, bad = {"ladmm": 2e-3, "pdhg": 2e-3}, []
for name, cases in checks.items():
    for K, want, *options in cases:
        d = far(name, K, want, *options, "--data", "weighted", "--weights", "w")
        if not d < estimated.get(name, 1e-6):
            bad.append((name, K, d))
for n in 1, 4:
    for name in "sqs", "sqs-momentum":
        want = ref.sqs(p, 3, n, lam, 0.8, name != "sqs", i0=300.0)
        d = far(name, 3, want, "--data", "poisson:300", *penalty, "--relaxation", "0.8", "--subsets", str(n))
        if not d < 1e-6:
            bad.append((name, n, d))
assert not bad, bad'
}

@test "references: algorithms come to the minimum of Huber's measure and of counts of photons" {
    py "$common"'
D, i0, lam = 0.05, 300.0, 2.0
n = i0 * np.exp(-p.y)
huber = lambda r: np.sum(np.where(np.abs(r) <= D, 0.5 * r**2, D * (np.abs(r) - 0.5 * D)))
def value(data, x):
    l = A @ x
    f = huber(l - p.y) if "huber" in data else np.sum(i0 * np.exp(-l) + n * l)
    return f + 0.5 * lam * x @ x
def minimum(data): # by reweighted squares, by the method of Newton
    x = np.zeros(30)
    for _ in range(400):
        l = A @ x
        w = np.minimum(1, D / np.maximum(np.abs(l - p.y), 1e-300)) if "huber" in data else i0 * np.exp(-l)
        slope = A.T @ (w * (l - p.y) if "huber" in data else n - w) + lam * x
        x = x - np.linalg.solve(A.T @ (w[:, None] * A) + lam * np.eye(30), slope)
    return value(data, x)
bad = []
for data in "huber:0.05", "poisson:300":
    best, none = minimum(data), value(data, np.zeros(30))
    for name, *more in ("lbfgs",), ("fista",), ("condat-vu",), ("pd3o",), ("pdhg",), ("spdhg", "--subsets", "4"), ("sqs-momentum", "--subsets", "1"):
        gap = (value(data, run(name, 400, "--data", data, "--lambda", "2", *more)) - best) / (none - best)
        if not -1e-6 < gap < 2e-4:
            bad.append((data, name, gap))
assert not bad, bad'
}

@test "references: the steps that they choose themselves are those of the theory" {
    py "$common"'
lam, l1 = 2.0, 3.0
L, lasso, both = 1.01 * p.norm2, ["-R", "l1:3"], ["-R", "l1:3", "-R", "nonneg"]
penalty, plain = ["--lambda", "2"], ["--steps", "plain"]
checks = {
    "landweber": (ref.gradient(p, 12, 1 / L), ()),
    "gradient": (ref.gradient(p, 12, 1 / (L + lam), lam), penalty),
    "bb": (ref.bb(p, 12, 1 / (L + lam), lam), penalty),
    "armijo": (ref.armijo(p, 12, 1 / (L + lam), lam), penalty),
    "fgm": (ref.fast(p, 12, 1 / (L + lam), lam, False), penalty),
    "ogm": (ref.fast(p, 12, 1 / (L + lam), lam, True), penalty),
    "ista": (ref.ista(p, 12, 1 / (L + lam), lam, l1), [*penalty, *lasso]),
    "fista": (ref.fista(p, 12, 1 / (L + lam), lam, l1), [*penalty, *lasso]),
    "pogm": (ref.pogm(p, 12, 1 / (L + lam), lam, l1), [*penalty, *lasso]),
    "pdhg": (ref.pdhg(p, 12, 0.98 / (0.2 * L), lam, 0.5)[0], [*penalty, *plain, "-R", "l1:0.5", "-R", "nonneg"]),
    "condat-vu": (ref.condat(p, 12, 0.99 / (L + lam), lam, l1), [*penalty, *plain, *both]),
    "pd3o": (ref.pd3o(p, 12, 1.8 / (L + lam), lam, l1), [*penalty, *plain, *both]),
    "douglas-rachford": (ref.douglas_rachford(p, 9, 2 / (0.05 * L), lam, l1, 1.0), [*penalty, *both]),
}
bad = {name: d for name, (want, options) in checks.items() if not (d := far(name, 9 if name[0] == "d" else 12, want, *options)) < 5e-3}
assert not bad, bad'
}

each="$common"'
w = np.random.default_rng(5).uniform(0.1, 2, size=(8, 1, 11))
write("w", w)
w = w.ravel(order="F")
S = {"pdhg": ref.pdhg_each, "condat-vu": ref.condat_each, "pd3o": ref.pd3o_each}
'

@test "references: steps of each voxel and ray, by default" {
    py "$each"'
both = ["--lambda", "2", "-R", "l1:3", "-R", "nonneg"]
bad = []
for name, f in S.items():
    for K in 5, 30:
        for d in far(name, K, f(p, K, 2.0, 3.0), *both), far(name, K, f(p, K, 2.0, 3.0, w), *both, "--data", "weighted", "--weights", "w"):
            if not d < 1e-6:
                bad.append((name, K, d))
assert not bad, bad'
}

@test "references: rates of those that search for steps, choose them or draw at random" {
    py "$common"'
lam, l1, none = 2.0, 3.0, np.zeros(30)
best = p.value(np.linalg.solve(A.T @ A + lam * np.eye(30), A.T @ p.y), lam)
gap = lambda x: (p.value(x, lam) - best) / (p.value(none, lam) - best)
# conjugate gradients reach 2e-9, gradients of any step 3e-5
assert gap(run("nlcg", 12, "--lambda", "2")) < 1e-6 and gap(run("lbfgs", 12, "--lambda", "2")) < 1e-7
least = p.value(ref.fista(p, 3000, 1 / (p.norm2 + lam), lam, l1), lam, l1)
gap = lambda x: (p.value(x, lam, l1) - least) / (p.value(none, lam) - least)
lasso = ["--lambda", "2", "-R", "l1:3"]
fast, slow = gap(run("fista", 40, *lasso)), gap(run("ista", 40, *lasso))
assert fast < 1e-6 < 1e-4 < slow, (fast, slow)
for name, bound in (("pogm", 1e-6), ("admm", 1e-4), ("ladmm", 0.03), ("pdhg", 1e-4), ("condat-vu", 1e-5), ("pd3o", 2e-5)):
    assert gap(run(name, 40, *lasso)) < bound, name
for seed in "123":
    a, b = (gap(run("spdhg", K, *lasso, "--subsets", "4", "--seed", seed)) for K in (40, 80))
    assert a < 1e-4 and b < 5e-9, (seed, a, b)
# hybrid-lsqr: the minimiser for the lambda that it says; that of a residual asked for
run("hybrid-lsqr", 30, "--log", "log.csv")
step = float(list(csv.DictReader(open("log.csv")))[-1]["step"])
assert step > 0 and far("hybrid-lsqr", 30, np.linalg.solve(A.T @ A + step * np.eye(30), A.T @ p.y)) < 1e-5
residual = lambda x: np.linalg.norm(A @ x - p.y)
assert abs(residual(run("hybrid-lsqr", 30, "--noise", "0.6")) - 0.6) < 0.006'
}

@test "references: what the log says of a step, and stops to the iteration" {
    py "$common"'
def rows(*words):
    run(*words, "--log", "log.csv")
    return list(csv.DictReader(open("log.csv")))
x, gradient = ref.pdhg(p, 30, 3 * S, 2.0, 3.0)
last = rows("pdhg", 30, *words(step=3 * S), "--lambda", "2", "-R", "l1:3", "-R", "nonneg")[-1]
assert abs(float(last["gradient"]) - gradient) < 0.01 * gradient, (last, gradient)
assert abs(float(last["objective"]) - p.value(x, 2.0, 3.0)) < 0.01 * p.value(x, 2.0, 3.0)
# what a method does not know after a step is empty, not what it was before
for name, unknown in ("lsmr", "residual"), ("hybrid-lsqr", "gradient"):
    log = rows(name, 3)
    assert log[0][unknown] != "" and all(r[unknown] == "" for r in log[1:]), (name, log)
# the first iteration at which it holds, by a threshold just above what is met there
log = rows("gradient", 40, *words(step=S), "--save-every", "1", "--save-as", "x-{iteration}")
k = 25
def stops(*more):
    return len(rows("gradient", 200, *words(step=S), *more)) - 1
xs = [read("x-%04d" % i).ravel(order="F") for i in (k - 1, k)]
change = np.linalg.norm(xs[1] - xs[0]) / np.linalg.norm(xs[1])
assert stops("--noise", repr(1.0001 * float(log[k]["residual"]))) == k
assert stops("--change", repr(1.0001 * change)) == k
assert abs(np.linalg.norm(p.gradient(xs[1])) - float(log[k]["gradient"])) < 1e-6 * float(log[k]["gradient"])
first = np.linalg.norm(p.gradient(np.zeros(30)))
for name in ("gradient", "landweber", "bb", "armijo", "nlcg", "lbfgs", "fgm"):
    log = rows(name, 12)
    falls = [float(r["gradient"]) / first for r in log[1:]]
    t = 1.0001 * falls[9]
    want = 1 + next(i for i, f in enumerate(falls) if f <= t)
    assert len(rows(name, 200, "--tolerance", repr(t))) - 1 == want, (name, falls)'
}

# A test of an option that the reference does not notice would say nothing.
@test "references: a tenth more or less of any option moves the references" {
    py "$common"'
pocs = dict(noise=0.495, descents=7, alpha=0.3, ratio=1.25, shrink=0.7, fade=0.9, relaxation=0.8)
slope = lambda x: ref.edges_slope(p, x)
def moves(f, options):
    x = f(**options)
    for name, v in options.items():
        others = (v + max(1, v // 10),) if isinstance(v, int) else (0.9 * v, 1.1 * v)
        far = [np.linalg.norm(x - f(**dict(options, **{name: other}))) / np.linalg.norm(x) for other in others]
        threshold = name in ("noise", "ratio") # of which one side may be passed in any case
        assert (max if threshold else min)(far) > 1e-4, (name, far)
moves(lambda **o: ref.asd_pocs(p, 7, 11, slope, **o), pocs)
moves(lambda **o: ref.irgnm(p, 3, 300.0, lam=8.0, **o), dict(alpha=50.0, factor=0.3, inner=4))
moves(lambda **o: ref.lm(p, 3, 300.0, **o), dict(damping=0.02, inner=4))
moves(lambda **o: ref.irn(p, 23, **o), dict(lam=2.0, l1=3.0, inner=6))
moves(lambda **o: ref.fista(p, 12, **o), dict(step=S, lam=2.0, l1=3.0))
moves(lambda **o: ref.condat(p, 12, **o), dict(tau=S, lam=2.0, l1=3.0))
moves(lambda **o: ref.mltr(p, 2, 4, i0=300.0, **o), dict(relaxation=0.8))'
}
