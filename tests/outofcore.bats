# Files larger than memory: the same bytes in whatever order and portions, in the memory allowed.
load common

setup() {
    common_setup
    unset GANTRY_DEVICE # devices add slabs, so the bytes of projections depend on memory (opencl.bats, gpu.bats)
}

# orders OPTIONS of traj: both transforms of x and y in the geometry g give the same bytes in every order that memory may ask for.
orders() {
    local m
    project -q "$@" g x p0
    backproject -q --like x "$@" g y v0
    for m in ${MEMORIES:-2M 3M 6M}; do
        GANTRY_MEM=$m project -q "$@" g x p
        same_bytes p0 p
        GANTRY_MEM=$m backproject -q --like x "$@" g y v
        same_bytes v0 v
    done
    GANTRY_MEM=5M project -q "$@" g x - | copy - p
    same_bytes p0 p
    copy y - | GANTRY_MEM=5M backproject -q --like x "$@" g - v
    same_bytes v0 v
}

# plan COMMAND...: the words after "order: " and the bytes moved.
plan() {
    "$@" --plan | sed -n 's/^order: //p'
}

@test "out of core: any slabs and batches give the same bytes" {
    random --size 70:100:131 x
    random --size 100:90:21 --seed 2 y
    for o in "" "--sod 300 --sdd 450 --pitch 1.5" "--sod 300 --sdd 450 --pitch 1.5 --radius 450 --offset 5:3" "--tilt 30"; do
        # shellcheck disable=SC2086 # words
        traj --views 21 --detector 100:90 $o g
        orders
    done
}

@test "out of core: models, types, masks, one slice, channels" {
    traj --views 7 --detector 80:70 --sod 300 --sdd 450 --pitch 1.5 g
    random --size 66:50:131 x
    random --size 80:70:7 --seed 2 y
    MEMORIES="2M 3M" orders --model siddon -j2
    MEMORIES="2M 3M" orders --mask circle
    MEMORIES="4M" orders --type float64
    random --size 40:50:64:2 x
    random --size 80:70:7:2 --seed 2 y
    MEMORIES="2M" orders
    py '
write("x", np.rint(40*abs(read("x"))).astype("u2"))
write("y", np.rint(40*abs(read("y"))).astype("u2"))'
    MEMORIES="2M 3M" orders
    MEMORIES="2M" orders --views 6:2:-3
    py 'write("x", (read("x")[..., 0] + 1j*read("x")[..., 1]).astype("c8")); write("y", (read("y")[..., 0] - 1j*read("y")[..., 1]).astype("c8"))'
    MEMORIES="2M" orders
    traj --views 100 --detector 500 g
    random --size 400:600 x
    random --size 500:1:100 y
    MEMORIES="2M" orders
}

@test "out of core: footprints on rows so high that no centre of a row is in the shadow of a slab" {
    random --size 60:60:131 x # slabs of 64, 64 and 3 slices
    random --size 60:5:600 y
    py 'write("y", np.rint(1000 * read("y")).astype("i2"), Quantity="line-integral")'
    for o in "" "--sod 4000 --sdd 4800 --radius 4800"; do
        # shellcheck disable=SC2086 # words
        traj --views 600 --arc 360 --detector 60:5 --pitch 1.2:60 $o g
        GANTRY_MEM=1M plan backproject -q --force --model sf --like x g y v | grep -q '^slabs of the volume.* slabs of 64 slices'
        backproject -q --force --model sf --like x g y v0
        GANTRY_MEM=1M backproject -q --force --model sf --like x g y v
        same_bytes v0 v
    done
}

@test "out of core: fbp makes one slab after the other, with the same bytes" {
    for o in "" "--sod 300 --sdd 450 --pitch 1.5" "--sod 300 --sdd 450 --pitch 1.5 --radius 450"; do
        # shellcheck disable=SC2086 # words
        traj --views 20 --arc 360 --detector 40:200 $o g
        random --size 40:200:20 y
        fbp -q --size 70:70:200 g y v0
        GANTRY_MEM=3M fbp -q --size 70:70:200 g y v
        same_bytes v0 v
        copy y - | GANTRY_MEM=3M fbp -q --views ::2 --size 70:70:200 g - v
        fbp -q --views ::2 --size 70:70:200 g y v0
        same_bytes v0 v
    done
    py 'write("y", (read("y") + 2j*read("y")[::-1]).astype("c16"))'
    fbp -q --size 70:70:200 g y v0
    GANTRY_MEM=12M fbp -q --size 70:70:200 g y v
    same_bytes v0 v
}

@test "out of core: GANTRY_MEM chooses the order, --plan says which and what it costs" {
    traj --views 65 --detector 140:128 --sod 300 --sdd 450 --pitch 1.5 g
    zeros --size 128:128:128 x
    plan project g x p | grep -q 'the volume at once, 65 views at a time'
    GANTRY_MEM=6M plan project g x p | grep -q 'slabs of 64 slices, 32 lines at a time'
    GANTRY_MEM=6M plan project g x - | grep -q '^batches of views'
    GANTRY_MEM=6M project --plan g x p >said
    grep -q '^files: 1[0-9] MiB in and out of memory, which may hold 6.0 MiB' said
    grep -q '^time: about [0-9.]* s' said
    no_output p
    fails 1 'GANTRY_MEM allows 1.0 MiB' env GANTRY_MEM=1M project g x p
    no_output p
}

# visited ENTRY: bytes that the command said to have gone over, in units of those in the file.
visited() {
    awk -v bytes="$(stat -c %s "$2.cfl")" -v entry="$1" '$3 == "xray" && $4 == entry { print $7 * 1e9 / bytes }' said
}

@test "out of core: every voxel comes by once, every pixel at most twice" {
    traj --views 65 --detector 140:128 --sod 300 --sdd 450 --pitch 1.5 g
    random --size 128:128:128 x
    GANTRY_MEM=6M project -q --profile g x p 2>said
    echo "project: $(visited volume x) $(visited projections p)" >&2
    awk -v v="$(visited volume x)" -v p="$(visited projections p)" 'BEGIN { exit !(v > 0.99 && v < 1.01 && p > 0.99 && p < 2) }'
    GANTRY_MEM=6M backproject -q --like x --profile g p v 2>said
    echo "backproject: $(visited volume x) $(visited projections p)" >&2
    awk -v v="$(visited volume x)" -v p="$(visited projections p)" 'BEGIN { exit !(v > 0.99 && v < 1.01 && p > 0.99 && p < 2) }'
    # batches of views outside: the other way round
    GANTRY_MEM=12M project -q --profile g x - 2>said >/dev/null
    awk -v v="$(visited volume x)" -v p="$(visited projections p)" 'BEGIN { exit !(v > 0.99 && v < 5 && p > 0.99 && p < 1.01) }'
}

# peak COMMAND...: its peak resident memory in KiB, files included. Without freed memory that the C library keeps for later: how much that is
# changes with the environment.
peak() {
    MALLOC_MMAP_THRESHOLD_=131072 /usr/bin/python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

@test "out of core: resident memory stays near what is allowed" {
    sanitized && skip "the sanitizers take memory of their own"
    traj --views 12 --detector 256:256 --sod 600 --sdd 900 --pitch 1.5 g
    random --size 256:256:320 x
    base=$(peak show g)
    whole=$(peak project -q g x p)
    part=$(GANTRY_MEM=20M peak project -q g x q)
    echo "project: $base KiB for nothing, $whole for all, $part for 20 MiB" >&2
    same_bytes p q
    [ "$whole" -gt $((base + 70000)) ]
    [ "$part" -lt $((base + 34000)) ]
    whole=$(peak backproject -q --like x g p v)
    part=$(GANTRY_MEM=20M peak backproject -q --like x g p w)
    echo "backproject: $whole for all, $part for 20 MiB" >&2
    same_bytes v w
    [ "$whole" -gt $((base + 70000)) ]
    [ "$part" -lt $((base + 34000)) ]
}

@test "out of core: converted voxels do not stay, wherever pages end" {
    sanitized && skip "the sanitizers take memory of their own"
    traj --views 2 --detector 64:64 --sod 6000 --sdd 9000 --pitch 20 g
    zeros --type int16 --size 65:1030:250 x
    GANTRY_MEM=8M GANTRY_THREADS=1 project -q g x p & # 64 MiB as float32
    pid=$!
    peak=0
    while now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
        peak=$((now > peak ? now : peak))
    done
    wait $pid
    echo "$peak KiB private" >&2
    [ "$peak" -lt 12000 ]
}
