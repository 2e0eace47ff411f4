load common

# A short search from the seeds in tests/fuzz/corpus; scripts/fuzz SECONDS looks longer.

@test "fuzz: the targets find nothing in a short run" {
    . "$GANTRY_SOURCE/scripts/packages.sh"
    sanitized && skip "the targets bring sanitizers of their own"
    grep -q '^clang' "$GANTRY_BUILD/flags" && skip "runs with the gcc build"
    has_libfuzzer || skip "no clang with libFuzzer here"
    FUZZ_BUILD=${GANTRY_FUZZ_BUILD:-$GANTRY_BUILD/fuzz} "$GANTRY_SOURCE/scripts/fuzz" "${GANTRY_FUZZ_SECONDS:-1}"
}

@test "fuzz: a wrong call is refused" {
    run -2 "$GANTRY_SOURCE/scripts/fuzz" ten
    [[ $output == *"found 'ten'"* ]]
    run -2 "$GANTRY_SOURCE/scripts/fuzz" 1 nothing
    [[ $output == *"expected one of: "*"hdr"* ]]
    "$GANTRY_SOURCE/scripts/fuzz" --help | grep -q '^Usage'
}
