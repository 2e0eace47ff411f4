load common

@test "threshold: levels, several, inverted; NaN is background and counted" {
    py 'rng = np.random.default_rng(1)
a = rng.normal(size=(40, 30, 20)).astype("f4"); a[3, 4, 5] = np.nan
write("a", a, Spacing="0.5 1 2", Quantity="attenuation", Unit="1/mm"); write("i", rng.integers(-5, 6, (20, 30)).astype("i2"))'
    gantry threshold --value 0.5 a m 2>&1 | grep -q "a: 1 of 24000 elements are NaN and count as background"
    gantry threshold -q --value 0.5 --invert a n
    gantry threshold -q --value -1:0:1 a classes
    gantry threshold --value 0 i j
    py 'a = read("a")
assert np.array_equal(read("m"), a > 0.5) and np.array_equal(read("n"), a <= 0.5)
assert np.array_equal(read("classes"), (a > -1).astype(int) + (a > 0) + (a > 1)) and np.array_equal(read("j"), read("i") > 0)'
    [ "$(section m Type) $(section m Quantity) $(section m Spacing | cut -d' ' -f1-3)" = "bool mask 0.5 1 2" ]
    [ "$(section classes Type)" = uint8 ]
}

@test "threshold: Otsu's levels of two and more classes are the best of all; the history has them" {
    py 'rng = np.random.default_rng(2)
v = np.concatenate([rng.normal(m, 7, 4000) for m in (40, 90, 170)])
write("u", np.clip(v.round(), 0, 255).astype("u1").reshape(100, 120)); write("f", v.astype("f4").reshape(10, 12, 100)); write("two", np.array([1, 1, 1, 7, 7], "u2"))'
    gantry threshold -q u m
    gantry threshold -q --otsu --classes 3 u c
    gantry threshold -q --classes 3 f cf
    gantry threshold -q two t
    gantry -l z threshold -q --classes 3 f slices
    for z in 0 57; do
        gantry extract z $z:$((z + 1)) f slice
        gantry threshold -q --classes 3 slice one
        gantry extract z $z:$((z + 1)) slices two
        same_bytes one two
    done
    gantry history m | grep -q 'threshold --value=[0-9.]* u m'
    gantry history c | grep -q 'threshold --value=[0-9.]*:[0-9.]* u c'
    py 'u, m, c = read("u"), read("m"), read("c")
h = np.bincount(u.ravel(), minlength=256).astype(float); i = np.arange(256)
def score(*cuts):
    parts = np.split(np.arange(256), cuts)
    return sum((h[p] @ i[p]) ** 2 / h[p].sum() if h[p].sum() else 0 for p in parts)
best = max(range(1, 256), key=score)
assert np.array_equal(m, u >= best)
pairs = [(a, b) for a in range(50, 80) for b in range(110, 150)]
a, b = max(pairs, key=lambda p: score(*p))
assert np.array_equal(c, (u >= a).astype(int) + (u >= b))
f = read("f"); cf = read("cf")
assert (cf != (f > 65).astype(int) + (f > 130)).mean() < 0.002
assert np.array_equal(read("t"), [0, 0, 0, 1, 1])'
}

@test "threshold: hysteresis keeps what is connected to a high value, for any threads" {
    py 'from scipy import ndimage
write("a", ndimage.gaussian_filter(np.random.default_rng(3).normal(size=(40, 41, 42, 2)), (1, 1, 1, 0)).astype("f4"))'
    for n in 6 26; do
        gantry threshold --hysteresis 0.1:0.35 -c $n -j 1 a h$n
        gantry threshold --hysteresis 0.1:0.35 -c $n -j 3 a other
        same_bytes h$n other
    done
    py 'from scipy import ndimage
a = read("a")
for name, order in ("h6", 1), ("h26", 3):
    for k in range(2):
        low, n = ndimage.label(a[..., k] > np.float64(0.1), ndimage.generate_binary_structure(3, order))
        keep = np.zeros(n + 1, bool); keep[np.unique(low[a[..., k] > 0.35])] = True; keep[0] = False
        assert np.array_equal(read(name)[..., k], keep[low])'
}

@test "threshold: adaptive compares with the mean of the box inside of the volume" {
    py 'rng = np.random.default_rng(4)
for name, shape in ("a", (30, 21, 17)), ("b", (300, 1, 5)), ("c", (9, 50)):
    write(name, rng.integers(0, 1000, shape).astype("u2"))'
    for name in a b c; do
        gantry threshold --adaptive 3 --offset 25 -j 1 $name ${name}3
        gantry threshold --adaptive 2:0:40 -j 3 $name ${name}2
        gantry threshold --adaptive 3 --offset 25 -j 3 $name other
        same_bytes ${name}3 other
    done
    py 'from scipy.ndimage import uniform_filter
for name in "abc":
    a = read(name).astype("f8")
    for end, r in ("3", (3, 3, 3)), ("2", (2, 0, 40)):
        r = r[:a.ndim]
        mean = lambda x: uniform_filter(np.pad(x, [(k, k) for k in r]), [2 * k + 1 for k in r], mode="constant")[tuple(slice(k, k + n) for k, n in zip(r, x.shape))]
        want = a - mean(a) / mean(np.ones_like(a)) + (25 if end == "3" else 0)
        got = read(name + end)
        sure = np.abs(want) > 1e-6
        assert np.array_equal(got[sure], (want > 0)[sure]), (name, end)'
}

@test "threshold: what is refused" {
    py 'write("one", np.full((3, 4), 2, "f4")); write("nan", np.array([1, np.nan, 2], "f4")); write("two", np.array([1, 2], "f4")); write("near", np.array([0, 1e-5, 1], "f4")); write("c", np.ones(3, "c8"))'
    fails 1 "two different values" gantry threshold one x
    fails 1 "two: the values occupy 2 of 4096 bins from 1 to 2, expected at least one bin for each of 3 classes" gantry threshold --classes 3 two x
    fails 1 "near: the values occupy 2 of 4096 bins" gantry threshold --classes 3 near x
    fails 1 "contains NaN or infinite" gantry threshold --adaptive 1 nan x
    fails 1 "complex" gantry threshold --value 1 c x
    fails 2 "expected one of --value" gantry threshold --value 1 --otsu two x
    fails 2 "ascending" gantry threshold --value 2:1 two x
    fails 2 "LO < HI" gantry threshold --hysteresis 2:1 two x
    fails 2 "--offset has no effect" gantry threshold --offset 1 two x
    fails 2 "--classes has no effect" gantry threshold --classes 3 --value 1 two x
    fails 2 "--connectivity has no effect" gantry threshold -c 26 two x
    fails 2 "a box of radius 0 is the voxel itself" gantry threshold --adaptive 0 two x
    fails 2 "--invert" gantry threshold --invert --value 1:2 two x
    no_output x
    gantry threshold --hysteresis 0:1 nan x 2>&1 | grep -q "nan: 1 of 3 elements are NaN and count as background"
    timeout 20 gantry threshold --adaptive 100000000000 two x
    py 'assert read("x").ravel().tolist() == [False, True]'
}
