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

@test "traj: --short turns by 180 degrees and the fan angle, which is enough for fbp" {
    traj --short --views 100 --sod 200 --sdd 300 --detector 150 --offset 10 g
    py '
g = read("g")
angle = np.degrees(np.unwrap(np.arctan2(g[0, 0], -g[1, 0])))
want = 180 + 2*np.degrees(np.arctan((75 + 10)/300))
assert np.allclose(np.diff(angle), want/100)'
    ones --size 150:1:100 p
    fbp g p x 2>said
    traj --arc 190 --views 100 --sod 200 --sdd 300 --detector 150 --offset 10 less
    fails 1 '(180 degrees + the fan angle)' fbp less p y
    no_output y
}

@test "traj: --sphere spreads the sources evenly up to a latitude" {
    traj --sphere 90 --views 400 --sod 50 --sdd 80 --detector 9:7 g
    traj --sphere 30 --views 400 --sod 50 --sdd 80 --detector 9:7 cap
    py '
g, c = read("g"), read("cap")
s, d = g[:3, 0], g[:3, 1]
assert np.allclose(np.linalg.norm(s, axis=0), 50)
assert np.allclose(d, -s*30/50)
assert np.abs(s.mean(1)).max() < 0.5
assert np.allclose(s @ s.T / 400, np.eye(3)*50**2/3, atol=12)
gap = np.linalg.norm(s[:, :, None] - s[:, None], axis=0) + 1e9*np.eye(400)
assert gap.min() > 0.7*50*np.sqrt(4*np.pi/400), gap.min()
assert np.abs(c[2, 0]).max() < 25 and np.abs(c[2, 0]).max() > 24.9
assert np.allclose((g[:3, 2]*g[:3, 3]).sum(0), 0) and np.allclose((g[:3, 2]*s).sum(0), 0)'
}

@test "traj: tomosynthesis keeps the detector and moves the source on an arc or a line" {
    traj --tomosynthesis arc --views 11 --arc 44 --sod 60 --sdd 75 --detector 9:7 arc
    traj --tomosynthesis line --views 11 --arc 44 --sod 60 --sdd 75 --detector 9:7 line
    traj --views 1 --sod 60 --sdd 75 --detector 9:7 one
    py '
a, l, o = read("arc"), read("line"), read("one")
o = o.reshape(4, 4, -1)
t = np.radians(4*(np.arange(11) - 5))
assert (a[:, 1:] == o[:, 1:]).all() and (l[:, 1:] == o[:, 1:]).all()
assert np.allclose(a[:3, 0], [60*np.sin(t), -60*np.cos(t), 0*t])
assert np.allclose(l[:3, 0], [60*np.tan(t), 0*t - 60, 0*t])'
    fails 2 '--sod' traj --tomosynthesis arc g
    fails 2 '90' traj --tomosynthesis line --angles 0,95 --sod 60 --sdd 75 g
    fails 2 '--helix' traj --tomosynthesis arc --helix 3 --sod 60 --sdd 75 g
    no_output g
}

@test "traj: roll, tilt and yaw turn the detector about its centre" {
    for part in roll tilt yaw; do
        traj --views 4 --sod 60 --sdd 90 --pitch 2:3 --detector-$part 30 $part
    done
    py '
r, t, y = read("roll"), read("tilt"), read("yaw")
c, s = np.cos(np.pi/6), 0.5
for g in (r, t, y):
    assert np.allclose(g[:3, 1, 0], [0, 30, 0])
# seen from the source columns grow to the right (+x), rows up (+z); the source is towards -y
assert np.allclose(r[:3, 2:, 0].T, [[2*c, 0, 2*s], [-3*s, 0, 3*c]])
assert np.allclose(t[:3, 2:, 0].T, [[2, 0, 0], [0, -3*s, 3*c]])
assert np.allclose(y[:3, 2:, 0].T, [[2*c, -2*s, 0], [0, 0, 3]])
assert np.allclose(y[:3, 2, 1], [2*s, 2*c, 0])'
}

@test "traj: --wobble is random by its seed, --wobble-file exact" {
    scan() { traj --views 300 --sod 60 --sdd 90 --detector 9:7 "$@"; }
    scan g
    scan --wobble 0.5:0:0:0:0:0:0:0:2 --seed 4 a
    scan --wobble 0.5:0:0:0:0:0:0:0:2 --seed 4 b
    scan --wobble 0.5:0:0:0:0:0:0:0:2 --seed 5 c
    scan --wobble 0 zero
    same_bytes a b
    same_bytes g zero
    run ! cmp -s a.cfl c.cfl
    py '
g, a = read("g"), read("a")
right = ((a - g)[:, 1]*g[:, 2]).sum(0)
back = (a - g)[:3, 0]/(g[:3, 0]/60)
assert 0.4 < right.std() < 0.6 and abs(right.mean()) < 0.1
assert np.allclose(np.cross((a - g)[:3, 0].T, g[:3, 0].T), 0, atol=1e-9)
assert 1.7 < ((a - g)[:3, 0]*g[:3, 0]).sum(0).std()/60 < 2.3
write("w", np.tile(np.arange(1.0, 10)[:, None], (1, 300)))'
    scan --wobble-file w f
    py '
f = read("f")[..., 0]
# view 0: right = x, up = z, towards the source = -y
assert np.allclose(f[:3, 1], [1, 30 - 3, 2]) and np.allclose(f[:3, 0], [7, -60 - 9, 8])
def turn(axis, degrees, v):
    t = np.radians(degrees)
    return np.cos(t)*v + np.sin(t)*np.cross(axis, v) + (1 - np.cos(t))*np.dot(axis, v)*axis
n, u, v = np.array([0, -1, 0.]), np.array([1, 0, 0.]), np.array([0, 0, 1.])
for got, x in ((f[:3, 2], u), (f[:3, 3], v)):
    assert np.allclose(got, turn(v, -6, turn(u, 5, turn(n, 4, x))))'
    gantry history a | grep -q -- '--seed=4'
    fails 1 '7 to 9' traj --views 300 --wobble-file w p
    fails 1 '9 x 300' scan --views 3 --wobble-file w p
    no_output p
}

@test "traj: --angles takes a list, an array of Gantry or NumPy, and says so in the history" {
    traj --angles 0,90,33.5 --sod 10 --sdd 20 list
    py '
write("deg", np.array([0, 90, 33.5]))
np.save("deg.npy", np.array([0, 90, 33.5], "f4"))'
    traj --angles deg.cfl --sod 10 --sdd 20 array
    traj --angles deg.npy --sod 10 --sdd 20 numpy
    printf '0 90\n33.5\n' >deg.txt
    traj --angles deg.txt --sod 10 --sdd 20 text
    same_bytes list array
    same_bytes list text
    same_bytes list numpy
    gantry history list | grep -q -- '--angles=0,90,33.5'
    random --size 4 angles
    traj --angles angles made
    gantry history made >script
    mkdir again
    (cd again && sh ../script && same_bytes made ../made)
    traj --angles 5 one
    [ "$(dims one)" = "4 4" ]
    random --size 3:2 two
    fails 1 '3 x 2' traj --angles two.cfl g
    fails 2 '--angles' traj --angles 1,,2 g
    no_output g
}

@test "traj: options that contradict each other" {
    fails 2 '--short' traj --short --arc 90 g
    fails 2 '--sphere' traj --sphere 50 --arc 90 g
    fails 2 '--sphere' traj --sphere 50 --helix 9 --sod 5 --sdd 9 g
    fails 2 '--golden' traj --golden --short g
    fails 2 '--wobble' traj --wobble 1:1:1:1:1:1:1:1:1:1 g
    fails 2 '--tomosynthesis' traj --tomosynthesis circle g
    no_output g
}

@test "traj: along every kind of scan the projections of boxes are exact, in non-cubic voxels beside the centre as well" {
    printf 'unit mm\nbox 1 -4 -3 4 10 4.5 12\nbox 2 -4 4.5 4 4 6 6\n' >boxes.txt
    phantom --file boxes.txt --size 30:24:32 --spacing 2:3:1.5 --origin -31:-36:-25.25 --oversample 1 v
    scan() {
        traj --start 7 --detector 17:12 --pitch 5:4.3 "$@" g
        phantom --file boxes.txt --geometry g exact
        project --model siddon g v p
        py '
p, e = read("p"), read("exact")
assert e.max() > 0 and np.abs(p - e).max() < 1e-5*e.max(), np.abs(p - e).max()/e.max()'
    }
    cone=(--sod 120 --sdd 190)
    scan --views 5
    scan --views 5 --tilt 30
    scan --views 5 "${cone[@]}"
    scan --views 5 "${cone[@]}" --helix 20 --offset 4:-3
    scan --views 5 "${cone[@]}" --tilt 20 --detector-roll 10 --detector-tilt 5 --detector-yaw 15
    scan --views 5 "${cone[@]}" --sphere 90
    scan --views 5 "${cone[@]}" --tomosynthesis line
    scan --views 5 "${cone[@]}" --radius 190 --golden
    scan --views 5 "${cone[@]}" --wobble 1:1:1:3:3:3:2:2:2
}

@test "traj: --like takes detector, pitch and views from projections, and the history writes them out" {
    py 'write("p", np.zeros((30, 20, 9), "f4"), Spacing="0.5 0.25 1")'
    gantry traj --like p --sod 100 --sdd 200 a
    gantry traj --detector 30:20 --pitch 0.5:0.25 --views 9 --sod 100 --sdd 200 b
    same_bytes a b
    gantry traj --like p --pitch 2 --views 4 --detector 10 c
    gantry traj --pitch 2 --views 4 --detector 10 d
    same_bytes c d
    rm p.hdr p.cfl
    gantry history a | grep -q -- "--detector=30:20 --pitch=0.5:0.25"
    gantry history a >script
    run ! grep -q like script
    fails 1 missing gantry traj --like missing e
}

@test "traj: --radians is for --angles, and its lack is reported" {
    traj --angles 0,90,33.5 --sod 10 --sdd 20 degrees
    traj --angles 0,1.5707963267948966,0.5846852994181004 --radians --sod 10 --sdd 20 radians
    py 'assert np.allclose(read("degrees"), read("radians"), atol=1e-12)'
    gantry history radians | grep -q -- '--radians'
    py 'np.savetxt("list.txt", np.linspace(0, np.pi, 90, endpoint=False))'
    traj --angles list.txt g 2>said
    grep -q 'gantry traj: warning: list.txt: the 90 views span only 3.107 degrees (for angles in radians, give --radians)' said
    traj --angles list.txt --radians g 2>said
    [ ! -s said ]
    traj --views 90 even
    py 'assert np.allclose(read("g"), read("even"), atol=1e-12)'
    fails 2 '--radians requires --angles' traj --views 90 --radians g
}
