load common

@test "join: along every dim against NumPy" {
    py '
rng = np.random.default_rng(1)
for t in ["u1", "f4", "c16"]:
    for d in 0, 1, 2, 3:
        for k in 0, 1, 2:
            shape = [5, 6, 7]
            if d < 3:
                shape[d] = k + 1
            write(f"{t}-{d}-{k}", rng.integers(0, 200, shape).astype(t))'
    for t in u1 f4 c16; do
        for d in 0 1 2 3; do
            gantry join $d $t-$d-0 $t-$d-1 $t-$d-2 $t-$d
        done
    done
    py '
for t in ["u1", "f4", "c16"]:
    for d in 0, 1, 2, 3:
        parts = [read(f"{t}-{d}-{k}").reshape([k + 1 if d == i else 5 + i for i in range(3)] + [1]) for k in range(3)]
        want = np.concatenate(parts, axis=d)
        got = read(f"{t}-{d}")
        assert got.dtype == want.dtype and np.array_equal(got.reshape(want.shape), want), (t, d)'
}

@test "join: one of the inputs may be a stream, anywhere; same bytes for any threads" {
    py '
rng = np.random.default_rng(3)
write("a", rng.integers(0, 60000, (257, 301, 90)).astype("u2"))
write("b", rng.integers(0, 60000, (257, 301, 90)).astype("u2"))'
    for d in 0 1 2; do
        gantry join -j 1 $d a b c
        gantry join -j 7 $d a b e
        same_bytes c e
        gantry copy b - | gantry join $d a - - | gantry copy - f
        same_bytes c f
        gantry copy a - | gantry join $d - b g
        same_bytes c g
    done
    gantry join z a a a
    [ "$(dims a)" = "257 301 180" ]
}

@test "join: continues the grid of the first and keeps what the headers say" {
    py '
write("a", np.zeros((3, 4), "f4"), Spacing="1 2", Origin="5 6", Quantity="attenuation", Unit="1/mm", Scanner="A7")
write("b", np.zeros((3, 2), "f4"), Spacing="1 2")
write("c", np.zeros((4, 4), "f4")); write("d", np.zeros((4, 4), "f4"))'
    gantry join y a b y
    [ "$(gantry show --field origin y)" = 5:6 ]
    [ "$(gantry show --field spacing y)" = 1:2 ]
    [ "$(section y Scanner)" = A7 ]
    gantry join y b a y
    [ "$(section y Quantity)" = attenuation ]
    [ "$(section y Unit)" = 1/mm ]
    gantry join x c d y
    [ "$(gantry show --field origin y)" = -1.5:-1.5 ]
}

@test "join: arrays of other spacing are joined with a warning" {
    py 'write("a", np.zeros((3, 4), "f4"), Spacing="1 2"); write("b", np.zeros((3, 2), "f4"), Spacing="1 3")'
    gantry join y a b y 2>said
    grep -q "2 mm in a and 3 mm in b" said
    [ "$(gantry show --field spacing y)" = 1:2 ]
}

@test "join: scans joined along the views keep the detector" {
    py '
write("g", np.random.default_rng(0).random((4, 4, 3)), Quantity="geometry", Detector="20 10")
write("h", np.random.default_rng(1).random((4, 4, 5)), Quantity="geometry", Detector="20 10")
write("k", np.random.default_rng(1).random((4, 4, 5)), Quantity="geometry", Detector="30 10")'
    gantry join view g h both
    [ "$(dims both)" = "4 4 8" ]
    [ "$(section both Detector)" = "20 10" ]
    [ "$(section both Quantity)" = geometry ]
    fails 1 "different detectors" gantry join view g k y
    no_output y
}

@test "join: what does not go together is refused" {
    py '
write("a", np.zeros((3, 4), "f4"), Quantity="counts"); write("b", np.zeros((3, 5), "f4"))
write("c", np.zeros((3, 4), "f8")); write("d", np.zeros((3, 4), "f4"), Quantity="line-integral")'
    fails 1 "3 x 5" gantry join x a b y
    fails 1 "float64" gantry join x a c y
    fails 1 "line-integral" gantry join x a d y
    fails 2 "99" gantry join 99 a a y
    fails 2 "" gantry join x a
    fails 1 "nothere" gantry join x a nothere y
    no_output y
    gantry join --force x a d y
    [ "$(dims y)" = "6 4" ]
}
