load common

@test "index: counts from 0 along its dim, int64, the other dims have length 1" {
    gantry index x 2049 a
    gantry index channel 7 b
    py '
assert np.array_equal(read("a"), np.arange(2049)) and read("a").dtype == np.int64
assert read("b").shape == (1, 1, 1, 7) and np.array_equal(read("b").ravel(), np.arange(7))'
}

@test "index: every type, start and step" {
    for t in int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128; do
        gantry index 1 41 --start 3 --step 2 --type $t o
        py "assert np.array_equal(read('o'), np.arange(3, 85, 2).astype('$t')[None]) and read('o').dtype == '$t'"
    done
    gantry index 0 4097 --start -2 --step -3 o
    py 'assert np.array_equal(read("o"), -2 - 3 * np.arange(4097))'
    gantry index 0 5 --step 0.25 o
    [ "$(section o Type)" = float64 ]
    py 'assert read("o").tolist() == [0, 0.25, 0.5, 0.75, 1]'
    gantry index 0 5 --start 1e15 --step 1e15 o
    py 'assert read("o").tolist() == [10**15 * k for k in range(1, 6)]'
    gantry index 0 3 --step 0 --start 7 o
    py 'assert read("o").tolist() == [7, 7, 7]'
}

@test "index: more than one slab, same bytes for any threads and through a pipe" {
    gantry index z 3000001 --type int32 -j 1 a
    gantry index z 3000001 --type int32 -j 7 b
    gantry index z 3000001 --type int32 - | gantry copy - c
    same_bytes a b
    same_bytes a c
    py 'a = read("a").ravel(); assert a[-1] == 3000000 and (np.diff(a) == 1).all()'
}

@test "index: bad input" {
    fails 2 '16' gantry index 16 3 y
    fails 2 'SIZE: 0' gantry index x 0 y
    fails 2 'not an integer' gantry index x 1.5 y
    fails 1 '44 of the 300 numbers from 0 to 299 do not fit into uint8' gantry index x 300 --type uint8 y
    fails 1 'do not fit into uint16' gantry index x 3 --start -1 --type uint16 y
    fails 2 '--step' gantry index x 3 --step nan y
    fails 1 '' gantry index x 4000000000000000000 y
    no_output y
}

@test "index: whole numbers beyond 2^53 are exact, or refused" {
    gantry index x 3 --start 9007199254740993 --step 4611686018427387 a
    py 'assert read("a").tolist() == [9007199254740993 + k * 4611686018427387 for k in range(3)] and read("a").dtype == np.int64'
    gantry index x 3 --start -9223372036854775808 --step 9223372036854775807 a
    py 'assert read("a").tolist() == [-2**63, -1, 2**63 - 2]'
    gantry index x 2 --start 9223372036854775807 a
    py 'assert read("a").tolist() == [2**63 - 1, 2**63] and read("a").dtype == np.uint64'
    gantry index x 3 --type uint64 --start 18446744073709551615 --step -9223372036854775807 a
    py 'assert read("a").tolist() == [2**64 - 1, 2**63, 1]'
    fails 1 'do not fit into int64' gantry index x 4 --step 9223372036854775807 y
    fails 1 'do not fit into uint64' gantry index x 2 --type uint64 --start 18446744073709551615 y
    fails 2 '1e300' gantry index x 2 --start 1e305 y
    no_output y
    gantry index x 3 --type float64 --step 9223372036854775807 a
    py 'assert read("a").tolist() == [0, 2.0**63, 2.0**64]'
}
