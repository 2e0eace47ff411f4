load common

@test "resample: rotations equal SciPy's, any shape" {
    py '
from scipy import ndimage as nd
import subprocess
rng = np.random.default_rng(1)
s = np.array([1, 2, 1.5])
a = np.deg2rad(25)
R = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
M = np.diag(1 / s) @ R.T @ np.diag(s)
for shape in [(13, 17, 9), (1, 5, 7), (8, 1, 6), (12, 20, 1), (1, 1, 1)]:
    x = rng.random(shape).astype("f4")
    write("x", x, Spacing="1 2 1.5")
    c = (np.array(shape) - 1) / 2
    off = c - M @ c
    at = np.stack(np.meshgrid(*[np.arange(n) for n in shape], indexing="ij"), -1) @ M.T + off
    inside = np.all((at >= -.5) & (at <= np.array(shape) - .5), -1)
    for kind, order, mode in ("nearest", 0, "nearest"), ("linear", 1, "mirror"), ("cubic", 3, "mirror"):
        subprocess.run(["resample", "--rotate", "25", "--no-anti-aliasing", "--interpolation", kind, "x", "y"], check=True)
        want = np.where(inside, nd.affine_transform(x.astype("f8"), M, off, order=order, mode=mode), 0)
        y = read("y").reshape(shape, order="F")
        assert np.abs(y - want).max() < 2e-6, (shape, kind, np.abs(y - want).max())'
}

@test "resample: a Gaussian turned by 30 degrees, and back" {
    py '
x, y, z = np.meshgrid(*[(np.arange(n) - (n - 1) / 2) for n in (48, 44, 24)], indexing="ij")
f = lambda x, y, z: np.exp(-((x - 4) ** 2 / 50 + (y + 2) ** 2 / 20 + z ** 2 / 18))
c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
write("g", f(x, y, z).astype("f4"), Quantity="attenuation")
write("want", f(c * x + s * y, c * y - s * x, z).astype("f4"))'
    resample --rotate 30 --interpolation cubic g cubic
    resample --rotate 30 --interpolation lanczos g lanczos
    resample --rotate 30 g linear
    resample --rotate -30 --interpolation cubic cubic back
    [ "$(section cubic Quantity)" = attenuation ]
    py '
want, g = read("want"), read("g")
worst = lambda name, x: np.abs(read(name) - x).max()
assert worst("cubic", want) < 1e-3 and worst("lanczos", want) < 4e-3 and worst("linear", want) < 3e-2, [worst(n, want) for n in ("cubic", "lanczos", "linear")]
assert worst("back", g) < 2e-3, worst("back", g)'
}

@test "resample: grids" {
    py 'write("x", np.arange(60, dtype="f4").reshape(5, 4, 3), Spacing="1 2 3", Origin="10 20 30", Quantity="attenuation", Unit="1/mm")'
    resample --spacing 0.5:1:3 x finer
    [ "$(dims finer)" = "10 8 3" ]
    [ "$(section finer Spacing | cut -d' ' -f1-3)" = "0.5 1 3" ]
    [ "$(section finer Origin | cut -d' ' -f1-3)" = "9.75 19.5 30" ]
    [ "$(section finer Unit)" = 1/mm ]
    resample --size 10:8:3 x sized
    same_bytes finer sized
    resample --like x finer back
    [ "$(dims back)" = "5 4 3" ]
    [ "$(section back Origin | cut -d' ' -f1-3)" = "10 20 30" ]
    resample x same
    same_bytes x same
    resample --interpolation cubic x same
    py 'assert np.abs(read("same") - read("x")).max() < 1e-4'
    resample --shift 2:0:0 --fill 7 x moved
    py '
x, y = read("x"), read("moved")
assert np.all(y[2:] == x[:-2]) and np.all(y[:2] == 7)'
}

@test "resample: coarser grids are low-pass filtered" {
    py '
i = np.arange(64)
write("x", np.broadcast_to(np.cos(np.pi * i * 0.9)[:, None, None], (64, 4, 3)).astype("f4").copy())
write("low", np.broadcast_to(np.cos(np.pi * i * 0.02)[:, None, None], (64, 4, 3)).astype("f4").copy())'
    local kind
    for kind in linear cubic catmull-rom lanczos; do
        resample --size 16:4:3 --interpolation $kind x y
        resample --size 16:4:3 --interpolation $kind low kept
        py '
at = (np.arange(16) + .5) * 4 - .5
assert np.abs(read("y")[3:-3]).max() < .03, np.abs(read("y")).max()
assert np.abs(read("kept")[3:-3, 0, 0] - np.cos(np.pi * at[3:-3] * .02)).max() < .02'
    done
    resample --size 16:4:3 --no-anti-aliasing --interpolation lanczos x y
    py 'assert np.abs(read("y")).max() > .2'

    # far coarser than the volume: the filter is a mean of its mirrored copies, in no time
    random --size 9:9:9 small
    for kind in linear cubic catmull-rom lanczos; do
        timeout 20 gantry resample --size 3:3:3 --spacing 1e5 --interpolation $kind small y
        py '
v = read("small").astype("f8")
w = np.ones(9); w[[0, -1]] = .5; w /= w.sum()
assert abs(read("y")[1, 1, 1] - np.einsum("ijk,i,j,k", v, w, w, w)) < 1e-4, read("y")'
    done
}

@test "resample: types, directions, further dimensions, streams, threads" {
    py '
rng = np.random.default_rng(2)
write("u", rng.integers(0, 2 ** 16, (9, 8, 7)).astype("u2"))
write("b", rng.integers(0, 2, (9, 8, 7)).astype("?"), Quantity="mask")
write("l", rng.integers(-2 ** 62, 2 ** 62, (9, 8, 7)))
write("c", (rng.random((9, 8, 7, 2)) + 1j * rng.random((9, 8, 7, 2))).astype("c8"))
for part in "real", "imag":
    write(part, getattr(read("c"), part)[..., 1].copy())
write("d", read("u").astype("f4"))
write("turned", read("d").transpose(1, 0, 2).copy(), Direction="0 1 0 1 0 0 0 0 1")'
    resample --rotate 20 u a
    resample --rotate 20 d e
    same_bytes a e
    resample --rotate 20 -j 1 - - <"$(copy d - >s; echo s)" | copy - f
    same_bytes e f
    resample --rotate 20 --type uint16 u v
    [ "$(section v Type)" = uint16 ]
    resample --rotate 20 b m
    [ "$(section m Type)" = bool ]
    resample --rotate 90 --interpolation nearest l m
    py 'assert set(read("m").ravel()) - {0} <= set(read("l").ravel())'
    resample --rotate 20 c t
    resample --rotate 20 real re
    resample --rotate 20 imag im
    py 'assert np.array_equal(read("t")[..., 1], read("re") + 1j * read("im"))'
    resample --like d turned back
    same_bytes d back
    [ -z "$(section back Direction)" ]
}

@test "resample: pieces of little memory give the same bytes" {
    random --size 96:90:80 --type float32 x
    local kind
    for kind in linear cubic; do
        resample --rotate 10:20:30 --interpolation $kind x y
        GANTRY_MEM=5M resample --rotate 10:20:30 --interpolation $kind x z
        same_bytes y z
    done
}

@test "resample: affine maps from files, and their inverse" {
    random --size 20:18:16 --type float64 x
    printf '# places of the output to those of the input\n0.8 -0.6 0 1.5\n0.6 0.8 0 -2\n0 0 1 0.5\n' >m
    resample --affine m x a
    # x_in = R' (x_out - t): R turns by -36.87 degrees, t = -(R b)
    resample --rotate -36.86989764584402 --shift 0:2.5:-0.5 x b
    resample --affine m --inverse x c
    resample --rotate 36.86989764584402 x d
    py '
assert np.abs(read("a") - read("b")).max() < 1e-9
assert read("c").shape == (20, 18, 16)'
}

@test "resample: displacements, against SciPy; of an affine map the same as that" {
    py '
from scipy import ndimage as nd
rng = np.random.default_rng(5)
x = rng.random((14, 12, 9)).astype("f4")
u = (rng.random((14, 12, 9, 3)) * 6 - 3).astype("f4")
i = np.stack(np.meshgrid(*[np.arange(n) for n in x.shape], indexing="ij"), 0)
write("x", x, Spacing="1 2 1.5")
write("u", u, Spacing="1 2 1.5 1")
write("half", u.astype("f2"), Spacing="1 2 1.5 1")
at = i + np.moveaxis(u, 3, 0) / np.array([1, 2, 1.5])[:, None, None, None]
inside = np.all((at >= -.5) & (at <= np.array(x.shape)[:, None, None, None] - .5), 0)
for order in 1, 3:
    write("want%d" % order, np.where(inside, nd.map_coordinates(x.astype("f8"), at, order=order, mode="mirror"), 0))
# a field on 2 x 2 x 2 points that is linear: moves by a turn and a shift
p = np.stack(np.meshgrid([-30, 30], [-30, 30], [-30, 30], indexing="ij"), -1).astype("f8")
A = np.array([[.9, .2, 0], [-.1, 1, .1], [0, .1, 1.1]])
write("linear", p @ (A - np.eye(3)).T + [1, -2, .5], Spacing="60 60 60 1")
with open("m", "w") as f:
    for r, b in zip(A, [1, -2, .5]):
        print(*r, b, file=f)
u[3, 3, 3, 1] = np.nan
write("nan", u)'
    resample --warp u x linear1
    resample --warp u --interpolation cubic x cubic3
    py 'assert np.abs(read("linear1") - read("want1")).max() < 2e-6 and np.abs(read("cubic3") - read("want3")).max() < 1e-5'
    GANTRY_MEM=2200K resample -j 1 --warp u --interpolation cubic x again
    same_bytes cubic3 again
    resample --warp linear --type float64 x a
    resample --affine m --no-anti-aliasing --type float64 x b
    py 'assert np.abs(read("a") - read("b")).max() < 1e-5'
    resample --warp half x c
    resample --warp u --interpolation nearest x d
    py 'assert np.abs(read("c") - read("linear1")).mean() < 1e-2 and set(read("d").ravel()) <= set(read("x").ravel()) | {0}'
    fails 1 "nan contains NaN or infinite displacements" resample --warp nan x y
    fails 1 "x is 14 x 12 x 9, expected displacements (x, y, z, 3)" resample --warp x x y
    fails 2 "--warp excludes" resample --warp u --rotate 3 x y
    no_output y
}

@test "resample: bad input is refused" {
    py '
write("x", np.ones((5, 4, 3), "f4"))
y = np.ones((5, 4, 3), "f4")
y[2, 2, 1] = np.nan
write("n", y)
write("c", np.ones((5, 4, 3), "c8"))'
    printf '1 0 0 0\n0 1 0 0\n1 1 0 0\n' >flat
    printf '1 0 0 0\n0 1 0\n' >short
    printf '1 0 0 0\n0 1 0 0\n0 0 1 x\n' >word
    fails 1 "flat: the matrix has no inverse" resample --affine flat x y
    fails 1 "short contains 7 numbers, expected 3 or 4 lines of 4" resample --affine short x y
    fails 1 "word: line 3 contains 'x'" resample --affine word x y
    fails 2 "--centre has no effect without --rotate" resample --centre 0:0:0 x y
    fails 2 "--inverse has no effect" resample --inverse x y
    fails 2 "--rotate has 2 numbers, expected 1 or 3" resample --rotate 1:2 x y
    fails 2 "--like excludes --size" resample --like x --size 3 x y
    fails 2 "--affine excludes --rotate" resample --affine flat --rotate 3 x y
    fails 1 "is complex: --type float32 would drop" resample --type float32 c y
    no_output y
    run -0 --separate-stderr resample --rotate 5 n y
    [[ "$stderr" == *"n contains NaN or infinite values"* ]]
    py 'write("big", np.full((5, 4, 3), 300, "u2"))'
    run -0 --separate-stderr resample --type uint8 big y
    [[ "$stderr" == *"60 of 60 values do not fit into uint8: clipped in y"* ]]
    gantry ones --size 4:4:4 --type uint8 bytes
    fails 1 "--fill: 256 does not fit into uint8" gantry resample --interpolation nearest --fill 256 bytes y
    fails 1 "--fill: 1e+40 does not fit into float32" gantry resample --fill 1e40 bytes y
    gantry resample --interpolation nearest --fill 255 bytes z
}

@test "resample: an output that misses the input is said to" {
    py 'write("v", np.ones((12, 11, 10), "f4")); write("c", np.ones((5, 4), "c8"))'
    local shift v
    for v in v c; do
        run -0 --separate-stderr gantry resample --shift "$([ $v = v ] && echo 0:-12 || echo 0:4.6):0" --fill 3 $v y
        [[ "$stderr" == *"warning: $v: all voxels of the output are outside the input and become 3 (check --origin,"* ]]
        py 'assert np.all(read("y") == 3)'
    done
    for shift in 0:-10.4:0 11.4:0:0 0:0:9.4; do
        run -0 --separate-stderr gantry resample --shift $shift --fill 3 v y
        [ -z "$stderr" ]
        py 'assert np.any(read("y") == 1)'
    done
}
