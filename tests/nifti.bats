load common

# Headers of NIfTI files, field by field at the offsets of nifti1.h and nifti2.h.

setup_file() {
    cat >"$BATS_FILE_TMPDIR/nifti.py" <<'PYTHON'
import struct

# field: offset and type in version 1, in version 2
FIELDS = dict(
    sizeof_hdr=((0, "i"), (0, "i")), dim=((40, "8h"), (16, "8q")), datatype=((70, "h"), (12, "h")), bitpix=((72, "h"), (14, "h")),
    pixdim=((76, "8f"), (104, "8d")), vox_offset=((108, "f"), (168, "q")), scl_slope=((112, "f"), (176, "d")),
    scl_inter=((116, "f"), (184, "d")), xyzt_units=((123, "B"), (500, "i")), qform_code=((252, "h"), (344, "i")),
    sform_code=((254, "h"), (348, "i")), quatern=((256, "3f"), (352, "3d")), qoffset=((268, "3f"), (376, "3d")),
    srow=((280, "12f"), (400, "12d")), magic=((344, "4s"), (4, "8s")))


def fields(data, version):
    """All fields of a file, little-endian, as {name: tuple}."""
    return {k: struct.unpack_from("<" + v[version - 1][1], data, v[version - 1][0]) for k, v in FIELDS.items()}


def make(version, order, elements, **values):
    """A file with these fields and bytes."""
    size = 348 if version == 1 else 540
    head = bytearray(size + 4)
    usual = dict(sizeof_hdr=size, magic=b"n+1" if version == 1 else b"n+2\0\r\n\032\n", vox_offset=size + 4)
    for name, v in {**usual, **values}.items():
        at, kind = FIELDS[name][version - 1]
        struct.pack_into(order + kind, head, at, *(v if isinstance(v, (tuple, list)) else (v,)))
    return bytes(head) + elements
PYTHON
}

# in Python: the module above
nifti_py() {
    PYTHONPATH=$BATS_FILE_TMPDIR py "import nifti
$1"
}

@test "export: NIfTI: every field of the header, of both versions" {
    nifti_py '
grid = dict(Spacing="0.5 0.25 2", Origin="-3 4 5.5", Direction="0 1 0 -1 0 0 0 0 1", Rescale="2 -1000.5")
write("one", np.arange(24, dtype="i2").reshape(2, 3, 4), **grid)
write("two", np.arange(32768, dtype="u2").reshape(32768, 1, 1), **grid)
write("times", np.zeros((2, 3, 4, 5), "f4"), Spacing="1 1 1 0.5")
write("plain", np.zeros((2, 3), "?"))
write("last", np.zeros((32767, 1), "u1"))'
    for n in one two times plain last; do gantry export --quiet $n $n.nii; done
    nifti_py '
def check(name, version, shape, code, bits, pixdim, units, slope, rows):
    data = open(name + ".nii", "rb").read()
    f = nifti.fields(data, version)
    size = 348 if version == 1 else 540
    elements = np.prod(shape) * bits // 8
    assert f["sizeof_hdr"] == (size,) and f["magic"][0] == (b"n+1\0" if version == 1 else b"n+2\0\r\n\032\n"), f
    assert f["dim"] == (len(shape), *shape, *[1] * (7 - len(shape))), f
    assert f["datatype"] == (code,) and f["bitpix"] == (bits,), f
    assert f["pixdim"] == (1, *pixdim, *[1] * (7 - len(pixdim))), f
    assert f["vox_offset"][0] % 16 == 0 and f["vox_offset"][0] + elements == len(data), f
    assert f["scl_slope"] + f["scl_inter"] == slope and f["xyzt_units"] == (units,), f
    assert f["qform_code"] == (0,) and f["sform_code"] == (0 if rows is None else 1,), f
    assert f["srow"] == (rows or (0,) * 12), f
    assert data[-elements:] == open(name + ".cfl", "rb").read()
    # one extension, a comment (6), up to the elements
    assert data[size] == 1
    at, room, kind = size + 4, *nifti.struct.unpack_from("<2i", data, size + 4)
    assert kind == 6 and room % 16 == 0 and at + room <= f["vox_offset"][0] and data[at + 8:].startswith(b"# Dimensions\n")
# the columns of srow are the axes of ours, x and y negative, times the distance; the last one is the origin
turned = (0, 0.25, 0, 3, -0.5, 0, 0, -4, 0, 0, 2, 5.5)
check("one", 1, (2, 3, 4), 4, 16, (0.5, 0.25, 2), 2, (2, -1000.5), turned)
check("two", 2, (32768,), 512, 16, (0.5, 0.25, 2), 2, (2, -1000.5), turned)
check("times", 1, (2, 3, 4, 5), 16, 32, (1, 1, 1, 0.5), 10, (1, 0), (-1, 0, 0, 0.5, 0, -1, 0, 1, 0, 0, 1, -1.5))
check("plain", 1, (2, 3), 2, 8, (), 2, (1, 0), None)
check("last", 1, (32767,), 2, 8, (), 2, (1, 0), None)'
}

@test "import: NIfTI: the same fields from either version in either byte order" {
    nifti_py '
a = np.arange(24, dtype="i2").reshape(2, 3, 4)
write("a", a)
for version in 1, 2:
    for order in "<", ">":
        def put(name, **values):
            usual = dict(dim=(3, 2, 3, 4, 1, 1, 1, 1), datatype=4, bitpix=16, pixdim=(1, 2, 3, 4, 1, 1, 1, 1), xyzt_units=2)
            bare = nifti.make(version, order, a.astype(order + "i2").tobytes(order="F"), **{**usual, **values})
            open(f"{name}-{version}{ord(order)}.nii", "wb").write(bare)
        rows = (0, -3, 0, 7, 2, 0, 0, -8, 0, 0, 4, 9)
        put("rows", sform_code=1, srow=rows)
        put("both", sform_code=2, srow=rows, qform_code=1, quatern=(1, 0, 0), qoffset=(1, 1, 1))
        put("turn", qform_code=1, quatern=(0, 0, 0.5**0.5), qoffset=(7, -8, 9))
        put("flip", qform_code=1, pixdim=(-1, 2, 3, 4, 1, 1, 1, 1), qoffset=(7, -8, 9))
        put("none")
        put("slope", scl_slope=0.5, scl_inter=3)
        put("zero", scl_slope=0, scl_inter=3)
        put("um", sform_code=1, srow=rows, xyzt_units=3)
        put("m", xyzt_units=1)'
    for f in *.nii; do gantry import --quiet $f ${f%.nii}; done
    nifti_py '
import glob
from arrays import sections
def list_of(h, title):
    return [float(v) for v in h.get(title, "nan").split()]
a = read("a")
along, across, back = [-1, 0, 0, 0, -1, 0, 0, 0, 1], [0, -1, 0, 1, 0, 0, 0, 0, 1], [-1, 0, 0, 0, -1, 0, 0, 0, -1]
want = dict(rows=([2, 3, 4], [-7, 8, 9], across), both=([2, 3, 4], [-7, 8, 9], across), turn=([2, 3, 4], [-7, 8, 9], across),
            flip=([2, 3, 4], [-7, 8, 9], back), none=([2, 3, 4], [np.nan], [np.nan]), slope=([2, 3, 4], [np.nan], [np.nan]),
            zero=([2, 3, 4], [np.nan], [np.nan]), um=([2e-3, 3e-3, 4e-3], [-7e-3, 8e-3, 9e-3], across), m=([2e3, 3e3, 4e3], [np.nan], [np.nan]))
names = [n[:-4] for n in glob.glob("*-*.hdr")]
assert len(names) == 36, names
for n in names:
    h = sections(n)
    for title, v in zip(("Spacing", "Origin", "Direction"), want[n.split("-")[0]]):
        assert np.allclose(list_of(h, title), v, rtol=1e-6, atol=1e-7, equal_nan=True), (n, title, h)
    assert h.get("Rescale") == ("0.5 3" if n.startswith("slope") else None), n
    assert np.array_equal(read(n), a), n'
}

@test "import: NIfTI: the code of every type, and of those without one here" {
    nifti_py '
codes = dict(uint8=2, int16=4, int32=8, float32=16, complex64=32, float64=64, int8=256, uint16=512, uint32=768, int64=1024,
             uint64=1280, complex128=1792, binary=1, rgb24=128, float128=1536, complex256=2048, rgba32=2304)
for name, code in codes.items():
    open(name + ".nii", "wb").write(nifti.make(1, "<", bytes(range(64)), dim=(1, 2, 1, 1, 1, 1, 1, 1), datatype=code, pixdim=(1,) * 8))'
    for n in binary rgb24 float128 complex256 rgba32; do
        fails 1 "expected integers, floats or complex numbers" gantry import $n.nii y
        rm $n.nii
    done
    no_output y
    for f in *.nii; do gantry import --quiet $f ${f%.nii}; done
    py '
import glob
names = [n[:-4] for n in glob.glob("*.hdr")]
assert len(names) == 12, names
for n in names:
    kind = np.dtype(n)
    assert read(n).dtype == kind and read(n).tobytes() == bytes(range(2 * kind.itemsize)), n'
}
