load common

# NumPy's archives, as zipfile of Python writes them and damaged field by field (APPNOTE.TXT of PKWARE).

import() {
    gantry import --quiet "$@"
}

@test "import: npz: stored, deflated, streamed, with 64-bit fields, comments and other files" {
    py '
import io, zipfile
x = np.arange(24, dtype="i4").reshape(2, 3, 4)
write("x", x)
def npy(a):
    b = io.BytesIO()
    np.save(b, a)
    return b.getvalue()
f, c = npy(np.asfortranarray(x)), npy(np.ascontiguousarray(x))
class Pipe(io.RawIOBase):
    """Without a seek: sizes stand behind the members."""
    def __init__(self, name):
        self.f = open(name, "wb")
    def writable(self):
        return True
    def write(self, b):
        return self.f.write(b)
for method, name in (zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated"):
    for order, data in ("f", f), ("c", c):
        with zipfile.ZipFile(f"{name}-{order}.npz", "w", method) as z:
            z.writestr("x.npy", data)
        with zipfile.ZipFile(Pipe(f"{name}-{order}-stream.npz"), "w", method) as z:
            z.writestr("x.npy", data)
        with zipfile.ZipFile(f"{name}-{order}-wide.npz", "w", method) as z:
            with z.open("x.npy", "w", force_zip64=True) as g:
                g.write(data)
        with zipfile.ZipFile(f"{name}-{order}-more.npz", "w", method) as z:
            z.writestr("notes.txt", "words")
            z.writestr("x.npy", data)
            z.comment = b"a comment"
with zipfile.ZipFile("lzma.npz", "w", zipfile.ZIP_LZMA) as z:
    z.writestr("x.npy", f)
with zipfile.ZipFile("none.npz", "w") as z:
    z.writestr("notes.txt", "words")
with zipfile.ZipFile("empty.npz", "w") as z:
    pass
with zipfile.ZipFile("many.npz", "w") as z:
    for k in range(14):
        z.writestr("a%d.npy" % k, npy(np.full(2, k)))'
    for f in stored* deflated*; do
        import $f y
        same_bytes x y
        [ "$(dims y)" = "2 3 4" ]
    done
    fails 1 "lzma.npz: x.npy is packed by method 14, expected stored or deflated" import lzma.npz z
    fails 1 "none.npz is a zip archive of 1 files, but contains no .npy file" import none.npz z
    fails 1 "empty.npz is a zip archive of 0 files" import empty.npz z
    fails 1 "many.npz contains 14 arrays: choose one of many.npz:a0, many.npz:a1" import many.npz z
    fails 1 "many.npz:a11, ..." import many.npz z
    fails 1 "no array a14 in the archive" import many.npz:a14 z
    no_output z
    for k in 0 1 10 13; do
        import many.npz:a$k y
        py "assert np.array_equal(read('y'), [$k, $k])"
    done
    import many.npz:a1.npy y
    py 'assert np.array_equal(read("y"), [1, 1])'
}

@test "import: npz: what is damaged is said" {
    py '
import struct, zipfile
x = np.arange(300, dtype="u1")
np.savez("stored.npz", x=x)
np.savez_compressed("packed.npz", x=x)
stored, packed = open("stored.npz", "rb").read(), open("packed.npz", "rb").read()
def case(name, says, data):
    open(name + ".npz", "wb").write(data)
    open(name + ".says", "w").write(says)
def put(data, at, kind, v):
    return data[:at] + struct.pack("<" + kind, v) + data[at + struct.calcsize(kind):]
end, central = stored.index(b"PK\5\6"), stored.index(b"PK\1\2")
case("short", "is too short for a zip archive", stored[:21])
case("end", "has no directory at its end: the archive is truncated or damaged", stored[:-1])
case("far", "has no directory at its end: the archive is truncated or damaged", stored + bytes(65536))
case("count", "its directory is damaged", put(stored, end + 10, "H", 2))
case("counts", "its directory is damaged", put(stored, end + 10, "H", 60000))
case("place", "its directory is damaged", put(stored, end + 16, "I", central + 1))
case("beyond", "its directory is damaged", put(stored, end + 16, "I", len(stored)))
case("outside", "its directory is damaged", put(stored, end + 16, "I", 1 << 31))
case("mark", "its directory is damaged", put(stored, central, "B", 81))
case("name", "its directory is damaged", put(stored, central + 28, "H", 9999))
case("extra", "its directory is damaged", put(stored, central + 30, "H", 9999))
case("comment", "its directory is damaged", put(stored, central + 32, "H", 9999))
case("encrypted", "is encrypted", put(stored, central + 8, "H", 1))
case("local", "a file in it is not where the directory says", put(stored, central + 42, "I", 1))
case("locals", "a file in it is not where the directory says", put(stored, central + 42, "I", len(stored) + 1))
case("size", "a file in it is truncated", put(stored, central + 20, "I", len(stored)))
case("unlike", "its directory is damaged", put(stored, central + 24, "I", 427))
case("bomb", "the size of a file in it cannot be right", put(packed, packed.index(b"PK\1\2") + 24, "I", 1 << 31))
body = stored.index(b"\x93NUMPY")
case("bit", "x.npy is damaged: its checksum does not match", put(stored, body + 200, "B", stored[body + 200] ^ 4))
data = 30 + struct.unpack_from("<H", packed, 26)[0] + struct.unpack_from("<H", packed, 28)[0]
raw = packed[data:packed.index(b"PK\1\2")]
case("flip", "x.npy is damaged", put(packed, data + len(raw) // 2, "B", raw[len(raw) // 2] ^ 255))
crc = packed.index(b"PK\1\2") + 16
case("crc", "x.npy is damaged: its checksum does not match", put(packed, crc, "B", packed[crc] ^ 1))
case("less", "x.npy is damaged", put(packed, crc + 8, "I", struct.unpack_from("<I", packed, crc + 8)[0] + 1))
wide = lambda at: b"PK\6\7" + struct.pack("<IQI", 0, at, 1)
case("locator", "its directory is damaged", stored[:end] + wide(1 << 40) + stored[end:])
case("end64", "its directory is damaged", stored[:end] + wide(0) + stored[end:])
write("x", x)'
    local f
    for f in *.says; do
        f=${f%.says}
        fails 1 "$f.npz: $(<$f.says)" gantry import $f.npz y
    done
    no_output y
    for f in stored packed; do
        import $f.npz y
        same_bytes x y
    done
}
