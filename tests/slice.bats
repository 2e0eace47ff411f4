load common

@test "slice: is extract of one index" {
    py 'write("x", np.random.default_rng(1).random((9, 11, 7)).astype("f4"), Spacing="1 2 3")'
    for d in x y z; do
        gantry slice $d 3 x a
        gantry extract $d 3:4 x b
        same_bytes a b
        for field in dims spacing origin; do
            [ "$(gantry show --field $field a)" = "$(gantry show --field $field b)" ]
        done
    done
    gantry slice x 2 z -1 x a
    py 'assert np.array_equal(read("a").ravel(), read("x")[2, :, -1])'
    [ "$(dims a)" = "1 11" ]
}

@test "slice: stays at its place in mm" {
    py 'write("x", np.zeros((10, 11, 12), "f4"), Spacing="1 2 0.5", Origin="100 -4 3")'
    gantry slice y 5 z -2 x y
    [ "$(gantry show --field origin y)" = 100:6:8 ]
}

@test "slice: every type" {
    for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex32 complex64 complex128; do
        size=$(py "print({'bool': 1, 'int8': 1, 'uint8': 1, 'complex128': 16}.get('$t') or int(''.join(filter(str.isdigit, '$t'))) // 8)")
        printf '# Dimensions\n4 3 2\n# Type\n%s\n' $t >x.hdr
        head -c $((24 * size)) /dev/zero | tr '\0' '\1' >x.cfl
        printf '\0%.0s' $(seq $size) | dd of=x.cfl bs=1 seek=$((size * 13)) conv=notrunc status=none
        gantry slice x 1 y 0 z 1 x y
        [ "$(stat -c %s y.cfl)" = "$size" ]
        [ "$(tr -d '\0' <y.cfl | wc -c)" = 0 ]
        [ "$(section y Type)" = $t ]
    done
}

@test "slice: streams" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (257, 301, 130)).astype("u2"))'
    for what in "x 5" "y -1" "z 0" "z 129" "x 3 y 4 z 5"; do
        gantry slice $what x a
        gantry copy x - | gantry slice $what - - | gantry copy - b
        same_bytes a b
    done
}

@test "slice: big-endian and C-ordered inputs are read in place" {
    py '
a = np.random.default_rng(4).random((5, 6, 7)).astype("f4")
np.save("x.npy", a)
write("x", a)
a.ravel(order="F").astype(">f4").tofile("be.cfl")
open("be.hdr", "w").write("# Dimensions\n5 6 7\n# Type\nfloat32\n# Byte-Order\nbig\n")'
    gantry slice y 2 x a
    gantry slice y 2 x.npy b
    gantry slice y 2 be c
    same_bytes a b
    same_bytes a c
}

@test "slice: a view of a geometry is a geometry" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 12)), Quantity="geometry", Detector="20 10")'
    gantry slice view 3 g h
    [ "$(section h Quantity)" = geometry ]
    [ "$(section h Detector)" = "20 10" ]
    py 'assert np.array_equal(read("h"), read("g")[:, :, 3])'
}

@test "slice: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 "expected 0..2" gantry slice x 3 x y
    fails 2 "expected 0..3" gantry slice y -5 x y
    fails 2 "99" gantry slice 99 0 x y
    fails 2 "pairs" gantry slice x 0 y x y
    fails 2 "twice" gantry slice x 0 u 0 x y
    fails 2 "1.5" gantry slice x 1.5 x y
    no_output y
}
