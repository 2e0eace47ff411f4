load common

@test "folds: sums, extremes and means with an early end, states, as NumPy" {
    py 'g = np.random.default_rng(3); write("v", g.standard_normal((40, 30, 5)).astype("f4")); write("d", g.standard_normal((40, 30, 5)))
write("u", g.integers(0, 200, (40, 30, 5)).astype("u1")); write("m", g.random((40, 30, 5)) > 0.9)'
    gantry expr 's = sum[a=0:6](d + a while d*a < 3); t = max[a=-2:2, b=0:1](v[a,b] while v[a] < 1); q = mean[a=0:9](d*a while a < 5 && d < 0.5)' \
        v=v d=d s=s t=t q=q
    gantry expr 'f = for[k=0:20, c=0, t=1](c + t*abs(d)*0.3, t*(1 - 0.1*k) while t > 0.2 + 0.1*d)' d=d f=f
    [ "$(gantry expr 'sum(for[k=1:10, a=0, b=1](b, a + b) + 0*v)/6000' v)" = 55 ]
    gantry expr 'n = for[k=1:10, n=u](n % 2 == 0 ? n/2 : 3*n + 1 while n > 1 && k < 8)' u=u n=n
    gantry expr 'if(m, sqrt(abs(v))*exp(v), u)' m=m v=v u=u c
    gantry expr 'r = sum[k=1:200](linear(v, x + 0.1*k, y, z) while 0.1*k < 3 - d)' v=v d=d r=r
    py '
v, d, u, m = read("v").astype("f8"), read("d"), read("u"), read("m") != 0
def fold(op, terms):
    total, going, n = None, np.ones(d.shape, bool), np.zeros(d.shape)
    for value, go in terms:
        total = value.copy() if total is None else np.where(going, op(total, value), total); n += going
        going &= go
    return total, n
assert np.allclose(read("s"), fold(np.add, [(d + a, d*a < 3) for a in range(7)])[0], rtol=1e-12)
p = np.pad(v, ((2, 2), (0, 1), (0, 0)), "edge")
at = lambda a, b: p[2 + a:42 + a, b:30 + b]
assert np.array_equal(read("t"), fold(np.maximum, [(at(a, b), at(a, 0) < 1) for a in range(-2, 3) for b in (0, 1)])[0])
s, n = fold(np.add, [(d*a, (a < 5) & (d < 0.5)) for a in range(10)]); assert np.allclose(read("q"), s/n, rtol=1e-12)
c, t, going = 0*d, 0*d + 1, d == d
for k in range(21):
    c2, t2 = c + t*np.abs(d)*0.3, t*(1 - 0.1*k)
    c, t = np.where(going, c2, c), np.where(going, t2, t); going &= t > 0.2 + 0.1*d
assert np.allclose(read("f"), c, rtol=1e-12)
w, going = u.astype(int), u == u
for k in range(1, 11):
    w = np.where(going, np.where(w % 2 == 0, w//2, 3*w + 1), w); going &= (w > 1) & (k < 8)
assert np.allclose(read("n"), w), (read("n")[:4, 0, 0], w[:4, 0, 0])
assert np.allclose(read("c"), np.where(m, np.sqrt(abs(v))*np.exp(v), u), rtol=1e-6)
def line(k):
    i = np.clip(np.arange(40) + 0.1*k, 0, 39); j = np.minimum(i.astype(int), 38); f = (i - j)[:, None, None]
    return (1 - f)*v[j] + f*v[j + 1]
assert np.allclose(read("r"), fold(np.add, [(line(k), 0.1*k < 3 - d) for k in range(1, 201)])[0], atol=1e-5)'
}

@test "folds: rays through a volume: a projection of maxima, compositing with an early end" {
    gantry phantom --size 32:24:20 vol
    gantry ones --size 32:24 screen
    cat >ray.expr <<'PROGRAM'
at(k) = linear(v, x, y, k)                              # the ray goes along z
let here = 0*p
mip = max[k=-10:10](at(k) + here)
# colour and transmittance, from the front to the back, until next to nothing comes through
fog = for[k=-10:10, c=0, t=1](c + t*20*at(k), t*(1 - clamp(30*at(k), 0, 1)) while t + here > 0.05)
PROGRAM
    gantry expr -f ray.expr v=vol p=screen mip=mip fog=fog
    gantry expr -j 1 --force -f ray.expr v=vol p=screen mip=one fog=two
    same_bytes mip one
    same_bytes fog two
    [ "$(dims fog)" = "32 24" ]
    py 'v = read("vol").astype("f8"); mip = np.zeros((32, 24)); c, t, go = 0*mip, 0*mip + 1, mip == 0
for k in range(-10, 11):
    z = min(max(k + 9.5, 0), 19); j = min(int(z), 18); a = v[:, :, j]*(1 - (z - j)) + v[:, :, j + 1]*(z - j)
    mip = np.maximum(mip, a)
    c2, t2 = c + t*20*a, t*(1 - np.clip(30*a, 0, 1)); c, t = np.where(go, c2, c), np.where(go, t2, t); go &= t > 0.05
assert np.abs(read("mip") - mip).max() < 1e-7, np.abs(read("mip") - mip).max(); assert np.abs(read("fog") - c).max() < 1e-6 and not go.all() and go.any(), (np.abs(read("fog") - c).max(), t.min())'
}

@test "folds: what they refuse, with the column" {
    gantry ones --size 8 v
    fails 2 "column 1: for takes a variable with its range and one with its first value" gantry expr 'for[k=1:3](v)' v out
    fails 2 "column 25: 1 new values, expected one of each of 2 variables" gantry expr 'for[k=1:3,a=0,b=1](a + v)' v out
    fails 2 "'k' has no values from 3 to 1" gantry expr 'v + for[k=3:1, s=0](s + v)' v out
    fails 2 "expected ':'" gantry expr 'sum[k=3](v)' v out
    fails 2 "a bound must be a whole number from -65536 to 65536" gantry expr 'sum[k=0:1e6](v)' v out
    fails 2 "more than 100000 terms" gantry expr 'sum[k=0:65535](v*k + 1)' v out
    printf 'a = for[k=0:3, s=0](s + v\n   while s < 2, 1)\n' >bad.expr
    fails 2 "bad.expr, line 2, column 15: expected ')', found ','" gantry expr -f bad.expr v=v a=out
    no_output out
}
