load common

# p: line integrals of a head with the noise of 1e5 photons; others: the same with stripes of a known size
make_stripes() {
    traj --views 360 --detector 320 --pitch 0.4 g
    phantom --size 128:128 --geometry g - | noise -q --photons 1e5 - p
    py '
rng = np.random.default_rng(3)
p = read("p").reshape(320, 1, 360).astype("f8")
gain = np.zeros(320)
gain[rng.choice(320, 40, replace=False)] = rng.normal(0, .04, 40)
wide = np.zeros(320)
wide[100:106] += .08
wide[225:230] -= .08
dead = p.copy()
dead[[80, 171, 250]] = .7
half = p.copy()
half[[70, 150, 260], :, 80:280] += .1
for name, x in ("gain", p + gain[:, None, None]), ("wide", p + wide[:, None, None]), ("dead", dead), ("half", half):
    write(name, x.astype("f4"), Quantity="line-integral")'
}

# falls OPTIONS DEFECT FACTOR: the error of the sinogram is to become that much smaller; all_fell checks those noted so far
falls() {
    count=$((${count:-0} + 1))
    # shellcheck disable=SC2086 # words
    rings -q $1 "$2" "fallen$count"
    echo "fallen$count|$2|$3|$1" >>noted
}

all_fell() {
    py '
p = read("p").astype("f8")
for line in open("noted"):
    name, defect, factor, options = line.rstrip("\n").split("|")
    s, o = read(defect).astype("f8"), read(name).astype("f8")
    falls = np.linalg.norm(s - p)/np.linalg.norm(o - p)
    print(options, defect, "the error falls by", falls)
    assert np.isfinite(o).all() and falls > float(factor)'
}

@test "rings: faint stripes, every method by its factor" {
    make_stripes
    falls "" gain 9
    falls "--size 21" gain 5
    falls "--method sorting --size 21" gain 5
    falls "--method sorting --size 11" gain 9
    falls "--method median --size 11" gain 12
    falls "--method filtering --size 21" gain 4.5
    falls "--method regularised" gain 2
    falls "--method wavelet" gain 2.2
    falls "--method fitting" gain 1.8
    all_fell
}

@test "rings: wide stripes, dead columns, rings that are not full" {
    make_stripes
    falls "--size 21" wide 4
    falls "--method large" wide 5
    falls "" dead 10
    falls "--method dead" dead 20
    falls "--method sorting --size 11 --median 121" half 1.6
    for m in combined sorting filtering median; do falls "--method $m" half 1.25; done
    all_fell
}

@test "rings: the closed solution of a tridiagonal system" {
    py 'write("gain", np.random.default_rng(2).random((64, 1, 50)).cumsum(2).astype("f4"), Quantity="line-integral")'
    rings -q --method regularised --alpha 0.3 gain o
    py '
s = read("gain").astype("f8")[:, 0]
D = np.diff(np.eye(64), axis=0)
q = np.linalg.solve(D.T @ D + .3*np.eye(64), D.T @ D @ s.mean(1))
assert np.abs(read("o")[:, 0] - (s - q[:, None])).max() < 5e-6'
}

@test "rings: parts of the scan have stripes of their own" {
    py 'write("gain", np.random.default_rng(2).random((64, 1, 50)).cumsum(2).astype("f4"), Quantity="line-integral")'
    for b in 1 3 4; do rings -q --method regularised --alpha 0.3 --blocks $b --median 1 gain o$b; done
    py '
s = read("gain").astype("f8")[:, 0]
D = np.diff(np.eye(64), axis=0)
for blocks in 1, 3, 4:
    want = s.copy()
    for b in range(blocks):
        part = slice(b * 50 // blocks, (b + 1) * 50 // blocks)
        want[:, part] -= np.linalg.solve(D.T @ D + .3*np.eye(64), D.T @ D @ s[:, part].mean(1))[:, None]
    assert np.abs(read("o%d" % blocks)[:, 0] - want).max() < 5e-6, blocks'
}

@test "rings: sorting, filtering, fitting and medians as published, against NumPy and SciPy" {
    py 'write("gain", np.random.default_rng(2).random((64, 1, 50)).cumsum(2).astype("f4"), Quantity="line-integral")'
    rings -q --method sorting --size 9 --median 1 gain sorting
    rings -q --method filtering --size 9 --sigma 4 --median 1 gain filtering
    rings -q --method fitting --order 3 --sigma 2 --median 1 gain fitting
    rings -q --method median --size 7 --median 1 gain median
    rings -q --method median --size 7 --median 5 gain steady
    py '
from scipy.fft import dct, idct
from scipy.ndimage import median_filter
s = read("gain")[:, 0].astype("f8")
def by_rank(x):
    order = np.argsort(x, axis=1, kind="stable")
    y = np.empty_like(x)
    np.put_along_axis(y, order, median_filter(np.take_along_axis(x, order, 1), (9, 1), mode="reflect"), 1)
    return y
def gaussian(x, per_sample): # standard deviation in frequency, of a mirrored signal
    f = np.arange(x.shape[-1])/2/x.shape[-1]
    return idct(dct(x)*np.exp(-(f/per_sample)**2/2))
slow = gaussian(s, 4/50)
basis = np.linalg.qr(np.vander(np.linspace(-1, 1, 50), 4, True))[0]
c = s @ basis
smooth = median_filter(s, (7, 1), mode="reflect")
refs = {"sorting": by_rank(s), "filtering": by_rank(slow) + s - slow,
    "fitting": s + (gaussian(c.T, 1/(2*np.pi*2)).T - c) @ basis.T, "median": smooth,
    "steady": s - median_filter(s - smooth, (1, 5), mode="reflect")}
for name, ref in refs.items():
    worst = np.abs(read(name)[:, 0] - ref).max()
    assert np.abs(ref - s).max() > .1 and worst < 4e-6, (name, worst)'
}

@test "rings: large and dead stripes as published, against NumPy and SciPy" {
    py '
rng = np.random.default_rng(5)
u, k = np.meshgrid(np.linspace(0, 1, 96), np.linspace(0, 1, 60), indexing="ij")
s = np.sin(np.pi*u)*(1 + .2*k) + .01*rng.normal(size=u.shape)
wide, dead = s.copy(), s.copy()
wide[30:34] += .15
wide[60:64, :] -= .1 + .1*k[60:64]
wide[70:90, :] += np.linspace(0, .02, 20)[:, None]
dead[[0, 40, 70, 71, 95]] = .7
dead[20] += .2*rng.normal(size=60)
dead[50:55] = .6
for name, x in ("wide", wide), ("dead", dead):
    write(name, x[:, None], Quantity="line-integral")'
    rings -q --method large --large 21 --median 1 wide large
    rings -q --method large --large 21 --snr 1000 --median 1 wide faint
    rings -q --method dead --large 21 --snr 1.5 dead bridged
    py '
from scipy.ndimage import convolve1d, median_filter
def marked(v, snr): # algorithm 4
    n, v_up = len(v), np.sort(v)
    i = np.arange(n//4, n - n//4)
    lo, hi = np.polyval(np.polyfit(i, v_up[i], 1), [0, n - 1])
    m = np.zeros(n, bool)
    if v_up[-1] - hi > snr*(hi - lo): m |= v > hi + snr*(hi - lo)/2
    if lo - v_up[0] > snr*(hi - lo): m |= v < lo - snr*(hi - lo)/2
    return m
widened = lambda m: np.convolve(m, [1, 1, 1], "same") > 0
def large(s, snr):
    order = np.argsort(s, axis=1, kind="stable")
    ranked = np.take_along_axis(s, order, 1)
    smooth = median_filter(ranked, (21, 1), mode="reflect")
    out = (ranked - smooth)[:, 3:-3].mean(1)
    m = widened(marked(out, snr))
    out[np.abs(out) <= 5*np.median(np.abs(out))] = 0
    y = np.empty_like(s)
    np.put_along_axis(y, order, np.where(m[:, None], smooth, ranked - out[:, None]), 1)
    return y, m
def bridged(s):
    rough = np.abs(s - convolve1d(s, np.ones(11)/11, 1, mode="reflect")).mean(1)
    m = marked(rough/median_filter(rough, 21, mode="reflect"), 1.5)
    runs = np.split(np.arange(96), np.flatnonzero(np.diff(m)) + 1)
    for r in runs: m[r] &= len(r) <= 21//8
    m = widened(m)
    y = s.copy()
    for k in range(60): y[m, k] = np.interp(np.flatnonzero(m), np.flatnonzero(~m), s[~m, k])
    return y, m
s = read("wide")[:, 0]
for name, snr in ("large", 3), ("faint", 1000):
    want, m = large(s, snr)
    worst = np.abs(read(name)[:, 0] - want).max()
    assert worst < 1e-12 and m.any() == (snr == 3), (name, worst, np.flatnonzero(m))
    assert np.abs(want - s).max() > .1
s = read("dead")[:, 0]
want, m = bridged(s)
assert m[[0, 1, 19, 20, 21, 39, 40, 41, 69, 72, 94, 95]].all() and not m[48:57].any(), np.flatnonzero(m)
assert np.abs(read("bridged")[:, 0] - want).max() < 1e-12'
}

@test "rings: what is smooth along the rows stays" {
    py '
u, k = np.meshgrid(np.linspace(0, 1, 64), np.linspace(0, 1, 50), indexing="ij")
write("x", (2 + np.cos(np.pi*u)*(1 + k))[:, None].astype("f4"), Quantity="line-integral")'
    for m in combined sorting filtering dead median; do
        rings -q --method $m x y
        compare --tolerance 0.01 x y
    done
}

@test "rings: the same bytes for any threads, rows and pipes" {
    py 'write("x", np.random.default_rng(0).random((40, 5, 33, 2)).astype("f4"), Quantity="line-integral")'
    for j in 1 2 5; do rings -q -j $j x y$j; done
    copy x - | rings -q - - | copy - yp
    for n in 2 5 p; do same_bytes y1 y$n; done
    extract v 3 channel 1 x row
    rings -q row z
    extract v 3 channel 1 y1 w
    same_bytes z w
}

@test "rings: bad input is refused" {
    phantom --size 16:16:8 vol
    py '
x = np.ones((16, 2, 8), "f4")
write("c", x, Quantity="counts")
write("few", x[:4], Quantity="line-integral")
write("one", x[:, :, :1], Quantity="line-integral")
x[3, 1, 5] = np.nan
write("nan", x, Quantity="line-integral")'
    fails 1 "run gantry normalize first" rings c o
    fails 1 "attenuation" rings vol o
    fails 1 "4 columns" rings few o
    fails 1 "several views" rings one o
    fails 1 "nan: element 19 of view 5 is not finite" rings nan o
    fails 2 "--order requires --method fitting" rings --order 3 few o
    fails 2 "--levels requires --method wavelet" rings --method median --levels 3 few o
    fails 2 "--large requires" rings --method sorting --large 31 few o
    fails 2 "--snr requires" rings --method sorting --snr 3 few o
    fails 2 "--alpha requires" rings --alpha 0.5 few o
    fails 2 "--size requires" rings --method wavelet --size 11 few o
    fails 2 "--median has no effect" rings --method dead --median 11 few o
    fails 2 "--size 4" rings --size 4 few o
    fails 2 "--median 10" rings --median 10 few o
    rings -q --force c o
}

@test "rings: a dense wire that is as wide as a window leaves no shadow" {
    printf 'ellipsoid 1 0 0 0 .5 .5 1\nellipsoid 8 -.05 .03 0 .125 .125 1\n' >shapes
    traj --views 91 --detector 160 g
    phantom --file shapes --size 160:160 --geometry g - | noise -q --photons 1e5 - p
    rings p o
    fbp --filter hann --size 160:160 g p before
    fbp --filter hann --size 160:160 g o after
    compare --tolerance 0.02 before after
}

@test "rings: needs memory for some rows, however many there are" {
    needed() { rings -j 2 "$1" o --plan | sed -n 's/^memory: \([0-9]*\) bytes.*/\1/p'; }
    py 'write("x", np.zeros((512, 1, 512), "u1"), Quantity="line-integral")'
    for rows in 100 1000 4000; do # holes on the disk
        sed "s/^512 1 512/512 $rows 512/" x.hdr >x$rows.hdr
        truncate -s $((512 * 512 * rows)) x$rows.cfl
    done
    local some
    some=$(needed x1000)
    [ "$(needed x4000)" = "$some" ]
    [ "$some" -lt 300000000 ]
    [ "$(needed x100)" -lt "$some" ]
    [ "$(needed x)" -lt 30000000 ]
}
