load common

@test "where: is NumPy's where for arrays of every pair of types, and repeats length 1" {
    types="bool int8 int16 int32 int64 uint8 uint16 uint32 float16 float32 float64 complex64 complex128"
    py "
r = np.random.default_rng(1)
for t in '$types'.split():
    write(t, r.integers(0, 2 if t == 'bool' else 100, (5, 7, 3)).astype(t))
write('mask', r.integers(0, 2, (5, 7, 3)).astype('f4'))"
    for a in bool int8 uint16 int64 float16 float32 complex64; do
        for b in $types; do
            gantry where mask $a $b $a-$b
        done
    done
    py "
m = read('mask') != 0
def get(t):
    return read(t).astype(t)
for a in 'bool int8 uint16 int64 float16 float32 complex64'.split():
    for b in '$types'.split():
        got, want = read(a + '-' + b), np.where(m, get(a), get(b))
        assert np.array_equal(got, want), (a, b)
        assert got.dtype == want.dtype or a == b == 'bool' or {a, b} & {'float16', 'complex64', 'float32'}, (a, b, got.dtype, want.dtype)"
    gantry where mask int8 uint8 c
    [ "$(section c Type)" = int16 ]
    py '
r = np.random.default_rng(2)
write("m", r.integers(0, 2, (1, 7)).astype("?")); write("a", r.random((5, 1, 3)).astype("f4")); write("b", r.random((1, 1, 1)).astype("f4"))'
    gantry where m a b c
    py '
b = read("b").ravel()[0]
assert np.array_equal(read("c"), np.where(read("m")[..., None], read("a"), b))'
}

@test "where: numbers take the type of the other where it can hold them" {
    py 'write("m", np.arange(6) % 2 == 0); write("u", np.arange(6, dtype="u1")); write("f", np.arange(6, dtype="f4")); write("c", np.arange(6).astype("c8"))'
    type_of() {
        gantry where m "$1" "$2" o
        section o Type
    }
    [ "$(type_of u 0)" = uint8 ]
    [ "$(type_of 255 u)" = uint8 ]
    [ "$(type_of u 256)" = int16 ]
    [ "$(type_of u 40000)" = uint16 ]
    [ "$(type_of u -1)" = int16 ]
    [ "$(type_of u 0.5)" = float32 ]
    [ "$(type_of f 0.1)" = float32 ]
    [ "$(type_of f 2i)" = complex64 ]
    [ "$(type_of c 1e300)" = complex64 ]
    [ "$(type_of m 1)" = bool ]
    [ "$(type_of m 2)" = int8 ]
    [ "$(type_of 1 0)" = int64 ]
    [ "$(type_of 1 0.5)" = float64 ]
    [ "$(type_of 1-2i 0)" = complex128 ]
    gantry where m u -1 o
    py 'assert read("o").tolist() == [0, -1, 2, -1, 4, -1]'
    gantry where m 1-2i f o
    py 'assert read("o").tolist() == [1 - 2j, 1, 1 - 2j, 3, 1 - 2j, 5]'
    gantry where m u 0 --type float32 o
    [ "$(section o Type)" = float32 ]
    gantry where -- m -1 u o
    py 'assert read("o").tolist() == [-1, 1, -1, 3, -1, 5]'
}

@test "where: the header is that of the choices" {
    py '
write("m", np.ones((4, 5), "?"), Spacing="2 2", Quantity="mask")
write("a", np.ones((4, 5), "f4"), Spacing="1 3", Origin="5 6", Quantity="attenuation", Unit="1/mm")
write("b", np.ones((4, 5), "f4"), Quantity="counts")'
    gantry where m a 0 o
    [ "$(section o Quantity)" = attenuation ]
    [ "$(section o Unit)" = 1/mm ]
    [ "$(gantry show --field spacing o)" = 1:3 ]
    gantry where m a b o
    [ -z "$(section o Quantity)" ]
    gantry where m 1 0 o
    [ -z "$(section o Quantity)" ]
    [ "$(gantry show --field spacing o)" = 2:2 ]
}

@test "where: positions are NumPy's, first index fastest" {
    py '
r = np.random.default_rng(1)
write("x", (r.random((2049, 7, 9)) > 0.7).astype("f4") * -2.5)
write("line", r.integers(0, 2, 4097).astype("?"))
write("z", (r.random((5, 4)) > 0.5) * 1j)
write("nan", np.array([0, np.nan, 1, -0.0], "f4"))'
    for n in x line z nan; do
        gantry where $n $n.at
        [ "$(section $n.at Type)" = int64 ]
    done
    py '
for n in "x", "line", "z", "nan":
    a, got = read(n), read(n + ".at")
    want = np.array(np.nonzero(a.ravel(order="F"))[0])
    want = np.array(np.unravel_index(want, a.shape, order="F"))
    assert np.array_equal(got.reshape(want.shape), want), n'
    gantry view --index line.at '[index]' line picked
    py 'assert read("picked").all() and read("picked").size == read("line").sum()'
}

@test "where: same bytes for any threads, through pipes and in place" {
    gantry random --size 257:31:50 a
    gantry random --size 257:31:50 --seed 2 b
    gantry random --size 257:31:50 --seed 3 --type float16 r
    gantry cast --type uint8 r m 2>/dev/null
    gantry where -j 1 m a b x
    gantry where -j 7 m a b y
    same_bytes x y
    gantry copy m - | gantry where - a b - | gantry copy - y
    same_bytes x y
    gantry copy a - | GANTRY_TMPDIR=/dev/null/none gantry where m - b - | gantry copy - y
    same_bytes x y
    gantry where -j 1 m p
    gantry where -j 7 m q
    same_bytes p q
    gantry copy m - | gantry where - - | gantry copy - q
    same_bytes p q
    gantry where m a b a
    same_bytes x a
    gantry history x | tail -1 | grep -q '^gantry where '
}

@test "where: bad input" {
    gantry zeros --size 4:5 x
    gantry ones --size 4:6 w
    fails 1 "all 20 elements are false" gantry where x y
    fails 2 "A without B" gantry where x w y
    fails 1 "4 x 6" gantry where x w 0 y
    fails 1 "4 x 6" gantry where w x 0 y
    fails 1 nothere gantry where x nothere 0 y
    fails 1 nothere gantry where nothere 1 0 y
    fails 2 "--type has no effect without A and B" gantry where w y --type int8
    fails 2 "expected" gantry where x
    gantry copy w - | head -c -8 >cut
    fails 1 'standard input' gantry where - 1 0 y <cut
    fails 1 'standard input' gantry where - y <cut
    no_output y
}
