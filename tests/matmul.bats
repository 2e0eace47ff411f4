load common

@test "matmul: equals NumPy for every type" {
    py 'r = np.random.default_rng(1)
for n, (a, b) in enumerate([("f4", "f4"), ("f8", "f4"), ("c8", "c8"), ("c8", "f8"), ("i2", "u1"), ("i4", "f4"), ("?", "i8"), ("f2", "f4"), ("u8", "u8")]):
    x, y = (10 * r.random((17, 23))).astype(a), (10 * r.random((23, 31))).astype(b)
    write("x%d" % n, x); write("y%d" % n, y)'
    for n in 0 1 2 3 4 5 6 7 8; do
        gantry matmul x$n y$n z$n
    done
    py 'want = ["f4", "f8", "c8", "c16", "i8", "f8", "i8", "f4", "u8"]
for n in range(9):
    x, y, z = read("x%d" % n), read("y%d" % n), read("z%d" % n)
    w = x.astype("c16") @ y.astype("c16")
    assert z.dtype == want[n], (n, z.dtype)
    assert abs(z - w).max() <= (0 if n in (4, 6, 8) else 1e-6) * abs(w).max(), n'
}

@test "matmul: transposed and conjugated factors" {
    py 'r = np.random.default_rng(2); c = lambda *n: (r.standard_normal(n) + 1j * r.standard_normal(n)).astype("c8")
write("a", c(40, 30)); write("b", c(30, 50)); write("at", c(30, 40)); write("bt", c(50, 30))'
    gantry matmul --transpose-a at b z1
    gantry matmul --adjoint-a at b z2
    gantry matmul --transpose-b a bt z3
    gantry matmul --adjoint-b a bt z4
    gantry matmul --adjoint-a --adjoint-b at bt z5
    gantry matmul --adjoint-a --transpose-b at bt z6
    py 'a, b, at, bt = (read(n).astype("c16") for n in ("a", "b", "at", "bt"))
for n, w in enumerate([at.T @ b, at.T.conj() @ b, a @ bt.T, a @ bt.T.conj(), at.T.conj() @ bt.T.conj(), at.T.conj() @ bt.T]):
    z = read("z%d" % (n + 1)); assert z.shape == w.shape and abs(z - w).max() < 1e-5 * abs(w).max(), n'
}

@test "matmul: batches; a matrix of length 1 along them serves all" {
    py 'r = np.random.default_rng(3); write("a", r.standard_normal((8, 9, 3, 2))); write("b", r.standard_normal((9, 7, 1, 2))); write("v", r.standard_normal(9))'
    gantry matmul a b z
    gantry matmul a v y
    py 'a, b, z = read("a"), read("b"), read("z")
assert z.shape == (8, 7, 3, 2) and np.allclose(z, np.einsum("ikcd,kjd->ijcd", a, b[:, :, 0]))
assert np.allclose(read("y")[:, 0], np.einsum("ikcd,k->icd", a, read("v")))'
}

@test "matmul: large ones are as precise as BLAS, and (A B)' = B' A'" {
    gantry random --size 700:600 a
    gantry random --size 600:500 --seed 1 b
    gantry matmul a b ab
    gantry matmul --transpose-a --transpose-b b a ba
    gantry transpose 0 1 ba abt
    gantry compare --tolerance 1e-6 ab abt
    gantry matmul --type float64 a b exact
    gantry compare --tolerance 1e-6 exact ab
    gantry matmul --type complex128 a b wide
    py 'a, b = read("a").astype("f8"), read("b").astype("f8")
assert max(np.abs(read(n) - a @ b).max() for n in ("exact", "wide")) < 1e-10'
}

@test "matmul: same bytes for any threads and through pipes" {
    gantry random --size 300:520:3 a
    gantry random --size 520:280 --seed 1 b
    gantry matmul -j 1 a b z
    for j in 2 7; do
        gantry matmul -j $j a b y
        same_bytes z y
    done
    gantry copy a - | gantry matmul - b - | gantry copy - y
    same_bytes z y
}

@test "matmul: without OpenBLAS own kernels give the same product" {
    gantry random --size 130:200 a
    gantry random --size 200:150 --seed 1 b
    gantry matmul a b z
    GANTRY_BLAS=none gantry matmul a b y
    gantry compare --tolerance 1e-6 z y
    GANTRY_BLAS=none gantry matmul -j 3 a b x
    same_bytes x y
}

@test "matmul: rows have the grid of A, columns that of B" {
    py 'write("a", np.ones((4, 5), "f4"), Spacing="0.5 2", Origin="1 2", Quantity="attenuation"); write("b", np.ones((5, 6), "f4"), Spacing="3 0.25", Origin="7 8")'
    gantry matmul a b z
    [ "$(section z Spacing)" = "0.5 0.25" ]
    [ "$(section z Origin)" = "1 8" ]
    [ -z "$(section z Quantity)" ]
    gantry matmul --transpose-a --transpose-b b a z
    [ "$(section z Origin)" = "8 1" ]
}

@test "matmul: integers beyond 2^53 are said to be rounded" {
    py 'write("a", np.full((2, 2), 2**40)); write("s", np.full((2, 2), 300, "i4"))'
    gantry matmul a a z 2>said
    grep -q "2^53" said
    gantry matmul s s z 2>said
    [ ! -s said ]
    gantry matmul --type uint8 s s z 2>said
    grep -q clipped said
}

@test "matmul: foreign byte order, NumPy's order, an output named as an input" {
    py 'r = np.random.default_rng(4); a = r.standard_normal((6, 6)); write("a", a); np.save("c.npy", np.ascontiguousarray(a))
write("big", a.astype("f8")); open("big.hdr", "a").write("# Byte-Order\nbig\n"); a.ravel(order="F").astype(">f8").tofile("big.cfl")'
    gantry matmul a a z
    gantry matmul c.npy big y
    gantry compare --tolerance 1e-15 z y
    gantry matmul a a a
    same_bytes z a
}

@test "matmul: bad input fails, says so and leaves no output" {
    py 'write("a", np.ones((3, 4))); write("b", np.ones((3, 4))); write("c", np.ones((4, 3, 2))); write("d", np.ones((3, 4, 3)))'
    fails 1 "4 columns" gantry matmul a b z
    fails 1 "along dimension 2" gantry matmul d c z
    fails 2 transpose gantry matmul --transpose-a --adjoint-a a b z
    fails 2 OUT gantry matmul a b
    fails 1 missing gantry matmul a missing z
    no_output z
}
