load common

@test "stitch: an offset scan of 360 degrees becomes the wide one of 180, axis on either side" {
    phantom --size 64:64:4 vol
    local offset
    for offset in 12 -13 12.5; do
        traj --views 80 --arc 360 --offset "$offset:0" --detector 60:4 geom
        project geom vol scan
        run -0 --separate-stderr stitch -j 1 scan out
        # pixel 29.5 - offset sees the axis
        [[ "$stderr" == *"column of the axis: $(py "print('%g' % (29.5 - $offset))") "* ]]
        stitch -j 2 --axis "$(py "print(29.5 - $offset)")" scan given
        same_bytes out given
        traj --views 40 --detector "$(dims out | cut -d' ' -f1):4" wide
        project wide vol want
        py 'x, want = read("out"), read("want"); assert x.shape == want.shape and np.abs(x - want).max() < 1e-4 * want.max()'
    done
}

@test "stitch: volumes and scans side by side, the overlap found or given" {
    py '
from scipy.ndimage import gaussian_filter
x = gaussian_filter(np.random.default_rng(1).random((31, 17, 13)), 1.2).astype("f4")
write("x", x, Spacing="2 1 1")
for d, n, a in (0, 9, 20), (1, 5, 11), (2, 6, 9):
    i = [slice(None)] * 3
    i[d] = slice(0, a)
    write("a%d" % d, x[tuple(i)], Spacing="2 1 1", Origin="5 6 7")
    i[d] = slice(a - n, None)
    write("b%d" % d, x[tuple(i)], Spacing="2 1 1")'
    local d n=(9 5 6)
    for d in 0 1 2; do
        run -0 --separate-stderr stitch -j 1 --dim $d a$d b$d y
        [[ "$stderr" == *"overlap: ${n[d]} (correlation 1.0000)"* ]]
        [ "$(section y Origin | cut -d' ' -f1-3)" = "5 6 7" ]
        stitch --dim $d --overlap "${n[d]}" a$d b$d z
        same_bytes y z
        py 'assert read("y").shape == (31, 17, 13) and np.abs(read("y") - read("x")).max() < 1e-6'
    done
    stitch --dim z --overlap 0 a2 b2 y
    [ "$(dims y)" = "31 17 19" ]
    # blended linearly: weights 1/3 and 2/3 of zeros and ones
    zeros --size 4 p
    ones --size 4 q
    stitch --dim 0 --overlap 2 p q y
    py 'assert np.allclose(read("y"), [0, 0, 1 / 3, 2 / 3, 1, 1])'
    # parts of other spacing are not what the result says they are
    copy --spacing 2 q other
    run -0 --separate-stderr stitch --dim 0 --overlap 2 p other y
    [[ "$stderr" == *"warning: the spacing along dimension 0 is 1 mm in p and 2 mm in other: the first is used"* ]]
}

@test "stitch: parts in other units are refused" {
    ones --size 4:4:4 x
    copy --unit 1/mm x a
    copy --unit 1/cm x b
    fails 1 "a is in 1/mm but b is in 1/cm: expected the same" stitch --dim 0 --overlap 2 a b y
    fails 1 "a is in 1/mm but b is in 1/cm: expected the same" stitch --fit shift --dim 0 --overlap 2 a b y
    no_output y
}

@test "stitch: bad input is refused" {
    py '
rng = np.random.default_rng(2)
write("a", rng.random((40, 30, 5)).astype("f4"))
write("b", rng.random((40, 30, 5)).astype("f4"))
write("odd", rng.random((40, 3, 5)).astype("f4"), Quantity="line-integral")
write("rand", rng.random((40, 3, 6)).astype("f4"), Quantity="line-integral")
write("vol", rng.random((40, 3, 6)).astype("f4"), Quantity="attenuation")
n = np.ones((40, 30, 5), "f4")
n[20, 3, 2] = np.nan
write("n", n)
write("c", np.ones((4, 4, 4), "c8"))'
    fails 1 "no overlap found: the best overlap" stitch --dim x a b y
    fails 1 "no overlap found: the best column of the axis" stitch rand y
    fails 1 "n contains NaN" stitch --dim x --overlap 3 a n y
    fails 1 "--overlap is 41 elements, but a has 40" stitch --dim x --overlap 41 a b y
    fails 1 "expected equal sizes in all dimensions except 0" stitch --dim x a odd y
    fails 1 "odd has 5 views, expected an even number" stitch odd y
    fails 1 "one input is a scan of 360 degrees" stitch vol y
    fails 1 "--axis: column 39 is outside the views" stitch --axis 39 rand y
    fails 2 "expected --dim" stitch a b y
    fails 2 "have no effect on a single scan" stitch --dim x rand y
    fails 1 "complex" stitch --dim x c c y
    no_output y
}

# Two parts, "a" and "b", of a random field: b begins at (1.4, -1.7, 29.3) voxels of a; the arguments are its rotation, factor, offset and noise.
parts() {
    py "
from scipy.ndimage import gaussian_filter, map_coordinates
rng = np.random.default_rng(3)
f = gaussian_filter(rng.standard_normal((54, 50, 88)), 2)
f = f / f.std() + 3
def turn(k, deg):
    r, a = np.eye(3), np.deg2rad(deg)
    u, v = (k + 1) % 3, (k + 2) % 3
    r[u, u] = r[v, v] = np.cos(a)
    r[v, u], r[u, v] = np.sin(a), -np.sin(a)
    return r
def part(at, n, R=np.eye(3)):
    c = (np.array(n)[:, None] - 1) / 2
    i = np.indices(n).reshape(3, -1)
    return map_coordinates(f, R @ (i - c) + c + np.array(at)[:, None], order=3, mode='mirror').reshape(n)
R = turn(2, 2 * $1) @ turn(1, -1.5 * $1) @ turn(0, $1)
a, b = part((8, 8, 8), (40, 36, 45)), part((9.4, 6.3, 37.3), (40, 36, 45), R)
write('a', (a + $4 * rng.standard_normal(a.shape)).astype('f4'), Spacing='.5 .5 .5', Origin='1 2 3', Quantity='attenuation')
write('b', ($2 * b + $3 + $4 * rng.standard_normal(b.shape)).astype('f4'), Spacing='.5 .5 .5', Quantity='attenuation')
write('want', part((8, 8, 8), (40, 36, 74)))"
}

# The messages name the overlap and shift of the parts, with this tolerance.
finds() {
    local n x y
    read -r n x y < <(sed -nE 's/.*overlap: (\S+) .*/\1/p; s/.*lateral shift: (\S+) (\S+) .*/\1 \2/p' <<<"$2" | xargs)
    py "assert max(abs($n - 15.7), abs($x - 1.4), abs($y + 1.7)) < $1"
}

@test "stitch --fit: a shift of fractions of a voxel is found from a rough overlap" {
    parts 0 1 0 0
    run -0 --separate-stderr stitch -j 1 --dim z --fit shift --overlap 13 --interpolation cubic a b y
    finds .02 "$stderr"
    [ "$(section y Origin | cut -d' ' -f1-3)" = "1 2 3" ]
    py '
y, want = read("y"), read("want")
assert y.shape == want.shape and np.all(y[0, 0, 60:] == 0)
e = np.abs(y - want)[4:-4, 4:-4, 4:-4]
assert e.max() < .05 and e.mean() < .004, (e.max(), e.mean())'
    GANTRY_MEM=1M stitch -j 2 --dim z --fit shift --overlap 13 --interpolation cubic a b z
    same_bytes y z
    stitch --dim z --fit shift --overlap 13 --fill 7 a b z
    py 'assert np.all(read("z")[0, 0, 60:] == 7)'
    # weights grow from 0 to 1 across the overlap
    parts 0 1 5 0
    stitch --dim z --fit shift --overlap 13 --interpolation cubic a b y
    py '
added = (read("y") - read("want"))[4:-4, 4:-4].mean((0, 1))
want = 5 * np.clip((np.arange(74) - 28.3) / 16.7, 0, 1)
assert np.abs(added - want)[:70].max() < .05, added'
}

@test "stitch --fit: the overlap is searched, in linearly related values with noise" {
    parts 0 1.3 5 .3
    run -0 --separate-stderr stitch --dim z --fit shift a b y
    finds .05 "$stderr"
}

@test "stitch --fit rigid: a small rotation is found, along two axes" {
    parts 1 1 0 0
    stitch --dim z --fit rigid --overlap 14 --interpolation cubic a b y
    py '
e = np.abs(read("y")[:, :, :74] - read("want"))[6:-6, 6:-6, 6:-6]
assert e.max() < .1 and e.mean() < .005, (e.max(), e.mean())'
    py '
for name in "a", "b":
    write(name + "t", read(name).transpose(2, 1, 0).copy())'
    stitch --dim x --fit rigid --overlap 14 --interpolation cubic at bt t
    py '
e = np.abs(read("t")[:74] - read("want").transpose(2, 1, 0))[6:-6, 6:-6, 6:-6]
assert e.max() < .1 and e.mean() < .005, (e.max(), e.mean())'
}

@test "stitch --fit: bad input is refused" {
    parts 0 1 0 0
    py '
a, b = read("a"), read("b")
rng = np.random.default_rng(2)
flat, nan = a.copy(), a.copy()
flat[:, :, 20:] = 2.5
nan[3, 4, 2] = np.nan
write("flat", flat)
write("plain", b)
write("nan", nan, Quantity="attenuation", Spacing=".5 .5 .5")
write("other", rng.random(b.shape).astype("f4"), Quantity="attenuation")
write("turned", b, Direction="0 1 0 1 0 0 0 0 1", Quantity="attenuation")
write("many", np.ones((4, 4, 4, 2), "f4"))
write("views", b, Quantity="line-integral")'
    fails 1 "no overlap found: the best overlap" stitch --dim z --fit shift a other y
    fails 1 "flat is constant in the overlap: nothing in it can be aligned" stitch --dim z --fit shift --overlap 15 flat plain y
    fails 1 "nan contains NaN or infinite values" stitch --dim z --fit shift --overlap 15 nan b y
    fails 1 "a and turned have different directions" stitch --dim z --fit shift a turned y
    fails 1 "many is 4 x 4 x 4 x 2, expected one volume" stitch --dim z --fit shift a many y
    fails 1 "volumes are registered" stitch --dim z --fit shift a views y
    fails 1 "--overlap is 46 elements, but a has 45" stitch --dim z --fit shift --overlap 46 a b y
    fails 2 "--fit: dimension 3, expected x, y or z" stitch --dim 3 --fit shift a b y
    fails 1 "--fill: 1e+40 does not fit into float32" stitch --dim z --fit shift --overlap 15 --fill 1e40 a b y
    fails 2 "have no effect without --fit" stitch --dim z --fill 1 a b y
    no_output y
}

# forced 'part of the sentence' ARGUMENTS: an error without output; with --force a warning and an output y.
forced() {
    local part=$1
    shift
    fails 1 "$part" stitch "$@" y
    no_output y
    run -0 --separate-stderr stitch --force "$@" y
    [[ "$stderr" == *"warning: "*"$part"* ]]
    rm y.*
}

@test "stitch --fit: positions that lose slices or add none, and inverted values, are refused" {
    py '
from scipy.ndimage import gaussian_filter
f = gaussian_filter(np.random.default_rng(5).standard_normal((20, 18, 80)), 1.5)
f = f / f.std() + 3
for name, z in ("a", (10, 40)), ("early", (6, 46)), ("inside", (20, 38)), ("other", (28, 60)):
    write(name, f[:, :, slice(*z)].astype("f4"), Quantity="attenuation")
write("inverted", 6 - read("other"), Quantity="attenuation")'
    forced "early begins 4.00 voxels before a, expected after it" --dim z --fit shift --overlap 30 a early
    forced "inside ends at slice 27.00 of a, expected at least 30: no slice is added" --dim z --fit shift --overlap 18 a inside
    forced "no overlap found: the best overlap" --dim z --fit shift --overlap 12 a inverted
    fails 1 "the rotation found tilts inverted by" stitch --force --dim z --fit rigid --overlap 14 a inverted y
    stitch --dim z --fit shift --overlap 11 a other y
    [ "$(dims y)" = "20 18 50" ]
}

@test "stitch --fit rigid: slices that meet on one side and leave a gap in the middle are refused" {
    py '
from scipy.ndimage import gaussian_filter, map_coordinates
f = gaussian_filter(np.random.default_rng(5).standard_normal((140, 34, 60)), 2)
t = np.deg2rad(8)
x, y, z = np.indices((120, 24, 16)).reshape(3, -1) - np.array([[59.5], [11.5], [0]])
places = np.cos(t) * x + np.sin(t) * z + 69.5, y + 16.5, np.cos(t) * z - np.sin(t) * x + 26.2
write("level", f[10:130, 5:29, 5:25].astype("f4"))
write("tilted", map_coordinates(f, places, order=3, mode="mirror").reshape(120, 24, 16).astype("f4"))'
    fails 1 "tilted begins 1.15 voxels after the end of level, expected an overlap" stitch --dim z --fit rigid --overlap 2 level tilted y
}

@test "stitch --fit: the overlap counts voxels of the first volume, whatever the second one has" {
    parts 0 1 0 0
    resample --spacing .1 b fine
    resample --spacing 1.5 b coarse
    local b
    for b in fine coarse; do
        run -0 --separate-stderr stitch --dim z --fit shift --overlap 16 --interpolation cubic a $b y
        py 'e = np.abs(read("y")[:, :, :72] - read("want")[:, :, :72])[6:-6, 6:-6, 6:-6]; assert e.mean() < .15, e.mean()'
    done
}
