load common

# value NAME FILE: of a table of names and values.
value() {
    awk -F, -v n="$1" '$1 == n { print $2 }' "$2"
}

@test "measure: porosity, open and closed pores, in a region" {
    py 'rng = np.random.default_rng(1)
write("s", rng.random((40, 41, 30)) < 0.72); write("r", rng.random((40, 41, 30)) < 0.5)'
    gantry measure porosity s >all
    gantry measure porosity -j 3 s | cmp - all
    gantry measure porosity -c 26 --region r s >part
    py 'from scipy.ndimage import label, generate_binary_structure as near
s, r = read("s") != 0, read("r") != 0
for name, where, order in ("all", np.ones_like(r), 1), ("part", r, 3):
    t = dict(line.split(",") for line in open(name).read().split()[1:])
    l, n = label(~s, near(3, order))
    rim = np.ones_like(s); rim[1:-1, 1:-1, 1:-1] = False
    opened = np.unique(l[rim & ~s])
    is_open = np.isin(l, opened) & ~s
    assert int(t["voxels"]) == where.sum() and int(t["pores"]) == (~s & where).sum() == where.sum() - int(t["solid"])
    for key, x in ("porosity", ~s), ("open-porosity", is_open), ("closed-porosity", ~s & ~is_open):
        assert np.isclose(float(t[key]), (x & where).sum() / where.sum()), (name, key)
    assert int(t["closed-pores"]) == np.setdiff1d(l[where & ~s], opened).size'
}

@test "measure: thickness is the largest ball of all, by any threads, with spacings, of pores" {
    py 'from scipy.ndimage import gaussian_filter as smooth
rng = np.random.default_rng(2)
g = smooth(rng.normal(size=(26, 24, 28)), 2.5)
write("a", g > 0.02); write("b", g > 0.02, Spacing="0.5 0.5 0.5"); write("c", g > 0.02, Spacing="0.3 0.5 0.7"); write("d", (g > 0.02)[:, :, 3])'
    for name in a b c d; do
        gantry measure thickness -j 1 $name $name-t >$name.csv
        gantry measure thickness -j 3 $name other | cmp - $name.csv
        same_bytes $name-t other
    done
    gantry measure thickness b | cmp - b.csv
    gantry measure thickness b - 2>report | gantry copy - piped
    same_bytes piped b-t
    cmp report b.csv
    gantry measure thickness --invert a a-i >a-i.csv
    py 'from scipy.ndimage import distance_transform_edt as edt
def thickness(a, h):
    d = edt(a, sampling=h)
    best = np.zeros(a.shape)
    index = np.indices(a.shape).astype(float)
    for p in np.argwhere(a):
        r = d[tuple(p)]
        cut = tuple(slice(max(0, int(q - r / s)), int(q + r / s) + 1) for q, s in zip(p, h))
        square = sum(((i[cut] - q) * s) ** 2 for i, q, s in zip(index, p, h))
        best[cut] = np.maximum(best[cut], np.where(square < r * r * (1 - 1e-12), r, 0))
    return 2 * best
a = read("a") != 0
for name, x, h in ("a-t", a, (1, 1, 1)), ("b-t", a, (0.5,) * 3), ("c-t", a, (0.3, 0.5, 0.7)), ("d-t", read("d") != 0, (1, 1)), ("a-i", ~a, (1, 1, 1)):
    want, got = thickness(x, h), read(name)
    assert np.array_equal(got > 0, x) and np.allclose(got, want, rtol=1e-6), name
    t = dict(line.split(",") for line in open(name.replace("-t", "") + ".csv").read().split()[1:])
    v = want[x]
    assert int(t["voxels"]) == v.size and all(np.isclose(float(t[k]), w, rtol=1e-6) for k, w in (("mean", v.mean()), ("std", v.std()), ("min", v.min()), ("max", v.max()))), t'
    [ "$(section b-t Unit) $(section b-t Type)" = "mm float32" ]
}

@test "measure: plates of n voxels have a thickness of n or n + 1; a ball that of its diameter" {
    py 'for n in 2, 3, 8, 9:
    a = np.zeros((20, 20, 30), bool); a[:, :, 5:5 + n] = True
    write("p%d" % n, a, Spacing="0.1 0.1 0.1")
x, y, z = np.indices((41, 41, 41)) - 20
write("ball", x * x + y * y + z * z < 225)'
    for pair in 2:0.2 3:0.4 8:0.8 9:1; do
        gantry measure thickness "p${pair%:*}" >t.csv
        [ "$(value min t.csv) $(value max t.csv)" = "${pair#*:} ${pair#*:}" ]
    done
    gantry measure thickness ball ball-t >t.csv
    [ "$(value max t.csv)" = 30 ]
    [ "$(gantry stats --only max ball-t)" = 30 ]
}

@test "measure: particle sizes, by number and volume, without those at the border" {
    py 'write("a", np.random.default_rng(3).random((40, 40, 40)) < 0.15, Spacing="0.5 0.5 2")'
    gantry measure sizes a >all
    gantry measure sizes --whole -c 26 -j 3 a >whole
    py 'from scipy.ndimage import label, generate_binary_structure as near
a = read("a") != 0
for name, order, whole in ("all", 1, False), ("whole", 3, True):
    l, n = label(a, near(3, order))
    rim = np.ones_like(a); rim[1:-1, 1:-1, 1:-1] = False
    cut = np.unique(l[rim & a])
    size = np.bincount(l.ravel()); size[0] = 0
    if whole:
        size[cut] = 0
    size = np.sort(size[size > 0])
    d = np.cbrt(6 * size * 0.5 / np.pi)
    t = dict(line.split(",") for line in open(name).read().split()[1:])
    assert int(t["particles"]) == size.size and int(t["at-border"]) == cut.size
    assert all(np.isclose(float(t[k]), w) for k, w in (("mean", d.mean()), ("min", d.min()), ("max", d.max())))
    for q in 10, 50, 90:
        assert np.isclose(float(t["number-%d%%" % q]), d[np.searchsorted(np.arange(1, d.size + 1), q / 100 * d.size)])
        assert np.isclose(float(t["volume-%d%%" % q]), d[np.searchsorted(size.cumsum(), q / 100 * size.sum())])'
}

@test "measure: what is refused" {
    gantry ones --size 5:6:7 full
    gantry zeros --size 5:6:7 none
    py 'write("nan", np.array([1, np.nan], "f4")); write("four", np.ones((2, 2, 2, 2), "u1"))'
    fails 1 "no voxel is background" gantry measure thickness full
    fails 1 "no voxel is object" gantry measure thickness none
    fails 1 "contains no particle" gantry measure sizes none
    fails 1 "no particle that does not touch the border" gantry measure sizes --whole full
    fails 1 "no voxel is in the region" gantry measure porosity --region none full
    fails 1 "contains NaN" gantry measure porosity nan
    fails 1 "more than three dimensions" gantry measure porosity four
    fails 2 "unknown word 'size'" gantry measure size full
    fails 2 "only thickness writes" gantry measure porosity full x
    fails 2 "--whole has no effect" gantry measure porosity --whole full
    fails 2 "--region has no effect" gantry measure sizes --region full full
    no_output x
}
