load common

@test "integers: operators on int64 and uint64 against Python's exact ones, under every rule of --narrow" {
    py "import integers; integers.operators()"
}

@test "integers: sums of products wrap to the exact result modulo 2^64" {
    py "import integers; integers.rings()"
}

@test "integers: sum, product and dot are exact, or counted and clipped or wrapped, or refused" {
    py "import integers; integers.reductions()"
}

@test "integers: numbers of expressions that 64 bits do not hold are float64" {
    [ "$(gantry expr '10^20')" = 1e+20 ]
    [ "$(gantry expr '2^63')" = 9223372036854775808 ]
    [ "$(gantry expr '2^64')" = 1.8446744073709552e+19 ]
    [ "$(gantry expr '4611686018427387904*4')" = 1.8446744073709552e+19 ]
    [ "$(gantry expr '18446744073709551615 - 1')" = 18446744073709551614 ]
    [ "$(gantry expr -- '-9223372036854775808')" = -9223372036854775808 ]
    [ "$(gantry expr -- '-9223372036854775808 - 1')" = -9.223372036854776e+18 ]
    [ "$(gantry expr '3^39 - 3^39 + 7')" = 7 ]
    py 'write("a", np.array([1, 2], "i2"))'
    gantry expr 'a*10^20' a z
    py 'assert read("z").dtype == np.float32 and np.array_equal(read("z"), np.array([1e20, 2e20], "f4"))'
}

@test "integers: reductions of uint64 beside numbers are exact" {
    py 'write("u", np.array([3, 2**63 + 5], "u8"))'
    [ "$(gantry expr 'max(u) % 4' u=u)" = 1 ]
    [ "$(gantry expr 'max(u) - 1' u=u)" = 9223372036854775812 ]
    gantry expr 'where(u > 5, max(u), 0)' u=u z
    py 'assert read("z").tolist() == [0, 2**63 + 5]'
    [ "$(gantry expr 'min(u) * -2' u=u)" = -6 ]
    gantry expr 'min(u) - 5' u=u z 2>said
    grep -q "1 value of - does not fit into uint64: clipped" said
}

@test "integers: an unsigned difference below 0 is counted where it meets uint64" {
    py 'write("s", np.array([200, 5], "u1")); write("u", np.array([0, 7], "u8"))'
    gantry expr 's - 201 + u' s=s u=u z 2>said
    grep -q "2 values do not fit into uint64: clipped" said
    gantry expr --narrow wrap 's - 201 + u' s=s u=u z 2>said
    py 'assert read("z").tolist() == [2**64 - 1, 2**64 - 189]'
    fails 1 "do not fit into uint64" gantry expr --narrow error 's - 201 + u' s=s u=u e
    no_output e
}

@test "integers: scale, saxpy and fmac count what 64 bits do not hold" {
    py 'write("a", np.array([2**62, -2**62, 5, -2**63], "i8")); write("u", np.array([2**63, 1, 0], "u8"))'
    gantry scale 2 a z 2>said
    grep -q "2 of 4 values do not fit into int64: clipped in z" said
    py 'assert read("z").tolist() == [2**63 - 1, -2**63, 10, -2**63]'
    gantry scale -1 u z 2>said
    grep -q "2 of 3 values do not fit into uint64: clipped in z" said
    gantry scale --type uint8 -1 u z 2>said
    grep -q "2 of 3 values do not fit" said
    gantry scale --type float64 4 a z 2>said
    grep -q "3 of 4 values do not fit into int64" said
    gantry scale --type int32 4 a z 2>said
    grep -q "3 of 4 values do not fit into int32: clipped in z" said
    [ "$(wc -l <said)" -eq 1 ]
    gantry saxpy 1 a a z 2>said
    grep -q "2 of 4 values do not fit into int64: clipped in z" said
    gantry fmac a a z 2>said
    grep -q "3 of 4 values do not fit into int64: clipped in z" said
    gantry fmac u u z 2>said
    grep -q "1 of 3 values do not fit into uint64: clipped in z" said
    gantry scale 1 a z 2>said
    [ ! -s said ]
}

@test "integers: floats become 64-bit integers at the ends of their range as the rule says" {
    py 'write("d", np.array([2.0**63, 2.0**63 - 1024, -2.0**63, 2.0**64, 2.0**64 - 2048, -1, np.nan, 2.0**53 + 2]))'
    gantry cast --type int64 d z 2>said
    grep -q "4 of 8 values of d do not fit into int64" said
    py 'assert read("z").tolist() == [2**63 - 1, 2**63 - 1024, -2**63, 2**63 - 1, 2**63 - 1, -1, 0, 2**53 + 2]'
    gantry cast --type uint64 d z 2>said
    grep -q "4 of 8 values of d do not fit into uint64" said
    py 'assert read("z").tolist() == [2**63, 2**63 - 1024, 0, 2**64 - 1, 2**64 - 2048, 0, 0, 2**53 + 2]'
    gantry cast --narrow wrap --type uint64 d z 2>said
    py 'assert read("z").tolist() == [2**63, 2**63 - 1024, 2**63, 0, 2**64 - 2048, 2**64 - 1, 0, 2**53 + 2]'
    fails 1 "4 of 8" gantry cast --narrow error --type int64 d e
    no_output e
}
