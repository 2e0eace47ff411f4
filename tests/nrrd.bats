load common

# Headers of NRRD files, word by word as http://teem.sourceforge.net/nrrd/format.html has them.

import() {
    gantry import --quiet "$@"
}

# grid NAME: spacing / origin / direction of an array.
grid() {
    echo "$(section "$1" Spacing) / $(section "$1" Origin) / $(section "$1" Direction)"
}

@test "import: NRRD: every name of every type" {
    local type names name
    while IFS=: read -r type names; do
        while IFS= read -r name; do
            printf 'NRRD0001\ntype: %s\ndimension: 1\nsizes: 2\nendian: big\nencoding: raw\n\n\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20' \
                "$name" >a.nrrd
            import a.nrrd "$type as ${name// /_}"
        done <<<"${names//,/$'\n'}"
    done <<'TYPES'
int8:signed char,int8,int8_t
uint8:uchar,unsigned char,uint8,uint8_t
int16:short,short int,signed short,signed short int,int16,int16_t
uint16:ushort,unsigned short,unsigned short int,uint16,uint16_t
int32:int,signed int,int32,int32_t
uint32:uint,unsigned int,uint32,uint32_t
int64:longlong,long long,long long int,signed long long,signed long long int,int64,int64_t
uint64:ulonglong,unsigned long long,unsigned long long int,uint64,uint64_t
float32:float
float64:double
TYPES
    py '
import glob
names = [n[:-4] for n in glob.glob("* as *.hdr")]
assert len(names) == 40, names
for n in names:
    kind = np.dtype(n.split()[0])
    want = np.frombuffer(bytes(range(1, 17)), kind.newbyteorder(">"))[:2]
    assert read(n).dtype == kind and np.array_equal(read(n), want), n'
    sed 's/double/block/' a.nrrd >block.nrrd
    fails 1 "elements of type 'block'" import block.nrrd y
}

@test "import: NRRD: the axes of every space" {
    # the origin (1, 2, 3) and the first axis along (1, 1, 0), to the left, the back and the head
    local names want name
    while IFS=: read -r want names; do
        while IFS= read -r name; do
            printf 'NRRD0004\ntype: uint8\ndimension: 3\nspace: %s\nsizes: 2 1 1\nspace directions: (3,4,0) (-4,3,0) (0,0,2)\nencoding: raw\nspace origin: (1,2,3)\n\nab' \
                "$name" >a.nrrd
            import a.nrrd a
            [ "$(grid a)" = "5 5 2 / $want" ] || { echo "$name: $(grid a)" >&2; false; }
        done <<<"${names//,/$'\n'}"
    done <<'SPACES'
1 2 3 / 0.6 0.8 0 -0.8 0.6 0 0 0 1:left-posterior-superior,LPS,scanner-xyz,3D-right-handed,left-posterior-superior-time,LPST
-1 -2 3 / -0.6 -0.8 0 0.8 -0.6 0 0 0 1:right-anterior-superior,RAS,right-anterior-superior-time,RAST
1 -2 3 / 0.6 -0.8 0 -0.8 -0.6 0 0 0 1:left-anterior-superior,LAS,left-anterior-superior-time,LAST
SPACES
}

@test "import: NRRD: units of distances, per axis" {
    local unit
    for unit in um nm mm cm m; do
        printf 'NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nspacings: 2 3\nunits: "mm" "%s"\nencoding: raw\n\nabcd' $unit >a.nrrd
        printf 'NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nspace dimension: 2\nspace units: "%s" "%s"\nspace directions: (2,0) (0,3)\nspace origin: (5,6)\nencoding: raw\n\nabcd' \
            $unit $unit >b.nrrd
        import a.nrrd a-$unit
        import b.nrrd b-$unit
    done
    py '
from arrays import sections
def check(name, title, *want):
    found = [float(v) for v in sections(name)[title].split()][:2]
    assert np.allclose(found, want, rtol=1e-12, atol=0), (name, title, found)
for unit, mm in dict(um=1e-3, nm=1e-6, mm=1, cm=10, m=1000).items():
    check("a-" + unit, "Spacing", 2, 3 * mm)
    check("b-" + unit, "Spacing", 2 * mm, 3 * mm)
    check("b-" + unit, "Origin", 5 * mm, 6 * mm)'
}

@test "import: NRRD: lines and bytes in front of the elements are skipped, in the file and in another one" {
    local head='NRRD0004\ntype: uint8\ndimension: 1\nsizes: 4\nencoding: raw\n' skip
    printf 'one\ntwo\nxyabcd' >lines
    for skip in 'line skip: 2\nbyte skip: 2' 'lineskip: 2\nbyteskip: 2' 'line skip: 1\nbyte skip: 6' 'byte skip: 10' 'byte skip: -1'; do
        printf '%b' "$head$skip\n\n" | cat - lines >a.nrrd
        printf '%b' "$head$skip\ndata file: lines\n" >b.nhdr
        printf '%b' "$head$skip\ndatafile: lines\n\n" >c.nhdr
        for f in a.nrrd b.nhdr c.nhdr; do
            import $f a
            [ "$(cat a.cfl)" = abcd ] || { echo "$f, $skip: $(cat a.cfl)" >&2; false; }
        done
    done
    # more lines than there are
    printf '%b' "$head"'line skip: 3\ndata file: lines\n' >d.nhdr
    fails 1 "0 bytes of elements, expected 4" import d.nhdr y
    # compressed elements follow the lines
    printf '%b' "${head/raw/gzip}"'line skip: 1\n\nabout\n' >e.nrrd
    printf abcd | gzip >>e.nrrd
    import e.nrrd a
    [ "$(cat a.cfl)" = abcd ]
    sed 's/line skip/byte skip/' e.nrrd >f.nrrd
    fails 1 "'byte skip' 1 in compressed elements, expected 0" import f.nrrd y
    no_output y
}

@test "import: NRRD: elements in several files are refused, files of similar names are taken" {
    refuses_lists nhdr 'NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nencoding: raw\ndata file:'
}
