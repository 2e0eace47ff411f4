load common

# Discs, edges and wires blurred by a Gaussian of 0.3 mm, point samples: the MTF is exp(-2 pi^2 sigma^2 f^2).
images() {
    py 'from scipy.special import erf
s, n, d = 0.3, 200, 0.2
x, y = np.meshgrid(*[d * (np.arange(n) - (n - 1) / 2)] * 2, indexing="ij")
rng = np.random.default_rng(1)
step = lambda t: 0.5 - 0.5 * erf(t / s / np.sqrt(2))
stack = lambda v, noise: np.stack([v + noise * rng.normal(size=v.shape) for _ in range(4)], 2).astype("f4")
write("disc", stack(5 - 3 * step(np.hypot(x - 1.23, y + 0.71) - 12), 0))
write("noisy", stack(5 + 3 * step(np.hypot(x - 1.23, y + 0.71) - 12), 0.05))
a = np.radians(5)
write("edge", stack(step(x * np.cos(a) + y * np.sin(a) - 0.4), 0))
write("down", stack(2 - step(y * np.cos(a) + x * np.sin(a) + 0.3), 0))
write("straight", stack(step(x), 0))
write("wire", stack(1 + np.exp(-((x - 3.03) ** 2 + (y - 2.11) ** 2) / 2 / s ** 2), 0))
write("flat", np.full((n, n), 3, "f4"))
for k in "disc noisy edge down straight wire flat".split():
    t = open(k + ".hdr").read(); open(k + ".hdr", "w").write(t + "# Spacing\n0.2 0.2 1\n")'
}

# gaussian FILE LIMIT: the curve in FILE is that of the Gaussian up to 1.6 per mm
gaussian() {
    py "t = np.loadtxt('$1', delimiter=',', skiprows=1)
f, m = t[:, 0], t[:, 1]
want = np.exp(-2 * np.pi ** 2 * 0.3 ** 2 * f ** 2)
assert f[0] == 0 and m[0] == 1 and f[-1] <= 5.0001
worst = np.abs(m - want)[f <= 1.6].max()
assert worst < $2, worst"
}

@test "mtf: edges of discs, straight edges and wires give the MTF of the blur" {
    images
    gantry mtf --disc 1:-1:12 --width 3 disc >a 2>said
    gaussian a 0.005
    grep -q "centre is at 1.2[23][0-9]*:-0.7[01]" said
    gantry mtf -q --disc 1:-1:12 --width 3 --range : noisy >b
    gaussian b 0.02
    gantry mtf --edge -8:8:-8:8 --width 3 edge >c 2>said
    gaussian c 0.005
    grep -q "at 95 degrees" said
    gantry mtf -q --edge -8:8:-8:8 --width 3 down >d
    gaussian d 0.005
    gantry mtf --wire 3:2:3 wire >e 2>said
    gaussian e 0.005
    grep -q "centre is at 3.03:2.11 mm" said
    # 0.5 = exp(-2 pi^2 s^2 f^2)
    py "assert abs($(gantry mtf -q --wire 3:2:3 --level 0.5 wire) - np.sqrt(np.log(2) / 2) / np.pi / 0.3) < 0.005"
    py "assert $(gantry mtf -q --wire 3:2:3 --diameter 0.3 --level 0.5 wire) > $(gantry mtf -q --wire 3:2:3 --level 0.5 wire)"
}

@test "mtf: what cannot be measured is said" {
    images
    py 'v = read("disc"); v[0, 0, 2] = np.nan; write("nan", v)'
    fails 2 "--diameter requires --wire" gantry mtf --disc 1:-1:12 --diameter 0.3 disc
    fails 2 "--width requires" gantry mtf --wire 1:-1:3 --width 3 disc
    fails 2 "expected one of --disc, --edge and --wire" gantry mtf disc
    fails 2 "--disc: found 2 numbers, expected 3" gantry mtf --disc 0:0 disc
    fails 1 "is not inside the slice" gantry mtf --disc 15:0:12 disc
    fails 1 "expected an edge" gantry mtf --disc 0:0:12 flat
    fails 1 "no wire is found" gantry mtf --wire 0:0:3 flat
    fails 1 "no straight edge is found" gantry mtf --edge -8:8:-8:8 flat
    fails 1 "a straight edge slanted by 3 to 10 degrees" gantry mtf --edge -8:8:-8:8 straight
    fails 1 "expected at least 4 pixels" gantry mtf --disc 1:-1:12 --width 0.5 disc
    fails 1 "the value at 0, 0 is NaN or infinite" gantry mtf --disc 1:-1:12 nan
    fails 2 "--range" gantry mtf --disc 1:-1:12 --range 9:12 disc
}

@test "mtf: what is beyond the width or outside the circle, and other slices, do not matter" {
    images
    py 'd = 0.2 * (np.arange(200) - 99.5)
far = lambda x, y, r: np.hypot(*np.meshgrid(d - x, d - y, indexing="ij")) > r
v = read("disc"); v[far(1.23, -0.71, 15.5)] = 50; v[:, :, 1::2] = 7; write("disc2", v)
v = read("wire"); v[far(3.03, 2.11, 3.2)] = -7; write("wire2", v)
for k in "disc2", "wire2":
    t = open(k + ".hdr").read(); open(k + ".hdr", "w").write(t + "# Spacing\n0.2 0.2 1\n")'
    gantry mtf -q --disc 1:-1:12 --width 3 disc >a
    gantry mtf -q --disc 1:-1:12 --width 3 --range 0:4:2 disc2 >b
    cmp a b
    gantry mtf -q --wire 3:2:3 wire >a
    gantry mtf -q --wire 3:2:3 wire2 >b
    cmp a b
}

@test "mtf: pixels of two spacings, lines without an edge" {
    py 'from scipy.special import erf
x, y = np.meshgrid(0.2*(np.arange(200) - 99.5), 0.25*(np.arange(160) - 79.5), indexing="ij")
step = lambda t: 0.5 - 0.5*erf(t/0.3/np.sqrt(2))
tilted = lambda x, y, a: x*np.cos(np.radians(a)) + y*np.sin(np.radians(a))
v = step(tilted(x, y, 5) - 0.4); write("edge", v)
v = v.copy(); v[:, 40:70] = 0.5; write("gap", v)
write("down", step(tilted(y, x, 12) + 0.3))
write("disc", step(np.hypot(x - 1.23, y + 0.71) - 12))
for k in "edge gap down disc".split():
    t = open(k + ".hdr").read(); open(k + ".hdr", "w").write(t + "# Spacing\n0.2 0.25 1\n")'
    gantry mtf --edge -8:8:-8:8 --width 3 edge >a 2>said
    gaussian a 0.005
    grep -q "at 95 degrees" said
    gantry mtf --edge -8:8:-8:8 --width 3 down >b 2>said
    gaussian b 0.005
    grep -q "at 168 degrees" said
    gantry mtf --disc 1:-1:12 --width 3 disc >c 2>said
    gaussian c 0.005
    grep -q "centre is at 1.2[23][0-9]*:-0.7[01]" said
    gantry mtf --edge -8:8:-15:8 --width 3 gap 2>&1 >/dev/null | grep "at 95 degrees"
}

@test "mtf: places without an object, levels that are not reached" {
    images
    py 'v = np.random.default_rng(1).normal(size=(200, 200)); write("noise", v)
t = open("noise.hdr").read(); open("noise.hdr", "w").write(t + "# Spacing\n0.2 0.2 1\n")'
    fails 1 "noise: no edge found" gantry mtf --disc 1:-1:12 noise
    fails 1 "the disc has a radius of 2 mm, expected more than the 3 mm" gantry mtf --disc 1:-1:2 --width 3 disc
    fails 1 "edge: the box contains 7 x 82 pixels, expected at least 8 x 8" gantry mtf --edge -0.5:0.7:-8.1:8.1 --width 3 edge
    fails 1 "a radius of 0.9 mm, expected at least 5 pixels of 0.2 mm" gantry mtf --wire 3:2:0.9 wire
    fails 1 "the MTF is above 1e-07 at all frequencies up to 5 /mm" gantry mtf --wire 3:2:3 --level 1e-7 wire
}
