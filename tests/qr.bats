load common

# Q'Q = I, QR = A and R upper triangular with a real diagonal >= 0, within `near` of the type times the factor given.
checks='
def check(a, q, r, t, factor):
    near = {"f2": 2e-3, "F2": 2e-3, "f4": 3e-7, "c8": 3e-7}.get(t, 5e-16) * factor
    wide = "c16" if np.iscomplexobj(a) else "f8"
    a, q, r = a.astype(wide), q.astype(wide), r.astype(wide)
    k = min(a.shape)
    assert q.shape == (a.shape[0], k) and r.shape == (k, a.shape[1]), (t, q.shape, r.shape)
    assert np.abs(q.conj().T @ q - np.eye(k)).max() < near, (t, a.shape, np.abs(q.conj().T @ q - np.eye(k)).max())
    assert np.abs(q @ r - a).max() <= near * np.linalg.norm(a), (t, a.shape, np.abs(q @ r - a).max())
    assert not np.tril(r, -1).any() and (np.diag(r).real >= 0).all() and not np.diag(r).imag.any(), t
def matrix(r, shape, t):
    x = r.standard_normal(shape)
    return (x * 100 if t[0] in "iu" else x + 1j * r.standard_normal(shape) if t[0] == "c" else x).astype(t)
'

@test "qr: every type and shape, many matrices at a time" {
    py "$checks"'
import subprocess
rng = np.random.default_rng(1)
for t in "f2 f4 f8 c8 c16 i2 i8".split():
    for m, n in (5, 5), (20, 7), (7, 20), (100, 60), (1, 4), (4, 1), (1, 1):
        a = matrix(rng, (m, n, 2), t)
        write("a", a)
        subprocess.run(["gantry", "qr", "a", "q", "r"], check=True)
        q, r = read("q"), read("r")
        assert q.dtype == r.dtype == {"i2": "f4", "i8": "f8"}.get(t, t), (t, q.dtype)
        k = min(m, n)
        for i in range(2):
            check(a[..., i], q.reshape(m, k, 2)[..., i], r.reshape(k, n, 2)[..., i], "f4" if t == "i2" else t, 20)
'
}

@test "qr: as NumPy, up to signs, with LAPACK and without" {
    py 'r = np.random.default_rng(1); write("a", r.standard_normal((40, 30)) + 1j * r.standard_normal((40, 30)))'
    for blas in openblas none; do
        GANTRY_BLAS=$blas gantry qr a q r
        py 'q, r = np.linalg.qr(read("a")); d = np.diag(r); s = d / abs(d); assert np.allclose(read("q"), q * s, atol=1e-12) and np.allclose(read("r"), r * s.conj()[:, None], atol=1e-12)'
    done
}

@test "qr: orthogonal however badly conditioned, dependent columns too" {
    py "write('h', 1 / (np.arange(1, 31)[:, None] + np.arange(20))); a = np.random.default_rng(1).standard_normal((8, 5))
a[:, 1] = 0; a[:, 3] = a[:, 0] - 2 * a[:, 2]; write('d', a); write('z', np.zeros((4, 3), 'f4')); write('o', np.ones((5, 9), 'c8'))"
    for case in "h none" "h openblas" "d openblas" "z none" "z openblas" "o openblas" "o none" "d none"; do
        a=${case% *}
        GANTRY_BLAS=${case#* } gantry qr $a q r
        py "$checks"'
a = read("'$a'"); check(a, read("q"), read("r"), a.dtype.str[1:], 40)
assert "'$a'" != "d" or np.array_equal(np.diag(read("r")) == 0, [False, True, False, True, False])'
    done
}

@test "qr: same bytes for any threads and through pipes; Q may be IN" {
    gantry random --size 700:50 --type complex64 a
    gantry qr -j 1 a q r
    gantry qr -j 7 a q2 r2
    same_bytes q q2
    same_bytes r r2
    gantry copy a - | gantry qr - q2 - | gantry copy - r2
    same_bytes q q2
    same_bytes r r2
    gantry qr a a r
    same_bytes a q
}

@test "qr: --type" {
    gantry random --size 20:5 a
    gantry qr --type float64 a q r
    py "$checks"'
check(read("a"), read("q"), read("r"), "f8", 20)'
    gantry qr --type complex64 a q r
    py "$checks"'
check(read("a"), read("q"), read("r"), "c8", 20)'
}

@test "qr: bad input fails, says so and leaves no output" {
    py 'write("n", np.array([[1, np.nan], [3, 4]])); write("c", np.eye(3, dtype="c8")); write("i", np.array([[1, 2], [np.inf, 4]], "f4"))'
    fails 1 "n: column 1" gantry qr n q r
    fails 1 "i: column 0" gantry qr i q r
    fails 2 "complex type" gantry qr --type float32 c q r
    fails 2 "float or complex type" gantry qr --type int32 n q r
    fails 1 missing gantry qr missing q r
    fails 2 R gantry qr n q
    no_output q
    no_output r
}

@test "qr: the example in C works in place on every type" {
    sanitized && skip "the build has sanitizers"
    local link
    link=$(cat "$GANTRY_BUILD/flags_link")
    # shellcheck disable=SC2086 # words
    cc -std=gnu11 -Wall -Wextra -Werror -o qr "$GANTRY_SOURCE/examples/qr/qr.c" -I"$GANTRY_SOURCE/src" -D_GNU_SOURCE "$GANTRY_BUILD/lib/libgantry-core.a" -fopenmp ${link#* -fopenmp}
    py "$checks"'
import subprocess
rng = np.random.default_rng(1)
for t in "f2 f4 f8 c8 c16".split():
    for m, n in (12, 12), (20, 7), (3, 1):
        a = matrix(rng, (m, n), t) + 2 * np.eye(m, n, dtype=t)
        write("a", a)
        subprocess.run(["./qr", "a", "q", "r"], check=True)
        assert read("q").dtype == t
        check(a, read("q").reshape(m, n), read("r").reshape(n, n), t, 40)
'
    gantry random --size 20:7 --type complex64 b
    gantry cast --type complex32 b a
    ./qr a q r
    [ "$(section q Type)" = complex32 ]
    py "$checks"'
check(read("a"), read("q"), read("r"), "F2", 40)'
}

@test "qr: the example as a shell script" {
    for t in float32 float64 complex64; do
        gantry random --size 12:5 --type $t a
        "$GANTRY_SOURCE/examples/qr/qr.sh" a q r
        py "$checks"'
a = read("a"); q, r = read("q"), read("r")
assert np.abs(np.tril(r, -1)).max() < (1e-12 if a.dtype == "f8" else 1e-5)
check(a, q, np.triu(r), a.dtype.str[1:], 40) if not np.diag(r).imag.any() else check(a, q, np.triu(r) - 1j * np.diag(np.diag(r).imag), a.dtype.str[1:], 40)'
    done
    "$GANTRY_SOURCE/examples/qr/qr.sh" | grep -q "norm [01]"
}
