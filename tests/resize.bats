load common

@test "resize: cuts and zero-pads at the end, or about the centre" {
    py 'write("x", np.random.default_rng(1).random((6, 7, 3)).astype("f4"))'
    gantry resize x 9 y 4 x a
    gantry resize -c x 9 y 4 x b
    gantry resize -c x 4 y 10 z 6 x c
    gantry resize --center x 5 x d
    py '
x = read("x")
a = np.zeros((9, 4, 3)); a[:6] = x[:, :4]
assert np.array_equal(read("a"), a)
def centered(x, *shape):
    y = np.zeros(shape, x.dtype)
    grid = np.indices(shape)
    src = [g - m // 2 + n // 2 for g, m, n in zip(grid, shape, x.shape)]
    ok = np.all([(s >= 0) & (s < n) for s, n in zip(src, x.shape)], axis=0)
    y[ok] = x[tuple(s[ok] for s in src)]
    return y
assert np.array_equal(read("b"), centered(x, 9, 4, 3))
assert np.array_equal(read("c"), centered(x, 4, 10, 6))
assert np.array_equal(read("d"), centered(x, 5, 7, 3))'
}

@test "resize: padding and cutting back is the identity, header included" {
    py 'write("x", np.random.default_rng(1).random((6, 7, 3)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    for option in "" -c; do
        gantry resize $option x 20 z 11 x y
        [ "$(section y Scanner)" = A7 ]
        gantry resize $option x 6 z 3 y z
        same_bytes x z
        for field in dims spacing origin unit quantity; do
            [ "$(gantry show --field $field x)" = "$(gantry show --field $field z)" ]
        done
    done
}

@test "resize: every kept element stays at its place in mm" {
    py 'write("x", np.zeros((6, 7, 3), "f4"), Spacing="1 2 3", Origin="4 5 6"); write("c", np.zeros((6, 7), "f4"))'
    gantry resize x 9 x y
    [ "$(gantry show --field origin y)" = 4:5:6 ]
    gantry resize -c x 10 y 3 x y
    [ "$(gantry show --field origin y)" = 2:9:6 ]
    gantry resize x 8 c d
    [ "$(gantry show --field origin d)" = -2.5:-3 ]
    gantry resize -c x 8 c d
    [ "$(gantry show --field origin d)" = -3.5:-3 ]
}

@test "resize: streams, threads, and dims beyond the last" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (257, 301, 130)).astype("u2"))'
    for what in "x 300" "z 150" "-c z 150" "-c x 100 y 400 z 131" "channel 2" "z 1"; do
        gantry resize -j 1 $what x a
        gantry resize -j 7 $what x b
        same_bytes a b
        gantry copy x - | gantry resize $what - - | gantry copy - c
        same_bytes a c
    done
    gantry resize channel 2 x y
    py 'y = read("y"); assert np.array_equal(y[..., 0], read("x")) and not y[..., 1].any()'
}

@test "resize: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 "at least 1" gantry resize x 0 x y
    fails 2 "at least 1" gantry resize x -3 x y
    fails 2 "99" gantry resize 99 4 x y
    fails 2 "pairs" gantry resize x 4 y x y
    fails 2 "twice" gantry resize x 4 x 5 x y
    fails 1 "" gantry resize x 4611686018427387904 y 4611686018427387904 x y
    no_output y
}
