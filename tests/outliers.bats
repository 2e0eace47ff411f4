load common

# c: counts with Poisson noise; z: the same with 60 zingers
make_zingers() {
    py '
rng = np.random.default_rng(5)
u, v, k = np.meshgrid(np.arange(48), np.arange(40), np.arange(6), indexing="ij")
mean = 4000*np.exp(-2*((u - 20 - k)**2 + (v - 18)**2 < 150))
c = rng.poisson(mean).astype("u2")
z = c.copy()
at = rng.choice(c.size, 60, replace=False)
z.reshape(-1)[at] += rng.integers(1500, 30000, 60).astype("u2")
write("c", c, Quantity="counts")
write("z", z, Quantity="counts")
write("at", at.astype("i8"))'
}

@test "outliers: zingers go, everything else stays" {
    make_zingers
    outliers z o 2>said
    grep -q "replaced as outliers" said
    [ "$(section o Type)" = uint16 ]
    py '
c, z, o, at = read("c").astype("f8"), read("z").astype("f8"), read("o").astype("f8"), read("at")
hit = np.zeros(c.size, bool)
hit[at] = True
hit = hit.reshape(c.shape)
assert np.all(o[hit] != z[hit]) and np.abs(o - c)[hit].max() < 400
assert (o != c)[~hit].sum() < 20
assert np.linalg.norm(z - c) > 100*np.linalg.norm(o - c)'
}

@test "outliers: a threshold, against NumPy" {
    make_zingers
    outliers -q --threshold 1000 --which both z o
    outliers -q --threshold 1000 --dims u,view z q
    py '
from scipy.ndimage import median_filter
z = read("z").astype("f8")
for name, size, both in ("o", (3, 3, 1), 1), ("q", (3, 1, 3), 0):
    m = median_filter(z, size)
    far = np.abs(z - m) > 1000 if both else z - m > 1000
    ref = np.where(far, m, z)
    s = tuple(slice(1, -1) if n > 1 else slice(None) for n in size)
    assert np.all(read(name)[s] == ref[s])'
}

@test "outliers: windows cut off at the ends of views and stacks, bounds by the noise, against loops" {
    py '
rng = np.random.default_rng(7)
x = rng.poisson(400*np.linspace(.05, 2, 12)[:, None, None, None], (12, 9, 5, 2)).astype("f8")
x.reshape(-1)[rng.choice(x.size, 80, replace=False)] *= rng.choice([.1, 3], 80)
x.reshape(-1)[rng.choice(x.size, 30, replace=False)] = np.nan
write("x", x, Quantity="counts")
write("t", x/1000, Quantity="transmission")'
    outliers -q --threshold 150 --which both --dims view x a
    outliers -q --threshold 150 --which both --dims u,v,view --radius 2 x b
    outliers -q --sigma 4 --which both x c
    outliers -q --sigma 4 --which dark --dims u,v --radius 2 x d
    outliers -q --sigma 4 t e
    py '
x = read("x")
def window(p, dims, r, k): # around p of view k, a slice of view, channel
    lo = [max(p[d] - r, 0) if d in dims else p[d] for d in range(3)]
    hi = [p[d] + r + 1 if d in dims else p[d] + 1 for d in range(3)]
    w = x[lo[0]:hi[0], lo[1]:hi[1], lo[2]:hi[2], p[3]]
    return w[np.isfinite(w)]
def model(scale, dims, r, which, threshold=None, sigma=None):
    m, y = np.empty_like(x), x.copy()
    for p in np.ndindex(x.shape):
        w = window(p, dims, r, p[2])
        for size in range(1, 9):
            w = w if len(w) else window(p, (0, 1), size, p[2])
        m[p] = np.median(w)
    for k in np.ndindex(x.shape[2:]):
        v, c = x[(...,) + k], m[(...,) + k]
        unit = np.sqrt(np.maximum(c, 1)) if sigma and scale == 1 else 1
        d = (v - c)/unit
        good = np.isfinite(v)
        limit = threshold or sigma*1.4826*np.median(np.abs(d[good]))
        far = {"both": np.abs(d), "dark": -d, "bright": d}[which] > limit
        y[(...,) + k] = np.where(good & ~far, v, c)
    return y*scale
for name, args in {"a": (1, (2,), 1, "both", 150), "b": (1, (0, 1, 2), 2, "both", 150), "c": (1, (0, 1), 1, "both", None, 4),
        "d": (1, (0, 1), 2, "dark", None, 4), "e": (1e-3, (0, 1), 1, "bright", None, 4)}.items():
    got, want = read(name), model(*args)
    assert np.allclose(got, want, rtol=1e-13, atol=0), (name, np.abs(got - want).max(), (got != want).sum())
    assert 5 < np.sum(np.isfinite(x) & (np.abs(want - x*args[0]) > 1e-6)) < 200'
}

@test "outliers: dead and hot pixels by a map, found in flats, or not finite" {
    py '
rng = np.random.default_rng(1)
flat = rng.normal(5000, 60, (30, 20, 8))
x = rng.normal(3000, 50, (30, 20, 5))
clean = x.copy()
bad = np.zeros((30, 20), "u1")
for i, (a, b) in enumerate([(0, 0), (7, 9), (8, 9), (29, 12), (14, 3)]):
    bad[a, b] = 1
    flat[a, b] = (0, 9000, 8500, 5000, 4000)[i]
    x[a, b] = (0, 60000, 50000, 100, 2)[i]
flat[29, 12] = 4321
write("flat", flat.astype("f4"), Quantity="counts")
write("bad", bad, Quantity="mask")
write("x", x.astype("f4"), Quantity="counts")
y = x.copy()
y[bad > 0] = np.nan
write("y", y.astype("f4"), Quantity="counts")
write("clean", clean.astype("f4"))'
    outliers --sigma 1000 --map bad x m 2>said
    grep -q "25 as bad pixels" said
    outliers --sigma 1000 --find flat x f 2>said
    grep -q "5 of 600 pixels are bad" said
    outliers -q --sigma 1000 y n
    same_bytes m f
    same_bytes m n
    py '
m, c, bad = read("m"), read("clean"), read("bad") > 0
assert np.all(m[~bad] == c[~bad]) and np.abs(m[bad] - 3000).max() < 100'
}

@test "outliers: the same bytes for any threads and through pipes; windows over views" {
    make_zingers
    for j in 1 2 5; do outliers -q -j $j --dims u,v,view --radius 2 z o$j; done
    copy z - | outliers -q --dims 0,1,2 --radius 2 - - | copy - op
    for n in 2 5 p; do same_bytes o1 o$n; done
}

@test "outliers: bad input is refused" {
    make_zingers
    phantom --size 16:16 vol
    py '
write("small", np.zeros((3, 4), "u1"))
write("all", np.ones((48, 40), "u1"))
write("none", np.full((4, 3), np.nan, "f4"), Quantity="counts")'
    fails 1 "denoise --method median" outliers vol o
    fails 1 "small has dimensions 3 x 4, expected a map of 48 x 40 pixels" outliers --map small z o
    fails 1 "small has dimensions 3 x 4, expected frames of 48 x 40" outliers --find small z o
    fails 1 "all: all 1920 pixels are bad" outliers --map all z o
    fails 1 "none: 12 values are not finite and have no usable neighbour" outliers none o
    fails 2 "--threshold and --sigma" outliers --threshold 5 --sigma 3 z o
    fails 2 "--find-sigma requires --find" outliers --find-sigma 3 z o
    fails 2 "--map and --find" outliers --map all --find all z o
    fails 2 "--dims" outliers --dims time z o
    py 'write("row", np.ones((9, 1, 4), "f4"), Quantity="counts")'
    fails 2 "with 1 element along v (leave this dimension out)" outliers --dims u,v row o
    gantry outliers -q row o
    rm o.*
    fails 2 "--radius 40" outliers --radius 40 z o
    no_output o
}

@test "outliers: needs memory for some views, however many there are" {
    needed() { outliers "$@" o --plan | sed -n 's/^memory: \([0-9]*\) bytes.*/\1/p'; }
    for n in 10 100 1000; do zeros --type uint8 --size 128:128:$n z$n; done
    [ "$(needed z1000)" = "$(needed z100)" ]
    [ "$(GANTRY_THREADS=2 needed z100)" -lt 2000000 ]
    [ "$(needed --dims u,v,view z1000)" -lt 20000000 ]
    [ "$(needed --dims u,v,view z10)" -lt "$(($(needed --dims u,v,view z100) / 4))" ]
}
