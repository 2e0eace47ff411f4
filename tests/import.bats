load common

tiffs() {
    py "from tiffs import write_tiff
rng = np.random.default_rng(7)
$1"
}

@test "import: raw files of several types, byte orders and headers to skip" {
    py '
rng = np.random.default_rng(1)
for t in ["u1", "i2", "u4", "f4", "f8", "c8"]:
    a = rng.integers(0, 100, (5, 4, 3)).astype(t)
    write(t, a)
    a.ravel(order="F").astype("<" + t).tofile(t + ".raw")
    with open(t + ".big", "wb") as f:
        f.write(b"twelve bytes" + a.ravel(order="F").astype(">" + t).tobytes())'
    for pair in u1:uint8 i2:int16 u4:uint32 f4:float32 f8:float64 c8:complex64; do
        t=${pair%:*}
        gantry import --raw --size 5:4:3 --type ${pair#*:} $t.raw a
        same_bytes a $t
        [ "$(section a Type)" = ${pair#*:} ]
        [ "$(dims a)" = "5 4 3" ]
        gantry import --raw --size 5:4:3 --type ${pair#*:} --skip 12 --byte-order big $t.big b
        same_bytes b $t
    done
}

@test "import: raw files are stacked in the order of their numbers" {
    py '
for k in 1, 2, 10:
    open(f"f_{k}.raw", "wb").write(b"hd" + bytes([k] * 6))'
    gantry import --raw --size 3:2 --type uint8 --skip 2 f_*.raw a
    py 'assert read("a").shape == (3, 2, 3) and list(read("a")[0, 0]) == [1, 2, 10]'
    gantry import --raw --size 3:2 --type uint8 --skip 2 --no-sort f_10.raw f_1.raw f_2.raw a
    py 'assert list(read("a")[0, 0]) == [10, 1, 2]'
    gantry import --raw --size 3:2 --type uint8 --skip 2 --along y f_*.raw a
    py 'assert read("a").shape == (3, 6) and list(read("a")[0]) == [1, 1, 2, 2, 10, 10]'
    gantry import --raw --size 3:2 --type uint8 --skip 2 --range 1: f_*.raw a
    py 'assert list(read("a")[0, 0]) == [2, 10]'
}

@test "import: a C-ordered array [view][column][row] becomes (u, v, view)" {
    py '
a = np.random.default_rng(2).random((6, 5, 4)).astype("f4")	# view, column, row
a.tofile("x.raw")
write("want", a.transpose(1, 2, 0))'
    gantry import --raw --size 4:5:6 --type float32 x.raw a
    gantry transpose 0 1 a b
    gantry import --raw --size 4:5:6 --type float32 --transpose x.raw c
    same_bytes b want
    same_bytes c want
    [ "$(dims c)" = "5 4 6" ]
}

@test "import: a raw file of the wrong size is refused with both sizes" {
    head -c 100 /dev/zero >x.raw
    fails 1 "x.raw has 100 bytes, expected 120: 5 x 4 x 3 elements of int16" gantry import --raw --size 5:4:3 --type int16 x.raw y
    fails 1 "expected 98" gantry import --raw --size 5:4:3 --type uint8 --skip 38 x.raw y
    fails 2 "--size and --type" gantry import --raw --size 5:4 x.raw y
    fails 2 "--size and --type" gantry import --raw --type int8 x.raw y
    fails 2 "--raw" gantry import --size 5:4 x.raw y
    fails 1 "unrecognised file format" gantry import x.raw y
    fails 1 nothere gantry import --raw --size 5:4 --type int8 nothere y
    fails 1 nothere gantry import nothere y
    fails 2 "outside" gantry import --raw --size 100 --type int8 --range 0:2 x.raw y
    printf '\0\1\2' >b.raw
    fails 1 "expected 0 or 1" gantry import --raw --size 3 --type bool b.raw y
    no_output y
}

@test "import: TIFF pages of every sample type, strips and tiles, all compressions, both byte orders" {
    tiffs '
n = 0
for t in ["u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8"]:
    page = rng.integers(0, 100, (37, 53)).astype(t)
    for compression in "none", "lzw", "deflate", "packbits":
        for tile in None, (16, 32):
            name = f"{t}_{n}"
            write_tiff(name + ".tif", [page], tile=tile, compression=compression, order="<>"[n % 2], big=n % 3 == 0)
            write(name, page.T)
            n += 1'
    for f in *.tif; do
        gantry import $f a
        same_bytes a ${f%.tif}
        [ "$(section a Type)" = "$(section ${f%.tif} Type)" ]
        [ "$(dims a)" = "53 37" ]
    done
}

@test "import: a large stack of ImageJ: one directory, all pictures behind it" {
    tiffs '
import struct
def stack(path, pages, order):
    said = b"ImageJ=1.53t\nimages=%d\nslices=%d\n\0" % (len(pages), len(pages))
    long_one = {256: pages.shape[2], 257: pages.shape[1], 270: 134, 273: 134 + len(said), 279: pages[0].nbytes}
    entries = {**long_one, 258: 16, 259: 1, 262: 1, 277: 1, 278: pages.shape[1]}
    out = (b"II" if order == "<" else b"MM") + struct.pack(order + "HIH", 42, 8, len(entries))
    for tag in sorted(entries):
        code, fmt, n = (2, "I", len(said)) if tag == 270 else (4, "I", 1) if tag in long_one else (3, "HH", 1)
        out += struct.pack(order + "HHI" + fmt, tag, code, n, *([entries[tag]] + [0] * (len(fmt) - 1)))
    out += struct.pack(order + "I", 0)
    assert len(out) == 134
    open(path, "wb").write(out + said + pages.astype(order + "u2").tobytes())
pages = rng.integers(0, 60000, (3, 5, 7)).astype("u2")
stack("le.tif", pages, "<")
stack("be.tif", pages, ">")
write("x", pages.transpose(2, 1, 0))'
    for f in le be; do
        gantry import $f.tif a
        same_bytes a x
        gantry import --range 2 $f.tif b
        gantry extract 2 2:3 x c
        same_bytes b c
    done
    head -c -1 le.tif >cut.tif
    gantry import cut.tif d 2>said
    grep -q "is the file truncated" said
    [ "$(dims d)" = "7 5" ]
}

@test "import: a truncated series of tifffile: one directory, all pictures behind it" {
    needs tifffile
    py '
import tifffile
x = np.arange(2 * 3 * 5 * 7).astype("u2").reshape(2, 3, 5, 7)
tifffile.imwrite("t.tif", x, truncate=True, photometric="minisblack")
write("x", x.reshape(6, 5, 7).transpose(2, 1, 0))'
    gantry import t.tif a 2>said
    same_bytes a x
    [ "$(dims a)" = "7 5 6" ]
    run ! grep -q warning said
    head -c -1 t.tif >cut.tif
    gantry import cut.tif b 2>said
    grep -q "are in a file where other pictures are missing" said
    [ "$(dims b)" = "7 5" ]
}

@test "import: numbers that are missing among the names are reported; a pipe is not a picture" {
    for k in 1 2 4 5 20; do printf 'ab' >f_$k.raw; done
    import() { gantry import --raw --size 2 --type uint8 "$@" 2>said; }
    import f_[1245].raw a
    grep -q "f_2.raw: the next file is f_4.raw, and 1 numbers are missing in total" said
    import f_*.raw a
    grep -q "15 numbers are missing in total" said
    for files in "f_1.raw f_2.raw" "f_1.raw f_4.raw" "--no-sort f_1.raw f_2.raw f_4.raw f_5.raw"; do
        import $files a
        [ ! -s said ]
    done
    tiffs 'write_tiff("p.tif", [np.zeros((3, 4), "u1")])'
    mkfifo pipe
    cat p.tif >pipe &
    fails 1 "pipe is a device or pipe, expected an ordinary file" timeout 20 gantry import pipe y
    kill $! 2>/dev/null || true
    no_output y
}

@test "import: the predictor of compressed files, and rows that do not fill the last strip" {
    tiffs '
page = rng.integers(0, 60000, (30, 41)).astype("u2")
write_tiff("a.tif", [page], compression="deflate", predictor=2, rows=8)
write_tiff("b.tif", [page], compression="lzw", predictor=2, rows=64)
write("x", page.T)'
    gantry import a.tif a
    gantry import b.tif b
    same_bytes a x
    same_bytes b x
}

@test "import: stacks and pages: row r of picture k is element (.., r, k); natural order, ranges" {
    tiffs '
pages = rng.integers(0, 60000, (12, 9, 14)).astype("u2")
for k in range(12):
    write_tiff(f"raw_{k}.tif", [pages[k]])
write_tiff("all.tif", pages)
write("x", pages.transpose(2, 1, 0))
write("t", pages.transpose(1, 2, 0))'
    gantry import --quantity counts --unit adu --spacing 0.5:0.25 raw_*.tif a
    gantry import all.tif b
    gantry import -j 7 all.tif c
    gantry import --transpose all.tif d
    for name in a b c; do same_bytes $name x; done
    same_bytes d t
    [ "$(section a Quantity)" = counts ]
    [ "$(section a Unit)" = adu ]
    [ "$(gantry show --field spacing a)" = 0.5:0.25:1 ]
    gantry import --spacing 0.5 all.tif h
    [ "$(gantry show --field spacing h)" = 0.5:0.5:0.5 ]
    gantry import --range 2:11:3 raw_*.tif e
    gantry import --range 2:11:3 all.tif f
    gantry extract z 2:11:3 x want
    same_bytes e want
    same_bytes f want
    gantry import raw_*.tif - | gantry copy - g
    same_bytes g x
}

@test "import: colours, odd samples and mixed stacks are refused with the file's name" {
    tiffs '
write_tiff("rgb.tif", [rng.integers(0, 99, (9, 7, 3)).astype("u1")])
write_tiff("gray.tif", [np.zeros((9, 7), "u1")])
write_tiff("wide.tif", [np.zeros((9, 8), "u1")])
write_tiff("deep.tif", [np.zeros((9, 7), "u2")])
write_tiff("twelve.tif", [np.zeros((9, 7), "u2")], tags={258: 12})
write_tiff("palette.tif", [np.zeros((9, 7), "u1")], tags={262: 3, 320: [0] * 768})
write_tiff("code.tif", [np.zeros((9, 7), "u1")], tags={259: 31337})'
    fails 1 "rgb.tif: 3 samples per pixel" gantry import rgb.tif y
    fails 1 "wide.tif has 8 x 9 pixels, expected 7 x 9 as in gray.tif" gantry import gray.tif wide.tif y
    fails 1 "uint16" gantry import --no-sort gray.tif deep.tif y
    fails 1 "twelve.tif: 12-bit" gantry import twelve.tif y
    fails 1 "palette.tif" gantry import palette.tif y
    fails 1 "code.tif: compression 31337" gantry import code.tif y
    no_output y
}

@test "import: cut and damaged TIFF files give a sentence and no output" {
    tiffs '
write_tiff("x.tif", [rng.integers(0, 60000, (30, 41)).astype("u2") for _ in range(3)], compression="deflate")
data = open("x.tif", "rb").read()
for n in 2, 6, 9, 300, len(data) // 2, len(data) - 20:
    open(f"cut{n}.tif", "wb").write(data[:n])
write_tiff("flat.tif", [rng.integers(0, 60000, (30, 41)).astype("u2")])
open("hole.tif", "wb").write(data[:40] + bytes(60) + data[100:])
write_tiff("huge.tif", [np.zeros((30, 41), "u2")], tags={256: 2000000000, 257: 2000000000})
write_tiff("loop.tif", [np.zeros((3, 4), "u2")])
loop = bytearray(open("loop.tif", "rb").read())
loop[-4:] = loop[4:8]
open("loop.tif", "wb").write(loop)'
    for f in cut*.tif hole.tif huge.tif; do
        fails 1 "$f" gantry import $f y
    done
    timeout 10 gantry import loop.tif z || [ $? = 1 ]
    no_output y
}

@test "import: white-is-zero and turned pictures keep their numbers and say so" {
    tiffs '
page = rng.integers(0, 255, (9, 7)).astype("u1")
write_tiff("white.tif", [page], tags={262: 0})
write_tiff("turned.tif", [page], tags={274: 6})
write("x", page.T)'
    gantry import white.tif a 2>said
    grep -q "white as zero" said
    gantry import turned.tif b 2>said
    grep -q "orientation tag" said
    same_bytes a x
    same_bytes b x
}

@test "import: a forgotten output is noticed" {
    tiffs '
for k in range(3):
    write_tiff(f"p_{k}.tif", [np.zeros((9, 7), "u1")])'
    fails 2 "p_2.tif is a file" gantry import p_*.tif
    [ -z "$(ls *.hdr *.cfl 2>/dev/null)" ]
}

@test "import: the history names every file" {
    tiffs '
for k in range(3):
    write_tiff(f"p_{k}.tif", [rng.integers(0, 255, (9, 7)).astype("u1")])'
    gantry import p_*.tif x
    for k in 0 1 2; do
        gantry show --history x | grep -q "p_$k.tif:"
    done
}

@test "import: files of several kinds are told apart" {
    tiffs 'write_tiff("b.tif", [np.zeros((3, 4), "u1")])'
    py 'np.save("a.npy", np.zeros((3, 4), "u1")); np.save("c.npy", np.zeros((3, 4), "u1"))'
    gantry zeros --size 4:3 z
    gantry export z a.nrrd
    echo text >c.txt
    fails 1 "b.tif is a TIFF file, expected NumPy like a.npy" gantry import a.npy b.tif x
    fails 1 "c.npy is a NumPy file, expected TIFF or PNG like b.tif" gantry import b.tif c.npy x
    fails 1 "a NumPy file, expected NRRD like a.nrrd" gantry import a.nrrd c.npy x
    fails 1 "c.txt is of an unrecognised format, expected TIFF or PNG like b.tif" gantry import b.tif c.txt x
    fails 1 "c.txt is of an unrecognised format, expected NRRD like a.nrrd" gantry import a.nrrd c.txt x
    no_output x
}

@test "import: pages of channels, times or several images are not one stack of slices" {
    py '
import struct, tiffs
pages = [np.full((3, 4), k, "u2") for k in range(6)]
xml = "<OME xmlns=\"x\"><Image ID=\"Image:0\"><Pixels DimensionOrder=\"XYCZT\" SizeX=\"4\" SizeY=\"3\" SizeC=\"%d\" SizeZ=\"%d\" SizeT=\"1\" PhysicalSizeX=\"1\" PhysicalSizeY=\"1\" PhysicalSizeZ=\"5\"/></Image>%s</OME>"
for name, text in (("channels", xml % (2, 3, "")), ("slices", xml % (1, 6, "")), ("images", xml % (1, 3, "<Image ID=\"Image:1\"/>"))):
    # a comment behind the pages, whose offset is in the tag of the first one
    tiffs.write_tiff(name + ".tif", pages)
    b = bytearray(open(name + ".tif", "rb").read())
    said = text.encode() + b"\0"
    at, = struct.unpack_from("<I", b, 4)
    n, = struct.unpack_from("<H", b, at)
    tags = [bytes(b[at + 2 + 12 * i:at + 14 + 12 * i]) for i in range(n)]
    after = bytes(b[at + 2 + 12 * n:at + 6 + 12 * n])
    tags.append(struct.pack("<HHII", 270, 2, len(said), len(b)))
    b += said + b"\0" * (len(said) % 2)
    struct.pack_into("<I", b, 4, len(b))
    b += struct.pack("<H", n + 1) + b"".join(sorted(tags, key=lambda t: struct.unpack_from("<H", t))) + after
    open(name + ".tif", "wb").write(b)'
    import slices.tif back 2>said
    [ "$(section back Spacing)" = "0.001 0.001 0.005" ]
    [ ! -s said ]
    import channels.tif back 2>said
    [ "$(section back Spacing)" = "0.001 0.001" ]
    grep -q "2 x 3 x 1 pages (channels, slices, times) are stacked along dimension 2" said
    import images.tif back 2>said
    [ "$(section back Spacing)" = "0.001 0.001" ]
    grep -q "pages of several images" said
}
