load common

pair() {
    py 'rng = np.random.default_rng(3)
write("a", rng.uniform(size=(21, 17, 3)).astype("f4"))
write("b", (read("a") + 0.1 * rng.normal(size=(21, 17, 3))).astype("f4"))
write("mask", (rng.uniform(size=(21, 17)) < 0.5).astype("u1"))'
}

# near VALUE 'python expression of a, b, m'
near() {
    py "a, b = read('a').astype('f8'), read('b').astype('f8')
m = np.broadcast_to(read('mask')[:, :, None], a.shape) != 0
want = $2
assert abs(float('$1') - want) <= 1e-8 * abs(want), ('$1', want)"
}

@test "compare: every metric is its formula" {
    pair
    near "$(gantry compare a b)" 'np.linalg.norm(b - a) / np.linalg.norm(a)'
    near "$(gantry compare --metric rmse a b)" 'np.sqrt(np.mean((b - a) ** 2))'
    near "$(gantry compare --metric max a b)" 'np.abs(b - a).max()'
    near "$(gantry compare --metric mse a b)" 'np.mean((b - a) ** 2)'
    near "$(gantry compare --metric mae a b)" 'np.abs(b - a).mean()'
    near "$(gantry compare --metric correlation a b)" 'np.corrcoef(a.ravel(), b.ravel())[0, 1]'
    near "$(gantry compare --metric psnr a b)" '20 * np.log10((a.max() - a.min()) / np.sqrt(np.mean((b - a) ** 2)))'
}

@test "compare: --mask, repeated along the third dim" {
    pair
    near "$(gantry compare --mask mask a b)" 'np.linalg.norm((b - a)[m]) / np.linalg.norm(a[m])'
    near "$(gantry compare --mask mask --metric rmse a b)" 'np.sqrt(np.mean((b - a)[m] ** 2))'
    near "$(gantry compare --mask mask --metric psnr a b)" '20 * np.log10((a[m].max() - a[m].min()) / np.sqrt(np.mean((b - a)[m] ** 2)))'
}

@test "compare: ssim is that of Wang et al. with SciPy's filters" {
    pair
    cat >ssim.py <<'END'
from scipy.ndimage import gaussian_filter
def s(x, y, L, keep=None):
    g = lambda v: gaussian_filter(v, 1.5, truncate=3.4)[5:-5, 5:-5]
    mx, my = g(x), g(y)
    vx, vy, c = g(x * x) - mx * mx, g(y * y) - my * my, g(x * y) - mx * my
    c1, c2 = (0.01 * L) ** 2, (0.03 * L) ** 2
    q = (2 * mx * my + c1) * (2 * c + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))
    return q if keep is None else q[keep[5:-5, 5:-5]]
END
    near "$(gantry compare --metric ssim a b)" "__import__('numpy').mean([(lambda: (exec(open('ssim.py').read(), globals()), s(a[:, :, k], b[:, :, k], a.max() - a.min()))[1])() for k in range(3)])"
    near "$(gantry compare --metric ssim --mask mask a b)" "__import__('numpy').mean(np.concatenate([(lambda: (exec(open('ssim.py').read(), globals()), s(a[:, :, k], b[:, :, k], a[m].max() - a[m].min(), m[:, :, k]))[1])() for k in range(3)]))"
}

@test "compare: --region holds the elements whose centres lie in the shape" {
    py 'rng = np.random.default_rng(4)
write("a", rng.uniform(size=(21, 17, 6)).astype("f4")); write("b", rng.uniform(size=(21, 17, 6)).astype("f4"))
write("mask", (rng.uniform(size=(21, 17)) < 0.5).astype("u1"))
for n in "ab":
    t = open(n + ".hdr").read(); open(n + ".hdr", "w").write(t + "# Spacing\n0.5 0.25 2\n# Origin\n-4 1 0\n")'
    xyz='x, y, z = np.meshgrid(-4 + 0.5 * np.arange(21), 1 + 0.25 * np.arange(17), 2. * np.arange(6), indexing="ij")'
    # region, and its condition
    while IFS=@ read -r region inside; do
        py "a, b = read('a').astype('f8'), read('b').astype('f8')
$xyz
inside = $inside
assert 0 < inside.sum() < inside.size
want = np.abs(a - b)[inside].mean()
assert abs(float('$(gantry compare --metric mae --region "$region" a b)') - want) < 1e-8 * want"
    done <<'END'
cyl:0:3:1.5@(x ** 2 + (y - 3) ** 2 <= 1.5 ** 2)
cyl:0:3:1.5:2:6@(x ** 2 + (y - 3) ** 2 <= 1.5 ** 2) & (z >= 2) & (z <= 6)
ring:0:3:1:1.75@(x ** 2 + (y - 3) ** 2 <= 1.75 ** 2) & (x ** 2 + (y - 3) ** 2 >= 1)
sphere:0:3:4:2.5@(x ** 2 + (y - 3) ** 2 + (z - 4) ** 2 <= 2.5 ** 2)
box:-3:2.5:1.5:2:4:8@(x >= -3) & (x <= 2.5) & (y >= 1.5) & (y <= 2) & (z >= 4) & (z <= 8)
box:-3:2.5:1.5:2@(x >= -3) & (x <= 2.5) & (y >= 1.5) & (y <= 2)
END
    py "a, b, m = read('a').astype('f8'), read('b').astype('f8'), read('mask')[:, :, None] != 0
$xyz
want = np.abs(a - b)[(x ** 2 + (y - 3) ** 2 <= 4) & m].mean()
assert abs(float('$(gantry compare --metric mae --mask mask --region cyl:0:3:2 a b)') - want) < 1e-8 * want"
}

@test "compare: ms-ssim is that of Wang, Simoncelli and Bovik with SciPy's filters" {
    py 'rng = np.random.default_rng(5)
a = np.cumsum(np.cumsum(rng.normal(size=(190, 181, 2)), 0), 1); a /= a.std()
write("a", a.astype("f4")); write("b", (a + 0.3 * rng.normal(size=a.shape)).astype("f4")); write("mask", np.ones((190, 181), "u1"))'
    cat >ms.py <<'END'
from scipy.ndimage import gaussian_filter
def ms(x, y, L):
    out, weights = 1, [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]
    for k, w in enumerate(weights):
        g = lambda v: gaussian_filter(v, 1.5, truncate=3.4)[5:-5, 5:-5]
        mx, my = g(x), g(y)
        vx, vy, c = g(x * x) - mx * mx, g(y * y) - my * my, g(x * y) - mx * my
        cs = (2 * c + (0.03 * L) ** 2) / (vx + vy + (0.03 * L) ** 2)
        l = (2 * mx * my + (0.01 * L) ** 2) / (mx * mx + my * my + (0.01 * L) ** 2)
        out *= (np.mean(l * cs) if k == 4 else np.mean(cs)) ** w
        half = lambda v: v[:v.shape[0] // 2 * 2, :v.shape[1] // 2 * 2].reshape(v.shape[0] // 2, 2, v.shape[1] // 2, 2).mean((1, 3))
        x, y = half(x), half(y)
    return out
END
    near "$(gantry compare --metric ms-ssim a b)" "np.mean([(exec(open('ms.py').read(), globals()), ms(a[:, :, k], b[:, :, k], a.max() - a.min()))[1] for k in range(2)])"
    fails 1 "neither a mask nor a region" gantry compare --metric ms-ssim --mask mask a b
}

@test "compare: an array is itself" {
    pair
    [ "$(gantry compare a a)" = 0 ]
    [ "$(gantry compare --metric ssim a a)" = 1 ]
    [ "$(gantry compare --metric psnr --tolerance 100 a a)" = inf ]
}

@test "compare: beside complex data, magnitudes are those of real data, too" {
    py 'x = np.random.default_rng(5).normal(size=(12, 20)); write("c", x.astype("c16")); write("x", x); write("m", np.abs(x))'
    local metric
    for metric in ssim correlation; do
        [ "$(gantry compare --metric $metric c x)" = 1 ]
        [ "$(gantry compare --metric $metric m c)" = 1 ]
        [ "$(gantry compare --metric $metric x c)" = 1 ]
    done
}

@test "compare: the exit status tells which side of the tolerance it is" {
    pair
    gantry compare --tolerance 0.5 a b
    run -1 gantry compare --tolerance 0.01 a b
    gantry compare --metric ssim --tolerance 0.1 a b
    run -1 gantry compare --metric ssim --tolerance 0.999 a b
    gantry compare --metric psnr --tolerance 5 a b
    run -1 gantry compare --metric psnr --tolerance 90 a b
    gantry compare --tolerance 0 a a
}

@test "compare: types are mixed, complex differences are complex" {
    py 'rng = np.random.default_rng(3)
write("i", rng.integers(0, 200, size=(40, 30)).astype("u1"))
write("f", read("i").astype("f8"))
write("z", (read("f") + 3j * rng.normal(size=(40, 30))).astype("c16"))'
    [ "$(gantry compare i f)" = 0 ]
    py "got = float('$(gantry compare i z)')
want = np.linalg.norm(read('z') - read('f')) / np.linalg.norm(read('f'))
assert abs(got - want) < 1e-8 * want"
    py "got = float('$(gantry compare --metric max z f)')
want = np.abs(read('z') - read('f')).max()
assert abs(got - want) < 1e-8 * want"
}

@test "compare: the same number for any threads and from a pipe" {
    gantry random --size 200:150:9 a
    gantry random --size 200:150:9 --seed 1 b
    for metric in nrmse ssim; do
        one=$(gantry compare --metric $metric -j 1 a b)
        [ "$one" = "$(gantry compare --metric $metric -j 2 a b)" ]
        [ "$one" = "$(gantry compare --metric $metric -j 7 a b)" ]
        [ "$one" = "$(gantry copy b - | gantry compare --metric $metric a -)" ]
    done
}

@test "compare: correlation and sums of many blocks, some of which a mask leaves empty" {
    py 'rng = np.random.default_rng(6)
a = 1000 + np.linspace(0, 3, 90)[:, None, None] + rng.uniform(size=(90, 100, 41))
b = 50 - 2*a + rng.normal(size=a.shape)
write("a", a); write("b", b); write("z", b*np.exp(1j*a)); write("mask", np.broadcast_to((np.arange(41) // 9 % 2)*(rng.uniform(size=(90, 100, 1)) < .3), a.shape).astype("u1").copy())'
    # metric, options, expected value
    while IFS=@ read -r options want; do
        # shellcheck disable=SC2086 # words
        py "a, b, z, m = (read(n) for n in ('a', 'b', 'z', 'mask'))
m = m != 0
got, want = float('$(gantry compare $options)'), $want
assert abs(got - want) < 1e-8 * abs(want), (got, want)"
    done <<'END'
--metric correlation a b@np.corrcoef(a.ravel(), b.ravel())[0, 1]
--metric correlation --mask mask a b@np.corrcoef(a[m], b[m])[0, 1]
--metric correlation z a@np.corrcoef(np.abs(b).ravel(), a.ravel())[0, 1]
--metric mae --mask mask a b@np.abs(a - b)[m].mean()
--metric psnr --mask mask b a@20*np.log10(np.ptp(b[m])/np.sqrt(np.mean((a - b)[m]**2)))
--metric max --mask mask z a@np.abs(z - a)[m].max()
END
    # whole arrays, in vectors: each metric, type and instruction set, the extremes in every place of a vector
    py 'import os, subprocess
a, b = read("a"), read("b")
for i in range(8):
    a[i, 0, 0], b[8 + i, 0, 0] = 900 - i, 3e3 + i
for t in "f8", "f4":
    write("a", a.astype(t)); write("b", b.astype(t))
    x, y = a.astype(t).astype("f8"), b.astype(t).astype("f8")
    d = y - x
    for metric, want in {"nrmse": np.linalg.norm(d) / np.linalg.norm(x), "mae": np.abs(d).mean(), "max": np.abs(d).max(),
                         "psnr": 20 * np.log10(np.ptp(x) / np.sqrt((d**2).mean())), "correlation": np.corrcoef(x.ravel(), y.ravel())[0, 1]}.items():
        said = {subprocess.run(["gantry", "compare", "--metric", metric, "a", "b"], env=dict(os.environ, GANTRY_ISA=isa), capture_output=True, check=True).stdout
                for isa in (["plain", "avx2", "avx512"] if metric == "nrmse" else ["avx2"])}
        assert len(said) == 1 and abs(float(said.pop()) - want) < 1e-8 * abs(want), (t, metric, want)'
}

@test "compare: ssim of complex numbers is that of their magnitudes; of a region that of the mask with its pixels" {
    pair
    py 'rng = np.random.default_rng(7)
for n in "ab": write("z" + n, read(n)*np.exp(2j*np.pi*rng.uniform(size=(21, 17, 3)))); write("abs" + n, np.abs(read(n)))
x, y, z = np.meshgrid(np.arange(21) - 10, np.arange(17) - 8, np.arange(3) - 1, indexing="ij")
write("ball", (x**2 + y**2 + z**2 <= 10.24).astype("u1")); write("edge", (x < -5).astype("u1"))'
    py "assert abs($(gantry compare --metric ssim za zb)/$(gantry compare --metric ssim absa absb) - 1) < 1e-6"
    [ "$(gantry compare --metric ssim --region sphere:0:0:0:3.2 a b)" = "$(gantry compare --metric ssim --mask ball a b)" ]
    [ "$(gantry compare --metric ssim --region sphere:0:0:0:3.2 a b)" != "$(gantry compare --metric ssim a b)" ]
    fails 1 "edge contains only pixels less than 5 pixels from the edge" gantry compare --metric ssim --mask edge a b
    fails 1 "cyl:-10:0:1 contains only pixels less than 5 pixels from the edge" gantry compare --metric ssim --region cyl:-10:0:1 a b
}

@test "compare: what cannot be compared is said" {
    pair
    py 'write("little", np.linspace(0, .1, 1071).reshape(21, 17, 3)); write("half", np.full((21, 17, 3), .5))'
    fails 1 "half is 0.5 everywhere: correlation" gantry compare --metric correlation little half
    fails 1 "half is 0.5 everywhere: correlation" gantry compare --metric correlation half little
    gantry extract 0 0:20 b short
    gantry zeros --size 21:17:3 zero
    py 'b = read("b"); b[1, 2, 0] = np.nan; write("nan", b); write("tiny", np.arange(50.).reshape(10, 5))'
    fails 1 "short is 20 x 17 x 3" gantry compare a short
    fails 1 "zero is 0 everywhere" gantry compare zero a
    fails 1 "need a reference that varies" gantry compare --metric psnr zero a
    fails 1 "nan: 1 of the values compared are NaN or infinite" gantry compare a nan
    fails 1 "nan: 1 of the values compared are NaN or infinite" gantry compare nan a
    fails 1 "nothing is compared" gantry compare --mask zero a b
    fails 1 "slices of at least 11 x 11" gantry compare --metric ssim tiny tiny
    fails 2 "nrmse" gantry compare --metric medium a b
    fails 1 "correlation needs two arrays that vary" gantry compare --metric correlation a zero
    fails 1 "slices of at least 176 x 176 for ms-ssim" gantry compare --metric ms-ssim a b
    fails 1 "contains no element" gantry compare --region cyl:900:0:1 a b
    fails 2 "expected cyl:X:Y:R" gantry compare --region disc:1:2:3 a b
    fails 2 "expected cyl:X:Y:R" gantry compare --region cyl:1:2 a b
    fails 2 "where 5 is above 2" gantry compare --region box:5:2:0:1 a b
    fails 2 "radius -1" gantry compare --region sphere:0:0:0:-1 a b
}
