load common

# A stack of fans: every row by itself is the fan beam of its slice.
@test "fan stack: slices by themselves, in every model" {
    traj --views 7 --sod 60 --sdd 90 --pitch 1.7 --detector 33 fan
    traj --fan --views 7 --sod 60 --sdd 90 --pitch 1.7:1 --detector 33:6 stack
    random --size 30:27:6 x
    for model in joseph siddon sf; do
        project --quiet --model $model stack x p
        [ "$(dims p)" = "33 6 7" ]
        project --model $model --slices fan x q
        same_bytes p q
        for k in 0 4; do
            extract z $k:$((k + 1)) x one
            geom --shift 0:0:$k.5 fan at
            geom --shift 0:0:-3 at at
            project --model $model --type float64 at one want
            extract y $k:$((k + 1)) p row
            compare --tolerance 1e-6 want row
        done
        backproject --quiet --model $model --like x fan p b
        backproject --model $model --like x stack p c
        same_bytes b c
    done
}

@test "fan stack: any instruction set, slabs of a volume larger than memory" {
    traj --fan --views 5 --sod 60 --sdd 90 --pitch 1.7:0.7 --detector 33:300 g
    random --size 20:9:270 x
    random --size 80:70:270 large
    for model in joseph siddon sf; do
        project --model $model --type float64 g x want
        backproject --model $model --type float64 --like x g want want-b
        for isa in plain avx2 avx512; do
            GANTRY_ISA=$isa project --model $model g x p-$isa
            GANTRY_ISA=$isa backproject --model $model --like x g want b-$isa
            compare --tolerance 1e-6 want p-$isa
            compare --tolerance 1e-6 want-b b-$isa
        done
        same_bytes p-avx2 p-avx512
        project --model $model g large q
        GANTRY_MEM=4M project --model $model -j 1 g large p
        same_bytes p q
    done
}

@test "fan stack: the geometry of one slice before projections of several" {
    traj --views 40 --sod 60 --sdd 90 --pitch 1.5 --detector 36 fan
    traj --views 40 --detector 36 beam
    phantom --size 24:24:8 x
    for g in fan beam; do
        project --slices $g x p
        cg --iterations 15 --like x $g p rec 2>said
        grep -q 'is used for each of the 8 rows of p, 1 mm apart' said
        [ "$(py 'x, r = read("x"), read("rec"); print(np.linalg.norm(r - x) < 0.3*np.linalg.norm(x))')" = True ]
    done
    check --quiet fan x p
    fails 1 'p has dimensions 36 x 8 x 40' backproject --detector 36 fan p a
    project --slices fan x p
    fails 1 'fan: a stack of fans' fbp fan p out
    extract z 0:1 x one
    fails 1 'the volume has one slice' project --slices fan one q
    traj --views 4 --sod 60 --sdd 90 --detector 36:2 cone
    fails 1 'not in one plane' project --slices cone x q
    no_output a out q
}

@test "fan stack: shifted and binned rows take their sources with them" {
    traj --fan --views 4 --sod 60 --sdd 90 --pitch 1.5:1 --detector 9:8 g
    geom --shift-v -1.5 --shift-u 0.5 g shifted
    geom --detector 9:5 shifted rows
    geom --bin 1:3 g binned
    phantom --size 8:8:8 x
    project g x p
    project rows x q
    geom --shift-u 0.5 g columns
    project columns x p
    extract v 0:5 p same
    compare --tolerance 1e-6 same q
    py '
g, b = read("g"), read("binned")
assert np.allclose(b[2, :2], -1) and np.allclose(b[:3, 3], 3*g[:3, 3]) and (b[:2, :2] == g[:2, :2]).all()'
}

@test "fan stack: traj --fan, and LEAP's fan beam" {
    traj --fan --views 4 --sod 60 --sdd 90 --pitch 1.5 --detector 9:5 --offset 2:3 --helix 8 g
    geom g >said
    grep -q 'kind *stack of fan beams' said
    grep -q 'row pitch *1 mm' said
    py 'g = read("g")
assert (g[3, 0] == 2).all() and (g[2, 0] == g[2, 1]).all()'
    traj --fan --views 7 --start 5 --sod 60 --sdd 90 --pitch 1.5:0.8 --detector 9:5 --offset 2:3 s
    geom --to leap s s.txt
    grep -q 'geometry = fan' s.txt
    geom --quiet --from leap s.txt t
    random --size 8:8:9 x
    project s x p
    project t x q
    compare --tolerance 1e-5 p q
    fails 1 'a stack of fans' geom --to astra s s.json
    fails 1 'a stack of fans' geom --to leap g g.txt
    fails 2 'needs a point source: --sod and --sdd' traj --fan --detector 9:5 a
    fails 2 'one row is already a fan' traj --fan --sod 60 --sdd 90 --detector 9 a
    fails 2 '--fan excludes --tilt' traj --fan --sod 60 --sdd 90 --detector 9:5 --tilt 3 a
    fails 1 'v is not parallel to z' geom --quiet --rotate 10:0:0 g a
    no_output a
}
