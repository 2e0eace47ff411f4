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
        [ "$private" -lt 45000 ] # all views are 64 MiB
    done
}
