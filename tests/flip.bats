load common

@test "flip: several types and dims against NumPy" {
    py '
rng = np.random.default_rng(1)
for t in ["u1", "i2", "f4", "f8", "c16"]:
    write(t, rng.integers(0, 200, (5, 7, 3, 4)).astype(t))'
    for t in u1 i2 f4 f8 c16; do
        gantry flip 0 $t $t-0
        gantry flip y,channel $t $t-13
        gantry flip 2 $t $t-2
    done
    py '
for t in ["u1", "i2", "f4", "f8", "c16"]:
    a = read(t)
    for name, axes in ("0", 0), ("13", (1, 3)), ("2", 2):
        b = read(f"{t}-{name}")
        assert b.dtype == a.dtype and np.array_equal(b, np.flip(a, axes)), (t, name)'
}

@test "flip: twice is the identity; the grid and all sections stay" {
    py 'write("x", np.random.default_rng(2).random((33, 65, 17)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    for dims in x y z x,z 0,1,2; do
        gantry flip $dims x y
        run ! cmp -s x.cfl y.cfl
        [ "$(gantry show --field spacing y)" = 1:2:3 ]
        [ "$(gantry show --field origin y)" = 4:5:6 ]
        [ "$(section y Scanner)" = A7 ]
        gantry flip $dims y z
        same_bytes x z
    done
}

@test "flip: same bytes for any threads, through pipes, and in place" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (257, 301, 130)).astype("u2"))'
    for dims in 0 1 2 0,2; do
        gantry flip -j 1 $dims x a
        gantry flip -j 7 $dims x b
        same_bytes a b
        gantry copy x - | gantry flip $dims - - | gantry copy - c
        same_bytes a c
        gantry flip $dims x - | gantry copy - d
        same_bytes a d
    done
    gantry flip z x x
    gantry flip z x x
    gantry flip 0,2 x x
    same_bytes a x
}

@test "flip: more than one block of mapped files, and into a pipe without a spool" {
    py 'open("x.hdr", "w").write("# Dimensions\n330 321 340\n# Type\nfloat32\n"); np.random.default_rng(5).integers(0, 2**32, 330 * 321 * 340, "u4").tofile("x.cfl")'
    gantry flip 1,2 x a
    GANTRY_TMPDIR=/dev/null/none gantry flip 1,2 x - | gantry copy - b
    same_bytes a b
    py '
x, a = (np.memmap(n + ".cfl", "u4", "r", shape=(330, 321, 340), order="F") for n in "xa")
assert x.max() > x.min() and np.array_equal(a[:, ::-1, ::-1], x)'
}

@test "flip: a stream flips along its first dims without a spool, and needs one for the last" {
    py 'write("x", np.random.default_rng(3).random((64, 32, 16)))'
    gantry flip 0,1 x a
    GANTRY_TMPDIR=/dev/null/none gantry flip 0,1 - b < <(gantry copy x -)
    same_bytes a b
    gantry zeros --size 300:300:200 --type float64 - >stream
    fails 1 /dev/null/none env GANTRY_TMPDIR=/dev/null/none gantry flip 2 - c < <(cat stream)
    no_output c
    GANTRY_TMPDIR=/dev/null/none gantry flip 0,1 - - < <(cat stream) >flipped
    [ "$(tail -c 144000000 flipped | tr -d '\0' | wc -c)" = 0 ]
}

@test "flip: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 16 gantry flip 16 x y
    fails 2 expected gantry flip 0
    fails 2 q gantry flip 0,q x y
    head -c 20 x.cfl >short.cfl
    cp x.hdr short.hdr
    fails 1 short.cfl gantry flip 0 short y
    gantry copy x - | head -c -8 >cut
    fails 1 '' gantry flip 0 - y <cut
    fails 1 '' gantry flip 1 - y <cut
    no_output y
}
