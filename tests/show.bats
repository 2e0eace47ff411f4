load common

@test "show: header and fields" {
    py 'write("x", np.zeros((4, 5, 6), "u2"), Spacing="1 2 0.5", Origin="-3 0.1 7", Quantity="counts", Unit="adu", Scanner="A7")'
    gantry show x >page
    for word in "4 x 5 x 6" uint16 "240 bytes" "0.5 mm" "0.1" counts adu A7; do
        grep -qF "$word" page
    done
    [ "$(gantry show --field dims x)" = 4:5:6 ]
    [ "$(gantry show --field rank x)" = 3 ]
    [ "$(gantry show --field type x)" = uint16 ]
    [ "$(gantry show --field count x)" = 120 ]
    [ "$(gantry show --field bytes x)" = 240 ]
    [ "$(gantry show --field spacing x)" = 1:2:0.5 ]
    [ "$(gantry show --field origin x)" = -3:0.1:7 ]
    [ "$(gantry show --field quantity x)" = counts ]
    [ "$(gantry show --field unit x)" = adu ]
    [ -z "$(gantry show --field detector x)" ]
}

@test "show: an array that says nothing has spacing 1 and is centred" {
    py 'write("x", np.zeros((4, 5), "f4"))'
    [ "$(gantry show --field spacing x)" = 1:1 ]
    [ "$(gantry show --field origin x)" = -1.5:-2 ]
    [ "$(gantry show --field quantity x)" = unknown ]
}

@test "show: elements are printed so that they read back exactly" {
    py '
rng = np.random.default_rng(1)
for t in ["u1", "i8", "u8", "f4", "f8"]:
    a = rng.integers(0, 255, (3, 4, 2)).astype(t)
    if t[0] == "f":
        a = (rng.standard_normal((3, 4, 2)) * 10.0 ** rng.integers(-30, 30, (3, 4, 2))).astype(t)
    if t in ("i8", "u8"):
        a[0, 0, 0] = np.iinfo(t).max
        a[1, 0, 0] = np.iinfo(t).min
    write(t, a)'
    for t in u1 i8 u8 f4 f8; do
        gantry show --data $t >$t.txt
        gantry show --range : $t >$t.list
    done
    py '
for t in ["u1", "i8", "u8", "f4", "f8"]:
    for name in "txt", "list":
        words = open(f"{t}.{name}").read().split()
        assert np.array_equal(np.array([(float if t[0] == "f" else int)(w) for w in words], dtype=t), read(t).ravel(order="F")), (t, name)
    lines = open(t + ".txt").read().split("\n")
    assert len(lines[0].split()) == 3 and lines[4] == "" and len(lines) == 10'
}

@test "show: complex elements, NaN and infinity" {
    py 'write("z", np.array([1 + 2j, -1.5 - 0.25j, complex(0, np.inf)]).astype("c8")); write("x", np.array([np.nan, -np.inf, 0]).astype("f4"))'
    [ "$(gantry show --data z)" = "1+2i -1.5-0.25i 0+infi" ]
    [ "$(gantry show --data x)" = "nan -inf 0" ]
}

@test "show: ranges, and no flood of the terminal" {
    py 'write("x", np.arange(5000, dtype="i4").reshape(50, 100, order="F"))'
    [ "$(gantry show --range 7 x)" = 7 ]
    [ "$(gantry show --range -2: x | tr '\n' ' ')" = "4998 4999 " ]
    [ "$(gantry show --range 10:0:-5 x | tr '\n' ' ')" = "10 5 " ]
    fails 1 "5000 elements" gantry show --data x
    [ "$(gantry show --data --limit 5000 x | wc -w)" = 5000 ]
    fails 2 outside gantry show --range 0:5001 x
}

@test "show: streams, cut ones included" {
    py 'write("x", np.arange(24, dtype="f4").reshape(2, 3, 4), Unit="1/mm")'
    [ "$(gantry copy x - | gantry show --field unit -)" = 1/mm ]
    [ "$(gantry copy x - | gantry show --field dims -)" = 2:3:4 ]
    [ "$(gantry copy x - | gantry show --data -)" = "$(gantry show --data x)" ]
    gantry copy x - | head -c -3 >cut
    fails 1 "" gantry show - <cut
}

@test "show: the steps, and the way to the views of a geometry" {
    py 'write("g", np.zeros((4, 4, 3)), Quantity="geometry", Detector="20 10 7.5"); write("x", np.zeros((3, 4)))'
    gantry show g | grep -q "gantry geom g"
    [ "$(gantry show --field detector g)" = 20:10 ]
    [ "$(gantry show --field radius g)" = 7.5 ]
    gantry flip x x y
    gantry show --history y | grep -q ": flip x "
    [ "$(gantry show --field command y)" = "gantry flip x x y" ]
    [ -z "$(gantry show --history x)" ]
}

@test "show: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 field gantry show --field nothing x
    fails 2 exclude gantry show --field dims --data x
    fails 1 nothere gantry show nothere
}

@test "show: nothing that steers a terminal gets through" {
    zeros --size 4 x
    printf '# Unit\n\033[31mred\n# Colour\n\033]0;title\007\n' >>x.hdr
    show x >said
    grep -q 'unit      \\x1b\[31mred' said
    run ! grep -q -P '[\x00-\x08\x0b-\x1f\x7f]' said
}
