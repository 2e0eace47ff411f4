load common

# Scripts that measure: their help and mistakes, and that a check which must fail does.

@test "measurements: help, and one sentence for a mistake" {
    for s in solver-table compare-peers compare-render compare-volume; do
        run -0 "$GANTRY_SOURCE/scripts/$s" --help
        [[ $output == "usage: $s "* ]]
        run -2 "$GANTRY_SOURCE/scripts/$s" --nonsense
        [[ $output == *"unrecognized arguments: --nonsense"* ]]
        run -1 "$GANTRY_SOURCE/scripts/$s" nowhere
        [ "$output" = "$s: nowhere: bin/gantry not found (build Gantry first, or name the build folder)" ]
        [ $s = compare-volume ] && continue # writes no page
        run -1 "$GANTRY_SOURCE/scripts/$s" --write nowhere.md "$GANTRY_BUILD"
        [ "$output" = "$s: --write: nowhere.md not found" ]
    done
    run -1 "$GANTRY_SOURCE/scripts/solver-table" --data nowhere "$GANTRY_BUILD"
    [ "$output" = "solver-table: --data: nowhere not found" ]
}

@test "measurements: compare-volume agrees with SciPy, and prints a row for each" {
    run -0 "$GANTRY_SOURCE/scripts/compare-volume" "$GANTRY_BUILD" --size 32 --rounds 1 --threads 1
    [ "$(grep -c ' s | [0-9]' <<<"$output")" = 11 ]
    run -1 "$GANTRY_SOURCE/scripts/compare-volume" --size 8 "$GANTRY_BUILD"
    [ "$output" = "compare-volume: expected --size from 32 and --threads and --rounds from 1" ]
}

# optimum VALUE: keeps it as the optimum of the problem of few photons.
optimum() {
    mkdir -p kept
    printf '[{"best": %s, "apart": 0, "by": ["spdhg", "pdhg"]}]' "$1" >kept/optimum-low.json
}

@test "measurements: solver-table --check fails where a default ends above the optimum in silence, and only there" {
    optimum 1e9
    run -0 "$GANTRY_SOURCE/scripts/solver-table" "$GANTRY_BUILD" --check --only low --folder kept
    [[ $output == "low: "*" iterations, 0, NRMSE 0."* ]]
    optimum 1
    run -1 "$GANTRY_SOURCE/scripts/solver-table" "$GANTRY_BUILD" --check --only low --folder kept
    [[ $output == *", without a message, NRMSE 0."*"solver-table: low: the default ends more than 1 % above the optimum and does not say so" ]]

    # as little as two iterations: far from the optimum, and a line that says so
    mkdir -p two/bin
    printf '#!/bin/sh\ncase "$*" in *end.csv*) set -- "$@" -i 2 ;; esac\nexec "%s/bin/gantry" "$@"\n' "$GANTRY_BUILD" >two/bin/gantry
    chmod +x two/bin/gantry
    run -0 "$GANTRY_SOURCE/scripts/solver-table" two --check --only low --folder kept
    [[ $output == "low: 2 iterations, "*" %, with a message, NRMSE 0."* ]]
}
