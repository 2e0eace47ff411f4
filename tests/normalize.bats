load common

# counts.*, dark.*, flat.*, and what NumPy makes of them
make_counts() {
    py '
rng = np.random.default_rng(0)
dark = rng.integers(90, 110, (13, 7, 4)).astype("u2")
flat = rng.integers(30000, 40000, (13, 7, 5)).astype("u2")
t = np.exp(-rng.random((13, 7, 9))*3)
t[:3] = 0.8 + 0.01*np.arange(9)
counts = np.round(dark.mean(2)[..., None] + t*(flat.mean(2) - dark.mean(2))[..., None]).astype("u2")
for n in "dark", "flat", "counts":
    write(n, locals()[n], Quantity="counts")'
}

@test "normalize: dark, flat and minus log" {
    make_counts
    normalize --dark dark --flat flat counts p
    normalize --dark dark --flat flat --no-log counts t
    normalize --flat flat counts f
    py '
c, d, f = (read(n).astype("f8") for n in ("counts", "dark", "flat"))
d, f = d.mean(2)[..., None], f.mean(2)[..., None]
t = (c - d)/(f - d)
assert np.abs(read("t") - t).max() < 1e-6 and np.abs(read("p") + np.log(t)).max() < 1e-6
assert np.abs(read("f") + np.log(c/f)).max() < 1e-6'
    [ "$(section p Quantity)" = line-integral ]
    [ "$(section t Quantity)" = transmission ]
    [ "$(section p Type)" = float32 ]
}

@test "normalize: air columns are 1 in every view" {
    make_counts
    normalize --dark dark --flat flat --air 0:3 counts p
    normalize --dark dark --flat flat --no-log counts t
    normalize --air 0:3 t q
    py '
p, t = read("p"), read("t").astype("f8")
t = t/t[:3].mean((0, 1))
assert np.abs(p + np.log(t)).max() < 2e-6 and np.abs(read("q") - p).max() < 2e-6'
    normalize --air=-13:-10 t r
    same_bytes q r
    normalize --air 0:2,-3:-1,5:6 t several
    py '
t = read("t").astype("f8"); air = np.r_[0:2, -3:-1, 5:6]
assert np.abs(read("several") + np.log(t/t[air].mean((0, 1)))).max() < 2e-6'
    fails 2 "--air 0:4,6:8,3:5: 3:5 overlaps another range" normalize --air 0:4,6:8,3:5 t x
    ones --size 40:1:2 wide
    fails 2 "at most 16 ranges" normalize --force --air "$(seq -s, 0 2 34)" wide x
    fails 2 "a step" normalize --air 0:2,4:8:2 t x
    fails 2 "--air" normalize --air 0:2, t x
    py 'write("c", np.full((5, 4, 3), 7, "u2"), Quantity="counts")'
    normalize --air 0:5 c zero
    py 'assert np.all(read("zero") == 0)'
}

@test "normalize: single frames and broadcast" {
    py '
c = np.random.default_rng(1).integers(100, 900, (6, 5, 4))
write("c", c.astype("i4"), Quantity="counts")
write("row", np.full((6, 1), 1000.), Quantity="counts")
write("one", np.full((1, 1), 50.), Quantity="counts")'
    normalize --flat row --dark one c p
    py 'assert np.abs(read("p") + np.log((read("c") - 50.)/950)).max() < 1e-6'
}

@test "normalize: zero and negative transmission is raised, dead pixels are air; both are counted" {
    py '
c = np.full((4, 3, 2), 500., "f4")
c[0, 0, 0], c[1, 0, 0], c[2, 0, 0], c[3, 2, 1] = 0, -5, 10, np.nan
f = np.full((4, 3), 1000., "f4")
f[1, 1] = 10
d = np.full((4, 3), 10., "f4")
for n, x in ("c", c), ("f", f), ("d", d):
    write(n, x, Quantity="counts")'
    normalize --dark d --flat f c p 2>said
    grep -q "gantry normalize: warning: c: 3 of 24 transmissions are below 1e-06 and are raised to this limit" said
    grep -q "gantry normalize: warning: c: 3 of 24 values are set to the transmission of air" said
    py '
p = read("p")
assert np.isfinite(p).all() and np.allclose(p[:3, 0, 0], -np.log(1e-6)) and np.all(p[1, 1] == 0) and p[3, 2, 1] == 0
assert abs(p[0, 1, 0] + np.log(490/990)) < 1e-6'
    [ "$(normalize -q --dark d --flat f c q 2>&1)" = "" ]
    normalize -q --no-log --dark d --flat f c t
    py 'assert np.isfinite(read("t")).all() and read("t")[1, 0, 0] < 0'
}

@test "normalize: dark and flat exchanged are refused, changing flats and streams too" {
    make_counts
    fails 1 "dark: 91 of 91 pixels of the flat are not above the dark of flat; are they exchanged?" normalize --dark flat --flat dark counts p
    fails 1 "91 of 91 pixels" normalize --dark flat --flat dark --flat-views 0,3,5,9 counts p
    fails 1 "91 of 91 pixels" normalize --dark flat --flat dark --eigen 2 counts p
    copy dark - | fails 1 "91 of 91 pixels" normalize --dark flat --flat - counts p
    no_output p
    normalize --force --dark flat --flat dark counts p 2>said
    grep -q "91 of 91 pixels" said
    py '
x = np.full((4, 3), 0.)
x[:2] = 9
write("half", x, Quantity="counts")
x[1, 1] = 0
write("less", x, Quantity="counts")
write("c", np.full((4, 3, 2), 5.), Quantity="counts")'
    normalize -q --flat half c half.p
    fails 1 "less: 7 of 12 pixels of the flat are not above 0 (--force" normalize --flat less c p2
}

@test "normalize: undoes counting" {
    traj --views 20 --detector 32 g
    phantom --geometry g p
    py '
c = np.exp(-read("p").reshape(32, 1, 20))*5e4 + 100
write("c", c, Quantity="counts")
write("f", np.full((32, 1), 50100.), Quantity="counts")
write("d", np.full((32, 1), 100.), Quantity="counts")'
    normalize --dark d --flat f c q
    py 'assert np.abs(read("p") - read("q")).max() < 1e-6'
}

@test "normalize: the same bytes for any threads and through pipes" {
    py '
rng = np.random.default_rng(0)
write("c", rng.integers(1, 60000, (90, 50, 33)).astype("u2"), Quantity="counts")
write("f", rng.integers(50000, 60000, (90, 50, 3)).astype("u2"), Quantity="counts")'
    for j in 1 2 7; do normalize -q -j $j --flat f --air 5:60 c p$j; done
    copy c - | normalize -q --flat f --air 5:60 - - | copy - pp
    for n in 2 7 p; do same_bytes p1 p$n; done
}

@test "normalize: refuses what gives no line integral" {
    make_counts
    phantom --size 13:7:9 vol
    normalize --flat flat counts p
    py '
write("z", np.ones((4, 4), "c8"), Quantity="counts")
write("small", np.ones((12, 7), "f4"), Quantity="counts")
write("dim", np.zeros((13, 7, 9), "f4"), Quantity="counts")'
    fails 1 "complex" normalize z x
    fails 1 "--flat or --air" normalize counts x
    fails 1 "line-integral" normalize p x
    fails 1 "attenuation" normalize --air 0:3 vol x
    py 'write("four", np.ones((13, 7, 2, 2), "f4"), Quantity="counts"); write("row", np.ones((1, 7, 3), "f4"), Quantity="counts")
f = 2e4 + np.arange(273.).reshape(13, 7, 3); f[4, 2, 1] = np.inf; write("inf", f, Quantity="counts")'
    for more in "" "--flat-views 0,4" "--eigen 1"; do
        for f in small four; do
            # shellcheck disable=SC2086 # words
            fails 1 "expected frames of 13 x 7" normalize --flat $f $more counts x
        done
        # shellcheck disable=SC2086
        [ -z "$more" ] || fails 1 "inf: element 30 of frame 1 is not finite" normalize --flat inf ${more/0,4/0,1,4} counts x
    done
    fails 1 "row has dimensions 1 x 7 x 3, expected frames of 13 x 7" normalize --flat row --eigen 1 counts x
    fails 1 "small has dimensions 12 x 7, expected frames of 13 x 7" normalize --dark small --flat flat counts x
    fails 2 "overlaps another range" normalize --air 0:3,2:5 counts x
    py 'write("wide", np.ones((40, 1, 2)), Quantity="counts")'
    local sixteen=0:1
    for k in {1..15}; do sixteen+=,$((2 * k)):$((2 * k + 1)); done
    normalize --air $sixteen wide x
    rm x.*
    fails 2 "expected at most 16 ranges" normalize --air $sixteen,32:33 wide x
    fails 2 "--air-rows 0:4:2: a step is not allowed (expected START:STOP)" normalize --air 0:3 --air-rows 0:4:2 counts x
    py 'write("t", np.ones((13, 7)), Quantity="transmission")'
    fails 2 "nothing to do" normalize --no-log t x
    fails 1 "dim: view 0: the air columns 0:3 have the mean transmission 0" normalize --air 0:3 dim x
    fails 1 "dim: view 0: the air columns 0:2,4:5 have the mean transmission 0" normalize --air 0:2,4:5 dim x
    fails 2 "--dark alone" normalize --dark dark counts x
    fails 2 "--air" normalize --air 10:20 counts x
    fails 2 "--air" normalize --air 0:10:2 counts x
    fails 1 "none" normalize --flat none counts x
    no_output x
}

@test "normalize: flats interpolated between views" {
    py '
rng = np.random.default_rng(4)
a, b, c = (rng.integers(900, 1100, (6, 5)).astype("f8") for _ in range(3))
x = rng.integers(100, 800, (6, 5, 11)).astype("f8")
write("x", x, Quantity="counts")
write("f", np.stack([a - 3, a + 3, b, c], 2), Quantity="counts")
k = np.arange(11)
flat = np.where(k < 4, a[..., None] + (b - a)[..., None]*k/4, b[..., None] + (c - b)[..., None]*(np.minimum(k, 8) - 4)/4)
write("ref", -np.log(x/flat))'
    normalize --flat f --flat-views 0,0,4,8 x p
    compare --tolerance 1e-14 ref p
    fails 2 "expected ascending numbers" normalize --flat f --flat-views 0,4,2,8 x y
    fails 1 "f has 4 frames, expected 3" normalize --flat f --flat-views 0,4,8 x y
    fails 2 "--flat-views needs --flat" normalize --air 0:2 --flat-views 0,4,8 x y
}

# x: counts behind an object and a flat whose stripes move; t: the true transmission; f: 30 such flats
make_moving() {
    py '
rng = np.random.default_rng(8)
u, v = np.meshgrid(np.arange(48), np.arange(40), indexing="ij")
beam = lambda s, b: 8000*(1 + .15*np.sin(.8*v + s) + b*(u - 24)/24)
draw = lambda: beam(rng.normal(0, .5), rng.normal(0, .05))
t = np.stack([np.exp(-1.5*((u - 24 - k)**2 + (v - 20)**2 < 120)) for k in range(6)], 2)
write("t", t)
write("x", rng.poisson(np.stack([draw()*t[..., k] for k in range(6)], 2)).astype("u2"), Quantity="counts")
write("f", rng.poisson(np.stack([draw() for k in range(30)], 2)).astype("u2"), Quantity="counts")'
}

@test "normalize: eigen flats follow a beam that moves" {
    make_moving
    normalize --no-log --flat f x mean
    normalize --no-log --flat f --eigen 3 x eigen
    py '
t = read("t")
err = lambda n: np.sqrt(np.mean((read(n) - t)**2))
assert err("mean") > 2.7*err("eigen"), (err("mean"), err("eigen"))'
    normalize --no-log --flat f --eigen 3 -j 1 x one
    same_bytes eigen one
    # pixels that are dead in the flats, or not finite, do not matter to the others
    py '
x, f = read("x").astype("f4"), read("f")
f[5, 5] = f[20, 31] = 0
x[[40, 41], 30, 2:4] = np.nan
write("xbad", x, Quantity="counts"); write("fbad", f, Quantity="counts")'
    normalize -q --no-log --flat fbad --eigen 3 xbad bad
    py '
a, b = read("eigen"), read("bad")
b[[40, 41], 30, 2:4], b[5, 5], b[20, 31] = a[[40, 41], 30, 2:4], a[5, 5], a[20, 31]
assert np.abs(a - b).max() < .01, np.abs(a - b).max()'
    fails 1 "f has 30 frames, expected more than the number of components, 30" normalize --flat f --eigen 30 x y
    fails 2 "--flat-views and --eigen" normalize --flat f --eigen 3 --flat-views 0,1 x y
}

@test "normalize: air of some rows" {
    make_counts
    normalize --no-log --dark dark --flat flat counts t
    normalize --no-log --dark dark --flat flat --air 0:3 --air-rows 2:5 counts a
    py '
t, a = read("t"), read("a")
assert np.abs(a - t/t[:3, 2:5].mean((0, 1))).max() < 1e-6'
    fails 2 "--air-rows needs --air" normalize --flat flat --air-rows 1:2 counts x
}

# e: counts of gain 3.5 and a read noise of 20 behind an object of known line integrals p0; f, d: 12 flats and darks
make_noisy() {
    py '
rng = np.random.default_rng(5)
open_ = rng.uniform(3000, 9000, (40, 30)); open_[7, 3] = 0
p0 = rng.uniform(0, 2, (40, 30, 1)) * np.ones(25)
draw = lambda level: np.round(3.5 * rng.poisson(np.maximum(level, 0) / 3.5) + 100 + 20 * rng.normal(size=level.shape))
write("p0", p0)
write("e", np.clip(draw(open_[..., None] * np.exp(-p0)), 0, 65535).astype("u2"), Quantity="counts")
lamp = rng.uniform(0.9, 1.1, 12) # flickers
write("f", draw(open_[..., None] * lamp / lamp.mean()).astype("u2"), Quantity="counts")
write("d", draw(np.zeros((40, 30, 12))).astype("f4"), Quantity="counts")'
}

@test "normalize: weights are the inverse variances of line integrals" {
    make_noisy
    normalize --dark d --flat f --weights w e p 2>said
    grep -q "noise of the counts: 3.[3-7][0-9]* counts per photon, standard deviation \(19\|20\)" said
    [ "$(section w Quantity)" = weights ]
    [ "$(section w Type)" = float32 ]
    [ "$(dims w)" = "$(dims p)" ]
    normalize --dark d --flat f e alone
    same_bytes p alone
    py '
w, r = read("w").astype("f8"), read("p") - read("p0")
assert (w[7, 3] == 0).all()
live = np.ones((40, 30), bool); live[7, 3] = False
assert (w[live] > 0).all()
z = (w * r**2)[live]
assert abs(z.mean() - 1) < 0.06, z.mean()
bright, dim = read("p0")[live] < 0.5, read("p0")[live] > 1.5
assert abs(z[bright].mean() - 1) < 0.1 and abs(z[dim].mean() - 1) < 0.1, (z[bright].mean(), z[dim].mean())'
    normalize -q -j 1 --dark d --flat f --weights w1 e p1
    same_bytes w w1
    # flats that change are those of the view
    normalize -q --dark d --flat f --eigen 1 --weights w2 e p2
    py 'a, b = read("w"), read("w2"); m = np.median(np.abs(b[a > 0] / a[a > 0] - 1)); assert m < 0.15, m'
    # one flat without dark: photons
    gantry extract 2 0 f one
    normalize --flat one --weights w3 e p3 2>said
    grep -q "noise of the counts: 1 counts per photon, standard deviation 0 without light" said
    py '
c, f = read("e").astype("f8"), read("one").astype("f8")[..., None]
w = np.where(c > 0, 1 / (1 / np.maximum(c, 1) + 1 / f), 0)
assert np.allclose(read("w3"), w, rtol=1e-5)'
}

@test "normalize: saturated pixels have weight 0" {
    py '
c = np.full((4, 3, 2), 500, "u2"); c[1, 1, 0] = 65535; c[2, 2, 1] = 4095
write("c", c, Quantity="counts"); write("f", np.full((4, 3), 1000, "u2"), Quantity="counts")'
    normalize --flat f --weights w c p 2>said
    grep -q "c: 1 of 24 values are saturated (65535 or more): weight 0" said
    py 'w = read("w"); assert w[1, 1, 0] == 0 and (w == 0).sum() == 1'
    normalize --flat f --weights w --saturation 4095 c p 2>said
    grep -q "c: 2 of 24 values are saturated (4095 or more): weight 0" said
    py 'w = read("w"); assert w[1, 1, 0] == 0 and w[2, 2, 1] == 0 and (w == 0).sum() == 2'
}

@test "normalize: weights where there are none" {
    make_counts
    fails 2 "--weights needs line integrals (remove --no-log)" normalize --no-log --flat flat --weights w counts p
    fails 2 "--saturation needs --weights" normalize --flat flat --saturation 100 counts p
    normalize -q --flat flat --no-log counts t
    fails 1 "t contains transmission, but --weights needs counts" normalize --air 0:3 --weights w t p
    no_output w
    no_output p
}

@test "normalize: recon takes the weights as they are" {
    traj --views 20 --detector 24 g
    phantom --size 24:24 v
    project g v e0
    py '
rng = np.random.default_rng(6)
p = read("e0"); c = rng.poisson(2000 * np.exp(-p)).astype("u2"); c[5, 0, 3] = 65535
write("c", c, Quantity="counts"); write("f", np.full((24, 1, 3), 2000, "u2"), Quantity="counts")'
    normalize -q --flat f --weights w c p
    recon -R tv:0.5n -R nonneg --weights w --like v g p a
    recon -R tv:0.5n -R nonneg --weights w --data weighted --like v g p b
    same_bytes a b
    # the saturated value, whose line integral is far off, does no harm
    py 'e = lambda n: np.linalg.norm(read(n) - read("v")) / np.linalg.norm(read("v")); assert e("a") < 0.55, e("a")'
    recon -R tv:0.5n -R nonneg --like v g p c
    py 'e = lambda n: np.linalg.norm(read(n) - read("v")); assert e("c") > 1.1 * e("a"), (e("c"), e("a"))'
    fails 2 "--weights needs --data weighted" recon --data huber:0.1 --weights w --like v g p d
}
