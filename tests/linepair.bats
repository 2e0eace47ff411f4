load common

# Bars of 1 and 2 line pairs per mm, of which a Gaussian blur of 0.25 mm leaves the first harmonic; values 10 and 30.
@test "linepair: the modulation of bars is that of the blur" {
    py 's, n, d = 0.25, 240, 0.05
x, y = np.meshgrid(*[d * (np.arange(n) - (n - 1) / 2)] * 2, indexing="ij")
v = np.full((n, n), 10.); v[x < -3] = 30
rng = np.random.default_rng(2)
for f, low in ((1, -2), (2, 1)):
    wave = 20 + 10 * 4 / np.pi * np.exp(-2 * np.pi ** 2 * s ** 2 * f ** 2) * np.sin(2 * np.pi * f * x)
    inside = (y >= low) & (y < low + 2) & (abs(x) < 3)
    v[inside] = wave[inside]
write("v", (v + 0.1 * rng.normal(size=v.shape)).astype("f4"))
t = open("v.hdr").read(); open("v.hdr", "w").write(t + "# Spacing\n0.05 0.05\n")'
    gantry linepair --bar cyl:-4:0:0.8 --gap cyl:4:0:0.8 --group 1@box:-2:1.97:-1.8:-0.2 --group 2@box:-2:1.97:1.2:2.8 v >out
    py 't = np.loadtxt("out", delimiter=",", skiprows=1)
want = np.exp(-2 * np.pi ** 2 * 0.25 ** 2 * t[:, 0] ** 2)
assert list(t[:, 0]) == [1, 2] and np.all(np.abs(t[:, 1] - want) < 0.01), (t, want)'
    fails 2 "expected --bar, --gap and at least one --group" gantry linepair --bar cyl:-4:0:0.8 v
    fails 2 "expected F@SHAPE" gantry linepair --bar cyl:-4:0:0.8 --gap cyl:4:0:0.8 --group box:0:1:0:1 v
    fails 1 "expected two materials" gantry linepair --bar cyl:4:0:0.8 --gap cyl:4:0:0.8 --group 1@cyl:0:0:1 v
    fails 1 "contains 0 finite elements" gantry linepair --bar cyl:-90:0:0.8 --gap cyl:4:0:0.8 --group 1@cyl:0:0:1 v
}
