load common

@test "medians: large windows as SciPy's, boxes and balls, all types and edges, with NaN" {
    py 'g = np.random.default_rng(9); s = (23, 37, 11)
write("v", g.standard_normal(s).astype("f4")); write("d", np.round(g.standard_normal(s), 1)); write("u", g.integers(0, 30, s).astype("u1"))
write("l", g.integers(-2**62, 2**62, s)); write("q", g.integers(0, 2**63, s).astype("u8") * 2); write("b", (g.random(s) > 0.4))
write("flat", g.standard_normal((70, 41)).astype("f4")); write("thin", g.standard_normal((1, 9, 1)).astype("f4"))
n = g.standard_normal(s).astype("f4"); n[g.random(s) > 0.999] = np.nan; write("n", n)'
    local edge
    for edge in clamp zero wrap mirror; do
        gantry expr -q --edge $edge 'a = median(v, 3); b = median(d, 2:4:3); c = median(u, ball(4)); p = median(l, 4:2:2); f = median(q, 3)' \
            v=v d=d u=u l=l q=q a=a$edge b=b$edge c=c$edge p=p$edge f=f$edge
        gantry expr -q --edge $edge 'g = median(b, 3); h = median(v - d, 3)[1,0,-2]' b=b v=v d=d g=g$edge h=h$edge
        gantry expr -q --edge $edge 'median(f, 90:30:7)' flat flat$edge
    done
    gantry expr 'median(f, ball(6))' flat round
    gantry expr 'median(t, 5)' thin thin5
    gantry expr 'median(n, 3)' n nan
    py 'from scipy.ndimage import median_filter as med
v, d, u, l, q, b, flat, thin, n = [read(k) for k in "v d u l q b flat thin n".split()]
z, y, x = np.ogrid[-4:5, -4:5, -4:5]; ball = x*x + y*y + z*z <= 16
modes = dict(clamp=("nearest", "edge"), zero=("constant", "constant"), wrap=("wrap", "wrap"), mirror=("reflect", "symmetric"))
def brute(a, r, pad):
    w = np.lib.stride_tricks.sliding_window_view(np.pad(a, [(k, k) for k in r], pad), [2*k + 1 for k in r])
    w = w.reshape(a.shape + (-1,)); return np.partition(w, w.shape[-1]//2, -1)[..., w.shape[-1]//2]
for e, (m, pad) in modes.items():
    assert np.array_equal(read("a" + e), med(v, 7, mode=m)), e
    assert np.array_equal(read("b" + e), med(d, (5, 9, 7), mode=m)), e
    assert np.array_equal(read("c" + e), med(u, footprint=ball, mode=m)), e
    assert np.array_equal(read("f" + e), brute(q, (3, 3, 3), pad)), e
    assert np.array_equal(read("p" + e), brute(l, (4, 2, 2), pad)), e
    assert np.array_equal(read("g" + e) != 0, brute(b, (3, 3, 3), pad) != 0), e
    t = (v - d); w = np.pad(brute(t, (3, 3, 3), pad), 2, pad)[3:-1, 2:-2, :-4]
    assert np.array_equal(read("h" + e), w), e
    r = (90, 30); w = np.pad(flat, [(k, k) for k in r], pad)
    got = read("flat" + e)
    for i, j in ((0, 0), (69, 40), (35, 20), (3, 39)): assert got[i, j] == np.median(w[i:i + 181, j:j + 61]), (e, i, j)
a = read("nan"); w = brute(n, (3, 3, 3), "edge"); bad = brute(np.isnan(n), (3, 3, 3), "edge")
z, y, x = np.ogrid[-6:7, -6:7, -6:7]; ball = x*x + y*y + z*z <= 36
assert np.array_equal(read("round"), med(flat[..., None], footprint=ball, mode="nearest")[..., 0])
assert np.array_equal(read("thin5").ravel(), med(thin.ravel(), 11, mode="nearest"))
near = np.lib.stride_tricks.sliding_window_view(np.pad(np.isnan(n), 3, "edge"), (7, 7, 7)).any((3, 4, 5))
assert near.any() and not near.all() and np.array_equal(np.isnan(a), near) and np.array_equal(a[~near], w[~near])'
}

@test "medians and windows: same bytes for any threads and steps; large radii" {
    gantry random --size 61:45:20 --seed 2 v
    gantry expr -j 1 'median(v - mean(v, 3), 4)' v one
    gantry expr -j 3 'median(v - mean(v, 3), 4)' v three
    same_bytes one three
    gantry expr 'median(v, 3)' v s1
    gantry expr 'median(v, 3)' s1 s2
    gantry expr --iterate 2 'median(v, 3)' v steps
    same_bytes steps s2
    gantry random --size 300:200 --seed 3 w
    gantry expr 'a = min(w, 150:0:0); b = max(w, box(100)); c = mean(w, 200:70:0)' w=w a=a b=b c=c
    py 'import scipy.ndimage as nd
w = read("w").astype("f8")
assert np.array_equal(read("a"), nd.minimum_filter(w, (301, 1), mode="nearest")) and np.array_equal(read("b"), nd.maximum_filter(w, 201, mode="nearest"))
assert np.abs(read("c") - nd.uniform_filter(w, (401, 141), mode="nearest")).max() < 1e-6'
    gantry expr 'complex(v, v)' v c
    fails 1 "'median' is not defined for complex64" gantry expr 'median(v, 3)' c out
    fails 2 'a radius must be a whole number from 0 to 512' gantry expr 'median(v, 513)' v out
}

@test "windows: means, minima and maxima of boxes as SciPy; same bytes for any cut" {
    py 'g = np.random.default_rng(8); s = (50, 61, 33)
write("v", g.standard_normal(s).astype("f4")); write("u", g.integers(0, 200, s).astype("u1")); write("c", (g.standard_normal(s) + 1j).astype("c16"))
write("long", g.standard_normal((40001, 9, 4)).astype("f4")); n = g.standard_normal(s).astype("f4"); n[20, 20, 20] = np.nan; write("n", n)
write("four", g.standard_normal((9, 8, 7, 3)).astype("f4"))'
    local edge j
    for edge in clamp zero wrap mirror; do
        gantry expr -q --edge $edge 'p = mean(v, 5:3:11); q = min(u, box(4)); r = max(v, 0:7:3); s = mean(c, 3); t = mean(u, 12) + 0*v' v=v u=u c=c \
            p=p$edge q=q$edge r=r$edge s=s$edge t=t$edge
        for j in 1 3; do
            gantry expr -j $j --force --edge $edge 'm = mean(v, 3); m[1,-1] - max(m - mean(m, 4), box(5)) + mean(v, 20:1:4)' v=v n$edge$j
        done
        same_bytes n${edge}1 n${edge}3
    done
    gantry expr 'mean(v, 40:3:3)' long wide
    gantry expr 'min(v, box(3))' n nan
    gantry expr 'mean(v, 4)' four four4
    [ "$(gantry expr 'sum(mean(3 + 0*v, 4) - 3)' v)" = 0 ]
    py 'import scipy.ndimage as nd
v, u, c, n, f = read("v").astype("f8"), read("u"), read("c"), read("n"), read("four").astype("f8")
modes = dict(clamp="nearest", zero="constant", wrap="wrap", mirror="reflect")
pads = dict(clamp="edge", zero="constant", wrap="wrap", mirror="symmetric")
for e, m in modes.items():
    assert np.abs(read("p" + e) - nd.uniform_filter(v, (11, 7, 23), mode=m)).max() < 1e-7, e
    assert np.array_equal(read("q" + e), nd.minimum_filter(u, 9, mode=m)), e
    assert np.array_equal(read("r" + e), nd.maximum_filter(v, (1, 15, 7), mode=m).astype("f4")), e
    assert np.abs(read("s" + e) - nd.uniform_filter(c.real, 7, mode=m) - 1j*nd.uniform_filter(c.imag, 7, mode=m)).max() < 1e-13, e
    assert np.abs(read("t" + e) - nd.uniform_filter(u.astype("f8"), 25, mode=m)).max() < 2e-5, e
    a = nd.uniform_filter(v, 7, mode=m)
    w = np.pad(a, 1, pads[e])[2:, :-2, 1:-1] - nd.maximum_filter(a - nd.uniform_filter(a, 9, mode=m), 11, mode=m) + nd.uniform_filter(v, (41, 3, 9), mode=m)
    assert np.abs(read("n%s1" % e) - w).max() < 1e-6, (e, np.abs(read("n%s1" % e) - w).max())
l = read("long").astype("f8")
assert np.abs(read("wide") - nd.uniform_filter(l, (81, 7, 7), mode="nearest")).max() < 1e-7
a = read("nan"); assert np.isnan(a[17:24, 17:24, 17:24]).all() and np.isnan(a).sum() == 343
for k in range(3): assert np.abs(read("four4")[..., k] - nd.uniform_filter(f[..., k], 9, mode="nearest")).max() < 1e-7'
    fails 1 "'min' is not defined for complex128" gantry expr 'min(v, box(4))' c out
}
