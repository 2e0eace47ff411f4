load common

@test "hist: counts are NumPy's, of all, a region and a mask, for any threads" {
    py 'rng = np.random.default_rng(1)
write("v", rng.normal(size=(60, 50, 40)).astype("f4")); write("m", (rng.uniform(size=(60, 50)) < 0.5).astype("u1"))'
    gantry hist --bins 37 v >all
    gantry hist --bins 37 -j 1 v | cmp - all
    gantry copy v - | gantry hist --bins 37 - | cmp - all
    gantry hist --bins 20 --range -1:2 --region cyl:0:0:10 --mask m v 2>said >part
    gantry hist -q --bins 20 --range -1:2 v counts
    py 'v = read("v").astype("f8")
t = np.loadtxt("all", delimiter=",", skiprows=1)
want, edges = np.histogram(v, 37)
assert np.array_equal(t[:, 2], want) and np.allclose(t[:, 0], edges[:-1], atol=1e-7) and np.allclose(t[:, 1], edges[1:], atol=1e-7)
x, y = np.meshgrid(np.arange(60) - 29.5, np.arange(50) - 24.5, indexing="ij")
p = v[(x ** 2 + y ** 2 <= 100) & (read("m") != 0)]
t = np.loadtxt("part", delimiter=",", skiprows=1)
assert np.array_equal(t[:, 2], np.histogram(p, 20, (-1, 2))[0])
assert f"{(p < -1).sum()} below, {(p > 2).sum()} above, 0 NaN" in open("said").read()
assert np.array_equal(read("counts"), np.histogram(v, 20, (-1, 2))[0])'
    section counts Spacing | grep -q '^0.15'
}

@test "hist: integers, a constant array, NaN, and what is refused" {
    py 'write("u", np.arange(256, dtype="u1")); write("one", np.full(10, 3, "f4")); write("bad", np.array([1, np.nan, 2], "f4")); write("nan", np.full(3, np.nan, "f4"))'
    [ "$(gantry hist --bins 256 --range 0:256 u | tail -n +2 | cut -d, -f3 | sort -u)" = 1 ]
    [ "$(gantry hist --bins 2 one | sed -n 2p)" = "3,4.5,10" ]
    gantry hist bad 2>&1 >/dev/null | grep -q "0 above, 1 NaN"
    fails 1 "no finite element" gantry hist nan
    fails 2 "expected LO:HI" gantry hist --range 2:1 u
    fails 2 "--region" gantry hist --region sphere:1 u
}

@test "hist: a plan counts between the smallest and the largest value too" {
    py 'write("x", np.arange(10.0))'
    hist --plan x h 2>said
    [ ! -s said ]
}
