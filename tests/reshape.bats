load common

@test "reshape: is NumPy's reshape in Fortran order, every type" {
    for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128; do
        py "write('$t', np.random.default_rng(1).integers(0, 2 if '$t' == 'bool' else 100, (6, 10, 4)).astype('$t'))"
        gantry reshape 15:16 $t $t-2
        gantry reshape 2:-1:5:3:2 $t $t-5
        gantry reshape -1 $t $t-1
    done
    py '
for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    a = read(t)
    for name, dims in ("2", (15, 16)), ("5", (2, 4, 5, 3, 2)), ("1", (240,)):
        b = read(f"{t}-{name}")
        assert b.dtype == a.dtype and np.array_equal(b, a.reshape(dims, order="F")), (t, name)'
}

@test "reshape: dims that hold the same neighbours keep their grid, the others have none" {
    py 'write("x", np.zeros((4, 6, 5), "f4"), Spacing="1 2 3", Origin="10 20 30", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    gantry reshape 4:6:5 x a
    [ "$(gantry show --field spacing a)" = 1:2:3 ]
    [ "$(gantry show --field origin a)" = 10:20:30 ]
    gantry reshape 4:30 x a
    [ "$(gantry show --field spacing a)" = 1:1 ]
    [ "$(gantry show --field origin a)" = 10:-14.5 ]
    gantry reshape 24:5 x a
    [ "$(gantry show --field spacing a)" = 1:3 ]
    [ "$(gantry show --field origin a)" = -11.5:30 ]
    gantry reshape 4:1:6:5 x a
    [ "$(gantry show --field spacing a)" = 1:1:2:3 ]
    gantry reshape 4:3:2:5 x a
    [ "$(gantry show --field spacing a)" = 1:1:1:3 ]
    [ "$(section a Scanner)" = A7 ]
    [ "$(section a Quantity)" = attenuation ]
    [ "$(section a Unit)" = 1/mm ]
}

@test "reshape: the data are the same bytes, through pipes, for any threads and in place" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (2049, 31, 33)).astype("u2"))'
    gantry reshape -j 1 33:-1 x a
    gantry reshape -j 7 33:-1 x b
    cmp x.cfl a.cfl
    cmp x.cfl b.cfl
    GANTRY_TMPDIR=/dev/null/none gantry reshape 33:-1 - - < <(gantry copy x -) | gantry copy - c
    cmp x.cfl c.cfl
    [ "$(dims c)" = "33 63519" ]
    gantry reshape -1 x x
    cmp x.cfl c.cfl
}

@test "reshape: big-endian and C-ordered inputs" {
    py '
a = np.random.default_rng(4).random((5, 6, 7)).astype("f4")
np.save("x.npy", a)
write("x", a)
a.ravel(order="F").astype(">f4").tofile("be.cfl")
open("be.hdr", "w").write("# Dimensions\n5 6 7\n# Type\nfloat32\n# Byte-Order\nbig\n")'
    for in in x.npy be; do
        gantry reshape 30:7 $in y
        cmp x.cfl y.cfl
    done
}

@test "reshape: a geometry stays one as long as its first dims do" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 6)), Quantity="geometry", Detector="20 10")'
    gantry reshape 4:4:6 g a
    [ "$(section a Quantity)" = geometry ]
    gantry reshape 16:6 g a
    [ -z "$(section a Quantity)" ]
    [ -z "$(section a Detector)" ]
}

@test "reshape: the history rebuilds it although SIZES begins with a dash" {
    gantry ones --size 4:6 x
    gantry reshape -1:3 x y
    gantry history y >rebuild.sh
    mkdir again
    (cd again && sh ../rebuild.sh)
    same_bytes y again/y
    cmp y.hdr again/y.hdr || [ "$(section y History)" = "$(section again/y History)" ]
}

@test "reshape: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 1 "12 elements (3 x 4)" gantry reshape 5:3 x y
    fails 1 "12 elements (3 x 4)" gantry reshape 5:-1 x y
    fails 1 "12 elements" gantry reshape 24:-1 x y
    fails 2 "contains -1 twice" gantry reshape -1:-1 x y
    fails 2 "at least 1" gantry reshape 0:12 x y
    fails 2 "at least 1" gantry reshape -2:12 x y
    fails 2 "SIZES" gantry reshape 3x4 x y
    fails 1 "63 bits" gantry reshape 4000000000:4000000000:-1 x y
    fails 1 nothere gantry reshape -1 nothere y
    gantry copy x - | head -c -8 >cut
    fails 1 'standard input' gantry reshape -1 - y <cut
    no_output y
}
