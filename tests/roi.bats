load common

volume() {
    py 'rng = np.random.default_rng(1)
v = 100 + 5 * rng.normal(size=(40, 30, 8)); v[25:, :, :] += 50
write("v", v.astype("f4")); write("mask", (rng.uniform(size=(40, 30)) < 0.5).astype("u1"))
for n in ["v"]:
    t = open(n + ".hdr").read(); open(n + ".hdr", "w").write(t + "# Spacing\n0.5 0.5 2\n")'
}

@test "roi: mean, deviation, extremes, SNR and CNR of regions" {
    volume
    gantry roi --csv --region cyl:5:0:2 --region box:-8:-4:-3:3:-3:3 --background cyl:-5:0:3 v >out
    py 'import csv
v = read("v").astype("f8")
x, y, z = np.meshgrid(*[s * (np.arange(n) - (n - 1) / 2) for n, s in zip(v.shape, (0.5, 0.5, 2))], indexing="ij")
parts = [v[(x - 5) ** 2 + y ** 2 <= 4], v[(x >= -8) & (x <= -4) & (abs(y) <= 3) & (abs(z) <= 3)], v[(x + 5) ** 2 + y ** 2 <= 9]]
rows = list(csv.DictReader(open("out")))
assert [r["region"] for r in rows] == ["cyl:5:0:2", "box:-8:-4:-3:3:-3:3", "cyl:-5:0:3"]
for p, r in zip(parts, rows):
    want = dict(n=p.size, mean=p.mean(), std=p.std(), min=p.min(), max=p.max(), snr=p.mean() / p.std(), cnr=abs(p.mean() - parts[2].mean()) / parts[2].std())
    for k in want:
        assert abs(float(r[k]) - want[k]) <= 1e-5 * abs(want[k]), (k, r[k], want[k])'
}

@test "roi: regions of one element, of none that is finite; arrays of many blocks" {
    py 'v = 1e4 + np.random.default_rng(3).normal(size=(90, 70, 21)); v[2, 2, 10] = -5; v[40:, :, :3] = np.nan; write("v", v)'
    [ "$(gantry roi --csv --region box:-42.6:-42.4:-32.6:-32.4:-.1:.1 v | tail -1)" = box:-42.6:-42.4:-32.6:-32.4:-.1:.1,1,-5,0,-5,-5,inf ]
    fails 1 "box:10:20:0:9:-10:-9 contains no finite element" gantry roi --region box:10:20:0:9:-10:-9 v
    gantry roi --csv v >all 2>said
    grep -q "v: 10500 of 132300 elements in the array are NaN or infinite" said
    py 'v = read("v"); v = v[np.isfinite(v)]
got = [float(x) for x in open("all").read().split("\n")[1].split(",")[1:6]]
assert np.allclose(got, [v.size, v.mean(), v.std(), v.min(), v.max()], rtol=1e-6), got'
}

@test "roi: the whole array, a mask, a pipe, and any number of threads" {
    volume
    [ "$(gantry roi v | wc -l)" -eq 2 ]
    gantry roi --csv --mask mask v >one
    py 'p = read("v").astype("f8")[read("mask") != 0]
r = open("one").read().split("\n")[1].split(",")
assert int(r[1]) == p.size and abs(float(r[2]) - p.mean()) < 1e-6 * p.mean() and abs(float(r[3]) - p.std()) < 1e-6 * p.std()'
    gantry copy v - | gantry roi --csv -j 1 --mask mask - | cmp - one
}

@test "roi: what cannot be measured is said" {
    volume
    py 'v = read("v"); v[0, 0, 0] = np.nan; write("nan", v); write("z", v[:, :, 0].astype("c8"))'
    gantry roi nan 2>&1 >/dev/null | grep -q "nan: 1 of 9600 elements in the array are NaN or infinite and are left out"
    fails 1 "contains no finite element (the array reaches from -9.75:-7.25:-7 to 9.75:7.25:7 mm)" gantry roi --region cyl:50:0:3 v
    fails 2 "--region: found 'cylinder:1:2'" gantry roi --region cylinder:1:2 v
    fails 2 "--background needs --region SHAPE" gantry roi --background cyl:0:0:3 v
    fails 1 "complex" gantry roi z
    fails 1 "missing" gantry roi missing
}
