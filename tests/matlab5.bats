load common

@test "matlab5: arrays of every class, packed or not, complex, logical, in structures" {
    py 'from scipy.io import savemat
rng = np.random.default_rng(1)
types = "f8 f4 i1 u1 i2 u2 i4 u4 i8 u8".split()
many = {t: (rng.normal(size=(5, 4, 3)) * 100).clip(-100 if t[0] != "u" else 0, 100).astype(t) for t in types}
many["c16"] = rng.normal(size=(3, 7)) + 1j * rng.normal(size=(3, 7))
many["c8"] = (rng.normal(size=(3, 7)) + 1j * rng.normal(size=(3, 7))).astype("c8")
many["bool"] = rng.normal(size=(6, 2)) > 0
many["small"] = np.arange(12.).reshape(3, 4)
np.savez("many.npz", **many)
many["scan"] = {"sinogram": rng.normal(size=(9, 8)), "parameters": {"angles": np.arange(9.).reshape(1, 9), "name": "disc"}, "none": []}
np.save("sinogram.npy", many["scan"]["sinogram"])
many["text"], many["cell"] = "words", np.array([1, "a"], object)
savemat("plain.mat", many); savemat("packed.mat", many, do_compression=True)
savemat("one.mat", {"only": np.arange(6.).reshape(2, 3), "title": "x"})'
    for file in plain packed; do
        for name in f8 f4 i1 u1 i2 u2 i4 u4 i8 u8 c16 c8 bool small; do
            gantry import -q $file.mat:$name $file-$name
        done
        gantry import -q $file.mat:scan.sinogram $file-sinogram
        gantry import -q $file.mat:scan.parameters.angles $file-angles
    done
    gantry import -q one.mat only
    py 'want = np.load("many.npz")
for f in "plain", "packed":
    for k in want.files:
        got = read(f"{f}-{k}")
        same = got.dtype == want[k].dtype or k == "bool"
        assert same and np.array_equal(got.reshape(want[k].shape), want[k]), (f, k, got.dtype)
    assert np.array_equal(read(f + "-sinogram"), np.load("sinogram.npy"))
    assert np.array_equal(read(f + "-angles").ravel(), np.arange(9))
assert np.array_equal(read("only"), np.arange(6.).reshape(2, 3))'
}

@test "matlab5: a file of the other byte order" {
    # one double array "a" of 2 x 2, written by hand
    py 'import struct
e = lambda kind, data: struct.pack(">II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
body = e(6, struct.pack(">II", 6, 0)) + e(5, struct.pack(">ii", 2, 2)) + e(1, b"a") + e(9, struct.pack(">4d", 1, 2, 3, 4.5))
open("big.mat", "wb").write(b"MATLAB 5.0 MAT-file".ljust(124) + b"\1\0MI" + e(14, body))'
    gantry import -q big.mat a
    py 'assert np.array_equal(read("a"), [[1, 3], [2, 4.5]])'
}

@test "matlab5: what cannot be read is said, whatever is cut off or changed" {
    py 'from scipy.io import savemat
savemat("two.mat", {"a": np.ones((3, 3)), "s": {"b": np.ones(4)}}, do_compression=True)
savemat("text.mat", {"t": "words"})
data = open("two.mat", "rb").read()
rng = np.random.default_rng(1)
for k in range(24):
    open(f"cut{k}.mat", "wb").write(data[:130 + k * (len(data) - 130) // 24])
    bad = bytearray(data)
    bad[128 + rng.integers(len(data) - 128)] ^= 1 << rng.integers(8)
    open(f"bad{k}.mat", "wb").write(bad)'
    fails 1 "contains 2 arrays: choose one as two.mat:NAME, where NAME is one of a, s.b" gantry import two.mat x
    fails 1 "no array c in the MATLAB file, expected one of: a, s.b" gantry import two.mat:c x
    fails 1 "contains no array of numbers" gantry import text.mat x
    for k in {0..23}; do
        fails 1 "" gantry import "cut$k.mat:s.b" x
        run gantry import "bad$k.mat:a" "y$k"
        [ "$status" -le 1 ]
    done
    no_output x
}

# In Python: elements of a MATLAB file, after the document of the format.
matlab_py() {
    py 'import struct, zlib
MI = dict(i1=1, u1=2, i2=3, u2=4, i4=5, u4=6, f4=7, f8=9, i8=12, u8=13)
def element(kind, data, order="<", small=False):
    if small:
        return struct.pack(order + "I", len(data) << 16 | kind) + data.ljust(4, b"\0")
    return struct.pack(order + "II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
def matrix(cls, dims, name, parts, order="<", flags=0):
    head = element(6, struct.pack(order + "II", flags << 8 | cls, 0), order) + element(5, struct.pack(order + "%di" % len(dims), *dims), order)
    return element(14, head + element(1, name.encode(), order) + b"".join(parts), order)
def mat(path, *arrays, order="<"):
    head = b"MATLAB 5.0 MAT-file".ljust(124) + (b"\0\1IM" if order == "<" else b"\1\0MI")
    open(path, "wb").write(head + b"".join(arrays))
'"$1"
}

@test "matlab5: every class from every type that its numbers are stored as" {
    matlab_py '
classes = dict(f8=6, f4=7, i1=8, u1=9, i2=10, u2=11, i4=12, u4=13, i8=14, u8=15)
for order in "<", ">":
    arrays = []
    for cls, code in classes.items():
        for kind, mi in MI.items():
            v = [0, 1, 127, 127 if "u" in cls + kind else -128]
            data = np.array(v, order + kind).tobytes()
            arrays.append(matrix(code, (2, 2), cls + "_as_" + kind, [element(mi, data, order, small=len(data) <= 4)], order))
    complex_parts = [element(9, np.array(v, order + "f8").tobytes(), order) for v in ((1.5, 2.5), (-3, -4))]
    arrays.append(matrix(6, (1, 2), "complex", complex_parts, order, 8))
    arrays.append(matrix(9, (1, 3), "logical", [element(2, bytes([1, 0, 1]), order, True)], order, 2))
    mat("little.mat" if order == "<" else "big.mat", *arrays, order=order)'
    local f a b
    for f in little big; do
        for a in f8 f4 i1 u1 i2 u2 i4 u4 i8 u8; do
            for b in f8 f4 i1 u1 i2 u2 i4 u4 i8 u8; do
                [ $a = f8 ] || [ $a = $b ] || { [ $f = little ] && [[ $a/$b == i8/* || $a/$b == */u1 ]]; } || continue
                gantry import -q $f.mat:${a}_as_$b ${f}_${a}_as_$b
            done
        done
        gantry import -q $f.mat:complex ${f}_complex
        gantry import -q $f.mat:logical ${f}_logical
    done
    py '
import glob
names = [n[:-4] for n in glob.glob("*_as_*.hdr")]
assert len(names) == 54, len(names)
for n in names:
    _, cls, _, kind = n.split("_")
    want = np.array([[0, 127], [1, 127 if "u" in cls + kind else -128]], cls)
    assert read(n).dtype == want.dtype and np.array_equal(read(n), want), n
for f in "little", "big":
    assert np.array_equal(read(f + "_complex"), [[1.5 - 3j, 2.5 - 4j]])
    assert np.array_equal(read(f + "_logical").ravel(), [1, 0, 1])'
    [ "$(section little_logical Type)" = bool ]
    # whole numbers beyond 2^53 keep their bits
    matlab_py '
v = [2**63 + 1, 2**53 + 1]
mat("large.mat", matrix(15, (2, 1), "u", [element(13, struct.pack("<2Q", *v))]), matrix(14, (2, 1), "i", [element(12, struct.pack("<2q", -v[1], v[1]))]))'
    gantry import -q large.mat:u u
    gantry import -q large.mat:i i
    py 'assert read("u").tolist() == [2**63 + 1, 2**53 + 1] and read("i").tolist() == [-2**53 - 1, 2**53 + 1]'
}

@test "matlab5: what is damaged is said" {
    matlab_py '
numbers = element(9, bytes(32))
good = matrix(6, (2, 2), "a", [numbers])
def case(name, says, *arrays):
    mat(name + ".mat", *arrays)
    open(name + ".says", "w").write(says)
case("tag", "an element is longer than the rest of the file", good[:-8])
case("long", "an element is longer than the rest of the file", struct.pack("<II", 14, 100) + bytes(8))
case("small", "a small element has more than 4 bytes", struct.pack("<I", 5 << 16 | 14) + bytes(4))
case("flags", "an array begins without its flags", element(14, element(5, bytes(8)) + numbers))
case("width", "an array begins without its flags", element(14, element(6, bytes(4)) + numbers))
case("dims", "an array has no dimensions, or more than 16", matrix(6, (), "a", [numbers]))
case("rank", "an array has no dimensions, or more than 16", matrix(6, (1,) * 17, "a", [element(9, bytes(8))]))
case("kind", "an array has no dimensions, or more than 16", element(14, element(6, struct.pack("<II", 6, 0)) + element(6, struct.pack("<II", 2, 2)) + numbers))
case("less", "the number of elements of an array differs from its dimensions", matrix(6, (2, 2), "a", [element(9, bytes(24))]))
case("more", "the number of elements of an array differs from its dimensions", matrix(6, (2, 2), "a", [element(9, bytes(40))]))
case("huge", "the number of elements of an array differs from its dimensions", matrix(6, (1 << 30, 1 << 30), "a", [numbers]))
case("text", "numbers are expected", matrix(6, (2, 2), "a", [element(16, bytes(32))]))
case("type8", "numbers are expected", matrix(6, (2, 2), "a", [element(8, bytes(32))]))
case("none", "it ends inside a tag", matrix(6, (2, 2), "a", [bytes(4)]))
case("half", "it ends inside a tag", matrix(6, (2, 2), "a", [numbers], flags=8))
case("names", "a structure has no names", matrix(2, (1, 1), "s", [element(5, bytes(4)), element(1, b"")]))
case("field", "a field holds no array", matrix(2, (1, 1), "s", [element(5, struct.pack("<i", 8), small=True), element(1, b"b".ljust(8, b"\0")), element(9, bytes(8))]))
packed = zlib.compress(good)
case("zlib", "a compressed array does not unpack", struct.pack("<II", 15, len(packed)) + b"y" + packed[1:])
case("cut", "a compressed array does not unpack", struct.pack("<II", 15, len(packed) - 12) + packed[:-12])
case("bomb", "a compressed array does not unpack", struct.pack("<II", 15, 30) + zlib.compress(struct.pack("<II", 14, 1 << 30))[:30].ljust(30))
mat("integers.mat", matrix(10, (1, 1), "a", [element(3, bytes(2), small=True)] * 2, flags=8))
mat("good.mat", good, struct.pack("<II", 15, len(packed)) + packed)
mat("odd.mat", matrix(6, (0, 3), "empty", [element(9, b"")]), matrix(4, (1, 2), "text", [element(4, b"a\0b\0")]), matrix(2, (1, 2), "many", []), good)'
    local f
    for f in *.says; do
        f=${f%.says}
        fails 1 "$f.mat: the MATLAB file is damaged: $(<$f.says)" gantry import $f.mat y
    done
    fails 1 "contains complex integers, expected complex numbers of class double or single" gantry import integers.mat y
    fails 1 "contains 2 arrays: choose one as good.mat:NAME, where NAME is one of a, a" gantry import good.mat y
    no_output y
    gantry import -q odd.mat y
    py 'assert np.array_equal(read("y"), np.zeros((2, 2)))'
}
