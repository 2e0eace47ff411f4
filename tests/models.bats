load common

scans=("--views 7 --detector 40:30" "--views 7 --detector 40:31" "--views 5 --detector 40:37 --pitch 0.6:1"
    "--views 7 --detector 40:30 --sod 80 --sdd 120 --pitch 1.3"
    "--views 5 --detector 40:30 --sod 80 --sdd 120 --pitch 0.6 --radius 120 --helix 20"
    "--views 5 --detector 40:30 --sod 80 --sdd 120 --pitch 4.1"
    "--views 3 --detector 40:30 --sod 4000 --sdd 8000 --pitch 2" "--views 3 --detector 40:30 --sod 4000 --sdd 8000 --pitch 4.3"
    "--views 3 --detector 40:30 --sod 4000 --sdd 8000 --pitch 3.6")

# same_bytes MODEL..: both transforms of x and y in the geometry g give the same bytes with every instruction set.
same_bytes() {
    local model isa
    for model; do
        for isa in plain avx2 avx512; do
            GANTRY_ISA=$isa project --model "$model" g x p-$isa
            GANTRY_ISA=$isa backproject --model "$model" --like x g y b-$isa
        done
        for isa in avx2 avx512; do
            cmp p-plain.cfl p-$isa.cfl
            cmp b-plain.cfl b-$isa.cfl
        done
    done
}

@test "models: columns by Siddon's method and by footprints give the same bytes with every instruction set" {
    random --size 33:30:35 x
    for scan in "${scans[@]}"; do
        traj $scan g
        read -r _ views _ size _ <<<"$scan"
        random --size "$size:$views" y
        same_bytes siddon sf
    done
}

@test "models: every instruction set gives the same bytes before tilted detectors" {
    random --size 33:50:35 x
    random --size 40:44:4 y
    for scan in "--views 4 --detector 40:44 --tilt 25" "--views 4 --detector 40:44 --sod 150 --sdd 300 --pitch 1.9 --tilt 5" \
        "--views 4 --detector 40:44 --sod 100 --sdd 150 --pitch 1.5 --tilt 40" "--views 4 --detector 40:44 --pitch 0.51 --tilt 0.5"; do
        traj $scan g
        same_bytes joseph siddon sf
    done
}

@test "models: every instruction set gives the same bytes of a slice by footprints" {
    random --size 65:62 x
    for scan in "--views 31 --detector 90:1 --pitch 0.9" "--views 4 --detector 90:1 --pitch 0.51" \
        "--views 31 --detector 90:1 --sod 100 --sdd 150 --pitch 1.2"; do
        traj $scan g
        for isa in plain avx2 avx512; do
            GANTRY_ISA=$isa project --model sf g x $isa
        done
        cmp plain.cfl avx2.cfl
        cmp plain.cfl avx512.cfl
    done
}

@test "models: the same bytes for any number of threads" {
    random --size 70:66:65 x
    traj --views 12 --detector 90:80 --sod 200 --sdd 300 --pitch 1.5 g
    for model in joseph siddon sf; do
        for j in 1 2 7; do
            project -j $j --model $model g x p$j
            backproject -j $j --model $model --like x g p1 b$j
        done
        cmp p1.cfl p2.cfl
        cmp p1.cfl p7.cfl
        cmp b1.cfl b2.cfl
        cmp b1.cfl b7.cfl
    done
}

@test "models: a parallel view of footprints has the mass of the volume" {
    random --size 20:18:16 x
    traj --views 9 --detector 60:60 --pitch 0.7:0.9 g
    project --type float64 --model sf g x p
    py "
x, p = read('x'), read('p')
assert np.allclose(p.sum((0, 1)) * 0.63, x.astype(float).sum(), rtol=1e-10)
"
}

@test "models: a fan sees a slice of 1 in full depth, wherever the magnification makes it thin" {
    ones --size 32:32 x
    traj --views 4 --start 45 --detector 9 --sod 60 --sdd 120 --pitch 0.5 g
    for model in joseph siddon sf; do
        project --model $model g x p
        py "
p = read('p').reshape(9, 4)
assert abs(p[4] / (32 * 2 ** 0.5) - 1).max() < 0.03, p[4]
"
    done
}

@test "models: cg and wls take --model, keep it in the history, and fit its data" {
    phantom --size 24:24:20 x
    traj --views 30 --detector 36:30 --sod 80 --sdd 120 --pitch 1.5 g
    for model in joseph siddon sf; do
        project --model $model g x p
        cg --model $model -i 40 --like x g p r
        project --model $model g r q
        run compare --tolerance 0.02 p q
        [ "$status" -eq 0 ]
        wls --model $model -i 2 --like x g p w
        [[ $(gantry history r) == *"$model"* || $model == joseph ]]
    done
    fails 2 '--model' cg --model footprint g p r2
    [ ! -e r2.cfl ]
}
