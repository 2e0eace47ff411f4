load common

# What a format can hold survives gantry export and import bit by bit; independent readers find the same numbers.

setup_file() {
    export SAMPLES=$BATS_FILE_TMPDIR
    cd "$SAMPLES" || return 1
    py '
rng = np.random.default_rng(1)
kinds = dict(bool="?", int8="i1", int16="i2", int32="i4", int64="i8", uint8="u1", uint16="u2", uint32="u4", uint64="u8",
             float16="f2", float32="f4", float64="f8", complex64="c8", complex128="c16")
for name, code in kinds.items():
    size = 7 * 5 * 4
    if code == "?":
        a = rng.integers(0, 2, size).astype(bool)
    elif code[0] in "iu":
        t = np.iinfo(code)
        a = rng.integers(t.min, t.max, size, endpoint=True, dtype=code)
    else:
        a = (rng.standard_normal(size) * 100 + (1j * rng.standard_normal(size) if code[0] == "c" else 0)).astype(code)
    write(name, a.reshape(7, 5, 4), Spacing="0.1 0.2 0.3", Origin="-1.5 2 3.7", Quantity="counts", Unit="adu")
write("volume", rng.standard_normal((3, 4, 5, 2)).astype("f4"), Spacing="0.5 0.5 0.5 1")
'
}

setup() {
    common_setup
    ln -s "$SAMPLES"/* .
}

has_hdf5() {
    { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q 'libhdf5\(_serial\)\?\.so\.[0-9]'
}

needs_hdf5() {
    has_hdf5 || skip "no HDF5 library here"
}

# kept NAME COPY: elements, type, grid, quantity and unit are the same.
kept() {
    same_bytes "$1" "$2" || return 1
    [ "$(dims "$1")" = "$(dims "$2")" ] || return 1
    for s in Type Spacing Origin Quantity Unit; do
        [ "$(section "$1" $s)" = "$(section "$2" $s)" ] || { echo "$s of $2: $(section "$2" $s)" >&2; return 1; }
    done
}

# there_and_back EXTENSION TYPE...: keeps everything.
there_and_back() {
    local e=$1 t
    shift
    for t; do
        "$GANTRY_BUILD/bin/export" $t $t-file.$e
        import --quiet $t-file.$e back
        kept $t back
    done
}

# refused EXTENSION TYPE...: the format has no such elements, and the sentence names the way out.
refused() {
    local e=$1 t
    shift
    for t; do
        fails 1 "gantry cast" gantry export $t no.$e
    done
    no_output no
}

@test "export: TIFF keeps every type, spacing, origin, quantity and unit" {
    there_and_back tif bool int8 int16 int32 int64 uint8 uint32 uint64 float16 float32 float64 complex64 complex128
    gantry export --compress uint16 packed.tiff
    import packed.tiff back
    kept uint16 back
    [ "$(stat -c %s packed.tiff)" -lt 4000 ]
    gantry export volume four.tif
    import four.tif back
    kept volume back
}

@test "export: tifffile reads the TIFF files and their scale; ImageJ's scale is read" {
    needs tifffile
    gantry export uint16 a.tif
    gantry export --compress float32 b.tif
    py '
import tifffile
for file, name in ("a.tif", "uint16"), ("b.tif", "float32"):
    with tifffile.TiffFile(file) as f:
        assert len(f.pages) == 4
        assert np.array_equal(f.asarray(), read(name).transpose(2, 1, 0))
        n, d = f.pages[0].tags["XResolution"].value
        assert abs(n / d - 100) < 1e-5 and f.pages[0].tags["ResolutionUnit"].value == 3
tifffile.imwrite("theirs.tif", read("uint16").transpose(2, 1, 0), imagej=True, resolution=(4, 5),
    metadata={"unit": "um", "spacing": 0.5})
tifffile.imwrite("signed.tif", read("uint16").transpose(2, 1, 0), imagej=True, metadata={"cf": 0, "c0": -32768.0, "c1": 1.0})'
    import theirs.tif back
    same_bytes uint16 back
    [ "$(section back Spacing)" = "0.00025 0.0002 0.0005" ]
    [ -z "$(section back Rescale)" ]
    import signed.tif back 2>said
    same_bytes uint16 back
    [ "$(section back Rescale)" = "1 -32768" ]
    grep -q "true value = stored \* 1 + -32768" said
}

@test "export: TIFF has ImageJ's spacing and unit, which come back without our own header too" {
    there_and_back tif uint16 float32
    gantry export uint16 'page_%d.tif'
    py '
import tiffs
def description(path):
    data = open(path, "rb").read()
    at = data.index(b"ImageJ=")
    return data[at:data.index(b"\0", at)].decode()
text = description("uint16-file.tif")
lines = dict(line.split("=") for line in text.splitlines() if "=" in line)
# ImageJ counts in the unit of the resolution tags, which are in pixels per cm
assert lines["slices"] == "4" and lines["unit"] == "cm" and float(lines["spacing"]) == 0.03 and "images" not in lines, lines
assert "slices" not in description("page_1.tif") and "spacing=0.03" in description("page_1.tif")
data = open("uint16-file.tif", "rb").read()
at = data.index(b"# Dimensions")
bare = data[:at] + b"#" * (len(text) - text.index("# Dimensions")) + data[data.index(b"\0", at):]
assert len(bare) == len(data)
open("bare.tif", "wb").write(bare)'
    import bare.tif back
    same_bytes uint16 back
    [ "$(section back Spacing)" = "0.1 0.2 0.3" ]
    [ -z "$(section back Quantity)" ]
    py 'write("plain", np.ones((4, 3, 2), "u1"))'
    gantry export plain plain.tif
    run ! grep -q ImageJ plain.tif
    needs tifffile
    py '
import tifffile
with tifffile.TiffFile("uint16-file.tif") as f:
    assert f.is_imagej and f.imagej_metadata["unit"] == "cm" and f.imagej_metadata["spacing"] == 0.03
    assert f.series[0].axes == "ZYX" and np.array_equal(f.asarray(), read("uint16").transpose(2, 1, 0))'
}

@test "export: .ome.tif is OME-TIFF: sizes, order, type and physical sizes for its readers, all for ours" {
    there_and_back ome.tif bool int8 int16 int32 uint8 uint16 uint32 float32 float64 complex64 complex128
    refused ome.tif int64 uint64 float16
    py '
write("five", np.random.default_rng(8).standard_normal((5, 4, 3, 2, 6)).astype("f4"), Spacing="0.25 0.5 1.25 1 3", Unit="µm <&>\"")
write("six", np.ones((2, 2, 2, 2, 2, 2), "f4"))
write("bare", np.ones((4, 3), "u1"))'
    there_and_back ome.tiff five
    there_and_back ome.tif bare
    gantry export --compress five packed.ome.tif
    import packed.ome.tif back
    kept five back
    fails 1 "OME-TIFF files support at most 5 dimensions" gantry export six no.ome.tif
    no_output no
    gantry export uint16 'z_%d.OME.TIF'
    import 'z_%d.OME.TIF' back
    kept uint16 back
    py '
import xml.etree.ElementTree as ET
def pixels(path):
    data = open(path, "rb").read()
    at = data.index(b"<?xml")
    root = ET.fromstring(data[at:data.index(b"\0", at)].decode("ascii"))
    ns = "{http://www.openmicroscopy.org/Schemas/OME/2016-06}"
    assert root.tag == ns + "OME"
    return root.find(f"{ns}Image/{ns}Pixels"), ns
p, ns = pixels("five-file.ome.tiff")
assert [p.get("Size" + a) for a in "XYZCT"] == ["5", "4", "3", "2", "6"] and p.get("DimensionOrder") == "XYZCT" and p.get("Type") == "float"
assert [float(p.get("PhysicalSize" + a)) for a in "XYZ"] == [0.25, 0.5, 1.25] and p.get("PhysicalSizeZUnit") == "mm"
assert len(p.findall(ns + "Channel")) == 2 and p.find(ns + "TiffData").get("PlaneCount") == "36"
assert pixels("bare-file.ome.tif")[0].get("PhysicalSizeX") is None'
    needs tifffile
    py '
import tifffile
with tifffile.TiffFile("five-file.ome.tiff") as f:
    assert f.is_ome and f.series[0].kind == "ome" and f.series[0].axes == "TCZYX"
    assert np.array_equal(f.asarray(), read("five").transpose(4, 3, 2, 1, 0))'
}

@test "import: the scale of OME-TIFF files and plain resolutions, but not those of screens and printers" {
    needs tifffile
    py '
import tifffile
x = np.zeros((3, 5, 7), "u2")
def w(name, **more): tifffile.imwrite(name + ".tif", x, photometric="minisblack", **more)
w("ome", ome=True, metadata={"axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 250, "PhysicalSizeYUnit": "nm", "PhysicalSizeZ": 2, "PhysicalSizeZUnit": "mm"})
w("micro", ome=True, metadata={"axes": "ZYX", "PhysicalSizeX": 4, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 5, "PhysicalSizeYUnit": "µm"})
w("half", ome=True, metadata={"axes": "ZYX", "PhysicalSizeX": 4, "PhysicalSizeXUnit": "µm"})
w("pixel", ome=True, metadata={"axes": "ZYX", "PhysicalSizeX": 4, "PhysicalSizeXUnit": "pixel"})
w("cm", resolution=(200, 250), resolutionunit=3)
w("inch", resolution=(1270, 1270), resolutionunit=2)
w("printer", resolution=(300, 300), resolutionunit=2)
w("screen", resolution=(28.346, 28.346), resolutionunit=3)
w("ratio", resolution=(100, 50), resolutionunit=1)'
    for f in ome micro half cm inch pixel printer screen ratio; do import $f.tif $f 2>$f.said; done
    [ "$(section half Spacing)" = "0.004" ]
    grep -q "half.tif: the spacing along dimension 1 is unknown" half.said
    [ "$(section ome Spacing)" = "0.0005 0.00025 2" ]
    # the distance of the pages is not known: no number is made up
    [ "$(section micro Spacing)" = "0.004 0.005" ]
    [ "$(section cm Spacing)" = "0.05 0.04" ]
    [ "$(section inch Spacing)" = "0.02 0.02" ]
    for f in micro cm inch; do grep -q "$f.tif: the spacing along dimension 2 is unknown" $f.said; done
    for f in ome pixel printer screen ratio; do [ ! -s $f.said ]; done
    import --spacing 0.05:0.04:0.1 cm.tif cm 2>said
    [ "$(section cm Spacing)" = "0.05 0.04 0.1" ]
    [ ! -s said ]
    import --range 1 cm.tif cm 2>said
    [ "$(section cm Spacing)" = "0.05 0.04" ]
    [ ! -s said ]
    for f in pixel printer screen ratio; do [ -z "$(section $f Spacing)" ]; done
}

@test "export: a series of slices, and back by pattern, glob, folder and range" {
    mkdir s
    gantry export --first 8 uint16 's/a_%03d.tif'
    [ "$(ls s | tr '\n' ' ')" = "a_008.tif a_009.tif a_010.tif a_011.tif " ]
    gantry export uint16 's/b_%d.png'
    import 's/a_%03d.tif' p
    kept uint16 p
    import 's/b_?.png' g
    kept uint16 g
    rm s/b_*
    import s d
    kept uint16 d
    import --range 1:4:2 's/a_%03d.tif' r
    gantry extract z 1:4:2 uint16 want
    kept want r
    gantry history p | grep -q a_008.tif
    fails 1 "no file has such a name" import 's/c_%03d.tif' y
    fails 1 "no file has such a name" import 's/*.dcm' y
    fails 1 "nothere" import nothere.tif y
}

@test "export: PNG holds 8 and 16 bits, a slice per file" {
    gantry slice z 1 uint16 flat
    gantry export flat a.png
    import a.png back
    kept flat back
    gantry slice z 1 bool mask
    gantry export mask b.png
    import b.png back
    [ "$(section back Type)" = bool ]
    fails 1 "number pattern" gantry export uint16 c.png
    refused png float32 int16 uint32
}

@test "export: HDF5 keeps every type, spacing, origin, quantity and unit" {
    needs_hdf5
    there_and_back h5 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128
    gantry export --compress volume four.h5:/entry/data/data
    import four.h5:/entry/data/data back
    kept volume back
    import --range 1: four.h5 back
    gantry extract channel 1: volume want
    same_bytes want back
    fails 1 "no such array" import four.h5:/entry/nothere y
    fails 1 "is a group, expected an array" import four.h5:/entry/data y
    no_output y
}

@test "export: h5py reads the HDF5 and MATLAB 7.3 files" {
    needs_hdf5
    needs h5py
    for t in bool float16 uint16 complex64; do gantry export $t $t.h5; done
    gantry export complex128 m.mat:volume
    gantry export bool b.mat
    py '
import h5py
for t in "bool", "float16", "uint16", "complex64":
    d = h5py.File(t + ".h5")["exchange/data"]
    assert d.shape == (4, 5, 7) and d.dtype == ("?" if t == "bool" else read(t).dtype), d
    assert np.array_equal(d[:], read(t).transpose(2, 1, 0))
    assert list(d.attrs["spacing_mm"]) == [0.3, 0.2, 0.1] and d.attrs["units"] == b"adu"
m = h5py.File("m.mat")["volume"]
assert m.attrs["MATLAB_class"] == b"double" and m.dtype.names == ("real", "imag")
assert np.array_equal(m["real"] + 1j * m["imag"], read("complex128").transpose(2, 1, 0))
assert open("m.mat", "rb").read(128)[-4:] == b"\0\2IM" and open("m.mat", "rb").read(10) == b"MATLAB 7.3"
b = h5py.File("b.mat")["data"]
assert b.dtype == "u1" and b.attrs["MATLAB_class"] == b"logical"
'
    there_and_back mat bool int8 uint16 int64 float32 complex64 complex128
    py 'for n, s in ("line", (6,)), ("number", (1,)), ("row", (1, 6)): write(n, np.ones(s, "f4"))'
    there_and_back mat line number row
    refused mat float16
    fails 1 "name of a MATLAB variable" gantry export uint8 no.mat:/a/b
}

@test "import: Data Exchange and NXtomo scans give data, flats, darks and angles" {
    needs_hdf5
    needs h5py
    py '
import h5py
rng = np.random.default_rng(3)
data = rng.integers(0, 60000, (6, 3, 4)).astype("u2")
with h5py.File("dx.h5", "w") as f:
    f.create_dataset("exchange/data", data=data[:3], chunks=(1, 3, 4), compression="gzip", shuffle=True)
    f["exchange/data_white"], f["exchange/data_dark"] = data[3:5], data[5:]
    f["exchange/theta"] = np.array([0, np.pi / 3, np.pi / 1.5])
    f["exchange/theta"].attrs["units"] = "radians"
with h5py.File("nx.nxs", "w") as f:
    g = f.create_group("entry1/tomo_entry")
    g["instrument/detector/data"] = data[[3, 0, 5, 1, 2, 4]]
    g["instrument/detector/image_key"] = [1, 0, 2, 0, 0, 1]
    g["sample/rotation_angle"] = [0., 0, 0, 60, 120, 0]
with h5py.File("many.h5", "w") as f:
    f["a"], f["g/b"] = data, data
    f["name"], f["one"] = "text", 3.0
for name, part in ("data", data[:3]), ("flats", data[3:5]), ("darks", data[5:]):
    write(name, part.transpose(2, 1, 0))'
    for scan in dx.h5 nx.nxs; do
        import --quiet --flats f --darks d --angles angles.txt $scan p
        same_bytes p data
        same_bytes f flats
        same_bytes d darks
        [ "$(section f Quantity)" = counts ]
        py 'assert np.allclose(np.loadtxt("angles.txt"), [0, 60, 120])'
        gantry history f | grep -q -- "--flats"
    done
    import --quiet --range ::2 nx.nxs p
    gantry extract z ::2 data want
    same_bytes p want
    py '
import h5py
with h5py.File("dx.h5", "r+") as f:
    del f["exchange/theta"]
    f["exchange/theta"] = np.arange(7.0)
    f["exchange/theta"].attrs["units"] = "mrad"'
    import --angles angles.txt dx.h5 p 2>said
    grep -q "contains 7 angles, but 3 projections" said
    grep -q "in .mrad. are read as degrees" said
    fails 1 "many.h5:/a, many.h5:/g/b" import many.h5 y
    fails 1 "expected an array" import many.h5:/one y
    import many.h5:g/b b
    fails 1 "contains no flats" import --flats f2 many.h5:/a y
    [[ $(gantry import --plan --angles planned.txt dx.h5 y 2>&1) == *"4 x 3 x 3"* ]]
    run -0 gantry import dx.h5 told
    [[ $output == *"--flats and --darks"* ]]
    py '
data = open("dx.h5", "rb").read()
for n in 100, len(data) // 2, len(data) - 9:
    open(f"cut{n}.h5", "wb").write(data[:n])'
    for f in cut*.h5; do fails 1 "$f" import "$f" y; done
    no_output y f2 planned
}

@test "export: NumPy reads .npy and .npz; members of archives by name" {
    gantry export --quiet float32 a.npz
    gantry export --quiet uint16 b.npz:counts
    gantry export --quiet complex64 c.npy
    py '
assert np.array_equal(np.load("a.npz")["arr_0"], read("float32"))
assert np.array_equal(np.load("b.npz")["counts"], read("uint16"))
assert np.array_equal(np.load("c.npy"), read("complex64"))
import zipfile
assert zipfile.ZipFile("b.npz").testzip() is None
np.savez("two.npz", c=read("int32"), f=np.asfortranarray(read("int32")))
np.savez_compressed("packed.npz", c=read("int32"), f=np.asfortranarray(read("int32")), big=read("int32").astype(">i4"))
np.save("c_order.npy", np.ascontiguousarray(read("int32")))'
    for name in two.npz:c two.npz:f packed.npz:c packed.npz:f packed.npz:big c_order.npy; do
        import $name back
        same_bytes int32 back
        [ "$(dims back)" = "7 5 4" ]
    done
    fails 1 "two.npz:c, two.npz:f" import two.npz y
    fails 1 "no array d" import two.npz:d y
    no_output y
    run -0 gantry export float32 lossy.npy
    [[ $output == *"cannot store spacing, origin, quantity, unit"* ]]
}

@test "export: raw elements in either byte order" {
    for t in uint16 float64 complex64; do
        gantry export --quiet $t a.raw
        cmp a.raw $t.cfl
        gantry export --quiet --byte-order big $t b.raw
        import --raw --size 7:5:4 --type $t --byte-order big b.raw back
        same_bytes $t back
    done
    run -0 gantry export uint16 c.raw
    [[ $output == *"raw files cannot store spacing"* ]]
}

@test "export: what cannot be done is one sentence" {
    fails 2 "ends in one of .tif" gantry export uint16 a.xyz
    fails 2 "no named arrays" gantry export uint16 a.tif:/data
    fails 2 "cannot be compressed" gantry export --compress uint16 a.npy
    fails 2 "for raw files" gantry export --byte-order big uint16 a.tif
    fails 1 nothere gantry export nothere a.tif
    fails 2 "two number patterns" gantry export uint16 a%d%d.tif
    ln -s /dev/full full.raw
    fails 1 "cannot be written" gantry export --quiet uint16 full.raw
    gantry export uint16 old.tif
    cp old.tif copy.tif
    py 'write("bad", np.zeros((3, 3), "f4")); open("bad.cfl", "wb").write(b"12")'
    fails 1 bad gantry export bad old.tif
    cmp old.tif copy.tif
    gantry copy uint16 - | gantry export - piped.tif
    import piped.tif back
    kept uint16 back
}

@test "export: NIfTI, MetaImage, NRRD and EDF keep types, spacing, origin, quantity and unit" {
    there_and_back nii bool int8 int32 uint8 uint16 uint64 float32 float64 complex64
    there_and_back nii.gz int16 float32
    there_and_back mha bool int8 uint32 int64 float32
    there_and_back mhd uint16
    there_and_back nrrd bool int16 uint64 float64
    there_and_back nhdr uint16
    there_and_back edf bool int8 uint32 int64 float32 float64
    for e in mha mhd nrrd nhdr; do
        gantry export --compress float32 packed.$e
        import packed.$e back
        kept float32 back
    done
    py 'write("times", np.ones((4, 3, 2, 2), "f4"), Spacing="0.25 0.5 1.25 3", Origin="-1.5 2 10 4")'
    there_and_back nii times
    for e in nii mha nrrd; do
        gantry export volume four.$e
        import four.$e back
        kept volume back
    done
    for e in mha nrrd edf; do refused $e complex64 float16; done
    refused nii float16
    gantry export uint16 'stack_%d.edf'
    import 'stack_%d.edf' back
    kept uint16 back
}

@test "export: nibabel reads the NIfTI files; their affine is ours with x and y negative" {
    needs nibabel
    py 'write("turned", read("float32"), Spacing="0.1 0.2 0.3", Origin="-1.5 2 3.7", Direction="0 1 0 -1 0 0 0 0 1")
write("wide", np.arange(40000, dtype="u2").reshape(-1, 1))'
    for n in float32 turned wide; do gantry export $n $n.nii; done
    py '
import nibabel
a = nibabel.load("float32.nii")
assert np.array_equal(np.asarray(a.dataobj), read("float32")) and a.get_data_dtype() == np.float32
assert np.allclose(a.affine, [[-0.1, 0, 0, 1.5], [0, -0.2, 0, -2], [0, 0, 0.3, 3.7], [0, 0, 0, 1]])
assert a.header.get_xyzt_units()[0] == "mm"
t = nibabel.load("turned.nii")
assert np.allclose(t.affine[:3, :3], [[0, 0.2, 0], [-0.1, 0, 0], [0, 0, 0.3]])
assert isinstance(nibabel.load("wide.nii"), nibabel.Nifti2Image)
q = nibabel.Nifti1Image(read("int16"), None)
q.header.set_qform(np.array([[0, -2, 0, 5], [3, 0, 0, 6], [0, 0, 4, 7], [0, 0, 0, 1.0]]), 1)
q.header.set_slope_inter(2, -1024)
nibabel.Nifti1Image(read("int16"), None, q.header).to_filename("q.nii")
h = nibabel.Nifti1Header(endianness=">")
h.set_data_dtype("u2")
big = nibabel.Nifti1Image(read("uint16").astype(">u2"), np.diag([-1.0, -1, 1, 1]), h)
big.to_filename("big.nii.gz")'
    import turned.nii back
    [ "$(section back Direction)" = "0 1 0 -1 0 0 0 0 1" ]
    kept turned back
    import --quiet q.nii back
    same_bytes int16 back
    [ "$(section back Spacing)" = "3 2 4" ]
    [ "$(section back Origin)" = "-5 -6 7" ]
    [ "$(section back Direction)" = "0 -1 0 1 0 0 0 0 1" ]
    mkdir a.hdr.d
    py 'import nibabel; nibabel.save(nibabel.Nifti1Pair(read("int16"), np.eye(4)), "a.hdr.d/p.hdr")'
    import a.hdr.d/p.hdr back
    same_bytes int16 back
    import big.nii.gz back
    same_bytes uint16 back
    [ -z "$(section back Direction)" ]
}

@test "import: directions and slopes that another program changed in files of ours win over our header" {
    py '
import struct
write("x", np.arange(24, dtype="i2").reshape(2, 3, 4), Spacing="1 2 3", Origin="0 0 0", Direction="0 1 0 1 0 0 0 0 -1", Rescale="2 -1000.5")
write("s", np.arange(6, dtype="i2").reshape(2, 3), Spacing="1 2", Rescale="2 -1000")'
    gantry export x x.nii
    gantry export s s.dcm
    import --rescale x.nii scaled
    py '
import struct
x = read("x")
assert np.array_equal(read("scaled"), 2 * x.astype("f4") - 1000.5)
b = bytearray(open("x.nii", "rb").read())
assert struct.unpack_from("<2f", b, 112) == (2, -1000.5)  # other programs apply it
struct.pack_into("<2f", b, 112, 1, 0)
struct.pack_into("<12f", b, 280, -1, 0, 0, 0, 0, -2, 0, 0, 0, 0, 3, 0)
open("y.nii", "wb").write(b)
d = open("s.dcm", "rb").read()
for tag, old, new in (b"\x28\0\x52\x10", b"-1000 ", b"0     "), (b"\x28\0\x53\x10", b"2 ", b"1 "):
    head = tag + b"DS" + struct.pack("<H", len(old))
    assert d.count(head + old) == 1
    d = d.replace(head + old, head + new)
open("t.dcm", "wb").write(d)'
    import x.nii same
    [ "$(section same Direction) / $(section same Rescale)" = "0 1 0 1 0 0 0 0 -1 / 2 -1000.5" ]
    import y.nii back
    [ -z "$(section back Direction)$(section back Rescale)" ]
    import t.dcm back
    [ -z "$(section back Rescale)" ]
}

@test "import: NIfTI: a quaternion of half a turn is normalised, and gzip members may be shorter than the header" {
    py '
import gzip, struct
h = bytearray(352)
struct.pack_into("<i", h, 0, 348)
struct.pack_into("<8h", h, 40, 3, 2, 3, 4, 1, 1, 1, 1)
struct.pack_into("<2h", h, 70, 4, 16)
struct.pack_into("<8f", h, 76, 1, 2, 3, 4, 1, 1, 1, 1)
struct.pack_into("<f", h, 108, 352)
struct.pack_into("<h", h, 252, 1)
struct.pack_into("<3f", h, 256, 0.70710677, 0.70710677, 0)
h[344:348] = b"n+1\0"
a = np.arange(24, dtype="<i2").reshape(2, 3, 4)
write("a", a)
whole = bytes(h) + a.tobytes(order="F")
open("q.nii", "wb").write(whole)
open("q.nii.gz", "wb").write(gzip.compress(whole[:100]) + gzip.compress(whole[100:]))'
    for f in q.nii q.nii.gz; do
        import $f back
        same_bytes a back
        [ "$(section back Direction)" = "0 -1 0 -1 0 0 0 0 -1" ]
    done
}

@test "import: MetaImage and NRRD of four dimensions keep the direction of the first three" {
    py '
a = np.arange(48, dtype="i2").reshape(2, 3, 4, 2)
write("a", a, Spacing="1 2 3 5", Origin="7 8 9 0", Direction="0 1 0 -1 0 0 0 0 1")
open("t.nrrd", "wb").write(b"NRRD0005\ntype: short\ndimension: 4\nspace dimension: 4\nsizes: 2 3 4 2\n"
    b"space directions: (0,1,0,0) (-2,0,0,0) (0,0,3,0) (0,0,0,5)\nencoding: raw\nendian: little\nspace origin: (7,8,9,1)\n\n" + a.tobytes(order="F"))
open("turned.nrrd", "wb").write(open("t.nrrd", "rb").read().replace(b"(0,0,3,0)", b"(0,0,3,1)"))'
    gantry export a a.mha
    grep -a -q "^TransformMatrix = 0 1 0 0 -1 0 0 0 0 0 1 0 0 0 0 1$" a.mha
    sed -i 's/^Gantry = .*/Comment = none/' a.mha
    for f in a.mha t.nrrd; do
        import $f back
        same_bytes a back
        [ "$(section back Direction) / $(section back Spacing)" = "0 1 0 -1 0 0 0 0 1 / 1 2 3 5" ]
    done
    fails 1 "axis 2 of 'space directions' has components in the first three dimensions" import turned.nrrd back
}

@test "import: --rescale takes the slope from our header in files of formats without one; export says what they lack" {
    py 'write("x", np.arange(24, dtype="i2").reshape(2, 3, 4), Spacing="1 2 3", Rescale="2 -1000.5")'
    for f in x.nrrd x.mha x.h5 x.nii; do
        gantry export x $f 2>said
        [ $f = x.nii ] || grep -q "files cannot record 'true value = stored \* 2 + -1000.5'" said
        [ $f != x.nii ] || [ ! -s said ]
        import --rescale $f back
        py 'assert np.array_equal(read("back"), 2 * read("x").astype("f4") - 1000.5)'
        [ -z "$(section back Rescale)" ]
        import $f back
        same_bytes x back
        [ "$(section back Rescale)" = "2 -1000.5" ]
    done
}

@test "import: a NRRD file of one plane in space keeps its place and direction" {
    py '
a = np.arange(6, dtype="i2").reshape(2, 3)
write("a", a)
open("t.nrrd", "wb").write(b"NRRD0005\ntype: short\ndimension: 2\nspace: right-anterior-superior\nsizes: 2 3\n"
    b"space directions: (0.5,0,0) (0,0,2)\nencoding: raw\nendian: little\nspace origin: (7,8,9)\n\n" + a.tobytes(order="F"))'
    import t.nrrd back
    same_bytes a back
    [ "$(section back Spacing) / $(section back Origin) / $(section back Direction)" = "0.5 2 1 / -7 -8 9 / -1 0 0 0 0 1 0 1 0" ]
}

@test "import: NIfTI keeps the time between volumes, and .img finds its .hdr" {
    py '
import struct
a = np.arange(3 * 4 * 5 * 2, dtype="<i2").reshape(3, 4, 5, 2)
write("a", a)
def nifti(name, step, units, magic=b"n+1\0", y=0.5):
    h = bytearray(352)
    struct.pack_into("<i", h, 0, 348)
    struct.pack_into("<8h", h, 40, 4, *a.shape, 1, 1, 1)
    struct.pack_into("<hh", h, 70, 4, 16)
    struct.pack_into("<8f", h, 76, 1, 0.5, y, 2, step, 0, 0, 0)
    struct.pack_into("<f", h, 108, 352)
    h[123] = units
    h[344:348] = magic
    if magic == b"ni1\0":
        struct.pack_into("<f", h, 108, 0)
        open(name + ".hdr", "wb").write(h[:348])
        open(name + ".img", "wb").write(a.tobytes(order="F"))
    else:
        open(name + ".nii", "wb").write(bytes(h) + a.tobytes(order="F"))
nifti("s", 2.5, 2 + 8)
nifti("ms", 2500, 2 + 16)
nifti("us", 2500000, 2 + 24)
nifti("none", 0, 2)
nifti("gap", 2.5, 2 + 8, y=0)
nifti("pair", 2.5, 2 + 8, b"ni1\0")'
    for f in s ms us; do
        import $f.nii back
        same_bytes a back
        [ "$(section back Spacing)" = "0.5 0.5 2 2.5" ]
        gantry export back again-$f.nii
        import again-$f.nii again
        [ "$(section again Spacing)" = "0.5 0.5 2 2.5" ]
    done
    [ "$(od -An -tu1 -j123 -N1 again-s.nii | tr -d ' ')" = 10 ] # mm and seconds
    import none.nii back 2>said
    grep -q "the spacing along dimension 3 is unknown" said
    [ "$(section back Spacing)" = "0.5 0.5 2" ]
    import gap.nii back 2>said
    grep -q "the spacing along dimension 1 is unknown" said
    [ "$(section back Spacing)" = "0.5" ]
    import pair.img back
    same_bytes a back
    [ "$(section back Spacing)" = "0.5 0.5 2 2.5" ]
    mkdir pair
    mv pair.* pair
    import pair back
    same_bytes a back
    rm pair/pair.hdr
    fails 1 "pair.img: unrecognised file format" import pair/pair.img y
    no_output y
}

@test "import: slope and intercept are recorded, and applied when asked for" {
    needs nibabel
    py '
import nibabel
h = nibabel.Nifti1Header()
h.set_data_shape((3, 4, 5))
h.set_data_dtype("i2")
a = bytearray(h.binaryblock)
import struct
a[112:120] = struct.pack("<ff", 2, -1024)
a[108:112] = struct.pack("<f", 352)
a[344:348] = b"n+1\0"
open("s.nii", "wb").write(bytes(a) + bytes(4) + np.arange(60, dtype="<i2").tobytes())'
    run -0 import s.nii a
    [[ $output == *"stored * 2 + -1024"* ]]
    [ "$(section a Rescale)" = "2 -1024" ]
    [ "$(section a Type)" = int16 ]
    import --rescale s.nii b
    py 'assert np.array_equal(read("b").ravel(order="F"), np.arange(60) * 2.0 - 1024) and read("b").dtype == "f4"'
    [ -z "$(section b Rescale)" ]
}

@test "import: MetaImage, NRRD and EDF by other hands" {
    py '
a = read("uint16")
raw = a.ravel(order="F")
open("m.mhd", "w").write("""ObjectType = Image
NDims = 3
BinaryData = True
ElementByteOrderMSB = True
TransformMatrix = 0 1 0 -1 0 0 0 0 1
Offset = 1 2 3
ElementSize = 0.5 0.6 0.7
DimSize = 7 5 4
HeaderSize = -1
ElementType = MET_USHORT
ElementDataFile = sub/m.img
""")
import os, gzip
os.mkdir("sub")
open("sub/m.img", "wb").write(b"any head" + raw.astype(">u2").tobytes())
open("n.nhdr", "w").write("""NRRD0004
# a comment
type: unsigned short
dimension: 3
space: RAS
sizes: 7 5 4
space directions: (0,2,0) (3,0,0) (0,0,4)
kinds: domain domain domain
endian: big
encoding: raw
byte skip: -1
space origin: (1,2,3)
data file: sub/m.img
""")
open("g.nrrd", "wb").write(b"NRRD0001\r\ntype: ushort\r\ndimension: 4\r\nsizes: 1 7 5 4\r\nspacings: nan 1 2 3\r\nendian: little\r\nencoding: gz\r\n\r\n"
    + gzip.compress(raw.tobytes()))
def frame(n, data, order, t):
    h = "{ \n HeaderID = EH:%06d:000000:000000 ;\nByteOrder = %s ;\nDataType = %s ;\nDim_1 = 7 ;\nDim_2 = 5 ;\nPSize_1 = 2e-6;\nPSize_2 = 3e-6;\n" % (n, order, t)
    return (h + " " * (1022 - len(h)) + "}\n").encode() + data
open("f.edf", "wb").write(b"".join(frame(k, a[:, :, k].ravel(order="F").astype(">u2").tobytes(), "HighByteFirst", "UnsignedShort") for k in range(4)))'
    import m.mhd back
    same_bytes uint16 back
    [ "$(section back Spacing)" = "0.5 0.6 0.7" ]
    [ "$(section back Origin)" = "1 2 3" ]
    [ "$(section back Direction)" = "0 1 0 -1 0 0 0 0 1" ]
    import n.nhdr back
    same_bytes uint16 back
    [ "$(section back Spacing)" = "2 3 4" ]
    [ "$(section back Origin)" = "-1 -2 3" ]
    [ "$(section back Direction)" = "0 -1 0 -1 0 0 0 0 1" ]
    printf 'NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 1\nspacings: 2 4\naxis mins: 10 20\ncenters: cell node\nunits: "um" "cm"\nencoding: raw\n\nab' >c.nrrd
    import c.nrrd back
    [ "$(section back Spacing) $(section back Origin)" = "0.002 40 0.011 200" ]
    sed 's/encoding: raw/encoding: hex/; s/uint8/short/' c.nrrd >hex.nrrd
    fails 1 "has the encoding 'hex', expected raw or gzip" import hex.nrrd y
    import g.nrrd back
    same_bytes uint16 back
    [ "$(section back Spacing)" = "1 1 2 3" ]
    import --quiet f.edf back
    same_bytes uint16 back
    [ "$(section back Spacing)" = "0.002 0.003" ]
    [ "$(dims back)" = "7 5 4" ]
}

@test "export: DICOM slices keep their numbers, places and names; pydicom reads them" {
    needs pydicom
    for t in int8 uint8 int16 uint16 bool; do
        mkdir $t-d
        gantry export $t "$t-d/a_%d.dcm"
        import --quiet $t-d back
        kept $t back
    done
    refused dcm float32 int32
    fails 1 "number pattern" gantry export int16 a.dcm
    py '
import glob, pydicom
x = read("int16")
sets = [pydicom.dcmread(f"int16-d/a_{k}.dcm") for k in range(4)]
for k, d in enumerate(sets):
    assert np.array_equal(d.pixel_array, x[:, :, k].T) and d.pixel_array.dtype == np.int16
    assert d.PixelSpacing == [0.2, 0.1] and np.allclose(d.ImagePositionPatient, [-1.5, 2, 3.7 + 0.3 * k])
    assert d.ImageOrientationPatient == [1, 0, 0, 0, 1, 0] and d.InstanceNumber == k + 1 and d.Modality == "CT"
assert len({d.SOPInstanceUID for d in sets}) == 4 and len({d.SeriesInstanceUID for d in sets}) == 1'
}

@test "import: DICOM by other hands: implicit, explicit and big-endian, sequences, spare bits, no preamble, order of places" {
    needs pydicom
    py '
import pydicom
from pydicom.dataset import FileDataset, FileMetaDataset, Dataset
from pydicom.sequence import Sequence
rng = np.random.default_rng(4)
x = rng.integers(-2000, 2000, (5, 4, 3)).astype("i2")
write("x", x)
def slice(name, k, syntax="1.2.840.10008.1.2.1", series="1.2.3", bare=False, bits=16, **more):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = syntax
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = "1.2.840.10008.5.1.4.1.1.2", "1.2.%d" % (k + 1)
    d = FileDataset(name, {}, file_meta=meta, preamble=None if bare else bytes(128))
    d.is_little_endian, d.is_implicit_VR = syntax != "1.2.840.10008.1.2.2", syntax == "1.2.840.10008.1.2"
    d.SOPClassUID, d.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    d.Modality, d.SeriesInstanceUID, d.InstanceNumber = "CT", series, 9 - k
    inner = Dataset()
    inner.CodeValue, inner.CodeMeaning = "a", "b" * 50
    inner.is_undefined_length_sequence_item = True
    d.ProcedureCodeSequence = Sequence([inner, Dataset()])
    d["ProcedureCodeSequence"].is_undefined_length = True
    d.SliceThickness = 1
    d.ImagePositionPatient, d.ImageOrientationPatient = [-10, 20, 30 + 2.5 * k], [1, 0, 0, 0, 1, 0]
    d.SamplesPerPixel, d.PhotometricInterpretation, d.Rows, d.Columns = 1, "MONOCHROME2", 4, 5
    d.PixelSpacing = [0.5, 0.25]
    d.BitsAllocated, d.BitsStored, d.HighBit, d.PixelRepresentation = 16, bits, bits - 1, 1
    d.RescaleIntercept, d.RescaleSlope = -1024, 1
    a = x[:, :, k].T.astype("<i2" if d.is_little_endian else ">i2")
    d.PixelData = (a if bits == 16 else (a & 0xfff) | 0x5000).tobytes()
    d["PixelData"].VR = "OW"
    for key, v in more.items():
        setattr(d, key, v)
    if bare:
        d.file_meta = FileMetaDataset()
        pydicom.filewriter.write_file(name, d, write_like_original=True)
    else:
        d.save_as(name)
import os
for folder, options in dict(explicit={}, implicit=dict(syntax="1.2.840.10008.1.2"), big=dict(syntax="1.2.840.10008.1.2.2"),
        bare=dict(syntax="1.2.840.10008.1.2", bare=True), spare=dict(bits=12)).items():
    os.mkdir(folder)
    for k, name in enumerate("cab"):
        slice(folder + "/" + name, k, **options)
os.mkdir("mixed")
slice("mixed/a", 0)
slice("mixed/b", 1, series="1.2.4")
import pydicom.encaps
slice("jpeg.dcm", 0, syntax="1.2.840.10008.1.2.4.70", PixelData=pydicom.encaps.encapsulate([b"1234"]))
slice("colour.dcm", 0, SamplesPerPixel=3)
slice("rows.dcm", 0, Rows=40)
slice("twelve.dcm", 0, BitsAllocated=12)
high = ((x[:, :, 0].T & 0xfff) << 4).astype("<u2")	# signed, in bits 4 to 15
slice("high.dcm", 0, BitsStored=12, HighBit=15, PixelData=high.tobytes())
os.mkdir("tilted")
os.mkdir("zoomed")
for k in range(3):
    slice("tilted/%d" % k, k, ImagePositionPatient=[-10, 20 + 0.5 * k, 30 + 2.5 * k])
    slice("zoomed/%d" % k, k, PixelSpacing=[0.5, 0.25 + 0.1 * k])
slice("zeros.dcm", 0, ImageOrientationPatient=[0] * 6)
def one(**fields):
    d = Dataset()
    for key, v in fields.items():
        setattr(d, key, Sequence(v) if isinstance(v, list) and isinstance(v[0], Dataset) else v)
    return d
def enhanced(name, z, slopes=()):
    shared = one(PixelMeasuresSequence=[one(PixelSpacing=[0.5, 0.25], SliceThickness=1)],
                 PlaneOrientationSequence=[one(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])],
                 FrameAnatomySequence=[one(PixelSpacing=[9, 9])])
    frames = [one(PlanePositionSequence=[one(ImagePositionPatient=[-10, 20, at])]) for at in z]
    for frame, slope in zip(frames, slopes):
        frame.PixelValueTransformationSequence = Sequence([one(RescaleIntercept=-1024, RescaleSlope=slope, RescaleType="HU")])
    for d in [shared, frames[1]]:
        d.is_undefined_length_sequence_item = True
    slice(name, 0, NumberOfFrames=3, PixelData=x.T.astype("<i2").tobytes(), ImagePositionPatient=None, ImageOrientationPatient=None,
          PixelSpacing=None, RescaleIntercept=None, RescaleSlope=None, SliceThickness=None,
          SharedFunctionalGroupsSequence=Sequence([shared]), PerFrameFunctionalGroupsSequence=Sequence(frames))
enhanced("up.dcm", [30, 32.5, 35], [1, 1, 1])
enhanced("down.dcm", [35, 32.5, 30], [1, 1, 1])
enhanced("bare.dcm", [30, 32.5, 35])
enhanced("uneven.dcm", [30, 31, 35])
enhanced("slopes.dcm", [30, 32.5, 35], [1, 2, 3])'
    for f in explicit implicit big bare spare; do
        import --quiet $f back
        same_bytes x back
        [ "$(section back Spacing) $(section back Origin) $(section back Rescale)" = "0.25 0.5 2.5 -10 20 30 1 -1024" ]
    done
    import --rescale explicit back
    py 'assert np.array_equal(read("back"), read("x") - 1024.0)'
    [ "$(section back Quantity)" = hounsfield ]
    fails 1 "images of 2 series" import mixed y
    fails 1 "JPEG: damaged: does not begin with FFD8" import --quiet jpeg.dcm y
    fails 1 "3 samples" import colour.dcm y
    fails 1 "bytes of pixels" import rows.dcm y
    fails 1 "12 bits" import twelve.dcm y
    import --quiet high.dcm back
    py 'assert np.array_equal(read("back"), ((read("x")[:, :, 0] & 0xfff) ^ 0x800) - 0x800)'
    import tilted back 2>said
    grep -q "the sideways shift of 0.5 mm between slices of this series is ignored" said
    import zoomed back 2>said
    grep -q "zoomed/1 has other pixel sizes than zoomed/0" said
    import --quiet zeros.dcm back
    [ -z "$(section back Direction)$(section back Origin)" ]
    import --quiet up.dcm back
    same_bytes x back
    [ "$(section back Spacing) $(section back Origin) $(section back Rescale)" = "0.25 0.5 2.5 -10 20 30 1 -1024" ]
    import --quiet down.dcm back
    [ "$(section back Spacing) $(section back Origin)" = "0.25 0.5 2.5 -10 20 35" ]
    [ "$(section back Direction)" = "1 0 0 0 1 0 0 0 -1" ]
    import --rescale down.dcm back
    py 'assert np.array_equal(read("back"), read("x") - 1024.0)'
    [ "$(section back Quantity)" = hounsfield ]
    import bare.dcm back
    [ -z "$(section back Quantity)" ]
    import uneven.dcm back 2>said
    grep -q "not evenly spaced" said
    [ -z "$(section back Origin)" ]
    fails 1 "slope and intercept differ between frames" import slopes.dcm y
    no_output y
}

@test "import: DICOM-CT-PD projections and their angles" {
    needs pydicom
    py '
import pydicom, struct
from pydicom.dataset import FileDataset, FileMetaDataset
x = np.random.default_rng(5).integers(0, 60000, (3, 5, 4)).astype("u2")     # detector row, column, view
write("x", x)
for k in range(4):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID, meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = "1.2.840.10008.1.2.1", "1.2", "1.2.3"
    d = FileDataset("p", {}, file_meta=meta, preamble=bytes(128))
    d.is_little_endian, d.is_implicit_VR = True, False
    d.Modality, d.SeriesInstanceUID, d.InstanceNumber = "CT", "1.2", k + 1
    d.SamplesPerPixel, d.Rows, d.Columns, d.BitsAllocated, d.BitsStored, d.HighBit, d.PixelRepresentation = 1, 5, 3, 16, 16, 15, 0
    d.RescaleSlope, d.RescaleIntercept = 0.0005, -0.25
    d.PixelData = x[:, :, k].T.tobytes()
    d["PixelData"].VR = "OW"
    d.add_new((0x7031, 0x1001), "UN", struct.pack("<f", 0.5 * k))
    d.save_as("cdab"[k])'
    import --quiet --transpose --rescale --angles angles.txt [abcd] p
    py '
assert np.allclose(read("p"), read("x").transpose(1, 0, 2) * 0.0005 - 0.25)
assert np.allclose(np.loadtxt("angles.txt"), np.degrees(0.5 * np.arange(4)))'
}

@test "export: SimpleITK and pynrrd read the files, with spacing, origin and direction" {
    local python=${GANTRY_ITK_PYTHON:-/usr/bin/python3}
    "$python" -c 'import SimpleITK, nrrd' 2>/dev/null || skip "SimpleITK and pynrrd are not installed (GANTRY_ITK_PYTHON names a Python that has them)"
    py 'write("turned", read("int16"), Spacing="0.1 0.2 0.3", Origin="-1.5 2 3.7", Direction="0 1 0 -1 0 0 0 0 1")'
    for t in int16 uint16 float32 turned; do
        for e in mha mhd nrrd nhdr nii nii.gz; do gantry export $t $t.$e; done
        gantry export --compress $t $t.packed.nrrd
        gantry export --compress $t $t.packed.mha
    done
    mkdir slices
    gantry export turned 'slices/a_%d.dcm'
    PYTHONPATH=$GANTRY_SOURCE/tests "$python" -c '
import numpy as np, nrrd, SimpleITK as sitk
from arrays import read
def same(name, image):
    x = read(name)
    assert np.array_equal(sitk.GetArrayFromImage(image).transpose(2, 1, 0), x), name
    assert np.allclose(image.GetSpacing(), (0.1, 0.2, 0.3), rtol=1e-6) and np.allclose(image.GetOrigin(), (-1.5, 2, 3.7), rtol=1e-6)
    cosines = [0, -1, 0, 1, 0, 0, 0, 0, 1] if name == "turned" else [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert np.allclose(image.GetDirection(), cosines, atol=1e-6), (name, image.GetDirection())
for name in "int16", "uint16", "float32", "turned":
    for e in "mha", "mhd", "nrrd", "nhdr", "nii", "nii.gz", "packed.nrrd", "packed.mha":
        image = sitk.ReadImage(name + "." + e)
        same(name, image)
    for e in "nrrd", "nhdr", "packed.nrrd":
        x, h = nrrd.read(name + "." + e)
        assert np.array_equal(x, read(name)) and x.dtype == read(name).dtype, (name, e)
        assert np.allclose(np.linalg.norm(h["space directions"], axis=1), (0.1, 0.2, 0.3)) and np.allclose(h["space origin"], (-1.5, 2, 3.7))
same("turned", sitk.ReadImage(sitk.ImageSeriesReader.GetGDCMSeriesFileNames("slices")))'
}

@test "import: files that are cut short or damaged give one sentence" {
    for e in nii nii.gz mha nrrd edf npz tif; do gantry export --quiet uint16 good.$e; done
    for e in mha nrrd; do gantry export --compress uint16 packed.$e; done
    gantry slice z 1 uint16 flat
    for e in dcm png; do gantry export flat good.$e; done
    if has_hdf5; then gantry export uint16 good.h5; fi
    py '
import glob
rng = np.random.default_rng(6)
for name in glob.glob("good.*") + glob.glob("packed.*"):
    data = open(name, "rb").read()
    for n in (1, 20, len(data) // 3, len(data) // 2) + ((len(data) - 3,) if "tif" not in name else ()):
        open(f"cut-{n}-{name}", "wb").write(data[:n])
    if "packed" in name or name.endswith("gz"):
        n = len(data) - 30
        open(f"cut-flip-{name}", "wb").write(data[:n] + bytes([data[n] ^ 0xff]) + data[n + 1:])'
    for f in cut-*; do
        status=0
        said=$(import "$f" y 2>&1) || status=$?
        if [ $status != 1 ] || [[ $said != "gantry import: $f"[:\ ]* ]] || [[ $said == *$'\n'* ]]; then
            echo "status $status: $said" >&2
            return 1
        fi
    done
    no_output y
}

@test "import: headers that promise too much give one sentence" {
    hostile() { # hostile NAME 'part of the sentence': what is on standard input, as a file
        cat >"$1"
        fails 1 "$2" gantry import "$1" y
    }
    printf 'NRRD0004\ntype: float\ndimension: 3\nsizes: 4000000000 4000000000 4000000000\nendian: little\nencoding: raw\n\nx' | hostile a.nrrd "63 bits"
    printf 'NRRD0004\ntype: float\ndimension: 2\nsizes: 100000 100000\nendian: little\nencoding: gzip\n\nx' | hostile b.nrrd "too few"
    printf 'NRRD0004\ntype: float\ndimension: 99\nsizes: 1\nendian: little\nencoding: raw\n\nx' | hostile c.nrrd "99 dimensions"
    printf 'NRRD0004\ntype: float\ndimension: 2\nsizes: 2 -2\nendian: little\nencoding: raw\n\nx' | hostile d.nrrd "'sizes' is '2 -2'"
    printf 'NRRD0004\ntype: float\ndimension: 1\nsizes: 4\nencoding: raw\n\n0123456789abcdef' | hostile e.nrrd "the header lacks 'endian'"
    printf 'NRRD0004\ntype: float\ndimension: 1\nsizes: 4\nendian: little\nencoding: hex\n\nx' | hostile f.nrrd "encoding 'hex'"
    printf 'NRRD0004\ntype: float\ndimension: 1\nsizes: 4\nendian: little\nencoding: raw\ndata file: nowhere.raw\n\n' | hostile g.nhdr "nowhere.raw"
    printf 'NDims = 2\nDimSize = 4 4\nElementType = MET_FLOAT\nElementDataFile = LOCAL\nabc' | hostile a.mha "3 bytes of elements, expected 64"
    printf 'NDims = 2\nDimSize = 4 x\nElementType = MET_FLOAT\nElementDataFile = LOCAL\nabc' | hostile b.mha "'DimSize' is '4 x'"
    printf 'NDims = 2\nDimSize = 4 4\nElementType = MET_FLOAT\n' | hostile c.mha "ElementDataFile"
    printf 'NDims = 2\nDimSize = 1 1\nElementNumberOfChannels = 3\nElementType = MET_FLOAT\nElementDataFile = LOCAL\nabc' | hostile d.mha "3 numbers per element"
    printf '{ DataType = FloatValue ; Dim_1 = 99999999999 ; Dim_2 = 99999999999 ; }\n' | hostile a.edf "63 bits"
    printf '{ DataType = Text ; Dim_1 = 1 ; }\n' | hostile b.edf "type 'Text'"
    printf '{ DataType = FloatValue ; Dim_1 = 1 ;' | hostile c.edf "no end"
    py '
import struct
h = bytearray(352)
h[:4], h[344:348] = struct.pack("<i", 348), b"n+1\0"
def put(at, fmt, *v):
    struct.pack_into("<" + fmt, h, at, *v)
put(40, "8h", 3, 30000, 30000, 30000, 1, 1, 1, 1)
put(70, "hh", 16, 32)
put(108, "f", 352)
open("a", "wb").write(h)
put(40, "8h", 9, 1, 1, 1, 1, 1, 1, 1)
open("b", "wb").write(h)
put(40, "8h", 3, -5, 1, 1, 1, 1, 1, 1)
open("c", "wb").write(h)
put(40, "8h", 1, 1, 1, 1, 1, 1, 1, 1)
put(70, "hh", 128, 24)
open("d", "wb").write(h)
put(70, "hh", 16, 32)
put(108, "f", float("nan"))
open("e", "wb").write(h)
z = struct.pack("<IHHHHIIHHQQ", 0x04034b50, 45, 0, 8, 0, 0, 0, 0, 0, 0, 0)[:30]
end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, 46, 3000000000, 0)
open("f", "wb").write(z + end)
d = bytes(128) + b"DICM" + struct.pack("<HH2sHI", 2, 0, b"UL", 4, 999) + struct.pack("<HH2sHI", 8, 5, b"SQ", 0, 0xffffffff) + bytes(6)
open("g", "wb").write(d)'
    fails 1 "expected 108000000000000" gantry import a y
    fails 1 "9 dimensions" gantry import b y
    fails 1 "size -5" gantry import c y
    fails 1 "type 128" gantry import d y
    fails 1 "byte nan" gantry import e y
    fails 1 "damaged" gantry import f y
    fails 1 "truncated" gantry import g y
    no_output y
}

@test "export: number patterns that are none, and --first of a single file" {
    gantry ones --size 4:3:2 x
    fails 2 "'%s' is not a number pattern, expected %d" gantry export x 'a_%s.tif'
    fails 2 "'%5.2f' is not a number pattern" gantry export x 'a_%5.2f.tif'
    fails 2 "--first: a.tif is a single file" gantry export --first 3 x a.tif
    [ -z "$(ls a*.tif 2>/dev/null)" ]
    gantry export x 50%.tif
    gantry export --first 3 x 'a_%02d.tif'
    [ -e a_03.tif ]
    [ -e a_04.tif ]
    [ -e 50%.tif ]
}

teardown() {
    if mountpoint -q "$BATS_TEST_TMPDIR/out" 2>/dev/null; then
        umount "$BATS_TEST_TMPDIR/out"
    fi
}

@test "export: what keeps a file from growing is named, and nothing is left" {
    gantry random --size 300:300:20 x
    mkdir out
    for name in y.tif y.h5 y.mat y.nii y.nii.gz y.mha y.nrrd y.edf y.npy y.npz y.raw; do
        fails 1 "$name: cannot be written: File too large" bash -c "ulimit -f 500; gantry export x out/$name"
    done
    for name in y.tif y.h5; do
        fails 1 "$name: cannot be written: File too large" bash -c "ulimit -f 500; gantry export --compress x out/$name"
    done
    fails 1 "y.png: cannot be written: File too large" bash -c 'ulimit -f 20; gantry toimg -q x out/y.png'
    gantry traj --views 3 --detector 8:1 g
    gantry phantom --size 8:8 v
    gantry project g v p
    fails 1 "/dev/full: cannot be written: No space left on device" gantry cg --log /dev/full --like v g p w
    [ -z "$(ls -A out)" ]
    [ "$(id -u)" = 0 ] || skip "mounting a small disk needs root"
    mount -t tmpfs -o size=1m tmpfs out 2>/dev/null || skip "mounting is not allowed here"
    for name in y.tif y.h5 y.mat y.nii y.npz; do
        fails 1 "$name: cannot be written: No space left on device" gantry export x out/$name
        [ -z "$(ls -A out)" ]
    done
}
