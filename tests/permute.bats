load common

@test "permute: is NumPy's transpose, every type" {
    for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128; do
        py "write('$t', np.random.default_rng(1).integers(0, 2 if '$t' == 'bool' else 100, (5, 7, 3, 4)).astype('$t'))"
        gantry permute 2:0:1 $t $t-2013
        gantry permute 3,2,y,x $t $t-3210
        gantry permute channel $t $t-3012
    done
    py '
for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    a = read(t)
    for order in (2, 0, 1, 3), (3, 2, 1, 0), (3, 0, 1, 2):
        b = read(t + "-" + "".join(map(str, order)))
        assert b.dtype == a.dtype and np.array_equal(b, a.transpose(order)), (t, order)'
}

@test "permute: exchanging two dims is transpose, and the inverse order brings all back" {
    py 'write("x", np.random.default_rng(2).random((33, 65, 17)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    gantry permute 0:2:1 x a
    gantry transpose y z x b
    same_bytes a b
    gantry permute 1:2:0 x c
    [ "$(gantry show --field dims c)" = 65:17:33 ]
    [ "$(gantry show --field spacing c)" = 2:3:1 ]
    [ "$(gantry show --field origin c)" = 5:6:4 ]
    gantry permute 2:0:1 c d
    same_bytes x d
    for field in dims spacing origin quantity unit; do
        [ "$(gantry show --field $field x)" = "$(gantry show --field $field d)" ]
    done
    gantry permute 0:1 x e
    same_bytes x e
}

@test "permute: same bytes for any threads and through pipes; power-of-two neighbours" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (2047, 9, 130)).astype("u2"))'
    for order in 1:0 1:2:0 2:0:1 0:2:1; do
        gantry permute -j 1 $order x a
        gantry permute -j 7 $order x b
        gantry copy x - | gantry permute $order - - | gantry copy - c
        same_bytes a b
        same_bytes a c
        py "
order = [int(d) for d in '$order'.split(':')]
assert np.array_equal(read('a'), read('x').transpose(order + [d for d in range(3) if d not in order]))"
    done
    gantry permute 0:2:1 x x
    same_bytes a x
}

@test "permute: an array with all sixteen dims" {
    py '
x = np.arange(2 ** 16, dtype="u2").reshape((2,) * 16)
write("x", x)'
    gantry permute 15:14:13:12:11:10:9:8:7:6:5:4:3:2:1:0 x y
    py 'assert np.array_equal(read("y"), read("x").T)'
}

@test "permute: a geometry whose first dims move is one no more" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 5)), Quantity="geometry", Detector="20 10")'
    gantry permute 1:0 g a
    [ -z "$(section a Quantity)" ]
    gantry permute 0:1:3:2 g b
    [ "$(section b Quantity)" = geometry ]
    [ "$(section b Detector)" = "20 10" ]
}

@test "permute: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 99 gantry permute 0:99 x y
    fails 2 twice gantry permute 0:1:x x y
    fails 2 expected gantry permute 0:1 x
    fails 2 q gantry permute q x y
    fails 2 '' gantry permute 0::1 x y
    fails 1 nothere gantry permute 1:0 nothere y
    no_output y
}
