load common

@test "distance: SciPy's exactly, of all lengths, with spacings, inverted, and beyond the border" {
    py '
import subprocess
from scipy.ndimage import distance_transform_edt as edt
rng = np.random.default_rng(1)
for k in range(24):
    shape = [int(rng.choice([1, 2, rng.integers(1, 41), 70])) for _ in range(3)]
    a = rng.random(shape) < rng.choice([0.1, 0.5, 0.9, 0.99, 1])
    a.flat[rng.integers(a.size)] = False
    spacing = [1, 1, 1] if k % 2 else list(rng.uniform(0.1, 3, 3).round(2))
    write("a", a.astype(["u1", "f4"][k % 3 == 0]), Spacing="%g %g %g" % tuple(spacing))
    words = ["gantry", "distance", "--quiet", "-j", str(1 + k % 3), "--type", "float64", "a", "b"]
    same = np.array_equal if k % 2 else lambda x, y: np.allclose(x, y, rtol=1e-14, atol=0)
    subprocess.check_call(words)
    assert same(read("b").reshape(shape, order="F"), edt(a, sampling=spacing)), (shape, spacing)
    border = [int(n > 1 or (d == 0 and max(shape) == 1)) for d, n in enumerate(shape)]
    subprocess.check_call(words + ["--border"])
    want = edt(np.pad(a, [(n, n) for n in border]), sampling=spacing)[tuple(slice(n, -n or None) for n in border)]
    assert same(read("b").reshape(shape, order="F"), want), (shape, spacing, "border")
    if a.any():
        subprocess.check_call(words + ["--invert", "--voxels"])
        assert np.array_equal(read("b").reshape(shape, order="F"), edt(~a)), (shape, "inverted")'
}

@test "distance: float32 is rounded, the same bytes for any threads and from a stream, volumes apart" {
    py 'a = np.random.default_rng(2).random((50, 41, 33, 2)) < 0.99
write("a", a, Spacing="0.5 0.5 2 1")'
    gantry distance -j 1 a one
    gantry distance -j 3 a three
    gantry copy a - | gantry distance - - | gantry copy - piped
    gantry -l 3 distance a looped
    gantry distance --type float64 a full
    for name in three piped looped; do
        same_bytes one $name
    done
    py 'assert np.array_equal(read("one"), read("full").astype("f4"))'
    [ "$(section one Unit)" = mm ]
    section one Spacing | grep -q '^0.5 0.5 2'
}

@test "distance: what is refused" {
    gantry ones --size 5:6:7 full
    gantry ones --size 70000 wide
    py 'write("nan", np.array([1, 0, np.nan], "f4")); write("c", np.ones(3, "c8"))'
    fails 1 "full: no voxel is background" gantry distance full x
    fails 1 "expected at most 65534 voxels" gantry distance wide x
    fails 1 "contains NaN" gantry distance nan x
    fails 1 "complex" gantry distance c x
    fails 2 "expected float32 or float64" gantry distance --type int16 full x
    gantry distance --border full y
    [ "$(gantry stats --only max y)" = 3 ]
    no_output x
}
