# Arrays of more than 2^31 elements: 2048 x 2048 x 600 float32, 9.4 GiB each.
load common

# Runs a command and prints its peak private memory (RssAnon) in MB.
peak_anon() {
    "$@" >/dev/null &
    local pid=$! peak=0 now
    while now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
        [ "$now" -gt "$peak" ] && peak=$now
        sleep 0.02
    done
    wait "$pid" || return 1
    echo $((peak / 1000))
}

within_200_mb() {
    local mb
    mb=$(peak_anon "$@") || return 1
    echo "# $1: $mb MB private" >&3
    [ "$mb" -lt 200 ]
}

@test "large: over 2^31 elements pass through zeros, saxpy, slice, stats and flip in little memory" {
    free=$(df --output=avail -k . | tail -n 1)
    [ "$free" -ge 34000000 ] || skip "needs 34 GB of free disk, found $((free / 1000000)) GB"

    within_200_mb zeros --size 2048:2048:600 z
    [ "$(stat -c %s z.cfl)" -eq $((2048 * 2048 * 600 * 4)) ]

    # A mark in the last element, beyond 2^31: it must arrive where each command puts it.
    printf '\x00\x00\x80\x3f' | dd of=z.cfl bs=4 seek=$((2048 * 2048 * 600 - 1)) conv=notrunc status=none

    within_200_mb saxpy 2 z z s
    run stats --only max s
    [ "$output" = 3 ]

    within_200_mb flip 0,1,2 s f
    rm s.cfl s.hdr
    within_200_mb slice 2 0 f first
    [ "$(show --data --range 0:1 first)" = 3 ]
    within_200_mb stats --only sum f
    [ "$(stats --only sum f)" = 3 ]
}
