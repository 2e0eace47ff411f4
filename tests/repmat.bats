load common

@test "repmat: is NumPy's tile, every type" {
    for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128; do
        py "write('$t', np.random.default_rng(1).integers(0, 2 if '$t' == 'bool' else 100, (5, 1, 3)).astype('$t'))"
        gantry repmat 0 3 $t $t-0
        gantry repmat y 4 $t $t-1
        gantry repmat z 2 x 3 y 2 3 5 $t $t-all
    done
    py '
for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    a = read(t)
    for name, counts in ("0", (3, 1, 1)), ("1", (1, 4, 1)), ("all", (3, 2, 2, 5)):
        b, want = read(f"{t}-{name}"), np.tile(a[..., None] if len(counts) == 4 else a, counts)
        assert b.dtype == a.dtype and np.array_equal(b, want), (t, name)'
}

@test "repmat: one copy is the identity; elements stay at their place in mm" {
    py 'write("x", np.random.default_rng(2).random((4, 5)).astype("f4"), Spacing="2 3", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    gantry repmat x 1 y 1 x a
    same_bytes x a
    for field in dims spacing quantity unit; do
        [ "$(gantry show --field $field x)" = "$(gantry show --field $field a)" ]
    done
    gantry repmat y 3 x b
    [ "$(gantry show --field spacing b)" = 2:3 ]
    [ "$(gantry show --field origin b)" = -3:-6 ]
    [ "$(section b Scanner)" = A7 ]
    gantry extract y 0:5 b c
    same_bytes x c
    [ "$(gantry show --field origin c)" = -3:-6 ]
}

@test "repmat: all sixteen dims at once" {
    py 'write("x", np.arange(2 ** 8, dtype="u1").reshape((2,) * 8 + (1,) * 8))'
    mapfile -t pairs < <(for d in $(seq 0 15); do printf '%s\n' "$d" $((d % 2 + 1)); done)
    gantry repmat "${pairs[@]}" x y
    py '
x = np.arange(2 ** 8, dtype="u1").reshape((2,) * 8 + (1,) * 8)
assert np.array_equal(read("y"), np.tile(x, [d % 2 + 1 for d in range(16)]))'
    mapfile -t pairs < <(for d in $(seq 0 8); do printf '%s\n' "$d" 2; done)
    gantry repmat "${pairs[@]}" x z
    py '
x = np.arange(2 ** 8, dtype="u1").reshape((2,) * 8 + (1,))
assert np.array_equal(read("z"), np.tile(x, (2,) * 9))'
}

@test "repmat: same bytes for any threads, through pipes, and in place" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (2049, 31, 3)).astype("u2"))'
    for what in "0 3" "1 5" "2 7" "3 4" "0 2 2 2"; do
        gantry repmat -j 1 $what x a
        gantry repmat -j 7 $what x b
        same_bytes a b
        gantry copy x - | gantry repmat $what - - | gantry copy - c
        same_bytes a c
    done
    gantry repmat 0 2 2 2 x x
    same_bytes a x
}

@test "repmat: more than one block of mapped files" {
    py 'write("x", np.random.default_rng(5).integers(0, 2**32, (330, 3, 340), "u4"))'
    gantry repmat 1 100 2 2 x a
    gantry repmat 1 100 2 2 x - | gantry copy - b
    same_bytes a b
    py '
x = read("x")
a = np.memmap("a.cfl", "u4", "r", shape=(330, 3, 100, 340, 2), order="F")
assert np.array_equal(a, np.broadcast_to(x[:, :, None, :, None], a.shape))'
}

@test "repmat: a stream repeats along its first dims without a spool" {
    py 'write("x", np.random.default_rng(3).random((64, 32, 16)))'
    gantry repmat 0 3 1 2 x a
    GANTRY_TMPDIR=/dev/null/none gantry repmat 0 3 1 2 - b < <(gantry copy x -)
    same_bytes a b
}

@test "repmat: bad input" {
    py 'write("x", np.zeros((3, 4), "f4"))'
    fails 2 "0 copies" gantry repmat x 0 x y
    fails 2 "-2 copies" gantry repmat x -2 x y
    fails 2 "1.5" gantry repmat x 1.5 x y
    fails 2 twice gantry repmat x 1 u 2 x y
    fails 2 pairs gantry repmat x 1 y x y
    fails 1 "63 bits" gantry repmat x 4000000000000000000 x y
    fails 1 "63 bits" gantry repmat x 2000000000 y 2000000000 x y
    fails 1 nothere gantry repmat x 1 nothere y
    gantry copy x - | head -c -8 >cut
    fails 1 'standard input' gantry repmat 0 2 - y <cut
    fails 1 'standard input' gantry repmat 1 2 - y <cut
    no_output y
}
