load common

# Components of SciPy, numbered by their first voxel in memory, x fastest.
numbered='
from scipy import ndimage
def structure(c, image):
    if c in (4, 8) and not image:
        s = np.zeros((3, 3, 3), bool)
        s[1] = ndimage.generate_binary_structure(2, {4: 1, 8: 2}[c])
        return s
    return ndimage.generate_binary_structure(3, {4: 1, 6: 1, 18: 2, 8: 3, 26: 3}[c])
def label(a, c):
    found, n = ndimage.label((a != 0).T, structure(c, 1 in a.shape))
    values, first = np.unique(found, return_index=True)
    number = np.zeros(n + 1, int)
    number[values[values > 0][np.argsort(first[values > 0])]] = np.arange(1, n + 1)
    return number[found].T
'

@test "label: components are SciPy's for all types, connectivities and lengths, also 1" {
    py "$numbered"'
import subprocess
rng = np.random.default_rng(1)
types = "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split()
for k in range(11):
    shape = [int(rng.choice([1, 2, 3, rng.integers(1, 41), 64, 65])) for _ in range(3)]
    a = ((rng.random(shape) < rng.choice([0, 0.1, 0.3, 0.6, 0.9, 1])) * 3).astype(types[k % 11])
    write("a", a)
    for c in 6, 18, 26, 4, 8:
        subprocess.check_call(["gantry", "label", "--quiet", "-c", str(c), "a", "b"])
        b = read("b")
        assert b.dtype == "i4" and np.array_equal(b.reshape(shape, order="F"), label(a, c)), (shape, a.dtype, c)'
}

@test "label: parts that cross blocks of slices; the same bytes for any threads, and from and to streams" {
    py 'write("a", np.random.default_rng(2).random((257, 129, 140), dtype="f4") < 0.25)'
    gantry label -c 6 --csv six.csv --mean a a six 2>&1 | grep -q ' components$'
    gantry label -q -c 26 -j 1 a one
    gantry label -q -c 26 -j 3 a three
    same_bytes one three
    gantry label -q -j 3 --csv three.csv --mean a a three
    same_bytes six three
    cmp six.csv three.csv
    gantry copy a - | gantry label -q - - | gantry copy - piped
    same_bytes six piped
    py "$numbered"'
a = read("a")
for c, name in (6, "six"), (26, "one"):
    assert np.array_equal(read(name), label(a, c))
assert np.array_equal(np.loadtxt("six.csv", delimiter=",", skiprows=1)[:, 1], np.bincount(read("six").ravel())[1:])'
}

@test "label: the table has sizes, centres, boxes and means" {
    py 'rng = np.random.default_rng(3)
write("a", rng.random((30, 40, 20)) < 0.2, Spacing="0.5 1 2", Origin="10 -3 0.25"); write("v", rng.normal(size=(30, 40, 20)).astype("f4"))
write("image", rng.random((30, 40)) < 0.2, Spacing="0.5 1")'
    gantry label --quiet --csv t.csv --mean v a b
    gantry label --quiet --csv image.csv image
    gantry permute 2,0,1 image across
    gantry label --quiet --csv across.csv across
    gantry copy v w
    printf '# Spacing\n0.5 1 2.5\n# Origin\n10 -3 0.25\n' >>w.hdr
    gantry label --csv w.csv --mean w a 2>&1 | grep -q "w has a spacing of 2.5 mm along dimension 2, but a has 2 mm"
    cmp <(cut -d, -f1-4 image.csv) <(cut -d, -f1-4 across.csv)
    [ "$(head -1 t.csv)" = label,voxels,size,diameter,x,y,z,x0,x1,y0,y1,z0,z1,mean ]
    py 'from scipy import ndimage
b, v = read("b"), read("v").astype("f8")
t = np.loadtxt("t.csv", delimiter=",", skiprows=1)
n = b.max()
index = np.arange(1, n + 1)
assert np.array_equal(t[:, 0], index) and np.array_equal(t[:, 1], ndimage.sum(b > 0, b, index))
assert np.allclose(t[:, 2], t[:, 1]) and np.allclose(np.pi / 6 * t[:, 3] ** 3, t[:, 2])
centre = np.array(ndimage.center_of_mass(b > 0, b, index)) * [0.5, 1, 2] + [10, -3, 0.25]
assert np.allclose(t[:, 4:7], centre)
box = [[e for s in o for e in (s.start, s.stop)] for o in ndimage.find_objects(b)]
assert np.array_equal(t[:, 7:13], box) and np.allclose(t[:, 13], ndimage.mean(v, b, index), atol=1e-7)
t = np.loadtxt("image.csv", delimiter=",", skiprows=1)
assert np.allclose(t[:, 2], 0.5 * t[:, 1]) and np.allclose(np.pi / 4 * t[:, 3] ** 2, t[:, 2])'
}

@test "label: small components are dropped, the largest kept, dimensions behind z are volumes" {
    py 'write("a", np.random.default_rng(4).random((20, 21, 22, 3)) < 0.2)'
    gantry label -q a all
    gantry label -q --min-size 5 a big
    gantry label -q --largest 2 --type uint8 a two
    gantry -l 3 label -q a looped
    same_bytes all looped
    py 'a, big, two = read("all"), read("big"), read("two")
for k in range(3):
    size = np.bincount(a[..., k].ravel())
    size[0] = 0
    kept = np.flatnonzero(size >= 5)
    want = np.zeros(size.size, int); want[kept] = np.arange(1, kept.size + 1)
    assert np.array_equal(big[..., k], want[a[..., k]])
    kept = np.sort(np.argsort(-size, kind="stable")[:2])
    want = np.zeros(size.size, int); want[kept] = [1, 2]
    assert np.array_equal(two[..., k], want[a[..., k]])'
}

@test "label: an empty mask, and what is refused" {
    gantry zeros --size 5:6:7 none
    gantry label --csv t.csv none b 2>&1 | grep -q ': 0 components'
    [ "$(wc -l <t.csv)" = 1 ]
    py 'write("many", np.indices((32, 32)).sum(0) % 2 == 0); write("nan", np.array([1, np.nan], "f4")); write("c", np.ones(3, "c8")); write("four", np.ones((2, 2, 2, 2), "u1"))'
    fails 1 "512 components do not fit into uint8 (use --type int32)" gantry label --type uint8 many x
    fails 1 "contains NaN" gantry label nan x
    fails 2 "--csv and OUT cannot both be written to standard output (-)" gantry label --csv - many -
    fails 1 "complex" gantry label c x
    fails 1 "more than three dimensions" gantry label --csv x.csv four
    fails 1 "many is 32 x 32" gantry label --csv x.csv --mean many none
    fails 2 "missing argument" gantry label many
    fails 2 "--largest: 0, expected 1 or more" gantry label --largest 0 many x
    fails 2 "--mean has no effect" gantry label --mean many many x
    fails 2 "--type" gantry label --type float32 many x
    no_output x
}
