# Arrays on disk and in pipes: every type in every container against NumPy, headers of others, streams, bad input.
load common

all_types="bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex32 complex64 complex128"

# Random 5 x 3 x 4 elements of every type in arrays named like the type.
arrays_of_all_types() {
    py "
for t in '$all_types'.split():
    n = {'bool': 'u1', 'complex32': 'f2'}.get(t, t)
    x = np.random.default_rng(1).integers(0, 2 if t == 'bool' else 100, (2 if t == 'complex32' else 1) * 60).astype(n)
    open(t + '.hdr', 'w').write('# Dimensions\n5 3 4\n# Type\n' + t + '\n')
    x.tofile(t + '.cfl')"
}

@test "files: every type goes through files and pipes unchanged" {
    arrays_of_all_types
    for t in $all_types; do
        gantry copy $t y
        gantry copy $t - | gantry copy - z
        same_bytes $t y
        same_bytes $t z
        [ "$(section y Type)" = $t ]
        [ "$(section z Type)" = $t ]
        [ "$(dims z)" = "5 3 4" ]
    done
}

@test "files: every type through .npy is what NumPy reads" {
    arrays_of_all_types
    fails 1 complex32 gantry copy complex32 complex32.npy
    [ ! -e complex32.npy ]
    for t in ${all_types/complex32/}; do
        gantry copy $t $t.npy
        gantry copy $t.npy z
        same_bytes $t z
        [ "$(section z Type)" = $t ]
    done
    py "
for t in '${all_types/complex32/}'.split():
    a = np.load(t + '.npy')
    assert a.dtype == np.dtype(t) and a.shape == (5, 3, 4) and a.flags.f_contiguous, (a.dtype, a.shape)
    assert np.array_equal(a, read(t).astype(t)), t"
}

@test "files: .npy in C and Fortran order, both byte orders, all three versions" {
    py "
from numpy.lib import format
a = np.random.default_rng(2).integers(0, 99, (7, 40, 3, 33))
for t in 'u1', 'i2', 'u4', 'i8', 'f2', 'f4', 'f8', 'c8', 'c16':
    for o in 'CF':
        for e in '<>':
            np.save(f'{t}{o}{\"lb\"[e == \">\"]}.npy', np.asarray(a, dtype=e + t, order=o))
for v in (1, 0), (2, 0), (3, 0):
    with open(f'version{v[0]}.npy', 'wb') as f:
        format.write_array(f, a.astype('f4'), version=v)
write('ref', a)"
    for f in *.npy; do
        gantry copy $f ${f%.npy}
        # piece by piece through a pipe
        gantry copy $f - | gantry copy - y
        same_bytes ${f%.npy} y
    done
    py "
import glob
for f in glob.glob('*.npy'):
    assert np.array_equal(read(f[:-4]), read('ref')), f
    assert read(f[:-4]).dtype == np.load(f).dtype.newbyteorder('<'), f"
}

@test "files: every type through .ra" {
    arrays_of_all_types
    fails 1 bool gantry copy bool bool.ra
    [ ! -e bool.ra ]
    for t in ${all_types/bool/}; do
        gantry copy $t $t.ra
        gantry copy $t.ra z
        same_bytes $t z
        [ "$(section z Type)" = $t ]
        [ "$(dims z)" = "5 3 4" ]
    done
    py "
import struct
b = open('complex128.ra', 'rb').read()
assert struct.unpack('<9Q', b[:72]) == (0x7961727261776172, 0, 4, 16, 960, 3, 5, 3, 4)
assert b[72:] == open('complex128.cfl', 'rb').read()
a = np.arange(12)
open('big.ra', 'wb').write(struct.pack('<8Q', 0x7961727261776172, 1, 1, 2, 24, 2, 3, 4) + a.astype('>i2').tobytes() + b'a note')"
    gantry copy big.ra x
    py "assert np.array_equal(read('x'), np.arange(12).reshape((3, 4), order='F')) and read('x').dtype == 'i2'"
}

@test "files: .ra headers that are malformed" {
    py '
import struct
MAGIC = 0x7961727261776172
def ra(name, says, *head, data=bytes(48)):
    open(name + ".ra", "wb").write(struct.pack("<%dQ" % len(head), *head) + data)
    open(name + ".says", "w").write(says)
ra("magic", "not a .ra file", MAGIC + 1, 0, 1, 2, 48, 3, 2, 3, 4)
ra("short", "not a .ra file", MAGIC, 0, 1, 2, 48, data=b"1234567")
ra("flags", "flags 0x2, expected only bit 0", MAGIC, 2, 1, 2, 48, 3, 2, 3, 4)
ra("packed", "flags 0x3, expected only bit 0", MAGIC, 3, 1, 2, 48, 3, 2, 3, 4)
for kind, n in (0, 2), (1, 3), (1, 16), (3, 1), (3, 16), (4, 2), (4, 32), (5, 4):
    ra("kind%d-%d" % (kind, n), "elements of type code %d with %d bytes" % (kind, n), MAGIC, 0, kind, n, 48, 3, 2, 3, 4)
ra("rank", "a header of 16 dimensions does not fit into a file of 120 bytes", MAGIC, 0, 1, 2, 48, 16, 2, 3, 4)
ra("more", "a header of 4294967297 dimensions does not fit into a file of 120 bytes", MAGIC, 0, 1, 2, 48, (1 << 32) + 1, 2, 3, 4)
ra("zero", "size 0 along dimension 1", MAGIC, 0, 1, 2, 48, 3, 2, 0, 4)
ra("minus", "size 18446744073709551615 along dimension 2", MAGIC, 0, 1, 2, 48, 3, 2, 3, (1 << 64) - 1)
ra("many", "size 2 along dimension 16, expected at least 1 (and exactly 1 beyond", MAGIC, 0, 1, 2, 48, 17, *[1] * 16, 2)
ra("product", "4611686018427387904 x 4 does not fit into 63 bits", MAGIC, 0, 1, 2, 48, 3, 1 << 31, 1 << 31, 4)
ra("size", "contains 48 bytes of elements and the header says 47, expected 48 (int16, 2 x 3 x 4)", MAGIC, 0, 1, 2, 47, 3, 2, 3, 4)
ra("less", "contains 47 bytes of elements and the header says 48, expected 48", MAGIC, 0, 1, 2, 48, 3, 2, 3, 4, data=bytes(47))
ra("header", "ends inside its header", MAGIC, 0, 1, 2, 48, 7, 1, data=b"")'
    local f
    for f in *.says; do
        f=${f%.says}
        fails 1 "gantry copy: $f.ra" gantry copy $f.ra y
        fails 1 "$(<$f.says)" gantry copy $f.ra y
    done
    no_output y
    py '
import struct
open("ones.ra", "wb").write(struct.pack("<26Q", 0x7961727261776172, 0, 1, 2, 6, 20, 3, *[1] * 19) + bytes(range(6)) + b"a note")'
    gantry copy ones.ra x
    py 'assert bytes(read("x")) == bytes(range(6)) and read("x").shape == (3,)'
}

@test "files: BART's headers" {
    py "
x = np.random.default_rng(3).random((8, 5)) + 1j
x.astype('c8').ravel(order='F').tofile('ph.cfl')"
    printf '# Dimensions\n8 5 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \n# Command\nphantom -x 8 ph \n# Files\n >ph\n# Creator\nBART v0.9.00\n' >ph.hdr
    gantry copy ph x
    same_bytes ph x
    [ "$(section x Type)" = complex64 ]
    [ "$(dims x)" = "8 5" ]
    [ "$(sed -n 2p x.hdr)" = "8 5" ]

    # its reader stops at 4096 bytes, needs line 2, 8 bytes per element; CR-LF and too many dims do no harm
    printf '# Dimensions\r\n8 5 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\r\n# Command\r\nphantom\r\n' >ph.hdr
    gantry copy ph y
    same_bytes ph y
    [ "$(head -c 13 y.hdr)" = "# Dimensions" ]
}

@test "files: sections survive a copy, through files and pipes" {
    printf '# Dimensions\n2 3\n# Type\nint16\n# Spacing\n0.1 0.30000000000000004\n# Origin\n-7 1e-300\n# Quantity\ncounts\n# Unit\nph\n# Detector\n4 5 6.5\n# Scanner\nours\nsecond line\n# Author\nme\n' >x.hdr
    head -c 12 /dev/urandom >x.cfl
    gantry copy x y
    gantry copy x - | gantry copy - - | gantry copy - z
    for n in y z; do
        [ "$(section $n Spacing)" = "0.1 0.30000000000000004" ]
        [ "$(section $n Origin)" = "-7 1e-300" ]
        [ "$(section $n Quantity)" = counts ]
        [ "$(section $n Unit)" = ph ]
        [ "$(section $n Detector)" = "4 5 6.5" ]
        [ "$(grep -A 2 '# Scanner' $n.hdr)" = "$(printf '# Scanner\nours\nsecond line')" ]
        [ "$(section $n Author)" = me ]
    done
    [ "$(section y Command)" = "gantry copy x y" ]
    [ "$(section y Files)" = "<x >y" ]
    [ "$(section z Files)" = "<- >z" ]
    [[ $(section y Creator) == "gantry "* ]]
    [ "$(grep '^# ' y.hdr | head -n 1)" = "# Dimensions" ]
    [ "$(grep '^# ' y.hdr | tail -n 1)" = "# History" ]
}

@test "files: big-endian data" {
    py "
for t in 'int16', 'float32', 'float64', 'complex64', 'complex128':
    x = np.random.default_rng(4).random((6, 7)) * 100
    x = (x + 1j * x[::-1] if 'complex' in t else x).astype(t)
    x.astype(x.dtype.newbyteorder('>')).ravel(order='F').tofile('b' + t + '.cfl')
    open('b' + t + '.hdr', 'w').write('# Dimensions\n6 7\n# Type\n' + t + '\n# Byte-Order\nbig\n')
    x.ravel(order='F').tofile('l' + t + '.cfl')"
    for t in int16 float32 float64 complex64 complex128; do
        gantry copy b$t x
        same_bytes l$t x
        run ! grep big x.hdr
    done
}

@test "files: names with extension, with blanks, links" {
    gantry ones --size 3:4 'a b'
    gantry copy 'a b.cfl' y.hdr
    same_bytes 'a b' y
    [ "$(section y Files)" = "<'a b.cfl' >y.hdr" ]
    mkdir d
    ln -s d/real.hdr l.hdr
    ln -s d/real.cfl l.cfl
    gantry copy y l
    same_bytes y d/real
    [ -L l.hdr ]
    [ -L l.cfl ]
    gantry copy l z
    same_bytes y z
    ln -s d/real.npy l.npy
    gantry copy y l.npy
    [ -L l.npy ]
    [ -f d/real.npy ]
}

@test "files: an output may carry the name of an input" {
    py 'write("x", np.arange(100000, dtype="i4"))'
    cp x.cfl ref
    gantry copy x x
    cmp x.cfl ref
    gantry copy x x.npy
    gantry copy x.npy x.npy
    gantry copy x.npy x
    cmp x.cfl ref
}

@test "files: streams that are cut, too long, empty or something else" {
    gantry ones --size 40:50 x
    gantry copy x - >s
    [ "$(head -n 1 s | cut -d ' ' -f 1-2)" = "GANTRY-STREAM 1" ]
    gantry copy - y <s
    same_bytes x y
    cat s | gantry copy - z
    same_bytes x z

    for n in 1 10 20 100 $(($(stat -c %s s) - 1)); do
        head -c $n s >cut
        fails 1 "standard input" gantry copy - out <cut
        fails 1 "standard input" sh -c 'cat cut | gantry copy - out'
    done
    { cat s; echo; } >long
    fails 1 "standard input" gantry copy - out <long
    fails 1 "more bytes" sh -c 'cat long | gantry copy - out'
    fails 1 "empty" gantry copy - out </dev/null
    fails 1 "not an array stream" sh -c 'seq 100 | gantry copy - out'
    sed '1s/STREAM 1/STREAM 2/' s >two
    fails 1 "version 2" gantry copy - out <two
    no_output out
}

@test "files: a cut stream fails also where only its beginning is used" {
    gantry ones --size 400:500:6 x
    gantry copy x - >s
    head -c 100000 s >cut
    fails 1 "standard input" sh -c 'cat cut | gantry slice 2 0 - out'
    no_output out
    cat s | gantry slice 2 0 - out
    [ "$(dims out)" = "400 500" ]
}

@test "files: one standard input, one standard output, no terminals" {
    gantry ones --size 4 x
    gantry copy x - >s
    fails 2 "standard input" gantry join 0 - - y <s
    no_output y
    if script -qec true /dev/null >/dev/null 2>&1; then # and there are terminals
        script -qec 'gantry copy x -' /dev/null >said </dev/null || true
        grep -q terminal said
    fi
}

@test "files: a reader that ends stops the command quietly, with the status of SIGPIPE" {
    gantry random --size 1000:1000 x
    for command in 'gantry copy x -' 'gantry toimg -q --window 0:1 x -' 'gantry show --data --limit 1000000 x' \
        'gantry copy x - | gantry expr "a + 1" a=- -'; do
        (
            status=0
            bash -c "$command" 2>said || status=$?
            echo $status >status
        ) | head -c 1 >/dev/null
        [ "$(cat status)" = 141 ]
        [ ! -s said ]
    done
    [ -z "$(find . -name '.gantry*')" ]
}

@test "files: FIFOs, folders and devices in the place of files are refused at once" {
    gantry ones --size 4:4 g
    cp g.hdr h.hdr
    for name in f f.cfl f.hdr f.npy f.ra f.tif f.png f.h5 f.nii f.edf f.mha f.nrrd f.npz f.mat f.dcm h.cfl; do mkfifo $name; done
    for name in f h f.cfl f.hdr f.npy f.ra; do
        fails 1 "is a device or pipe, expected an ordinary file" timeout 20 gantry copy $name x
        fails 1 "is a device or pipe, expected an ordinary file" timeout 20 gantry show $name
        fails 1 "is a device or pipe, expected an ordinary file" timeout 20 gantry history $name
    done
    for name in f f.tif f.png f.h5 f.nii f.edf f.mha f.nrrd f.npz f.mat f.dcm f.npy; do
        fails 1 "is a device or pipe, expected an ordinary file" timeout 20 gantry import --raw --size 4 $name x
        fails 1 "is a device or pipe, expected an ordinary file" timeout 20 gantry import $name x
    done
    fails 1 "f is a pipe that no program writes to" timeout 20 gantry traj --angles f x
    fails 1 "f.png is a pipe that no program reads" timeout 20 gantry toimg --window 0:1 g f.png
    fails 1 "/dev/zero is a device or pipe, expected an ordinary file" timeout 20 gantry traj --angles /dev/zero x
    fails 1 "g.d is a folder, expected an ordinary file" sh -c 'mkdir g.d; gantry traj --angles g.d x'
    mkdir k.hdr k.cfl
    fails 1 "k.hdr is a folder" gantry copy k x
    rmdir k.hdr
    cp g.hdr k.hdr
    fails 1 "k.cfl is a folder" gantry copy k x
    no_output x
    # a header's temporary name, too
    mkfifo g.hdr~
    timeout 20 gantry copy g y
    same_bytes g y
    PYTHONPATH=$GANTRY_SOURCE/python timeout 20 /usr/bin/python3 -c '
import gantry
assert gantry.read("g").shape == (4, 4)
for name in "f", "h", "f.npy":
    try:
        gantry.read(name)
    except OSError as e:
        assert "not a regular file" in str(e), e
    else:
        assert False, name'
}

@test "files: texts come from pipes that somebody writes to" {
    printf '0\n10\n30\n' >angles
    gantry traj --angles angles want
    gantry traj --angles <(cat angles) a
    same_bytes want a
    gantry traj --angles <(sleep 1.5; cat angles) a
    same_bytes want a
    gantry traj --angles /dev/stdin a <angles
    same_bytes want a
    cat angles | gantry traj --angles /dev/stdin a
    same_bytes want a
    [[ $(tail -n 1 a.hdr) == *":unhashed>"* ]]
    mkfifo pipe
    (sleep 0.3; cat angles >pipe) &
    timeout 20 gantry traj --angles pipe a
    wait
    same_bytes want a
    fails 1 "contains a zero byte" gantry traj --angles <(printf '1\0002') a
}

@test "files: the file size limit is a sentence" {
    gantry zeros --size 300:300 x
    fails 1 "largest file" bash -c 'ulimit -f 100; gantry copy x y'
    no_output y
}

@test "files: the spool goes to GANTRY_TMPDIR and is gone afterwards" {
    gantry ones --size 30:20 x
    mkdir t
    py 'np.save("c.npy", np.arange(600.).reshape(30, 20))'
    GANTRY_TMPDIR=t gantry copy c.npy y
    [ "$(dims y)" = "30 20" ]
    [ -z "$(ls -A t)" ]
    fails 1 "/nowhere/at/all" env GANTRY_TMPDIR=/nowhere/at/all gantry copy c.npy z
    no_output z
}

@test "files: wrong sizes and missing files name file, found and expected" {
    gantry ones --size 3:4 x
    truncate -s 40 x.cfl
    fails 1 "x.cfl has 40 bytes, expected 48 according to x.hdr (float32, 3 x 4)" gantry copy x y
    rm x.cfl
    fails 1 "x.cfl" gantry copy x y
    fails 1 "nothing.hdr" gantry copy nothing y
    fails 1 "import" gantry copy x.hdr.txt y || fails 1 "x.hdr.txt.hdr" gantry copy x.hdr.txt y
    fails 1 "nowhere/y" gantry ones --size 3 nowhere/y
    mkdir z.cfl
    fails 1 "folder" gantry ones --size 3 z
    no_output y
}

@test "files: a header that says nonsense is refused" {
    head -c 16 /dev/zero >x.cfl
    for text in '' '# Type\nfloat32\n' '# Dimensions\n0\n' '# Dimensions\n4 -1\n' '# Dimensions\n4\n# Dimensions\n4\n' \
        '# Dimensions\n4\n# Type\nreal\n' '# Dimensions\n9223372036854775807 9223372036854775807\n'; do
        printf "$text" >x.hdr
        fails 1 "x.hdr" gantry copy x y
    done
    no_output y
}

@test "files: no array under the name of a folder or a device, no picture under that of an array" {
    mkdir folder
    for name in . .. folder/ ./; do
        fails 1 'is a folder' zeros --size 4 "$name"
    done
    fails 1 'is a device or a pipe' zeros --size 4 /dev/null
    mkfifo pipe
    fails 1 'is a device or a pipe' zeros --size 4 pipe
    fails 1 'the name has 243 bytes, expected at most 242' zeros --size 4 "$(printf 'n%.0s' {1..243})"
    [ -z "$(find . -name '*.cfl*' -o -name '*.hdr*')" ]
    zeros --size 4 "$(printf 'n%.0s' {1..242})"
    [ -z "$(find . -name '*~')" ]
    phantom --size 8:8 v
    cp v.cfl kept
    for name in v.cfl v.hdr; do
        fails 1 'only arrays have names that end in' toimg v $name
    done
    cmp v.cfl kept
    fails 2 'written as PNG' toimg v v.npy
}

@test "copy: says anew what another container lost" {
    gantry random --size 4:5:6 x
    gantry copy x x.npy
    gantry copy --spacing 0.5:0.5:2 --origin 1:2:3 --quantity attenuation --unit 1/mm x.npy y
    same_bytes x y
    [ "$(gantry show --field spacing y)" = 0.5:0.5:2 ]
    [ "$(gantry show --field origin y)" = 1:2:3 ]
    [ "$(gantry show --field quantity y)" = attenuation ]
    fails 2 "--spacing is 0 mm, expected more than 0" gantry copy --spacing 0 x z
    no_output z
}

@test "files: -n refuses to replace outputs before the work starts" {
    gantry ones --size 3:4 x
    gantry copy x a
    gantry copy x a.npy
    gantry toimg -q x a.png
    gantry export x a.tif
    for f in a.cfl a.hdr a.npy a.png a.tif; do cp $f kept.$f; done
    for option in -n --no-clobber; do
        fails 1 "a.hdr exists, and --no-clobber is set (choose another name or remove the file)" gantry zeros $option --size 5 a
        fails 1 "a.npy exists" gantry zeros $option --size 5 a.npy
        fails 1 "a.png exists" gantry toimg $option -q x a.png
        fails 1 "a.tif exists" gantry export $option x a.tif
    done
    for f in a.cfl a.hdr a.npy a.png a.tif; do cmp $f kept.$f; done
    # half an array, and one whose writer was killed, are something too
    rm a.hdr
    fails 1 "a.cfl exists" gantry zeros -n --size 5 a
    # a series is refused before its first file
    gantry random --size 4:4:3 s
    touch s_1.tif
    fails 1 "s_1.tif exists" gantry export -n s s_%d.tif
    [ ! -e s_0.tif ]
    # new names, streams and devices go through
    gantry copy -n x b
    same_bytes x b
    gantry copy -n x - | gantry copy -n - c
    same_bytes x c
    gantry toimg -nq x /dev/null
    # where -n is an option of the command itself it stays that
    gantry noise -n 100 x d
    fails 1 "d.hdr exists" gantry noise --no-clobber -n 100 x d
    run -0 gantry noise --help
    [[ $output == *" --photons N"* ]]
    [[ $output != *"-n, --"* ]]
    fails 2 "--no-clobber: show writes no files" gantry show -n x
    echo backup >e.hdr~ # of an editor
    gantry zeros -n --size 5 e
}

@test "files: --no-clobber refuses what another command wrote meanwhile" {
    gantry ones --size 3:4 x
    gantry scale 5 x y
    gantry copy x - >stream
    for tmpfile in 0 1; do
        for out in c c.npy; do
            rm -f c.* go
            { head -c -8 stream; while [ ! -e go ]; do sleep 0.02; done; tail -c 8 stream; } |
                GANTRY_TMPFILE=$tmpfile gantry copy -n - $out 2>err &
            sleep 0.3
            gantry copy y $out
            touch go
            if wait $!; then false; fi
            grep -q exists err
            gantry copy $out z
            cmp y.cfl z.cfl
            run ! ls .gantry-*
        done
    done
}

@test "files: one name for two outputs is refused, however it is spelled" {
    gantry random --size 4:3 a
    mkdir -p sub
    ln -s . link
    for other in q ./q sub/../q link/q "$PWD/q"; do
        fails 2 "is given as the name of more than one output" gantry qr a q $other
        no_output q
    done
    gantry qr a q sub/q
}

@test "files: a checksum says which of header and data is wrong" {
    gantry random --size 30:40 x
    fails 1 "x.hdr: no checksum (set GANTRY_CHECKSUM=1" gantry show --verify x
    GANTRY_CHECKSUM=1 gantry copy --spacing 2:2 x y
    gantry show --verify y
    same_bytes x y
    # it belongs to these data alone
    gantry scale 2 y z
    run ! grep Checksum z.hdr
    PYTHONPATH=$GANTRY_SOURCE/python /usr/bin/python3 -c '
import gantry
x, h = gantry.read("y", header=True)
gantry.write("w", x, h)'
    run ! grep Checksum w.hdr
    cp y.cfl kept
    printf '\377' | dd of=y.cfl bs=1 seek=77 conv=notrunc status=none
    fails 1 "y.cfl: does not match the checksum in y.hdr: the data were changed" gantry show --verify y
    cp kept y.cfl
    gantry show --verify y
    sed -i 's/^2 2$/2 3/' y.hdr
    fails 1 "y.hdr: does not match its checksum: the header was changed or damaged (the data are intact)" gantry show --verify y
    fails 1 "only arrays stored as NAME.hdr and NAME.cfl have one" sh -c 'gantry copy x x.npy; gantry show --verify x.npy'
}
