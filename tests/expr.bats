load common

# Arrays of many types and shapes: f c u i d b of 7 x 5 x 3, r of 7 x 1 x 3, s of 1 x 5, t of one element.
operands() {
    py 'g = np.random.default_rng(1)
def w(n, a, **k): write(n, a, **k)
shape = (7, 5, 3)
w("f", g.standard_normal(shape).astype("f4")); w("p", g.uniform(0.1, 3, shape).astype("f4")); w("d", g.standard_normal(shape))
w("c", (g.standard_normal(shape) + 1j * g.standard_normal(shape)).astype("c8"))
w("u", g.integers(0, 200, shape).astype("u1")); w("h", g.integers(-3, 4, shape).astype("i2")); w("k", g.integers(-9, 10, shape).astype("i4"))
w("b", g.integers(0, 2, shape).astype(bool)); w("r", g.standard_normal((7, 1, 3)).astype("f4")); w("s", g.standard_normal((1, 5)).astype("f4"))
w("t", np.array([2.5], "f4")); w("q", g.standard_normal(shape).astype("f2"))'
}

# named NAME.. -- TEXT: the words NAME=NAME of those that the text reads.
named() {
    local text=${*: -1} name
    for name; do
        [ "$name" = -- ] && return
        if grep -qE "(^|[^a-z0-9_])$name([^a-z0-9_(]|$)" <<<"$text"; then echo "$name=$name"; fi
    done
}

# same_as_numpy FILE: every line "EXPRESSION | NumPy" gives the same, within rounding of float32.
same_as_numpy() {
    local n=0 text words
    while IFS= read -r text; do
        text=${text%% | *}
        mapfile -t words < <(named f p d c u h k b r s t q -- "$text")
        gantry expr -- "$text" "${words[@]}" "out$n"
        n=$((n + 1))
    done <"$1"
    py "
import re, sys
from arrays import sections
f, p, d, c, u, h, k, b, r, s, t, q = (read(n) for n in 'fpdcuhkbrstq')
b = b.astype(bool)
s = s[:, :, None]; t = t[0]
I0, I1, I2 = np.indices((7, 5, 3)); np.seterr(all='ignore')
X, Y, Z = I0 - 3.0, I1 - 2.0, I2 - 1.0
W = lambda a: a.astype('i8')
for n, line in enumerate(open('$1')):
    ours, python = (w.strip() for w in line.split(' | ', 1))
    want, got = np.asarray(eval(python)), read('out%d' % n)
    want = np.asarray(want).reshape(-1) if want.ndim == 0 else want
    assert np.squeeze(got).shape == np.squeeze(want).shape, (ours, got.shape, want.shape)
    scale = np.nanmax(np.abs(want)) + 1
    tolerance = 2e-3 if sections('out%d' % n)['Type'] == 'float16' else 3e-6
    bad = ~np.isclose(np.squeeze(got), np.squeeze(want), rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    assert not bad.any(), (ours, np.squeeze(got)[bad][:4], np.squeeze(want)[bad][:4])
"
}

@test "expr: arithmetic, precedence and broadcasting as NumPy" {
    operands
    cat >list <<'LIST'
f + p*d | f + p * d
-f^2 | -(f**2)
2^-1 + f | 0.5 + f
2^3^2 + 0*f | 512 + 0 * f
(-f)^2 | f**2
f/p - p/f | f / p - p / f
f - r - s | f - r - s
f*t + r*s | f * t + r * s
(f + r)*(f + r) - f^3 | (f + r)**2 - f**3
u + u | np.minimum(2 * W(u), 255)
u - 100 | np.clip(W(u) - 100, 0, 255)
(u + u)/2 | u
h*h - k | W(h) * h - k
h % 3 | h % 3
f % 0.7 | np.mod(f, np.float32(0.7))
k/4 | k / 4
c*f + 2i | c * f + 2j
c*c/(c + 3) | c * c / (c + 3)
conj(c)*c | np.conj(c) * c
q*2 + q | q * 2.0 + q
f*1e-3 + .5 | f * 1e-3 + 0.5
pi*f + e | np.pi * f + np.e
f < r ? f : r | np.minimum(f, np.broadcast_to(r, f.shape))
f > 0 && f < 1 || b | ((f > 0) & (f < 1)) | b
!(f > 0) | f <= 0
f == f && u != 3 | u != 3
b ? u : h | np.where(b, W(u), h)
LIST
    same_as_numpy list
}

@test "expr: functions as NumPy's" {
    operands
    cat >list <<'LIST'
exp(f) | np.exp(f)
log(p) + ln(p) | 2 * np.log(p)
log(f) | np.log(f)
sqrt(f) | np.sqrt(f)
f^0.5 | np.sqrt(f)
p^1.7 | p**1.7
p^f | p**f
abs(c) + abs(f) | np.abs(c) + np.abs(f)
abs2(c) | np.abs(c)**2
real(c) - imag(c) | c.real - c.imag
arg(c) | np.angle(c)
cis(f) | np.exp(1j * f)
exp(c) | np.exp(c)
sqrt(c) | np.sqrt(c)
sin(f)^2 + cos(f)^2 | np.ones_like(f)
tan(f) | np.tan(f)
asin(f/9) + acos(f/9) + atan(f) | np.arcsin(f / 9) + np.arccos(f / 9) + np.arctan(f)
atan2(f, d) | np.arctan2(f, d)
sinh(f) + cosh(f) - tanh(f) | np.sinh(f) + np.cosh(f) - np.tanh(f)
floor(f) + ceil(f) + round(f) | np.floor(f) + np.ceil(f) + np.rint(f)
trunc(f*3) + sign(f) | np.trunc(f * 3) + np.sign(f)
min(f, p, d) + max(f, r) | np.minimum(np.minimum(f, p), d) + np.maximum(f, r)
clamp(f, -0.5, 0.5) | np.clip(f, -0.5, 0.5)
where(b, f, -f) | np.where(b, f, -f)
isnan(log(f)) | f < 0
isfinite(1/(u - u)) | np.zeros(u.shape, bool)
hypot(f, p) + cbrt(f) | np.hypot(f, p) + np.cbrt(f)
exp2(f) + expm1(f) + log1p(p) + log10(p) | np.exp2(f) + np.expm1(f) + np.log1p(p) + np.log10(p)
mod(h, 2) + copysign(p, f) | np.mod(h, 2) + np.copysign(p, f)
complex(f, p) | f + 1j * p
square(f) + sq(h) | f**2 + W(h)**2
LIST
    same_as_numpy list
}

@test "expr: reductions, index variables and coordinates" {
    operands
    cat >list <<'LIST'
sum(f) | f.sum(dtype="f8")
mean(u) | u.mean()
min(f) + max(f) | f.min() + f.max()
norm(f - r) | np.linalg.norm((f - r).ravel().astype("f8"))
norm1(c) | np.abs(c).sum()
dot(c, c) | np.vdot(c, c)
argmax(f) | np.argmax(f.ravel(order="F"))
argmin(f*r) | np.argmin((f * r).ravel(order="F"))
count(f > 0) + any(f > 9) + all(p > 0) | (f > 0).sum() + 1
prod(1 + f/100) | np.prod(1 + f / 100)
sum(h)*mean(k) | W(h).sum() * k.mean()
f/max(f) | f / f.max()
(f - mean(f))/norm(f - mean(f)) | (f - f.mean()) / np.linalg.norm((f - f.mean()).ravel())
f - sum(s)*mean(r) | f - s.sum() * r.mean()
f*i0 + i1 - i2 | f * I0 + I1 - I2
u + i0 | np.minimum(W(u) + I0, 255)
f*(x^2 + y^2 < 4) + z | f * (X**2 + Y**2 < 4) + Z
f*n0 + n1/n2 | f * 7 + 5 / 3
(i0 + i1) % 2 ? f : p | np.where((I0 + I1) % 2 == 1, f, p)
sum(f*i0)/sum(f) | (f * I0).sum(dtype="f8") / f.sum(dtype="f8")
LIST
    same_as_numpy list
}

@test "expr: types follow the operands, numbers do not widen them" {
    operands
    while read -r want text; do
        mapfile -t words < <(named f u h k c q d b -- "$text")
        gantry expr "$text" "${words[@]}" out
        [ "$(section out Type)" = "$want" ] || { echo "$text: $(section out Type), expected $want"; false; }
    done <<'LIST'
float32 f*0.1
float32 f - mean(f)
uint8 u*2
uint16 u + 1000
float32 u*0.5
float64 k*0.5
complex64 f*1i
complex64 c*0.5
float16 q*2 + 1
float64 f + d
bool f > 0
int16 h ? u : h
float32 x*y*f
LIST
    gantry expr --type float64 'f*0.1' f wide
    [ "$(section wide Type)" = float64 ]
}

@test "expr: several results from one pass, intermediate names need no file" {
    operands
    gantry expr -v 'a = f*p; o = a + d; m = max(a)' f=f p=p d=d a=A o=B m=M 2>said
    grep -q "pass 1 of 1" said
    [ "$(grep -c load said)" -eq 3 ]
    gantry expr 'a = f*p; a + d' f=f p=p d=d C
    gantry expr 'm = mean(f); y = f - m' f=f y=D
    py 'f, p, d = read("f"), read("p"), read("d"); assert np.array_equal(read("A"), f * p); assert np.array_equal(read("B"), (f * p).astype("f8") + d)
assert read("M")[0] == (f * p).max() and np.array_equal(read("B"), read("C")) and abs(read("D").mean()) < 1e-7'
    no_output m
}

@test "expr: numbers are printed" {
    py 'write("a", np.arange(12, dtype="f4").reshape(3, 4)); write("z", np.array([3 + 4j]))'
    [ "$(gantry expr 'sum(a)' a)" = 66 ]
    [ "$(gantry expr 'norm(x - y)' x=a y=a)" = 0 ]
    [ "$(gantry expr '1 + 2*3')" = 7 ]
    [ "$(gantry expr 'z*2' z out; gantry expr 'sum(z)' out)" = "6+8i" ]
    [ "$(gantry expr 'm = mean(a); s = max(a)' a)" = $'m 5.5\ns 11' ]
    [ "$(gantry expr 'm = mean(a); norm(a - m)^2' a)" = 143 ]
    gantry expr 'mean(a)' a mean
    [ "$(dims mean)" = 1 ]
    py 'assert read("mean")[0] == 5.5'
}

@test "expr: same bytes for any threads, through pipes and in any byte order" {
    gantry random --size 257:129:9 x
    gantry random --size 257:129:9 --seed 1 y
    gantry expr -j 1 'm = norm(x*y); x*exp(y) + m' x=x y=y a
    for j in 2 7; do
        gantry expr -j $j 'm = norm(x*y); x*exp(y) + m' x=x y=y b
        same_bytes a b
    done
    gantry copy x - | gantry expr 'm = norm(x*y); x*exp(y) + m' x=- y=y - | gantry copy - b
    same_bytes a b
    gantry copy y - | gantry expr 'x*y + y/x' x=x y=- - | gantry copy - b
    gantry expr 'x*y + y/x' x=x y=y c
    same_bytes b c
    py 'x = read("x")
x.ravel(order="F").astype(">f4").tofile("big.cfl"); open("big.hdr", "w").write(open("x.hdr").read().split("# Command")[0] + "# Byte-Order\nbig\n"); np.save("x.npy", np.ascontiguousarray(x))'
    for name in big x.npy; do
        gantry expr 'x*y + y/x' x=$name y=y b
        same_bytes b c
        gantry expr 'm = norm(x*y); x*exp(y) + m' x=$name y=y b
        same_bytes a b
    done
    gantry copy x - | gantry expr 'x + w' x=- w=big b
    gantry expr '2*x' x c
    same_bytes b c
}

@test "expr: a repeated operand may come through a pipe" {
    py 'write("x", np.random.default_rng(1).standard_normal((40, 30, 5)).astype("f4")); write("v", np.arange(30, dtype="f4").reshape(1, 30))'
    gantry copy v - | gantry expr 'x*v - max(v)' x=x v=- o
    py 'v = read("v").reshape(1, 30, 1); assert np.array_equal(read("o"), read("x") * v - np.float32(29))'
}

@test "expr: an output may carry the name of an input" {
    gantry random --size 300:200:5 x
    gantry expr 'x - mean(x)' x y
    gantry expr 'x - mean(x)' x x
    same_bytes x y
    gantry expr x x x
    same_bytes x y
}

@test "expr: starts before its input has ended" {
    unset GANTRY_DEVICE # OpenCL reads streams as a whole
    gantry zeros --size 1024:1024:20 x
    gantry copy x - >stream
    { head -c 60000000 stream; sleep 1; date +%s%N >resumed; tail -c +60000001 stream; } |
        gantry expr 'a*2 + b' a=- b=x - | { head -c 16000000 >/dev/null; date +%s%N >seen; cat >/dev/null; }
    [ "$(cat seen)" -lt "$(cat resumed)" ]
}

@test "expr: little private memory for large files and streams" {
    sanitized && skip "sanitizers need memory of their own"
    gantry zeros --size 1024:1024:32 x
    (
        unset GANTRY_DEVICE # drivers need memory of their own
        ulimit -d 110000 # KiB of writable private memory; the file has 134 MB
        gantry expr -j 2 'a*2 + exp(a) - 1' x y
        gantry copy x - | gantry expr -j 2 'a - mean(a)' a=- - | gantry expr -j 2 'a*2 + b' a=- b=x z
    )
    same_bytes x z
}

@test "expr: the history rebuilds the result" {
    gantry random --size 20:10 a
    py 'write("o", np.ones((20, 10), "f4"))'
    gantry expr --narrow wrap 'p = x*y; q = p + 1 -(-2)' x=a y=o p=P q=Q
    gantry expr -- '-y' y=Q z
    mkdir new
    cp o.hdr o.cfl new
    gantry history z >new/script
    (cd new && sh ./script)
    same_bytes z new/z
    grep -q "x=gantry-" new/script
    [ "$(cd new && ls)" = $'o.cfl\no.hdr\nscript\nz.cfl\nz.hdr' ]
}

@test "expr: keeps the grid, and quantity and unit of values of the same kind" {
    py 'write("x", np.ones((4, 4), "f4"), Spacing="0.5 2", Origin="1 2", Quantity="attenuation", Unit="1/mm"); write("n", np.ones((4, 4), "f4"), Quantity="counts")
write("w", np.ones((1, 4), "f4"), Quantity="attenuation", Unit="1/mm", Spacing="7 2")'
    for e in 'x - max(x, 0)' 'clamp(x, 0, 1)' 'x > 0 ? x : 0' 'x + x' '-x'; do
        gantry expr -- "$e" x z
        [ "$(section z Spacing)" = "0.5 2" ]
        [ "$(section z Origin)" = "1 2" ]
        [ "$(section z Quantity)" = attenuation ]
        [ "$(section z Unit)" = 1/mm ]
    done
    gantry expr 'x + w' x=x w=w z
    [ "$(section z Spacing)" = "0.5 2" ]
    [ "$(section z Unit)" = 1/mm ]
    for e in 'x*x' 'x*2' 'exp(x)' 'x + 1' 'x > 0' 'x + n'; do
        mapfile -t words < <(named x n -- "$e")
        gantry expr "$e" "${words[@]}" z
        [ "$(section z Spacing)" = "0.5 2" ]
        [ -z "$(section z Quantity)" ]
    done
}

@test "expr: coordinates are those of the header" {
    py 'write("v", np.ones((4, 3), "f4"), Spacing="0.5 2", Origin="1 -2"); write("o", np.ones((4, 3), "f4"), Spacing="1 2")'
    gantry expr '0*v + x + 100*y' v a
    py 'assert np.allclose(read("a"), (1 + 0.5 * np.arange(4))[:, None] + 100 * (-2 + 2 * np.arange(3)))'
    gantry expr '0*v + x' v=v x=o a
    py 'assert (read("a") == 1).all()'
    fails 1 "column 7" gantry expr '0*v + x*o' v=v o=o a
}

@test "expr: values outside a domain or a type" {
    py 'write("v", np.array([-1, 4, -9, 300], "f4"))'
    gantry expr 'sqrt(v)' v a 2>said
    [ ! -s said ]
    gantry expr --domain warn '1 + sqrt(v)' v a 2>said
    grep -q "column 5: 2 values outside the real domain of sqrt" said
    fails 1 "column 5: 2 values outside the real domain of sqrt" gantry expr --domain error '1 + sqrt(v)' v bad
    gantry expr --domain complex 'sqrt(v)' v a
    py 'assert np.allclose(read("a"), np.sqrt(read("v").astype("c8")))'
    gantry expr --type uint8 v v a 2>said
    grep -q "3 of 4 values do not fit into uint8: clipped in a" said
    py 'assert (read("a") == [0, 4, 0, 255]).all()'
    gantry expr --type float16 '1e5 * v' v a 2>said
    grep -q "values do not fit into float16: infinite in a" said
    gantry expr --type uint8 --narrow wrap v v a
    py 'assert (read("a") == [255, 4, 247, 44]).all()'
    fails 1 "3 of 4 values do not fit into uint8" gantry expr --type uint8 --narrow error v v bad
    no_output bad
}

@test "expr: mistakes are named with their column" {
    py 'write("x", np.ones((3, 4), "f4")); write("y", np.ones((4, 3), "f4")); write("c", np.ones((3, 4), "c8"))'
    fails 2 "column 4: expected an operand, found the end" gantry expr 'x +' x bad
    fails 2 "column 3: no function 'sinn'; did you mean 'sin'?" gantry expr '2*sinn(x)' x bad
    fails 2 "column 7: comparisons" gantry expr '0 < x < 1' x bad
    fails 2 "column 5: there is no operand 'w'" gantry expr 'x + w' x=x bad
    fails 2 "the expression does not use 'w'" gantry expr 'x + 1' x=x w=x bad
    fails 2 "'x' has two files, expected one" gantry expr 'x + 1' x=x x=y bad
    fails 1 "column 5: operands of '+' are 3 x 4 and 4 x 3" gantry expr '2*x + y' x=x y=y bad
    fails 1 "column 3: '<' is not defined for complex64" gantry expr 'c < 1' c bad
    fails 2 "a name is missing" gantry expr 'x + y' x=x y bad
    fails 2 "is an array" gantry expr 'a = x*2' x
    fails 2 "standard input" gantry expr 'x + y' x=- y=- bad
    fails 2 "NAME=FILE" gantry expr 'x + y' x y z bad
    fails 2 "EXPRESSION" gantry expr
    fails 2 narrow gantry expr --narrow no x x bad
    fails 1 missing gantry expr 'x + y' x=x y=missing bad
    fails 2 "expected the name of an array" gantry expr 'x + 1' x= bad
    truncate -s 20 y.cfl
    fails 1 y.cfl gantry expr 'y + 1' y bad
    no_output bad
}

@test "expr: sizes beside powers of two and short lines" {
    for n in 1 3 511 513 1025; do
        py "g = np.random.default_rng($n); write('x', g.standard_normal(($n, 37)).astype('f4')); write('v', g.standard_normal(($n, 1)).astype('f4'))"
        gantry expr 'x*v + i1' x=x v=v z
        py "x, v = read('x'), read('v').reshape($n, 1); x = x.reshape($n, 37); assert np.array_equal(read('z').reshape($n, 37), x * v + np.arange(37, dtype='f4'))"
    done
}

@test "expr: the examples of --help, doc/expressions.md and doc/neighbourhoods.md" {
    gantry random --size 20:10 a
    gantry random --size 20:10 --seed 1 b
    gantry random --size 20:10 --seed 2 c
    gantry phantom --size 32:32 vol
    gantry expr --interface >tool.json
    /usr/bin/python3 -c 'import json; print("\n".join(json.load(open("tool.json"))["examples"]))' >examples
    [ "$(wc -l <examples)" -ge 3 ]
    bash -eu examples
    mkdir doc
    cd doc
    for page in expressions neighbourhoods; do
        awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' "$GANTRY_SOURCE/doc/$page.md" >script
        [ "$(wc -l <script)" -ge 20 ]
        bash -eu -o pipefail script
    done
}
