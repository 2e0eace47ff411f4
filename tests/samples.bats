load common

@test "samples: nearest, linear and cubic as SciPy's map_coordinates, at every edge" {
    py 'g = np.random.default_rng(5)
s = (9, 14, 7)
write("v", g.standard_normal(s).astype("f4")); write("d", g.standard_normal(s)); write("u", g.integers(0, 65536, s).astype("u2"))
write("l", g.integers(-2**62, 2**62, s).astype("i8")); write("h", g.standard_normal(s).astype("f2"))
write("c", (g.standard_normal(s) + 1j*g.standard_normal(s)).astype("c8")); write("f", g.standard_normal((9, 14)).astype("f4"))
p = (31, 5, 3)
for n, size in zip("XYZ", s): write(n, g.uniform(-0.8*size, 0.8*size, p))'
    # all methods in one run, so that a test is a few processes
    local edge text='n = nearest(v, X, Y, Z); l = linear(v, X, Y, Z); c = cubic(v, X, Y, Z)'
    for edge in clamp zero wrap mirror; do
        for v in v d u l h c f; do
            gantry expr -q --edge $edge "$text" v=$v X=X Y=Y Z=Z n=$v.$edge.n l=$v.$edge.l c=$v.$edge.c
        done
    done
    py '
import scipy.ndimage as nd
modes = dict(clamp="nearest", zero="grid-constant", wrap="grid-wrap", mirror="reflect")
for v in "vdulhcf":
    a = read(v); a = a.reshape(a.shape + (1,) * (3 - a.ndim))
    at = [read(n) + (k - 1)/2 for n, k in zip("XYZ", a.shape)]
    if v == "f": at[2] = 0*at[2] # a dimension of length 1 has no borders
    w = a.astype("c16" if a.dtype.kind == "c" else "f8")
    for edge, mode in modes.items():
        for m, order, tol in (("n", 0, 0), ("l", 1, 2e-7), ("c", 3, 2e-6)):
            got = read("%s.%s.%s" % (v, edge, m))
            if m == "n" and v == "l":
                want = nd.map_coordinates(np.arange(a.size).reshape(a.shape) + 1, at, order=0, mode=mode)
                want = np.where(want > 0, a.ravel()[want - 1], 0)
            elif m == "c": # the splines of SciPy are right to 1e-8 at such edges
                pad = dict(clamp="edge", zero="constant", wrap="wrap", mirror="symmetric")[edge]
                more = [40 if n > 1 else 0 for n in a.shape]
                want = nd.map_coordinates(np.pad(w, [(k, k) for k in more], pad), [p + k for p, k in zip(at, more)], order=3, mode="mirror")
            else:
                want = nd.map_coordinates(w, at, order=order, mode=mode)
            kinds = dict(v="f4", d="f8", u="f4", l="f8", h="f2", c="c8", f="f4")
            assert got.dtype == (a.dtype if m == "n" else np.dtype(kinds[v])), (v, m, got.dtype)
            if v == "h" and m != "n": tol = 1e-3
            if v == "d" and m != "n": tol = 1e-12
            if v == "l" and m != "n": tol = 1e-11
            scale = np.abs(want).max()
            assert np.abs(got - want).max() <= tol*scale, (v, edge, m, np.abs(got - want).max()/scale)'
}

@test "samples: places in mm; the result has the grid of what is read element by element" {
    gantry phantom --size 24:20:12 --spacing 0.5:0.25:2 vol
    gantry expr 'linear(v, x, y, z)' vol same
    gantry expr 'nearest(v, x, y, z)' vol exact
    same_bytes vol exact
    gantry expr 'linear(v, x + 0.125, y, z)' vol moved
    gantry extract 0 5:13 1 2:8 2 4:7 vol small
    gantry expr 'linear(v, x, y, z) + 0*s' v=vol s=small part
    [ "$(dims part)" = "8 6 3" ]
    [ "$(section part Spacing)" = "$(section small Spacing)" ]
    gantry expr -q 'cubic(v, x, y, z) + 0*s' v=vol s=small spline
    gantry phantom --size 48:48:3 --spacing 0.5:0.5:2 flat
    gantry resample -q --interpolation cubic --rotate 20 flat turned
    gantry expr -q --edge mirror 'c = 0.93969262078590838; s = 0.34202014332566873; cubic(v, c*x + s*y, c*y - s*x, z)' flat ours
    py 'v, w = read("vol").astype("f8"), read("same"); assert np.abs(v - w).max() < 1e-6*v.max()
assert np.abs(read("moved")[:-1] - (0.75*v[:-1] + 0.25*v[1:])).max() < 1e-6*v.max()
assert np.abs(read("ours") - read("turned"))[14:-14, 14:-14].max() < 1e-6*v.max()
assert np.abs(read("part") - read("spline")).max() < 1e-4*v.max()'
}

@test "samples: same bytes for any threads, through pipes, in steps; places that are no numbers" {
    gantry random --size 31:17:9 --seed 1 v
    gantry random --size 31:17:9 --seed 2 X
    local text='m = cubic(v, 3*X, y - X, z); o = linear(v, x + m, y, z) + nearest(v, 9*X[1], m[0,1], 0)'
    gantry expr -j 1 "$text" v=v X=X o=one
    gantry expr -j 3 "$text" v=v X=X o=three
    gantry copy v - | gantry expr "$text" v=- X=X o=- | gantry copy - piped
    same_bytes one three
    same_bytes one piped
    gantry expr --iterate 3 'linear(v, x + 0.25, y, z) + 0.1*laplacian(v)' v=v steps
    gantry expr 'linear(v, x + 0.25, y, z) + 0.1*laplacian(v)' v s1
    gantry expr 'linear(v, x + 0.25, y, z) + 0.1*laplacian(v)' s1 s2
    gantry expr 'linear(v, x + 0.25, y, z) + 0.1*laplacian(v)' s2 s3
    same_bytes steps s3
    gantry expr --force 'linear(v, x + 0.25, y, z) + 0.1*laplacian(v)' v v
    same_bytes v s1
    py 'v = np.arange(24, dtype="u1").reshape(4, 3, 2); write("u", v); write("p", np.array([np.nan, np.inf, -np.inf, 1e300, 0.5], "f8"))
write("four", np.random.default_rng(1).standard_normal((4, 3, 2, 5)).astype("f4"))'
    gantry expr 'n = nearest(u, p, 0, 0); l = linear(u, p, 0, 0)' u=u p=p n=n l=l
    gantry expr 'linear(f, x + 0.5, y, z)' four five
    gantry expr 'linear(f, 0.5, 0, 0)' four one
    [ "$(dims one)" = "1 1 1 5" ]
    py 'u, n, l = read("u"), read("n"), read("l"); assert n.dtype == u.dtype and list(n) == [0, 21, 3, 21, 15], n
assert np.isnan(l[0]) and np.isfinite(l[1:]).all() and l[1] == l[3] and l[2] < l[4] < l[1], l
f, g = read("four"), read("five"); assert np.allclose(g[:-1], (f[:-1] + f[1:])/2, atol=1e-6) and np.allclose(g[-1], f[-1], atol=1e-6)
assert np.allclose(read("one")[0, 0, 0], f[2, 1, :].mean(0), atol=1e-6)'
}

@test "samples: what they refuse" {
    gantry random --size 8:8:8 v
    gantry expr 'complex(v, v)' v c
    fails 2 'expression, column 5: linear takes an operand and three places in mm' gantry expr '1 + linear(v, x, y)' v out
    fails 2 'column 1: cubic takes values of an operand, found an expression' gantry expr 'cubic(2*v, x, y, z)' v out
    fails 1 'column 1: nearest takes values of an operand, found the coordinate x' gantry expr 'nearest(x, v, v, v)' v=v out
    fails 1 'column 7: a place of linear is of type complex64, expected real numbers' gantry expr 'v + 0*linear(v, c, y, z)' v=v c=c out
    fails 2 "no function 'liner'; did you mean 'linear'?" gantry expr 'liner(v, x, y, z)' v out
    no_output out
}
