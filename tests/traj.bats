load common

@test "traj: a cone beam stands where the convention says, exactly at quarter turns" {
    traj --views 4 --sod 100 --sdd 150 --pitch 2:3 --detector 8:6 g
    [ "$(dims g)" = "4 4 4" ]
    [ "$(section g Detector)" = "8 6" ]
    [ "$(section g Quantity)" = geometry ]
    py '
g = read("g")
s, c = [0, 1, 0, -1], [1, 0, -1, 0]
for k in range(4):
    want = np.array([[100*s[k], -100*c[k], 0, 1], [-50*s[k], 50*c[k], 0, 1], [2*c[k], 2*s[k], 0, 0], [0, 0, 3, 0]]).T
    assert (g[:, :, k] == want).all(), k'
}

@test "traj: a parallel beam runs along +y at angle 0 and covers 180 degrees, the end left out" {
    traj --views 6 --detector 10 g
    [ "$(section g Detector)" = "10 1" ]
    py '
g = read("g")
t = np.radians(30*np.arange(6))
assert np.allclose(g[:, 0], [-np.sin(t), np.cos(t), 0*t, 0*t])
assert (g[:3, 1] == 0).all() and (g[3, 1] == 1).all()
assert np.allclose(g[:, 2], [np.cos(t), np.sin(t), 0*t, 0*t])
assert (g[:, 0, 3] == [-1, 0, 0, 0]).all()'
}

@test "traj: --arc, --start and negative turns" {
    traj --views 8 --arc -90 --start 10 --sod 10 --sdd 20 g
    py '
g = read("g")
t = np.radians(10 - 90*np.arange(8)/8)
assert np.allclose(g[:2, 0], [10*np.sin(t), -10*np.cos(t)])'
}

@test "traj: --golden steps by 111.24612 degrees" {
    traj --views 50 --golden --start 5 g
    py '
g = read("g")
t = np.radians(5 + 180*0.6180340*np.arange(50))
assert np.allclose(g[:2, 0], [-np.sin(t), np.cos(t)])'
}

@test "traj: --angles FILE, and a range of its lines" {
    printf '# measured\n0\n90\n180.0\n270\n33.5\n' >angles.txt
    traj --angles angles.txt --sod 10 --sdd 20 all
    traj --angles angles.txt --views 1:3 --sod 10 --sdd 20 some
    traj --angles angles.txt --views 2 --sod 10 --sdd 20 two
    [ "$(dims all)" = "4 4 5" ]
    py '
a, s, t = read("all"), read("some"), read("two")
assert np.allclose(a[:2, 0, 4], [10*np.sin(np.radians(33.5)), -10*np.cos(np.radians(33.5))])
assert (a[:, 0, 1] == [10, 0, 0, 1]).all()
assert (s == a[:, :, 1:3]).all() and (t == a[:, :, :2]).all()'
}

@test "traj: offset, negative pitch, helix and tilt" {
    traj --views 4 --sod 100 --sdd 150 --pitch -2 --offset 5:7 o
    traj --views 4 --sod 100 --sdd 150 --helix 8 h
    traj --views 4 --sod 100 --sdd 150 --tilt 90 t
    py '
o, h, t = read("o"), read("h"), read("t")
assert (o[:, 1, 0] == [5, 50, 7, 1]).all() and (o[:, 2, 0] == [-2, 0, 0, 0]).all() and (o[:, 3, 0] == [0, 0, 2, 0]).all()
assert (o[:, 1, 1] == [-50, 5, 7, 1]).all()
assert (h[2, 0] == [-3, -1, 1, 3]).all() and (h[2, 1] == [-3, -1, 1, 3]).all()
assert (t[:, 0, 0] == [0, 0, 100, 1]).all() and (t[:, 1, 0] == [0, 0, -50, 1]).all() and (t[:, 3, 0] == [0, 1, 0, 0]).all()'
}

@test "traj: an offset follows a curved detector" {
    traj --views 1 --sod 100 --sdd 150 --radius 150 --offset 30 g
    [ "$(section g Detector)" = "128 1 150" ]
    py '
g = read("g")[..., 0] if read("g").ndim == 3 else read("g")
d, u, t = g[:3, 1], g[:3, 2], 30/150
assert np.allclose(d, [150*np.sin(t), 150*np.cos(t) - 100, 0])
assert np.allclose(u, [np.cos(t), -np.sin(t), 0])'
}

@test "traj: through a pipe the same geometry" {
    traj --views 12 --sod 10 --sdd 20 a
    traj --views 12 --sod 10 --sdd 20 - | copy - b
    same_bytes a b
}

@test "traj: bad command lines end with status 2 and no output" {
    fails 2 '--sdd' traj --sod 100 g
    fails 2 '--sod' traj --sdd 100 g
    fails 2 '--views' traj --views 0 g
    fails 2 '--views' traj --views abc g
    fails 2 '--angles' traj --views 1:3 g
    fails 2 '--arc' traj --golden --arc 90 g
    fails 2 '--pitch' traj --pitch 0 g
    fails 2 '--pitch' traj --pitch 1:2:3 g
    fails 2 '--detector' traj --detector 1:2:3 g
    fails 2 '--detector' traj --detector 0:4 g
    fails 2 '--radius' traj --radius 1 --detector 100 g
    fails 2 '--sod' traj --sod -5 --sdd 10 g
    fails 2 '--arc' traj --arc nan g
    fails 2 '--arc 0' traj --arc 0 --views 2 g
    printf '0\n1\n' >angles.txt
    fails 2 '--start' traj --angles angles.txt --start 5 g
    fails 2 '2 angles' traj --angles angles.txt --views 3 g
    no_output g
}

@test "traj: a bad angle file ends with status 1 and no output" {
    printf '0\nten\n' >bad.txt
    fails 1 'bad.txt' traj --angles bad.txt g
    : >empty.txt
    fails 1 'empty.txt' traj --angles empty.txt g
    fails 1 'missing.txt' traj --angles missing.txt g
    no_output g
}

@test "traj: a detector before the axis is warned of" {
    traj --sod 150 --sdd 100 g 2>said
    grep -q 'exchanged' said
    traj --sod 100 --sdd 150 g 2>said
    [ ! -s said ]
}
