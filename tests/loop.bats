# gantry -l DIMS [-p N] COMMAND: any command, slice by slice.
load common

same_header() {
    diff <(sed '/^# Command/,$d' "$1.hdr") <(sed '/^# Command/,$d' "$2.hdr")
}

no_temporaries() {
    [ -z "$(find . -name '*~' -o -name '*.tmp')" ]
}

@test "loop: slice by slice equals the whole, data and header, along any dims" {
    gantry random --size 5:4:7:3 --spacing 1:2:3:4 --type complex64 --seed 3 x
    gantry fft x,y x whole
    for dims in z channel 2 z,channel channel,z; do
        gantry -l $dims fft x,y x a
        same_bytes whole a
        same_header whole a
    done
    gantry scale 2 x whole
    for dims in x y x,y x,channel y,z x,y,channel time; do
        gantry -l $dims -p 2 scale 2 x a
        same_bytes whole a
        same_header whole a
    done
}

@test "loop: every element type, sizes around powers of two" {
    for t in bool int8 uint16 int32 int64 float16 float32 float64 complex32 complex64 complex128; do
        gantry zeros --size 3:2049:2 --type $t x
        head -c "$(stat -c %s x.cfl)" /dev/urandom >random
        [ $t != bool ] || tr '\002-\377' '\001' <random >random.bool
        [ $t != bool ] || mv random.bool random
        mv random x.cfl
        gantry flip y x whole
        for dims in x z z,x; do
            gantry -l $dims -p 2 flip y x a
            same_bytes whole a
        done
    done
    gantry random --size 2047:3 x
    gantry -l x=3::64 flip y x a
    gantry flip y x y
    gantry extract x 3::64 y b
    same_bytes a b
}

@test "loop: the options stand before the command or among its own" {
    gantry random --size 8:7:6 x
    gantry scale 2 x whole
    for words in "-l z -p 2 scale" "-lz -p2 scale" "--loop z --jobs 2 scale" "--loop=z --jobs=2 scale" "-p 2 -l z scale" \
        "scale --loop z --jobs 2" "scale --loop=z"; do
        gantry $words 2 x a
        same_bytes whole a
        [ "$(section a History | cut -d' ' -f2-3)" = "random --seed=0" ]
        grep -q ': scale --loop=z 2 @[0-9a-f]* >$' a.hdr
    done
}

@test "loop: ranges loop over these indices only, which stay at their place in mm" {
    gantry random --size 9:8:7 --spacing 1:2:3 x
    for range in 2:5 ::3 -2: 4 1:6:2; do
        gantry -l z=$range scale 3 x a
        gantry extract z $range x part
        gantry scale 3 part b
        same_bytes a b
        same_header a b
    done
    gantry -l z=::-1,x=2:4 scale 1 x a
    gantry extract z ::-1 x 2:4 x b
    same_bytes a b
    same_header a b
}

@test "loop: a reconstruction per channel, with the geometry and a length-1 input given whole to all" {
    gantry phantom --size 24:24 v
    gantry traj --views 20 --detector 24 g
    gantry project g v p
    for c in 0 1 2; do gantry scale $((c + 1)) p p$c; done
    gantry join channel p0 p1 p2 proj
    gantry -l channel -p 2 cg -i 5 g proj rec
    for c in 0 1 2; do
        gantry cg -i 5 g p$c r$c
        gantry slice channel $c rec s$c
        same_bytes r$c s$c
    done
    [ "$(dims rec)" = "24 24 1 3" ]
    [ "$(section rec Quantity)" = attenuation ]
    gantry random --size 24:1:20 one
    gantry -l channel saxpy 2 proj one a
    gantry saxpy 2 proj one b
    same_bytes a b
}

@test "loop: a place that the output does not keep, also where it is 0" {
    py 'write("v", np.arange(192, dtype="f4").reshape(8, 8, 1, 3), Origin="1 0 0 0")'
    traj --views 4 --detector 8 g
    project g v whole
    gantry -l channel project g v parts
    same_bytes whole parts
    same_header whole parts
    gantry -l channel scale 2 v twice
    show twice | grep -q 'origin *1  0  0  0 mm'
}

@test "loop: over views the geometry is cut as well" {
    gantry phantom --size 20:20:6 v
    gantry traj --views 7 --sod 100 --sdd 150 --detector 20:6 g
    gantry -l view -p 2 geom --shift-u 0.5 g a
    gantry geom --shift-u 0.5 g b
    same_bytes a b
    same_header a b
    # a volume of another number of slices than there are views does not fit: dimension 2 of both
    fails 1 'expected the same size along the loop dimension view' gantry -l view project g v p
    no_output p
}

@test "loop: random numbers are those of the whole" {
    gantry random --size 12:5:6 --type complex64 --seed 5 whole
    gantry random --size 12:5:6 --type float32 --distribution uniform p
    gantry noise --photons 100 --seed 2 p noisy
    for dims in z x y,z; do
        gantry -l $dims -p 2 noise --photons 100 --seed 2 p a
        same_bytes noisy a
    done
    gantry -l z=0:6 random --size 12:5 --type complex64 --seed 5 a
    same_bytes whole a
    [ "$(section a History)" != "$(section whole History)" ]
}

@test "loop: same bytes, same history for any number of jobs and threads" {
    gantry random --size 33:20:17 x
    gantry -l z -p 1 fft 0,1 x a
    for p in 2 7 100; do
        gantry -l z -p $p fft 0,1 x b
        same_bytes a b
        [ "$(section a History)" = "$(section b History)" ]
        [ "$(tail -1 a.hdr)" = "$(tail -1 b.hdr)" ]
    done
    gantry -l z -p 2 fft -j 3 0,1 x b
    same_bytes a b
}

@test "loop: streams, containers, foreign byte order, and an output with the name of the input" {
    py '
a = np.random.default_rng(4).random((3, 4, 7)).astype("f4")
np.save("x.npy", a)
write("x", a)
a.ravel(order="F").astype(">f4").tofile("be.cfl")
open("be.hdr", "w").write("# Dimensions\n3 4 7\n# Type\nfloat32\n# Byte-Order\nbig\n")'
    gantry scale 2 x whole
    for dims in z x y,x; do
        for in in x x.npy be; do
            gantry -l $dims -p 2 scale 2 $in a
            same_bytes whole a
        done
        gantry copy x - | gantry -l $dims -p 2 scale 2 - - | gantry copy - a
        same_bytes whole a
        gantry -l $dims scale 2 x a.npy
        gantry copy a.npy a
        same_bytes whole a
    done
    gantry -l z scale 2 x x
    same_bytes whole x
}

@test "loop: text is passed on in order" {
    py 'write("x", np.full((4, 4, 15), 1, "f4") * np.arange(15, dtype="f4"))'
    gantry -l z -p 4 stats --only max x >said
    seq 0 14 | diff - said
}

@test "loop: the history rebuilds it, and verifies" {
    py 'write("x", np.random.default_rng(1).random((6, 5, 4)).astype("f4"))'
    gantry -l z -p 2 scale 3 x y
    gantry history y >rebuild.sh
    grep -q -- '--loop=z' rebuild.sh
    mkdir again
    cp x.hdr x.cfl again
    (cd again && sh ../rebuild.sh)
    same_bytes y again/y
    [ "$(section y History)" = "$(section again/y History)" ]
    word=$(section y History | grep -o '<[^ ]*>')
    gantry history --verify "$word"
}

@test "loop: what a command chooses by itself is recorded" {
    gantry random --size 8:8:2 x
    gantry -l z noise x y 2>/dev/null
    grep -q ': noise --loop=z --photons=100000 --seed=0 @' y.hdr
}

@test "loop: a command that fails at one slice: its sentence, its status, no output" {
    py '
a = np.ones((4, 4, 9), "f4")
a[1, 2, 3] = np.nan
a[1, 2, 7] = np.nan
write("x", a)'
    for p in 1 2 9; do
        fails 1 'gantry noise: at z=3: x: 1 of 16 values are NaN' gantry -l z -p $p noise x y
        no_output y
        gantry -l z -p $p noise x y 2>said || true
        [ "$(grep -c 'values are NaN' said)" = 1 ]
    done
    gantry zeros --size 3 y
    cp y.cfl old
    fails 1 'at z=3' gantry -l z -p 2 noise x y
    cmp old y.cfl
    no_temporaries
}

@test "loop: bad input" {
    gantry ones --size 4:5:6 x
    gantry ones --size 4:5:7 w
    fails 1 'nothere' gantry -l z scale 2 nothere y
    fails 2 "'q' is not a dimension" gantry -l q scale 2 x y
    fails 2 '16' gantry -l 16 scale 2 x y
    fails 2 'twice' gantry -l z,2 scale 2 x y
    fails 2 '--loop' gantry -l '' scale 2 x y
    fails 2 'outside 0..5' gantry -l z=3:9 scale 2 x y
    fails 2 'selects none of 6 elements' gantry -l z=3:3 scale 2 x y
    fails 2 'outside 0..0' gantry -l time=1:2 scale 2 x y
    fails 1 'expected the same size along the loop dimension z' gantry -l z saxpy 1 x w y
    fails 1 'writes 5 elements along the loop dimension z' gantry -l z resize z 5 x y
    fails 2 'without an input' gantry -l z random --size 3 y
    fails 2 '--jobs requires --loop' gantry -p 2 scale 2 x y
    fails 2 '--jobs: 0' gantry -p 0 -l z scale 2 x y
    fails 2 'missing argument' gantry -l z scale 2 x
    fails 2 'missing command after' gantry -l z
    fails 2 'needs a value' gantry -l
    fails 2 'unknown option -x before the command' gantry -l z -x scale 2 x y
    fails 2 "did you mean 'scale'?" gantry -l z scael 2 x y
    fails 2 'every slice would overwrite this file' gantry -l z toimg x y.png
    no_output y
    gantry copy x - | head -c -8 >cut
    fails 1 'standard input' gantry -l z scale 2 - y <cut
    no_output y
}

@test "loop: slices that disagree are named, with what they say" {
    py 'write("x", (np.arange(24).reshape(4, 2, 3, order="F") % 7).astype("f4"))'
    fails 1 "y is 2 x 7 (int64) at z=1, but 2 x 6 (int64) at z=0, expected" gantry -l z where x y
    gantry phantom --size 16:16:5 v
    gantry traj --views 4 --arc 360 --detector 16:5 g
    py '
g = read("g")
g[:, 2:, 3] *= 2
write("h", g, Quantity="geometry", Detector="16 5")'
    gantry project g v p
    fails 1 "b: the command chooses '2 2 2' at view=3, but '1 1 1' at view=0 (set one choice for all slices" \
        gantry -l view backproject --size 16:16:1 h p b
    fails 1 "is given as the name of more than one output" gantry -l z expr 'a=v; b=v' v=v a=o b=o
    no_output y b o
}

@test "loop: text into a pipe that closes" {
    gantry ones --size 4:4:50 x
    gantry -l z -p 2 stats --only max x 2>said | head -1
    [ ! -s said ] || grep -q '^gantry stats: standard output: Broken pipe$' said
}

@test "loop: --plan tells of the whole and makes nothing" {
    gantry ones --size 100:100:50 x
    gantry -l z -p 2 scale 2 x y --plan >said
    grep -q '^output: y, 100 x 100 x 50, float32$' said
    grep -q '^disk: 2000000 bytes' said
    no_output y
    [ "$(gantry -l z stats x --plan | grep -c '^memory')" = 1 ]
}

@test "loop: SIGTERM, SIGINT and SIGKILL in the middle leave the old output and no process" {
    gantry random --size 64:64:1:30 v
    gantry traj --views 90 --detector 64 g
    gantry project g v p
    gantry zeros --size 3 y
    cp y.cfl old
    for signal in TERM INT KILL; do
        /usr/bin/python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("gantry", ["gantry", "-l", "channel", "-p", "2", "cg", "-i", "200", "g", "p", "y"])' &
        pid=$!
        sleep 0.7
        children=$(pgrep -P $pid)
        [ -n "$children" ]
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        [ $status != 0 ]
        for i in $(seq 100); do
            alive=0
            for child in $children; do
                [ ! -d /proc/$child ] || grep -q '^State:.*Z' /proc/$child/status 2>/dev/null || alive=1
            done
            [ $alive = 1 ] || break
            sleep 0.02
        done
        [ $alive = 0 ]
        cmp old y.cfl
        [ $signal = KILL ] || no_temporaries
    done
}

@test "loop: a slice that is killed is an error that says so" {
    gantry random --size 64:64:1:30 v
    gantry traj --views 90 --detector 64 g
    gantry project g v p
    gantry -l channel cg -i 20000 g p y 2>said &
    pid=$!
    child=
    until [ -n "$child" ]; do
        sleep 0.05
        child=$(pgrep -P $pid | head -1)
    done
    kill -KILL "$child"
    status=0
    wait $pid || status=$?
    [ $status = 1 ]
    grep -q '^gantry cg: at channel=[0-9]*: the process was ended by signal 9 (Killed)$' said
    no_output y
}

@test "loop: private memory does not grow with the arrays" {
    sanitized && skip "memory of a sanitized build says nothing"
    gantry zeros --size 512:512:128 x
    for dims in z y; do
        /usr/bin/python3 - $dims <<'END'
import subprocess, sys, threading, time
most = 0
p = subprocess.Popen(["gantry", "-l", sys.argv[1] + "=0:20", "flip", "x", "x", "y"])
while p.poll() is None:
    try:
        kids = subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True).stdout.split()
        for pid in [str(p.pid)] + kids:
            for line in open(f"/proc/{pid}/status"):
                if line.startswith("RssAnon"):
                    most = max(most, int(line.split()[1]))
    except OSError:
        pass
    time.sleep(0.002)
assert p.returncode == 0 and most < 30000, most
END
    done
}

@test "loop: --views chooses views of every slice" {
    gantry traj --views 9 --detector 8:1 geom
    gantry random --seed 1 --size 8:8:1:1:3 vol
    for views in 2 1:8:3 5,0,3; do
        gantry -l time project --views $views geom vol looped
        gantry project --views $views geom vol whole
        same_bytes looped whole
    done
    py 'write("list", np.array([4, 1.]))'
    gantry -l time project --views list geom vol looped
    gantry project --views 4,1 geom vol whole
    same_bytes looped whole
}
