load common

# views NAME: applies each line "NUMPY EXPRESSION OF a | VIEW" to the array and compares, dims of length 1 left out.
views() {
    local numpy text n=0
    while IFS='|' read -r numpy text; do
        gantry view "$text" "$1" "out$n" || {
            echo "failed: gantry view '$text'" >&2
            return 1
        }
        printf '%s\n' "$numpy|$text"
        n=$((n + 1))
    done >views.txt
    py "
a = read('$1')
def plain(x):
    return x.reshape([n for n in x.shape if n > 1])
for k, line in enumerate(open('views.txt')):
    numpy, text = line.rstrip('\n').split('|')
    want, got = np.asarray(eval(numpy)), read(f'out{k}')
    assert got.dtype == want.dtype, (text, got.dtype, want.dtype)
    assert np.array_equal(plain(got), plain(want)), text
assert k >= 0"
}

@test "view: steps against NumPy" {
    py 'write("x", np.random.default_rng(1).random((9, 8, 7, 5)).astype("f4"))'
    views x <<'END'
a[2:-2]|[2:-2]
a[::2, ::-1, 1::3]|[::2, ::-1, 1::3]
a[:, 3, -1]|[:, 3, -1]
a[..., 2]|[..., 2]
a[4, ..., 2]|[4, ..., 2]
a[1:3, 2:4, 3:5, 0:2]|[1:3, 2:4, 3:5, 0:2]
a[::-3, ..., ::-2]|[ : : -3 , ... , ::-2 ]
a.T|T
a.T[1:3]|.T[1:3]
a[1:3].T|[1:3].T
a.transpose(2, 0, 1, 3)|permute(z,x,y)
a.transpose(3, 0, 1, 2)|.permute(channel)
a.swapaxes(0, 2)|transpose(0,2)
a[::-1, :, ::-1]|flip(x, z)
a.diagonal(0, 0, 1)[:, 0].T|.diagonal(x,y)[:, :, :, 0]
a.diagonal(2, 0, 1)[0]|.diagonal(x,y,2)[..., 0, :].permute(3,0)
a.diagonal(-3, 1, 2)[3]|.diagonal(y,z,-3)[3].squeeze.T
a.reshape(72, 35, order="F")|.reshape(72,35)
a.reshape(9, 56, 5, order="F")|reshape(9, -1, 5)
a[:, :, 2].reshape(72, 5, order="F")|[:, :, 2].reshape(72, 5)
a[[0, 1, 8, 3]]|[[0, 1, 8, 3]]
a[:, :, [5, 5, 0, 6]]|[:, :, [5, 5, 0, -1]]
a[::2, [7, 0, 1, 2, 3], 2]|[::2, [7, 0:4], 2]
a[..., [2, 4, 1]]|[..., [2, 4, 1]]
a|[...]
END
}

@test "view: real and imaginary parts, every type" {
    for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128; do
        py "
r = np.random.default_rng(1)
a = r.integers(0, 2 if '$t' == 'bool' else 100, (5, 7, 3))
write('x', (a + 1j * r.integers(0, 100, a.shape)).astype('$t') if '$t'[0] == 'c' else a.astype('$t'))"
        views x <<'END'
a[::2, ::-1].T|[::2, ::-1].T
a[:, [3, 0, 6]]|[:, [3, 0, 6]]
a.real|real
END
        [[ $t != complex* ]] || views x <<<'a.imag[1:]|imag[1:]'
    done
    printf '# Dimensions\n3\n# Type\ncomplex32\n' >h.hdr
    py 'np.array([1, 2, 3, 4, 5, 6], "f2").tofile("h.cfl")'
    gantry view imag h o
    py 'assert read("o").dtype == np.float16 and read("o").tolist() == [2, 4, 6]'
}

@test "view: index and mask arrays, in any integer type and shape" {
    py '
rng = np.random.default_rng(2)
write("x", rng.random((6, 5, 2049)).astype("f4"))
write("order", rng.permutation(2049).astype("i4"))
write("few", np.array([[3, -1, 0, 0]], "i1"))
write("mask", (rng.random(2049) > 0.5).astype("f4"))
write("evens", np.arange(6) % 2 == 0)'
    gantry view --index order '[:, ::-1, index]' x a
    gantry view --index few '[index]' x b
    gantry view --mask mask '[..., mask]' x c
    gantry view --mask evens '[mask, 1:]' x d
    py '
x = read("x")
assert np.array_equal(read("a"), x[:, ::-1, read("order")])
assert np.array_equal(read("b"), x[[3, -1, 0, 0]])
assert np.array_equal(read("c"), x[..., read("mask") != 0])
assert np.array_equal(read("d"), x[::2, 1:])'
    gantry history c | grep -q -- '--mask'
    gantry show --field spacing d >said
    [ "$(cat said)" = 2:1:1 ]
}

@test "view: agrees with extract, flip, transpose and slice, header included" {
    py 'write("x", np.random.default_rng(2).random((33, 65, 17)).astype("f4"), Spacing="1 2 3", Origin="4 5 6", Unit="1/mm", Quantity="attenuation", Scanner="A7")'
    check() {
        same_bytes a b
        diff <(sed '/^# Command/,$d' a.hdr) <(sed '/^# Command/,$d' b.hdr)
    }
    gantry view '[3:20:2, :, ::-1]' x a
    gantry extract x 3:20:2 z ::-1 x b
    check
    gantry view '[:, -1]' x a
    gantry slice y -1 x b
    check
    gantry view 'flip(x,y)' x a
    gantry flip x,y x b
    check
    gantry view 'transpose(x,z)' x a
    gantry transpose x z x b
    check
    gantry view 'permute(1,2,0)' x a
    gantry permute 1:2:0 x b
    check
    gantry view 'reshape(33,-1)' x a
    gantry reshape 33:-1 x b
    check
    gantry view '[...]' x a
    gantry copy x b
    check
}

@test "view: same bytes for any threads, through pipes, in place; big-endian and C-ordered inputs" {
    py '
a = np.random.default_rng(3).random((257, 31, 130)).astype("f4")
write("x", a)
np.save("x.npy", a)
a.ravel(order="F").astype(">f4").tofile("be.cfl")
open("be.hdr", "w").write("# Dimensions\n257 31 130\n# Type\nfloat32\n# Byte-Order\nbig\n")'
    for text in '[::-2, 3:9].T' 'permute(1,2,0)' '[:, [3, 0, 20, 20]]'; do
        gantry view -j 1 "$text" x a
        for from in x x.npy be; do
            gantry view -j 7 "$text" $from b
            same_bytes a b
        done
        gantry copy x - | gantry view "$text" - - | gantry copy - c
        same_bytes a c
    done
    gantry view '[:, [3, 0, 20, 20]]' x x
    same_bytes a x
}

@test "view: a geometry stays one while its first dims stay whole" {
    py 'write("g", np.random.default_rng(0).random((4, 4, 5)), Quantity="geometry", Detector="20 10")'
    gantry view '[:, 0:4, ::2]' g a
    [ "$(section a Quantity)" = geometry ]
    [ "$(section a Detector)" = "20 10" ]
    gantry view '[:, :, [4, 0, 1]]' g a
    [ "$(section a Quantity)" = geometry ]
    gantry view '[0]' g a
    [ -z "$(section a Quantity)" ]
    gantry view T g a
    [ -z "$(section a Detector)" ]
}

@test "view: private memory does not grow with the array" {
    sanitized && skip "memory of a sanitized build says nothing"
    gantry zeros --size 512:512:256 x
    for text in '[::2, ::-1]' 'permute(2,1,0)' '[..., [4, 0, 9, 200]]' '[:, [4, 0, 9, 200]]'; do
        /usr/bin/python3 - "$text" <<'END'
import subprocess, sys, time
most = 0
p = subprocess.Popen(["gantry", "view", sys.argv[1], "x", "y"])
while p.poll() is None:
    try:
        for line in open(f"/proc/{p.pid}/status"):
            if line.startswith("RssAnon"):
                most = max(most, int(line.split()[1]))
    except OSError:
        pass
    time.sleep(0.001)
assert p.returncode == 0 and most < 30000, most
END
    done
}

@test "view: mistakes name their column" {
    py 'write("x", np.zeros((3, 4, 5), "f4")); write("f", np.zeros(3, "f4")); write("i", np.array([0, 9])); write("m", np.zeros(4, "?")); write("ii", np.zeros((2, 2), "i4"))'
    fails 2 "column 5 of '[0, 4]'" gantry view '[0, 4]' x y
    fails 2 "outside 0..3" gantry view '[0, 4]' x y
    fails 2 "column 3 of '[9'" gantry view '[9' x y
    fails 2 "column 7" gantry view '[1].T.nonsense' x y
    fails 2 "column 4 of '[1]]'" gantry view '[1]]' x y
    fails 2 "column 1 of ''" gantry view '' x y
    fails 2 "found nothing" gantry view '[1,,2]' x y
    fails 2 "selects none of 3 elements" gantry view '[2:1]' x y
    fails 2 "step 0" gantry view '[::0]' x y
    fails 2 "'...' appears twice" gantry view '[..., ...]' x y
    fails 2 "more than 16" gantry view '[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]' x y
    fails 2 "expected complex" gantry view imag x y
    fails 2 "60 elements" gantry view 'reshape(7,-1)' x y
    fails 2 "write this view first" gantry view 'T.reshape(-1)' x y
    fails 2 "diagonal takes 2 to 3" gantry view 'diagonal(x)' x y
    fails 2 "expected -2..3" gantry view 'diagonal(x,y,4)' x y
    fails 2 "itself" gantry view 'diagonal(x,0)' x y
    fails 2 "twice" gantry view 'permute(x,u)' x y
    fails 2 "expected at most one" gantry view '[[0,2,1],[0,2,1]]' x y
    fails 2 "must be the last step" gantry view '[[0,2,1]].T' x y
    fails 2 "index is not known" gantry view '[index]' x y
    fails 2 "mask has 4 elements, expected 3" gantry view --mask m '[mask]' x y
    fails 2 "nothing is left" gantry view --mask m '[:, mask]' x y
    fails 2 "expected numbers along one dimension" gantry view --index ii '[index]' x y
    fails 1 "float32" gantry view --index f '[index]' x y
    fails 1 "9" gantry view --index i '[index]' x y
    fails 1 nothere gantry view T nothere y
    gantry copy x - | head -c -8 >cut
    fails 1 'standard input' gantry view T - y <cut
    no_output y
}

@test "view: random brackets as NumPy's, a dimension with an index or list in its place" {
    py '
import random, subprocess
r = random.Random(7)

def piece(n):
    "A range as text and slice, none of them empty."
    while True:
        s = slice(*(r.choice([None, r.randrange(-n, n)]) for _ in range(2)), r.choice([None, None, 1, 2, -1, -2, 3]))
        if len(range(n)[s]):
            text = ":".join("" if v is None else str(v) for v in (s.start, s.stop))
            return text + ("" if s.step is None else ":%d" % s.step), s

for case in range(60):
    shape = [r.randrange(2, 7) for _ in range(r.randrange(1, 5))]
    a = np.arange(np.prod(shape), dtype="f4").reshape(shape, order="F")
    write("x", a)
    words, options, want, chosen = [], [], a, False
    for d, n in enumerate(shape):
        kind = r.choice(["range", "range", "one", "all", "list", "index", "mask"])
        if chosen and kind in ("list", "index", "mask"):
            kind = "range"
        if kind == "range":
            text, s = piece(n)
            want = want[(slice(None),) * d + (s,)]
        elif kind == "one":
            k = r.randrange(-n, n)
            text, want = str(k), np.take(want, [k % n], axis=d)
        elif kind == "all":
            text = ":"
        else:
            chosen = True
            at = [r.randrange(-n, n) for _ in range(r.randrange(1, 9))]
            if kind == "list":
                text = "[%s]" % ", ".join(map(str, at))
            elif kind == "index":
                write("i", np.array(at, r.choice(["i1", "i4", "i8"])))
                text, options = "index", ["--index", "i"]
            else:
                m = np.array([r.random() < 0.5 for _ in range(n)])
                m[r.randrange(n)] = True
                write("m", m)
                at, text, options = np.flatnonzero(m), "mask", ["--mask", "m"]
            want = np.take(want, [int(k) % n for k in at], axis=d)
        words.append(text)
    runs = [k for k in range(len(words) + 1) if r.random() < 0.3][:1]
    for k in runs:
        while k < len(words) and words[k] == ":":
            words.pop(k)
        words.insert(k, "...")
    text = "[" + ", ".join(words) + "]"
    subprocess.run(["gantry", "view", *options, text, "x", "o"], check=True)
    got = read("o")
    assert np.array_equal(got.reshape(want.shape, order="F"), want), (shape, text, options)
'
}

@test "view: two lists, indices or masks are refused, whatever their numbers are" {
    py 'write("x", np.arange(36, dtype="f4").reshape(6, 6)); write("run", np.arange(3)); write("few", np.array([3, 0, 1])); write("m", np.arange(6) < 3)'
    for index in run few; do
        fails 2 "column 9 of '[index, index]': a second list, index or mask" gantry view --index $index '[index, index]' x o
        fails 2 'a second list' gantry view --index $index '[[0, 1], index]' x o
        fails 2 'a second list' gantry view --index $index --mask m '[index, mask]' x o
    done
    fails 2 'a second list' gantry view '[[0:3], [0, 1, 2]]' x o
    fails 2 'a second list' gantry view --mask m '[mask, mask]' x o
    fails 2 'newaxis' gantry view '[:, newaxis]' x o
    no_output o
    gantry view --index run '[index]' x a
    gantry view --index run '[:, index]' a b
    py 'assert np.array_equal(read("b"), read("x")[:3, :3])'
    gantry view '[..., 0, 0, 0]' x c
    py 'assert read("c").reshape(-1).tolist() == [0]'
}
