load common

@test "check: passes on parallel, cone, curved, tilted and helical scans" {
    traj --views 9 --detector 40:24 a
    traj --views 9 --detector 40:24 --sod 80 --sdd 120 b
    traj --views 9 --detector 41:24 --sod 80 --sdd 120 --radius 120 --offset 3:1 c
    traj --views 9 --detector 40:24 --tilt 40 d
    traj --views 9 --detector 40:24 --sod 80 --sdd 120 --helix 20 e
    for g in a b c d e; do
        check -q $g >said
        [ "$(grep -c '^ok' said)" -eq 6 ]
        run ! grep FAIL said
    done
    traj --views 7 --detector 160:96 --tilt 25 --sod 300 --sdd 450 --detector-roll 10 large
    check -q large
}

@test "check: balls are seen where the convention says, in 2-D too" {
    traj --views 12 --detector 100 --sod 200 --sdd 300 g
    check g >said
    grep -q '^ok *orientation *the positions of 3 balls in .* views' said
    grep -q '+x at the axis moves +1.5 columns' said
    traj --views 12 --detector 100 --pitch -1 m
    check m >said
    grep -q '^ok *orientation *the positions of 3 balls in .* views' said
    grep -q '+x at the axis moves -1 columns' said
}

@test "check: random vectors written by NumPy" {
    py '
r = np.random.default_rng(1)
g = np.zeros((4, 4, 6))
for k in range(6):
    n = r.normal(size=3); n /= np.linalg.norm(n)
    g[:3, 0, k] = 60*n + r.normal(size=3)
    g[:3, 1, k] = -40*n + r.normal(size=3)
    g[:3, 2:, k] = r.normal(size=(3, 2))
g[3, :2] = 1
write("g", g, Detector="30 28")'
    check --size 24:22:20 --spacing 1 g >said
    [ "$(grep -c '^ok' said)" -eq 6 ]
}

@test "check: a volume with a NaN fails with status 1" {
    traj --views 5 --detector 20:10 g
    py '
x = np.ones((20, 20, 10), "f4")
write("good", x)
x[3, 4, 5] = np.nan
write("bad", x)'
    check g good
    run -1 check g bad
    [[ $output = *"FAIL  volume"* ]]
    [[ $output = *"1 NaN"* ]]
}

@test "check: large cases are proved in their own resolution as well, every model" {
    traj --views 200 --detector 300:150 --sod 600 --sdd 900 --pitch 1.5 --radius 900 --offset 10:3 g
    for model in joseph siddon sf; do
        check -q --model $model g >said
        [ "$(grep -c '^ok' said)" -eq 9 ]
        grep -q '^ok *dot-full .*(limits .*; .*(limits' said
        grep -q '^ok *ref-full .*project .*backproject' said
        grep -q '^ok *letter .*nearest mirror image by [3-9]' said
    done
}

@test "check: what the scan covers and how finely" {
    traj --views 90 --detector 100:20 --sod 200 --sdd 300 --pitch 1.5 g
    check --views ::2 g >said
    grep -q '^note *sampling *pixels of 1 x 1 mm at the axis (magnification 1.5), voxels of 1 x 1 x 1 mm' said
    grep -q '^note *angles *45 views, at most 8 degrees apart: 6' said
    traj --views 90 --detector 100:20 g
    check g >said
    grep -q '^note *angles *90 views, at most 2 degrees apart' said
}

@test "check: projections are searched for NaN, and must have the geometry's shape" {
    traj --views 5 --detector 20:10 g
    ones --size 20:20:10 x
    project g x p
    check g x p >said
    grep -q '^ok *shape' said
    grep -q '^ok *projections *0 NaN' said
    py 'p = read("p"); p[1, 2, 3] = np.inf; write("bad", p); write("less", p[:, :, :4])'
    run -1 check g x bad
    [[ $output = *"FAIL  projections  0 NaN and 1 infinite"* ]]
    run -1 check g x less
    [[ $output = *"FAIL  shape "*"less is 20 x 10 x 4, the geometry has 20 x 10 pixels in 5 views"* ]]
}

@test "check: a volume that no ray meets fails" {
    traj --views 50 --detector 100:100 --sod 300 --sdd 450 g
    run -1 check --size 80:80:80 --spacing 1 --origin 1000:1000:1000 g
    [[ $output = *"FAIL  pieces       no ray meets the volume"* ]]
}

@test "check: bad input" {
    fails 1 'nothere' check nothere
    traj g
    fails 1 'nothere' check g nothere
    fails 2 '--size' check --size 0 g
}
