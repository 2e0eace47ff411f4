load common

only() {
    gantry stats --only "$@"
}

@test "stats: NumPy's numbers, real and complex" {
    py 'rng = np.random.default_rng(3)
write("a", (rng.normal(size=(70, 50, 40)) + 3).astype("f4"))
write("z", (rng.normal(size=(70, 50, 40)) + 1j * rng.normal(size=(70, 50, 40)) - 2j).astype("c8"))'
    py "a = read('a').astype('f8')
got = [float(v) for v in '''$(only min,max,mean,std,sum,norm a)'''.split()]
want = [a.min(), a.max(), a.mean(), a.std(), a.sum(), np.linalg.norm(a)]
assert np.allclose(got, want, rtol=5e-9, atol=0), (got, want)"
    py "z = read('z').astype('c16')
got = [complex(v.replace('i', 'j')) for v in '''$(only min,max,mean,std,sum,norm z)'''.split()]
want = [abs(z).min(), abs(z).max(), z.mean(), z.std(), z.sum(), np.linalg.norm(z)]
assert np.allclose(got, want, rtol=1e-7, atol=0), (got, want)"
}

@test "stats: a small deviation from a large mean" {
    py 'rng = np.random.default_rng(3)
write("a", rng.normal(size=(500, 400)) + 1e7)'
    py "assert abs(float('$(only std a)') / read('a').std() - 1) < 1e-8"
}

@test "stats: NaN and infinity are counted and located, the rest is of the finite values" {
    py 'a = np.arange(24.).reshape(2, 3, 4)
a[1, 2, 0] = np.nan; a[0, 0, 1] = np.nan; a[1, 0, 2] = -np.inf; a[0, 0, 0] = 0
write("a", a)'
    [ "$(only nan,first-nan,inf,first-inf,zeros a)" = $'2\n1 2 0\n1\n1 0 2\n1' ]
    py "a = read('a'); a = a[np.isfinite(a)]
assert abs(float('$(only mean a)') - a.mean()) < 1e-7 and float('$(only max a)') == a.max()"
    py 'write("n", np.full(5, np.nan))'
    [ "$(only min,mean,count,nan n)" = $'nan\nnan\n5\n5' ]
}

@test "stats: parts of complex numbers that are not finite; many blocks, whose first and last hold nothing finite" {
    py 'z = np.array([3 + 4j, complex(1, np.nan), complex(np.nan, 1), 0, complex(2, -np.inf), complex(np.inf, 0), 5j]); write("z", z)
a = np.random.default_rng(1).uniform(5, 6, 200000); a[:70000] = np.nan; a[150000:] = np.inf; a[100000], a[140000] = 4, 7; write("a", a)'
    [ "$(only nan,first-nan,inf,first-inf,zeros,min,max,sum z)" = $'2\n1\n2\n4\n1\n0\n5\n3+9i' ]
    [ "$(only nan,first-nan,inf,first-inf,min,max a)" = $'70000\n0\n50000\n150000\n4\n7' ]
    py "a = read('a')[70000:150000]
got = [float(v) for v in '''$(only mean,std,sum,norm a)'''.split()]
assert np.allclose(got, [a.mean(), a.std(), a.sum(), np.linalg.norm(a)], rtol=1e-8), got"
}

@test "stats: integers of every size exactly" {
    py 'write("i", np.array([2**63 - 1, -2**63, 0], dtype="i8")); write("u", np.array([2**64 - 1, 5], dtype="u8")); write("b", np.array([7, 250], dtype="u1"))'
    [ "$(only min,max,zeros i)" = $'-9223372036854775808\n9223372036854775807\n1' ]
    [ "$(only min,max u)" = $'5\n18446744073709551615' ]
    [ "$(only min,max,mean b)" = $'7\n250\n128.5' ]
}

@test "stats: one line per statistic, dims and type" {
    gantry ones --size 4:5:1:2 a
    [ "$(only dims,type,count,std a)" = $'4 5 1 2\nfloat32\n40\n0' ]
    [ "$(gantry stats a | wc -l)" -eq 14 ]
}

@test "stats: the same for any threads and from a pipe" {
    gantry random --size 300:200:9 a
    one=$(gantry stats -j 1 a)
    [ "$one" = "$(gantry stats -j 2 a)" ]
    [ "$one" = "$(gantry stats -j 7 a)" ]
    [ "$one" = "$(gantry copy a - | gantry stats -)" ]
}

@test "stats: a wrong name of a statistic" {
    gantry ones --size 4 a
    fails 2 "did you mean mean" gantry stats --only mena a
    fails 1 "" gantry stats absent
}
