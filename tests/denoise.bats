load common

setup() {
    common_setup
    gantry phantom --size 64:64 vol
    gantry random --size 64:64 r
    gantry saxpy 0.001 r vol y
}

@test "denoise: every method brings the image closer to the truth" {
    for m in tv tgv ictv wavelet nlm bilateral diffusion; do
        gantry denoise -q --method $m y $m
    done
    gantry denoise -q --method wavelet --hard --cycle-spins 4 y hard
    py 'v = read("vol"); n = np.linalg.norm(read("y") - v)
for m, most in dict(tv=.75, tgv=.75, ictv=.75, wavelet=.95, hard=.9, nlm=.75, bilateral=.75, diffusion=.75).items():
    e = np.linalg.norm(read(m) - v) / n; assert e < most, (m, e)'
}

@test "denoise: tv and tgv are those commands" {
    gantry denoise --method tv --lambda 0.001 y a
    gantry rof --lambda 0.001 y b
    same_bytes a b
    gantry denoise --method tgv --lambda 0.001 y a
    gantry tgv --lambda 0.001 y b
    same_bytes a b
    gantry tgv --ictv --lambda 0.003 y a
    gantry tgv --ictv --lambda 0.003 --tolerance 0 -i 15000 y b
    gantry compare --tolerance 0.01 b a
}

@test "denoise: median as SciPy's, in any dimensions" {
    gantry random --size 17:13:5 x
    gantry denoise --method median --radius 2 --dims x,y x a
    gantry denoise --method median x b
    py 'from scipy.ndimage import median_filter
x = read("x")
assert np.array_equal(read("a"), median_filter(x, size=(5, 5, 1), mode="nearest"))
assert np.array_equal(read("b"), median_filter(x, size=3, mode="nearest"))'
    # longer than the lanes of a network, in float64, of one dimension and of many elements, with ties and both zeros
    py 'write("x", np.random.default_rng(4).integers(-4, 5, (70, 9, 3)) * 0.5 * np.random.default_rng(5).choice([-1., 1.], (70, 9, 3)))'
    gantry denoise --method median --radius 40 --dims x x a
    gantry denoise --method median --dims y,z x b
    gantry denoise --method median --radius 4 x c
    py 'from scipy.ndimage import median_filter
x, size = read("x") + 0., dict(a=(81, 1, 1), b=(1, 3, 3), c=9)
for n in "abc":
    assert read(n).tobytes() == median_filter(x, size=size[n], mode="nearest").tobytes(), n'
}

@test "denoise: non-local means as written out in NumPy" {
    gantry random --size 9:35 x # more lines than are done at a time
    gantry denoise --method nlm --noise 0.8 --strength 1.2 --patch 1 --search 2 x a
    py 'x = read("x").astype("f8"); n0, n1 = x.shape; want = np.empty_like(x)
def d2(o0, o1):
    i, j = np.indices(x.shape); return (x - x[np.clip(i + o0, 0, n0 - 1), np.clip(j + o1, 0, n1 - 1)])**2
def box(d, axis):
    m = np.moveaxis(d, axis, 0); r = np.array([m[max(i - 1, 0):i + 2].mean(0) for i in range(len(m))]); return np.moveaxis(r, 0, axis)
W, S, M = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
for o0 in range(-2, 3):
    for o1 in range(-2, 3):
        if (o0, o1) == (0, 0): continue
        w = np.exp(-np.maximum(box(box(d2(o0, o1), 0), 1) - 2 * 0.64, 0) / (1.2 * 0.8)**2)
        for i in range(n0):
            for j in range(n1):
                if 0 <= i + o0 < n0 and 0 <= j + o1 < n1:
                    W[i, j] += w[i, j]; S[i, j] += w[i, j] * x[i + o0, j + o1]; M[i, j] = max(M[i, j], w[i, j])
assert np.allclose(read("a"), (S + M * x) / (W + M), atol=1e-4)'
}

@test "denoise: bilateral filter and diffusion as written out in NumPy" {
    gantry random --size 12:11:7 --type float64 x
    gantry denoise --method bilateral --noise 0.8 --strength 1.5 --width 0.8 x a
    gantry denoise --method bilateral --noise 0.8 --dims x,z x b
    gantry denoise --method diffusion --noise 0.8 --strength 1.2 --steps 3 x c
    gantry denoise --method diffusion --noise 0.8 --dims y x d
    gantry denoise --method diffusion --noise 0 x e
    same_bytes x e
    py 'x = read("x")
def moved(a, o, r): return np.pad(a, r, "edge")[tuple(slice(r + k, r + k + n) for k, n in zip(o, a.shape))]
def bilateral(s, w, dims):
    r = int(2*w + 0.5); W = S = 0
    for o in np.ndindex(*[2*r + 1 if d in dims else 1 for d in range(3)]):
        o = [k - r if d in dims else 0 for d, k in enumerate(o)]; y = moved(x, o, r)
        g = np.exp(-np.dot(o, o)/(2*w*w) - (y - x)**2/(2*s*s)); W = W + g; S = S + g*y
    return S/W
def diffusion(k, dims, n):
    v = x
    for _ in range(n):
        f = 0
        for d in dims:
            for side in (-1, 1):
                g = moved(v, [side*(j == d) for j in range(3)], 1) - v; f = f + g*np.exp(-(g/k)**2)
        v = v + f/(2*len(dims) + 2)
    return v
for name, want in dict(a=bilateral(1.2, 0.8, (0, 1, 2)), b=bilateral(2, 1.5, (0, 2)), c=diffusion(0.96, (0, 1, 2), 3), d=diffusion(1.6, (1,), 10)).items():
    assert np.abs(read(name) - want).max() < 1e-12, name'
    fails 2 "--width requires --method bilateral" gantry denoise --width 1 x bad
    fails 2 "--steps requires --method diffusion" gantry denoise --method bilateral --steps 3 x bad
    fails 2 "--strength requires --method" gantry denoise --strength 3 x bad
    fails 2 "--lambda has no effect with this method" gantry denoise --method diffusion --lambda 3 x bad
    fails 2 "--sure" gantry denoise --method bilateral --sure x bad
    gantry expr 'complex(x, x)' x=x z
    fails 1 "bilateral has type complex128, expected a real type" gantry denoise --method bilateral --noise 1 z bad
    gantry random --size 12:11 f
    fails 1 "strength times noise is 2.5e-30, too small for float32" gantry denoise --method bilateral --noise 1e-30 f bad
    fails 1 "strength times noise is 2e-30, too small for float32" gantry denoise --method diffusion --noise 1e-30 f bad
    gantry random --size 4:4:4:4 four
    fails 1 "at most 3 dimensions" gantry denoise --method diffusion --dims 0,1,2,3 four bad
    no_output bad
}

@test "denoise: wavelet thresholds of one Haar level, by hand" {
    gantry random --size 8:6 --type float64 x
    gantry denoise --method wavelet -w haar --levels 1 --lambda 0.7 x a
    gantry denoise --method wavelet -w haar --levels 1 --lambda 0.7 --hard x b
    py 'x = read("x"); s = np.sqrt(.5)
def fwd(v): return np.concatenate([(v[0::2] + v[1::2]) * s, (v[0::2] - v[1::2]) * s])
def inv(c):
    n = len(c) // 2; v = np.empty_like(c); v[0::2], v[1::2] = (c[:n] + c[n:]) * s, (c[:n] - c[n:]) * s; return v
c = fwd(fwd(x).T).T
for name, f in ("a", lambda d: np.sign(d) * np.maximum(abs(d) - .7, 0)), ("b", lambda d: np.where(abs(d) > .7, d, 0)):
    t = f(c); t[:4, :3] = c[:4, :3]
    assert np.allclose(read(name), inv(inv(t.T).T), atol=1e-12), name'
}

@test "denoise: same bytes for any threads" {
    gantry random --size 70:60:3 x
    for m in tv tgv ictv wavelet median nlm bilateral diffusion; do
        gantry denoise -j 1 --method $m -d x,y,z -i 10 --noise 0.5 --search 2 --cycle-spins 2 x a
        for j in 2 7; do
            gantry denoise -j $j --method $m -d x,y,z -i 10 --noise 0.5 --search 2 --cycle-spins 2 x b
            same_bytes a b
        done
    done
}

@test "denoise: an external program gets the array, its grid and the noise" {
    py 'write("g", np.arange(12, dtype="f4").reshape(4, 3), Spacing="0.5 2")'
    cat >"my prog" <<'S'
#!/bin/bash
echo to be seen in the talk only
echo "$3" >sigma
cp "$1.hdr" header.hdr
cp "$1.cfl" "$2.cfl"
cp "$1.hdr" "$2.hdr"
S
    chmod +x "my prog"
    gantry denoise --method external --noise 0.25 --denoiser "'./my prog' {in} {out} s={sigma}" g - 2>talk | gantry copy - o
    same_bytes g o
    [ "$(cat sigma)" = s=0.25 ]
    grep -q 'talk only' talk
    [ "$(section header Spacing)" = "0.5 2" ]
    gantry denoise --method external --noise 1 --denoiser 'gantry rof --lambda 0.001 {in} {out}' y a
    gantry rof --lambda 0.001 y b
    same_bytes a b
    run ! compgen -G "${TMPDIR:-/tmp}/gantry-denoiser.*"
}

@test "denoise: no shell reads the words of an external command" {
    # shellcheck disable=SC2016
    fails 1 "exit status" gantry denoise --method external --noise 1 --denoiser 'false {in} {out}; touch bad $(touch bad) `touch bad` > bad' y x
    [ ! -e bad ]
    no_output x
}

@test "denoise: what an external program does wrong is said" {
    denoiser() {
        fails 1 "$1" gantry denoise --method external --noise 1 --denoiser "$2" y x
        no_output x
    }
    denoiser "exit status 3" "sh -c 'exit 3' {in} {out}"
    denoiser "ended by signal 9" "sh -c 'kill -9 \$\$' {in} {out}"
    denoiser "cannot start" "./nothing-there {in} {out}"
    denoiser "did not write {out}.hdr" "true {in} {out}"
    denoiser "the command must contain {in} and {out}" "true {in}"
    denoiser "unbalanced" "true '{in} {out}"
    denoiser "expected 64 x 64" "gantry resize x 32 {in} {out}"
    denoiser "NaN" "gantry expr a*0/0 a={in} {out}"
    denoiser "do not fit" "gantry expr a*1i+a a={in} {out}"
    fails 2 denoiser gantry denoise --method external y x
    export GANTRY_TMPDIR=$PWD/tmp
    mkdir tmp
    denoiser "exit status 3" "sh -c 'exit 3' {in} {out}"
    [ -z "$(ls -A tmp)" ]
}

@test "denoise: a signal ends the external program, and nothing is left" {
    export GANTRY_TMPDIR=$PWD/tmp
    mkdir tmp
    gantry denoise --method external --noise 1 --denoiser "sh -c 'echo \$\$ >pid; exec sleep 30' {in} {out}" y x 2>said &
    for ((i = 0; i < 100; i++)); do
        [ -s pid ] && break
        sleep 0.05
    done
    kill -TERM $!
    wait $! || true
    run ! kill -0 "$(cat pid)"
    grep -q "signal 15" said
    [ -z "$(ls -A tmp)" ]
    no_output x
}

@test "denoise: bad input fails, says so and leaves no output" {
    py 'a = np.ones((4, 4), "f4"); a[1, 2] = np.inf; write("n", a)'
    fails 1 infinite gantry denoise --method median n x
    fails 2 method gantry denoise --method magic y x
    fails 2 radius gantry denoise --method median --radius 0 y x
    fails 1 elements gantry denoise --method median --radius 200 y x
    fails 1 levels gantry denoise --method wavelet --levels 9 --noise 1 y x
    gantry random --size 8:8 --type complex64 c
    fails 1 "real type" gantry denoise --method median c x
    fails 1 "real type" gantry denoise --method nlm --noise 1 c x
    no_output x
}

@test "denoise: the plan is what a method allocates" {
    random --size 32:32:32 v
    local case
    for case in "nlm:--search 2:147456" "wavelet::131072" "wavelet:--cycle-spins 4:393216" "diffusion::131072" "median::0"; do
        IFS=: read -r method option bytes <<<"$case"
        gantry plan denoise --noise 1 -m "$method" $option v y | grep -q "^memory: $bytes bytes"
    done
}
