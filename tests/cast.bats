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

@test "cast: foreign byte order and C order of every type, read where they are" {
    py 'r = np.random.default_rng(5)
for t in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
    a = (r.integers(0, 90, (33, 21, 70)) * (1 + 1j if t[0] == "c" else 1)).astype(t)
    np.save("c-%s.npy" % t, a); np.save("b-%s.npy" % t, a.astype(a.dtype.newbyteorder(">"))); np.save("f-%s.npy" % t, np.asfortranarray(a))
    open("h-%s.hdr" % t, "w").write("# Dimensions\n33 21 70\n# Type\n%s\n# Byte-Order\nbig\n" % a.dtype.name)
    a.astype(a.dtype.newbyteorder(">")).ravel(order="F").tofile("h-%s.cfl" % t)'
    export GANTRY_TMPDIR=$PWD/nowhere # nothing can be spooled
    for t in b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16; do
        gantry cast -q --type complex128 f-$t.npy want
        for k in c-$t.npy b-$t.npy h-$t; do
            gantry cast -q -j 2 --type complex128 "$k" got
            same_bytes want got
        done
    done
    gantry cast -q --type uint8 --narrow wrap c-i8.npy got
    gantry cast -q --type uint8 --narrow wrap f-i8.npy want
    same_bytes want got
}

@test "cast: values of a foreign file that do not fit are counted, too" {
    py 'np.save("x.npy", np.array([[1, 300], [-5, 7]], ">i2"))'
    run --separate-stderr gantry cast --type uint8 x.npy y
    [ "$status" -eq 0 ]
    [[ $stderr == *"2 of 4 values of x.npy do not fit into uint8: clipped"* ]]
    py 'assert np.array_equal(read("y"), [[1, 255], [0, 7]])'
    fails 1 "2 of 4 values of x.npy do not fit into uint8" gantry cast --narrow error --type uint8 x.npy z
    no_output z
}

@test "cast: little private memory for a large foreign file" {
    sanitized && skip "sanitizers need memory of their own"
    py 'np.save("x.npy", np.broadcast_to(np.arange(500, dtype=">i2"), (100, 600, 500)))'
    (
        unset GANTRY_DEVICE # drivers need memory of their own
        ulimit -d 40000 # KiB of writable private memory; the file has 60 MB
        GANTRY_TMPDIR=$PWD/nowhere gantry cast -j 2 --type float32 x.npy y
    )
    py 'a = read("y"); assert a.shape == (100, 600, 500) and np.array_equal(a[7, 599], np.arange(500))'
}
