# gantry cache: the folder of compiled kernels.
load common

setup() {
    common_setup
    export GANTRY_CACHE=$PWD/kernels
}

@test "cache: an empty folder, or none, has no entries" {
    run -0 gantry cache
    [ "${lines[0]}" = "folder $GANTRY_CACHE" ]
    [ "${lines[1]}" = "entries 0" ]
    [ "${lines[2]}" = "bytes 0" ]
    [ ! -e kernels ]
}

@test "cache: entries are counted and removed, other files stay" {
    mkdir kernels
    printf 12345 >kernels/kernel-0123456789abcdef0123456789abcdef
    printf 123 >kernels/kernel-fedcba98765432100123456789abcdef
    printf 1 >kernels/mine
    run -0 gantry cache
    [ "${lines[1]}" = "entries 2" ]
    [ "${lines[2]}" = "bytes 8" ]
    gantry cache --clear
    [ "$(ls kernels)" = mine ]
    run -0 gantry cache
    [ "${lines[1]}" = "entries 0" ]
}

@test "cache: the folder is that of XDG_CACHE_HOME, then of HOME" {
    unset GANTRY_CACHE
    run -0 env XDG_CACHE_HOME=/x HOME=/h gantry cache
    [ "${lines[0]}" = "folder /x/gantry" ]
    run -0 env -u XDG_CACHE_HOME HOME=/h gantry cache
    [ "${lines[0]}" = "folder /h/.cache/gantry" ]
    run -1 env -u XDG_CACHE_HOME -u HOME gantry cache
    [[ "$output" == *"no folder for a cache (set GANTRY_CACHE"* ]]
}
