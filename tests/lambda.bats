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

@test "lambda: discrepancy meets any noise within 0.5 % in a few reconstructions, or says on which side it is not met" {
    small
    for sigma in 0.3 0.5 1.5 3; do
        gantry recon --rule discrepancy:$sigma -i 60 --size 6:5:1 --curve $sigma.csv --force geom proj rec 2>$sigma.said
    done
    gantry recon --rule discrepancy:0.2 -i 60 --size 6:5:1 geom proj least 2>said
    grep -q "residual 1.876 expected from the noise, and the nearest lambda .* gives a larger residual" said
    gantry recon --rule discrepancy:4 -i 60 --size 6:5:1 geom proj none 2>said
    grep -q "residual 37.52 expected from the noise, and the nearest lambda .* gives a smaller residual" said
    gantry recon --rule discrepancy:0.3 --range 10:100 -i 60 --size 6:5:1 geom proj low 2>said
    grep -q "gives a larger residual" said
    [ "$(chosen said)" = 10 ]
    gantry recon --rule discrepancy:3 --range 0.01:100 -i 60 --size 6:5:1 geom proj high 2>said
    grep -q "gives a smaller residual" said
    [ "$(chosen said)" = 100 ]
    py "$dense"'
import csv, re
for sigma in "0.3 0.5 1.5 3".split():
    said = open(sigma + ".said").read()
    got = float(re.search("lambda (.*) by", said).group(1))
    ratio = np.linalg.norm(A @ solve(got) - y) / (float(sigma) * np.sqrt(88))
    assert abs(ratio - 1) < 0.006 and "warning" not in said, (sigma, ratio, said)
    rows = list(csv.DictReader(open(sigma + ".csv")))
    assert len(rows) <= 8 and all(abs(float(r["over_noise"]) * float(sigma) * np.sqrt(88) / float(r["residual"]) - 1) < 1e-6 for r in rows), sigma'
}

@test "lambda: the curve of another measure of the data holds the root of twice its value, and half the square of the volume" {
    small
    gantry recon --data huber:0.2 -a lbfgs --rule lcurve --range 0.1:1000 -i 100 --size 6:5:1 --curve curve.csv geom proj rec 2>said
    py "$dense
import csv
rows = list(csv.DictReader(open('curve.csv')))
assert len(rows) == 13 # three a decade and the end
for row in rows:
    l, w = float(row['lambda']), np.ones(88)
    for _ in range(300): # reweighted squares have the same minimum
        x = np.linalg.solve(A.T @ (w[:, None] * A) + l * np.eye(30), A.T @ (w * y))
        w = np.minimum(1, 0.2 / np.abs(A @ x - y))
    r = np.abs(A @ x - y)
    h = np.sum(np.where(r <= 0.2, 0.5 * r**2, 0.2 * (r - 0.1)))
    assert abs(float(row['residual']) / np.sqrt(2 * h) - 1) < 1e-3, row
    assert abs(float(row['penalty']) / (0.5 * np.sum(x**2)) - 1) < 1e-2, row"
}

@test "lambda: gcv is near the smallest of the exact function, and near the best there is" {
    small
    gantry recon --rule gcv -i 60 --size 6:5:1 --curve curve.csv geom proj rec 2>said
    gantry recon --rule gcv -i 60 --size 6:5:1 --curve curve.png geom proj rec2
    same_bytes rec rec2
    [ "$(head -c 4 curve.png | tail -c 3)" = PNG ]
    py 'w = read("w"); w[3:5] = 0; write("holes", w)'
    gantry recon --data weighted --weights holes -a lbfgs --rule gcv -i 200 --size 6:5:1 geom varied rec-w 2>said-w
    py "$dense
def gcv(l, A=A, y=y, n=88):
    H = A @ np.linalg.solve(A.T @ A + l * np.eye(30), A.T)
    return n * np.sum((A @ solve(l, A, y) - y)**2) / (n - np.trace(H))**2
ls = np.logspace(-3, 5, 400)
best = ls[np.argmin([gcv(l) for l in ls])]
got = float('$(chosen said)')
assert gcv(got) < 1.02 * gcv(best), (got, best)
s = np.sqrt(read('holes').ravel(order='F'))
weighted = A * s[:, None], read('varied').ravel(order='F') * s, 66 # rays of weight > 0
got_w, best_w = float('$(chosen said-w)'), min(ls, key=lambda l: gcv(l, *weighted))
assert gcv(got_w, *weighted) < 1.02 * gcv(best_w, *weighted), (got_w, best_w)
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
    gantry recon -R tv:auto -R nonneg --rule lcurve --range 0.02:2 -i 80 --like vol geom proj c 2>said
    for l in 0.001 0.01 0.05 0.2 1; do
        gantry recon -R tv:$l -R nonneg -i 80 --like vol geom proj t$l
    done
    py '
e = lambda n: np.linalg.norm(read(n) - read("vol"))
best = min(e(f"t{l}") for l in "0.001 0.01 0.05 0.2 1".split())
assert e("a") < 1.6 * best and e("c") < 1.6 * best, (e("a"), e("c"), best)'
    gantry history a | grep -q -- '--regularise=tv:auto'
}

# unit NAME: the number that the factor of a log became
unit() {
    sed -n 's/.*: the factor is \([^ ]*\)$/\1/p' "$1"
}

@test "lambda: factors in units of the noise are what NumPy makes of the matrix" {
    small
    for t in tv:2n l1:2n l2:2n smooth:2n htv:2n:delta=1 wavelet:2n; do
        gantry recon -v -R $t -i 1 --size 6:5:1 --spacing 1:1:3 geom proj rec 2>"said-${t%%:*}"
    done
    gantry recon -v -R tv:2n -i 1 --data weighted --weights w --size 6:5:1 geom varied rec-w 2>said-w
    py "$dense
w = read('w').ravel(order='F')
def noise(y, w):
    y, w = y.reshape(8, 11, order='F'), w.reshape(8, 11, order='F')
    return np.sort(np.sqrt(w[1:-1]) * np.abs(y[:-2] - 2 * y[1:-1] + y[2:]), axis=None)[33] / 0.67448975 / 6**.5
sigma, s = noise(y, np.ones(88)), np.sqrt(np.median((A**2).sum(0)))
got = dict(tv=$(unit said-tv), l1=$(unit said-l1), l2=$(unit said-l2), smooth=$(unit said-smooth), htv=$(unit said-htv), wavelet=$(unit said-wavelet))
for name, want in dict(tv=2 * sigma * s, l1=2 * sigma * s, l2=2 * s**2, smooth=2 * s**2, htv=2 * sigma * s, wavelet=2 * sigma * s).items():
    assert abs(got[name] / want - 1) < 0.1, (name, got[name], want)
z = read('varied').ravel(order='F')
want = 2 * noise(z, w) * np.sqrt(np.median((A**2 * w[:, None]).sum(0)))
assert abs($(unit said-w) / want - 1) < 0.1, ($(unit said-w), want)
assert got['tv'] == got['l1'] and abs(got['tv']**2 / got['l2'] / (2 * sigma**2) - 1) < 0.01"
}

@test "lambda: a factor in units of the noise fits other units, voxels and scales of the data" {
    scan
    gantry recon -v -R tv:0.5n -R nonneg -i 20 --size 48:48 geom proj a 2>said
    gantry recon -R "tv:$(unit said)" -R nonneg -i 20 --size 48:48 geom proj typed
    gantry compare --tolerance 1e-5 a typed
    # the same scan in pixels of 1/64 mm: attenuation per mm is 64 times as large
    gantry traj --views 40 --detector 72:1 --pitch 0.015625 fine
    gantry recon -R tv:0.5n -R nonneg -i 20 --size 48:48 --spacing 0.015625:0.015625 fine proj b
    # and with line integrals four times as large, noise and all
    gantry scale 4 proj more
    gantry recon -R tv:0.5n -R nonneg -i 20 --size 48:48 geom more c
    # weights that are four times as large say that the noise is half: sigma of weight 1 is what it was
    py 'write("four", np.full((72, 1, 40), 4, "f4"))'
    gantry recon -R tv:0.5n -R nonneg -i 20 --data weighted --weights four --size 48:48 geom proj d
    py '
a = read("a")
for n, f in ("b", 64), ("c", 4), ("d", 1):
    assert np.linalg.norm(read(n) / f - a) < 1e-3 * np.linalg.norm(a), n'
    # it is a useful one
    for l in 0.005 0.02 0.08 0.3; do gantry recon -R tv:$l -R nonneg -i 50 --like vol geom proj t$l; done
    gantry recon -R tv:0.5n -R nonneg -i 50 --like vol geom proj e
    py '
e = lambda n: np.linalg.norm(read(n) - read("vol"))
assert e("e") < 1.2 * min(e(f"t{l}") for l in "0.005 0.02 0.08 0.3".split())'
    # likelihoods know their noise
    gantry noise --photons 1000 --seed 1 exact few
    gantry recon -v -R tv:0.5n -R nonneg --data poisson:1000 -i 50 --like vol geom few f 2>said
    grep -q "standard deviation 1 of" said
    py 'assert np.linalg.norm(read("f") - read("vol")) < 0.45 * np.linalg.norm(read("vol"))'
}

@test "lambda: factors in units of the noise where there is none" {
    scan
    fails 2 "box has no factor that could be relative to the noise" gantry recon -R box:0n:3 geom proj rec
    fails 2 "not a number" gantry recon -R tv:n geom proj rec
    fails 2 "below 0" gantry recon -R tv:-1n geom proj rec
    py 'write("empty", np.zeros((72, 1, 40), "f4"), Quantity="line-integral")'
    fails 1 "empty: the noise of channel 0, time 0 cannot be estimated (give a factor that does not end in n)" gantry recon -R tv:1n geom empty rec
    no_output rec
}

# calls FILE: projections and back projections of subsets and all, in what --profile wrote
calls() {
    awk '$3 == "xray" && ($4 == "A" || $4 == "A'"'"'") { n += $5 } END { print n }' "$1"
}

@test "lambda: auto is near the best factor, in less than three solves" {
    scan
    gantry recon --profile -R tv:auto -R nonneg --like vol geom proj a 2>said
    [ "$(grep -c "lambda .* by auto" said)" = 1 ]
    gantry recon --profile -R "tv:$(chosen said)" -R nonneg --like vol geom proj b 2>one
    same_bytes a b
    [ "$(calls said)" -lt "$((3 * $(calls one)))" ]
    gantry recon -j 1 -R tv:auto -R nonneg --like vol geom proj c
    same_bytes a c
    for l in 0.008 0.016 0.032 0.064 0.128; do gantry recon -R tv:$l -R nonneg --like vol geom proj t$l; done
    py '
e = lambda n: np.linalg.norm(read(n) - read("vol"))
best = min(e(f"t{l}") for l in "0.008 0.016 0.032 0.064 0.128".split())
assert e("a") < 1.05 * best, (e("a"), best)'
    # in other units as well, and with other measures of the data and algorithms
    gantry traj --views 40 --detector 72:1 --pitch 0.001 fine
    gantry recon -R tv:auto -R nonneg --size 48:48 --spacing 0.001:0.001 fine proj d 2>said
    py 'assert np.linalg.norm(read("d") / 1000 - read("a")) < 1e-2 * np.linalg.norm(read("a"))'
    for more in "--data poisson:1000" "--data huber:0.1" "--data weighted" "-a fista"; do
        # shellcheck disable=SC2086 # words
        gantry recon -R tv:auto $more --like vol geom proj e 2>said
        grep -q "lambda .* by auto" said
        py 'e = lambda n: np.linalg.norm(read(n) - read("vol")) / np.linalg.norm(read("vol")); assert e("e") < 0.55, ("'"$more"'", e("e"))'
    done
}

@test "lambda: auto is near the best factor of scans with hardly any noise, which edges seem to have" {
    gantry phantom --size 64:64 --spacing 4:4 vol
    gantry traj --views 60 --detector 96:1 --pitch 4 geom
    gantry project geom vol exact
    gantry noise --photons 1e7 exact faint
    for proj in exact faint; do
        gantry recon -R tv:auto -R nonneg --like vol geom $proj x 2>said
        lambda=$(sed -n 's/.*lambda \([^ ]*\) by auto/\1/p' said)
        found=$(gantry compare vol x)
        for by in 0.0625 0.25 4 16; do
            gantry recon -q -R "tv:$(awk -v l="$lambda" -v b=$by 'BEGIN { print l * b }')" -R nonneg --like vol geom $proj x
            awk -v found="$found" -v other="$(gantry compare vol x)" 'BEGIN { exit !(found < 1.05 * other) }'
        done
    done
    gantry recon -R tv:auto -R nonneg --range "$(awk -v l="$lambda" 'BEGIN { print 2 * l ":" 100 * l }')" --like vol geom faint x 2>said
    awk -v l="$lambda" -v limited="$(sed -n 's/.*lambda \([^ ]*\) by auto/\1/p' said)" 'BEGIN { exit !(limited >= 1.999 * l) }'
}

@test "lambda: views left out are predicted best" {
    scan
    gantry recon -R tv:auto -R nonneg --rule views -i 40 --curve curve.csv --like vol geom proj a 2>said
    # the same by hand: trials of the other views, each from the start
    others=$(/usr/bin/python3 -c "print(','.join(str(k) for k in range(40) if k % 10 != 4))")
    gantry extract view 4:40:10 geom out
    gantry extract view 4:40:10 proj measured
    awk -F, 'NR > 1 { print $3 }' curve.csv >factors
    while read -r l; do
        gantry recon -R tv:"$l" -R nonneg -i 60 --views "$others" --like vol geom proj x
        gantry project out x - | gantry compare --metric rmse measured - >>errors
    done <factors
    py '
import csv
rows = list(csv.DictReader(open("curve.csv")))
l = np.array([float(r["lambda"]) for r in rows]); left = np.array([float(r["left_out"]) for r in rows])
assert len(l) <= 6 and np.allclose(l[1:] / l[:-1], 2, rtol=1e-6), l
mine = np.array([float(v) for v in open("errors")])
assert np.allclose(left, mine, rtol=0.01), (left, mine)
assert 0.7 < '"$(chosen said)"' / l[left.argmin()] < 1.42'
    # squares, and --lambda, in steps of 4
    gantry recon --rule views -i 30 --curve curve.csv --like vol geom proj b 2>said
    grep -q "lambda .* by views" said
    gantry recon -R smooth:auto --like vol geom proj c
    py '
import csv
l = [float(r["lambda"]) for r in csv.DictReader(open("curve.csv"))]
assert np.allclose(np.divide(l[1:], l[:-1]), 4, rtol=1e-6), l
e = lambda n: np.linalg.norm(read(n) - read("vol")) / np.linalg.norm(read("vol"))
assert e("b") < 0.65 and e("c") < 0.65, (e("b"), e("c"))'
    gantry recon -R tv:auto --rule views --range 1:2 --like vol geom proj d 2>said
    grep -q "the smallest lambda of --range, 1, predicts the views left out best" said
    fails 1 "proj: --rule views finds no lambda" gantry recon -R tv:auto --rule views --views 0:40:16 --like vol geom proj none
    no_output none
}

@test "lambda: terms of fixed factors start anew for every lambda and for the result" {
    scan
    for term in tv:0.1 tgv:0.1; do
        gantry recon -a fista -R $term --rule lcurve --range 0.01:1 -i 4 --like vol geom proj a 2>said
        gantry recon -a fista -R $term --lambda "$(chosen said)" -i 4 --like vol geom proj b
        same_bytes a b
    done
}

@test "lambda: degrees of freedom" {
    small
    gantry recon --rule dof:0.35 -i 60 --size 6:5:1 geom proj rec 2>said
    gantry recon --data weighted --weights w -a lbfgs --rule dof:0.35 -i 200 --size 6:5:1 geom varied rec-w 2>said-w
    py "$dense
def excess(l, A, y):
    H = A @ np.linalg.solve(A.T @ A + l * np.eye(30), A.T)
    return np.sum((H @ y - y)**2) / 0.35**2 / (88 - np.trace(H))
s = np.sqrt(read('w').ravel(order='F'))
for got, B, z in (float('$(chosen said)'), A, y), (float('$(chosen said-w)'), A * s[:, None], read('varied').ravel(order='F') * s):
    assert abs(np.log(excess(got, B, z))) < 0.1, (got, excess(got, B, z))"
    scan
    gantry recon -R tv:auto -R nonneg --rule dof:0.02 --like vol geom proj a 2>said
    gantry recon -R tv:auto -R nonneg --rule discrepancy:0.02 --like vol geom proj b 2>said
    for l in 0.016 0.032 0.064; do gantry recon -R tv:$l -R nonneg --like vol geom proj t$l; done
    py '
e = lambda n: np.linalg.norm(read(n) - read("vol"))
best = min(e(f"t{l}") for l in "0.016 0.032 0.064".split())
assert e("a") < 1.08 * best and e("a") < e("b"), (e("a"), e("b"), best)'
}

@test "lambda: data that do not fit to their noise" {
    scan
    # columns with gains of their own: neighbours of a view say that the noise is small
    py '
p = read("exact").astype("f8"); rng = np.random.default_rng(7)
p += np.repeat(0.05 * rng.normal(size=(12, 1, 40)), 6, 0) + 0.002 * rng.normal(size=p.shape)
write("proj", p.astype("f4"), Quantity="line-integral")'
    fails 1 "the residual is larger than the noise explains (chi^2 per ray " gantry recon -R tv:auto -R nonneg --rule dof --like vol geom proj a
    fails 1 "proj: --rule dof finds no lambda" gantry recon -q -R tv:auto -R nonneg --rule dof --like vol geom proj a
    no_output a
    gantry recon -R tv:auto -R nonneg --rule discrepancy --curve curve.csv --like vol geom proj a 2>said
    grep -q "no lambda gives the residual .* expected from the noise" said
    [ "$(wc -l <curve.csv)" -le 7 ]
    # auto is no rule of the noise
    gantry recon -R tv:auto -R nonneg --like vol geom proj b 2>said
    grep -q 'the error of the left-out views is [0-9.]* times the noise' said
    for l in 0.01 0.03 0.1 0.3 1; do gantry recon -R tv:$l -R nonneg --like vol geom proj t$l; done
    # an object larger than the volume: what is outside stands for noise
    gantry extract x 9:39 y 9:39 vol inner
    gantry recon -R tv:auto -R nonneg --like inner geom exact cut 2>said
    grep -q 'the error of the left-out views is [0-9.]* times the noise' said
    gantry recon -R tv:0.5n -R nonneg --like inner geom exact noisy
    py '
o = lambda n: np.linalg.norm(read(n) - read("inner"))
assert o("cut") < 0.95 * o("noisy"), (o("cut"), o("noisy"))
e = lambda n: np.linalg.norm(read(n) - read("vol"))
best = min(e(f"t{l}") for l in "0.01 0.03 0.1 0.3 1".split())
assert e("b") < 1.15 * best, (e("b"), best)'
}

@test "lambda: recon alone takes total variation, volumes >= 0 and the factor of auto, and says so" {
    scan
    gantry recon --like vol geom proj a 2>said
    grep -q "chosen: -R tv:auto -R nonneg, spdhg, 50 iterations (plain least squares: -a lsqr)" said
    gantry recon -R tv:auto -R nonneg --like vol geom proj b 2>other
    same_bytes a b
    [ "$(chosen said)" = "$(chosen other)" ]
    run ! grep -q "chosen: " other
    gantry history a >again.sh
    grep -q -- "--regularise=tv:auto --regularise=nonneg" again.sh
    gantry recon -a lsqr --like vol geom proj plain
    gantry recon --data l2 --like vol geom proj l2
    same_bytes plain l2
    gantry recon --noise 0.01 --like vol geom proj ends 2>said
    run ! grep -q "chosen: " said
    py '
e = lambda n: np.linalg.norm(read(n) - read("vol"))
assert read("a").min() >= 0 and e("a") < 0.6 * e("plain"), (e("a"), e("plain"))'
    # weights, few views, complex data
    py 'write("w", np.full((72, 1, 40), 4, "f4"))'
    gantry recon --weights w --like vol geom proj c 2>said
    grep -q "50 iterations, weighted by --weights" said
    py 'a = read("a"); assert np.linalg.norm(read("c") - a) < 1e-2 * np.linalg.norm(a)'
    gantry recon -i 5 --views 0:40:16 --like vol geom proj d 2>said
    grep -q "found 3 views, but leaving views out needs at least 4 (the default factor is used)" said
    py 'write("complex", (read("proj") * (1 + 0.5j)).astype("c8"))'
    gantry recon -i 5 --like vol geom complex e 2>said
    grep -q "chosen: -R tv:auto, spdhg, 5 iterations" said
}

@test "lambda: bad input" {
    scan
    fails 2 "did you mean lcurve" gantry recon --rule lkurve geom proj rec
    fails 2 "above 0" gantry recon --rule discrepancy:-1 geom proj rec
    fails 2 "expected no number" gantry recon --rule gcv:1 geom proj rec
    fails 2 "expected no number" gantry recon --rule views:1 geom proj rec
    fails 2 "is for least squares" gantry recon --rule dof -R tv:auto --data poisson:100 geom proj rec
    fails 2 "and no subsets" gantry recon --rule gcv -R tv:auto geom proj rec
    fails 2 "is for least squares" gantry recon --rule discrepancy -R tv:auto --data poisson:100 geom proj rec
    fails 2 "--rule gcv excludes --lambda 3" gantry recon --lambda 3 --rule gcv geom proj rec
    fails 2 "need --rule" gantry recon --curve a.csv geom proj rec
    fails 2 "0 < LO < HI" gantry recon --rule gcv --range 3:1 geom proj rec
    fails 2 "box has no factor that could be auto" gantry recon -R box:auto:3 geom proj rec
    fails 2 "only one term can have the factor auto" gantry recon -R tv:auto -R l1:auto geom proj rec
    fails 2 "does not use --lambda" gantry recon -a sirt --rule gcv geom proj rec
    no_output rec
    [ ! -e a.csv ]
}
