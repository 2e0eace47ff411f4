# mesh: surfaces of volumes. Files are read back by tests/mesh.py.

load common

# ball NAME N RADIUS: a ramp of 8 voxels around a ball in the middle, 0.5 on its surface.
ball() {
    py "g = np.indices(($2,) * 3) - ($2 - 1) / 2
write('$1', np.clip($3 - np.sqrt((g ** 2).sum(0)) + 0.5, -3.5, 4.5).astype('f4'))"
}

@test "mesh: volume and area of a ball of radius 50 are right within 0.1 %" {
    ball v 106 50
    gantry mesh --iso 0.5 v a.ply >said
    py 'import mesh
v, f = mesh.load("a.ply")
assert mesh.closed(v, f)
V, A = mesh.measure(v, f)
assert abs(V / (4 / 3 * np.pi * 50 ** 3) - 1) < 1e-3 and abs(A / (4 * np.pi * 50 ** 2) - 1) < 1e-3, (V, A)
said = dict(line.split()[:2] for line in open("said"))
assert int(said["vertices"]) == len(v) and int(said["triangles"]) == len(f)
assert abs(float(said["volume"]) / V - 1) < 1e-6 and abs(float(said["area"]) / A - 1) < 1e-6
assert len(v) - len(f) // 2 == 2
r = np.linalg.norm(v, axis=1)
assert abs(r - 50).max() < 0.02, (r.min(), r.max())'
}

@test "mesh: all formats hold the same mesh, the same bytes for any threads and instruction set" {
    ball v 31 11
    for kind in stl ply obj vtp; do
        gantry mesh --iso 0.5 v a.$kind >/dev/null
        gantry mesh -j 1 --iso 0.5 v b.$kind >/dev/null
        GANTRY_ISA=plain gantry mesh -j 3 --iso 0.5 v c.$kind >/dev/null
        cmp a.$kind b.$kind
        cmp a.$kind c.$kind
    done
    py 'import mesh
v, f = mesh.load("a.ply")
for kind in "obj", "vtp":
    w, g = mesh.load("a." + kind)
    assert np.array_equal(v, w) and np.array_equal(f, g)
w, g = mesh.load("a.stl")
assert mesh.closed(w, g) and np.array_equal(w[g], v[f])'
}

@test "mesh: trimesh finds it closed" {
    needs trimesh
    ball v 20 7
    gantry mesh --iso 0.5 v a.stl >/dev/null
    py 'import trimesh
m = trimesh.load("a.stl")
assert m.is_watertight and m.is_winding_consistent and m.volume > 0'
}

@test "mesh: noise of every type is closed and manifold, with outside around it" {
    py 'x = np.random.default_rng(1).integers(0, 100, (37, 65, 9))
for t in "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split():
    write(t, x.astype(t))
write("b1", x >= 50)'
    for t in i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8; do
        gantry mesh -q --iso 49.5 $t $t.stl >/dev/null
        cmp i1.stl $t.stl
        GANTRY_ISA=plain gantry mesh -q --iso 49.5 $t p.stl >/dev/null
        cmp i1.stl p.stl
    done
    gantry mesh -q --iso 0.5 b1 b1.stl >/dev/null
    gantry mesh --iso 50 i1 level.stl 2>said >/dev/null
    grep -q "reaches the border of i1 (low x, high x, low y, high y, low z, high z) and is closed there" said
    py 'import mesh
for k in "i1", "b1", "level":
    assert mesh.closed(*mesh.load(k + ".stl")), k
x = read("i1")
v, f = mesh.load("i1.stl")
lo, hi = v.min(0), v.max(0)
assert np.allclose(hi, np.array(x.shape) / 2) and np.allclose(lo, -hi)'
}

@test "mesh: an element alone, lines, sheets and a full box are closed half an element outside" {
    py 'import itertools
for i, n in enumerate([(1, 1, 1), (2, 1, 1), (63, 1, 1), (1, 64, 2), (130, 1, 3), (62, 2, 1), (1, 1, 40)]):
    write(f"v{i}", np.ones(n, "f4"))'
    for i in 0 1 2 3 4 5 6; do
        gantry mesh -q --iso 0.5 v$i v$i.ply >/dev/null
    done
    py 'import mesh
for i in range(7):
    v, f = mesh.load(f"v{i}.ply")
    n = np.array(read(f"v{i}").shape + (1, 1, 1))[:3]
    assert mesh.closed(v, f) and np.array_equal(v.max(0), n / 2) and np.array_equal(v.min(0), -n / 2)
    assert mesh.measure(v, f)[0] > 0'
}

@test "mesh: a file written in parts is that of a pipe, written in order; a full disk leaves none" {
    py 'write("v", np.random.default_rng(3).integers(0, 256, (50, 31, 70)).astype("u1"))'
    for kind in stl ply vtp; do
        gantry mesh -q --iso 128 v a.$kind >said
        mkfifo pipe.$kind
        timeout 60 cat pipe.$kind >b.$kind 3>&- &
        gantry mesh -q --iso 128 v pipe.$kind | cmp - said
        wait $!
        cmp a.$kind b.$kind
    done
    fails 1 "largest file" bash -c 'ulimit -f 100; gantry mesh -q --iso 128 v c.ply'
    no_output c.ply
}

@test "mesh: spacing, origin and turned or mirrored axes count; normals stay outside" {
    ball v 20 6
    gantry mesh -q --iso 0.5 v a.ply >/dev/null
    sed -i '/^# Spacing/,$d' v.hdr
    printf '# Spacing\n0.5 2 3\n# Origin\n1 10 100\n' >>v.hdr
    gantry mesh -q --iso 0.5 v b.ply >/dev/null
    printf '# Direction\n0 1 0 1 0 0 0 0 1\n' >>v.hdr
    gantry mesh -q --iso 0.5 v c.ply >/dev/null
    py 'import mesh
(a, f), (b, g), (c, h) = (mesh.load(k + ".ply") for k in "abc")
at = (a.astype("f8") + 9.5) * [0.5, 2, 3]
assert np.allclose(b, at + [1, 10, 100], atol=1e-4)
assert np.allclose(c, at[:, [1, 0, 2]] + [1, 10, 100], atol=1e-4)
va, vb, vc = (mesh.measure(*m)[0] for m in ((a, f), (b, g), (c, h)))
assert va > 0 and abs(vb / (3 * va) - 1) < 1e-4 and abs(vc / vb - 1) < 1e-4'
    sed -i '/^# Direction/,$d' v.hdr
    printf '# Direction\n1 0 0\n' >>v.hdr
    fails 1 "v: section '# Direction' does not have nine numbers" gantry mesh --iso 0.5 v d.ply
}

@test "mesh: Otsu's level separates two classes" {
    py 'rng = np.random.default_rng(3)
x = np.where(np.indices((24, 24, 24)).min(0) < 8, 1000, 3000) + rng.integers(-300, 300, (24, 24, 24))
write("u", x.astype("u2")); write("f", x.astype("f4") * 1e-3)
best = max(range(x.min(), x.max()), key=lambda t: (x <= t).mean() * (x > t).mean() * (x[x <= t].mean() - x[x > t].mean()) ** 2)
open("best", "w").write(str(best))'
    gantry mesh --iso otsu u a.stl 2>&1 >/dev/null | sed -n 's/.*level \(.*\) (Otsu)/\1/p' >level
    gantry mesh --iso otsu f b.stl 2>&1 >/dev/null | sed -n 's/.*level \(.*\) (Otsu)/\1/p' >levelf
    py 'x = read("u").astype(float)
t, best = float(open("level").read()), int(open("best").read())
assert np.array_equal(x > t, x > best), (t, best)
assert np.array_equal(read("f") > float(open("levelf").read()), x > best)'
    py 'write("one", np.ones((3, 3, 3), "f4"))'
    fails 1 "one: Otsu's threshold needs two different values, found one" gantry mesh --iso otsu one c.stl
}

@test "mesh: NaN is outside and counted; infinities are values" {
    py 'g = np.indices((9, 9, 9)) - 4
x = (5 - np.sqrt((g ** 2).sum(0))).astype("f4")
x[4, 4, 4] = np.nan; x[2, 2, 2] = np.nan; x[4, 4, 2] = np.inf; x[0, 0, 0] = -np.inf
write("v", x)'
    gantry mesh --iso 2 v a.ply 2>said >/dev/null
    grep -q "v: 2 elements are NaN and count as outside" said
    py 'import mesh
v, f = mesh.load("a.ply")
assert np.isfinite(v).all() and mesh.closed(v, f)'
}

@test "mesh: smoothing keeps the size, takes the steps of labels off, and any threads give the same bytes" {
    ball v 40 15
    py 'write("l", (read("v") > 0.5).astype("u1") * 7)'
    gantry mesh --iso 0.5 --smooth 10 v a.ply >/dev/null
    gantry mesh --iso 0.5 -j 1 --smooth 10 v b.ply >/dev/null
    cmp a.ply b.ply
    gantry mesh --labels l 'raw_%d.ply' >/dev/null
    gantry mesh --labels --smooth 20 l 'l_%03d.ply' >said
    py 'import mesh
V, A = 4 / 3 * np.pi * 15 ** 3, 4 * np.pi * 15 ** 2
v, f = mesh.load("a.ply")
assert mesh.closed(v, f) and np.allclose(mesh.measure(v, f), (V, A), rtol=3e-3)
(r, e), (l, g) = mesh.load("raw_7.ply"), mesh.load("l_007.ply")
assert mesh.closed(l, g) and mesh.measure(r, e)[1] > 1.07 * A and np.allclose(mesh.measure(l, g), ((read("l") == 7).sum(), A), rtol=(3e-3, 2e-2))
head, line = open("said").read().splitlines()
assert head == "label,voxels,vertices,triangles,volume [mm^3],area [mm^2]"
t = line.split(",")
assert t[:2] == ["7", str((read("l") == 7).sum())] and t[2:4] == [str(len(l)), str(len(g))]
assert np.allclose([float(t[4]), float(t[5])], mesh.measure(l, g), rtol=1e-6)'
}

@test "mesh: decimation keeps a mesh closed, its topology and its size" {
    ball v 40 15
    py 'write("n", np.random.default_rng(2).integers(0, 256, (20, 21, 22)).astype("u1"))
write("box", np.pad(np.ones((10, 20, 30), "f4"), 2))'
    for share in 0.5 0.1 0.02; do
        gantry mesh --iso 0.5 --decimate $share v v$share.ply >/dev/null
    done
    gantry mesh --iso 0.5 v v1.ply >/dev/null
    gantry mesh -q --iso 128 n n1.ply >/dev/null
    gantry mesh --iso 128 --decimate 0.01 n n0.ply 2>said >/dev/null
    grep -q "triangles instead of .* removing more would change the topology" said
    gantry mesh --iso 0.5 --decimate 0.05 box box.ply >/dev/null
    gantry mesh --iso 0.5 --decimate 1e-9 v least.stl 2>/dev/null >/dev/null
    py 'import mesh
v, f = mesh.load("v1.ply")
for share, size in ("0.5", 2e-3), ("0.1", 5e-3), ("0.02", 3e-2):
    w, g = mesh.load(f"v{share}.ply")
    assert mesh.closed(w, g) and len(w) - len(g) // 2 == 2
    assert float(share) * len(f) - 2 <= len(g) <= float(share) * len(f)
    assert np.allclose(mesh.measure(w, g), mesh.measure(v, f), rtol=size), share
(v, f), (w, g) = mesh.load("n1.ply"), mesh.load("n0.ply")
assert mesh.closed(w, g) and len(w) - len(g) // 2 == len(v) - len(f) // 2 and len(g) < len(f) / 4
b, h = mesh.load("box.ply")
assert mesh.closed(b, h) and abs(mesh.measure(b, h)[0] / 6000 - 1) < 0.02
assert mesh.closed(*mesh.load("least.stl"))'
}

@test "mesh: each label is meshed alone, in its place" {
    py 'x = np.zeros((9, 8, 7), "i4"); x[1:4, 2:5, 1:6] = 3; x[4:8, 2:5, 1:6] = 12; x[0, 0, 0] = 100000; write("l", x)
write("one", np.where(x == 12, 1, 0).astype("f4"))
write("neg", -x); write("none", 0 * x)'
    gantry mesh --labels l 'l%02d.ply' 2>said >rows
    grep -q "1 of 3 labels reach the border of l and are closed there" said
    gantry mesh --iso 0.5 one one.ply >/dev/null
    gantry mesh -j 1 --labels l 'm%02d.ply' 2>/dev/null | cmp - rows
    for k in 03 12 100000; do cmp l$k.ply m$k.ply; done
    py 'import mesh
(v, f), (w, g) = mesh.load("l12.ply"), mesh.load("one.ply")
assert np.array_equal(v[f].shape, w[g].shape) and np.array_equal(np.unique(v, axis=0), np.unique(w, axis=0))
for k in "03", "100000":
    assert mesh.closed(*mesh.load(f"l{k}.ply"))
t = np.loadtxt("rows", delimiter=",", skiprows=1)
assert t[:, 0].tolist() == [3, 12, 100000] and t[:, 1].tolist() == [45, 60, 1]'
    fails 1 "neg: label -100000 is negative" gantry mesh --labels neg 'x%d.stl'
    fails 1 "none: no label: all elements are 0" gantry mesh --labels none 'x%d.stl'
    fails 1 "one: labels are integers, not float32" gantry mesh --labels one 'x%d.stl'
    fails 2 "'x.stl' needs a number pattern" gantry mesh --labels l x.stl
    fails 2 "a number pattern needs --labels" gantry mesh --iso 1 l 'x%d.stl'
    fails 2 "--iso and --labels exclude each other" gantry mesh --labels --iso 1 l 'x%d.stl'
    fails 2 "--decimate" gantry mesh --iso 1 --decimate 0 l x.stl
    no_output x
}

@test "mesh: bad input is one sentence, and an old file stays" {
    ball v 12 4
    echo old >a.stl
    fails 1 "v: no value reaches the level 7 (the largest is" gantry mesh --iso 7 v a.stl
    py 'write("n", np.full((3, 3, 3), np.nan, "f4"))'
    fails 1 "n: all elements are NaN" gantry mesh --iso 1 n a.stl
    fails 1 "found none that is finite" gantry mesh --iso otsu n a.stl
    fails 2 "--iso is missing: give a level or 'otsu'" gantry mesh v a.stl
    fails 2 "--iso" gantry mesh --iso nan v a.stl
    fails 2 "a.mesh: unknown mesh format (expected a name that ends in .stl, .ply, .obj or .vtp)" gantry mesh --iso 1 v a.mesh
    py 'write("c", np.ones((3, 3, 3), "c8")); write("d", np.ones((3, 3, 3, 2), "f4"))'
    fails 1 "complex" gantry mesh --iso 1 c a.stl
    fails 1 "d: a mesh needs a volume of at most 3 dimensions, not 3 x 3 x 3 x 2" gantry mesh --iso 1 d a.stl
    [ "$(cat a.stl)" = old ]
}

# cube: the unit cube in all forms that are read.
cube() {
    py 'v = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], "f4")
q = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
t = [[s[0], s[i], s[i + 1]] for s in q for i in (1, 2)]
with open("quads.obj", "w") as f:
    f.write("# a cube\nmtllib x.mtl\n" + "".join("v %g %g %g\n" % tuple(x) for x in v) + "vn 0 0 1\n")
    f.write("".join("f %d/1/1 %d//1 %d %d\n" % tuple(i + 1 for i in s) for s in q[:3]) + "".join("  f %d %d %d %d\r\n" % tuple(i - 8 for i in s) for s in q[3:]))
with open("text.stl", "w") as f:
    f.write("solid cube\n" + "".join("facet normal 0 0 0\n outer loop\n" + "".join("  vertex %g %g %g\n" % tuple(v[i]) for i in s) + " endloop\nendfacet\n" for s in t) + "endsolid cube\n")
with open("binary.stl", "wb") as f:
    f.write(b"solid".ljust(80) + np.uint32(12).tobytes())
    for s in t:
        f.write(np.concatenate([np.zeros(3, "f4"), v[s].ravel()]).tobytes() + b"\0\0")
head = "ply\nformat %s 1.0\ncomment x\nelement other 2\nproperty list uchar short w\nelement vertex 8\nproperty double z\nproperty uchar red\nproperty float x\nproperty float y\nelement face 6\nproperty list uchar int vertex_index\nproperty ushort k\nend_header\n"
with open("text.ply", "w") as f:
    f.write(head % "ascii" + "2 5 6\n0\n" + "".join("%g 9 %g %g\n" % (z, x, y) for x, y, z in v) + "".join("4 %d %d %d %d 7\n" % tuple(s) for s in q))
for form, o in ("little", "<"), ("big", ">"):
    with open(form + ".ply", "wb") as f:
        f.write((head % f"binary_{form}_endian").encode() + b"\2" + np.array([5, 6], o + "i2").tobytes() + b"\0")
        for x, y, z in v:
            f.write(np.array([z], o + "f8").tobytes() + b"\x09" + np.array([x, y], o + "f4").tobytes())
        for s in q:
            f.write(b"\4" + np.array(s, o + "i4").tobytes() + np.array([7], o + "u2").tobytes())'
}

@test "compare --mesh: signed distances are those of all triangles and winding numbers, for any threads" {
    py 'rng = np.random.default_rng(5)
write("n", rng.integers(0, 256, (5, 6, 4)).astype("u1"))
write("p", rng.integers(0, 256, (9, 8, 7)).astype("u1"))'
    gantry mesh -q --iso 128 n n.ply >/dev/null
    gantry mesh -q --iso 128 p p.stl >/dev/null
    gantry compare --mesh --colored c.ply p.stl n.ply >said 2>colours
    gantry compare --mesh -j 1 --colored d.ply p.stl n.ply 2>/dev/null | cmp - said
    cmp c.ply d.ply
    py 'import mesh
v, f = mesh.load("n.ply")
b = open("c.ply", "rb").read().split(b"end_header\n", 1)[1]
t = np.frombuffer(b, [("x", "<f4", 3), ("rgb", "u1", 3), ("d", "<f4")], len(mesh.load("p.stl")[0]))
want = mesh.distances(t["x"], v, f)
assert np.allclose(t["d"], want, atol=1e-5), abs(t["d"] - want).max()
said = {k: float(x) for k, x in (line.split()[:2] for line in open("said"))}
assert said["vertices"] == len(t)
for k, x in dict(mean=want.mean(), std=want.std(), rms=np.sqrt((want ** 2).mean()), min=want.min(), max=want.max(),
                 p1=np.percentile(want, 1), p5=np.percentile(want, 5), p50=np.median(want), p95=np.percentile(want, 95), p99=np.percentile(want, 99)).items():
    assert abs(said[k] - x) < 1e-5, (k, said[k], x)
blue, red = t["rgb"][want.argmin()], t["rgb"][want.argmax()]
assert blue[2] > blue[0] and red[0] > red[2]'
    grep -q "c.ply: colours from -.* (blue, inside) to .* mm (red, outside)" colours
}

@test "compare --mesh: STL, PLY and OBJ of text and binary hold the same cube" {
    cube
    py 'write("v", np.ones((3, 3, 3), "f4"))'
    gantry mesh -q --iso 0.5 v a.ply >/dev/null
    for m in quads.obj text.stl binary.stl text.ply little.ply big.ply; do
        gantry compare --mesh a.ply $m >$m.said
        cmp $m.said quads.obj.said
        gantry compare --mesh --tolerance 0 $m text.ply >/dev/null
    done
    py 'import mesh
v, f = mesh.load("a.ply")
q = abs(v.astype("f8") - 0.5) - 0.5
want = np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0)
said = {k: float(x) for k, x in (line.split()[:2] for line in open("quads.obj.said"))}
assert abs(said["mean"] - want.mean()) < 1e-6 and abs(said["min"] - want.min()) < 1e-6 and abs(said["max"] - want.max()) < 1e-6'
    run -1 gantry compare --mesh --tolerance 1 a.ply text.ply
    gantry compare --mesh --tolerance 3 a.ply text.ply
}

@test "compare --mesh --both: the second part is the comparison the other way round, the last line the larger" {
    gantry zeros -s 20:20:20 z
    gantry expr 'v*0 + (x^2 + y^2 + z^2 < 36)' v=z ball
    gantry mesh --quiet --iso 0.5 ball a.ply >/dev/null
    gantry expr 'v*0 + (x^2 + y^2 + z^2 < 36 || (abs(x) < 9 && abs(y) < 2 && abs(z) < 2))' v=z spiked
    gantry mesh --quiet --iso 0.5 spiked b.ply >/dev/null
    gantry compare --mesh a.ply b.ply >forth
    gantry compare --mesh b.ply a.ply >back
    gantry compare --mesh --both a.ply b.ply >said
    { echo "from a.ply to b.ply"; cat forth; echo "from b.ply to a.ply"; cat back; } | cmp - <(head -n -1 said)
    far=$(sed -n 's/^max \(.*\) mm/\1/p' back)
    [ "$(tail -n 1 said)" = "hausdorff $far mm" ]
    awk -v a="$(sed -n 's/^max \(.*\) mm/\1/p' forth)" -v b="$far" 'BEGIN { exit !(b > 2 && b > a) }'
    run -1 gantry compare --mesh --both --tolerance 1 a.ply b.ply
    fails 2 "--both has no effect without --mesh" gantry compare --both ball ball
}

@test "compare --mesh: bad files and options are one sentence" {
    cube
    head -c 500 binary.stl >short.stl
    head -c 400 big.ply >short.ply
    head -5 text.ply >head.ply
    sed 's/^f .*/f 1 2 99/' quads.obj >beyond.obj
    grep -v ' *f ' quads.obj >points.obj
    sed 's/vertex 1 1 1/vertex 1 nan 1/' text.stl >nan.stl
    sed 's/^v 1 1 1/v 1 x 1/' quads.obj >word.obj
    sed 's/property float x/property quad x/' text.ply >type.ply
    fails 1 "short.stl: not an STL file: 500 bytes, expected 684 for 12 triangles" gantry compare --mesh short.stl text.stl
    fails 1 "short.ply: truncated" gantry compare --mesh text.stl short.ply
    fails 1 "head.ply: unterminated header of the PLY file" gantry compare --mesh text.stl head.ply
    fails 1 "type.ply: unknown type 'quad'" gantry compare --mesh text.stl type.ply
    fails 1 "beyond.obj: a triangle refers to vertex 98, but there are 8" gantry compare --mesh text.stl beyond.obj
    fails 1 "points.obj: contains no triangle" gantry compare --mesh text.stl points.obj
    fails 1 "nan.stl: vertex" gantry compare --mesh text.stl nan.stl
    fails 1 "word.obj:10: expected three numbers, found '1 x 1'" gantry compare --mesh text.stl word.obj
    fails 1 "missing.stl" gantry compare --mesh text.stl missing.stl
    fails 2 "unknown mesh format" gantry compare --mesh text.stl x.hdr
    fails 2 "--mesh excludes --metric, which is for arrays" gantry compare --mesh --metric mae text.stl text.stl
    fails 2 "--mesh excludes --region, which is for arrays" gantry compare --mesh --region sphere:0:0:0:1 text.stl text.stl
    fails 2 "--colored: 'c.png' must end in .ply" gantry compare --mesh --colored c.png text.stl text.stl
    fails 2 "--colored has no effect without --mesh" gantry compare --colored c.ply text.stl text.stl
    sed '/^f/d' quads.obj >some.obj
    gantry compare --mesh text.stl some.obj 2>&1 >/dev/null | grep -q "some.obj is not closed at .* edges"
}
