load common

@test "dot: as NumPy for pairs of types, printed, along dims, repeated" {
    py '
import subprocess
r = np.random.default_rng(2)
def run(line): return subprocess.run(line, shell=True, check=True, capture_output=True, text=True).stdout
def array(shape, t):
    x = r.standard_normal(shape) * 20
    return (abs(x) if t[0] in "ub" else x + 1j * r.standard_normal(shape) if t[0] == "c" else x).astype(t)
def number(said): return complex(said.replace("i", "j"))
for tx, ty in (p.split() for p in "f4 f4,f8 f8,c8 c8,c16 c16,f4 f8,c8 f4,f4 c16,i4 i4,u1 i2,u8 u8,i8 f4,bool bool,f2 c8".split(",")):
    x = array((37, 41, 3), tx)
    for shape in (37, 41, 3), (37, 1, 3), (1, 41, 1):
        y = array(shape, ty)
        write("x", x); write("y", y)
        wide = (lambda v: v.astype(int)) if x.dtype.kind in "biu" and y.dtype.kind in "biu" else (lambda v: v.astype("c16"))
        product = wide(x) * np.conj(wide(y))
        said = number(run("gantry dot x y"))
        near = 1e-12 * np.linalg.norm(x.astype("c16")) * np.linalg.norm(wide(np.broadcast_to(y, x.shape)).astype("c16"))
        assert abs(said - product.sum()) <= near, (tx, ty, said, product.sum())
        assert number(run("gantry dot -j 7 y x")) == said.conjugate(), (tx, ty)
        assert number(run("gantry copy x - | gantry dot - y")) == said
        for dims in (0,), (1, 2), (0, 2):
            run("gantry dot --dims %s x y z" % ",".join(map(str, dims)))
            want = product.sum(axis=dims, keepdims=True)
            got = read("z")
            assert (got.dtype.kind in "iu") == (want.dtype.kind == "i") and (got.dtype.kind == "c") == ("c" in tx + ty)
            assert np.allclose(got.reshape(want.shape), want, rtol=1e-5, atol=1e-4 * np.sqrt(x.size)), (tx, ty, dims)
'
}

@test "dot: <Ax, y> = <x, A'y> of the projector" {
    gantry phantom --size 32:32 vol
    gantry traj --views 20 --detector 48 geom
    gantry random --size 48:1:20 y
    gantry project geom vol Ax
    gantry backproject --like vol geom y Ay
    py "assert abs($(gantry dot Ax y) - $(gantry dot vol Ay)) < 1e-5 * $(gantry norm Ax) * $(gantry norm y)"
}

@test "dot: conjugates its second array" {
    py 'write("x", np.array([1 + 2j, 3], "c8")); write("y", np.array([2j, 1 - 1j], "c8"))'
    py "assert complex('$(gantry dot x y)'.replace('i', 'j')) == (1 + 2j) * -2j + 3 * (1 + 1j)"
}

@test "dot: integers exactly, and no number where 64 bits are too few" {
    py 'write("x", np.array([2**31, 2**31 - 1], "i8")); write("y", np.array([2**31, -5], "i8")); write("b", np.full(8, 2**31, "i8"))'
    [ "$(gantry dot x y)" = 4611686007689969669 ]
    fails 1 "does not fit" gantry dot b b
    gantry cast --type float64 b f
    py "assert $(gantry dot f b) == 2.0**65"
}

@test "dot: same bytes for any threads, through pipes, and repeats" {
    gantry random --size 513:255:9 x
    gantry random --size 513:1:9 --type complex64 y
    for dims in 0 1 2 0,2 1,2; do
        gantry dot -j 1 --dims $dims x y a
        gantry dot -j 7 --dims $dims x y b
        same_bytes a b
        gantry copy x - | gantry dot --dims $dims - y - | gantry copy - b
        same_bytes a b
        gantry copy y - | gantry dot --dims $dims x - b
        same_bytes a b
    done
    [ "$(gantry dot -j 1 x x)" = "$(gantry dot -j 7 x x)" ]
}

@test "dot: bad input fails, says so and leaves no output" {
    gantry ones --size 3:4 x
    gantry ones --size 4:3 y
    fails 1 ", or 1" gantry dot x y
    fails 1 ", or 1" gantry dot --dims 0 x y z
    fails 2 "needs an output array" gantry dot --dims 0 x x
    fails 2 - gantry dot - -
    fails 1 missing gantry dot x missing z
    no_output z
}
