load common

@test "cast: between all types values that fit stay" {
    py 'write("x", np.array([[0, 1, 2], [100, 31, 7]], "u1"))'
    types="int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex32 complex64 complex128"
    for a in $types; do
        gantry cast --type "$a" x a
        for b in bool $types; do
            gantry cast -q --narrow error --type "$b" a "$a-$b"
            [ "$(section "$a-$b" Type)" = "$b" ]
        done
    done
    py "x, types = read('x'), '$types'.split()
for a in types:
    for b in types: assert np.array_equal(read(a + '-' + b), x), (a, b)
    assert np.array_equal(read(a + '-bool'), x != 0), a"
}

@test "cast: rounds to nearest, ties to even" {
    py 'write("x", np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, 254.5, 255.4], "f4"))'
    gantry cast --type int16 x y
    py 'assert np.array_equal(read("y"), np.rint(read("x")))'
}

@test "cast: float16 as NumPy has it" {
    py 'r = np.random.default_rng(1); write("x", np.concatenate([r.standard_normal(5000) * 10.0 ** r.integers(-9, 5, 5000), [65504, 65519, 0, np.inf, np.nan]]).astype("f4"))'
    gantry cast --type float16 x h
    gantry cast --type float32 h y
    py 'assert np.array_equal(read("h"), read("x").astype("f2"), equal_nan=True); assert np.array_equal(read("y"), read("h").astype("f4"), equal_nan=True)'
    gantry cast --type float64 x d
    gantry cast --type float16 d g
    same_bytes h g
}

@test "cast: what does not fit is saturated, wrapped or refused, and counted" {
    py 'write("x", np.array([-1, 256, 300.6, np.nan, np.inf, 7], "f4"))'
    run --separate-stderr gantry cast --type uint8 x s
    [ "$status" -eq 0 ]
    [[ $stderr == *"5 of 6 values of x do not fit into uint8"* ]]
    py 'assert np.array_equal(read("s"), [0, 255, 255, 0, 255, 7])'
    gantry cast -q --narrow wrap --type uint8 x w
    py 'assert np.array_equal(read("w"), [255, 0, 45, 0, 0, 7])'
    fails 1 "5 of 6 values of x do not fit" gantry cast --narrow error --type uint8 x e
    no_output e
    py 'write("x", np.array([1e5, 1, np.inf], "f8"))'
    run --separate-stderr gantry cast --type float16 x h
    [[ $stderr == *"1 of 3"* ]]
    py 'write("x", np.array([1 + 1j, 2, 3j], "c8"))'
    run --separate-stderr gantry cast --type float32 x r
    [[ $stderr == *"2 of 3"*"imaginary"* ]]
    py 'assert np.array_equal(read("r"), [1, 2, 0])'
    run --separate-stderr gantry cast --type float64 r d
    [ -z "$stderr" ]
}

@test "cast: complex64 is what BART opens: 8 bytes per element, the dims on line 2" {
    py 'write("x", np.arange(6, dtype="f4").reshape(2, 3))'
    gantry cast --type complex64 x y
    [ "$(stat -c %s y.cfl)" -eq 48 ]
    [ "$(sed -n 1p y.hdr)" = "# Dimensions" ]
    read -r -a d <<<"$(sed -n 2p y.hdr)"
    [ "${d[0]} ${d[1]}" = "2 3" ]
    py 'assert np.array_equal(np.fromfile("y.cfl", "<c8"), np.fromfile("x.cfl", "<f4"))'
}

@test "cast: same bytes for any threads, through pipes, and in place" {
    gantry random --size 401:399:5 x
    gantry scale 50 x x
    for t in int8 float16 complex128; do
        gantry cast -q -j 1 --type $t x a
        gantry cast -q -j 2 --type $t x b
        gantry cast -q -j 7 --type $t x c
        same_bytes a b
        same_bytes a c
        gantry copy x - | gantry cast -q --type $t - - | gantry copy - d
        same_bytes a d
    done
    gantry cast -q --type int8 x a
    gantry cast -q --type int8 x x
    same_bytes a x
}

@test "cast: big-endian and .npy inputs" {
    py 'a = np.random.default_rng(3).standard_normal((70, 50, 30)).astype(">f4")
open("x.hdr", "w").write("# Dimensions\n70 50 30\n# Type\nfloat32\n# Byte-Order\nbig\n"); a.ravel(order="F").tofile("x.cfl")
np.save("n.npy", a); np.save("f.npy", np.asfortranarray(a))'
    gantry cast --type float64 x a
    gantry cast --type float64 n.npy b
    gantry cast --type float64 f.npy c
    same_bytes a b
    same_bytes a c
    py 'assert np.array_equal(read("a"), np.load("n.npy"))'
}

@test "cast: keeps grid, quantity and unit" {
    py 'write("x", np.ones((4, 4), "f4"), Spacing="0.5 2", Origin="1 2", Quantity="counts", Unit="photons")'
    gantry cast --type uint16 x y
    [ "$(section y Spacing)" = "0.5 2" ]
    [ "$(section y Quantity)" = counts ]
    [ "$(section y Unit)" = photons ]
}

@test "cast: bad input fails, says so and leaves no output" {
    gantry zeros --size 4 x
    fails 2 --type gantry cast x y
    fails 2 narrow gantry cast --type int8 --narrow other x y
    fails 1 nowhere gantry cast --type int8 nowhere y
    no_output y
}
