load common

# x: views of blobs that drift by d; ref: without drift
make_drift() {
    py '
rng = np.random.default_rng(2)
u, v = np.meshgrid(np.arange(72.), np.arange(56.), indexing="ij")
blobs = [(rng.uniform(18, 54), rng.uniform(16, 40), rng.uniform(2, 5), rng.uniform(.2, 1)) for _ in range(12)]
scene = lambda du, dv: sum(a*np.exp(-((u - x - du)**2 + (v - y - dv)**2)/2/s**2) for x, y, s, a in blobs)
d = np.r_[np.zeros((1, 2)), rng.uniform(-4, 4, (5, 2))]
write("ref", scene(0, 0), Quantity="line-integral")
write("x", np.stack([scene(*q) for q in d], 2) + rng.normal(0, .005, (72, 56, 6)), Quantity="line-integral")
write("d", d.T)'
}

@test "align: drift to a fraction of a pixel, views moved back" {
    make_drift
    align --reference ref x o s 2>said
    grep -q "the largest shifts are" said
    py '
assert np.abs(read("s") - read("d")).max() < .03, np.abs(read("s") - read("d")).max()
r, x, o = read("ref")[8:-8, 8:-8, None], read("x")[8:-8, 8:-8], read("o")[8:-8, 8:-8]
print(np.linalg.norm(x - r)/np.linalg.norm(o - r))
assert np.linalg.norm(x - r) > 10*np.linalg.norm(o - r)'
    repmat view 6 ref refs
    align -q -j 1 --reference refs x p
    same_bytes o p
}

@test "align: views that are cut off at the ends" {
    py '
rng = np.random.default_rng(4)
u, v = np.meshgrid(np.arange(72.), np.arange(56.), indexing="ij")
waves = [(*rng.normal(size=2)*.35, rng.uniform(0, 2*np.pi)) for _ in range(40)]
scene = lambda du, dv: sum(np.cos(p*(u - du) + q*(v - dv) + at) for p, q, at in waves) + .15*u
d = np.array([(0, 0), (1.3, -.7), (-2.6, 1.2), (4.4, 3.5)])
write("ref", scene(0, 0), Quantity="line-integral")
write("x", np.stack([scene(*q) for q in d], 2), Quantity="line-integral")
write("d", d.T)'
    align -q --reference ref x o s
    py 'assert np.abs(read("s") - read("d")).max() < .015, read("s") - read("d")'
}

@test "align: single rows, and shifts that are limited" {
    make_drift
    extract v 28 ref r
    extract v 28 x y
    align -q --reference r --max-shift 1 y o s
    py '
s = read("s")
assert np.abs(s).max() <= 1 and np.all(s[1] == 0)'
}

@test "align: bad input is refused" {
    make_drift
    phantom --size 72:56 vol
    py 'write("small", np.ones((7, 5)))'
    fails 2 "--reference" align x y
    fails 1 "small is 7 x 5, expected one view of 72 x 56" align --reference small x y
    fails 1 "attenuation" align --reference ref vol y
    no_output y
}
