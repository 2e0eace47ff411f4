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
    grep -q "gantry normalize: warning: c: 3 of 24 transmissions are below 1e-06: raised to it" said
    grep -q "gantry normalize: warning: c: 3 of 24 values have no transmission" said
    py '
p = read("p")
assert np.isfinite(p).all() and np.allclose(p[:3, 0, 0], -np.log(1e-6)) and np.all(p[1, 1] == 0) and p[3, 2, 1] == 0
assert abs(p[0, 1, 0] + np.log(490/990)) < 1e-6'
    [ "$(normalize -q --dark d --flat f c q 2>&1)" = "" ]
    normalize -q --no-log --dark d --flat f c t
    py 'assert np.isfinite(read("t")).all() and read("t")[1, 0, 0] < 0'
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
    fails 1 "small" normalize --flat small counts x
    fails 1 "dim: view 0: the air columns 0:3 have the mean 0" normalize --air 0:3 dim x
    fails 2 "--dark alone" normalize --dark dark counts x
    fails 2 "--air" normalize --air 10:20 counts x
    fails 2 "--air" normalize --air 0:10:2 counts x
    fails 1 "none" normalize --flat none counts x
    no_output x
}
