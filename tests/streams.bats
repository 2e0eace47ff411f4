# Views as they come: project sends them, backproject and fbp add them, a batch at a time.
load common

# cpu PID: seconds of processor time so far.
cpu() {
    awk '{ print ($14 + $15) / 100 }' "/proc/$1/stat"
}

@test "streams: project sends views as they are ready" {
    traj --views 256 --detector 128:128 --sod 600 --sdd 900 --pitch 1.5 --start 5 g
    random --size 128:128:128 x
    project -q g x p
    mkfifo pipe
    project -q --type float64 g x - >pipe &
    pid=$!
    exec 7<pipe
    head -c 1000000 <&7 >first # the first views are here; a reader that stops lets no more than a batch follow
    sleep 0.5
    before=$(cpu $pid)
    sleep 0.5
    again=$(cpu $pid)
    cat <&7 >rest
    exec 7<&-
    wait $pid
    cat first rest | cast --type float32 - q
    same_start=$(compare p q)
    echo "$before $again $same_start" >&2
    awk -v a="$before" -v b="$again" -v e="$same_start" 'BEGIN { exit !(b - a < 0.2 && e < 1e-5) }'
    /usr/bin/python3 -c '
import resource, subprocess, sys
subprocess.run("project -q --type float64 g x - >/dev/null", shell=True, check=True)
r = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.exit(not (float(sys.argv[1]) < 0.75 * (r.ru_utime + r.ru_stime)))' "$before"
}

@test "streams: backproject and fbp add views while others have yet to come, in the memory of a batch" {
    sanitized && skip "the sanitizers take memory of their own"
    local limit=45000
    [ -z "${GANTRY_DEVICE:-}" ] || limit=60000 # a driver takes some, too
    traj --views 512 --detector 256:128 --sod 600 --sdd 900 --pitch 1.5 g
    random --size 256:128:512 p
    copy p - >stream
    half=$(($(stat -c %s stream) / 2))
    for command in "backproject -q --model sf --size 128:128:64" "fbp -q --size 256:256:64"; do
        # shellcheck disable=SC2086 # words
        $command g p w
        rm -f pipe
        mkfifo pipe
        # shellcheck disable=SC2086 # words
        GANTRY_TMPFILE=0 $command g - v <pipe &
        pid=$!
        exec 7>pipe
        head -c $half stream >&7
        for _ in $(seq 300); do # the volume to be holds sums of the views that have come
            sleep 0.1
            added=$(/usr/bin/python3 -c 'import glob, os; print(any(any(open(f, "rb").read(1 << 20)) for f in glob.glob(".gantry-*.tmp") if os.path.getsize(f) > 1 << 20))')
            [ "$added" != True ] || break
        done
        private=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status")
        tail -c +$((half + 1)) stream >&7
        exec 7>&-
        wait $pid
        same_bytes v w
        echo "$command: $private KiB" >&2
        [ "$added" = True ]
        [ "$private" -lt $limit ] # all views are 64 MiB
    done
}

@test "streams: commands in a pipe share memory, others get the same bytes" {
    random --type complex64 --size 256:128:64 --seed 3 x
    scale 2 x a
    scale 2 x - >file
    scale 2 x - | cat | copy - b
    scale 2 x - | tee kept | copy - c
    cmp file kept
    scale 2 x - | copy - d
    scale 2 x - | dd bs=777 status=none | copy - e
    copy - f <file
    for k in b c d e f; do same_bytes a $k; done
    scale 2 x - | cast --type float64 - - | scale 0.5 - - | cast --type complex64 - g
    cast --type float64 a a64
    scale 0.5 a64 h64
    cast --type complex64 h64 h
    same_bytes h g
    scale 2 x - | copy -v - i 2>said
    same_bytes a i
    grep -q "elements come through shared memory" said
    scale 2 x - | cat | copy -v - i 2>said
    run ! grep -q "shared memory" said
}

@test "streams: rows larger than the ring, and commands that take all at once" {
    random --type float64 --size 300000:7 --seed 4 x
    fft 0 x a
    fft 0 x - | copy - b
    same_bytes a b
    copy x - | transpose 0 1 - - | flip 0 - - | copy - c
    transpose 0 1 x t
    flip 0 t d
    same_bytes d c
}

@test "streams: a pipe that two read or two write ends with one sentence" {
    random --type complex64 --size 64:64:64 x
    for _ in 1 2 3; do
        # shellcheck disable=SC2094 # both read standard input
        copy x - | { timeout 20 copy - a 2>said.a & timeout 20 copy - b 2>said.b || [ $? = 1 ]; wait $! || [ $? = 1 ]; }
        { copy x - & copy x - || true; wait $! || true; } 2>/dev/null | { timeout 20 copy - c 2>said.c || [ $? = 1 ]; }
        if grep -q 'Bad address' said.c; then false; fi
    done
}

@test "streams: a reader or writer that is killed ends the other, and no output changes" {
    random --type complex64 --size 256:256:64 --seed 5 x
    mkfifo pipe
    ones --size 3 y
    cp y.cfl before
    for _ in 1 2 3; do
        copy - y <pipe 2>said &
        reader=$!
        exec 7>pipe
        # shellcheck disable=SC2016 # the inner shell's own
        bash -c 'copy x - >&7 & sleep 0.02; kill -STOP $!; sleep 0.1; kill -KILL $!' 2>/dev/null || true
        exec 7>&-
        if wait $reader; then
            same_bytes x y # it had ended already
            ones --size 3 y
        else
            grep -q "truncated\|ends inside its header\|empty" said
            cmp y.cfl before
        fi
        copy x - >pipe 2>said &
        writer=$!
        exec 7<pipe
        bash -c 'copy - z <&7 & sleep 0.02; kill -STOP $!; sleep 0.1; kill -KILL $!' 2>/dev/null || true
        exec 7<&-
        wait $writer || true # it ends, silently
        [ ! -s said ]
    done
}
