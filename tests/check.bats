load common

@test "check: passes on parallel, cone, curved, tilted and helical scans" {
    traj --views 9 --detector 40:24 a
    traj --views 9 --detector 40:24 --sod 80 --sdd 120 b
    traj --views 9 --detector 41:24 --sod 80 --sdd 120 --radius 120 --offset 3:1 c
    traj --views 9 --detector 40:24 --tilt 40 d
    traj --views 9 --detector 40:24 --sod 80 --sdd 120 --helix 20 e
    for g in a b c d e; do
        check -q $g >said
        [ "$(grep -c '^ok' said)" -eq 5 ]
        run ! grep FAIL said
    done
}

@test "check: balls are seen where the convention says, in 2-D too" {
    traj --views 12 --detector 100 --sod 200 --sdd 300 g
    check g >said
    grep -q '^ok *orientation *3 balls in .* views' said
    grep -q '+x at the axis moves +1.5 columns' said
    traj --views 12 --detector 100 --pitch -1 m
    check m >said
    grep -q '^ok *orientation *3 balls in .* views' said
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
    [ "$(grep -c '^ok' said)" -eq 5 ]
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

@test "check: bad input" {
    fails 1 'nothere' check nothere
    traj g
    fails 1 'nothere' check g nothere
    fails 2 '--size' check --size 0 g
}
