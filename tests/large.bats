# Arrays of more than 2^31 elements: 2048 x 2048 x 513, of bytes, or float32 of which only an end is read.
load common

# Runs a command, whose output goes to `said`, and prints its peak private memory (RssAnon) in MB.
peak_anon() {
    "$@" >said &
    local pid=$! peak=0 now=0 key value
    while [ -n "$now" ]; do
        now=
        while read -r key value _; do
            [ "$key" != RssAnon: ] || now=$value
        done 2>/dev/null <"/proc/$pid/status" || true
        if [ "${now:-0}" -gt "$peak" ]; then peak=$now; fi
        sleep 0.05
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

# disk_of N: skips where fewer than N GB are free.
disk_of() {
    local free
    free=$(df --output=avail -k . | tail -n 1)
    [ "$free" -ge $(($1 * 1000000)) ] || skip "needs $1 GB of free disk, found $((free / 1000000)) GB"
}

last=$((2048 * 2048 * 513 - 1))

@test "large: over 2^31 elements pass through zeros, saxpy, slice, stats and flip in little memory" {
    disk_of 7
    within_200_mb zeros --type uint8 --size 2048:2048:513 z
    [ "$(stat -c %s z.cfl)" -eq $((last + 1)) ]

    # A mark in the last element, beyond 2^31: it must arrive where each command puts it.
    printf '\x01' | dd of=z.cfl bs=1 seek=$last conv=notrunc status=none

    within_200_mb saxpy 2 z z s
    within_200_mb flip 0,1,2 s f
    rm s.cfl s.hdr
    within_200_mb slice 2 0 f first
    [ "$(show --data --range 0:1 first)" = 3 ]
    # of all elements, so that there was no other in what was added up and turned round
    within_200_mb stats --only sum f
    [ "$(cat said)" = 3 ]
}

@test "large: over 2^32 bytes in a file" {
    disk_of 9
    zeros --size 2048:2048:513 z
    [ "$(stat -c %s z.cfl)" -eq $((4 * (last + 1))) ]
    printf '\x00\x00\x80\x3f' | dd of=z.cfl bs=4 seek=$last conv=notrunc status=none

    within_200_mb slice 2 512 z end
    [ "$(stats --only sum end)" = 1 ]
    [ "$(show --data --range $((2048 * 2048 - 1)):$((2048 * 2048)) end)" = 1 ]
    within_200_mb extract x 2047:2048 y 2047:2048 z line
    [ "$(dims line)" = "1 1 513" ]
    [ "$(show --data --range 512:513 line)" = 1 ]
    [ "$(stats --only sum line)" = 1 ]
}
