load common

# arrays SEED: v (float32), d (float64), u (uint8), c (complex64) of one random shape of 1 to 70 per dimension.
arrays() {
    py "g = np.random.default_rng($1); s = tuple(int(x) for x in g.integers(1, 71, 3) // [1, 2, 3] + 1)
write('v', g.standard_normal(s).astype('f4')); write('d', 1e6 + g.standard_normal(s)); write('u', g.integers(0, 200, s).astype('u1'))
write('c', (g.standard_normal(s) + 1j*g.standard_normal(s)).astype('c8'))"
}

# as_scipy EDGE MODE: every line "EXPRESSION | OPERAND | TOLERANCE | SciPy" of the file list gives the same.
as_scipy() {
    local n=0 text operand
    while IFS='|' read -r text operand _; do
        gantry expr --edge "$1" -- "$text" "v=${operand// /}" "out$n"
        n=$((n + 1))
    done <list
    py "
import scipy.ndimage as nd
m = dict(mode='$2', cval=0.0)
pad = {'nearest': 'edge', 'constant': 'constant', 'wrap': 'wrap', 'reflect': 'symmetric'}['$2']
def at(a, *o):
    p = np.pad(a, 3, pad)
    p = np.moveaxis(p, (0, 1, 2), (0, 1, 2))
    i = [slice(3 + k, 3 + k + n) for k, n in zip(o + (0, 0, 0), a.shape)]
    return p[tuple(i)]
def ball(r):
    x, y, z = np.ogrid[-r:r+1, -r:r+1, -r:r+1]
    return x*x + y*y + z*z <= r*r
def std(a, n):
    mean = a.mean(); b = a - mean
    return np.sqrt(nd.generic_filter(a, np.var, n, **m))
def central(a, d): return nd.correlate1d(a, [-0.5, 0, 0.5], d, **m)
for n, line in enumerate(open('list')):
    ours, operand, tolerance, python = (w.strip() for w in line.split('|', 3))
    a = np.atleast_3d(read(operand)); w = a.astype('c16' if a.dtype.kind == 'c' else 'f8')
    got, want = np.atleast_3d(read('out%d' % n)), eval(python)
    scale = np.abs(want).max() + 1e-30
    assert got.shape == want.shape and np.abs(got - want).max() <= float(tolerance) * scale, (ours, '$1', a.shape, np.abs(got - want).max() / scale)
"
}

@test "neighbours: offsets beyond the array follow --edge" {
    gantry random --size 12:3 --type float32 v
    local edge k
    for edge in clamp zero wrap mirror; do
        for k in 13 -30 1024; do gantry expr --edge $edge "v[$k]" v "$edge$k" 2>"said$edge$k"; done
    done
    py '
v, n = read("v"), 12
for k in 13, -30, 1024:
    j = np.arange(n) + k
    want = {"clamp": v[np.clip(j, 0, n - 1)], "zero": 0 * v, "wrap": v[j % n], "mirror": v[np.minimum(j % 24, 23 - j % 24)]}
    for edge in want:
        assert np.array_equal(read(edge + str(k)), want[edge]), (edge, k)'
    [ ! -s saidwrap13 ]
    for edge in clamp zero mirror; do
        grep "column 2: from each of the 12 elements along dimension 0, the offset -30 leads beyond the border" said$edge-30
    done
    gantry expr 'v[11,2,5] + sum[a=-11:11](v[a])' v inside 2>said
    [ ! -s said ]
}

@test "neighbours: offsets, sums, windows and differences as SciPy, at every edge" {
    cat >list <<'LIST'
v[1,0,0] | v | 0 | at(w, 1, 0, 0)
v[-2,1,-3] | u | 0 | at(w, -2, 1, -3)
v[0,-1] - v | d | 1e-12 | at(w, 0, -1, 0) - w
v[1,1,1]*2 | c | 1e-6 | 2*at(w, 1, 1, 1)
sum[a=-1:1, b=-1:1, c=-1:1](v[a,b,c]) | v | 2e-6 | nd.correlate(w, np.ones((3, 3, 3)), **m)
sum[a=-1:1, b=0:1](v[a,b]*(a + 2*b)) | d | 1e-12 | sum(at(w, i, j, 0)*(i + 2*j) for i in (-1, 0, 1) for j in (0, 1))
max[a=-2:0](v[a]) | u | 0 | np.max([at(w, i, 0, 0) for i in (-2, -1, 0)], 0)
mean[i=-1:1](v[0,0,i]) | v | 1e-6 | (at(w, 0, 0, -1) + w + at(w, 0, 0, 1))/3
mean(v, 2:1:3) | v | 1e-6 | nd.uniform_filter(w, (5, 3, 7), **m)
mean(v, 4) | u | 1e-6 | nd.uniform_filter(w, 9, **m)
mean(v, ball(2)) | d | 1e-12 | nd.correlate(w, ball(2)/ball(2).sum(), **m)
min(v, box(2)) | v | 0 | nd.minimum_filter(w, 5, **m)
max(v, 1:0:3) | u | 0 | nd.maximum_filter(w, (3, 1, 7), **m)
max(v, ball(3)) | v | 0 | nd.maximum_filter(w, footprint=ball(3), **m)
median(v, 1) | v | 0 | nd.median_filter(w, 3, **m)
median(v, 2:1:0) | u | 0 | nd.median_filter(w, (5, 3, 1), **m)
median(v, ball(2)) | d | 0 | nd.median_filter(w, footprint=ball(2), **m)
gauss(v, 1.2) | v | 1e-6 | nd.gaussian_filter(w, 1.2, **m)
gauss(v, 0.5:2:0) | u | 1e-6 | nd.gaussian_filter(w, (0.5, 2, 0), **m)
laplacian(v) | v | 2e-6 | nd.laplace(w, **m)
gradient(v) | v | 2e-6 | np.sqrt(central(w, 0)**2 + central(w, 1)**2 + central(w, 2)**2)
dz(v) - 2*dx(v) | d | 1e-12 | central(w, 2) - 2*central(w, 0)
u = laplacian(v); u[0,1,1] + laplacian(u) | v | 4e-6 | at(nd.laplace(w, **m), 0, 1, 1) + nd.laplace(nd.laplace(w, **m), **m)
LIST
    local seed=0 edge
    for edge in clamp:nearest zero:constant wrap:wrap mirror:reflect; do
        seed=$((seed + 1))
        arrays $seed
        as_scipy ${edge%:*} ${edge#*:}
    done
}

@test "neighbours: small and thin arrays, further dimensions, lines that are cut" {
    py 'g = np.random.default_rng(2)
write("thin", g.standard_normal((1, 9, 1)).astype("f4")); write("flat", g.standard_normal((6, 5)).astype("f4")); write("one", np.ones(1, "f4"))
write("four", g.standard_normal((5, 4, 3, 2)).astype("f4")); write("long", g.standard_normal((40001, 3, 2)).astype("f4"))'
    for v in thin flat one four long; do
        gantry expr 'v[2,-1,1] + mean(v, 3) + laplacian(v)' $v $v.c
        gantry expr --edge mirror 'median(v, 1) + gauss(v, 1)' $v $v.m
        gantry expr --edge zero 'max(v, 2:2:0)' $v $v.z
    done
    py 'import scipy.ndimage as nd
def check(v, a):
    if v.ndim == 4:
        return [check(v[..., i], [x[..., i] for x in a]) for i in range(v.shape[3])]
    v = v.reshape(v.shape + (1,) * (3 - v.ndim)).astype("f8"); a = [x.reshape(v.shape) for x in a]
    p = np.pad(v, 2, "edge"); X, Y, Z = v.shape
    shift = p[4 if X > 1 else 2:, 1 if Y > 1 else 2:, 3 if Z > 1 else 2:][:X, :Y, :Z]
    assert np.allclose(a[0], shift + nd.uniform_filter(v, 7, mode="nearest") + nd.laplace(v, mode="nearest"), atol=1e-5)
    assert np.allclose(a[1], nd.median_filter(v, 3, mode="reflect") + nd.gaussian_filter(v, 1, mode="reflect"), atol=1e-5)
    size = [5 if n > 1 else 1 for n in (X, Y, 1)]
    assert np.allclose(a[2], nd.maximum_filter(v, size, mode="constant", cval=0.0))
for n in ("thin", "flat", "one", "four", "long"):
    check(read(n), [read(n + "." + k) for k in "cmz"])'
}

@test "neighbours: same bytes for any threads and through pipes; the input may be the output" {
    arrays 7
    local text='m = median(v, 1); s = std(v, 2); o = (v - mean(v))*m[1,1] + s/gauss(v, 1)'
    OMP_NUM_THREADS=1 gantry expr -j 1 "$text" v=v o=one
    gantry expr -j 2 "$text" v=v o=two
    gantry expr -j 5 "$text" v=v o=five
    gantry copy v - | gantry expr "$text" v=- o=- | gantry copy - piped
    same_bytes one two
    same_bytes one five
    same_bytes one piped
    [ "$(gantry expr -j 1 'sum(laplacian(v)^2)' v)" = "$(gantry expr -j 3 'sum(laplacian(v)^2)' v)" ]
    gantry expr --force 'laplacian(v)' v w
    gantry expr --force 'laplacian(v)' v v
    same_bytes v w
}

@test "neighbours: means of small boxes are the bytes of means beside another result, infinities and signs of zeros too" {
    py 'r = np.random.default_rng(4); v = r.standard_normal((9, 6, 37)).astype("f4"); m = r.random(v.shape)
v[m > 0.98] = np.inf; v[:6, :, :20] = -0.; write("v", v.T); write("w", (v * np.float32(1e-39)).T)'
    for edge in clamp zero wrap mirror; do
        for r in 1 2 1:0:2 2:1:0 1:2:2; do
            gantry expr --force --edge $edge "a = mean(v, $r); b = 2*v; c = mean(w, $r)" v=v w=w a=a b=b c=c
            for isa in plain avx2 avx512; do
                GANTRY_ISA=$isa gantry expr --force --edge $edge "d = mean(v, $r)" v=v d=d
                GANTRY_ISA=$isa gantry expr --force --edge $edge "f = mean(w, $r)" w=w f=f
                cmp a.cfl d.cfl
                cmp c.cfl f.cfl
            done
        done
    done
}

@test "neighbours: windows of different radii in one expression stay apart" {
    gantry random --size 16:16:16 v
    for pair in "1:3:6 1:4:3" "1:5:1 2:1:4" "5:3:2 4:5:5" "4:5:3 5:2:3"; do
        set -- $pair
        gantry expr --force "max(v, $1)" v a
        gantry expr --force "max(v, $2)" v b
        gantry expr --force 'a - b' a=a b=b d
        gantry expr --force "max(v, $1) - max(v, $2)" v e
        same_bytes d e
    done
}

@test "neighbours: an operand of length 1 is its own neighbour beside larger operands too" {
    py 'g = np.random.default_rng(4)
write("v", g.standard_normal((5, 4, 3)).astype("f4")); write("w", g.standard_normal((5, 1, 1)).astype("f4"))'
    for e in 'w[0,1,-1]' 'mean(w, 1)' 'max(-w, box(0, 3, 1))' 'median(w, 1)' 'median(w, ball(1))' 'gauss(w, 1)' 'laplacian(w)' 'w[1][0,2]'; do
        for edge in zero clamp; do
            gantry expr --force --edge $edge "$e" w a
            gantry expr --force 'v + a' v=v a=a b
            gantry expr --force --edge $edge "v + $e" v=v w=w c
            same_bytes b c
        done
    done
    fails 1 'repeated along dimension 1' gantry expr --edge zero 'v + median(w, ball(4))' v=v w=w d
}

@test "neighbours: results that bypass the cache are the bytes of those that do not" {
    local width isa steps
    for width in 256 250; do # rows of whole cache lines, and others
        gantry random --force --size $width:140:130 v
        gantry expr --force 'v + 0.1*laplacian(v)' v file
        for isa in plain avx2 avx512; do
            for steps in 1 3; do
                GANTRY_ISA=$isa gantry expr --force --iterate $steps 'v + 0.1*laplacian(v)' v $isa.$steps
                cmp plain.$steps.cfl $isa.$steps.cfl
            done
            cmp file.cfl $isa.1.cfl
        done
    done
}

@test "neighbours: sums of direct neighbours follow the edge rule at the ends of rows" {
    local width edge isa
    for width in 17 32; do
        gantry random --force --size $width:23:7 v
        for edge in clamp zero wrap mirror; do
            for isa in plain avx2 avx512; do
                GANTRY_ISA=$isa gantry expr --edge $edge --iterate 3 'v + 0.125*laplacian(v)' v a.$width.$edge.$isa
                GANTRY_ISA=$isa gantry expr --edge $edge 'v + 0.125*(2*(v[1]+v[-1]) + 3*(v[0,1]+v[0,-1]) + (v[0,0,1]+v[0,0,-1]) - 12*v)' v b.$width.$edge.$isa
            done
        done
        gantry copy --force v v.$width
    done
    py 'modes = {"clamp": "edge", "zero": "constant", "wrap": "wrap", "mirror": "symmetric"}
def step(v, mode, u, w):
    p = np.pad(v, 1, modes[mode]); m = slice(1, -1); f = np.float32
    s = (p[:-2, m, m] + p[2:, m, m])*f(u) + (p[m, :-2, m] + p[m, 2:, m])*f(w) + (p[m, m, :-2] + p[m, m, 2:])
    return (s + v*f(-2*u - 2*w - 2))*f(0.125) + v
for width in (17, 32):
    for mode in modes:
        v = read(f"v.{width}"); a = v; b = step(v, mode, 2, 3)
        for _ in range(3): a = step(a, mode, 1, 1)
        for isa in ("plain", "avx2", "avx512"):
            assert np.array_equal(read(f"a.{width}.{mode}.{isa}"), a), ("a", width, mode, isa)
            assert np.allclose(read(f"b.{width}.{mode}.{isa}"), b, atol=1e-6), ("b", width, mode, isa)'
}

@test "neighbours: steps in one pass are the bytes of single steps" {
    gantry random --size 21:35:19 --seed 3 start
    gantry random --size 21:35:19 --seed 4 k
    local edge
    for edge in clamp zero wrap mirror; do
        gantry copy --force start r
        for _ in 1 2 3 4 5 6 7; do gantry expr --edge $edge 'v + k*laplacian(v) - 0.01*max(v[1,1,-1], median(v, 1:0:0))' v=r k=k r; done
        gantry expr --edge $edge --iterate 7 'v + k*laplacian(v) - 0.01*max(v[1,1,-1], median(v, 1:0:0))' v=start k=k q
        same_bytes r q
    done
    gantry expr --iterate 4 'v/2 + mean(v)' start a
    py 'v = read("start").astype("f8")
for _ in range(4): v = v/2 + v.mean()
assert np.allclose(read("a"), v, atol=1e-4)'
    fails 2 "--iterate" gantry expr --iterate 4 'sum(v)' start
    fails 1 "the result is float32, but 'v' of the next step is uint8" bash -c 'gantry cast --type uint8 start u && gantry expr --iterate 2 "v*0.5" u bad'
    fails 1 "--iterate: the result is 21 x 35 x 19, but 'w' of the next step is 1" bash -c 'gantry ones --size 1 w && gantry expr --iterate 2 "w*v" w=w v=start bad'
    fails 2 "--type" gantry expr --type float64 --iterate 2 v start bad
    fails 2 "--halo requires --iterate" gantry expr --halo 2 v start bad
    fails 2 "--edge has no effect" gantry expr --edge wrap "v + 1" v=start bad
    no_output bad
}

@test "neighbours: bilateral filter and anisotropic diffusion as their formulas" {
    gantry random --size 19:14:9 --seed 3 v
    gantry expr 'bilateral(v, 0.4, 1.5:1:0.5)' v a
    gantry expr 'bilateral(v, 0.4, 1:2:0)' v b
    gantry expr --edge mirror --iterate 2 'v + 0.1*perona_malik(v, 0.3)' v c
    py 'v = read("v").astype("f8")
def bilateral(v, s, g):
    r = [int(2*x + 0.5) for x in g]; p = np.pad(v, [(k, k) for k in r], "edge"); n = d = 0
    for o in np.ndindex(*[2*k + 1 for k in r]):
        x = p[tuple(slice(k, k + m) for k, m in zip(o, v.shape))]
        w = np.exp(-sum(((k - q)/h)**2 for k, q, h in zip(o, r, g) if h)/2 - (x - v)**2/(2*s*s)); n = n + w*x; d = d + w
    return n/d
assert np.allclose(read("a"), bilateral(v, 0.4, (1.5, 1, 0.5)), atol=2e-5) and np.allclose(read("b"), bilateral(v, 0.4, (1, 2, 0)), atol=2e-5)
c = v
for _ in range(2):
    p = np.pad(c, 1, "symmetric"); i = slice(1, -1)
    D = [p[2:, i, i] - c, p[:-2, i, i] - c, p[i, 2:, i] - c, p[i, :-2, i] - c, p[i, i, 2:] - c, p[i, i, :-2] - c]
    c = c + 0.1*sum(d*np.exp(-(d/0.3)**2) for d in D)
assert np.allclose(read("c"), c, atol=1e-5)'
    fails 2 "bilateral takes a value and standard deviations" gantry expr 'bilateral(v, 1)' v bad
    fails 2 "a standard deviation must be a number from 0 to 5" gantry expr 'bilateral(v, 1, 9)' v bad
    fails 2 "column 14: the difference of values is 0, expected 1e-18 to 1e+18" gantry expr 'bilateral(v, 0, 1)' v bad
    fails 2 "column 17: the difference of values is -0.5, expected 1e-18 to 1e+18" gantry expr 'perona_malik(v, -0.5)' v bad
    fails 2 "column 14: the difference of values is 1e-30, expected" gantry expr 'bilateral(v, 1e-30, 1)' v bad
}

@test "neighbours: programs of several lines" {
    gantry random --size 12:11:10 --seed 3 v
    cat >p.expr <<'END'
# comment
twice(u) = 2*u      # another
shifted(u, k) = sum[a=-1:1](
    twice(u)[a] +
    k)

let w = shifted(v, 1)
out = w - twice(v)
  # the end
END
    gantry expr -f p.expr v=v out=a
    gantry expr -f p.expr v b
    gantry expr 'sum[a=-1:1]((2*v)[a] + 1) - 2*v' v c
    same_bytes a b
    same_bytes a c
    gantry expr 'f(x) = x + 1; f(f(v))' v d
    gantry expr 'v + 1 + 1' v e
    same_bytes d e
    printf 'a = v +\n  medain(v, 1)\n' >wrong.expr
    fails 2 "wrong.expr, line 2, column 3: no function 'medain'; did you mean 'median'?" gantry expr -f wrong.expr v=v a=bad
    printf 'let a = v\n\nb = a *\n' >wrong.expr
    fails 2 "wrong.expr, line 4, column 1: expected an operand, found the end" gantry expr -f wrong.expr v=v b=bad
    printf 'f(u) = f(u) + 1\nb = f(v)\n' >wrong.expr
    fails 2 "wrong.expr, line 1, column 8: no function 'f'" gantry expr -f wrong.expr v=v b=bad
    printf 'f(u, w) = u + w\nb = f(v)\n' >wrong.expr
    fails 2 "wrong.expr, line 2, column 5: f takes 2 arguments, found 1" gantry expr -f wrong.expr v=v b=bad
    printf 'let b = v\n' >wrong.expr
    fails 2 "a program ends with a result" gantry expr -f wrong.expr v=v b=bad
    printf 'a = v\nb = a + 1i\nc = b < 2\n' >wrong.expr
    fails 1 "line 3, column 7: '<' is not defined for" gantry expr -f wrong.expr v=v c=bad
    fails 1 "missing.expr" gantry expr -f missing.expr v=v c=bad
    no_output bad
}

@test "neighbours: derivatives are per mm, and quantity stays where values do" {
    gantry phantom --size 12:10:8 --spacing 0.5:0.5:2 vol
    gantry expr 'dx(x*x + 0*v)' vol a
    gantry expr 'laplacian(z*z + 0*v)' vol b
    gantry expr 'mean(v, 1)' vol m
    py 'a, b = read("a"), read("b"); x = (np.arange(12) - 5.5)*0.5
assert np.allclose(a[1:-1], 2*x[1:-1, None, None]) and np.allclose(b[:, :, 1:-1], 2)'
    [ "$(section m Quantity)" = "$(section vol Quantity)" ]
    [ "$(section a Quantity)" != "$(section vol Quantity)" ]
}

@test "neighbours: values outside a domain are counted once, whatever the tiles" {
    py 'g = np.random.default_rng(4); write("v", g.standard_normal((30, 40, 20)).astype("f4"))'
    for j in 1 3; do
        gantry expr -j $j --domain warn 'w = sqrt(v); w[1,1,1] + w[-1] + w' v=v out 2>said$j
    done
    cmp said1 said3
    py 'n = (read("v") < 0).sum(); assert "column 5: %d values" % n in open("said1").read()'
}

@test "neighbours: mistakes are named with their column" {
    py 'write("v", np.ones((3, 4), "f4"))'
    fails 2 "column 6: expected ',' or ']', found the end" gantry expr 'v[1,0' v bad
    fails 2 "column 3: an offset must be a whole number from -1024 to 1024" gantry expr 'v[1.5]' v bad
    fails 2 "column 3: an offset must be a whole number" gantry expr 'v[2000]' v bad
    fails 2 "column 5: 'a' has no values from 2 to 1" gantry expr 'sum[a=2:1](v[a])' v bad
    fails 2 "column 1: a window of radius 0" gantry expr 'mean(v, 0)' v bad
    fails 2 "column 10: a standard deviation of 0 gives the element itself" gantry expr 'gauss(v, 0:0:0)' v bad
    fails 2 "did you mean 'laplacian'?" gantry expr 'lapacian(v)' v bad
    fails 2 "column 1: sin takes no window" gantry expr 'sin(v, box(1))' v bad
    fails 2 "column 10: a standard deviation must be a number" gantry expr 'gauss(v, -1)' v bad
    fails 2 "column 1: std takes a value and a window" gantry expr 'std(v)' v bad
    fails 2 edge gantry expr --edge periodic 'v[1]' v bad
    no_output bad
}
