load common

@test "saxpy: float32 and float64 as NumPy rounds them" {
    py 'r = np.random.default_rng(1)
for t in "f4", "f8":
    write("x" + t, r.standard_normal((37, 41, 3)).astype(t)); write("y" + t, r.standard_normal((37, 41, 3)).astype(t))'
    for t in f4 f8; do
        for s in 2 -0.3 1e-3; do
            gantry saxpy $s x$t y$t z
            py "x, y, z = read('x$t'), read('y$t'), read('z'); assert z.dtype == x.dtype and np.array_equal(z, x.dtype.type($s) * x + y)"
        done
    done
}

@test "saxpy, scale: truth values become numbers" {
    py 'write("x", np.array([0, 1, 0, 1], "?")); write("y", np.array([0, 0, 1, 1], "?"))'
    gantry saxpy -1 x y z
    gantry scale -- -2 x s
    py 'assert read("z").dtype == read("s").dtype == np.int8
assert read("z").tolist() == [0, -1, 1, 0] and read("s").tolist() == [0, -2, 0, -2]'
}

@test "saxpy: complex arrays and factors" {
    py 'r = np.random.default_rng(2)
write("x", r.standard_normal((20, 30)).astype("f4")); write("y", (r.standard_normal((20, 30)) + 1j * r.standard_normal((20, 30))).astype("c8"))'
    gantry saxpy 1-2i x y a
    gantry saxpy 3i y x b
    gantry saxpy 2i x x c
    gantry saxpy -2 y y d
    py 'x, y = read("x"), read("y")
def near(n, want):
    z = read(n)
    assert z.dtype == np.complex64 and np.allclose(z, want, rtol=1e-6, atol=1e-6), n
near("a", (1 - 2j) * x + y); near("b", 3j * y + x); near("c", (2j + 1) * x); near("d", -y)'
}

@test "saxpy: the type of the result is the smallest that holds both" {
    py 'for t in "u1 i1 u2 i2 i4 i8 u8 f2 f4 f8 c8 c16".split():
    write(t, np.array([1, 2, 100]).astype(t))'
    while read -r x y s want; do
        gantry saxpy "$s" "$x" "$y" z
        [ "$(section z Type)" = "$want" ] || { echo "$s $x + $y: $(section z Type), expected $want"; false; }
        py "z = read('z'); assert np.allclose(z, complex('$s'.replace('i', 'j')) * np.array([1, 2, 100]) + np.array([1, 2, 100]), rtol=2e-3), z"
    done <<'LIST'
u1 u1 1 uint8
u1 i1 1 int16
u2 i2 2 int32
i8 i8 3 int64
u8 u8 3 uint64
u1 u2 0.5 float32
i4 u1 0.5 float64
u1 f2 2 float16
i2 f2 2 float32
f4 i4 2 float64
f4 f8 2 float64
f4 f4 1i complex64
f2 f2 1i complex32
i8 i8 1i complex128
c8 f8 2 complex128
LIST
}

@test "saxpy: integers are exact, and clipped with a warning" {
    py 'write("x", np.array([2**62 // 3, -5, 7], "i8")); write("y", np.array([1, 1, -2**62], "i8")); write("u", np.array([200, 3, 4], "u1"))'
    gantry saxpy 3 x y z
    py 'assert np.array_equal(read("z"), [2**62 // 3 * 3 + 1, -14, 21 - 2**62])'
    gantry saxpy -1 u u zero
    py 'assert np.array_equal(read("zero"), [0, 0, 0])'
    run --separate-stderr gantry saxpy 1 u u z
    [ "$status" -eq 0 ]
    [[ $stderr == *"1 of 3 values do not fit into uint8"* ]]
    py 'assert np.array_equal(read("z"), [255, 6, 8])'
    gantry saxpy --type float32 1 u u z
    py 'assert read("z").dtype == np.float32 and read("z")[0] == 400'
}

@test "saxpy: --type decides the precision of the arithmetic" {
    py 'write("x", np.full(4, 2**24, "f4")); write("y", np.ones(4, "f4"))'
    gantry saxpy --type float64 1 x y z
    py 'assert np.array_equal(read("z"), np.full(4, 2.0**24 + 1))'
    gantry saxpy 1 x y z
    py 'assert np.array_equal(read("z"), np.full(4, 2.0**24))'
}

@test "saxpy: an output may carry the name of an input" {
    gantry random --size 300:200:5 x
    gantry random --size 300:200:5 --seed 1 y
    gantry saxpy 2 x y z
    gantry saxpy 2 x y y
    same_bytes y z
    gantry saxpy -1 z z z
    py 'assert not read("z").any()'
}

@test "saxpy: same bytes for any threads and through pipes" {
    gantry random --size 513:255:9 x
    gantry random --size 513:255:9 --type complex64 y
    gantry saxpy -j 1 0.1-3i x y a
    for j in 2 7; do
        gantry saxpy -j $j 0.1-3i x y b
        same_bytes a b
    done
    gantry copy x - | gantry saxpy 0.1-3i - y - | gantry copy - b
    same_bytes a b
    gantry copy y - | gantry saxpy 0.1-3i x - b
    same_bytes a b
}

@test "saxpy: repeats dimensions of length 1" {
    py 'r = np.random.default_rng(4); write("x", r.standard_normal((6, 1, 5))); write("y", r.standard_normal((1, 7, 5, 2))); write("s", np.array([3.]))'
    gantry saxpy 2 x y z
    py 'assert np.array_equal(read("z"), 2 * read("x")[..., None] + read("y"))'
    gantry saxpy 1 x s z
    py 'assert np.array_equal(read("z"), read("x") + 3)'
    py 'write("w", np.zeros((6, 3, 5)))'
    gantry saxpy 1 x w z
    py 'write("w", np.zeros((5, 1, 5)))'
    fails 1 "6 x 1 x 5" gantry saxpy 1 x w bad
    no_output bad
}

@test "saxpy: NaN and infinity pass as in IEEE 754" {
    py 'write("x", np.array([np.nan, np.inf, -np.inf, 0, 1], "f4")); write("y", np.array([1, 1, np.inf, np.nan, -1], "f4"))'
    gantry saxpy 1 x y z
    py 'assert np.array_equal(read("z"), read("x") + read("y"), equal_nan=True)'
}

@test "saxpy: keeps grid, quantity and unit where the two agree" {
    py 'write("x", np.ones((4, 4), "f4"), Spacing="0.5 2", Origin="1 2", Quantity="attenuation", Unit="1/mm", Scanner="A7")
write("y", np.ones((4, 4), "f4"), Spacing="0.5 2", Quantity="attenuation", Unit="1/cm"); write("n", np.ones((4, 4), "f4"), Quantity="counts")
write("b", np.ones((1, 4), "f4"))'
    gantry saxpy 2 x y z
    [ "$(section z Spacing)" = "0.5 2" ]
    [ "$(section z Origin)" = "1 2" ]
    [ "$(section z Quantity)" = attenuation ]
    [ -z "$(section z Unit)" ]
    [ "$(section z Scanner)" = A7 ]
    gantry saxpy 2 x n z
    [ -z "$(section z Quantity)" ]
    gantry saxpy 2 b x z
    [ "$(section z Spacing)" = "0.5 2" ]
    [ "$(section z Unit)" = 1/mm ]
}

@test "saxpy: sizes beside powers of two" {
    for n in 2047 2049 4097; do
        gantry random --size $n:33 x
        gantry saxpy 2 x x y
        py 'assert np.array_equal(read("y"), np.float32(3) * read("x")) or np.array_equal(read("y"), np.float32(2) * read("x") + read("x"))'
    done
}

@test "saxpy: starts before its input has ended" {
    gantry zeros --size 1024:1024:20 x
    gantry copy x - >stream
    { head -c 60000000 stream; sleep 1; date +%s%N >resumed; tail -c +60000001 stream; } |
        gantry saxpy 1 - x - | { head -c 16000000 >/dev/null; date +%s%N >seen; cat >/dev/null; }
    [ "$(cat seen)" -lt "$(cat resumed)" ]
}

@test "saxpy: little private memory for large files and streams" {
    sanitized && skip "sanitizers need memory of their own"
    gantry zeros --size 1024:1024:32 x
    (
        unset GANTRY_DEVICE # drivers need memory of their own
        ulimit -d 110000 # KiB of writable private memory; the file has 134 MB
        gantry saxpy -j 2 2 x x y
        gantry saxpy -j 2 --type complex128 2 x x - | gantry scale -j 2 2 - - | gantry cast --type float32 -j 2 - z
    )
    same_bytes x z
}

@test "saxpy: bad input fails, says so and leaves no output" {
    py 'write("x", np.ones((3, 4), "f4")); write("y", np.ones((4, 3), "f4"))'
    fails 1 "expected equal dimensions" gantry saxpy 2 x y z
    fails 1 missing gantry saxpy 2 x missing z
    fails 2 SCALE gantry saxpy two x x z
    fails 2 SCALE gantry saxpy nan x x z
    fails 2 OUT gantry saxpy 2 x y
    fails 2 type gantry saxpy --type float31 2 x x z
    fails 2 - gantry saxpy 2 - - z
    truncate -s 20 y.cfl
    fails 1 y.cfl gantry saxpy 2 x y z
    no_output z
}
