load common

@test "extract: ranges against NumPy's slices" {
    py '
rng = np.random.default_rng(1)
for t in ["u1", "f4", "c16"]:
    write(t, rng.integers(0, 200, (9, 11, 7, 3)).astype(t))'
    for t in u1 f4 c16; do
        gantry extract x 2:7 $t $t-0
        gantry extract 0 -3: y :-2 $t $t-1
        gantry extract y 1::3 z ::2 $t $t-2
        gantry extract z 5:1:-2 $t $t-3
        gantry extract z 4 x ::-1 $t $t-4
        gantry extract channel 1:2 $t $t-5
    done
    py '
for t in ["u1", "f4", "c16"]:
    a = read(t)
    for i, want in enumerate([a[2:7], a[-3:, :-2], a[:, 1::3, ::2], a[:, :, 5:1:-2], a[::-1, :, 4:5], a[..., 1]]):
        b = read(f"{t}-{i}")
        assert b.dtype == a.dtype and np.array_equal(b, want), (t, i)'
}

@test "extract: every kept element stays at its place in mm" {
    py 'write("x", np.zeros((10, 11, 12), "f4"), Spacing="1 2 0.5", Origin="100 -4 3"); write("c", np.zeros((10, 11), "f4"))'
    gantry extract x 3:8 y 1::3 z -4: x y
    [ "$(gantry show --field dims y)" = 5:4:4 ]
    [ "$(gantry show --field spacing y)" = 1:6:0.5 ]
    [ "$(gantry show --field origin y)" = 103:-2:7 ]
    gantry extract x 2:5 c d
    [ "$(gantry show --field origin d)" = -2.5:-5 ]
    gantry extract x 8:2:-2 x z
    [ "$(gantry show --field spacing z)" = 2:2:0.5 ]
    [ "$(gantry show --field origin z)" = 104:-4:3 ]
}

@test "extract: parts joined are the whole, at its place" {
    py 'write("x", np.random.default_rng(2).random((20, 30, 10)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    for d in x y z; do
        gantry extract $d :3 x a
        gantry extract $d 3:4 x b
        gantry extract $d 4: x c
        gantry join $d a b c y
        same_bytes x y
        for field in dims spacing origin unit quantity; do
            [ "$(gantry show --field $field x)" = "$(gantry show --field $field y)" ]
        done
        [ "$(section y Scanner)" = A7 ]
    done
}

@test "extract: streams, and same bytes for any threads" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (257, 301, 130)).astype("u2"))'
    for what in "x 5:100" "y 200:10:-1" "z 3::5" "z 100:3:-1" "x 1 z 7" "x ::2 y ::3 z ::4" "z 129" "z 0:1"; do
        gantry extract -j 1 $what x a
        gantry extract -j 7 $what x b
        same_bytes a b
        gantry copy x - | gantry extract $what - - | gantry copy - c
        same_bytes a c
        gantry extract $what x - | gantry copy - d
        same_bytes a d
    done
}

@test "extract: views of a geometry keep its detector and get no grid" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 12)), Quantity="geometry", Detector="20 10 700")'
    gantry extract view ::3 g h
    [ "$(section h Quantity)" = geometry ]
    [ "$(section h Detector)" = "20 10 700" ]
    [ -z "$(section h Spacing)" ]
    [ -z "$(section h Origin)" ]
    [ "$(dims h)" = "4 4 4" ]
    gantry extract 0 :3 g k
    [ -z "$(section k Quantity)" ]
    [ -z "$(section k Detector)" ]
}

@test "extract: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 "outside" gantry extract x 0:4 x y
    fails 2 "outside" gantry extract x -4: x y
    fails 2 "selects none of 4 elements" gantry extract y 2:2 x y
    fails 2 "step 0" gantry extract y ::0 x y
    fails 2 "99" gantry extract 99 0:1 x y
    fails 2 "pairs" gantry extract x 0:1 y x y
    fails 2 "twice" gantry extract x 0:1 0 0:1 x y
    fails 2 "not an integer" gantry extract x a:b x y
    no_output y
}
