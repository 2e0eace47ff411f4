load common

noise() {
    py 'from scipy.ndimage import gaussian_filter
rng = np.random.default_rng(1)
v = 3 * rng.normal(size=(256, 200, 5))
write("white", (7 + v).astype("f4")); write("soft", gaussian_filter(v, (1.5, 1.5, 0), mode="wrap").astype("f4"))
x = np.arange(256)[:, None, None] - 128
write("tilted", (v + 0.5 * x).astype("f4"))
for k in "white soft tilted".split():
    t = open(k + ".hdr").read(); open(k + ".hdr", "w").write(t + "# Spacing\n0.5 0.5 1\n")'
}

@test "nps: white noise has a flat spectrum of its variance, filtered noise that of the filter" {
    noise
    gantry nps white plane >white.csv 2>said
    gantry nps -q white - 2>report | copy - piped
    same_bytes plane piped
    cmp report white.csv
    gantry nps -q --size 64 --detrend mean soft >soft.csv
    py "m, noise = $(sed -n 's/.*mean \([0-9.]*\), noise \([0-9.]*\) .*/\1, \2/p' said)
assert abs(m - 7) < 0.05 and abs(noise - 3) < 0.03"
    py 't = np.loadtxt("white.csv", delimiter=",", skiprows=1)
assert t[0, 0] == 0 and abs(t[-1, 0] - 1) < 0.04
v = read("white").astype("f8")
flat = t[3:, 1]
assert abs(flat.mean() / (9 * 0.25) - 1) < 0.02 and np.abs(flat / (9 * 0.25) - 1).max() < 0.15
p = read("plane")
assert p.shape == (64, 64)
assert abs(p.sum() / (64 * 0.5) ** 2 / 9 - 1) < 0.02
t = np.loadtxt("soft.csv", delimiter=",", skiprows=1)
f, s = t[2:, 0], t[2:, 1]
want = 9 * 0.25 * np.exp(-4 * np.pi ** 2 * 0.75 ** 2 * f ** 2)
assert np.abs(s - want)[f < 0.4].max() < 0.1 * want[0]'
    section plane Spacing | grep -q "^0.03125 0.03125"
}

@test "nps: a plane is taken off, tiles stay inside the region, NumPy agrees on one tile" {
    noise
    gantry extract x 32:96 y 32:96 z 2:3 tilted tile
    gantry nps -q tile plane >/dev/null
    py 'v = read("tile").astype("f8").reshape(64, 64)
x, y = np.meshgrid(np.arange(64), np.arange(64), indexing="ij")
A = np.stack([np.ones(4096), x.ravel(), y.ravel()], 1)
v = v - (A @ np.linalg.lstsq(A, v.ravel(), rcond=None)[0]).reshape(64, 64)
want = 0.25 / 64 ** 2 * np.abs(np.fft.fftshift(np.fft.fft2(v))) ** 2
assert np.allclose(read("plane").reshape(64, 64), want, rtol=1e-6, atol=1e-9 * want.max())'
    gantry nps --region box:-63.75:0:-49.75:0 white 2>&1 >/dev/null | grep -q ": 30 tiles"
}

@test "nps: overlapping tiles of oblong pixels, slices in steps, as in NumPy" {
    py 'v = 3 + np.random.default_rng(2).normal(size=(80, 53, 6)).cumsum(0)/4; write("v", v.astype("f4"))
t = open("v.hdr").read(); open("v.hdr", "w").write(t + "# Spacing\n0.5 0.2 1\n")'
    for how in none mean plane; do
        gantry nps --size 16 --detrend $how --range 1:6:2 v $how >$how.csv 2>$how.said
    done
    py 'import re
v = read("v").astype("f8")
x, y = np.meshgrid(np.arange(16), np.arange(16), indexing="ij")
A = {"none": np.zeros((256, 1)), "mean": np.ones((256, 1)), "plane": np.stack([0*x + 1, x, y], 2).reshape(256, 3)}
tiles = [v[i:i+16, j:j+16, z].ravel() for z in (1, 3, 5) for i in range(0, 65, 8) for j in range(0, 38, 8)]
fx, fy = (np.arange(-8, 8)/16/d for d in (.5, .2))
f = np.hypot(fx[:, None], fy)
for how, a in A.items():
    rest = [t - a @ np.linalg.lstsq(a, t, rcond=None)[0] for t in tiles]
    want = .1/256*np.mean([np.abs(np.fft.fftshift(np.fft.fft2(t.reshape(16, 16))))**2 for t in rest], 0)
    assert np.allclose(read(how)[:, :, ...].reshape(16, 16), want, rtol=1e-5, atol=1e-7*want.max()), how
    ring = np.floor(f*16*.2 + .5)
    rows = np.loadtxt(how + ".csv", delimiter=",", skiprows=1)
    assert len(rows) == 3, rows
    for k, row in enumerate(rows):
        assert np.allclose(row[:2], [f[ring == k].mean(), want[ring == k].mean()], rtol=1e-5, atol=1e-9), (how, k, row)
    noise = np.sqrt(np.mean([np.mean(t**2) for t in rest]))
    said = [float(n) for n in re.findall(r"[\d.]+\b", open(how + ".said").read())]
    p, q = rows[:, 0], rows[:, 1]
    assert np.allclose(said, [len(tiles), np.mean(tiles), noise, p[q.argmax()], (p*q).sum()/q.sum()], rtol=1e-3), said'
}

@test "nps: what cannot be measured is said" {
    noise
    py 'v = read("white"); v[3, 3, 0] = np.inf; write("inf", v)'
    fails 1 "no tile of 64 x 64 pixels lies inside cyl:0:0:5" gantry nps --region cyl:0:0:5 white
    fails 1 "at least 512 x 512, the size of a tile" gantry nps --size 512 white
    fails 2 "expected an even number" gantry nps --size 63 white
    fails 1 "the value at 3, 3, 0 is NaN or infinite" gantry nps inf
    fails 2 "--range" gantry nps --range 7:9 white
}
