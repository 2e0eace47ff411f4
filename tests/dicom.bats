load common

# DICOM files written element by element (dicoms.py): what they say, and every way of packing their pixels.

files() {
    py "from dicoms import *
rng = np.random.default_rng(9)
$1"
}

# A library that import opens on first use.
has_library() {
    /usr/bin/python3 -c "import ctypes; ctypes.CDLL('$1')" 2>/dev/null
}

@test "dicom: a directory of TIFF in the preamble, good or broken, changes nothing" {
    files '
import tiffs
x = rng.integers(0, 4000, (6, 8)).astype("u2")
tiffs.write_tiff("x.tif", [x])
tiff = open("x.tif", "rb").read()
place = dict(t00280030=[0.5, 0.25], t00200032=[-10, 20, 30], t00200037=[1, 0, 0, 0, 1, 0], t00281052=-1024, t00281053=1)
dicom("plain.dcm", x.tobytes(), 8, 6, **place)
dicom("broken.dcm", x.tobytes(), 8, 6, preamble=b"II*\0" + b"\xff" * 124, **place)
# a directory at byte 8 whose only strip lies in the pixels of the file
head = tiff[:8] if tiff[:4] == b"II*\0" else None
size = len(open("plain.dcm", "rb").read())
tags = [(256, 3, 1, 8), (257, 3, 1, 6), (258, 3, 1, 16), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, size - 96), (277, 3, 1, 1), (278, 3, 1, 6), (279, 4, 1, 96)]
ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + bytes(4)
assert 8 + len(ifd) <= 128
dicom("both.dcm", x.tobytes(), 8, 6, preamble=(b"II*\0" + struct.pack("<I", 8) + ifd).ljust(128, b"\0"), **place)
write("x", x.T)'
    for f in plain broken both; do
        import --quiet $f.dcm $f
        same_bytes $f x
        [ "$(section $f Spacing) / $(section $f Origin) / $(section $f Rescale)" = "0.25 0.5 / -10 20 30 / 1 -1024" ]
    done
    fails 1 "both.dcm is a DICOM file, expected TIFF or PNG like x.tif" import --no-sort x.tif both.dcm y
}

@test "dicom: 8-bit pixels in big-endian words of two" {
    files '
x = rng.integers(0, 256, (3, 5, 7)).astype("u1")
swapped = np.append(x.ravel(), 0).astype("u1").view(">u2").astype("<u2").tobytes()
dicom("ow.dcm", swapped, 7, 5, bits=8, frames=3, syntax=BIG, vr="OW")
dicom("ob.dcm", x.tobytes(), 7, 5, bits=8, frames=3, syntax=BIG, vr="OB")
write("x", x.transpose(2, 1, 0))'
    for f in ow ob; do
        import $f.dcm $f
        same_bytes $f x
        import --range 1: $f.dcm back
        gantry extract 2 1:3 x want
        same_bytes back want
    done
}

@test "dicom: the planes of a dose grid lie where GridFrameOffsetVector says" {
    files '
x = rng.integers(0, 60000, (4, 5, 7)).astype("u2")
def dose(name, offsets, **more):
    dicom(name + ".dcm", x.tobytes(), 7, 5, frames=4, t00280030=[2, 3], t00200032=[-10, 20, 30], t00200037=[1, 0, 0, 0, 1, 0], t3004000c=offsets, **more)
dose("up", [0, 2.5, 5, 7.5])
dose("absolute", [30, 32.5, 35, 37.5])
dose("down", [0, -2.5, -5, -7.5])
dose("thick", [0, 2.5, 5, 7.5], t00180050=1)
dose("uneven", [0, 2.5, 5, 9])
dose("short", [0, 2.5, 5])
dose("same", [0, 0, 0, 0])
dose("letters", [0, 2.5, "x", 7.5])
dose("endless", [0, 2.5, 5, "inf"])
dicom("none.dcm", x.tobytes(), 7, 5, frames=4, t00280030=[2, 3])
write("x", x.transpose(2, 1, 0))'
    for f in up absolute down thick; do
        import --quiet $f.dcm $f
        same_bytes $f x
        [ "$(section $f Spacing) $(section $f Origin)" = "3 2 2.5 -10 20 30" ]
    done
    [ -z "$(section up Direction)" ]
    [ "$(section down Direction)" = "1 0 0 0 1 0 0 0 -1" ]
    for f in uneven short same letters endless; do
        import $f.dcm $f 2>said
        grep -q "GridFrameOffsetVector (3004,000C) does not place 4 frames evenly" said
        [ "$(section $f Spacing)" = "3 2" ]
        [ -z "$(section $f Origin)" ]
    done
    import none.dcm none 2>said
    grep -q "none.dcm: the spacing along dimension 2 is unknown" said
    [ "$(section none Spacing)" = "3 2" ]
    import --spacing 3:2:4 none.dcm none 2>said
    [ ! -s said ]
    [ "$(section none Spacing)" = "3 2 4" ]
}

@test "dicom: slope and intercept, alone and together; not those that are infinite or 0" {
    files '
x = rng.integers(0, 4096, (6, 8)).astype("u2")
write("x", x.T)
for name, slope, intercept in (("both", 2, 7), ("slope", 2, None), ("intercept", None, 7), ("inf1", "inf", 3), ("inf2", "1e400", 3), ("inf3", 2, "-inf"), ("zero", 0, 5)):
    dicom(name + ".dcm", x.tobytes(), 8, 6, t00281053=slope, t00281052=intercept)'
    for f in both slope intercept inf1 inf2 inf3 zero; do
        import --quiet $f.dcm $f
        same_bytes $f x
        import --quiet --rescale $f.dcm $f-scaled
        [ -z "$(section $f-scaled Rescale)" ]
        echo "$f: $(section $f Rescale)"
    done >said
    for f in inf1 inf2 inf3 zero; do
        run -0 --separate-stderr gantry import $f.dcm $f-warned
        [[ $stderr == *"$f.dcm: slope "*" ignored, expected finite numbers and a slope other than 0"* ]]
    done
    printf '%s\n' "both: 2 7" "slope: 2 0" "intercept: 1 7" "inf1: " "inf2: " "inf3: " "zero: " | diff - said
    py '
x = read("x").astype("f4")
for name, want in ("both", 2 * x + 7), ("slope", 2 * x), ("intercept", x + 7), ("inf1", x), ("inf2", x), ("inf3", x), ("zero", x):
    assert np.array_equal(read(name + "-scaled"), want), name'
}

@test "dicom: slices of another orientation are refused" {
    files '
x = rng.integers(0, 4000, (6, 8)).astype("u2")
for k, cosines in enumerate([[1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, -1]]):
    dicom("%d.dcm" % k, x.tobytes(), 8, 6, t00280030=[1, 1], t00200032=[0, 0, k], t00200037=cosines)'
    import 0.dcm 1.dcm y
    rm y.*
    fails 1 "2.dcm is a slice of another orientation than 0.dcm" import 0.dcm 1.dcm 2.dcm y
    no_output y
}

@test "dicom: places are taken where the orientation is one: two unit vectors at a right angle" {
    files '
x = rng.integers(0, 4000, (6, 8)).astype("u2")
cosines = dict(axes=[1, 0, 0, 0, 1, 0], turned=[0.8, 0.6, 0, 0, 0, 1], digits=[0.9999, 0, 0, 0, 1, 0], long=[1.1, 0, 0, 0, 1, 0], short=[1, 0, 0, 0, 0.9, 0],
    skew=[1, 0, 0, 0.1, 0.995, 0], same=[1, 0, 0, 1, 0, 0], nothing=[0, 0, 0, 0, 0, 0], five=[1, 0, 0, 0, 1])
for name, v in cosines.items():
    dicom(name + ".dcm", x.tobytes(), 8, 6, t00280030=[2, 3], t00180050=4, t00200032=[-10, 20, 30], t00200037=v)
dicom("none.dcm", x.tobytes(), 8, 6, t00280030=[2, 3], t00180050=4, t00200032=[-10, 20, 30])
dicom("two.dcm", x.tobytes(), 8, 6, t00280030=[2, 3], t00180050=4, t00200032=[-10, 20], t00200037=[1, 0, 0, 0, 1, 0])'
    for f in *.dcm; do
        import --quiet $f y
        echo "${f%.dcm}: $(section y Spacing) / $(section y Origin) / $(section y Direction)"
    done | sed 's/ *$//' >said
    diff - said <<'END'
axes: 3 2 4 / -10 20 30 /
digits: 3 2 4 / -10 20 30 / 0.9999 0 0 0 1 0 0 0 0.9999
five: 3 2 4 /  /
long: 3 2 4 /  /
none: 3 2 4 /  /
nothing: 3 2 4 /  /
same: 3 2 4 /  /
short: 3 2 4 /  /
skew: 3 2 4 /  /
turned: 3 2 4 / -10 20 30 / 0.8 0.6 0 0 0 1 0.6 -0.8 0
two: 3 2 4 /  /
END
}

@test "dicom: deflated files" {
    files '
x = rng.integers(0, 4000, (3, 6, 8)).astype("u2")
dicom("a.dcm", x.tobytes(), 8, 6, frames=3, syntax=DEFLATED, t00280030=[0.5, 0.25], t00180050=2)
dicom("b.dcm", [rle(f) for f in x], 8, 6, frames=3, syntax=DEFLATED)
data = open("a.dcm", "rb").read()
open("cut.dcm", "wb").write(data[:-40])
open("flip.dcm", "wb").write(data[:250] + bytes([data[250] ^ 0xff]) + data[251:])
write("x", x.transpose(2, 1, 0))'
    import a.dcm a
    same_bytes a x
    [ "$(section a Spacing)" = "0.25 0.5 2" ]
    fails 1 "cut.dcm: the deflated data set is damaged or truncated" import cut.dcm y
    fails 1 "flip.dcm: " import flip.dcm y
    no_output y
}

@test "dicom: RLE of all sizes of elements, frames in several fragments, with a table of offsets or without" {
    files '
for t, bits in ("u1", 8), ("i2", 16), ("u4", 32):
    x = rng.integers(0, 3, (3, 6, 9)).astype(t) * (1 if bits == 8 else -5 if t == "i2" else 70000)
    x = np.repeat(x, 5, axis=2)
    dicom(t + ".dcm", [rle(f) for f in x], 45, 6, bits=bits, signed=int(t[0] == "i"), frames=3, syntax=RLE, vr="OB")
    write(t, x.transpose(2, 1, 0))
parts = [[rle(f)[:80], rle(f)[80:100], rle(f)[100:]] for f in x]
at = np.cumsum([0] + [sum(8 + len(b) + len(b) % 2 for b in p) for p in parts])[:3]
whole = sum(parts, [])
dicom("table.dcm", whole, 45, 6, bits=32, frames=3, syntax=RLE, table=struct.pack("<3I", *at))
dicom("long.dcm", whole, 45, 6, bits=32, frames=3, syntax=RLE, t7fe00001=("OV", struct.pack("<3Q", *(int(a) for a in at))))
dicom("lost.dcm", whole, 45, 6, bits=32, frames=3, syntax=RLE)
dicom("wrong.dcm", whole, 45, 6, bits=32, frames=3, syntax=RLE, table=struct.pack("<3I", 0, 11, 22))
dicom("one.dcm", parts[0], 45, 6, bits=32, syntax=RLE)
good = rle(x[0])
dicom("few.dcm", [good], 45, 6, bits=32, frames=2, syntax=RLE)
dicom("end.dcm", [good[:-6]], 45, 6, bits=32, syntax=RLE)
dicom("bits.dcm", [good], 45, 6, bits=16, syntax=RLE)
dicom("head.dcm", [good[:4] + struct.pack("<I", 9999) + good[8:]], 45, 6, bits=32, syntax=RLE)
dicom("empty.dcm", [b""], 45, 6, bits=32, syntax=RLE)'
    for f in u1 i2 u4 table long; do
        import --quiet $f.dcm back
        case $f in table | long) same_bytes u4 back ;; *) same_bytes $f back ;; esac
    done
    import one.dcm back
    py 'assert np.array_equal(read("back"), read("u4")[:, :, 0])'
    fails 1 "cannot tell which of 9 compressed fragments" import lost.dcm y
    fails 1 "cannot tell which of 9 compressed fragments" import wrong.dcm y
    fails 1 "1 compressed fragments of 2 frames" import few.dcm y
    fails 1 "ends before the last pixel" import end.dcm y
    fails 1 "4 segments, expected 2" import bits.dcm y
    fails 1 "segment 1 at bytes 9999" import head.dcm y
    fails 1 "0 segments" import empty.dcm y
    no_output y
}

@test "dicom: JPEG lossless: predictors, restarts, point transform, 12 bits, signed pixels" {
    files '
x = rng.integers(0, 65536, (13, 21)).astype("u2")
x[3] = 0; x[4, ::2] = 32768
write("x", x.T)
for p in range(1, 8):
    dicom("p%d.dcm" % p, [jpeg_lossless(x, predictor=p, restart=p // 2)], 21, 13, syntax=LOSSLESS if p > 1 else LOSSLESS_SV1)
dicom("shift.dcm", [jpeg_lossless(x & 0xfffc, shift=2, predictor=4)], 21, 13, syntax=LOSSLESS)
write("shift", (x & 0xfffc).T)
s = rng.integers(-2048, 2048, (13, 21)).astype("i2")
dicom("signed.dcm", [jpeg_lossless(s.astype("u2") & 0xfff, bits=12)], 21, 13, signed=1, syntax=LOSSLESS_SV1, t00280101=("US", 12), t00280102=("US", 11))
write("signed", s.T)
e = (x >> 8).astype("u1")
dicom("eight.dcm", [jpeg_lossless(e, bits=8)], 21, 13, bits=8, syntax=LOSSLESS_SV1)
write("eight", e.T)
parts = [jpeg_lossless(x), jpeg_lossless(x[::-1], predictor=6)]
dicom("frames.dcm", [parts[0][:200], parts[0][200:], parts[1]], 21, 13, frames=2, syntax=LOSSLESS)
write("frames", np.stack([x.T, x[::-1].T], axis=2))
j = jpeg_lossless(x, restart=4)
dicom("size.dcm", [j], 13, 21, syntax=LOSSLESS)
dicom("depth.dcm", [j], 21, 13, bits=8, syntax=LOSSLESS)
dicom("end.dcm", [j[:300]], 21, 13, syntax=LOSSLESS)
dicom("mark.dcm", [j.replace(b"\xff\xd1", b"\xff\xd9")], 21, 13, syntax=LOSSLESS)
dicom("progressive.dcm", [j.replace(b"\xff\xc3", b"\xff\xc2")], 21, 13, syntax=LOSSLESS)
dicom("junk.dcm", [b"1234"], 21, 13, syntax=LOSSLESS)
dicom("tables.dcm", [j.replace(b"\xff\xc4", b"\xff\xe4")], 21, 13, syntax=LOSSLESS)'
    for p in 1 2 3 4 5 6 7; do
        import p$p.dcm back
        same_bytes x back
    done
    for f in shift signed eight frames; do
        import --quiet $f.dcm back
        same_bytes $f back
    done
    fails 1 "a picture of 21 x 13 pixels, expected 13 x 21" import size.dcm y
    fails 1 "pixels of 16 bits, expected 1 to 8" import depth.dcm y
    fails 1 "end.dcm: JPEG: damaged: " import end.dcm y
    fails 1 "mark.dcm: JPEG: damaged: a restart marker is missing" import mark.dcm y
    fails 1 "process SOF2" import progressive.dcm y
    fails 1 "does not begin with FFD8" import junk.dcm y
    fails 1 "a Huffman table is missing" import tables.dcm y
    no_output y
}

@test "dicom: JPEG baseline and extended: the pixels to half a step, with restarts" {
    files '
y, x = np.mgrid[0:19, 0:29]
g = 0.5 + 0.5 * np.sin(x / 3.0) * np.cos(y / 5.0)
for bits in 8, 12:
    v = np.rint(g * ((1 << bits) - 1)).astype("u2" if bits > 8 else "u1")
    write("v%d" % bits, v.T)
    for step in 1, 6:
        for restart in 0, 3:
            j = jpeg_dct(v, bits, step, restart)
            dicom("%d-%d-%d.dcm" % (bits, step, restart), [j], 29, 19, bits=8 if bits == 8 else 16, syntax=BASELINE if bits == 8 else EXTENDED)'
    for bits in 8 12; do
        for step in 1 6; do
            import --quiet $bits-$step-0.dcm a
            import --quiet $bits-$step-3.dcm b
            same_bytes a b
            # quantisation moves a coefficient by half a step, and 64 of them at most add up with a norm of 8 half steps
            py "
d = read('a').astype(int) - read('v$bits').astype(int)
assert np.sqrt(np.mean(d * d)) < 0.5 * $step + 0.5 and abs(d).max() <= 4 * $step + 1, (np.sqrt(np.mean(d * d)), abs(d).max())"
        done
    done
}

@test "dicom: JPEG: tables of quanta in zigzag order, of bytes and of words" {
    files '
y, x = np.mgrid[0:16, 0:24]
v = np.rint(127 + 60 * np.sin(x / 3.0) * np.cos(y / 5.0) + 40 * np.cos(x * y / 30.0)).astype("u1")
write("v", v.T)
low = [1 + k // 8 for k in range(64)]
high = [1] * 32 + [300] * 32
dicom("low.dcm", [jpeg_dct(v, 8, low)], 24, 16, bits=8, syntax=BASELINE)
dicom("high.dcm", [jpeg_dct(v, 8, high)], 24, 16, bits=8, syntax=EXTENDED)'
    import low.dcm low
    import high.dcm high
    # half a step in each coefficient is what quantisation moves a block by
    py '
v = read("v").astype(int)
for name, q in ("low", [1 + k // 8 for k in range(64)]), ("high", [1] * 32 + [300] * 32):
    d = read(name).astype(int) - v
    if name == "low":
        assert np.sqrt(np.mean(d * d)) < 0.5 + np.sqrt(np.mean(np.square(q)) / 12) * 1.2, np.sqrt(np.mean(d * d))
    blocks = d[:24, :16].reshape(3, 8, 2, 8).sum(axis=(1, 3)) / 8
    assert abs(blocks).max() < 8 * 0.5 + 0.5, blocks  # the first coefficient has a step of 1
    assert abs(d).max() < 40, abs(d).max()'
}

@test "dicom: JPEG: what is damaged is said" {
    files '
dc, dc_code = codes(range(16))
ac_symbols = [run << 4 | size for run in range(16) for size in range(1, 15)] + [0, 0xf0]
ac, ac_code = codes(ac_symbols)
quanta, frame, scan = segment(0xdb, bytes([0] + [1] * 64)), segment(0xc0, struct.pack(">BHHBBBB", 8, 8, 8, 1, 1, 0x11, 0)), segment(0xda, bytes([1, 1, 0, 0, 63, 0]))
tables = segment(0xc4, b"\0" + dc) + segment(0xc4, b"\x10" + ac)
def bits(*pairs):
    b = Bits()
    for v, n in pairs:
        b.put(v, n)
    return b.bytes()
flat = bits(dc_code[0], ac_code[0])
def case(name, says, *parts):
    dicom(name + ".dcm", [b"\xff\xd8" + b"".join(parts) + b"\xff\xd9"], 8, 8, bits=8, syntax=BASELINE)
    open(name + ".says", "w").write(says)
case("good", "", quanta, frame, tables, scan, flat)
case("fill", "", b"\xff\xff", quanta, b"\xff\x01", frame, tables, segment(0xe0, b"any"), scan, flat)
code = "a code that is not in the table"
case("dc", code, quanta, frame, tables, scan, b"\xff\0" * 20)
case("dc16", code, quanta, frame, segment(0xc4, b"\0" + dc[:16] + bytes([16] * 16)), segment(0xc4, b"\x10" + ac), scan, flat)
case("ac", code, quanta, frame, tables, scan, bits(dc_code[0], (255, 8), (0, 16)))
case("run", "more than 64 coefficients in a block", quanta, frame, tables, scan, bits(dc_code[0], *[ac_code[0xf0]] * 4))
case("runs", "", quanta, frame, tables, scan, bits(dc_code[0], *[ac_code[0xf0]] * 3, ac_code[0xe1], (0, 1)))
case("end", "the data end before the last pixel", quanta, frame, tables, scan)
dicom("marker.dcm", [jpeg_dct(np.zeros((8, 16), "u1"), restart=1).replace(b"\xff\xd0", b"\xff\xd9")], 16, 8, bits=8, syntax=BASELINE)
open("marker.says", "w").write("a restart marker is missing")
case("codes", "a table of more codes than there are", segment(0xc4, bytes([0, 3] + [0] * 15 + [1, 2, 3])))
case("class", "a Huffman table", segment(0xc4, b"\x20" + dc))
case("id", "a Huffman table", segment(0xc4, b"\x04" + dc))
case("short", "a Huffman table", segment(0xc4, b"\0" + dc[:-1]))
case("many", "a Huffman table", segment(0xc4, (b"\0" + dc) * 65))
case("quanta", "a quantisation table", segment(0xdb, bytes([4] + [1] * 64)))
case("width", "a quantisation table", segment(0xdb, bytes([0x20] + [1] * 192)))
case("cut", "a quantisation table", segment(0xdb, bytes([0x10] + [1] * 127)))
case("none", "a quantisation table is missing", frame, tables, scan, flat)
case("other", "a quantisation table is missing", quanta, segment(0xc0, struct.pack(">BHHBBBB", 8, 8, 8, 1, 1, 0x11, 1)), tables, scan, flat)
case("noac", "a Huffman table is missing", quanta, frame, segment(0xc4, b"\0" + dc), scan, flat)
case("nodc", "a Huffman table is missing", quanta, frame, segment(0xc4, b"\x10" + ac), scan, flat)
case("twice", "the frame header", quanta, frame, frame)
case("little", "the frame header", segment(0xc0, bytes([8, 0, 8, 0, 8, 1, 1, 17])))
case("ten", "pixels of 10 bits, expected 8 or 12", segment(0xc1, struct.pack(">BHHBBBB", 10, 8, 8, 1, 1, 0x11, 0)))
case("deep", "pixels of 17 bits, expected 2 to 16", segment(0xc3, struct.pack(">BHHBBBB", 17, 8, 8, 1, 1, 0x11, 0)))
case("before", "the scan header", quanta, tables, scan)
case("two", "the scan header", quanta, frame, tables, segment(0xda, bytes([2, 1, 0, 2, 0, 0, 63, 0])))
case("empty", "no picture before the end")
case("long", "a segment is longer than the data", b"\xff\xe0\x09\x09")
case("zero", "a segment is longer than the data", b"\xff\xe0\0\1")
lossless = segment(0xc3, struct.pack(">BHHBBBB", 8, 8, 8, 1, 1, 0x11, 0))
for p in 0, 8:
    case("p%d" % p, "the scan header", lossless, tables, segment(0xda, bytes([1, 1, 0, p, 0, 0])))
case("shift", "the scan header", lossless, tables, segment(0xda, bytes([1, 1, 0, 1, 0, 8])))
case("part", "a restart interval that is not a whole number of lines", lossless, tables, segment(0xdd, b"\0\x0c"), segment(0xda, bytes([1, 1, 0, 1, 0, 0])))'
    for f in good fill runs; do import $f.dcm $f; done
    py '
assert (read("good") == 128).all() and (read("fill") == 128).all()
# one coefficient of -1, the last but none: an amplitude of an eighth of the grey value
assert abs(read("runs").astype(int) - 128).max() <= 1'
    rm good.* fill.* runs.*
    for f in *.dcm; do
        said=$(<${f%.dcm}.says)
        [[ $said == pixels* ]] || said="damaged: $said"
        fails 1 "$f: JPEG: $said (frame 0" import $f y
    done
    no_output y
}

@test "dicom: pictures that begin in more fragments than there are frames" {
    files '
x = rng.integers(0, 4096, (3, 6, 8)).astype("u2")
parts = [jpeg_lossless(f) for f in x]
dicom("two.dcm", parts, 8, 6, frames=2, syntax=LOSSLESS)
dicom("late.dcm", [b"1234", *parts[:2]], 8, 6, frames=2, syntax=LOSSLESS)
dicom("split.dcm", [parts[0], parts[1][:40], parts[1][40:]], 8, 6, frames=2, syntax=LOSSLESS)
write("x", x[:2].transpose(2, 1, 0))'
    fails 1 "cannot tell which of 3 compressed fragments" import two.dcm y
    fails 1 "cannot tell which of 3 compressed fragments" import late.dcm y
    no_output y
    import split.dcm y
    same_bytes x y
}

@test "dicom: JPEG-LS and JPEG 2000 by their libraries, or the package to install; other syntaxes by name" {
    files '
import base64
# the same 7 x 5 ramp of 12 bits, 100 x + 37 y, written by CharLS and OpenJPEG
x = (100 * np.arange(7)[None] + 37 * np.arange(5)[:, None]).astype("u2")
write("x", x.T)
ls = base64.b64decode("/9j/9wALDAAFAAcBAREA/9oACAEBAAAAAIRxHYojsVhpSUkIyIhJSUgfvnrwkJHbpy4bkZG2KlCZIiD/2Q==")
j2k = base64.b64decode("/0//UQApAAAAAAAHAAAABQAAAAAAAAAAAAAABwAAAAUAAAAAAAAAAAABCwEB/1IADAAAAAEAAAQEAAH/XAAEQGD/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjT/kAAKAAAAAABDAAH/k9/gyBIeRWq8EOdwD0Qj5NoJMG/WlMeKshXTBIRain86ckHSVlPIGZqKu8RLIsM+Zk+nCoBP/9k=")
for name, syntax, data in ("ls", JPEG_LS, ls), ("j2k", JPEG_2000, j2k):
    twelve = dict(t00280101=("US", 12), t00280102=("US", 11))
    dicom(name + ".dcm", [data], 7, 5, syntax=syntax, **twelve)
    dicom(name + "-size.dcm", [data], 5, 7, syntax=syntax, **twelve)
    dicom(name + "-cut.dcm", [data[:30]], 7, 5, syntax=syntax, **twelve)
dicom("mpeg.dcm", [ls], 7, 5, syntax="1.2.840.10008.1.2.4.102")
dicom("new.dcm", [ls], 7, 5, syntax="1.2.3.4")'
    library() { # library NAME PREFIX PACKAGE
        if has_library $1; then
            import --quiet $2.dcm back
            same_bytes x back
            fails 1 "a picture of 7 x 5 pixels, expected 5 x 7" import $2-size.dcm y
            fails 1 "$2-cut.dcm: " import $2-cut.dcm y
        else
            fails 1 "(Debian: apt-get install $3)" import $2.dcm y
            fails 1 "transfer syntax 1.2.840.10008.1.2.4." import $2.dcm y
        fi
    }
    library libcharls.so.2 ls libcharls2
    library libopenjp2.so.7 j2k libopenjp2-7
    fails 1 "transfer syntax 1.2.840.10008.1.2.4.102 (MPEG-4), which cannot be read here" import mpeg.dcm y
    fails 1 "transfer syntax 1.2.3.4, which cannot be read here" import new.dcm y
    no_output y
}

@test "dicom: --series lists the series of a folder and picks one; several without it are an error that lists them" {
    files '
import os
x = rng.integers(0, 4000, (6, 6, 8)).astype("u2")
os.mkdir("d")
for k in range(6):
    place = dict(t00280030=[1, 1], t00200032=[0, 0, k], t00200037=[1, 0, 0, 0, 1, 0], t00080060=("CS", "CT"))
    name = dict(t0020000e=("UI", "1.2.%d" % (3 + k % 2)), t0008103e=("LO", ["Thorax", "Lung\x1b[31m"][k % 2]))
    dicom("d/%d" % k, x[k].tobytes(), 8, 6, **place, **name)
dicom("d/scout", x[0, :3].tobytes(), 8, 3, t0020000e=("UI", "1.2.35"), t00080060=("CS", "CR"))
dicom("d/z-report", b"", 8, 6, t00080060=("CS", "SR"))
data = open("d/z-report", "rb").read()
open("d/z-report", "wb").write(data[:data.index(b"\xe0\x7f\x10\0")])
write("even", x[0::2].transpose(2, 1, 0))
write("odd", x[1::2].transpose(2, 1, 0))'
    fails 1 "images of 3 series (choose one series with --series): 1 = CT, 3 files of 8 x 6, 'Thorax'; 2 = CT, 3 files of 8 x 6, 'Lung\x1b[31m'; 3 = CR, 1 file of 8 x 3" import d y
    run -0 import --series list d
    [ "${#lines[@]}" = 3 ]
    [ "${lines[0]}" = "1  CT  3 files  8 x 6  Thorax  1.2.3" ]
    [ "${lines[1]}" = '2  CT  3 files  8 x 6  Lung\x1b[31m  1.2.4' ]
    [ "${lines[2]}" = "3  CR  1 file  8 x 3  1.2.35" ]
    run -0 gantry import --series=list d/0 d/1
    [ "${#lines[@]}" = 2 ]
    import --series 1 d a 2>said
    same_bytes a even
    grep -q "1 of 8 files contain no pixels and are ignored" said
    import --quiet --series 1.2.4 d a
    same_bytes a odd
    gantry history a | grep -q -- "--series=1.2.4"
    import --quiet --series 1.2.35 d a
    [ "$(dims a)" = "8 3" ]
    import --quiet --series 1.2.3 d a
    same_bytes a even
    fails 2 "'1.2.' is the beginning of several series UIDs" import --series 1.2. d y
    fails 2 "no series '4'" import --series 4 d y
    fails 1 "d/z-report: holds no pixels" import d/z-report y
    gantry zeros --size 4:3 z
    gantry export z z.nrrd
    fails 2 "--series is for DICOM files, found z.nrrd" import --series 1 z.nrrd y
    fails 2 "OUT" import --series 1 d
    no_output y
}

@test "dicom: a folder with a DICOMDIR is the images it refers to" {
    files '
import os
x = rng.integers(0, 4000, (3, 6, 8)).astype("u2")
os.makedirs("cd/IMAGES/SER1")
os.makedirs("small/images/ser1")
for k in range(3):
    for folder in "cd/IMAGES/SER1/IM", "small/images/ser1/im":
        dicom("%s%d" % (folder, k), x[k].tobytes(), 8, 6, t00280030=[1, 1], t00200032=[0, 0, k], t00200037=[1, 0, 0, 0, 1, 0])
def record(kind, *path):
    body = element(0x00041430, "CS", kind) + (element(0x00041500, "CS", list(path)) if path else b"")
    return struct.pack("<HHI", 0xfffe, 0xe000, len(body)) + body
def directory(name, *records):
    body = b"".join(records)
    meta = element(0x00020010, "UI", PLAIN)
    open(name, "wb").write(bytes(128) + b"DICM" + element(0x00020000, "UL", len(meta)) + meta
        + element(0x00041130, "CS", "ANY") + struct.pack("<HH2sHI", 4, 0x1220, b"SQ", 0, len(body)) + body)
images = [record("IMAGE", "IMAGES", "SER1", "IM%d" % k) for k in (2, 0, 1)]
around = [record("PATIENT"), record("STUDY"), record("SERIES")]
directory("cd/DICOMDIR", *around, *images, record("SR DOCUMENT", "REPORT"))
directory("small/dicomdir", *around, *images)
os.mkdir("bad")
directory("bad/DICOMDIR", record("IMAGE", "..", "cd", "IMAGES", "SER1", "IM0"), record("IMAGE", "", "etc", "passwd"))
os.mkdir("part")
os.symlink("../cd/IMAGES", "part/IMAGES")
directory("part/DICOMDIR", *images, record("IMAGE", "IMAGES", "SER1", "IM3"))
os.mkdir("cut")
open("cut/DICOMDIR", "wb").write(open("cd/DICOMDIR", "rb").read()[:-30])
os.mkdir("junk")
open("junk/DICOMDIR", "wb").write(b"text")
open("cd/README.TXT", "w").write("read me")
write("x", x.transpose(2, 1, 0))'
    for f in cd cd/DICOMDIR small; do
        import $f back
        same_bytes x back
        [ "$(section back Spacing)" = "1 1 1" ]
        gantry history back | grep -qi "images/ser1/im2"
    done
    (cd cd && import DICOMDIR ../back && import . ../back)
    same_bytes x back
    import part back 2>said
    same_bytes x back
    grep -q "part/DICOMDIR refers to 4 images, of which 1 are missing" said
    fails 1 "bad/DICOMDIR refers to 2 images, which are all missing" import bad y
    (cd bad && fails 1 "refers to 2 images" import DICOMDIR ../y)
    fails 1 "cut/DICOMDIR: the directory is damaged or truncated" import cut y
    fails 1 "junk/DICOMDIR: not a DICOM file" import junk y
    no_output y
}

@test "dicom: white as zero is said, and indices into a colour table are refused" {
    files '
x = rng.integers(0, 4000, (6, 8)).astype("u2")
dicom("white.dcm", x.tobytes(), 8, 6, t00280004=("CS", "MONOCHROME1"))
dicom("table.dcm", x.tobytes(), 8, 6, t00280004=("CS", "PALETTE COLOR"))
write("x", x.T)'
    import white.dcm back 2>said
    same_bytes back x
    grep -q "1 of 1 files are stored with white as zero" said
    fails 1 "table.dcm: the pixels are indices into a colour table, expected grayscale" import table.dcm back
}
