# Outputs appear whole or not at all: kills, signals, full disks, truncated inputs, two writers. Every single system call of the commit is
# covered by tests/unit/commit.c; here are real commands.
load common

# A small disk in the folder `disk`, for root only.
small_disk() {
    mkdir disk
    [ "$(id -u)" = 0 ] || skip "mounting a small disk needs root"
    mount -t tmpfs -o size="$1" tmpfs disk 2>/dev/null || skip "mounting is not allowed here"
}

teardown() {
    if mountpoint -q "$BATS_TEST_TMPDIR/disk" 2>/dev/null; then
        umount "$BATS_TEST_TMPDIR/disk"
    fi
}

# random_array NAME SEED SIZES: float32 numbers.
random_array() {
    py "write('$1', np.random.default_rng($2).random(($3)).astype('f4'))"
}

no_temporaries() {
    [ -z "$(find "${1:-.}" -name '*~' -o -name '*.tmp')" ]
}

@test "commit: SIGKILL at 100 random moments leaves the old array or the new one" {
    random_array a 1 400,200,20
    random_array b 2 200,300,30
    gantry copy a x
    start=$(date +%s%N)
    gantry copy b y
    us=$((($(date +%s%N) - start) / 1000))
    killed=0 tries=0 olds=0 previous=a
    while [ $killed -lt 100 ] && [ $tries -lt 400 ]; do
        tries=$((tries + 1))
        from=a
        [ $previous = b ] || from=b
        gantry copy $from x &
        pid=$!
        sleep "$(printf '0.%06d' $(((RANDOM * 32768 + RANDOM) % us)))"
        if kill -9 $pid 2>/dev/null; then killed=$((killed + 1)); fi
        wait $pid 2>/dev/null || true
        # what a reader sees is one of them in whole, header and data
        gantry copy x seen
        previous=a
        [ "$(dims seen)" = "400 200 20" ] || previous=b
        same_bytes $previous seen
        [ $previous = $from ] || olds=$((olds + 1))
    done
    # the data of those that were killed have no names
    [ -z "$(find . -name '.gantry-*')" ]
    echo "# $killed of $tries were still running, $olds left the old array" >&3
    [ $killed = 100 ]
    [ $olds -gt 10 ]
    gantry copy a x
    same_bytes a x
    no_temporaries
}

@test "commit: SIGTERM, SIGINT, SIGHUP in mid-run leave the old array and no temporaries" {
    export GANTRY_TMPFILE=0
    gantry ones --size 10:10 x
    cp x.cfl old
    gantry zeros --size 500:500:4 big
    mkfifo pipe
    for signal in TERM INT HUP QUIT; do
        # a stream that stops in the middle keeps the command in its work
        {
            gantry copy big - | head -c 1000000
            exec sleep 60
        } >pipe &
        feeder=$!
        # background jobs of a shell ignore SIGINT and SIGQUIT, those of nohup SIGHUP: not when Python starts them
        /usr/bin/python3 -c '
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
os.execvp("gantry", ["gantry", "copy", "-", "x"])' <pipe &
        pid=$!
        for i in $(seq 500); do
            compgen -G '.gantry-*.tmp' >/dev/null && break
            sleep 0.02
        done
        compgen -G '.gantry-*.tmp' >/dev/null
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        [ $status = $((128 + $(kill -l $signal))) ]
        kill $feeder 2>/dev/null || true
        wait $feeder 2>/dev/null || true
        no_temporaries
        cmp x.cfl old
    done
}

@test "commit: a full disk is one sentence before the work starts, and the old array stays" {
    small_disk 2m
    gantry ones --size 100:100 disk/x
    cp disk/x.cfl old
    fails 1 "needs" gantry ones --size 1000:1000 disk/x
    fails 1 "needs" gantry ones --size 1000:1000 disk/y.npy
    cmp disk/x.cfl old
    no_temporaries disk
    [ "$(ls -A disk | wc -l)" = 2 ]
    # no room for anything at all
    head -c 10000000 /dev/zero >disk/rest 2>/dev/null || true
    fails 1 "disk" gantry ones --size 100:100 disk/x
    fails 1 "disk" gantry ones --size 1 disk/z
    cmp disk/x.cfl old
    no_temporaries disk
    rm disk/rest
    gantry zeros --size 100:100 disk/x
}

@test "commit: a full disk for the spool is one sentence" {
    small_disk 1m
    py 'np.save("c.npy", np.ones((1000, 1000)))'
    fails 1 "temporary file in disk: needs" env GANTRY_TMPDIR=disk gantry copy c.npy x
    no_output x
    [ -z "$(ls -A disk)" ]
}

@test "commit: a data file cut while it is read is a message, not a bus error" {
    gantry zeros --size 1000:1000:8 x
    gantry ones --size 10 y
    cp y.cfl old
    mkfifo pipe
    # the reader of the pipe holds the command in its work until the file has been cut
    {
        status=0
        gantry copy x - 2>said >pipe || status=$?
        echo $status >status
    } &
    {
        head -c 100000 >/dev/null
        truncate -s 4096 x.cfl
        cat >/dev/null
    } <pipe
    wait
    [ "$(cat status)" = 1 ]
    grep -q "^gantry copy: x.cfl: truncated while it was read" said
    [ "$(wc -l <said)" = 1 ]
}

@test "commit: two writers of one name end with one whole array" {
    random_array a 1 50,40,30
    random_array b 2 30,70
    for from in a b; do
        for i in $(seq 20); do gantry copy $from x || echo $from >>failed; done &
    done
    wait
    [ ! -e failed ]
    no_temporaries
    if [ "$(dims x)" = "50 40 30" ]; then same_bytes a x; else same_bytes b x; fi
}

# half_commit NEW X STEP: renames the array NEW to what a commit of it as X has done after that step (doc/format.md).
half_commit() {
    local tie
    tie=$(/usr/bin/python3 -c 'import sys, zlib; print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' "$1.hdr")
    mv "$1.hdr" "$2.hdr~"
    if [ "$3" -ge 2 ]; then mv "$1.cfl" "$2.cfl~$tie"; fi
    if [ "$3" -ge 3 ]; then rm -f "$2.cfl"; fi
    if [ "$3" -ge 5 ]; then mv "$2.hdr~" "$2.hdr"; fi
    if [ "$3" -ge 6 ]; then mv "$2.cfl~$tie" "$2.cfl"; fi
}

@test "commit: what a kill left behind is finished by the next reader and the next writer" {
    for step in 1 2 3 5 6; do
        gantry ones --size 4:5 old
        gantry zeros --size 5:4 new
        gantry copy new kept
        gantry copy old x
        half_commit new x $step
        # whatever the times of the files say
        touch -c x.hdr x.cfl
        cp -r . ../second
        gantry copy x seen
        if [ $step = 1 ]; then same_bytes old seen; else same_bytes kept seen; fi
        if [ $step -gt 1 ]; then no_temporaries; fi
        cd ../second
        gantry copy old x
        same_bytes old x
        no_temporaries
        cd "$BATS_TEST_TMPDIR"
        rm -r ../second
        rm -f ./*
    done
}

@test "commit: a writer waits until no other one renames in the folder, a reader does not" {
    gantry ones --size 4:5 old
    gantry zeros --size 5:4 new
    cp new.cfl data
    gantry copy old x
    half_commit new x 2
    exec 9<.
    flock 9
    timeout 10 gantry copy x ../seen 9<&-
    cmp ../seen.cfl data
    [ -e x.hdr~ ]
    gantry copy old x 9<&- &
    local writer=$!
    sleep 0.3
    kill -0 $writer
    [ -e x.hdr~ ]
    exec 9<&-
    wait $writer
    same_bytes old x
    no_temporaries
    rm ../seen.*
}

@test "commit: Python, MATLAB and Octave see what Gantry sees of an interrupted commit, and finish it when they write" {
    gantry ones --size 4:5 old
    for step in 1 2 3 5 6; do
        rm -f new.* x.*
        gantry zeros --size 5:4 new
        gantry copy old x
        half_commit new x $step
        touch -c x.hdr
        want=$([ $step = 1 ] && echo "4 5 1" || echo "5 4 0")
        if command -v octave-cli >/dev/null; then
            [ "$(octave-cli --quiet --norc --path "$GANTRY_SOURCE/matlab" --eval 'x = readcfl("x"); printf("%d %d %d", size(x), x(1))')" = "$want" ]
            mkdir m
            cp -p x.* m
            octave-cli --quiet --norc --path "$GANTRY_SOURCE/matlab" --eval 'writecfl("m/x", single([7 8 9]))'
            [ "$(gantry show --field dims m/x)" = 1:3 ]
            no_temporaries m
            rm -r m
        fi
        # one that may not finish it sees the same
        PYTHONPATH=$GANTRY_SOURCE/python py '
import fcntl, os, gantry
fd = os.open(".", os.O_RDONLY)
fcntl.flock(fd, fcntl.LOCK_EX)
x = gantry.read("x")
assert (*x.shape, x[0, 0]) == ('"${want// /, }"'), x
os.close(fd)
y = gantry.read("x")
assert (x == y).all()'
        if [ $step -gt 1 ]; then no_temporaries; fi
        PYTHONPATH=$GANTRY_SOURCE/python py 'import gantry; gantry.write("x", np.ones(3))'
        [ "$(gantry show --field dims x)" = 3 ]
        no_temporaries
    done
}

@test "commit: --sync gives the same files" {
    gantry ones --size 30:40 x
    gantry copy --sync x y
    gantry copy --sync x y.npy
    same_bytes x y
    gantry copy y.npy z
    same_bytes x z
}

@test "commit: a command that fails leaves nothing and changes nothing" {
    gantry ones --size 40:50 x
    cp x.cfl old
    gantry copy x - | head -c 5000 >cut
    for i in 1 2 3; do
        fails 1 "standard input" sh -c 'cat cut | gantry copy - x'
    done
    cmp x.cfl old
    no_temporaries
}

@test "commit: where temporaries have names, those of killed commands are removed by the next one, those in use stay" {
    export GANTRY_TMPFILE=0
    gantry zeros --size 500:500:4 big
    mkfifo pipe1 pipe2
    gantry copy - x1 <pipe1 &
    pid[1]=$!
    exec 7>pipe1
    gantry copy - x2 <pipe2 7>&- &
    pid[2]=$!
    exec 8>pipe2
    # they stay in their work: what they read does not end
    gantry copy big - >stream
    head -c 1000000 stream >&7
    head -c 1000000 stream >&8
    for _ in $(seq 500); do
        [ "$(find . -name '.gantry-*.tmp' | wc -l)" -lt 4 ] || break
        sleep 0.02
    done
    kill -9 "${pid[1]}"
    wait "${pid[1]}" || true
    # each has data and header
    [ "$(find . -name '.gantry-*.tmp' | wc -l)" = 4 ]
    gantry ones --size 3 y
    [ "$(find . -name '.gantry-*.tmp' | wc -l)" = 2 ]
    kill "${pid[2]}"
    wait "${pid[2]}" || true
    exec 7>&- 8>&-
    [ -z "$(find . -name '.gantry-*')" ]
    # a temporary of another machine is left alone
    touch .gantry-0123456789abcdef.tmp
    gantry ones --size 3 y
    [ -e .gantry-0123456789abcdef.tmp ]
}
