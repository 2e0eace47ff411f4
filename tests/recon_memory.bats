# Vectors that do not fit into GANTRY_MEM.
load common

@test "recon: vectors in temporary files give the same bytes" {
    gantry phantom --size 160:160:1 vol
    gantry traj --views 9 --detector 240:1 geom
    gantry project geom vol proj
    for a in pdhg admm fista lbfgs ossart lsqr mlem; do
        terms=(); case $a in pdhg | admm | fista) terms=(-R tv:0.01) ;; esac
        gantry recon --algorithm $a -i 3 --keep-best "${terms[@]}" --like vol geom proj all
        for m in 10K 400K; do
            GANTRY_MEM=$m gantry recon --algorithm $a -i 3 --keep-best "${terms[@]}" --like vol geom proj spilled
            same_bytes all spilled
        done
    done
    gantry recon --data poisson:1000 --views 8:1:-2 --type float64 -i 3 -R nonneg --like vol geom proj all
    GANTRY_MEM=10K gantry recon --data poisson:1000 --views 8:1:-2 --type float64 -i 3 -R nonneg --like vol geom proj spilled
    same_bytes all spilled
    gantry wls --nonneg -i 3 --like vol geom proj all
    GANTRY_MEM=10K gantry wls --nonneg -i 3 --like vol geom proj spilled
    same_bytes all spilled
    [ -z "$(find . -name '*.tmp')" ]
}

# 14 vectors of 4 MiB each do not fit into 40 MB of private memory, and need not.
@test "recon: private memory stays within GANTRY_MEM" {
    gantry phantom --size 1024:1024:1 vol
    gantry traj --views 2 --detector 64:1 --pitch 16 geom
    gantry project geom vol proj
    gantry recon -j 1 --device cpu --algorithm lbfgs -i 2 --like vol geom proj all
    (
        unset GANTRY_DEVICE # drivers need memory of their own
        ulimit -d 45000     # KiB of writable private memory
        if gantry recon -j 1 --algorithm lbfgs -i 2 --like vol geom proj spilled 2>/dev/null; then false; fi
        GANTRY_MEM=12M gantry recon -j 1 --algorithm lbfgs -i 2 --like vol geom proj spilled
    )
    same_bytes all spilled
    fails 1 "nowhere" env GANTRY_MEM=1M GANTRY_TMPDIR=nowhere gantry recon -i 2 --like vol geom proj rec
    no_output rec
}

@test "recon: the plan counts vectors, and says what goes to the disk" {
    gantry phantom --size 64:64:1 vol
    gantry traj --views 9 --detector 100:1 geom
    gantry project geom vol proj
    gantry recon --plan --algorithm lsqr --like vol geom proj rec >said
    grep -q "^vectors: 3 of the volume (16 KiB each), 2 of the projections (3.5 KiB each); all in memory" said
    buffers=$(gantry project --plan geom vol p2 | sed -n 's/^memory: \([0-9]*\) bytes.*/\1/p')
    grep -q "^memory: $((3 * 64 * 64 * 4 + 2 * 900 * 4 + buffers)) bytes" said
    if grep -q "^temporary" said; then false; fi
    grep -q "^time: about" said
    GANTRY_MEM=20K gantry recon --plan --algorithm lsqr --like vol geom proj rec >said
    grep -q "^memory: $((20480 + buffers)) bytes" said
    grep -q "^temporary files: $((3 * 64 * 64 * 4 + 2 * 900 * 4 - 20480)) bytes" said
    no_output rec
    for a in pdhg admm sqs wls; do
        case $a in wls) c=(wls) ;; *) c=(recon --algorithm "$a") ;; esac
        gantry "${c[@]}" --plan --like vol geom proj rec | grep -q "^time: about"
    done
}
