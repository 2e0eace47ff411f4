# gantry plan: the private memory of a command is what it takes, within 5 % or 4 MiB.
load common

setup() {
    common_setup
    if sanitized; then skip "memory of a sanitized build says nothing"; fi
    unset GANTRY_DEVICE # drivers need memory of their own
    export GANTRY_THREADS=1
    gantry phantom --size 72:72:72 vol
    gantry traj --views 72 --detector 72:72 --sod 144 --sdd 216 --pitch 1.5 g
}

# Plans that a formula gives.
@test "plan: memory of projections and filters" {
    gantry project g vol p
    gantry random --size 7:7:7 k
    /usr/bin/python3 "$GANTRY_SOURCE/tests/plan_memory.py" "project g vol o" "backproject g p o" "fbp g p o" "filter g p o" \
        "conv 0,1,2 vol k o" "resample --spacing 0.6 vol o" "rings p o" "rings --method wavelet p o" "fft 0,1,2 vol o" "rof --lambda 0.1 -i 2 vol o"
}

@test "plan: memory of reconstructions, with an estimate of the norm" {
    gantry project g vol p
    /usr/bin/python3 "$GANTRY_SOURCE/tests/plan_memory.py" "cg -i 1 g p o" "fista -i 1 g p o" "recon -R box:0:1 -i 1 g p o" \
        "pdhg -i 1 -R tgv:0.01 g p o" "recon -a spdhg --subsets 4 -i 1 -R tv:0.01 -R nonneg g p o"
    gantry recon --plan --algorithm landweber g p o | grep -q '^vectors: 2 of the volume'
    gantry recon --plan --algorithm landweber --step 1 g p o | grep -q '^vectors: 1 of the volume'
}

# 8 MiB of the term are not used.
@test "plan: memory of a term without an operator" {
    gantry phantom --size 128:128:128 vol
    gantry traj --views 16 --detector 128:128 --sod 256 --sdd 384 --pitch 1.5 g
    gantry project g vol p
    /usr/bin/python3 "$GANTRY_SOURCE/tests/plan_memory.py" "fista -R tv:0.001 -i 1 g p o"
}

# Temporary arrays of each projection use the same memory again.
@test "plan: memory of many projections and of denoising" {
    gantry traj --views 240 --detector 160:32 parallel
    gantry random --distribution uniform --size 160:32:240 p
    GANTRY_THREADS=2 /usr/bin/python3 "$GANTRY_SOURCE/tests/plan_memory.py" "mlem -i 3 --force parallel p o" "sirt -i 3 --force parallel p o" \
        "recon -a admm -R tv:0.01 -i 3 --force parallel p o" "rings --force p o" \
        "denoise --method tgv -i 2 --lambda 0.1 vol o" "hist vol o"
}

# Plans that are measured, as memory depends on the values.
@test "plan: memory of meshes and pictures" {
    /usr/bin/python3 "$GANTRY_SOURCE/tests/plan_memory.py" "mesh --iso 0.012 --decimate 0.5 vol o.stl" "toplot vol o.png" "stats vol"
    gantry plan mesh --iso 0.012 vol m.stl >said
    grep -q '^output: text' said
    grep -q '^time: about' said
    [ ! -e m.stl ]
    [ "$(gantry stats --plan vol | grep -c -v "^load:")" = 4 ]
}
