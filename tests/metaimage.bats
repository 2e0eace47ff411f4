load common

# Headers of MetaImage files, word by word as https://itk.org/Wiki/ITK/MetaIO/Documentation has them.

import() {
    gantry import --quiet "$@"
}

# grid NAME: spacing / origin / direction of an array.
grid() {
    echo "$(section "$1" Spacing) / $(section "$1" Origin) / $(section "$1" Direction)"
}

@test "export: MetaImage: every field of the header" {
    py '
write("one", np.arange(24, dtype="i2").reshape(2, 3, 4), Spacing="0.5 0.25 2", Origin="-3 4 5.5", Direction="0 1 0 -1 0 0 0 0 1")
write("times", np.zeros((2, 3, 4, 5), "f4"), Spacing="1 1 1 0.5")
write("line", np.arange(5000, dtype="u1") % 7)'
    for n in one times line; do
        gantry export $n $n.mha
        gantry export --compress $n $n-packed.mhd
        gantry export --compress $n $n-packed.mha
    done
    py '
import zlib
def check(name, kind, numbers):
    elements = open(name + ".cfl", "rb").read()
    for file, packed in (name + ".mha", False), (name + "-packed.mha", True), (name + "-packed.mhd", True):
        head, end, rest = open(file, "rb").read().partition(b"ElementDataFile = ")
        where, end, rest = rest.partition(b"\n")
        assert where == (b"LOCAL" if file.endswith("mha") else (name + "-packed.zraw").encode()), where
        if file.endswith("mhd"):
            assert rest == b""
            rest = open(name + "-packed.zraw", "rb").read()
        f = dict(l.split(" = ") for l in head.decode().splitlines())
        # what the zlib stream is long stands there, for ITK
        assert f.pop("CompressedData") == str(packed) and int(f.pop("CompressedDataSize", -1)) == (len(rest) if packed else -1), f
        assert (zlib.decompress(rest) if packed else rest) == elements
        assert f.pop("Gantry").startswith("# Dimensions") and f.pop("ObjectType") == "Image" and f.pop("ElementType") == kind
        assert f.pop("BinaryData") == "True" and f.pop("BinaryDataByteOrderMSB") == "False"
        assert {k: [float(x) for x in v.split()] for k, v in f.items()} == numbers, f
check("one", "MET_SHORT", dict(NDims=[3], DimSize=[2, 3, 4], TransformMatrix=[0, 1, 0, -1, 0, 0, 0, 0, 1], Offset=[-3, 4, 5.5], ElementSpacing=[0.5, 0.25, 2]))
check("times", "MET_FLOAT", dict(NDims=[4], DimSize=[2, 3, 4, 5], TransformMatrix=list(np.eye(4).ravel()), Offset=[-0.5, -1, -1.5, -1],
    ElementSpacing=[1, 1, 1, 0.5]))
check("line", "MET_UCHAR", dict(NDims=[2], DimSize=[5000, 1]))'
}

@test "import: MetaImage: every type, either byte order, every name of place, spacing and direction" {
    local name type names
    while read -r name type; do
        printf 'NDims = 2\nDimSize = 2 1\nBinaryDataByteOrderMSB = True\nElementType = MET_%s\nElementDataFile = LOCAL\n\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20' \
            "$name" >a.mha
        import a.mha "$type as $name"
    done <<'TYPES'
CHAR int8
UCHAR uint8
SHORT int16
USHORT uint16
INT int32
UINT uint32
LONG int32
ULONG uint32
LONG_LONG int64
ULONG_LONG uint64
FLOAT float32
DOUBLE float64
TYPES
    py '
import glob
names = [n[:-4] for n in glob.glob("* as *.hdr")]
assert len(names) == 12, names
for n in names:
    kind = np.dtype(n.split()[0])
    assert read(n).dtype == kind and np.array_equal(read(n), np.frombuffer(bytes(range(1, 17)), kind.newbyteorder(">"))[:2]), n'
    sed 's/MET_DOUBLE/MET_STRING/' a.mha >b.mha
    fails 1 "elements of type 'MET_STRING'" import b.mha y
    sed 's/MSB = True/MSB = False/' a.mha >c.mha
    import c.mha c
    py 'assert np.array_equal(read("c"), np.frombuffer(bytes(range(1, 17)), "<f8"))'
    for names in 'Offset ElementSpacing TransformMatrix' 'Position ElementSize Rotation' 'Origin ElementSpacing Orientation'; do
        set -- $names
        printf '%s = 1 2 3\n%s = 0.5 2 4\n%s = 0 1 0 -1 0 0 0 0 1\nNDims = 3\nDimSize = 2 1 1\nElementType = MET_CHAR\nElementDataFile = LOCAL\nab' \
            "$@" >d.mha
        import d.mha d
        [ "$(grid d)" = "0.5 2 4 / 1 2 3 / 0 1 0 -1 0 0 0 0 1" ] || { echo "$names: $(grid d)" >&2; false; }
    done
}

@test "import: MetaImage: directions of two and of four dimensions" {
    local rest='ElementSpacing = 2 3\nDimSize = 2 1\nElementType = MET_CHAR\nElementDataFile = LOCAL\nab'
    printf '%b' "NDims = 2\nTransformMatrix = 0 1 -1 0\n$rest" >a.mha
    import a.mha a
    [ "$(section a Spacing) / $(section a Direction)" = "2 3 / 0 1 0 -1 0 0 0 0 1" ]
    rest='ElementSpacing = 1 2 3 4\nDimSize = 2 1 1 1\nElementType = MET_CHAR\nElementDataFile = LOCAL\nab'
    printf '%b' "NDims = 4\nTransformMatrix = 0 1 0 0 -1 0 0 0 0 0 1 0 0 0 0 1\n$rest" >b.mha
    import b.mha b
    [ "$(section b Direction)" = "0 1 0 -1 0 0 0 0 1" ]
    for m in '1 0 0 0 0 1 0 0 0 0 1 0 0.1 0 0 1' '1 0 0 0 0 1 0 0 0 0 1 0.1 0 0 0 1' '1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 -1'; do
        printf '%b' "NDims = 4\nTransformMatrix = $m\n$rest" >c.mha
        fails 1 "is rotated or flipped beyond the first three dimensions" import c.mha y
    done
    no_output y
}

@test "import: MetaImage: elements in several files are refused, files of similar names are taken" {
    refuses_lists mhd 'NDims = 2\nDimSize = 2 2\nElementType = MET_CHAR\nElementDataFile ='
}

@test "import: MetaImage: what is refused" {
    local head='NDims = 2\nDimSize = 2 2\nElementType = MET_CHAR\n'
    printf '%b' "${head}BinaryData = False\nElementDataFile = LOCAL\n1 2 3 4\n" >a.mha
    fails 1 "elements are stored as text" import a.mha y
    printf '%b' "${head}ElementNumberOfChannels = 2\nElementDataFile = LOCAL\nabcdefgh" >b.mha
    fails 1 "2 numbers per element" import b.mha y
    printf '%b' "${head}ElementNumberOfChannels = 1\nBinaryData = True\nHeaderSize = 3\nElementDataFile = c.raw\n" >c.mhd
    printf '123abcd' >c.raw
    import c.mhd c
    [ "$(cat c.cfl)" = abcd ]
    no_output y
}
