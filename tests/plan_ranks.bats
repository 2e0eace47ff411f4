# gantry plan: memory, traffic and time of one process and of several ranks, without running anything.
load common

setup() {
    common_setup
    unset GANTRY_GPU_MEM
    export GANTRY_THREADS=1
    gantry traj --views 16 --detector 32:32 g
    gantry phantom --size 32:32:32 v
    gantry project g v p
}

@test "plan: of one process it is the plan of the command" {
    gantry plan transpose 0 2 v t | grep -v -e ^time: -e ^load: >a
    gantry transpose --plan 0 2 v t | grep -v -e ^time: -e ^load: >b
    cmp a b
    grep -q '^memory: ' a
    [ ! -e t.hdr ]
    gantry help plan | grep -q -e '--network BYTES/s:LATENCY'
    gantry plan filter g p q | grep -q '^memory: 65536 bytes' # a batch of filtered views, none of the others
    gantry cast --type float64 p p2
    gantry plan filter --type float32 g p2 q | grep -q '^memory: 131072 bytes' # and of converted views
}

# V = 131072 bytes of the volume, P = 65536 of the projections. A sends 3/4 V, and A' the rows of its views that the three other
# slabs meet, 3/4 of P / 4.
@test "plan: bytes that a rank of cg sends, and memory" {
    gantry plan --ranks 4 --network 1GB/s:10us cg -i 2 --like v g p r >a
    grep -q '^ranks: 4 with 1 threads each; at most 4 of 16 views (A) and .* vectors are distributed$' a
    grep -q '^network: 1 GB/s and 10 us for each rank$' a
    grep -q "at most $((131072 * 3 / 4 + 65536 * 3 / 16)) bytes" a
    grep -q '^memory of a rank: [0-9]* bytes (.*), fits: a rank may use ' a
    grep -q '^time with 4 ranks: about ' a
    # every rank has whole vectors: 3/4 V and 3/4 P
    gantry plan --ranks 4 fista -R tv:0.1 -i 2 --like v g p r >b
    grep -q "at most $(((131072 + 65536) * 3 / 4)) bytes.* in 6 messages" b
    grep -q 'every rank has whole vectors' b
    GANTRY_MEM=60000 gantry plan --ranks 4 cg -i 2 --like v g p r | grep -q 'does not fit'
    # which limits each rank
    GANTRY_MEM=400K gantry plan --ranks 4 cg -i 2 --like v g p r | grep -q ', fits: a rank may use 400 KiB$'
}

# Of the rates that are assumed: 2 x 2 ranks, two in a node. 32^3 voxels and 16 views of 4 ranks.
@test "plan: GPUs have slabs and groups of views, and a limit of memory" {
    gantry plan --ranks 4 --node-gpus 2 --network 25GB/s:2us cg -i 2 --like v g p r >a
    grep -q '^ranks: 4 GPUs as [12] slabs x [24] groups of views' a
    awk '/of computing/ { found = 1; want = 32^3 * 16 / 4 * (1 / 1700e9 + 1 / 1350e9); exit !($5 > 0.999 * want && $5 < 1.001 * want) } END { exit !found }' a
    awk '/^efficiency/ { exit !($2 >= $10 && $10 > 0 && $2 < 100) }' a
    GANTRY_GPU_MEM=1k gantry plan --ranks 4 --node-gpus 2 cg --device cpu -i 2 --like v g p r | grep -q 'does not fit: a rank may use'
}

@test "plan: project, backproject and fbp send nothing" {
    gantry plan --ranks 3 project g v q | grep -q '^ranks: 3 with 1 threads each; at most 6 of 16 equal parts of each; no bytes are sent$'
    gantry plan --ranks 3 backproject --like v g p q | grep -q 'no bytes are sent'
    gantry plan --ranks=3 fbp g p q | grep -q 'no bytes are sent'
    [ ! -e q.hdr ]
}

refused() {
    local want=$1
    shift
    run gantry plan "$@"
    [ "$status" = 2 ]
    [[ $output == *"$want"* ]]
}

@test "plan: bad options and commands are named" {
    refused 'missing command'
    refused '--ranks needs a value' --ranks
    refused '--ranks: 0, expected 1..65536' --ranks 0 cg
    refused "unknown option '--node'" --node 3 cg
    refused '--node-gpus needs --ranks N' --node-gpus 4 cg
    for x in 25 25GB 25GB/s 25GB/s:2 25GB/s:2m -1GB/s:2us 25GB/s:2us: nanGB/s:1us; do
        refused "--network: '$x', expected the bandwidth and latency" --ranks 2 --network "$x" cg
    done
    refused "unknown command 'xx'" --ranks 2 xx
    refused '--ranks does not support this command' --ranks 2 rings p q
    refused 'this command runs only on CPUs' --ranks 4 --node-gpus 2 project g v q
    refused '--ranks is 7, expected a multiple of --node-gpus 4' --ranks 7 --node-gpus 4 cg -i 2 --like v g p q
    refused '32 slices and 16 views are too few for --ranks 4096 on nodes of 4 GPUs' --ranks 4096 --node-gpus 4 cg -i 2 --like v g p q
}
