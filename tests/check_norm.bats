load common

@test "check --norm: the largest singular value, from NumPy, at most 1 % above" {
    gantry traj --views 11 --detector 8:1 geom
    py 'write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))'
    gantry project geom units matrix
    gantry check --norm --size 6:5:1 geom >said
    py '
import re
s = np.linalg.svd(read("matrix").reshape(88, 30, order="F"), compute_uv=False)[0]
n = float(re.search(r"[|]A[|] = (\S+) mm", open("said").read()).group(1))
assert 1 <= n / s < 1.011, (n, s)'
    gantry check --size 6:5:1 geom >plain
    run ! grep -q norm plain
}
