load common

@test "bin: means and sums, against NumPy; pixels keep their place" {
    py 'write("x", np.random.default_rng(0).integers(0, 60000, (13, 9, 4)).astype("u2"), Quantity="counts", Spacing=".5 .5 1")'
    bin --factor 3:2 x m
    bin --factor 3:2 --sum x s
    bin --factor 2 x n
    py '
from arrays import sections
x = read("x").astype("f8")[:12, :8].reshape(4, 3, 4, 2, 4)
assert np.allclose(read("m"), x.mean((1, 3)), rtol=1e-6) and np.allclose(read("s"), x.sum((1, 3)), rtol=1e-6)
h = sections("m")
assert [float(q) for q in h["Spacing"].split()[:2]] == [1.5, 1] and h["Quantity"] == "counts"
assert [float(q) for q in h["Origin"].split()[:2]] == [-2.5, -1.75], h["Origin"]'
    [ "$(dims n)" = "6 4 4" ]
    copy x - | bin -j 1 --factor 3:2 - - | copy - p
    same_bytes m p
}

@test "bin, normalize: values that the type of the output cannot hold are counted" {
    py 'write("x", np.full((6, 4, 2), 60000, "u2"), Quantity="counts")'
    run -0 --separate-stderr bin --factor 2 --sum --type uint16 x y
    [[ "$stderr" == *"12 of 12 values do not fit into uint16: clipped in y"* ]]
    run -0 --separate-stderr bin --factor 2 --type uint16 x y
    [ -z "$stderr" ]
    py 'write("f", np.full((6, 4, 1), 100, "f4"), Quantity="counts")'
    run -0 --separate-stderr normalize --no-log --flat f --type uint8 x y
    [[ "$stderr" == *"48 of 48 values do not fit into uint8: clipped in y"* ]]
}

@test "bin: the geometry of the result is that of geom --bin" {
    traj --views 3 --detector 12:6 g
    phantom --geometry g p
    geom --bin 3:2 g h
    bin --factor 3:2 p q
    fbp h q rec
    [ "$(dims rec)" = "4 4 3" ]
}

@test "bin: bad input is refused" {
    py 'write("x", np.ones((6, 5)))'
    fails 2 "--factor U, U:V or U:V:W" bin x y
    fails 2 "--factor" bin --factor 0 x y
    fails 1 "x is 6 x 5, expected at least 7 x 1" bin --factor 7:1 x y
    no_output y
}

@test "bin: volumes, against NumPy; voxels keep their place" {
    py 'write("x", np.random.default_rng(3).integers(0, 60000, (13, 9, 7, 2)).astype("u2"), Quantity="attenuation", Spacing="1 1 2", Origin="0 0 10")'
    bin --factor 3:2:2 x m
    bin --factor 3:2:2 --sum --type float64 x s
    copy x - | bin -j 1 --factor 3:2:2 - - | copy - p
    same_bytes m p
    py '
from arrays import sections
x = read("x").astype("f8")[:12, :8, :6].reshape(4, 3, 4, 2, 3, 2, 2)
assert np.allclose(read("m"), x.mean((1, 3, 5)), rtol=1e-6) and np.array_equal(read("s"), x.sum((1, 3, 5)))
h = sections("m")
assert [float(q) for q in h["Spacing"].split()[:3]] == [3, 2, 4] and [float(q) for q in h["Origin"].split()[:3]] == [1, .5, 11], h
y = np.ones((6, 4, 4), "f4")
y[1, 1, 3] = np.nan
write("n", y)
write("c", y[:, :, :2], Quantity="counts")'
    run -0 --separate-stderr bin --factor 2:2:2 n m
    [[ "$stderr" == *"n: 1 voxels are NaN or infinite"* ]]
    py 'assert np.isnan(read("m")).sum() == 1'
    run -0 --separate-stderr bin --factor 2:2:2 --sum --type uint8 x m
    [[ "$stderr" == *"values do not fit into uint8: clipped in m"* ]]
    fails 1 "n is 6 x 4 x 4, expected at least 5 slices" bin --factor 1:1:5 n y
    fails 1 "views cannot be binned" bin --factor 2:2:2 c y
    no_output y
}

@test "bin: the origin moves along the section # Direction" {
    py 'write("x", np.ones((4, 6, 2), "f4"), Quantity="attenuation", Spacing="1 2 3", Origin="10 20 30", Direction="0 1 0 -1 0 0 0 0 1")'
    bin --factor 2:3:2 x y
    # 0.5 voxels of 1 mm along y, 1 of 2 mm along -x, 0.5 of 3 mm along z
    [ "$(section y Origin | cut -d' ' -f1-3)" = "8 20.5 31.5" ]
    [ "$(section y Direction)" = "0 1 0 -1 0 0 0 0 1" ]
}
