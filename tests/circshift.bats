load common

@test "circshift: is NumPy's roll, every type, any shift" {
    for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128; do
        py "write('$t', np.random.default_rng(1).integers(0, 2 if '$t' == 'bool' else 100, (5, 7, 3, 4)).astype('$t'))"
        gantry circshift 0 2 $t $t-0
        gantry circshift y -3 channel 9 $t $t-13
        gantry circshift 2 -8000000000000000001 0 -1 1 1 3 1 $t $t-all
    done
    py '
for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    a = read(t)
    for name, shift, axes in ("0", 2, 0), ("13", (-3, 9), (1, 3)), ("all", (-8000000000000000001 % 3, -1, 1, 1), (2, 0, 1, 3)):
        b = read(f"{t}-{name}")
        assert b.dtype == a.dtype and np.array_equal(b, np.roll(a, shift, axes)), (t, name)'
}

@test "circshift: there and back is the identity, header included; N and N + size are the same" {
    py 'write("x", np.random.default_rng(2).random((2047, 65, 17)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    gantry circshift x 1000 y -3 z 5 x y
    run ! cmp -s x.cfl y.cfl
    gantry circshift x -1000 y 3 z -5 y z
    same_bytes x z
    for field in dims spacing origin quantity unit; do
        [ "$(gantry show --field $field x)" = "$(gantry show --field $field z)" ]
    done
    [ "$(section y Scanner)" = A7 ]
    gantry circshift x 3047 y 62 z -12 x w
    same_bytes y w
}

@test "circshift: same bytes for any threads, through pipes, and in place" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (257, 301, 130)).astype("u2"))'
    for what in "0 5" "1 -1" "2 64" "0 256 2 1" "0 0"; do
        gantry circshift -j 1 $what x a
        gantry circshift -j 7 $what x b
        same_bytes a b
        gantry copy x - | gantry circshift $what - - | gantry copy - c
        same_bytes a c
    done
    gantry circshift z 64 x x
    gantry circshift z -64 x x
    gantry circshift x 0 x x
    same_bytes a x
}

@test "circshift: a stream shifts along its first dims without a spool" {
    py 'write("x", np.random.default_rng(3).random((64, 32, 16)))'
    gantry circshift 0 3 1 -3 x a
    GANTRY_TMPDIR=/dev/null/none gantry circshift 0 3 1 -3 - b < <(gantry copy x -)
    same_bytes a b
    GANTRY_TMPDIR=/dev/null/none gantry circshift 2 3 x - | gantry copy - c
    py 'assert np.array_equal(read("c"), np.roll(read("x"), 3, 2))'
}

@test "circshift: more than one block of mapped files" {
    py 'open("x.hdr", "w").write("# Dimensions\n330 321 340\n# Type\nfloat32\n"); np.random.default_rng(5).integers(0, 2**32, 330 * 321 * 340, "u4").tofile("x.cfl")'
    gantry circshift 0 7 1 -100 2 200 x a
    gantry circshift 0 7 1 -100 2 200 x - | gantry copy - b
    same_bytes a b
    py '
x, a = (np.memmap(n + ".cfl", "u4", "r", shape=(330, 321, 340), order="F") for n in "xa")
assert np.array_equal(a, np.roll(x, (7, -100, 200), (0, 1, 2)))'
}

@test "circshift: views of a geometry may turn; its columns may not" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 5)), Quantity="geometry", Detector="20 10")'
    gantry circshift view 2 g a
    [ "$(section a Quantity)" = geometry ]
    [ "$(section a Detector)" = "20 10" ]
    gantry circshift 1 2 g b
    [ -z "$(section b Quantity)" ]
}

@test "circshift: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 16 gantry circshift 16 1 x y
    fails 2 expected gantry circshift x 1
    fails 2 "1.5" gantry circshift x 1.5 x y
    fails 2 twice gantry circshift x 1 u 2 x y
    fails 2 pairs gantry circshift x 1 y x y
    fails 1 nothere gantry circshift x 1 nothere y
    gantry copy x - | head -c -8 >cut
    fails 1 'standard input' gantry circshift 0 1 - y <cut
    fails 1 'standard input' gantry circshift 1 1 - y <cut
    no_output y
}
