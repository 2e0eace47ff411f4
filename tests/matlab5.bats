load common

@test "matlab5: arrays of every class, packed or not, complex, logical, in structures" {
    py 'from scipy.io import savemat
rng = np.random.default_rng(1)
types = "f8 f4 i1 u1 i2 u2 i4 u4 i8 u8".split()
many = {t: (rng.normal(size=(5, 4, 3)) * 100).clip(-100 if t[0] != "u" else 0, 100).astype(t) for t in types}
many["c16"] = rng.normal(size=(3, 7)) + 1j * rng.normal(size=(3, 7))
many["c8"] = (rng.normal(size=(3, 7)) + 1j * rng.normal(size=(3, 7))).astype("c8")
many["bool"] = rng.normal(size=(6, 2)) > 0
many["small"] = np.arange(12.).reshape(3, 4)
np.savez("many.npz", **many)
many["scan"] = {"sinogram": rng.normal(size=(9, 8)), "parameters": {"angles": np.arange(9.).reshape(1, 9), "name": "disc"}, "none": []}
np.save("sinogram.npy", many["scan"]["sinogram"])
many["text"], many["cell"] = "words", np.array([1, "a"], object)
savemat("plain.mat", many); savemat("packed.mat", many, do_compression=True)
savemat("one.mat", {"only": np.arange(6.).reshape(2, 3), "title": "x"})'
    for file in plain packed; do
        for name in f8 f4 i1 u1 i2 u2 i4 u4 i8 u8 c16 c8 bool small; do
            gantry import -q $file.mat:$name $file-$name
        done
        gantry import -q $file.mat:scan.sinogram $file-sinogram
        gantry import -q $file.mat:scan.parameters.angles $file-angles
    done
    gantry import -q one.mat only
    py 'want = np.load("many.npz")
for f in "plain", "packed":
    for k in want.files:
        got = read(f"{f}-{k}")
        same = got.dtype == want[k].dtype or k == "bool"
        assert same and np.array_equal(got.reshape(want[k].shape), want[k]), (f, k, got.dtype)
    assert np.array_equal(read(f + "-sinogram"), np.load("sinogram.npy"))
    assert np.array_equal(read(f + "-angles").ravel(), np.arange(9))
assert np.array_equal(read("only"), np.arange(6.).reshape(2, 3))'
}

@test "matlab5: a file of the other byte order" {
    # one double array "a" of 2 x 2, written by hand
    py 'import struct
e = lambda kind, data: struct.pack(">II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
body = e(6, struct.pack(">II", 6, 0)) + e(5, struct.pack(">ii", 2, 2)) + e(1, b"a") + e(9, struct.pack(">4d", 1, 2, 3, 4.5))
open("big.mat", "wb").write(b"MATLAB 5.0 MAT-file".ljust(124) + b"\1\0MI" + e(14, body))'
    gantry import -q big.mat a
    py 'assert np.array_equal(read("a"), [[1, 3], [2, 4.5]])'
}

@test "matlab5: what cannot be read is said, whatever is cut off or changed" {
    py 'from scipy.io import savemat
savemat("two.mat", {"a": np.ones((3, 3)), "s": {"b": np.ones(4)}}, do_compression=True)
savemat("text.mat", {"t": "words"})
data = open("two.mat", "rb").read()
rng = np.random.default_rng(1)
for k in range(24):
    open(f"cut{k}.mat", "wb").write(data[:130 + k * (len(data) - 130) // 24])
    bad = bytearray(data)
    bad[128 + rng.integers(len(data) - 128)] ^= 1 << rng.integers(8)
    open(f"bad{k}.mat", "wb").write(bad)'
    fails 1 "holds 2 arrays, expected one of them named as two.mat:NAME: a, s.b" gantry import two.mat x
    fails 1 "no array c in the MATLAB file, expected one of: a, s.b" gantry import two.mat:c x
    fails 1 "without arrays of numbers" gantry import text.mat x
    for k in {0..23}; do
        fails 1 "" gantry import "cut$k.mat:s.b" x
        run gantry import "bad$k.mat:a" "y$k"
        [ "$status" -le 1 ]
    done
    no_output x
}
