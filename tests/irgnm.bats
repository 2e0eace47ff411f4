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
        fails 1 "other terms, options, geometry or model" gantry recon --algorithm $a --data transmission:200 -i 6 --damping 3 --checkpoint state --resume --like vol geom counts other
    done
}

# Counts of a disc of water with two rods of bone behind which a spectrum hardens, exact in what is projected; the volume at 60 keV.
hardened() {
    printf '40 2\n60 5\n80 4\n100 0\n120 1\n' >spectrum.txt
    printf '30 0.0376\n60 0.0206\n150 0.0151\n' >water.txt
    printf '30 0.256\n60 0.0605\n150 0.0284\n' >bone.txt
    gantry traj --views 40 --detector 60:1 --pitch 1 geom
    py '
x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(40) - 19.5, indexing="ij")
bone = (np.hypot(abs(x) - 9, y) < 4) & '"$1"'
vol = np.where(np.hypot(x, y) < 17, .0206, 0)*np.where(bone, .0605/.0206, 1)
write("truth", vol[:, :, None].astype("f4"), Quantity="attenuation")
write("share", bone[:, :, None])
for name, v in ("w", vol*~bone), ("b", vol*bone): write(name, v[:, :, None])'
    gantry project geom w pw
    gantry project geom b pb
    py '
at = lambda f, e: np.exp(np.interp(np.log(e), *np.log(np.loadtxt(f)).T))
e, w = np.loadtxt("spectrum.txt").T
w /= w.sum()
p = np.stack([(at("water.txt", E)/at("water.txt", 60))*read("pw").astype("f8") + (at("bone.txt", E)/at("bone.txt", 60))*read("pb") for E in e])
write("counts", 1e5*np.tensordot(w, np.exp(-p), 1), Quantity="counts")'
}

# off WHERE NAME: by how much the mean of the volume is off that of the truth there
off() {
    py '
x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(40) - 19.5, indexing="ij")
r, m = np.hypot(x, y), {"middle": np.hypot(x, y) < 4, "rim": (np.hypot(x, y) > 12) & (np.hypot(x, y) < 15), "between": (abs(x) < 4) & (abs(y) < 3)}["'"$1"'"]
v, t = (read(n).reshape(40, 40)[m].mean() for n in ("'"$2"'", "truth"))
print(abs(v/t - 1))'
}

# less A B: one number is below the other
less() {
    awk -v a="$1" -v b="$2" 'BEGIN { print a, b; exit !(a < b) }'
}

@test "irgnm, lm: hardened beams, one material or two whose places are known" {
    hardened False
    local known=(--spectrum spectrum.txt --attenuation water.txt --energy 60 -i 20 --like truth)
    for a in irgnm lm; do
        gantry recon --algorithm $a --data polychromatic:1e5 "${known[@]}" --inner 30 geom counts one
        for place in middle rim; do less "$(off $place one)" 0.002; done
    done
    gantry recon --data transmission:1e5 -i 20 --inner 30 --like truth geom counts plain
    less 0.009 "$(off rim plain)"
    hardened True
    gantry recon --data polychromatic:1e5:counts "${known[@]}" --inner 40 --material2 bone.txt --fraction share geom counts two
    gantry recon --data polychromatic:1e5 "${known[@]}" --inner 40 geom counts one
    less "$(off between two)" 0.005
    less 0.015 "$(off between one)"
    gantry recon --data polychromatic:1e5 "${known[@]}" --material2 bone.txt --fraction share --plan geom counts two | grep -q "vectors: "
    gantry recon --data polychromatic:1e5 "${known[@]}" -i 3 --checkpoint state geom counts half
    fails 1 "other terms, options, geometry or model" gantry recon --data polychromatic:1e5 "${known[@]}" --energy 70 -i 5 --checkpoint state --resume geom counts half
    gantry history two | grep -q -- "--spectrum"
}

@test "irgnm: a spectrum that makes no sense is refused" {
    hardened True
    fails 2 "--spectrum requires --data polychromatic" gantry irgnm --data transmission:9 --spectrum spectrum.txt geom counts rec
    fails 2 "needs --spectrum and --attenuation" gantry irgnm --data polychromatic:9 --spectrum spectrum.txt geom counts rec
    local known=(--data polychromatic:9 --spectrum spectrum.txt --attenuation water.txt --like truth)
    fails 2 "--material2 and --fraction must be given together" gantry irgnm "${known[@]}" --material2 bone.txt geom counts rec
    fails 2 "not linear" gantry recon --algorithm lsqr "${known[@]}" geom counts rec
    py 'write("bad", 2*read("truth")/.0206); write("small", np.zeros((3, 3)))'
    fails 1 "expected 0 to 1" gantry irgnm "${known[@]}" --material2 bone.txt --fraction bad geom counts rec
    fails 1 "expected 40 x 40 x 1 like the volume" gantry irgnm "${known[@]}" --material2 bone.txt --fraction small geom counts rec
    printf '50 1\n70 2\n' >narrow.txt
    fails 1 "narrow.txt" gantry irgnm --data polychromatic:9 --spectrum spectrum.txt --attenuation narrow.txt geom counts rec
    no_output rec
}

@test "irgnm: bad input" {
    small
    fails 2 "give --data transmission:I0" gantry irgnm --size 6:5:1 geom counts rec
    fails 2 "not linear" gantry recon --algorithm lbfgs --data transmission:1000 --size 6:5:1 geom counts rec
    fails 2 "found -1" gantry irgnm --data transmission:-1 --size 6:5:1 geom counts rec
    fails 2 "" gantry irgnm --data transmission:1000 --factor 2 --size 6:5:1 geom counts rec
    py 'n = read("plain"); n[2, 0, 3] = -1; write("low", n)'
    fails 1 "expected counts" gantry irgnm --data transmission:1000:counts --size 6:5:1 geom low rec
    no_output rec
}
