load common

@test "wavelet: the inverse gives the array back, for every family, boundary and length" {
    py 'r = np.random.default_rng(1)
write("x", r.standard_normal((37, 24, 5)).astype("f4")); write("d", r.standard_normal((37, 24, 5)))
write("z", r.standard_normal((9, 16)) + 1j * r.standard_normal((9, 16)))'
    for family in haar db2 db4 cdf44; do
        for boundary in periodic symmetric; do
            for name in x d z; do
                gantry wavelet --family $family --boundary $boundary 0,1 $name w
                gantry wavelet --inverse --family $family --boundary $boundary 0,1 w $name-$family-$boundary
            done
        done
    done
    py '
for family in "haar", "db2", "db4", "cdf44":
    for boundary in "periodic", "symmetric":
        for name in "x", "d", "z":
            x, y = read(name), read("%s-%s-%s" % (name, family, boundary))
            assert x.dtype == y.dtype and x.shape == y.shape
            bound = 4e-5 if x.dtype == np.float32 else 1e-12
            assert np.abs(x - y).max() < bound, (family, boundary, np.abs(x - y).max())'
}

@test "wavelet: orthonormal families keep the norm, and the inverse is the adjoint" {
    py 'r = np.random.default_rng(2); write("x", r.standard_normal((33, 20)))'
    for family in haar db2 db4; do
        gantry wavelet --family $family x,y x w
        gantry wavelet --family $family --inverse x,y w a
        gantry wavelet --family $family --adjoint x,y w b
        py 'x, w = read("x"), read("w")
assert abs(np.linalg.norm(w) / np.linalg.norm(x) - 1) < 1e-13 and np.allclose(read("a"), read("b"), atol=1e-12)'
    done
}

@test "wavelet: --adjoint is the transpose of the transform and of the inverse" {
    py 'r = np.random.default_rng(3); write("x", r.standard_normal((13, 8))); write("y", r.standard_normal((13, 8)))'
    for options in "--family cdf44 --boundary symmetric" "--family cdf44" "--family db4 --boundary symmetric --inverse"; do
        # shellcheck disable=SC2086
        gantry wavelet $options --levels 2 0,1 x Ax
        # shellcheck disable=SC2086
        gantry wavelet $options --levels 2 --adjoint 0,1 y Ay
        py 'assert abs(np.vdot(read("Ax"), read("y")) - np.vdot(read("x"), read("Ay"))) < 1e-11'
    done
}

@test "wavelet: values by definition: Haar, and the filters of db2" {
    py 'write("x", np.array([1., 2, 3, 4, 5, 7, 8, 8])); write("d", np.eye(8)[3])'
    gantry wavelet --family haar --levels 1 0 x w
    py 'assert np.allclose(read("w"), np.array([3, 7, 12, 16, 1, 1, 2, 0]) / np.sqrt(2))'
    gantry wavelet --family haar 0 x w
    py 'assert np.allclose(read("w")[0], 38 / np.sqrt(8)) and np.allclose(read("w")[1], (28 - 10) / np.sqrt(8))'
    gantry wavelet --family db2 --levels 1 0 d w
    py 's = np.sqrt(3); h = np.array([1 + s, 3 + s, 3 - s, 1 - s]) / (4 * np.sqrt(2))
w = read("w"); assert np.allclose(np.sort(np.abs(w[:4]))[2:], np.sort(np.abs([h[1], h[3]])))
assert np.allclose(np.sort(np.abs(w[4:]))[2:], np.sort(np.abs([h[0], h[2]]))) and np.count_nonzero(np.abs(w) > 1e-12) == 4'
}

@test "wavelet: a smooth image has few coefficients that count" {
    py 'x = np.linspace(-1, 1, 128); write("x", np.exp(-3 * (x[:, None]**2 + x**2)))'
    for family in db4 cdf44; do
        gantry wavelet --family $family x,y x w
        py 'w = np.sort(np.abs(read("w")).ravel())[::-1]; assert (w[400:]**2).sum() < 1e-6 * (w**2).sum()'
    done
}

@test "wavelet: same bytes for any threads and through pipes; the header survives" {
    gantry random --size 129:70:6 --type complex64 x
    gantry wavelet -j1 --family cdf44 0,1,2 x a
    for j in 2 7; do
        gantry wavelet -j$j --family cdf44 0,1,2 x b
        same_bytes a b
    done
    gantry copy x - | gantry wavelet --family cdf44 0,1,2 - - | gantry copy - b
    same_bytes a b
    py 'write("v", np.ones((8, 8), "u1"), Spacing="0.5 2")'
    gantry wavelet x,y v w
    [ "$(section w Type)" = float32 ]
    [[ $(section w Spacing) == "0.5 2"* ]]
    gantry history w | grep -q -- '--levels=3'
}

@test "wavelet: bad input is one sentence and leaves no output" {
    gantry zeros --size 8:8 x
    fails 1 "expected at most 3 --levels, found 4" gantry wavelet --levels 4 0,1 x y
    fails 1 "expected more than one element along some of DIMS" gantry wavelet z x y
    fails 2 "levels" gantry wavelet --levels 0 0 x y
    fails 2 "family" gantry wavelet --family db3 0 x y
    no_output y
}
