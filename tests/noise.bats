load common

@test "noise: counts are Poisson numbers of mean N exp(-p)" {
    py 'write("p", np.repeat([0., 1., 3.], 40000).astype("f8"), Quantity="line-integral")'
    noise --photons 400 p n
    [ "$(section n Quantity)" = line-integral ]
    [ "$(section n Type)" = float64 ]
    py '
c = 400*np.exp(-read("n")).reshape(3, 40000)
assert np.abs(c - np.round(c)).max() < 1e-9
for row, m in zip(c, 400*np.exp(-np.array([0., 1, 3]))):
    assert abs(row.mean() - m) < 5*np.sqrt(m/40000), (row.mean(), m)
    assert abs(row.var()/m - 1) < 0.04, (row.var(), m)
    assert abs(((row - m)**3).mean()/m - 1) < 0.04*3*np.sqrt(m) + 0.1
assert abs(np.corrcoef(c[0], c[1])[0, 1]) < 0.02'
}

@test "noise: zero counts become 1, are reported, and nothing is inf or NaN" {
    py 'write("p", np.r_[np.full(1000, 9.), np.inf, 1e4, 0, -2].astype("f4"), Quantity="line-integral")'
    noise --photons 50 p n 2>said
    grep -q "gantry noise: warning: p: [0-9]* of 1004 pixels counted no photon: taken as 1 photon" said
    py '
n = read("n")
assert np.isfinite(n).all() and abs(n.max() - np.log(50)) < 1e-6
assert abs((n[:1000] > 3.9).mean() - 1) < 0.03'
}

@test "noise: seeds, threads, pipes" {
    random --size 100:90:30 p
    noise p a
    noise --seed 0 --photons 1e5 p same
    noise --seed 1 p other
    same_bytes a same
    run ! cmp -s a.cfl other.cfl
    for j in 1 2 7; do
        noise -j $j p j$j
        same_bytes a j$j
    done
    copy p - | noise - - | copy - piped
    same_bytes a piped
    gantry history a | grep -q -- '--photons=100000 --seed=0'
}

@test "noise: refuses complex data, other quantities, NaN and negative infinity" {
    py '
write("z", np.ones(4, "c8"), Quantity="line-integral")
write("c", np.ones(4, "f4"), Quantity="counts")
write("nan", np.array([1, np.nan, 2], "f4"), Quantity="line-integral")
write("inf", np.array([1, -np.inf], "f4"))
write("p", np.ones(4, "f4"))'
    fails 1 "complex" noise z x
    fails 1 "normalize" noise c x
    fails 1 "nan: 1 of 3 values are NaN" noise nan x
    fails 1 "inf: 1 of 2 values" noise inf x
    fails 2 "--photons" noise --photons 0 p x
    fails 2 "--photons" noise --photons -5 p x
    fails 2 "--seed" noise --seed -1 p x
    no_output x
    noise p y
}
