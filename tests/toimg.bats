load common

# PNG files as arrays [row, column(, colour)], decoded here: no libpng in between.
png() {
    py "import struct, zlib
def png(name):
    data = open(name, 'rb').read()
    assert data[:8] == b'\\x89PNG\\r\\n\\x1a\\n'
    at, packed = 8, b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack('>I', data[at + 8 + n:at + 12 + n])[0]
        if kind == b'IHDR':
            w, h, bits, colour = struct.unpack('>IIBB', body[:10])
        packed += body if kind == b'IDAT' else b''
        at += 12 + n
    bpp = {0: 1, 2: 3}[colour] * bits // 8
    raw = np.frombuffer(zlib.decompress(packed), 'u1').reshape(h, 1 + w * bpp)
    out = np.zeros((h + 1, w * bpp + bpp), int)
    for y in range(h):
        kind, line = raw[y, 0], raw[y, 1:]
        for x in range(w * bpp):
            a, b, c = out[y + 1, x], out[y, x + bpp], out[y, x]
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            out[y + 1, x + bpp] = (line[x] + [0, a, b, (a + b) // 2, near][kind]) % 256
    out = out[1:, bpp:].astype('u1')
    out = out.view('>u2').astype('u2') if bits == 16 else out
    return out.reshape(h, w, 3) if colour == 2 else out
$1"
}

@test "toimg: element (0, 0) is the top left pixel, x runs right; --up turns y" {
    py 'write("x", np.arange(12, dtype="f4").reshape(4, 3))'
    gantry toimg -q x a.png
    gantry toimg -q --up x b.png
    gantry toimg -q --invert x c.png
    png '
want = np.floor(read("x").T / 11 * 255 + 0.5)
assert np.array_equal(png("a.png"), want)
assert np.array_equal(png("b.png"), want[::-1])
assert np.array_equal(png("c.png"), np.floor((1 - read("x").T / 11) * 255 + 0.5))'
}

@test "toimg: window, 16 bits, percentiles, types" {
    py '
a = np.random.default_rng(1).standard_normal((40, 30))
a[3, 4] = 1e6
for t in "f4", "f8":
    write(t, a.astype(t))
write("i2", (a * 100).clip(-30000, 30000).astype("i2"))
write("flat", np.full((5, 6), 7.0))'
    gantry toimg -q --window -1:2 f8 a.png
    gantry toimg -q --window -1:2 --bits 16 f8 b.png
    gantry toimg -q --window -100:200 --bits 16 i2 c.png
    gantry toimg --percentile 5:95 f4 d.png 2>window
    gantry toimg -q flat e.png
    png '
t = ((read("f8").T + 1) / 3).clip(0, 1)
assert np.array_equal(png("a.png"), np.floor(t * 255 + 0.5))
assert np.array_equal(png("b.png"), np.floor(t * 65535 + 0.5))
assert np.array_equal(png("c.png"), np.floor(((read("i2").T + 100.) / 300).clip(0, 1) * 65535 + 0.5))
lo, hi = map(float, open("window").read().split()[-1].split(":"))
want = np.sort(read("f4").ravel())
assert abs(lo - want[round(0.05 * 1199)]) < 1e-5 and abs(hi - want[round(0.95 * 1199)]) < 1e-5
assert np.ptp(png("e.png")) == 0'
}

@test "toimg: slices along every dim, the middle one by default" {
    py 'write("x", np.random.default_rng(2).random((5, 6, 7)).astype("f4"))'
    gantry toimg -q --window 0:1 x m.png
    gantry toimg -q --window 0:1 --dim x --slice 1 x x.png
    gantry toimg -q --window 0:1 --dim y --slice -1 x y.png
    gantry slice y 5 x s
    gantry toimg -q --window 0:1 s s.png
    png '
a = np.floor(read("x").astype("f8") * 255 + 0.5)
assert np.array_equal(png("m.png"), a[:, :, 3].T)
assert np.array_equal(png("x.png"), a[1].T)
assert np.array_equal(png("y.png"), a[:, 5].T)'
    cmp y.png s.png
}

@test "toimg: montage, columns, range, zoom and aspect" {
    py 'write("x", np.random.default_rng(2).random((5, 6, 7)).astype("f4"), Spacing="1 2 1")'
    gantry toimg -q --window 0:1 --montage --columns 3 x m.png
    gantry toimg -q --window 0:1 --range 1:6:2 --columns 3 x r.png
    gantry toimg -q --window 0:1 --slice 0 --zoom 3 x z.png
    gantry toimg -q --window 0:1 --slice 0 --aspect x p.png
    png '
a = np.floor(read("x").astype("f8") * 255 + 0.5).transpose(2, 1, 0)
m = np.zeros((18, 15))
for k in range(7):
    m[k // 3 * 6:k // 3 * 6 + 6, k % 3 * 5:k % 3 * 5 + 5] = a[k]
assert np.array_equal(png("m.png"), m)
assert np.array_equal(png("r.png"), np.hstack(a[1:6:2]))
assert np.array_equal(png("z.png"), a[0].repeat(3, 0).repeat(3, 1))
assert np.array_equal(png("p.png"), a[0].repeat(2, 0))'
}

@test "toimg: colour maps run from one end to the other; values that are not finite are magenta and counted" {
    py 'write("x", np.arange(256, dtype="f4").reshape(256, 1)); a = np.arange(6, dtype="f4").reshape(2, 3); a[1, 1] = np.nan; a[0, 2] = np.inf; write("n", a)'
    for map in viridis magma inferno hot bone jet coolwarm; do
        gantry toimg -q --colormap $map x $map.png
    done
    gantry toimg n n.png 2>said
    grep -q "2 of 6 values are not finite" said
    png '
light = lambda p: p @ [0.2126, 0.7152, 0.0722]
for name in "viridis", "magma", "inferno", "hot", "bone":
    l = light(png(name + ".png")[0].astype(float))
    assert np.all(np.diff(l) > -1) and l[0] < 60 and l[-1] > 200, name
ends = png("jet.png")[0]
assert list(ends[0]) == [0, 0, 128] and list(ends[-1]) == [128, 0, 0]
n = png("n.png")
assert list(n[1, 1]) == [255, 0, 255] and list(n[2, 0]) == [255, 0, 255]
assert list(n[0, 0]) == [0, 0, 0] and list(n[2, 1]) == [255, 255, 255]'
}

@test "toimg: parts of complex arrays" {
    py 'write("z", (np.random.default_rng(3).standard_normal((5, 6)) + 1j * np.random.default_rng(4).standard_normal((5, 6))).astype("c16"))'
    gantry toimg -q --window 0:3 z a.png
    for part in real imaginary phase; do
        gantry toimg -q --window -3:3 --part $part z $part.png
    done
    png '
z = read("z").T
draw = lambda v, lo, hi: np.floor(((v - lo) / (hi - lo)).clip(0, 1) * 255 + 0.5)
assert np.array_equal(png("a.png"), draw(abs(z), 0, 3))
assert np.array_equal(png("real.png"), draw(z.real, -3, 3))
assert np.array_equal(png("imaginary.png"), draw(z.imag, -3, 3))
assert np.array_equal(png("phase.png"), draw(np.angle(z), -3, 3))'
}

@test "toimg: streams in and out, same bytes for any threads" {
    py 'write("x", np.random.default_rng(2).random((50, 60, 7)).astype("f4"))'
    gantry toimg -q -j 1 --montage --percentile 1 x a.png
    gantry toimg -q -j 7 --montage --percentile 1 x b.png
    cmp a.png b.png
    gantry copy x - | gantry toimg -q --montage --percentile 1 - - >c.png
    cmp a.png c.png
}

@test "toimg: projections along every dim, of all slices or a range" {
    py 'a = np.random.default_rng(2).random((5, 6, 7)).astype("f4"); a[1, 2, 3] = np.nan; write("x", a, Spacing="1 2 1")'
    gantry toimg -q --window 0:1 --projection max x max.png
    gantry toimg -q --window 0:1 --projection min --dim y --aspect x min.png
    gantry toimg -q --window 0:1 --projection mean --range 1:6:2 x mean.png
    png '
a = read("x").astype("f8")
draw = lambda v: np.floor(v * 255 + 0.5)
assert np.array_equal(png("max.png"), draw(np.nanmax(a, 2)).T)
assert np.array_equal(png("min.png"), draw(np.nanmin(a, 1)).T)
assert np.abs(png("mean.png") - np.nanmean(a[:, :, 1:6:2], 2).T * 255).max() <= 0.51'
}

@test "toimg: several arrays side by side in one window, and their differences" {
    py 'rng = np.random.default_rng(2)
write("a", rng.random((20, 16, 3)).astype("f4")); write("b", 2 * rng.random((20, 16, 3)).astype("f4"))'
    gantry toimg -q --window 0:2 a b side.png
    gantry toimg a b auto.png 2>said
    gantry toimg -q --window 0:2 --difference-window 2 --slice 0 a b diff.png
    png '
a, b = read("a").astype("f8"), read("b").astype("f8")
draw = lambda v: np.floor(v / 2 * 255 + 0.5)
assert np.array_equal(png("side.png"), np.hstack([draw(a[:, :, 1].T), draw(b[:, :, 1].T)]))
lo, hi = map(float, open("said").read().split()[-1].split(":"))
assert abs(lo - min(a[:, :, 1].min(), b[:, :, 1].min())) < 1e-5 and abs(hi - max(a[:, :, 1].max(), b[:, :, 1].max())) < 1e-5
d = png("diff.png")
assert d.shape == (16, 60, 3) and np.array_equal(d[:, :20, 0], draw(a[:, :, 0].T))
# blue below, red above
diff = (b - a)[:, :, 0].T
assert np.mean((d[:, 40:, 0].astype(int) > d[:, 40:, 2]) == (diff > 0)) > 0.98'
}

@test "toimg: words, a colour bar and a scale bar lie around the tiles" {
    py 'write("a", np.random.default_rng(2).random((60, 50, 4)).astype("f4"), Spacing="0.5 0.5 2", Unit="1/mm")'
    gantry toimg -q --window 0:1 --slice 1 --zoom 2 a plain.png
    gantry toimg -q --window 0:1 --slice 1 --zoom 2 --title "A slice" --colorbar --label --scale-bar 10 a full.png
    gantry toimg -q --window 0:1 --montage --labels "one,two,three,four" a words.png
    png '
p, f = png("plain.png"), png("full.png")
assert f.ndim == 3 and f.shape[0] > p.shape[0] + 40 and f.shape[1] > p.shape[1] + 60
places = [(y, x) for y in range(f.shape[0] - 99) for x in range(1) if np.array_equal(f[y:y + 100, x:x + 120, 0], p)]
assert len(places) == 1
top = places[0][0]
# the scale bar: 10 mm are 40 pixels
below = f[top + 100:, :, 0]
assert 38 <= max((row < 128).sum() for row in below) <= 46
# the bar runs from white at the top to black
bar = f[top:top + 100, 120:150, 0].astype(int)
assert any(c[0] > 245 and c[-1] < 10 and np.all(np.diff(c) <= 0) for c in bar.T)'
}

@test "toimg: labels stay above their tiles, however small these are" {
    py 'write("a", np.random.default_rng(2).random((40, 30, 6)).astype("f4"), Spacing="0.123 0.123 0.123")'
    gantry toimg -q --window 0:1 --montage --columns 3 --label a small.png
    gantry toimg -q --window 0:1 --montage --columns 3 --labels "a,a very long label indeed,b" a words.png
    png '
for name in "small.png", "words.png":
    p = png(name)
    width, gap = 40, 5
    assert p.shape[1] == 3 * width + 2 * gap
    dark = p[:22, :, 0] < 200 # the band above the first row of tiles
    for k in range(3):
        assert dark[:, k * (width + gap):k * (width + gap) + width].any(), (name, k)
    for k in range(2):
        assert not dark[:, (k + 1) * width + k * gap + 1:(k + 1) * (width + gap) - 1].any(), (name, k)'
}

@test "toimg: bad input" {
    py 'write("x", np.zeros((3, 4, 5), "f4")); write("f", np.zeros((3, 4), "f4"))'
    fails 2 "LO < HI" gantry toimg --window 2:1 x y.png
    fails 2 "LO < HI" gantry toimg --window 2 x y.png
    fails 2 "expected 0..4" gantry toimg --slice 5 x y.png
    fails 2 "8 or 16" gantry toimg --bits 12 x y.png
    fails 2 "excludes" gantry toimg --slice 1 --montage x y.png
    fails 2 ".png" gantry toimg x y.jpg
    fails 2 "excludes" gantry toimg --slice 1 --projection max x y.png
    fails 2 "single picture" gantry toimg --projection max f y.png
    fails 2 "at least two arrays" gantry toimg --difference x y.png
    fails 2 "slices of one array" gantry toimg --montage x x y.png
    fails 1 "the picture of f has 4 x 1 elements, but the picture of x has 4 x 5" gantry toimg --dim x x f y.png
    fails 2 "longer than" gantry toimg --scale-bar 50 x y.png
    fails 2 "viridis" gantry toimg --colormap viridi x y.png
    fails 2 "single picture" gantry toimg --slice 0 f y.png
    fails 2 "--columns 3 has no effect on a single picture" gantry toimg --columns 3 x y.png
    fails 2 "--columns 3 has no effect on a single picture" gantry toimg --projection max --range 0:4 --columns 3 x y.png
    fails 2 "6 labels separated by commas for 5 tiles" gantry toimg --montage --labels a,b,c,d,e,f x y.png
    fails 2 "2 labels separated by commas for 1 tile" gantry toimg --labels a,b x y.png
    fails 2 "excludes --montage" gantry toimg --projection max --montage x y.png
    fails 2 "one of --window and --percentile" gantry toimg --window 0:1 --percentile 1 x y.png
    fails 2 "--scale-bar" gantry toimg --scale-bar=-2 x y.png
    fails 1 nothere gantry toimg nothere y.png
    fails 1 nofolder gantry toimg x nofolder/y.png
    no_output y
}
