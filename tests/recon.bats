load common

# A 6 x 5 volume seen by 8 columns in 11 views: dims of the matrix 88 x 30.
small() {
    gantry traj --views 11 --detector 8:1 geom
    py '
write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
write("w", np.random.default_rng(2).uniform(0.2, 1, size=(8, 1, 11)))
write("truth", np.random.default_rng(1).uniform(0.5, 1, size=(6, 5, 1)))'
    gantry project geom units matrix
    gantry project geom truth exact
    py '
p = read("exact")
write("proj", p + 0.3 * np.random.default_rng(3).normal(size=p.shape))'
}

# `A` and `y` of those in Python, and f(x) of what the command minimised.
dense='
A = read("matrix").reshape(88, 30, order="F")
y = read("proj").ravel(order="F")
'

# The phantom from 30 noisy views.
scan() {
    gantry phantom --size 48:48:1 vol
    gantry traj --views 30 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 20000 exact proj
}

@test "recon: every method for differentiable objectives gives the solution of the normal equations" {
    small
    for a in landweber gradient bb armijo fgm ogm nlcg lbfgs lsqr fista pogm admm douglas-rachford pdhg condat-vu pd3o spdhg; do
        gantry recon --algorithm $a --size 6:5:1 --lambda 2.5 -i 500 geom proj rec-$a
    done
    py "$dense
x = np.linalg.solve(A.T @ A + 2.5 * np.eye(30), A.T @ y)
f = lambda x: 0.5 * np.sum((A @ x - y) ** 2) + 1.25 * np.sum(x ** 2)
for a in 'landweber gradient bb armijo fgm ogm nlcg lbfgs lsqr fista pogm admm douglas-rachford pdhg condat-vu pd3o spdhg'.split():
    e = f(read('rec-' + a).ravel(order='F')) / f(x) - 1
    assert -1e-9 < e < 1e-6, (a, e)"
}

@test "recon: weights, by methods that know them and as a functional" {
    small
    for a in lbfgs fista admm douglas-rachford pdhg condat-vu pd3o spdhg; do
        gantry recon --algorithm $a --size 6:5:1 --data weighted --weights w --lambda 1 -i 600 geom proj rec-$a
    done
    py "$dense
W = np.diag(read('w').ravel(order='F'))
x = np.linalg.solve(A.T @ W @ A + np.eye(30), A.T @ W @ y)
for a in 'lbfgs fista admm douglas-rachford pdhg condat-vu pd3o spdhg'.split():
    r = read('rec-' + a).ravel(order='F')
    assert np.linalg.norm(r - x) < 1e-4 * np.linalg.norm(x), (a, np.linalg.norm(r - x))"
}

@test "recon: bounds, from SciPy" {
    small
    for a in fista pogm admm douglas-rachford pdhg condat-vu pd3o spdhg; do
        gantry recon --algorithm $a --size 6:5:1 -R box:0.6:0.9 -i 1500 geom proj rec-$a
    done
    py "$dense
from scipy.optimize import lsq_linear
x = lsq_linear(A, y, bounds=(0.6, 0.9), tol=1e-12).x
f = lambda x: np.sum((A @ x - y) ** 2)
for a in 'fista pogm admm douglas-rachford pdhg condat-vu pd3o spdhg'.split():
    r = read('rec-' + a).ravel(order='F')
    e = f(r) / f(x) - 1
    assert abs(e) < 1e-4 and r.min() > 0.6 - 1e-3 and r.max() < 0.9 + 1e-3, (a, e, r.min(), r.max())"
}

@test "recon: total variation, one minimum whatever the method" {
    scan
    for a in fista pogm admm douglas-rachford pdhg condat-vu pd3o spdhg; do
        gantry recon --algorithm $a --like vol -R tv:0.05 -i 400 --log log-$a.csv geom proj rec-$a
    done
    py '
import csv
last = {a: float(list(csv.DictReader(open(f"log-{a}.csv")))[-1]["objective"]) for a in "fista pogm admm douglas-rachford pdhg condat-vu pd3o spdhg".split()}
best = min(last.values())
assert all(f < 1.003 * best for f in last.values()), last'
    gantry compare --tolerance 0.4 vol rec-pdhg
    run gantry compare vol rec-pdhg
    gantry cg -i 40 --like vol geom proj noisy
    py "assert float('$output') < 0.7 * np.linalg.norm(read('noisy') - read('vol')) / np.linalg.norm(read('vol'))"
}

@test "sirt, sart, ossart, sqs, landweber: they approach what the projections say" {
    scan
    gantry sirt -i 300 --like vol geom exact a
    gantry sart -i 20 --relaxation 0.5 --like vol geom exact b
    gantry ossart -i 30 --subsets 5 -R nonneg --like vol geom exact c
    gantry sqs -i 40 --subsets 3 -R nonneg --like vol geom exact d
    gantry landweber -i 400 --like vol geom exact e
    gantry sqs --subsets 1 -i 300 --like vol geom exact f
    for r in a b c d e f; do gantry compare --tolerance 0.25 vol $r; done
    gantry stats c
    py 'assert read("c").min() >= 0 and read("d").min() >= 0'
    for a in sqs sirt ml-tr; do # steps of each voxel's own would not find the minimum
        data=
        [ $a != ml-tr ] || data="--data poisson:1000"
        # shellcheck disable=SC2086 # words
        fails 1 "its only terms without a gradient are bounds" gantry recon --algorithm $a $data -R tv:0.05 --like vol geom exact no
    done
}

@test "recon: subsets, their orders, and other measures of the data" {
    scan
    gantry recon --algorithm pdhg -R tv:0.05 -R nonneg -i 600 --like vol geom proj best
    gantry recon --algorithm pdhg -R tv:0.05 -R nonneg -i 30 --like vol geom proj plain
    for o in golden sequential bit-reversed herman-meyer shuffle random; do
        seed=
        [ $o != shuffle ] && [ $o != random ] || seed="--seed 3"
        # shellcheck disable=SC2086 # two words or none
        gantry recon --algorithm spdhg --subsets 10 --order $o $seed -R tv:0.05 -R nonneg -i 30 --like vol geom proj rec-$o
    done
    fails 2 "the order of the subsets is not random" gantry recon --algorithm spdhg --order golden --seed 3 -R nonneg geom proj no
    gantry recon --algorithm spdhg --subsets 10 --order random --seed 4 -R tv:0.05 -R nonneg -i 30 --like vol geom proj other
    gantry recon --algorithm fista --data poisson:20000 -R smooth:5000 -R nonneg -i 300 --like vol geom proj counts
    gantry recon --algorithm spdhg --data poisson:20000 -R smooth:5000 -R nonneg -i 100 --like vol geom proj random
    gantry sqs --subsets 1 --data poisson:20000 -R smooth:5000 -R nonneg -i 240 --like vol geom proj all
    gantry sqs --subsets 6 --data poisson:20000 -R smooth:5000 -R nonneg -i 40 --like vol geom proj many 2>said
    grep -q 'sqs with 6 subsets ends near the minimum of the objective, not at it (--subsets 1 converges)' said
    py '
best = read("best")
far = lambda r, b: np.linalg.norm(read(r) - b) / np.linalg.norm(b)
for o in "golden sequential bit-reversed herman-meyer shuffle random".split():
    assert far("rec-" + o, best) < 0.5 * far("plain", best), (o, far("rec-" + o, best), far("plain", best))
assert 0 < far("other", read("rec-random")) < 0.01
assert far("many", read("all")) < 0.02 and far("random", read("counts")) < 0.02, (far("many", read("all")), far("random", read("counts")))'
    fails 2 "did you mean 'shuffle'" gantry recon --algorithm spdhg --order shufflee geom proj rec
}

@test "mlem and osem: counts of emission, likelihood rising, nothing below 0" {
    scan
    gantry scale 1000 exact many
    gantry mlem -i 60 --log log.csv --like vol geom many a
    gantry osem -i 12 --subsets 5 --like vol geom many b
    py '
import csv
f = [float(r["objective"]) for r in csv.DictReader(open("log.csv"))]
assert all(b <= a * (1 + 1e-6) for a, b in zip(f, f[1:])), f
v = 1000 * read("vol")
for r in "ab":
    assert read(r).min() >= 0
    assert np.linalg.norm(read(r) - v) < 0.35 * np.linalg.norm(v), r'
}

@test "recon: the likelihood of counts beats least squares where there are few" {
    gantry phantom --size 48:48:1 --mu 0.06 vol
    gantry traj --views 60 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 300 exact proj
    gantry recon --algorithm fista --data poisson:300 -R tv:12 -i 150 --like vol geom proj a
    gantry recon --algorithm fista -R tv:0.04 -i 150 --like vol geom proj b
    py '
e = {r: np.linalg.norm(read(r) - read("vol")) for r in "ab"}
assert e["a"] < e["b"], e'
}

@test "mlem: the likelihood of counts beats least squares where there are few" {
    gantry phantom --size 48:48:1 vol
    gantry traj --views 60 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    py '
p = read("exact").astype("f8")
write("counts", np.random.default_rng(1).poisson(10 / p.mean() * p).astype("f4"))
write("activity", (10 / p.mean() * read("vol")).astype("f4").reshape(48, 48, 1))'
    gantry mlem -i 40 --like vol --reference activity --log a.csv geom counts a
    gantry cg -i 20 --like vol --reference activity --log b.csv geom counts b
    gantry recon --algorithm fista -i 40 -R nonneg --like vol --reference activity --log c.csv geom counts c
    gantry recon --algorithm pdhg -i 3 --data kl -R nonneg -R tv:3 --like vol geom counts d # begins off 0
    py '
import csv
least = {f: min(float(x["nrmse"]) for x in list(csv.DictReader(open(f + ".csv")))[1:]) for f in "abc"}
assert least["a"] < 0.9 * least["c"] < 0.9 * least["b"], least'
}

@test "recon: total variation brings the 256 x 256 phantom back from 30 views" {
    gantry phantom --size 256:256 vol
    gantry traj --views 30 --detector 366:1 geom
    gantry project geom vol proj
    gantry recon -R tv:0.003 -R nonneg --like vol geom proj rec # all else by itself
    gantry compare --tolerance 0.02 vol rec
}

@test "recon: the same bytes for any number of threads; history and restart" {
    scan
    for a in pdhg admm ossart lbfgs spdhg; do
        terms=(); [ $a = ossart ] || [ $a = lbfgs ] || terms=(-R tv:0.05 -R box:0:1)
        for j in 1 2 5; do gantry recon -j $j --algorithm $a -i 6 "${terms[@]}" --like vol geom proj rec$j; done
        same_bytes rec1 rec2
        same_bytes rec1 rec5
    done
    gantry recon -i 5 -R tv:0.05 -R box:0:1 --like vol geom proj rec
    gantry history rec | grep -q -- '--regularise=tv:0.05 --regularise=box:0:1'
    gantry recon --algorithm fista -i 5 -R nonneg --like vol geom proj half
    gantry recon --algorithm fista -i 50 -R nonneg --init half --like half geom proj more
    py 'assert np.linalg.norm(read("more") - read("vol")) < np.linalg.norm(read("half") - read("vol"))'
}

@test "recon: stops at the noise, after a time, where nothing changes" {
    scan
    gantry recon --algorithm fgm --noise 0.5 -i 1000 --like vol geom proj rec --log log.csv
    py '
import csv
r = [float(x["residual"]) for x in csv.DictReader(open("log.csv"))]
assert r[-1] <= 0.5 < r[-2] and len(r) < 500, r'
    gantry recon --algorithm fgm --change 1e-3 -i 100000 --like vol geom proj rec
    gantry recon --algorithm fgm --seconds 0.2 -i 100000000 --like vol geom proj rec
}

# Killed at any moment, the same command with --resume ends with the same bytes.
@test "recon: checkpoints" {
    scan
    local round=0
    for a in pdhg fista admm lbfgs ossart lsqr pogm spdhg; do
        case $a in
        pdhg | fista | admm | pogm | spdhg) terms=(-R tv:0.05) ;;
        *) terms=() ;;
        esac
        gantry recon --algorithm $a -i 40 "${terms[@]}" --like vol geom proj whole
        for delay in 0.03 0.06 0.02 0.11; do
            gantry recon --algorithm $a -i 40 "${terms[@]}" --checkpoint state --every 3 --resume --like vol geom proj parts &
            sleep $delay
            kill -9 $! 2>/dev/null || true
            wait $! 2>/dev/null || true
        done
        gantry recon --algorithm $a -i 40 "${terms[@]}" --checkpoint state --every 3 --resume --like vol geom proj parts
        same_bytes whole parts
        rm state
        round=$((round + 1))
    done
    gantry recon --algorithm fista -i 9 --checkpoint state --like vol geom proj a
    gantry recon --algorithm fista -i 20 --checkpoint state --resume --like vol geom proj b
    gantry recon --algorithm fista -i 20 --like vol geom proj c
    same_bytes b c
    fails 1 "is a checkpoint of fista, expected a checkpoint of pogm" gantry recon --algorithm pogm --checkpoint state --resume --like vol geom proj d
    fails 1 "other projections" gantry recon --algorithm fista --checkpoint state --resume --like vol geom exact d
    fails 1 "other terms, options, geometry or model" gantry recon --algorithm fista -R nonneg --checkpoint state --resume --like vol geom proj d
    head -c 5000 state >short
    fails 1 "truncated checkpoint" gantry recon --algorithm fista -i 20 --checkpoint short --resume --like vol geom proj d
    fails 1 "other terms, options, geometry or model" gantry recon --algorithm fista --model siddon --checkpoint state --resume --like vol geom proj d
    gantry geom --shift-u 1 geom moved
    fails 1 "other terms, options, geometry or model" gantry recon --algorithm fista --checkpoint state --resume --like vol moved proj d
    gantry pdhg -R tv:0.05 -i 3 --checkpoint other --like vol geom proj a
    fails 1 "other terms, options, geometry or model" gantry pdhg -R tv:0.06 -i 5 --checkpoint other --resume --like vol geom proj d
    echo nonsense >short
    fails 1 "short: not a checkpoint of this version (start without --resume)" gantry recon --algorithm fista --checkpoint short --resume --like vol geom proj d
    fails 2 "--resume needs --checkpoint" gantry recon --resume geom proj d
    no_output d
}

@test "recon: bad input" {
    scan
    fails 2 "sirt does not use subsets" gantry recon --algorithm sirt --subsets 3 geom proj rec
    fails 1 "lsqr takes no regularisation terms" gantry recon --algorithm lsqr -R tv:1 geom proj rec
    fails 2 "unknown term; did you mean tv" gantry recon -R tvv:1 geom proj rec
    fails 2 "the factor is -1" gantry recon -R tv:-1 geom proj rec
    fails 2 "expected box:LO:HI" gantry recon -R box:1:0 geom proj rec
    fails 2 "did you mean 'pdhg'" gantry recon --algorithm pdhgg geom proj rec
    fails 2 "expected l2, weighted" gantry recon --data poison:3 geom proj rec
    fails 2 "found -3" gantry recon --data poisson:-3 geom proj rec
    fails 2 "--step: not supported by lsqr (valid: landweber" gantry recon --algorithm lsqr --step 1 geom proj rec
    fails 2 "--relaxation: not supported by pdhg" gantry recon --algorithm pdhg --relaxation 0.5 -R tv:1 geom proj rec
    fails 2 "--tv-iterations: not supported by fista" gantry recon --algorithm fista --tv-iterations 5 geom proj rec
    fails 2 "--seed: the order of the subsets is not random (add --order shuffle" gantry recon --algorithm ossart --seed 5 geom proj rec
    fails 2 "--seed: the order of the subsets is not random" gantry recon --algorithm osem --order golden --seed 5 geom proj rec
    fails 2 "--seed: not supported by sirt" gantry recon --algorithm sirt --seed 5 geom proj rec
    fails 2 "--inner: not supported by admm (valid: irn, irgnm, lm)" gantry recon --algorithm admm --inner 5 -R tv:1 geom proj rec
    fails 2 "--step" gantry lsqr --step 1 geom proj rec
    fails 2 "--weights needs --data weighted" gantry recon --data l2 --weights proj geom proj rec
    fails 2 "expected at most as many as there are views" gantry ossart --subsets 31 geom proj rec
    fails 2 "delta is missing (give delta=D" gantry recon -R htv:1 geom proj rec
    py 'p = read("proj"); p[3, 0, 2] = np.nan; write("bad", p)'
    fails 1 "NaN" gantry pdhg -R tv:1 geom bad rec
    no_output rec
    gantry recon --algorithm gradient --step 1 --keep-best -i 50 --like vol geom proj rec 2>said
    grep -q "the result is the best iterate" said
}

@test "recon: subsets by default: 30 of a slice, fewer of a volume whose passes take longer than its projections" {
    gantry phantom --size 16:16:16 vol
    gantry traj --views 40 --detector 24:24 --sod 100 --sdd 150 geom
    gantry traj --views 40 --detector 64:64 --pitch 0.5 --sod 100 --sdd 150 fine
    gantry phantom --size 32:32 slice
    gantry traj --views 40 --detector 48:1 flat
    while read -r g v n; do
        gantry project $g $v proj
        gantry recon -q -i 2 -R tv:0.01 --like $v $g proj rec
        gantry recon -q -i 2 -R tv:0.01 -a spdhg --subsets $n --like $v $g proj as
        same_bytes rec as
    done <<<$'geom vol 11\nfine vol 30\nflat slice 30'
}

@test "recon: spdhg: iterations to 1, 0.1 and 0.01 % of the minimum, with noise and without" {
    scan
    gantry recon -q -a spdhg --subsets 10 -R tv:0.02 -R nonneg -i 400 --log noisy.csv --like vol geom proj rec
    gantry recon -q -a spdhg --subsets 10 -R tv:0.003 -R nonneg -i 600 --log exact.csv --like vol geom exact rec
    py '
import csv
for name, most in ("noisy", (16, 28, 42)), ("exact", (26, 40, 66)): # 14, 25, 37 and 23, 36, 59
    f = [float(r["objective"]) for r in csv.DictReader(open(name + ".csv"))]
    after = [next(k for k, v in enumerate(f) if v / min(f) - 1 < e) for e in (1e-2, 1e-3, 1e-4)]
    assert all(a <= m for a, m in zip(after, most)), (name, after)'
}

@test "recon: --until ends by the duality gap of spdhg, within what it says of the minimum" {
    scan
    local terms=(-R tv:0.02 -R nonneg)
    for d in l2 weighted poisson:20000 huber:0.05; do
        [ $d != poisson:20000 ] || terms=(-R tv:200 -R nonneg)
        [ $d != huber:0.05 ] || terms=(-R tv:0.02 -R wavelet:0.01)
        gantry recon --data $d "${terms[@]}" -i 400 --log best-$d.csv --like vol geom proj best
        gantry recon --data $d "${terms[@]}" --until 0.1% --log log-$d.csv --like vol geom proj near 2>said
        grep -q "^gantry recon: the objective is about 0\.[0-9]* % above its minimum after [0-9]* iterations$" said
    done
    py '
import csv
read_log = lambda name: [float(r["objective"]) for r in csv.DictReader(open(name)) if r["objective"]]
for d in ("l2", "weighted", "poisson:20000", "huber:0.05"):
    best, near = read_log(f"best-{d}.csv"), read_log(f"log-{d}.csv")
    assert near[-1] / min(best) - 1 < 1.5e-3, (d, near[-1], min(best)) # met on the way: a little above that of the volume
    assert 10 < len(near) < 200, (d, len(near))'
    gantry recon -i 3 -R tv:0.02 -R nonneg --like vol geom proj short 2>said
    grep -q "the objective is about [0-9e+.]* % above its minimum after 3 iterations: not converged (use -i 12, or --until 0.1%)$" said
    gantry recon -i 12 --until 0.1% -R tv:0.02 -R nonneg --like vol geom proj short 2>said
    grep -q "above its minimum after 12 iterations: not converged (use -i 48)$" said
    gantry recon --until 0.1% -R tv:0.02 -R nonneg --like vol geom proj whole 2>said
    for i in 13 19 10000; do
        gantry recon -i $i --until 0.1% -R tv:0.02 -R nonneg --checkpoint state --resume --like vol geom proj parts 2>last
    done
    same_bytes whole parts
    diff said last
}

@test "recon: --until ends where the objective settles, and is refused where that is unknown" {
    scan
    gantry recon -a fista --until 0.01% -R tv:0.05 --like vol geom proj settled 2>said
    grep -q "converged: the objective changed by at most 0.01 % in the last half of [0-9]* iterations" said
    gantry recon -i 400 -R tv:0.05 --like vol geom proj best
    gantry compare --tolerance 0.01 best settled
    gantry recon -a fista -i 3 -R tv:0.05 --like vol geom proj short 2>said
    grep -q "still fell by .* % in the last tenth of 3 iterations: not converged (use -i 12, or --until 0.1%)" said
    gantry recon -a fista -i 10 --until 0.01% -R tv:0.05 --like vol geom proj short 2>said
    grep -q "not converged (use -i 40)$" said
    fails 1 "lsmr: --until needs the objective, which is not available" gantry recon -a lsmr --until 1% --like vol geom proj no
    fails 2 "--until: the objective of asd-pocs may grow" gantry recon -a asd-pocs --until 1% --like vol geom proj no
    fails 2 "expected more than 0% and less than 100%" gantry recon --until 0% --like vol geom proj no
    no_output no
}
