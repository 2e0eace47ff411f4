load common

# Headers of EDF files, word by word as the ESRF's definition has them.

import() {
    gantry import --quiet "$@"
}

@test "export: EDF: every field of the header" {
    py '
write("one", np.arange(24, dtype="i2").reshape(2, 3, 4), Spacing="0.5 0.25 2")
write("flat", np.arange(6, dtype="f8").reshape(2, 3))
write("line", np.arange(5, dtype="u4"))
write("long", np.arange(6, dtype="u1").reshape(2, 3), Note="x" * 700)'
    for n in one flat line long; do gantry export $n $n.edf; done
    py '
def check(name, fields):
    data = open(name + ".edf", "rb").read()
    elements = open(name + ".cfl", "rb").read()
    head = data[:-len(elements)]
    assert data.endswith(elements) and len(head) % 512 == 0 and head.startswith(b"{\n") and head.endswith(b"}\n")
    f = dict(l.rstrip(" ;").split(" = ", 1) for l in head.decode()[2:-2].rstrip().split("\n"))
    assert f.pop("Gantry").startswith("# Dimensions") and f.pop("HeaderID") == "EH:000001:000000:000000" and f.pop("Image") == "1"
    assert f.pop("ByteOrder") == "LowByteFirst" and f.pop("Size") == str(len(elements))
    assert f == fields, f
check("one", dict(DataType="SignedShort", Dim_1="2", Dim_2="3", Dim_3="4", PSize_1="0.0005", PSize_2="0.00025"))
check("flat", dict(DataType="DoubleValue", Dim_1="2", Dim_2="3"))
check("line", dict(DataType="UnsignedInteger", Dim_1="5", Dim_2="1"))
check("long", dict(DataType="UnsignedByte", Dim_1="2", Dim_2="3"))'
    py 'write("four", np.zeros((2, 1, 1, 2), "u1"))'
    fails 1 "EDF files support at most 3 dimensions, found 2 x 1 x 1 x 2" gantry export four four.edf
    [ ! -e four.edf ]
}

@test "import: EDF: every name of every type, either byte order" {
    local type names name
    while IFS=: read -r type names; do
        for name in $names; do
            printf '{ DataType = %s ; ByteOrder = HighByteFirst ; Dim_1 = 2 ; }\n\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20' $name >a.edf
            import a.edf "$type as $name"
        done
    done <<'TYPES'
int8:SignedByte
uint8:UnsignedByte
int16:SignedShort Short
uint16:UnsignedShort
int32:SignedInteger Integer SignedLong Long
uint32:UnsignedInteger UnsignedLong
int64:Signed64 SignedLong64
uint64:Unsigned64 UnsignedLong64
float32:FloatValue Float FloatIEEE32 Real
float64:DoubleValue Double DoubleIEEE64
TYPES
    py '
import glob
names = [n[:-4] for n in glob.glob("* as *.hdr")]
assert len(names) == 22, names
for n in names:
    kind = np.dtype(n.split()[0])
    assert read(n).dtype == kind and np.array_equal(read(n), np.frombuffer(bytes(range(1, 17)), kind.newbyteorder(">"))[:2]), n'
    sed 's/HighByteFirst/LowByteFirst/' a.edf >b.edf
    sed 's/ByteOrder = HighByteFirst ;//' a.edf >c.edf
    for f in b c; do
        import $f.edf $f
        py "assert np.array_equal(read('$f'), np.frombuffer(bytes(range(1, 17)), '<f8'))"
    done
    sed 's/Double/Text/; s/IEEE64//' a.edf >d.edf
    fails 1 "elements of type 'Text'" import d.edf y
    sed 's/Dim_1/Dim_9/' a.edf >e.edf
    fails 1 "the header lacks 'Dim_1'" import e.edf y
    sed 's/Dim_1/Compression = GZip ; Dim_1/' a.edf >f.edf
    fails 1 "has the compression 'GZip', expected none" import f.edf y
    for none in '' NONE 'No specific value'; do
        sed "s/Dim_1/Compression = $none ; Dim_1/" a.edf >g.edf
        import g.edf g
        same_bytes "float64 as Double" g
    done
    no_output y
}

@test "import: EDF: frames of one file, with headers of any length and what is left out" {
    py '
rng = np.random.default_rng(3)
x = rng.integers(0, 60000, (4, 3, 5)).astype("u2")
write("x", x)
def frame(k, pad=512, end="\n", kind="UnsignedShort", cols=4, a=None):
    h = "{%s HeaderID = EH:%06d:000000:000000 ;%sDataType=%s;%sDim_1 = %d ;Dim_2 = 3;%sPSize_1 = 2e-6 ; PSize_2 = 4e-6;" % (end, k + 1, end, kind, end, cols, end)
    h = h.ljust(-(-(len(h) + 1 + len(end)) // pad) * pad - 1 - len(end)) + "}" + end
    return h.encode() + (x[:, :, k] if a is None else a).tobytes(order="F")
whole = [frame(k) for k in range(5)]
open("plain.edf", "wb").write(b"".join(whole))
open("lengths.edf", "wb").write(b"".join(frame(k, 512 * (1 + k % 3)) for k in range(5)))
open("crlf.edf", "wb").write(b"".join(frame(k, end="\r\n") for k in range(5)))
open("tail.edf", "wb").write(b"".join(whole) + bytes(511))
open("more.edf", "wb").write(b"".join(whole) + bytes(512))
open("type.edf", "wb").write(b"".join(whole) + frame(0, kind="SignedShort"))
open("size.edf", "wb").write(b"".join(whole) + frame(0, cols=2, a=x[:2, :, 0]))
open("cut.edf", "wb").write(b"".join(whole) + whole[0][:-1])
open("deep.edf", "wb").write(b"".join((b"{ DataType = UnsignedShort ; Dim_1 = 2 ; Dim_2 = 2 ; Dim_3 = 3 ; ".ljust(510) + b"}\n" +
    x[:, :, k].tobytes(order="F")) for k in range(5)))
open("lines.edf", "wb").write(b"".join(b"{ DataType = UnsignedShort ; Dim_1 = 12 ; ".ljust(510) + b"}\n" + x[:, :, k].tobytes(order="F") for k in range(5)))'
    for f in plain lengths crlf tail; do
        gantry import $f.edf y 2>said
        same_bytes x y
        [ "$(dims y) / $(section y Spacing)" = "4 3 5 / 0.002 0.004" ]
        run ! grep "left out" said
        gantry import --range 1:4:2 $f.edf z 2>said
        [ "$(dims z)" = "4 3 2" ]
        py 'assert np.array_equal(read("z"), read("x")[:, :, 1:4:2])'
    done
    for f in more type size cut; do
        gantry import $f.edf y 2>said
        same_bytes x y
        grep -q "$f.edf: [0-9]* bytes after frame 4 are ignored, expected a frame of the same shape and type" said
    done
    import deep.edf y
    same_bytes x y
    [ "$(dims y)" = "2 2 3 5" ]
    import lines.edf y
    same_bytes x y
    [ "$(dims y)" = "12 1 5" ]
    head -c 530 plain.edf >short.edf
    fails 1 "contains 18 bytes of elements, expected 24 (uint16, 4 x 3)" import short.edf z2
    head -c 500 plain.edf >head.edf
    fails 1 "the header has no end" import head.edf z2
    no_output z2
}
