# Headers of .npy files (every type in them: files.bats).
load common

@test "npy: headers of other hands, and those that are malformed" {
    py '
import struct
def npy(name, text, says=None, data=bytes(range(48)), version=1, length=None):
    text = text.encode()
    n = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
    open(name + ".npy", "wb").write(b"\x93NUMPY" + bytes([version, 0]) + n + text + data)
    if says:
        open(name + ".says", "w").write(says)
good = "{\"descr\": \"<i2\", \"fortran_order\": True, \"shape\": (2, 3, 4)}"
npy("double", good)
npy("order", "{ \"shape\":(2,3 ,4,),\n\"fortran_order\":True\t,\"descr\":\"=i2\" , }  \n")
npy("single", good.replace("\"", "\x27"))
npy("python2", good.replace("2, 3, 4", "2L, 3L, 4L"))
npy("long", good.replace("2, 3, 4", "2, 3, 4" + ", 1" * 30))
npy("flat", good.replace("2, 3, 4", "24,"))
npy("scalar", good.replace("2, 3, 4", ""), data=b"\1\2")
npy("bytes", good.replace("<i2", "|u1").replace("2, 3, 4", "48"))
bad = "malformed .npy header at"
npy("quote", "{\"descr\": \"<i2", bad)
npy("key", "{\"descr", bad)
npy("far", good.replace("<i2", "<i2" + " " * 40), bad)
npy("farkey", good.replace("shape", "shape" * 40), bad)
npy("other", good.replace("}", ", \"more\": 1}"), bad)
npy("colon", good.replace(":", "="), bad)
npy("brace", "[1]", bad)
npy("none", "", bad)
npy("bool", good.replace("True", "1"), bad)
npy("tuple", good.replace("(2", "[2"), bad)
npy("word", good.replace("2, 3, 4", "2, x"), bad)
npy("open", good.replace(")}", ""), bad)
npy("huge", good.replace("2, 3, 4", "99999999999999999999"), bad)
npy("zero", good.replace("2, 3, 4", "2, 0"), "has size 0 along axis 1")
npy("minus", good.replace("2, 3, 4", "-2, 3"), "has size -2 along axis 0")
npy("axes", good.replace("2, 3, 4", "1, " * 16 + "2"), "has size 2 along axis 16, expected at least 1 (and exactly 1 beyond")
npy("fields", good.replace("\"<i2\"", "[(\"a\", \"<i2\")]"), "a structured type")
for k, t in enumerate(("", "<", "i2", "!i2", "<i3", "<U4", "|O", "<M8[ns]", "<f16")):
    npy("type%d" % k, good.replace("<i2", t), "elements of NumPy type \x27" + t + "\x27")
for k, missing in enumerate(("\"descr\": \"<i2\", ", "\"fortran_order\": True, ", ", \"shape\": (2, 3, 4)")):
    npy("missing%d" % k, good.replace(missing, ""), "the .npy header lacks descr, fortran_order or shape")
npy("less", good, "contains 47 bytes of elements, expected 48 (int16, 2 x 3 x 4)", bytes(47))
npy("more", good, "contains 49 bytes of elements, expected 48 (int16, 2 x 3 x 4)", bytes(49))
npy("cut", good, "the header needs 300 bytes, but the file has", length=300)
npy("wide", good, "the header needs 1048577 bytes, but the file has", bytes(1100000), 2, (1 << 20) + 1)
npy("version0", good, "not a .npy file of version 1, 2 or 3", version=0)
npy("version4", good, "not a .npy file of version 1, 2 or 3", version=4)'
    local f
    for f in *.says; do
        f=${f%.says}
        fails 1 "gantry copy: $f.npy" gantry copy $f.npy y
        fails 1 "$(<$f.says)" gantry copy $f.npy y
        rm $f.npy
    done
    no_output y
    for f in *.npy; do gantry copy $f ${f%.npy}; done
    py '
want = np.frombuffer(bytes(range(48)), "<i2")
for f in "double", "order", "single", "python2", "long":
    assert np.array_equal(read(f), want.reshape(2, 3, 4, order="F")), f
assert np.array_equal(read("flat"), want) and read("scalar") == [513]
assert read("bytes").dtype == np.uint8 and bytes(read("bytes")) == bytes(range(48))'
}
