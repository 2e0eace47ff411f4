load common

# pygantry 'code': Python with NumPy and our module.
pygantry() {
    PYTHONPATH=$GANTRY_SOURCE/python run_python "import gantry
$1"
}

# raises 'part of the message' 'code'
raises() {
    pygantry "
import sys
try:
    $2
except (gantry.GantryError, ValueError, OSError) as e:
    sys.exit(0 if '''$1''' in str(e) else f'the message is: {e}')
sys.exit('nothing was raised')"
}

setup() {
    /usr/bin/python3 -c "import numpy" 2>/dev/null || skip "no NumPy here"
    common_setup
}

@test "python: every type that Python writes, a tool copies, and Python reads back the same" {
    pygantry '
rng = np.random.default_rng(1)
for t in gantry.header.DTYPES:
    x = 100 * rng.random((5, 4, 3))
    x = x > 50 if t == "bool" else x + 1j * x[::-1] if t.startswith("complex") else x
    kind = np.complex64 if t == "complex32" else t
    gantry.write(t, x.astype(kind), type=t, spacing=(1, 2, 3), origin=(0.1, -2, 3), quantity="counts", unit="1")
    a, before = gantry.read(t, header=True)
    b, after = gantry.run(f"copy {t}", header=True)
    assert after.type == before.type == t and a.dtype == b.dtype and np.array_equal(a, b), t
    assert t == "complex32" or np.array_equal(a, x.astype(kind)), t
    assert (after.spacing, after.origin, after.quantity, after.unit) == ((1, 2, 3), (0.1, -2, 3), "counts", "1"), t
'
}

@test "python: C order, slices, big-endian and negative steps are written as the same elements" {
    pygantry '
x = np.random.default_rng(2).random((7, 6, 5))
for i, y in enumerate([x, np.asfortranarray(x), x[::-1, ::2], x.transpose(2, 0, 1), x.astype(">f8"), x[:, :, :1], x[0, 0, 0]]):
    gantry.write("y", y)
    z = gantry.read("y")
    assert np.array_equal(z.ravel(), y.ravel(order="F").reshape(z.shape, order="F").ravel()), i
'
}

@test "python: element [i, j, k] is the element the tools call i, j, k" {
    pygantry '
x = np.arange(24.).reshape(2, 3, 4)
assert gantry.run("slice 0 1 1 2 2 3", x).item() == x[1, 2, 3]
assert np.array_equal(gantry.run("flip 1", x), x[:, ::-1])
'
}

@test "python: a file of BART opens: no type, 16 dims, blanks, CR-LF, sections nobody knows" {
    printf '# Dimensions\r\n2 3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \r\n# Command\r\nphantom -x2 x \r\n# Files\r\n >x\r\n# Creator\r\nBART v0.9\r\n# Odd\r\nvalue\r\n' > x.hdr
    pygantry '
data = (np.arange(6) + 1j * np.arange(6)[::-1]).astype("<c8")
data.tofile("x.cfl")
x, h = gantry.read("x", header=True)
assert x.dtype == np.complex64 and np.array_equal(x, data.reshape((2, 3), order="F"))
assert h.creator == "BART v0.9" and h.extra == {"Odd": "value"} and h.type == "complex64"
gantry.write("y", x, h)
'
    gantry cast --type complex64 y z
    same_bytes x z
    grep -qx "# Odd" y.hdr
}

@test "python: big-endian files are read, trailing dims dropped, the map is read-only" {
    printf '# Dimensions\n4 1 1\n# Type\nint16\n# Byte-Order\nbig\n' > x.hdr
    pygantry '
np.array([1, -2, 300, 4], ">i2").tofile("x.cfl")
x = gantry.read("x")
assert isinstance(x.base.base, np.memmap) and x.shape == (4,) and x.tolist() == [1, -2, 300, 4]
assert not x.flags.writeable
y = gantry.read("x", mode="c")
y[0] = 7
assert gantry.read("x.cfl")[0] == 1
'
}

@test "python: writing over a file that is mapped leaves the mapped array as it was" {
    gantry ones --size 1000 x
    pygantry '
x = gantry.read("x")
gantry.write("x", 2 * x)
assert (x == 1).all() and (gantry.read("x") == 2).all()
'
}

@test "python: reading beside writers: whole arrays, header and data of one of them" {
    gantry zeros --size 30:3 a
    gantry ones --size 40:5 b
    gantry copy a x
    for i in $(seq 40); do gantry copy a x; gantry copy b x; done &
    for i in $(seq 40); do gantry copy b x; gantry copy a x; done &
    pygantry '
import time
seen, end = set(), time.time() + 1.5
while time.time() < end:
    x, h = gantry.read("x", header=True)
    assert (x == (1 if x.shape == (40, 5) else 0)).all() and h.dims == x.shape
    seen.add(x.shape)
    gantry.read_header("x")
assert len(seen) == 2, seen'
    wait
}

@test "python: run takes arrays, names and pairs, and options with arrays" {
    gantry traj --views 40 --detector 24 geom
    gantry phantom --size 24 vol
    gantry project geom vol proj
    gantry wls -i 5 --like vol geom proj rec
    pygantry '
proj = gantry.read("proj")
geom = gantry.read("geom", header=True)
for rec in (gantry.run("wls -i 5", geom, proj, like="vol"),
            gantry.run("wls", "geom", "proj", iterations=5, size=(24, 24)),
            gantry.run("wls -i 5 --like", "vol", "geom", proj)):
    assert np.array_equal(rec, gantry.read("rec"))
w = np.asfortranarray(np.exp(-proj) / np.exp(-proj).max(), dtype="f4")
rec = gantry.run("wls -i 5", "geom", "proj", weights=w, out="named")
assert isinstance(rec.base.base, np.memmap) and np.abs(rec - gantry.read("rec")).max() < 1e-4
assert float(gantry.run("compare", "rec", "rec")) == 0
'
}

@test "python: a plain array as geometry takes the detector from the projections" {
    gantry traj --views 40 --detector 24 geom
    gantry phantom --size 24 --geometry geom proj
    pygantry '
geom = np.array(gantry.read("geom"))
for tool in ("fbp", "wls -i 3", "backproject"):
    assert np.array_equal(gantry.run(tool, geom, "proj"), gantry.run(tool, "geom", "proj")), tool'
}

@test "python: spacing of a volume goes into a run and comes out of it" {
    pygantry '
x = np.ones((4, 4, 4), np.float32)
y, h = gantry.run("flip x", (x, gantry.Header(dims=x.shape, spacing=(2, 2, 3), quantity="attenuation")), header=True)
assert h.spacing == (2, 2, 3) and h.quantity == "attenuation"
assert np.allclose(h.coordinates(2), [-4.5, -1.5, 1.5, 4.5])
'
}

# grids: x is attenuation on an uneven grid; has(array) is what it passes on of places and kind.
grids='
import copy, pickle, warnings
from gantry.array import carried
x = gantry.Array(np.asfortranarray(np.random.default_rng(4).random((8, 6, 4)), dtype="f4"), spacing=(2, 3, 4), quantity="attenuation", unit="1/mm")
def has(a):
    h = carried(a)
    return h and (h.spacing, [h.first(d) for d in range(3)], h.quantity, h.unit)
whole = ((2, 3, 4), [-7, -7.5, -6], "attenuation", "1/mm")
places = whole[:2] + (None, None)
'

@test "python: results passed on make the same bytes and history as files: fbp, then project on a 0.4 mm grid" {
    gantry traj --views 60 --detector 48 --pitch 0.5 geom
    gantry phantom --size 48 --spacing 0.4 vol
    gantry project geom vol proj
    gantry fbp --size 48:48 --spacing 0.4 geom proj rec
    gantry project geom rec want
    pygantry 'import pickle
geom = gantry.run("traj --views 60 --detector 48 --pitch 0.5")
proj = gantry.run("project", geom, gantry.run("phantom --size 48 --spacing 0.4"))
rec = gantry.run("fbp --size 48:48 --spacing 0.4", geom, proj)
again = gantry.run("project", geom, rec)
assert np.linalg.norm(again - proj) < 0.1 * np.linalg.norm(proj)
gantry.write("got", again)
for n, y in enumerate([np.asarray(rec), rec.copy(), rec[...], pickle.loads(pickle.dumps(rec))]):
    gantry.run("project", geom, y, out=f"via{n}")
gantry.run("project", gantry.read("geom"), gantry.read("rec").copy(), out="via4")'
    for got in got via0 via1 via2 via3 via4; do
        same_bytes want $got
        [ "$(gantry history want | sed 's/want/X/g')" = "$(gantry history $got | sed "s/$got/X/g")" ]
    done
    gantry history got >rebuild
    if grep -q verify rebuild; then false; fi
    mkdir empty
    (cd empty && sh ../rebuild)
    same_bytes want empty/got
}

@test "python: a history is not written for other elements or another header than it made" {
    gantry phantom --size 16 --spacing 0.4 vol
    pygantry '
vol = gantry.run("phantom --size 16 --spacing 0.4")
gantry.write("same", vol)
twice = vol * 2
gantry.write("a", twice)
gantry.write("b", vol.astype("f8"))
gantry.write("c", vol, spacing=0.5)
gantry.write("d", vol[::-1])
gantry.write("e", np.flip(vol, 1).copy())
through = vol.copy()
np.asarray(through)[3, 3] += 1
gantry.write("f", through)
vol[2, 2] = 7
gantry.write("g", vol)
changed = gantry.read("vol", mode="c")
changed[0] = 1
gantry.write("h", changed)
vol = gantry.read("vol").copy()
vol *= 2
gantry.write("i", vol)'
    for name in a b c d e f g h i; do
        if grep -q '^# History' $name.hdr; then echo "$name has a history"; false; fi
        section $name Spacing | grep -qx '0.[45] 0.[45]\( 0.[45]\)*'
    done
    for name in a f g h i; do [ -z "$(section $name Quantity)" ]; done
    for name in same b c d e; do [ "$(section $name Quantity)" = attenuation ]; done
    grep -q '^# History' same.hdr
    same_bytes same vol
}

@test "python: views, copies and pickles of the same elements keep the header" {
    pygantry "$grids"'
for i, y in enumerate([x.view(), np.asarray(x), np.asanyarray(x), np.asfortranarray(x), np.asarray(x).view(), x.copy(), copy.copy(x),
                       copy.deepcopy(x), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x, 5)), x[...], x[:, :], x.T.T,
                       x.astype("f8"), x.astype("f4", copy=False), x.reshape(8, 6, 4, 1), x[..., None]]):
    assert has(y) == whole, (i, has(y))'
}

@test "python: element-wise arithmetic keeps the places, not the quantity" {
    pygantry "$grids"'
results = [x + 0, 2 * x, -x, x > 0, np.exp(x), x.clip(0, 1), np.where(x > 0.5, x, 0), np.zeros_like(x), x + x, x * np.ones(4),
           x.astype(int), x.view(np.int32), x.astype("c8").imag, np.divmod(x, 2)[1], np.add(x, np.asarray(x))]
y = x.copy()
y *= 2
z = x.copy()
z[0] = 1
o = x.copy()
assert np.multiply(x, 2, out=o) is o
u = x.copy()
np.add.at(u, (0, 0, 0), 1)
for i, y in enumerate(results + [y, z, o, u]):
    assert type(y) is gantry.Array and has(y) == places, (i, has(y))
assert has(x) == whole
other = gantry.Array(np.ones(x.shape), spacing=1)
assert type(x + other) is np.ndarray'
}

@test "python: what moves elements to unknown places has no header" {
    pygantry "$grids"'
for i, y in enumerate([x.sum(0), x.mean(axis=2), x.sum(0, keepdims=True), x.ravel(), x.reshape(6, 8, 4), x[[0, 1]], x[x > 0.5], np.sort(x.ravel()),
                       np.cumsum(x, 0), np.roll(x, 1, 0), np.pad(x, 1), np.concatenate([x, x]), x[:, :4, 0] @ x[:4, :, 0], np.take(x, [1, 0], 0)]):
    assert has(y) is None and getattr(y, "header", None) is None, i'
}

@test "python: slices and transposes have the grid that gantry view and transpose give them" {
    gantry phantom --size 8:6:4 --spacing 2:3:4 vol
    pygantry "$grids"'
vol = gantry.read("vol")
for index, text in [(np.s_[1:7:2, ::2, 1:3], "1:7:2,::2,1:3"), (np.s_[::-1], "::-1,:,:"), (np.s_[:, :, 2], ":,:,2"), (np.s_[::100], "::100,:,:"),
                    (np.s_[..., -1], ":,:,-1"), (np.s_[6:1:-2, 3:], "6:1:-2,3:,:"), (np.s_[:, 3:4], ":,3:4,:")]:
    want, head = gantry.run("view", "[" + text + "]", "vol", header=True)
    got = vol[index]
    h = got.header
    assert np.array_equal(got, want) and h.dims == head.dims, text
    assert (h.spacing, h.origin, h.quantity, h.unit) == (head.spacing, head.origin, head.quantity, head.unit), (text, h, head)
for got, want in [(vol.T, gantry.run("transpose 0 2", "vol")), (np.swapaxes(vol, 0, 1), gantry.run("transpose 0 1", "vol")),
                  (np.moveaxis(vol, 2, 0), gantry.run("permute 2:0:1", "vol"))]:
    assert np.array_equal(got, want) and got.header.spacing == want.header.spacing and got.header.origin == want.header.origin
plane = vol[:, 3].header
assert plane.spacing == (2, 4) and plane.origin == (-7, -6)
g = gantry.run("traj --views 5 --detector 8:9")
assert g[:, :, ::2].header.detector == (8, 9) and (1 * g).header.detector == (8, 9)
assert g[:3, 0].header.detector is None and g[::-1].header.detector is None and g.transpose(1, 0, 2).header.detector is None'
}

@test "python: a plain array beside a geometry is warned about, one with a header is not" {
    gantry traj --views 20 --detector 16 geom
    gantry phantom --size 16 vol
    pygantry '
import warnings
def said(*words, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gantry.run(*words, **options)
    return [str(w.message) for w in caught if w.category is gantry.GantryWarning and w.filename == "<string>"]
vol = gantry.read("vol")
proj = gantry.run("project", "geom", vol)
plain = np.array(vol)
assert said("project", "geom", vol) == said("project --model sf", "geom", 2 * vol) == said("fbp", "geom", proj, like=vol) == []
assert said("flip x", plain) == said("project", np.array(gantry.read("geom")), vol, detector="16") == []
assert said("project", "geom", gantry.Array(plain, spacing=1)) == said("project", "geom", (plain, vol.header)) == []
for words in (("project", "geom", plain), ("project --model", "sf", "-j", "2", "geom", plain)):
    assert len(said(*words)) == 1 and "VOL is an array without a grid" in said(*words)[0], said(*words)
assert "--like is an array without a grid" in said("fbp", "geom", proj, like=plain)[0]
assert "--like is an array without a grid" in said("fbp --lik", plain, "geom", proj)[0]
assert "PROJ is an array without a header" in said("fbp", "geom", np.array(proj))[0]'
}

@test "python: warnings of a command arrive, its name for a temporary file does not" {
    pygantry '
import warnings
x = gantry.Array(np.full((3, 3), -0.5), quantity="transmission")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    gantry.run("normalize --force", x)
    gantry.run("copy", x)
assert [str(w.message) for w in caught] == ["gantry normalize: in1: 9 of 9 transmissions are below 1e-06 and are raised to this limit"], caught
assert caught[0].category is gantry.GantryWarning and caught[0].filename == "<string>"'
}

@test "python: an interrupt ends the command first: no temporaries stay" {
    mkdir tmp
    GANTRY_TMPDIR=tmp pygantry '
import glob, os, signal, threading, time
geom = gantry.run("traj --views 60 --detector 48")
proj = gantry.run("project", geom, gantry.run("phantom --size 48"))
def interrupt():
    limit = time.time() + 20
    while not glob.glob("tmp/*/in2.cfl") and time.time() < limit:
        time.sleep(0.01)
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=interrupt).start()
try:
    gantry.run("cg -i 10000000", geom, proj, out="big")
    raise SystemExit("was not interrupted")
except KeyboardInterrupt:
    assert os.listdir("tmp") == [] and os.listdir(".") == ["tmp"], os.listdir(".")
'
    no_output big
}

@test "python: run_python ends as Python does, files and threads first, and with its caller" {
    run_python 'import atexit, threading, time
atexit.register(lambda: open("b", "w").write("b"))
threading.Thread(target=lambda: (time.sleep(0.2), open("c", "w").write("c"))).start()
f = open("a", "w")
f.write("a")'
    [ "$(cat a b c)" = abc ]
    /usr/bin/python3 -I -S "$GANTRY_SOURCE/tests/python_client.py" "${GANTRY_TEST_PYTHON:-}" 'import os, time
os.symlink(str(os.getpid()), "pid")
time.sleep(60)' 3>&- &
    for _ in $(seq 1000); do [ ! -L pid ] || break; sleep 0.02; done
    kill $!
    for _ in $(seq 500); do [ -d "/proc/$(readlink pid)" ] || break; sleep 0.02; done
    [ ! -d "/proc/$(readlink pid)" ]
}

@test "python: a geometry from vectors projects as that of traj" {
    gantry traj --views 7 --sod 100 --sdd 150 --pitch 2 --detector 16:8 geom
    gantry phantom --size 8:8:8 vol
    pygantry '
t = np.arange(7) * 2 * np.pi / 7
o = np.zeros(7)
g, head = gantry.geometry(np.stack([100 * np.sin(t), -100 * np.cos(t), o], 1), np.stack([-50 * np.sin(t), 50 * np.cos(t), o], 1),
                          np.stack([2 * np.cos(t), 2 * np.sin(t), o], 1), [0, 0, 2], size=(16, 8))
assert np.allclose(g, gantry.read("geom"), atol=1e-12)
a = gantry.run("project", (g, head), "vol")
b = gantry.run("project", "geom", "vol")
assert np.allclose(a, b, atol=1e-5)
'
}

@test "python: streams: in the middle of a pipe" {
    pygantry 'gantry.write("x", np.arange(6.).reshape(2, 3), spacing=2)'
    gantry copy x - | pygantry '
x, h = gantry.read("-", header=True)
gantry.write("-", 2 * x, h)' | gantry copy - y
    pygantry '
y, h = gantry.read("y", header=True)
assert np.array_equal(y, 2 * np.arange(6.).reshape(2, 3)) and h.spacing == (2, 2)'
}

@test "python: npy files are read and written" {
    pygantry '
x = np.arange(24.).reshape(2, 3, 4)
gantry.write("x.npy", x)
assert np.array_equal(gantry.read("x.npy"), x) and np.array_equal(gantry.run("flip 0", "x.npy"), x[::-1])'
}

@test "python: the same halves as NumPy's and the tools'" {
    pygantry '
x = (np.arange(-2000, 2000) * np.pi).astype(np.complex64).reshape(40, 100)
x = x + 1j * x[::-1]
gantry.write("h", x, type="complex32")
y = gantry.run("cast --type complex64", "h")
assert np.array_equal(y, gantry.read("h"))
assert np.array_equal(y.real, x.real.astype("f2").astype("f4"))'
}

@test "python: a tool that fails raises its own sentence and status" {
    raises "nowhere.hdr" "gantry.run('copy nowhere')"
    pygantry '
try:
    gantry.run("flip", np.ones(3))
except gantry.GantryError as e:
    assert e.status == 2, e.status'
}

@test "python: wrong files and arrays are refused by name, and nothing is written" {
    gantry zeros --size 4:4 x
    truncate -s 60 x.cfl
    raises "found 60 bytes, expected 64" "gantry.read('x')"
    printf '# Dimensions\n2 -3\n' > bad.hdr
    raises "bad.hdr" "gantry.read('bad')"
    printf '# Type\nfloat32\n' > bad.hdr
    raises "Dimensions" "gantry.read('bad')"
    printf '# Dimensions\n3\n# Type\nfloat31\n' > bad.hdr
    raises "float31" "gantry.read('bad')"
    raises "at least one" "gantry.write('y', np.ones((3, 0)))"
    raises "spacing" "gantry.write('y', np.ones(3), spacing=0)"
    raises "quantity" "gantry.write('y', np.ones(3), quantity='colour')"
    raises "real part" "gantry.write('y', np.ones(3, complex), type='float32')"
    raises "No such file" "gantry.write('nowhere/y', np.ones(3))"
    no_output y
}

@test "python: installs with pip" {
    /usr/bin/python3 -c "import setuptools, pip, wheel" 2>/dev/null || skip "no pip, setuptools and wheel here"
    cp -r "$GANTRY_SOURCE/python" source
    /usr/bin/python3 -m pip install -q --no-deps --no-build-isolation --no-index --target site ./source 2>log || { cat log; false; }
    PYTHONPATH=site /usr/bin/python3 -c "import gantry; print(gantry.__file__)" | grep -q site/gantry
}
