# Terms along channel and time: all frames are one problem.
load common

setup() {
    common_setup
    gantry traj --views 7 --detector 10:1 geom
    py '
r = np.random.default_rng(1)
write("units", np.eye(36, dtype="f8").reshape(6, 6, 1, 36, order="F"))
write("truth", 0.3 + r.uniform(0, 0.1, size=(6, 6, 1, 2, 3)))
write("w", r.uniform(0.2, 1, size=(10, 1, 7, 2, 3)), Quantity="weights")'
    gantry project geom truth exact
    py '
p = read("exact")
write("proj", p + 0.05 * np.random.default_rng(2).normal(size=p.shape) * (p > 0.2), Quantity="line-integral", Spacing="1 1 1 0.5 2")'
}

recon() { gantry recon -q --size 6:6:1 "$@"; }

@test "coupled: squares along time are the minimum that NumPy finds" {
    gantry project geom units matrix
    recon -a lbfgs -i 500 --tolerance 1e-12 -R smooth:2:dims=x,channel=0.7,time=3 geom proj x
    py '
A = read("matrix").reshape(-1, 36, order="F")
y = read("proj").reshape(-1, 6, order="F")
def difference(n, axis, h):  # of the flat volume (6, 6, 2, 3)
    dims = (6, 6, 2, 3)
    D = (np.eye(n)[1:] - np.eye(n)[:-1]) / h
    parts = [np.eye(m) for m in dims]
    parts[axis] = D
    out = np.eye(1)
    for p in parts:
        out = np.kron(p, out)
    return out
H = np.kron(np.eye(6), A.T @ A)
for n, axis, h in ((6, 0, 1), (2, 2, 0.5 / 0.7), (3, 3, 2 / 3)):
    D = difference(n, axis, h)
    H += 2 * D.T @ D
want = np.linalg.solve(H, (A.T @ y).ravel(order="F"))
got = read("x").ravel(order="F")
assert np.linalg.norm(got - want) < 1e-6 * np.linalg.norm(want), np.linalg.norm(got - want)'
    py 'assert read("x").shape == (6, 6, 1, 2, 3)'
}

@test "coupled: values of terms along time and channel are those of NumPy" {
    gantry project geom units matrix
    py 'write("still", 0.3 + np.random.default_rng(6).uniform(0, 0.1, size=(6, 6, 1)))
write("moving", 0.3 + np.random.default_rng(6).uniform(0, 0.1, size=(6, 6, 1, 2, 3)))'
    py '
import csv, subprocess
A = read("matrix").reshape(-1, 36, order="F")
y = read("proj").reshape(-1, 6, order="F")
h = (1, 1, 1, 0.5, 2)
def steps(v, weights):
    d = np.zeros((5, *v.shape))
    for axis, w in weights.items():
        cut = [slice(None)] * 5
        cut[axis] = slice(0, -1)
        d[axis][tuple(cut)] = w * np.diff(v, axis=axis) / h[axis]
    return d
def tv(v, weights): return np.sqrt((steps(v, weights)**2).sum(0)).sum()
def rounded(v, weights, delta):
    d = np.abs(steps(v, weights))
    return np.where(d <= delta, d**2 / 2, delta * (d - delta / 2)).sum() / delta
def haar(v):  # one level along x and time
    def both(v, axis):
        v = np.moveaxis(v, axis, 0)
        return np.moveaxis(np.concatenate([v[0::2] + v[1::2], v[0::2] - v[1::2]]) / 2**0.5, 0, axis)
    return np.abs(both(both(v, 0), 3)).sum()
still, moving = read("still").reshape(6, 6, 1, 1, 1), read("moving")
def nuclear(m): return np.linalg.svd(m, compute_uv=False).sum()
def tnv(v, scale, frames):  # frames: axes of the columns of a matrix
    d = steps(v, scale)[list(scale)]
    rest = [a for a in range(5) if a not in frames]
    m = np.transpose(d, [a + 1 for a in rest] + [0] + [a + 1 for a in frames])
    return nuclear(m.reshape(-1, len(scale), int(np.prod([v.shape[a] for a in frames]))))
words = {"tnv:0.2": lambda v: 0.2 * tnv(v, {0: 1, 1: 1}, [3, 4]), "tnv:0.2:dims=x,y=0.5,time": lambda v: 0.2 * tnv(v, {0: 1, 1: 0.5}, [4]),
    "nuclear:0.2": lambda v: 0.2 * nuclear(v.reshape(36, 6)), "nuclear:0.2:dims=time": lambda v: 0.2 * sum(nuclear(v[..., c, :].reshape(36, 3)) for c in (0, 1)),
    "l21:0.2": lambda v: 0.2 * np.sqrt((v**2).sum((3, 4))).sum(), "l21:0.2:dims=channel": lambda v: 0.2 * np.sqrt((v**2).sum(3)).sum(),
    "l21:0.2:dims=y,time": lambda v: 0.2 * np.sqrt((v**2).sum((1, 4))).sum(),
    "tv:0.2:dims=x,y,time": lambda v: 0.2 * tv(v, {0: 1, 1: 1, 4: 1}), "tv:0.2:dims=time=0.3": lambda v: 0.2 * tv(v, {4: 0.3}),
    "tv:0.2:dims=0,3=2,4:aniso": lambda v: 0.2 * np.abs(steps(v, {0: 1, 3: 2, 4: 1})).sum(),
    "htv:0.2:delta=0.02:dims=y,channel=0.4": lambda v: 0.2 * rounded(v, {1: 1, 3: 0.4}, 0.02),
    "smooth:0.7:dims=y,time=0.5": lambda v: 0.35 * (steps(v, {1: 1, 4: 0.5})**2).sum(),
    "wavelet:0.3:levels=1:dims=x,channel": lambda v: 0.3 * haar(v),
    "piccs:0.3:alpha=0.2:dims=x,time=0.5 still": lambda v: 0.3 * (0.2 * tv(v - still, {0: 1, 4: 0.5}) + 0.8 * tv(v, {0: 1, 4: 0.5})),
    "tv:0.3:dims=x,time=0.5:prior still": lambda v: 0.3 * tv(v - still, {0: 1, 4: 0.5}),
    "piccs:0.3:alpha=0.2:dims=x,time=0.5 moving": lambda v: 0.3 * (0.2 * tv(v - moving, {0: 1, 4: 0.5}) + 0.8 * tv(v, {0: 1, 4: 0.5}))}
for word, g in words.items():
    word, *prior = word.split()
    more = ["--prior", prior[0]] if prior else []
    subprocess.run(["gantry", "recon", "-q", "-a", "pdhg", "-i", "30", "--log", "log.csv", *more, "-R", word, "-R", "l2:0.2", *"--size 6:6:1 geom proj x".split()], check=True)
    rows = list(csv.DictReader(open("log.csv")))
    assert len(rows) == 31, len(rows)  # one problem
    v = read("x")
    said = float(rows[-1]["objective"])
    want = 0.5 * ((A @ v.reshape(36, 6, order="F") - y)**2).sum() + g(v) + 0.1 * (v**2).sum()
    assert abs(said - want) < 1e-6 * want, (word, said, want)'
}

@test "coupled: with a factor of 0 every frame is that of its own run" {
    py 'write("mask", np.random.default_rng(3).uniform(size=(6, 6, 1)) > 0.2)
write("init", np.random.default_rng(4).uniform(size=(6, 6, 1, 2, 3)))
write("few", np.random.default_rng(5).uniform(0.2, 1, size=(10, 1, 7, 1, 3)), Quantity="weights")
write("proj32", read("proj").astype("f4"), Quantity="line-integral")'
    for more in "" "--views 1:6:2" "--views 2:5" "--mask mask --init init" "--data weighted" "--data weighted --weights w --views 5,0,3" \
        "--data weighted --weights few --views 2:5" "--data huber:0.05"; do
        for data in proj proj32; do
            for a in "-a gradient --step 0.01 -R" "-a sqs --subsets 3 -R"; do
                [[ $a$more != *sqs*huber* ]] || continue
                # shellcheck disable=SC2086
                recon $a smooth:0 $more -i 5 geom $data apart
                # shellcheck disable=SC2086
                recon $a smooth:0:dims=x,time $more -i 5 geom $data whole
                gantry compare --tolerance 1e-6 apart whole
            done
        done
    done
}

@test "coupled: every algorithm that takes the term reaches the same minimum" {
    recon -a pdhg -i 3000 -R tv:0.01:dims=x,y,time=0.5 -R nonneg geom proj want
    recon -i 400 -R tv:0.01:dims=x,y,time=0.5 -R nonneg geom proj x # spdhg
    gantry compare --tolerance 1e-3 want x
    recon -a admm -i 300 -R tv:0.01:dims=x,y,time=0.5 -R nonneg geom proj x
    gantry compare --tolerance 1e-3 want x
    recon -a condat-vu -i 3000 -R tv:0.01:dims=x,y,time=0.5 -R nonneg geom proj x
    gantry compare --tolerance 1e-3 want x
    recon -a pdhg -i 3000 -R tv:0.01:dims=x,y,time=0.5 geom proj want
    recon -a fista -i 500 -R tv:0.01:dims=x,y,time=0.5 geom proj x
    gantry compare --tolerance 1e-3 want x
    # another weight is another minimum
    recon -a pdhg -i 3000 -R tv:0.01:dims=x,y,time=2 geom proj x
    run -1 gantry compare --tolerance 5e-3 want x
}

@test "coupled: denoisers, descents and rules take terms along time" {
    recon -a asd-pocs -i 20 -R tv:1:dims=x,y,time -R nonneg geom proj a
    recon -a asd-pocs -i 20 -R tv:1:dims=x,y -R nonneg geom proj b
    run -1 gantry compare --tolerance 1e-3 a b
    for word in pnp:median:dims=time pnp:tv:0.05:dims=x,y,time=0.5 pnp:nlm:0.05:dims=x,time red:median:1:dims=x,y,time; do
        recon -i 5 -R $word geom proj x
        py 'assert read("x").shape == (6, 6, 1, 2, 3) and np.isfinite(read("x")).all()'
    done
    for kind in pnp:tv:0.01 red:tv:0.01:1; do
        recon -i 5 -R $kind:dims=x,y,time geom proj a
        recon -i 5 -R $kind:dims=x,y,time=0.1 geom proj b
        run -1 gantry compare --tolerance 1e-4 a b
    done
    gantry recon -i 60 -R tv:auto:dims=x,y,time --rule discrepancy:0.05 --size 6:6:1 geom proj x 2>said
    [ "$(grep -c 'lambda .* by discrepancy' said)" = 1 ] # one factor for all frames
    gantry project geom x p
    gantry saxpy -- -1 p proj r
    py 'r = read("r"); assert abs(np.sqrt((r**2).sum()) - 0.05 * np.sqrt(r.size)) < 0.02 * 0.05 * np.sqrt(r.size)'
}

@test "coupled: the same bytes for any threads, and after --resume" {
    words=(-R "tv:0.05:dims=x,y,time=0.5" -R smooth:0.1:dims=channel -R nonneg)
    recon -j1 -i 12 "${words[@]}" geom proj a
    recon -j4 -i 12 "${words[@]}" geom proj b
    same_bytes a b
    for word in tnv:0.01 nuclear:0.01 l21:0.01; do
        gantry recon -q --size 40:40:1 -j1 -i 2 -R $word geom proj c
        gantry recon -q --size 40:40:1 -j4 -i 2 -R $word geom proj d
        same_bytes c d
    done
    recon -i 5 "${words[@]}" --checkpoint state geom proj b
    [ -e state ]
    recon -i 12 "${words[@]}" --checkpoint state --resume geom proj b
    same_bytes a b
    py 'write("other", read("proj"), Quantity="line-integral", Spacing="1 1 1 0.5 3")'
    fails 1 "state" gantry recon -q --size 6:6:1 -i 12 "${words[@]}" --checkpoint state --resume geom other b
    recon -i 12 --save-every 6 "${words[@]}" geom proj a
    same_bytes a a-0012
}

@test "coupled: --plan counts all frames" {
    gantry recon --plan -R tv:1 -a pdhg --size 6:6:1 geom proj x >apart
    gantry recon --plan -R tv:1:dims=x,y,time -a pdhg --size 6:6:1 geom proj x >whole
    no_output x
    # arrays that terms keep: differences of a prior and a copy of their argument, directions
    py 'write("still", np.ones((6, 6, 1)))'
    for word in tv:1:dims=x,y tv:1:prior:dims=x,y dtv:1:dims=x,y; do
        gantry recon --plan -R $word -a pdhg --prior still --size 6:6:1 geom proj x 2>/dev/null || gantry recon --plan -R $word -a pdhg --size 6:6:1 geom proj x
    done | awk '/^memory/ { m[++n] = $2 } END { exit !(m[2] - m[1] == 1152 && m[3] - m[1] == 576) }'
    grep -q 'of the volume (288 bytes each), [0-9]* of the projections (560 bytes each)' apart
    grep -q 'of the volume (1.7 KiB each), [0-9]* of the projections (3.3 KiB each)' whole
}

# frames: 7 views of 21 for each of 3 times, the same ones for both channels
frames() {
    gantry traj --views 21 --detector 10:1 every
    gantry project every truth all
    for t in 0 1 2; do
        gantry extract view $t:21:3 every g$t
        gantry extract view $t:21:3 all - | gantry extract time $t:$((t + 1)) - p$t
    done
    gantry join time g0 g1 g2 geom
    gantry join time p0 p1 p2 proj
}

@test "coupled: each time has views of its own" {
    frames
    [ "$(dims geom)" = "4 4 7 1 3" ]
    for a in "-a gradient --step 0.01" "-a sqs --subsets 3" "-a gradient --step 0.01 --views 5,0,3"; do
        # shellcheck disable=SC2086
        recon $a -i 5 geom proj whole
        for t in 0 1 2; do
            # shellcheck disable=SC2086
            recon $a -i 5 g$t p$t x$t
        done
        gantry join time x0 x1 x2 apart
        gantry compare --tolerance 1e-6 apart whole
    done
    recon -a sqs --subsets 3 -i 5 --data weighted --weights w geom proj whole
    gantry slice time 1 w w1
    recon -a sqs --subsets 3 -i 5 --data weighted --weights w1 g1 p1 x1
    gantry slice time 1 whole - | gantry compare --tolerance 1e-6 x1 -
    # the views of one time complete those of the others
    gantry slice time 0 truth - | gantry repmat time 3 - still
    gantry project every still all
    for t in 0 1 2; do gantry extract view $t:21:3 all - | gantry extract time $t:$((t + 1)) - p$t; done
    gantry join time p0 p1 p2 proj
    recon -a lbfgs -i 300 -R smooth:0.001 geom proj apart
    recon -a lbfgs -i 300 -R smooth:0.001:dims=time=100 geom proj whole
    py 't = read("still"); e = [np.linalg.norm(read(n) - t) for n in ("apart", "whole")]
assert e[1] < 0.5 * e[0], e'
    recon -i 30 -R tv:0.001:dims=x,y,time geom proj a
    recon -j4 -i 30 -R tv:0.001:dims=x,y,time geom proj b
    same_bytes a b
}

@test "coupled: views of each channel and time, or of each channel" {
    gantry traj --views 42 --detector 10:1 every
    gantry project every truth all
    for t in 0 1 2; do
        for c in 0 1; do
            gantry extract view $((2 * t + c)):42:6 every g$c$t
            gantry extract view $((2 * t + c)):42:6 all - | gantry extract time $t:$((t + 1)) channel $c:$((c + 1)) - p$c$t
            recon -a sqs -i 5 g$c$t p$c$t x$c$t
        done
        for n in g p x; do gantry join channel ${n}0$t ${n}1$t $n$t; done
    done
    for n in g p x; do gantry join time ${n}0 ${n}1 ${n}2 $n; done
    recon -a sqs -i 5 g p whole
    gantry compare --tolerance 1e-6 x whole
    gantry project g00 truth all
    gantry project g10 truth other
    gantry extract channel 0:1 all p0
    gantry extract channel 1:2 other p1
    gantry join channel p0 p1 p
    recon -a sqs -i 5 g0 p whole
    recon -a sqs -i 5 g00 p0 x0
    recon -a sqs -i 5 g10 p1 x1
    gantry join channel x0 x1 x
    gantry compare --tolerance 1e-6 x whole
}

@test "coupled: views of frames that do not fit are refused" {
    frames
    gantry join time g0 g1 two
    [ "$(dims two)" = "4 4 7 1 2" ]
    fails 1 "two has views for 2 times, but proj has 3 times (expected the same number, or a single set of views)" gantry recon two proj x
    gantry traj --views 7 --detector 10:1 --sod 100 --sdd 200 fan
    gantry join time g0 g1 fan mixed
    fails 1 "mixed: channel 0, time 2: view 0 is a fan or cone beam, but the first view is not (all views must have the same beam)" gantry recon mixed proj x
    fails 2 "--dictionary needs a single set of views" gantry recon -a omp -i 3 --dictionary wavelet --size 8:8:1 geom proj x
    fails 2 "--back-model needs a single set of views" gantry recon -a ab-gmres -i 3 --back-model sf geom proj x
    fails 1 "geom has dimensions 4 x 4 x 7 x 1 x 3, expected a geometry of 4 x 4 x views (for one geometry per time, use gantry recon or 'gantry -l time COMMAND')" gantry fbp geom proj x
    no_output x
    gantry -l time project geom truth again
    gantry compare --tolerance 1e-6 proj again
    gantry traj --views 21 --golden --pitch 1.2 --detector 10:1 all # steps between pixels are rounded differently in each view
    gantry reshape 4:4:7:1:3 all geom
    gantry -l time project geom truth proj
    [[ "$(section proj Spacing)" == "1.2 1.2"* ]]
    recon -i 3 geom proj x
}

@test "coupled: total nuclear variation wants edges of all channels at the same place" {
    gantry traj --views 9 --detector 24:1 geom
    py 'r = np.random.default_rng(1)
x = np.zeros((16, 16, 1, 3))
for c, v in enumerate((0.03, 0.05, -0.02)):
    x[4:11, 5:12, 0, c] = v
write("truth", 0.05 + x)'
    gantry project geom truth exact
    py 'p = read("exact")
write("proj", p + 0.02 * np.random.default_rng(2).normal(size=p.shape), Quantity="line-integral")'
    for L in 0.003 0.01 0.03; do
        gantry recon -q -i 300 -R tv:$L --like truth geom proj rec
        gantry compare truth rec >>apart
        gantry recon -q -i 300 -R tnv:$L --like truth geom proj rec
        gantry compare truth rec >>tnv
    done
    awk '{ if (!(FILENAME in e) || $1 < e[FILENAME]) e[FILENAME] = $1 } END { exit !(e["tnv"] < 0.95 * e["apart"]) }' apart tnv
    fails 2 "-R tnv:1:dims=x,y: tnv needs one of x, y, z and one of channel, time, each longer than 1 (give both kinds in dims=, or use tv)" gantry recon -R tnv:1:dims=x,y --like truth geom proj rec2
    fails 2 "-R tnv:1:dims=x,channel=2: tnv uses differences along x, y and z only" gantry recon -R tnv:1:dims=x,channel=2 --like truth geom proj rec2
}

@test "coupled: two scans of one object are one problem of the views of both" {
    gantry traj --views 5 --sod 40 --sdd 80 --pitch 2.5 --detector 10:1 g1
    gantry traj --views 4 --start 20 --sod 50 --sdd 75 --pitch 2 --detector 10:1 g2
    gantry slice time 0 channel 0 truth x
    for k in 1 2; do
        gantry project g$k x p$k
        gantry project g$k units m$k
    done
    gantry join view g1 g2 g
    gantry join --quiet view p1 p2 p
    py 'write("w", np.r_[np.ones(5), np.full(4, 0.3)].reshape(1, 1, 9), Quantity="weights")'
    gantry recon -q --like x -a lbfgs -i 300 --data weighted --weights w -R smooth:0.5 g p rec
    py '
A = np.concatenate([read("m%d" % k).reshape(-1, 36, order="F") for k in (1, 2)])
y = np.concatenate([read("p%d" % k).ravel(order="F") for k in (1, 2)])
w = np.r_[np.ones(50), np.full(40, 0.3)]
D = np.concatenate([np.kron(*p) for p in ((np.eye(6), np.diff(np.eye(6), axis=0)), (np.diff(np.eye(6), axis=0), np.eye(6)))])
want = np.linalg.solve(A.T @ (w[:, None] * A) + 0.5 * D.T @ D, A.T @ (w * y))
got = read("rec").ravel(order="F")
assert np.linalg.norm(got - want) < 1e-5 * np.linalg.norm(want), np.linalg.norm(got - want)'
}
