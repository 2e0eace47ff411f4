load common

# Blobs, as "fixed" and, turned by 5, -8 and 12 degrees and moved by (2.3, -1.7, 1.1) mm, on another grid as "moving"; "other" holds other values.
blobs() {
    py '
rng = np.random.default_rng(4)
def turn(k, deg):
    r, a = np.eye(3), np.deg2rad(deg)
    u, v = (k + 1) % 3, (k + 2) % 3
    r[u, u] = r[v, v] = np.cos(a)
    r[v, u], r[u, v] = np.sin(a), -np.sin(a)
    return r
def grid(n, s):
    return np.stack(np.meshgrid(*[(np.arange(k) - (k - 1) / 2) * q for k, q in zip(n, s)], indexing="ij"), -1)
c, w, h = rng.uniform(-10, 10, (20, 3)), rng.uniform(2, 4, 20), rng.uniform(.3, 1, 20)
f = lambda p: sum(b * np.exp(-((p - q) ** 2).sum(-1) / (2 * s * s)) for q, s, b in zip(c, w, h))
A, t = turn(2, 12) @ turn(1, -8) @ turn(0, 5), np.array([2.3, -1.7, 1.1])
g = grid((32, 30, 26), (1, 1, 1))
m = f((grid((28, 28, 22), (1.2, 1.2, 1.3)) - t) @ A)
write("fixed", f(g).astype("f4"), Quantity="attenuation")
write("moving", m.astype("f4"), Spacing="1.2 1.2 1.3")
write("other", np.exp(-1.5 * m).astype("f4"), Spacing="1.2 1.2 1.3")
p = g.reshape(-1, 3)[::17].T
np.save("places", p)
np.save("moved", A @ p + t[:, None])'
}

@test "register: a known rotation and shift is found; resample applies it" {
    blobs
    local pair
    for pair in ls:moving mi:moving mi:other; do
        register -j 1 --metric "${pair%:*}" fixed "${pair#*:}" "map-$pair" >said
        grep -q '^correlation .*before' said
        py "
M = np.loadtxt('map-$pair')
e = M[:, :3] @ np.load('places.npy') + M[:, 3:] - np.load('moved.npy')
assert np.sqrt((e ** 2).sum(0).mean()) < 0.1, np.sqrt((e ** 2).sum(0).mean())"
    done
    register -j 2 --metric ls fixed moving two >said
    cmp two map-ls:moving
    register --metric ls fixed moving - 2>report | cmp - two
    cmp report said
    resample --like fixed --affine map-ls:moving --interpolation cubic moving aligned
    py '
a, f = read("aligned")[6:-6, 6:-6, 6:-6], read("fixed")[6:-6, 6:-6, 6:-6]
assert np.abs(a - f).max() < .05 * f.max(), np.abs(a - f).max() / f.max()'
}

@test "register: noise of 50 % is averaged over most voxels" {
    py '
from scipy.ndimage import gaussian_filter, fourier_shift
rng = np.random.default_rng(7)
n = 56, 52, 48
f = gaussian_filter(rng.standard_normal(n), 4, mode="wrap")
m = np.fft.ifftn(fourier_shift(np.fft.fftn(f), (1.3, 2.7, -.6))).real
for name, x in ("fixed", f), ("moving", m):
    write(name, (x + .5 * f.std() * rng.standard_normal(n)).astype("f4"))'
    register --metric ls fixed moving map >said
    py '
M = np.loadtxt("map")
p = (np.indices((5, 5, 5)).reshape(3, -1) / 4 - .5) * np.array([[56], [52], [48]])
e = M[:, :3] @ p + M[:, 3:] - p - np.array([[1.3], [2.7], [-.6]])
assert np.sqrt((e ** 2).sum(0).mean()) < .07, np.sqrt((e ** 2).sum(0).mean())'
}

@test "register --metric ls: half a period away, where the values are inverted, is no match" {
    py '
x, y, z = np.meshgrid(*[np.arange(n) - (n - 1) / 2 for n in (48, 44, 40)], indexing="ij")
f = lambda u: np.cos(2 * np.pi * u / 14) * np.exp(-u ** 2 / 400 - (y ** 2 + z ** 2) / 150)
write("fixed", f(x).astype("f4"))
write("moving", f(x - 7).astype("f4"))
write("inverted", -f(x).astype("f4"))'
    register --metric ls fixed moving map >said
    # turns about x change nothing
    py 'assert np.abs(np.loadtxt("map")[0] - [1, 0, 0, 7]).max() < .02, np.loadtxt("map")'
    register fixed inverted map >said
    grep -q "^correlation  -1" said
}

@test "register: images of one slice, from a start" {
    py '
x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(36) - 17.5, indexing="ij")
f = lambda x, y: np.exp(-((x - 5) ** 2 / 60 + (y + 3) ** 2 / 30)) + .7 * np.exp(-((x + 8) ** 2 / 20 + (y - 6) ** 2 / 40))
c, s = np.cos(.3), np.sin(.3)
write("fixed", f(x, y).astype("f4"))
write("moving", f(c * (x - 1) + s * (y - 2), c * (y - 2) - s * (x - 1)).astype("f4"))'
    printf '1 0 0 1\n0 1 0 1\n0 0 1 0\n' >start
    register -j 1 --metric ls --init start fixed moving map >said
    py '
want = np.array([[np.cos(.3), -np.sin(.3), 0, 1], [np.sin(.3), np.cos(.3), 0, 2], [0, 0, 1, 0]])
assert np.abs(np.loadtxt("map") - want).max() < .05, np.loadtxt("map")
c, s = np.cos(.9), np.sin(.9)
np.savetxt("far", [[c, -s, 0, 1], [s, c, 0, 2], [0, 0, 1, 0]])
# the same slices across x: y takes the place of x, z of y
write("f", read("fixed").reshape(1, 40, 36))
write("m", read("moving").reshape(1, 40, 36))
open("start", "w").write("1 0 0 0\n0 1 0 1\n0 0 1 1\n")
np.save("want", want[[2, 0, 1]][:, [2, 0, 1, 3]])'
    run -0 --separate-stderr register --metric mi --init start f m map
    [[ "$stderr" != *"from the start"* ]]
    py 'assert np.abs(np.loadtxt("map") - np.load("want.npy")).max() < .05, np.loadtxt("map")'
    run -0 --separate-stderr register --metric ls --init far fixed moving map
    [[ "$stderr" == *"warning: the result is 34 degrees and "*" mm from the start, further than the search is reliable"* ]]
}

@test "register: images that share nothing, and bad input, are refused" {
    blobs
    py '
rng = np.random.default_rng(1)
write("noise", rng.random((28, 28, 24)).astype("f4"))
write("flat", np.full((28, 28, 24), 3, "f4"))
x = np.ones((28, 28, 24), "f4")
x[3, 4, 5] = np.nan
write("nan", x)
write("views", x, Quantity="line-integral")
write("many", np.ones((4, 4, 4, 2), "f4"))'
    # few values: their histogram makes unrelated ones look alike
    py 'r = np.random.default_rng(1)
for name, n in ("few", 10), ("others", 9): write(name, r.random((12, 11, n)).astype("f4"))'
    fails 1 "expected an information of at least 1.1" register few others map
    fails 1 "expected an information of at least 1.1" register others few map
    register few few self >said
    printf '1 1 0 1\n0 1 0 1\n0 0 1 0\n' >shear
    local metric
    for metric in mi ls; do
        fails 1 "no reliable match" register -j 1 --metric $metric fixed noise map
        fails 1 "flat is constant" register -j 1 --metric $metric fixed flat map
    done
    fails 1 "nan contains NaN" register fixed nan map
    fails 1 "volumes are registered" register views fixed map
    fails 1 "many is 4 x 4 x 4 x 2, expected one volume" register fixed many map
    fails 1 "shear is not a rotation and a shift" register --init shear fixed moving map
    [ ! -e map ]
}
