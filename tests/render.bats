load common

# PNG files as arrays [row, column, colour], decoded here: no libpng in between.
png() {
    py "import struct, zlib
def png(name):
    data = open(name, 'rb').read()
    at, packed = 8, b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack('>I', data[at + 8 + n:at + 12 + n])[0]
        if kind == b'IHDR':
            w, h, bits, colour = struct.unpack('>IIBB', body[:10])
            assert (bits, colour) == (8, 2)
        packed += body if kind == b'IDAT' else b''
        at += 12 + n
    raw = np.frombuffer(zlib.decompress(packed), 'u1').reshape(h, 1 + 3 * w)
    out = np.zeros((h + 1, 3 * w + 3), int)
    for y in range(h):
        kind, line = raw[y, 0], raw[y, 1:]
        for x in range(3 * w):
            a, b, c = out[y + 1, x], out[y, x + 3], out[y, x]
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            out[y + 1, x + 3] = (line[x] + [0, a, b, (a + b) // 2, near][kind]) % 256
    return out[1:, 3:].reshape(h, w, 3)
$1"
}

@test "render: mip, minip, mean and xray along the axes equal NumPy's" {
    py 'write("v", np.random.default_rng(0).integers(0, 256, (9, 11, 14)).astype("u1"), Spacing="1 1 1")'
    for mode in mip minip mean; do
        gantry render -q --mode $mode --range 0:255 --pixel 1 --size 11:14 --camera 0:0 v $mode-x.png
        gantry render -q --mode $mode --range 0:255 --pixel 1 --size 9:14 --camera 90:0 v $mode-y.png
        gantry render -q --mode $mode --range 0:255 --pixel 1 --size 11:9 --camera 0:90 v $mode-z.png
    done
    gantry render -q --mode xray --range 0:3570 --pixel 1 --size 11:9 --camera 0:90 v xray.png
    png '
v = read("v").astype("f8")
for mode, how in ("mip", np.max), ("minip", np.min), ("mean", np.mean):
    for axis, want in ("x", how(v, 0).T[::-1]), ("y", how(v, 1).T[::-1, ::-1]), ("z", how(v, 2)):
        p = png(f"{mode}-{axis}.png")
        assert np.all(p == p[..., :1]) and abs(p[..., 0] - want).max() <= 0.51, (mode, axis)
assert abs(png("xray.png")[..., 0] - v.sum(2) / 14).max() <= 0.51'
}

@test "render: a line integral is in value times mm, whatever the step and spacing" {
    py 'write("v", np.full((6, 8, 10), 2, "f4"), Spacing="0.5 1 2")'
    run -0 gantry render --mode xray --size 4 --pixel 0.25 --camera 0:90 v a.png
    [[ "$output" == *"range 40:40"* ]]
    run -0 gantry render --mode xray --size 4 --pixel 0.25 --camera 0:90 --step 0.2 v a.png
    [[ "$output" == *"range 40:40"* ]]
    run -0 gantry render --mode mean --size 4 --pixel 0.25 --camera 37:21 --step 0.2 v a.png
    [[ "$output" == *"range 2:2"* ]]
}

@test "render: the same bytes for any number of threads, slabs and every instruction set" {
    phantom -q --size 40:36:44 --spacing 1:1.2:0.9 v
    cast --type float64 v w
    for options in "--mode volume" "--iso 0.01 --perspective 50" "--mode mip --perspective 60 --zoom 4" "--mode xray" \
        "--range 0.002:0.02 --camera 20:-30" "--mode mip --range 0:0.03 --camera 20:-30" "--mode minip --range 0:0.03"; do
        gantry render -q -j 1 --size 48 $options v a.png
        gantry render -q -j 2 --size 48 $options v b.png
        GANTRY_MEM=100K gantry render -q -j 2 --size 48 $options v c.png
        GANTRY_ISA=plain gantry render -q --size 48 $options v d.png
        GANTRY_MEM=400K gantry render -q --size 48 $options w e.png
        for f in b c d e; do
            cmp a.png $f.png
        done
    done
}

@test "render: every type of element, a single slice, a single line, a single voxel" {
    py 'write("v", np.random.default_rng(1).integers(0, 100, (12, 10, 9)).astype("u1"))'
    gantry render -q --size 32 --transfer viridis v want.png
    for type in int8 uint16 int16 int32 uint64 float16 float32 float64; do
        cast --type $type v w
        gantry render -q --size 32 --transfer viridis w got.png
        cmp want.png got.png
    done
    for size in 1:1:1 7:1:1 1:7:1 1:1:7 5:6:1 2:2:2; do
        ones --type float32 --size $size one
        gantry render -q --size 16 --mode mip --range 0:1 --camera 30:30 one p.png
        gantry render -q --size 16 --transfer gray --range 0:1 --camera 30:30 one q.png
        png 'assert png("p.png").max() == 255 and png("q.png").max() > 0'
    done
}

@test "render: what is cut open is lit by the face, clipped ranges are left out" {
    py 'write("v", np.full((20, 20, 20), 100, "u1"))'
    gantry render -q --size 40 --pixel 1 --iso 50 --shade diffuse --color white --camera 0:0 --light 0:0 v a.png
    gantry render -q --size 40 --pixel 1 --iso 50 --shade diffuse --color white --camera 0:0 --light 0:60 v b.png
    gantry render -q --size 40 --pixel 1 --iso 50 --shade none --color white --camera 0:0 --clip :,5:15,0:4 v c.png
    png '
a, b, c = (png(n)[..., 0] for n in ("a.png", "b.png", "c.png"))
assert (a > 0).sum() == (b > 0).sum() == 400
assert abs(a[20, 20] - 255) <= 1 and abs(b[20, 20] - (0.25 + 0.75 * 0.5) * 255) <= 1
want = np.zeros((40, 40)); want[26:30, 15:25] = 255
assert np.array_equal(c, want)'
}

@test "render: transfer functions: files, names and expressions agree; opacity does not depend on the step" {
    py 'write("v", np.random.default_rng(2).integers(0, 101, (12, 12, 12)).astype("f4"))'
    printf '# a ramp\n0 0 1 1 1\n\n100, 0.25 1 1 1 # its end\n' > ramp
    common="-q --size 24 --zoom 1.5"
    gantry render $common --transfer ramp v a.png
    gantry render $common --transfer 'v/400' --range 0:100 v b.png
    gantry render $common --transfer 'opacity = v/400 + 0*g; red = 1; green = 1; blue = 1' --range 0:100 v c.png
    gantry render $common --transfer 'opacity = v/400; blue = 1' --range 0:100 v d.png
    py 'write("flat", np.full((12, 12, 12), 50, "f4"))'
    for step in 0.25 1 2; do
        gantry render -q --shade none --camera 0:0 --pixel 1 --size 12 --transfer 0.1 --step $step --range 0:100 flat $step.png
    done
    png '
a, b, c, d = (png(n + ".png").astype(int) for n in "abcd")
assert abs(a - b).max() <= 1 and abs(a - c).max() <= 2
assert np.all(d[..., :2] <= d[..., 2:]) and d[..., 2].max() > 100
for step in "0.25", "1", "2":
    assert abs(png(step + ".png") - 255 * (1 - 0.9 ** 12)).max() <= 1, step'
}

@test "render: transfer functions of the place: as tables where it plays no part, cut where it does" {
    py 'write("v", np.random.default_rng(2).integers(0, 101, (44, 36, 40)).astype("u2"), Spacing="0.5 1 1.5", Origin="10 -20 30")
write("flat", np.full((12, 12, 12), 50, "f4"))'
    common="-q --size 40 --zoom 1.5 --step 0.7"
    gantry render $common --transfer 'opacity = v/400*(g < 40); red = v/100; green = 0.5' --range 0:100 v a.png
    gantry render $common --transfer 'opacity = v/400*(g < 40)*(x > -1e9); red = v/100; green = 0.5' v b.png
    GANTRY_MEM=100K GANTRY_ISA=plain gantry render -j 1 $common --transfer 'opacity = v/400*(g < 40)*(x > -1e9); red = v/100; green = 0.5' v c.png
    cmp b.png c.png
    # 0:0 looks along -x: columns are y, rows -z
    where="-q --shade none --camera 0:0 --pixel 1 --size 12"
    gantry render $where --transfer '0.1*(x < -2)*(y > 1)*(z <= 3)' flat d.png
    gantry render $where --transfer 'opacity = 0.1*(x < -2); red = y/12 + 0.5; green = 1' flat e.png
    png '
a, b, d, e = (png(n + ".png").astype(int) for n in "abde")
assert abs(a - b).mean() < 1 and np.percentile(abs(a - b), 95) <= 3
z, y = np.mgrid[5.5:-6:-1, -5.5:6]
want = 255 * (1 - 0.9 ** 4) * (y > 1) * (z <= 3)
assert abs(d - want[..., None]).max() <= 1
green = 255 * (1 - 0.9 ** 4)
assert abs(e[..., 1] - green).max() <= 1 and e[..., 2].max() == 0 and abs(e[..., 0] - green * (y / 12 + 0.5)).max() <= 1'
    run -2 gantry render --transfer '0.1*(x < 0)' --range 0:1 flat f.png
    [[ "$output" == *"--range requires a transfer function without x, y, z"* ]]
    run -2 gantry render --transfer 'v[1, 0, 0]*x' flat f.png
    run -2 gantry render --transfer 'sum(v)' flat f.png
    [[ "$output" == *"--transfer: column 1: neighbours, indices and reductions are not supported"* ]]
    run -2 gantry render --transfer 'x*w' flat f.png
    [[ "$output" == *"--transfer: column 3: there is no operand 'w'. Valid names are v (value), g"* ]]
    [ ! -e f.png ]
}

@test "render: two volumes, and labels over one" {
    py '
a = np.zeros((20, 20, 20), "u1"); a[:, 2:9, 5:15] = 200
b = np.zeros((20, 20, 20), "u1"); b[:, 11:18, 5:15] = 200
l = np.zeros((20, 20, 20), "i4"); l[:, 2:9, 10:15] = 1
write("a", a); write("b", b); write("l", l)'
    red='opacity = v > 100; red = 1' blue='opacity = v > 100; blue = 1'
    common="-q --pixel 1 --size 20 --camera 0:0 --shade none"
    gantry render $common --transfer "$red" --transfer "$blue" --range 0:255 a b two.png
    gantry render $common --transfer "$red" --range 0:255 a one.png
    gantry render $common --transfer "$red" --range 0:255 --overlay l a labels.png
    png '
two, one, labels = (png(n + ".png").astype(int) for n in ("two", "one", "labels"))
assert tuple(two[10, 5]) == (255, 0, 0) and tuple(two[10, 14]) == (0, 0, 255) and two[:, 9:11].max() == 0
assert np.array_equal(one[:, :9], two[:, :9]) and one[:, 10:].max() == 0
assert tuple(labels[12, 5]) == (255, 0, 0) and abs(labels[6, 5] - np.array([0.9, 0.3, 0.25]) * 255).max() <= 1'
}

@test "render: an animation holds the numbered pictures, --path those of its cameras" {
    phantom -q --size 24:24:24 v
    gantry render -q --turn 4 --size 40 --camera 10:20 v f%02d.png
    gantry render -q --turn 4 --size 40 --camera 10:20 --rate 8 v turn.png
    [ "$(ls f0*.png | wc -l)" = 4 ]
    gantry render -q --size 40 --camera 190:20 v one.png
    cmp one.png f02.png
    printf '10 20 0 1 # first\n190 20 0 1\n' > path
    gantry render -q --size 40 --path path v p%d.png
    cmp p0.png f00.png
    cmp p1.png f02.png
    py '
import struct, zlib
def chunks(name):
    data, at = open(name, "rb").read(), 8
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        yield kind, body
        at += 12 + n
frames, number = [], 0
for kind, body in chunks("turn.png"):
    if kind == b"acTL":
        assert struct.unpack(">II", body) == (4, 0)
    if kind in (b"fcTL", b"fdAT"):
        assert struct.unpack(">I", body[:4])[0] == number
        number += 1
    if kind == b"fcTL":
        assert struct.unpack(">IIIIHH", body[4:24]) == (40, 40, 0, 0, 125, 1000)
        frames.append(b"")
    if kind in (b"IDAT", b"fdAT"):
        frames[-1] += body[4 if kind == b"fdAT" else 0:]
assert kind == b"IEND" and len(frames) == 4
for k, frame in enumerate(frames):
    assert frame == b"".join(body for kind, body in chunks(f"f{k:02}.png") if kind == b"IDAT"), k'
}

@test "render: a GIF holds the pictures, to its colours; --bytes makes them smaller" {
    phantom -q --size 24:24:24 v
    gantry render -q --turn 3 --size 40:30 --camera 10:20 v f%d.png
    gantry render -q --turn 3 --size 40:30 --camera 10:20 --rate 8 v turn.gif
    gantry render -q --turn 3 --size 400:300 --bytes 20000 v small.gif
    gantry render -q --turn 3 --size 400:300 --bytes 20000 v small.png
    png '
import os
def gif(name):
    data = open(name, "rb").read()
    assert data[:6] == b"GIF89a" and data[10] == 0 and data[13:32] == b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    w, h = struct.unpack("<HH", data[6:10])
    at, frames = 32, []
    while data[at:] != b";":
        assert data[at:at + 3] == b"\x21\xf9\x04"
        delay = struct.unpack("<H", data[at + 4:at + 6])[0]
        at += 8
        assert data[at:at + 10] == struct.pack("<BHHHHB", 0x2c, 0, 0, w, h, 0x87)
        colours = np.frombuffer(data, "u1", 768, at + 10).reshape(256, 3)
        assert data[at + 778] == 8
        at, packed = at + 779, b""
        while data[at]:
            packed += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        bits, have, have_bits, wide, last, out = iter(packed), 0, 0, 9, None, []
        while True:
            while have_bits < wide:
                have |= next(bits) << have_bits
                have_bits += 8
            code, have, have_bits = have & (1 << wide) - 1, have >> wide, have_bits - wide
            if code == 257:
                break
            if code == 256:
                table, wide, last = [[i] for i in range(256)] + [[], []], 9, None
                continue
            entry = table[code] if code < len(table) else last + last[:1]
            if last is not None and len(table) < 4096:
                table.append(last + entry[:1])
                wide = min(12, max(wide, len(table).bit_length()))
            out += entry
            last = entry
        frames.append((delay, colours[np.array(out)].reshape(h, w, 3).astype(int)))
    return frames
frames = gif("turn.gif")
assert len(frames) == 3
for k, (delay, p) in enumerate(frames):
    assert delay == 13 and abs(p - png(f"f{k}.png")).max() <= 8, abs(p - png(f"f{k}.png")).max()
small = gif("small.gif")
assert len(small) == 3 and 60 < small[0][1].shape[1] < 400 and abs(small[0][1].shape[1] * 0.75 - small[0][1].shape[0]) <= 1
assert os.path.getsize("small.gif") <= 20000 and os.path.getsize("small.png") <= 20000'
    run -1 gantry render --turn 3 --bytes 100 --size 40 v no.gif
    [[ "$output" == *"expected at most 100 (raise --bytes, or render fewer views)"* ]]
    run -2 gantry render --bytes 1000 v no.png
    [[ "$output" == *"--bytes requires an animation in a file"* ]]
    run -2 gantry render v no.gif
    [[ "$output" == *"expected a name that ends in .png (.gif, .mp4: --turn, --path)"* ]]
    run -2 gantry render --turn 3 v no%d.gif
    [[ "$output" == *"expected a name that ends in .png"* ]]
    [ ! -e no.gif ]
}

@test "render: MP4 by ffmpeg: it gets the pictures; without it, or where it fails, a sentence" {
    phantom -q --size 16:16:16 v
    gantry render -q --turn 2 --size 20:11 v f%d.png
    mkdir bin
    cat > bin/ffmpeg <<'END'
#!/bin/sh
echo "$*" > words
for out; do :; done
cat > "$out"
END
    chmod +x bin/ffmpeg
    PATH=$PWD/bin:$PATH gantry render -q --turn 2 --size 20:11 --rate 9 v a.mp4
    [[ "$(cat words)" == *"-pix_fmt rgb24 -s 20x11 -r 9 -i pipe:0 "*"-f mp4 "* ]]
    png 'assert np.array_equal(np.fromfile("a.mp4", "u1").reshape(2, 11, 20, 3), [png("f0.png"), png("f1.png")])'
    PATH=$PWD/bin:$PATH gantry render --plan --turn 2 --size 20:11 v c.mp4
    [[ "$(cat words)" == *" /dev/null" ]]
    printf '#!/bin/sh\ncat > /dev/null\nexit 3\n' > bin/ffmpeg
    run -1 env PATH=$PWD/bin:$PATH gantry render --turn 2 --size 20 v b.mp4
    [[ "$output" == *"b.mp4: ffmpeg failed (exit status 3)"* ]]
    printf '#!/bin/sh\nexit 3\n' > bin/ffmpeg
    run -1 env PATH=$PWD/bin:$PATH gantry render --turn 2 --size 300 v b.mp4
    [[ "$output" == *"b.mp4: ffmpeg failed (exit status 3)"* ]]
    rm bin/ffmpeg
    run -1 env PATH=$GANTRY_BUILD/bin gantry render --turn 2 --size 20 v b.mp4
    [[ "$output" == *"b.mp4: ffmpeg cannot be started (No such file"* ]]
    [ "$(ls b.mp4* 2>/dev/null | wc -l)" = 0 ]
}

@test "render: a scale bar of its length, a colour bar with the colours of its ends, arrows" {
    py 'write("v", np.zeros((10, 10, 10), "u1"))'
    gantry render -q --size 128 --pixel 0.5 --scale-bar 20 --shade none v a.png
    gantry render -q --size 128 --mode mip --range 0:1 --colorbar --transfer viridis v b.png
    gantry render -q --size 200 --axes v c.png
    png '
a, b, c = (png(n + ".png").astype(int) for n in "abc")
row = (a.min(2) > 150).sum(1).max()
assert abs(row - 40) <= 3, row
bar = [tuple(p) for p in b[:, 76]]
assert abs(np.array(bar[21]) - (253, 231, 37)).max() < 25 and abs(np.array(bar[82]) - (68, 1, 84)).max() < 25
reds, greens, blues = (((c[..., i] - c.max(2) == 0) & (c[..., i] > 100)).sum() for i in range(3))
assert min(reds, greens, blues) > 10'
    run -2 gantry render --size 128 --pixel 0.5 --scale-bar 65 v d.png
    [[ "$output" == *"--scale-bar 65: longer than the 64 mm that are shown"* ]]
    run -2 gantry render --colorbar --iso 1 v d.png
    [[ "$output" == *"--colorbar requires "* ]]
    run -2 gantry render --rate 3 v d.png
    [[ "$output" == *"--rate requires --turn or --path"* ]]
    printf '1 2 3\n' > path
    run -1 gantry render --path path v d.png
    [[ "$output" == *"path contains 3 numbers, expected four for each view: AZIMUTH ELEVATION ROLL ZOOM"* ]]
    run -2 gantry render --path path --turn 3 v d.png
    [[ "$output" == *"--path defines the cameras"* ]]
    [ ! -e d.png ]
}

@test "render: transfer functions that are wrong are refused" {
    py 'write("v", np.arange(8, dtype="f4").reshape(2, 2, 2))'
    wrong() {
        printf "$1" > t
        run -1 gantry render --transfer t v o.png
        [[ "$output" == *" t"[:\ ]*"$2"* ]]
    }
    wrong '0 0 1 1 1\n' '1 point, expected at least 2'
    wrong '' '0 points, expected at least 2'
    wrong '0 0 1 1 1\n1 1 1\n' 'line 2 has 3 numbers, expected 5: VALUE OPACITY RED GREEN BLUE'
    wrong '3 0 1 1 1\n1 1 1 1 1\n' 'line 2 has value 1 after 3, expected ascending values'
    wrong '0 0 1 1 1\n1 1.5 1 1 1\n' 'line 2 contains 1.5, expected opacity and colours from 0 to 1'
    wrong '0 0 1 1 x1\n' "line 1: 'x1' is not a number"
    wrong '0 0 1 1 nan\n' "line 1: 'nan' is not a number"
    printf '0 0 1 1 1\n1 1 1 1 1\n' > t
    run -2 gantry render --transfer t --range 0:1 v o.png
    [[ "$output" == *"--range requires "* ]]
    run -2 gantry render --transfer 'v + q' v o.png
    [[ "$output" == *"--transfer: column 5: there is no operand 'q'. Valid names are v (value), g"* ]]
    run -2 gantry render --transfer 'v + * 2' v o.png
    [[ "$output" == *"--transfer: column 5"* ]]
    run -2 gantry render --transfer 'red = v; blue = 1' v o.png
    [[ "$output" == *"does not define opacity"* ]]
    [ ! -e o.png ]
}

@test "render: bad input is refused, the old picture stays" {
    py '
a = np.ones((4, 4, 4), "f4")
write("v", a)
write("w", np.ones((4, 4, 5), "f4"))
write("four", np.ones((4, 4, 4, 2), "f4"))
bad = np.ones((40, 16, 16), "f4")
bad[30, 2, 3] = np.nan
write("bad", bad)
write("c", np.ones((4, 4, 4), "c8"))'
    echo old > o.png
    refused() {
        run "-$1" gantry render "${@:3}" o.png
        [[ "$output" == *"$2"* ]]
        [ "$(cat o.png)" = old ]
    }
    refused 1 "bad contains NaN or infinite values" bad
    GANTRY_MEM=20K refused 1 "bad contains NaN or infinite values" --size 8 --range 0:1 bad
    refused 1 "expected a volume of three dimensions" four
    refused 1 "complex" c
    refused 1 "w" v w
    refused 2 "--step 1e+30 mm is longer than the diagonal" --step 1e30 v
    refused 2 "--shade requires --mode volume or iso" --mode mip --shade none v
    refused 2 "--range: '3:1', expected LO:HI with LO < HI" --range 3:1 v
    refused 2 "--clip: ':,:', expected three ranges" --clip :,: v
    refused 2 "--camera: expected AZIMUTH:ELEVATION[:ROLL]" --camera 3 v
    refused 2 "--background: unknown colour 'pink'" --background pink v
    refused 2 "only --mode volume draws more than one" --mode mip v v
    refused 2 "--transfer: unknown name 'nothing'" --transfer nothing v
    refused 2 "over 1e6 samples along a ray" --step 1e-9 v
    py 'write("huge", np.full((8, 8, 8), 3e38, "f4"))'
    refused 1 "huge: sums along the rays do not fit into float32" --mode xray huge
    refused 1 "expected labels of an integer type" --overlay v v
    run -2 gantry render v o.jpg
    [[ "$output" == *"expected a name that ends in .png"* ]]
    run -2 gantry render v o
    [[ "$output" == *"o: expected a name that ends in .png (.gif, .mp4: --turn, --path); is OUT.png missing?"* ]]
    run -2 gantry render --turn 2 v o%s.png
    [[ "$output" == *"o%s.png: expected one %d or %03d for the number of the picture"* ]]
    run -2 gantry render v o%d.png
    [[ "$output" == *"o%d.png: numbered pictures need --turn or --path"* ]]
    [ "$(echo o*)" = o.png ]
}

@test "render: a default picture leaves the air out, a default surface lies between air and object" {
    py 'z, y, x = np.mgrid[:20, :20, :20] - 9.5
rng = np.random.default_rng(1)
v = np.where(x * x + y * y + z * z < 50, 100, 10) + rng.integers(0, 5, x.shape)
write("v", v.astype("u2"))'
    run gantry render --size 40 v a.png
    [[ "$output" =~ range\ ([0-9.]+):104 ]]
    py "assert 14 < ${BASH_REMATCH[1]} < 100"
    run gantry render --size 40 --mode iso --axes --scale-bar 5 v b.png
    [[ "$output" =~ level\ ([0-9.]+)\ \(Otsu\) ]]
    py "assert 14 < ${BASH_REMATCH[1]} < 100"
    gantry render -q --size 40 --iso 50 --axes v c.png
    gantry ones --size 4:4:4 flat
    run -1 gantry render --mode iso flat d.png
    [[ "$output" == *"every voxel is 1, so there is no surface"* ]]
}

@test "render: a picture of the background alone is said to be one" {
    gantry phantom --size 16:16:16 --mu 1 v
    gantry zeros --size 8:8:8 none
    shows() {
        run -0 --separate-stderr gantry render --size 32 "${@:2}" o.png
        [ "$1" = something ] && [[ "$stderr" != *warning* ]] || [[ "$stderr" == *"warning: o.png shows only the background: no ray meets a $1"* ]]
    }
    run -0 --separate-stderr gantry render --mode mip --range 5:6 --size 32 v o.png
    [[ "$stderr" == *"warning: o.png has one colour: all values are outside the range 5:6 (check --range)"* ]]
    shows "surface at this level (check --iso and --clip)" --iso 9 v
    GANTRY_MEM=20K shows "surface at this level" --iso 9 v
    shows "voxel with an opacity above 0 (check --transfer, --range and --clip)" --range 5:6 v
    shows "voxel with an opacity above 0" none
    shows "voxel (check --camera and --clip)" --mode xray --zoom 1000 --clip 0:1,0:1,0:1 v
    [[ "$stderr" != *"range "* ]]
    shows something --mode mip none
    shows something --iso 0.5 v
    shows something v
    run -0 gantry render --turn 3 --size 32 --iso 9 v o.png
    [ "$(grep -c warning <<<"$output")" = 1 ]
}
