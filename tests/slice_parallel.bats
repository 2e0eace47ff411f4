load common

# Parallel beams perpendicular to z: rows on slices, between them, mirrored, far apart and close together; quarter
# turns and 45 degrees; more than 64 slices, columns that are no multiple of 16, detectors smaller than the volume.
scans() {
    traj --views 8 --detector 45:70 unit
    traj --views 9 --detector 37:69 --pitch 1:-1 --offset 3.3:0 mirrored
    traj --views 9 --detector 41:40 --pitch 1.7:1.9 --offset 0:0.4 coarse
    traj --views 5 --start 10 --detector 150:160 --pitch 0.3:0.45 fine
    traj --views 9 --start 33 --arc 360 --detector 20:50 --offset 4:30 small
}

@test "level: equal to float64 with every instruction set, and the transpose" {
    scans
    random --size 33:30:70 x
    for scan in unit mirrored coarse fine small; do
        project --type float64 $scan x q
        random --size "$(show --field dims q | tr ' ' ':')" y
        backproject --type float64 --like x $scan y c
        for isa in plain avx2 avx512; do
            GANTRY_ISA=$isa project $scan x p
            GANTRY_ISA=$isa backproject --like x $scan y b
            compare --tolerance 1e-6 q p
            compare --tolerance 1e-6 c b
        done
        check --like x $scan
    done
}

# Rows on slices, as footprints and lengths in voxels go this way: shadows over two columns and over many, of voxels of which many and few
# weigh in a column; quarter turns and 45 degrees.
slices() {
    traj --views 8 --detector 45:70 unit
    traj --views 9 --start 33 --arc 360 --detector 20:50 --pitch 1.7:-1 --offset 4.3:30 coarse
    traj --views 5 --start 10 --detector 150:60 --pitch 0.3:1 fine
    traj --views 5 --start 80 --detector 9:60 --pitch 5:1 rough
}

@test "level: footprints and Siddon's method equal to float64 with every instruction set, and the transpose" {
    slices
    for case in "unit 33:31:70" "coarse 33:30:70" "fine 33:30:70" "rough 35:2:8"; do
        read -r scan size <<<"$case"
        random --size "$size" x
        project $scan x p
        random --size "$(show --field dims p | tr ' ' ':')" y
        for model in siddon sf; do
            project --type float64 --model $model $scan x q
            backproject --type float64 --model $model --like x $scan y c
            for isa in plain avx2 avx512; do
                GANTRY_ISA=$isa project --model $model $scan x p-$isa
                GANTRY_ISA=$isa backproject --model $model --like x $scan y b-$isa
                cmp p-plain.cfl p-$isa.cfl
                cmp b-plain.cfl b-$isa.cfl
            done
            compare --tolerance 1e-6 q p-plain
            compare --tolerance 1e-6 c b-plain
        done
    done
    random --size 33:31:70 x
    check --model sf --like x unit
    check --model siddon --like x unit
}

# Rays in faces belong to the voxel above, wherever the volume is cut.
@test "level: Siddon's method with rays in faces" {
    traj --views 4 --detector 33:40 g
    random --size 40:34:40 x
    project --model siddon --type float64 g x q
    project --model siddon g x p
    compare --tolerance 1e-6 q p
    backproject --model siddon --type float64 --like x g p c
    backproject --model siddon --like x g p b
    compare --tolerance 1e-6 c b
    traj --angles 0.00000000001,90.000000002 --detector 33:40 aslant # and with rays that cross them ever so slowly
    check --model siddon --like x aslant
}

@test "level: the same bytes for any number of threads and any memory" {
    scans
    traj --views 5 --start 10 --detector 150:60 --pitch 0.3:1 fine
    random --size 100:97:70 x
    for scan in "joseph unit" "joseph coarse" "siddon fine" "sf unit"; do
        read -r model scan <<<"$scan"
        project -j 2 --model $model $scan x p
        backproject -j 2 --model $model --like x $scan p b
        for j in 1 7; do
            GANTRY_MEM=3M project -j $j --model $model $scan x p2
            GANTRY_MEM=3M backproject -j $j --model $model --like x $scan p b2
            if [ -z "${GANTRY_DEVICE:-}" ]; then cmp p.cfl p2.cfl; else compare --tolerance 1e-6 p p2; fi # devices add slabs
            cmp b.cfl b2.cfl
        done
    done
}

@test "level: complex data, masks and lists of views" {
    scans
    random --size 33:30:70 x
    random --size 33:30:70 --seed 2 y
    expr 'x + 1i * y' x=x y=y z
    for scan in unit coarse; do
        project $scan x p
        project $scan y q
        project $scan z r
        expr 'real(r)' r=r re
        expr 'imag(r)' r=r im
        cmp p.cfl re.cfl
        cmp q.cfl im.cfl
        project --mask circle:10 $scan x p
        project --type float64 --mask circle:10 $scan x q
        compare --tolerance 1e-6 q p
        backproject --views 6,2,3 --like x $scan r b
        backproject --views 6,2,3 --like x --type complex128 $scan r c
        compare --tolerance 1e-6 c b
    done
}
