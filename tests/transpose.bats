load common

@test "transpose: every pair of dims and every type against NumPy" {
    py '
rng = np.random.default_rng(1)
for i, t in enumerate(["u1", "i2", "f4", "c8", "c16"]):
    a = rng.integers(0, 200, (5, 7, 3, 4)).astype(t)
    write(t, a + 1j * a[::-1] if t[0] == "c" else a)'
    for t in u1 i2 f4 c8 c16; do
        gantry transpose 0 1 $t $t-01
        gantry transpose z x $t $t-02
        gantry transpose 1 3 $t $t-13
    done
    py '
for t in ["u1", "i2", "f4", "c8", "c16"]:
    a = read(t)
    for p, q in (0, 1), (0, 2), (1, 3):
        b = read(f"{t}-{p}{q}")
        assert b.dtype == a.dtype and np.array_equal(b, a.swapaxes(p, q)), (t, p, q)'
}

@test "transpose: twice is the identity, header included" {
    py 'write("x", np.random.default_rng(2).random((33, 65, 17)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    for pair in "0 1" "0 2" "1 2"; do
        gantry transpose $pair x y
        gantry transpose $pair y z
        same_bytes x z
        [ "$(gantry show --field spacing z)" = 1:2:3 ]
        [ "$(gantry show --field origin z)" = 4:5:6 ]
        [ "$(section z Scanner)" = A7 ]
        [ "$(section z Quantity)" = attenuation ]
        [ "$(section z Unit)" = 1/mm ]
    done
}

@test "transpose: spacing and origin go with their dimension" {
    py 'write("x", np.zeros((4, 5, 6), "f4"), Spacing="1 2 3", Origin="10 20 30")'
    gantry transpose y z x y
    [ "$(gantry show --field dims y)" = 4:6:5 ]
    [ "$(gantry show --field spacing y)" = 1:3:2 ]
    [ "$(gantry show --field origin y)" = 10:30:20 ]
}

@test "transpose: large enough for blocks, same bytes for any threads and through pipes" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (257, 301, 130)).astype("u2"))'
    for pair in "0 1" "0 2" "1 2"; do
        gantry transpose -j 1 $pair x a
        gantry transpose -j 7 $pair x b
        gantry copy x - | gantry transpose $pair - - | gantry copy - c
        same_bytes a b
        same_bytes a c
        py "p, q = map(int, '$pair'.split()); assert np.array_equal(read('a'), read('x').swapaxes(p, q))"
    done
}

@test "transpose: more than one block of mapped files" {
    py 'open("x.hdr", "w").write("# Dimensions\n330 321 340\n# Type\nfloat32\n"); np.random.default_rng(5).integers(0, 2**32, 330 * 321 * 340, "u4").tofile("x.cfl")'
    gantry transpose 0 2 x a
    gantry transpose 0 2 x - | gantry copy - b
    same_bytes a b
    py '
x, a = (np.memmap(n + ".cfl", "u4", "r", shape=s, order="F") for n, s in (("x", (330, 321, 340)), ("a", (340, 321, 330))))
assert x.max() > x.min() and np.array_equal(a.transpose(2, 1, 0), x)'
}

@test "transpose: an output may carry the name of the input" {
    py 'write("x", np.arange(12, dtype="f4").reshape(3, 4)); write("y", np.arange(12, dtype="f4").reshape(3, 4).T)'
    gantry transpose 0 1 x x
    same_bytes x y
    [ "$(dims x)" = "4 3" ]
}

@test "transpose: a geometry whose first dims are exchanged is one no more, views keep their detector" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 5)), Quantity="geometry", Detector="20 10")'
    gantry transpose 0 1 g a
    [ -z "$(section a Quantity)" ]
    [ -z "$(section a Detector)" ]
    gantry transpose view channel g b
    [ "$(section b Quantity)" = geometry ]
    [ "$(section b Detector)" = "20 10" ]
}

@test "transpose: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 99 gantry transpose 0 99 x y
    fails 2 'expected' gantry transpose 0 x y
    fails 2 w gantry transpose w 0 x y
    fails 1 nothere gantry transpose 0 1 nothere y
    no_output y
}

@test "transpose, permute, extract and flip: # Direction goes with the axes, elements keep their places in the world" {
    py 'write("x", np.random.default_rng(0).random((3, 4, 5)).astype("f4"), Spacing="2 3 4", Origin="10 20 30", Direction="0 1 0 0 0 1 1 0 0")'
    gantry transpose x y x a
    [ "$(section a Direction)" = "0 0 1 0 1 0 1 0 0" ]
    gantry permute z:x:y x b
    [ -z "$(section b Direction)" ] # the identity
    gantry extract y 1: x c
    gantry flip x x e
    for f in a b e; do [ "$(section $f Origin | cut -d" " -f1-3)" = "10 20 30" ]; done
    [ "$(section b Spacing | cut -d" " -f1-3)" = "4 2 3" ]
    [ "$(section c Origin | cut -d" " -f1-3)" = "10 20 33" ]
    [ "$(section e Direction)" = "0 1 0 0 0 1 1 0 0" ]
    gantry transpose x time x g 2>said
    grep -q "'# Direction' is dropped" said
    [ -z "$(section g Direction)" ]
}
