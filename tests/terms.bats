# The words of -R, and the algorithm for what is asked where none is named.
load common

setup() {
    common_setup
    gantry traj --views 11 --detector 12:1 geom
    py '
write("units", np.eye(64, dtype="f8").reshape(8, 8, 1, 64, order="F"))
write("truth", (0.3 + np.random.default_rng(1).uniform(0, 0.1, size=(8, 8, 1))).astype("f4"))'
    gantry project geom truth proj
}

refused() {
    fails 2 "$1" gantry recon --size 8:8:1 "${@:2}" geom proj rec
    no_output rec
}

@test "terms: dimensions that can have no effect are refused" {
    for kind in tv:1 htv:1:delta=1 smooth:1 wavelet:1 piccs:1 tgv:1 ictv:1 shearlet:1 l21:1 nuclear:1 pnp:median red:nlm:1:1; do
        for d in z channel time 2 3 4; do
            refused "-R $kind:dims=x,$d: the volume has one voxel along $d (remove it from dims)" -R $kind:dims=x,$d
        done
        refused "dims contains y twice" -R $kind:dims=y,y
        refused "dims contains 1 twice" -R $kind:dims=y,1
        refused "unknown dimension 'w' in dims (valid: x, y, z, channel, time)" -R $kind:dims=w
        refused "unknown dimension '5'" -R $kind:dims=5
        refused "unknown dimension ''" -R $kind:dims=x,
    done
    refused "the volume has one voxel along z" -a asd-pocs -R awtv:1:delta=1:dims=z
    for kind in wavelet:1 pnp:median red:nlm:1:1; do
        refused "does not use differences along dimensions, so a weight of y has no effect (remove '=2')" -R $kind:dims=x,y=2
    done
    for kind in l21 nuclear; do
        refused "-R $kind:1: the volume has a single channel and a single time (name other dimensions in dims=)" -R $kind:1
    done
    refused "-R shearlet:1:dims=x: a shearlet transform needs two dimensions (for example dims=x,y)" -R shearlet:1:dims=x
    refused "levels=13, expected at most 12" -R shearlet:1:levels=13
    refused "ratio=-1, expected a finite number above 0" -R tgv:1:ratio=-1
    for weight in 0 -1; do
        refused "the weight of y is $weight, expected a finite number above 0" -R tv:1:dims=x,y=$weight
    done
    refused "-R dims: 'a'" -R tv:1:dims=x,y=a
    for kind in l1:1 l2:1 l0:1; do
        refused "${kind%%:*} does not take 'dims' (valid: prior)" -R $kind:dims=x
    done
    for kind in box:0:1 nonneg; do
        refused "${kind%%:*} does not take 'dims' (valid: no key)" -R $kind:dims=x
    done
    refused "external does not take 'dims' (valid: no key)" -R pnp:external:1:dims=x --denoiser 'cp {in} {out}'
}

@test "terms: dims chooses the directions of every kind that takes it" {
    cp truth.cfl prior.cfl
    cp truth.hdr prior.hdr
    for kind in tv:0.3 htv:0.3:delta=1 awtv:1:delta=1 smooth:3 wavelet:0.3 piccs:0.3 pnp:median pnp:nlm:0.1 pnp:bilateral:0.1 pnp:diffusion:0.1:steps=3 pnp:wavelet:0.1 pnp:tv:0.1 red:median:1 tgv:0.3 ictv:0.3; do
        more=()
        [[ $kind != piccs* ]] || more=(--prior prior)
        for dims in '' :dims=x,y :dims=x :dims=y :dims=0; do
            gantry recon -q -i 5 "${more[@]}" -R "$kind$dims" --like truth geom proj "rec$dims"
        done
        same_bytes rec rec:dims=x,y
        same_bytes rec:dims=x rec:dims=0
        for other in :dims=x :dims=y; do
            if cmp -s rec.cfl rec$other.cfl; then
                echo "$kind$other changes nothing" >&2
                false
            fi
        done
        if cmp -s rec:dims=x.cfl rec:dims=y.cfl; then false; fi
    done
}

@test "terms: keys that a kind would ignore, unknown ones and repeated ones are refused" {
    refused "-R tv:1:delta=2: tv does not take 'delta' (valid: dims, aniso, prior)" -R tv:1:delta=2
    refused "htv does not take 'aniso' (valid: dims, delta, prior)" -R htv:1:delta=1:aniso
    refused "smooth does not take 'levels' (valid: dims, prior)" -R smooth:1:levels=2
    refused "tv does not take 'alpha'" -R tv:1:alpha=0.3
    refused "median does not take 'patch' (valid: dims, radius)" -R pnp:median:patch=1
    refused "nlm does not take 'radius' (valid: dims, patch, search, strength)" -R pnp:nlm:1:radius=2
    refused "tv does not take 'spins'" -R red:tv:1:1:spins=2
    refused "'alpha' is given twice" -R piccs:1:alpha=0.5:alpha=0.2
    refused "unknown key 'weight=3' (valid: dims, aniso, prior)" -R tv:1:weight=3
    refused "unknown key 'aniso=1'" -R tv:1:aniso=1
    refused "unexpected number '3'" -R box:1:2:3
    for box in box box:1 box:2:1 box:1:1; do refused "expected box:LO:HI with LO below HI" -R $box; done
    refused "-R nonneg:1: unexpected number (this term takes none)" -R nonneg:1
    refused "levels=4, but the volume has at most 3 along these dimensions" -R wavelet:1:levels=4
    refused "levels=4, but the volume has at most 3" -R pnp:wavelet:1:levels=4
    refused "levels=0, expected at least 1" -R pnp:wavelet:1:levels=0
    refused "piccs supports only isotropic total variation (remove aniso)" -a piccs -R piccs:1:aniso --prior proj
}

@test "terms: which factors can be auto; the one of piccs is that of both parts" {
    gantry recon -i 60 -R piccs:auto:alpha=0.3 --rule discrepancy:0.05 --prior truth --like truth geom proj a 2>said
    lambda=$(sed -n 's/.*lambda \([^ ]*\) by.*/\1/p' said)
    gantry recon -i 60 -R "piccs:$lambda:alpha=0.3" --prior truth --like truth geom proj b
    gantry compare --tolerance 1e-4 a b
    # of the two parts the penalty of the curve is alpha TV(x - prior) + (1 - alpha) TV(x)
    gantry recon -i 1000 -R piccs:auto:alpha=0.3:dims=x --rule lcurve --range 0.01:1 --curve curve.csv --prior truth --like truth geom proj a
    py '
import csv, subprocess
row = list(csv.DictReader(open("curve.csv")))[3]
subprocess.run(["gantry", "recon", "-q", "-i", "2000", "-R", "piccs:%s:alpha=0.3:dims=x" % row["lambda"], "--prior", "truth", "--like", "truth", "geom", "proj", "b"], check=True)
x, t = read("b"), read("truth")
tv = lambda v: np.abs(np.diff(v, axis=0)).sum()
want = 0.3 * tv(x - t) + 0.7 * tv(x)
assert abs(float(row["penalty"]) - want) < 0.02 * want, (row, want)'
    refused "-R tgv:auto: the factor of tgv cannot be auto, since the value of this term is unknown (give a number)" -R tgv:auto
    refused "-R red:median:auto: the factor of red cannot be auto, since the value of this term is unknown (give a number)" -R red:median:auto
    refused "the factor of red cannot be auto" -R red:tv:0.1:auto
    refused "the noise of a denoiser cannot be auto (give its standard deviation [1/mm])" -R pnp:tv:auto
    refused "the noise of a denoiser cannot be auto" -R red:nlm:auto:1
    refused "nonneg has no factor that could be auto" -R nonneg:auto
    refused "box has no factor that could be auto" -R box:auto:1
    refused "found 2 numbers, expected one (tv:L)" -R tv:auto:1
    gantry recon --help=terms | tr -s '\n ' ' ' | grep -q 'At most one term may have the factor .auto.\. The option --rule .* The terms tgv, ictv, pnp and red cannot have the factor .auto.'
}

# Every measure of the data with every kind of term: it runs and gets nearer to the data, or is refused by a sentence that names what
# to change.
@test "terms: without --algorithm every --data and every term works, or is refused with what to change" {
    gantry project geom units matrix
    py '
import csv, json, os, re, subprocess
def gantry(*words):
    p = subprocess.run(["gantry", *words], capture_output=True, text=True)
    return p.returncode, p.stderr.split("\n")[0]
options = json.loads(subprocess.run(["gantry", "recon", "--interface"], capture_output=True, text=True).stdout)["options"]
forms = next(o for o in options if o["long"] == "regularise")["placeholder"].split("|")
said = gantry("recon", "-R", "pnp:none-such", "geom", "proj", "rec")[1]
methods = re.findall("[a-z]+", said.split("valid: ")[1].replace(" or ", " "))
def word(form, method=None): # of every kind and denoiser, with numbers and what this slice asks for
    w = form.replace("METHOD:S", method if method == "median" else "%s:S" % method)
    for letters, number in (("L", "0.001"), ("S", "0.01"), ("D", "0.1"), ("LO", "0"), ("HI", "1")):
        w = re.sub(r"\b%s\b" % letters, number, w)
    one_frame = "name other dimensions" in gantry("recon", "--like", "truth", "-R", w, "geom", "proj", "rec")[1]
    return w + ":dims=x" * one_frame
words = [word(f, m) for f in forms for m in (methods if "METHOD" in f else [""]) if m != "external"]
priors = {w for w in words if "expected --prior" in gantry("recon", "--like", "truth", "-R", w, "geom", "proj", "rec")[1]}
for f in ("rec.hdr", "rec.cfl"):
    os.remove(f)
said = gantry("recon", "--data", "none-such", "geom", "proj", "rec")[1]
models = [m for m in re.findall(r"[a-z0-9]+(?::[A-Za-z0-9:]+)?", said.split("expected ")[1]) if m != "or" and ":counts" not in m]
texts = {"l2": "l2", "weighted": "weighted", "poisson": "poisson:500", "kl": "kl", "huber": "huber:0.1", "transmission": "transmission:500",
    "polychromatic": None}
assert len(models) == 7 and len(words) == len(forms) + 2 * (len(methods) - 2) and len(forms) > 19, (models, words)
A = read("matrix").reshape(-1, 64, order="F")
y = read("proj").astype("f8").ravel(order="F")
n = 500 * np.exp(-y)
def huber(r, d=0.1):
    return np.where(np.abs(r) <= d, r**2 / 2, d * (np.abs(r) - d / 2)).sum()
def kl(t):
    t = np.maximum(t, 1e-12)
    return (t - y * np.log(t)).sum()
measure = {"l2": lambda t: np.sum((t - y)**2), "weighted": lambda t: np.sum(np.exp(-y) * (t - y)**2), "huber": lambda t: huber(t - y), "kl": kl,
    "poisson": lambda t: (500 * np.exp(-t) + n * t).sum(), "transmission": lambda t: np.sum((500 * np.exp(-t) - n)**2 / np.maximum(n, 1))}
ran = refused = 0
open("spectrum", "w").write("50 1\n60 1\n")
open("mu", "w").write("50 0.02\n60 0.018\n")
for m in models:
    m = m.split(":")[0]
    for w in [None, *words]:
        data = ["--data", texts[m]] if m != "polychromatic" else ["--data", "polychromatic:500", "--spectrum", "spectrum", "--attenuation", "mu"]
        term = ["-R", w] if w else []
        prior = ["--prior", "truth"] if w in priors else []
        for more in ([], ["-R", "nonneg"]):
            if m == "polychromatic" and more:
                continue
            status, said = gantry("recon", "--force", "-q", "-i", "30", *data, *term, *more, *prior, "--log", "log.csv", "--like", "truth", "geom", "proj", "rec")
            where = (m, w, more, status, said)
            assert status in (0, 2), where
            if status == 2:
                refused += 1
                assert "(remove" in said or "(use" in said or "(give" in said, where
                assert not os.path.exists("rec.hdr"), where
                continue
            ran += 1
            log = [r["objective"] for r in csv.DictReader(open("log.csv"))]
            if log[0] and log[-1]:
                assert float(log[-1]) < 0.9 * float(log[0]), (where, log)
            if m in measure:
                x = read("rec").astype("f8").ravel(order="F")
                flat = np.full(64, y.sum() / A.sum()) if m == "kl" else np.zeros(64)
                assert measure[m](A @ x) < measure[m](A @ flat), where
            for f in ("rec.hdr", "rec.cfl", "log.csv"):
                os.remove(f)
assert ran > 150 and refused > 40, (ran, refused)'
}

@test "terms: a named algorithm that knows no step says what to do" {
    for a in fista condat-vu gradient; do
        fails 1 "$a: the curvature of the objective has no known bound (give --step S, or use --algorithm pdhg)" gantry recon --force -a $a --data kl --like truth geom proj rec
    done
    for a in sqs lbfgs nlcg; do # the latter made no step, and said that the minimum was reached
        fails 1 "$a: the curvature of the objective has no known bound (use --algorithm pdhg)" gantry recon --force -a $a --data kl --like truth geom proj rec
    done
    no_output rec
    gantry recon -q --force --step 0.001 --data kl -R nonneg --like truth geom proj rec
    gantry history rec | grep -q 'algorithm=fista'
}

# The objective that the log says, of the x that is written, by NumPy: every number of a word and of --data counts.
@test "terms: values of every term and of every measure of the data are those of NumPy" {
    py 'write("w", np.random.default_rng(5).uniform(0.2, 1, size=(12, 1, 11)))
write("units", np.eye(64, dtype="f8").reshape(8, 8, 1, 64, order="F"), Spacing="0.5 1.5 1")
write("truth", 0.3 + np.random.default_rng(1).uniform(0, 0.1, size=(8, 8, 1)), Spacing="0.5 1.5 1")
write("prior", 0.3 + np.random.default_rng(6).uniform(0, 0.1, size=(8, 8, 1)), Spacing="0.5 1.5 1")'
    gantry project geom units matrix
    gantry project geom truth exact
    py 'p = read("exact")
write("proj", p + 0.1 * np.random.default_rng(2).normal(size=p.shape) * (p > 0.2), Quantity="line-integral")'
    py '
import csv, subprocess
A = read("matrix").reshape(-1, 64, order="F")
y, w = (read(n).ravel(order="F") for n in ("proj", "w"))
prior = read("prior").reshape(8, 8)
def steps(v, dims):
    d = np.zeros((2, 8, 8))
    if "x" in dims: d[0, :-1] = np.diff(v, axis=0) / 0.5
    if "y" in dims: d[1, :, :-1] = np.diff(v, axis=1) / 1.5
    return d
def tv(v, dims="xy"): return np.sqrt((steps(v, dims)**2).sum(0)).sum()
def along(v, eta):
    p, d = steps(prior, "xy"), steps(v, "xy")
    xi = p / np.sqrt((p**2).sum(0) + eta**2)
    return np.sqrt(((d - xi * (xi * d).sum(0))**2).sum(0)).sum()
def rounded(v, delta):
    d = np.abs(steps(v, "xy"))
    return np.where(d <= delta, d**2 / 2, delta * (d - delta / 2)).sum() / delta
def haar(v, levels):
    total = 0
    for _ in range(levels):
        v = np.concatenate([v[0::2] + v[1::2], v[0::2] - v[1::2]]) / 2**0.5
        v = np.concatenate([v[:, 0::2] + v[:, 1::2], v[:, 0::2] - v[:, 1::2]], axis=1) / 2**0.5
        n = len(v) // 2
        total += np.abs(v).sum() - np.abs(v[:n, :n]).sum()
        v = v[:n, :n]
    return total + np.abs(v).sum()
words = {"tv:0.3": lambda v: 0.3 * tv(v), "tv:0.3:dims=y": lambda v: 0.3 * tv(v, "y"), "tv:0.3:aniso": lambda v: 0.3 * np.abs(steps(v, "xy")).sum(),
    "htv:0.3:delta=0.05": lambda v: 0.3 * rounded(v, 0.05), "smooth:0.7": lambda v: 0.35 * (steps(v, "xy")**2).sum(),
    "piccs:0.3:alpha=0.2": lambda v: 0.3 * (0.2 * tv(v - prior) + 0.8 * tv(v)), "l1:0.3": lambda v: 0.3 * np.abs(v).sum(),
    "l2:0.3": lambda v: 0.15 * (v**2).sum(), "wavelet:0.3:levels=1": lambda v: 0.3 * haar(v, 1), "wavelet:0.3:levels=3": lambda v: 0.3 * haar(v, 3),
    "l0:0.01": lambda v: 0.01 * (v != 0).sum(), "l21:0.3:dims=y": lambda v: 0.3 * np.sqrt((v**2).sum(1)).sum(),
    "tv:0.3:prior": lambda v: 0.3 * tv(v - prior), "htv:0.3:delta=0.05:prior": lambda v: 0.3 * rounded(v - prior, 0.05),
    "smooth:0.7:prior": lambda v: 0.35 * (steps(v - prior, "xy")**2).sum(), "wavelet:0.3:levels=1:prior": lambda v: 0.3 * haar(v - prior, 1),
    "l1:0.3:prior": lambda v: 0.3 * np.abs(v - prior).sum(), "l2:0.3:prior": lambda v: 0.15 * ((v - prior)**2).sum(),
    "nuclear:0.3:dims=y:prior": lambda v: 0.3 * np.linalg.svd((v - prior).reshape(8, 8), compute_uv=False).sum(),
    "dtv:0.3:eta=0.05": lambda v: 0.3 * along(v, 0.05), "dtv:0.3": lambda v: 0.3 * along(v, np.sqrt((steps(prior, "xy")**2).sum() / 64)),
    "nuclear:0.3:dims=y": lambda v: 0.3 * np.linalg.svd(v.reshape(8, 8), compute_uv=False).sum(), "nonneg": lambda v: 0, "box:0:0.35": lambda v: 0}
def huber(r, d): return np.where(np.abs(r) <= d, r**2 / 2, d * (np.abs(r) - d / 2)).sum()
n, seen = 300 * np.exp(-y), y > 1e-9
models = {("l2",): lambda t: 0.5 * np.sum((t - y)**2), ("weighted", "--weights", "w"): lambda t: 0.5 * np.sum(w * (t - y)**2),
    ("weighted",): lambda t: 0.5 * np.sum(np.exp(y.min() - y) * (t - y)**2), ("huber:0.05",): lambda t: huber(t - y, 0.05),
    ("poisson:300",): lambda t: np.sum(300 * np.exp(-t) - n - n * np.log(300 * np.exp(-t) / n)),
    ("kl",): lambda t: np.sum(t - y) + np.sum(y[seen] * np.log(y[seen] / t[seen]))}
bad = []
for data, d in models.items():
    for word, g in words.items():
        if (data != ("l2",)) and word not in ("tv:0.3", "nonneg"):
            continue
        more = ["--prior", "prior"] if word.startswith("piccs") or "prior" in word or "dtv" in word else []
        if word[:2] in ("tv", "pi", "wa", "dt") or data == ("kl",):
            more += ["-a", "pdhg"]  # spdhg says the values that it met on its way through the subsets
        elif word[:2] in ("l1", "no", "bo"):
            more += ["-a", "fista"]
        if data == ("kl",):
            more += ["-R", "nonneg"]
        subprocess.run(["gantry", "recon", "-q", "--force", "-i", "40", "--lambda", "0.2", "--data", *data, "-R", word, *more, "--log", "log.csv",
            *"--size 8:8:1 --spacing 0.5:1.5:1 geom proj rec".split()], check=True)
        v = read("rec")
        said, want = float(list(csv.DictReader(open("log.csv")))[-1]["objective"]), d(A @ v.ravel(order="F")) + g(v) + 0.1 * (v**2).sum()
        if word.startswith("box"):
            assert v.min() >= -1e-12 and v.max() <= 0.35 + 1e-12 and v.max() > 0.3499, (v.min(), v.max())
        if not abs(said - want) < 1e-6 * abs(want):
            bad.append((data, word, said, want))
assert not bad, bad'
}

@test "terms: ramps cost total generalised variation and infimal convolution nothing" {
    py 'x, y = np.indices((8, 8)) - 3.5
write("ramp", (0.3 + 0.02 * x - 0.01 * y)[:, :, None])
write("bent", (0.3 + 0.005 * x**2)[:, :, None])'
    gantry project geom ramp proj
    for kind in tgv ictv; do
        recon() { gantry recon -q -i 400 --type float64 --like ramp "$@" geom proj rec; }
        recon -R $kind:3
        gantry compare --tolerance 1e-2 ramp rec
        recon -R $kind:0.3 -R nonneg
        gantry compare --tolerance 1e-5 ramp rec
        # what the prox starts from is kept with the iterates
        recon -i 20 -R $kind:0.3 --checkpoint state
        cp rec.cfl first.cfl
        cp rec.hdr first.hdr
        recon -i 40 -R $kind:0.3 --checkpoint state --resume
        cp rec.cfl went.cfl
        cp rec.hdr went.hdr
        recon -i 40 -R $kind:0.3
        same_bytes rec went
        if cmp -s first.cfl went.cfl; then false; fi
        rm state
    done
    recon -R tv:3
    run -1 gantry compare --tolerance 1e-2 ramp rec
    # what is not a ramp costs, and more with a larger ratio
    gantry project geom bent proj
    recon -R tgv:0.3:ratio=0.01
    gantry compare bent rec >small
    recon -R tgv:3:ratio=100
    gantry compare bent rec >large
    awk '{ e[NR] = $1 } END { exit !(e[1] < 0.1 * e[2]) }' small large
}

@test "terms: shearlets keep a line in noise" {
    py 'x, y = np.indices((32, 32)) - 15.5
line = (np.abs(x + 0.5 * y) < 1.2) * 1.0
write("line", 0.05 * line[:, :, None])'
    gantry traj --views 24 --detector 40:1 g
    gantry project g line exact
    gantry noise --photons 2000 --seed 1 exact proj
    gantry recon -q -i 60 -R shearlet:0.01 --like line g proj a
    gantry recon -q -i 60 -R l2:1e-6 --like line g proj b
    gantry compare line a >shear
    gantry compare line b >least
    awk '{ e[NR] = $1 } END { exit !(e[1] < 0.8 * e[2]) }' shear least
    for levels in 1 4; do gantry recon -q -i 3 -R shearlet:0.3:levels=$levels --like line g proj l$levels; done
    if cmp -s l1.cfl l4.cfl; then false; fi
}

@test "terms: a prior image for any term, and its edges for directional total variation" {
    gantry traj --views 6 --detector 40:1 g
    py 'x, y = np.indices((32, 32)) - 15.5
disc, square = (x**2 + y**2 < 150) * 1.0, (np.abs(x - 2) < 4) * (np.abs(y + 3) < 4) * 1.0
write("x", (0.03 * disc + 0.02 * square)[:, :, None])
write("same", (0.03 * disc)[:, :, None])        # without the square
write("edges", (1.5 * disc - 4 * square)[:, :, None])  # of other values'
    gantry project g x p
    of() {
        gantry recon -q -i 300 --like x "$@" g p rec
        gantry compare x rec
    }
    plain=$(of -R tv:0.002)
    prior=$(of -R tv:0.002:prior --prior same)
    directed=$(of -R dtv:0.002 --prior edges)
    awk "BEGIN { exit !($prior < 0.6 * $plain && $directed < 0.6 * $plain) }"
    # piccs is two of these
    gantry recon -q -i 20 --like x -R piccs:0.002:alpha=0.3 --prior same g p a
    gantry recon -q -i 20 --like x -R tv:0.0006:prior -R tv:0.0014 --prior same g p b
    gantry compare --tolerance 1e-5 a b
    for word in dtv:1 tv:1:prior tgv:1:prior l2:1:prior; do
        fails 2 "-R $word: expected --prior VOL" gantry recon --like x -R $word g p c
    done
    fails 2 "--prior has no effect without -R piccs or dtv or a term such as -R tv:L:prior" gantry recon --like x -R tv:1 --prior same g p c
    fails 2 "dtv:1: fista does not support terms that use differences between voxels (use spdhg, pdhg or admm)" gantry recon -a fista --like x -R dtv:1 --prior same g p c
    for word in tv:1:prior l2:1:prior piccs:1; do
        fails 2 "-R $word: irn does not support terms with a prior (use spdhg, pdhg or admm)" gantry recon -a irn --like x -R $word --prior same g p c
    done
    fails 2 "--rule gcv: needs quadratic penalties" gantry recon -a lbfgs --like x -R l2:auto:prior --rule gcv --prior same g p c
    for eta in -1 0; do
        fails 2 "eta=$eta, expected a finite number above 0" gantry recon --like x -R dtv:1:eta=$eta --prior same g p c
    done
    fails 2 "ratio=0, expected a finite number above 0" gantry recon --like x -R tgv:1:ratio=0 g p c
    no_output c
}

@test "terms: a channel does not depend on those before it" {
    py '
r = np.random.default_rng(5)
write("vol", r.random((9, 7, 1, 2)))'
    gantry traj --views 5 --detector 12:1 geom
    gantry project geom vol both
    gantry slice channel 1 both second
    for o in "-a ista -R tv:0.1" "-a fista -R tgv:0.1" "-a pdhg -R ictv:0.1 -R nonneg" "-a ista -R tv:0.5n"; do
        gantry recon -q $o --like vol -i 6 geom both a
        gantry recon -q $o --size 9:7:1 --spacing 1 -i 6 geom second b
        py 'assert (read("a")[..., 1].ravel(order="F") == read("b").ravel(order="F")).all()'
    done
}
