load common

@test "scale: every type against NumPy" {
    py 'for t in "u1 i2 i4 u8 f2 f4 f8 c8 c16".split():
    write(t, (np.arange(30).reshape(5, 6) - (0 if t[0] == "u" else 7)).astype(t))'
    for t in u1 i2 i4 u8 f2 f4 f8 c8 c16; do
        gantry scale 2 $t a
        gantry scale 0.25 $t b
        gantry scale 1+1i $t c
        py "x, a, b, c = (read(n) for n in ['$t', 'a', 'b', 'c'])
assert a.dtype == x.dtype and np.array_equal(a, 2 * x), a
assert b.dtype.kind in 'fc' and np.array_equal(b, x * 0.25), b
assert c.dtype.kind == 'c' and np.array_equal(c, x * (1 + 1j)), c"
    done
}

@test "scale: by -1 twice is the identity, by 0 nothing" {
    gantry random --size 100:99:7 x
    gantry scale -1 x y
    gantry scale -- -1 y y
    same_bytes x y
    gantry scale 0 x y
    py 'assert not read("y").any()'
}

@test "scale: keeps grid, quantity and unit" {
    py 'write("x", np.ones((4, 4), "f4"), Spacing="0.5 2", Origin="1 2", Quantity="attenuation", Unit="1/mm")'
    gantry scale 3 x y
    [ "$(section y Spacing)" = "0.5 2" ]
    [ "$(section y Origin)" = "1 2" ]
    [ "$(section y Quantity)" = attenuation ]
    [ "$(section y Unit)" = 1/mm ]
}

@test "scale: same bytes for any threads, in place and through pipes" {
    gantry random --size 511:333:3 x
    gantry scale -j 1 0.1 x a
    gantry scale -j 2 0.1 x b
    gantry scale -j 7 0.1 x c
    same_bytes a b
    same_bytes a c
    gantry copy x - | gantry scale 0.1 - - >stream
    gantry copy - d <stream
    same_bytes a d
    gantry scale 0.1 x x
    same_bytes a x
}

@test "scale: integers clip with a warning; --type gives room" {
    py 'write("x", np.array([100, -100, 3], "i1"))'
    run --separate-stderr gantry scale 2 x y
    [ "$status" -eq 0 ]
    [[ $stderr == *"2 of 3 values do not fit into int8"* ]]
    py 'assert np.array_equal(read("y"), [127, -128, 6])'
    gantry scale --type int16 2 x y
    py 'assert read("y").dtype == np.int16 and np.array_equal(read("y"), [200, -200, 6])'
}

@test "scale: --profile counts the primitives" {
    gantry zeros --size 300:300 x
    run --separate-stderr gantry scale --profile 2 x y
    [ "$status" -eq 0 ]
    [[ $stderr == *slabs*pass* ]]
}

@test "scale: bad input fails, says so and leaves no output" {
    gantry zeros --size 4 x
    fails 2 FACTOR gantry scale 1e999 x y
    fails 2 FACTOR gantry scale 1+ x y
    fails 1 nowhere gantry scale 2 nowhere y
    no_output y
}
