load common

# What recon does with data, weights, masks and factors that nobody meant: a sentence, and no volume that is not one.

scan() {
    gantry phantom --size 12:12 --spacing 4:4 vol
    gantry traj --views 6 --detector 16:1 --pitch 4 geom
    gantry project geom vol proj
}

# values NAME NUMBER: projections of this value
values() {
    py "p = read('proj'); write('$1', np.full_like(p, $2), Quantity='line-integral')"
}

@test "recon: a second --data is refused" {
    scan
    fails 2 "--data: given twice (kl, huber:0.1), expected once" gantry recon --data kl --data huber:0.1 geom proj x
    no_output x
}

@test "recon: values too large for their type are an error and no volume" {
    scan
    values huge 3e38
    fails 1 "values are NaN or infinite, so no volume is written" gantry recon --like vol -R tv:0.1 geom huge x
    no_output x
    gantry recon -q --like vol -R tv:0.1 --keep-best geom huge x
    py 'assert np.isfinite(read("x")).all()'
}

@test "recon: why there is no factor to choose" {
    scan
    values zero 0
    py 'p = read("proj"); write("none", 0 * p); write("mask", 0 * read("vol"))'
    gantry recon --like vol geom zero x 2>said
    grep "the projections are 0: lambda is 0" said
    gantry recon --like vol --weights none geom proj x 2>said
    grep "all weights are 0: lambda is 0" said
    gantry recon --like vol --mask mask geom proj x 2>said
    grep "all projection values of rays through the volume are 0: lambda is 0" said
    gantry traj --views 1 --detector 16:1 --pitch 4 one
    gantry project one vol few
    gantry recon --like vol one few x 2>said
    grep "found 1 view, but leaving views out needs at least 4 (the default factor is used)" said
}

@test "recon: a factor is found for counts of which a ray has some where the volume has none" {
    gantry phantom --size 24:24 --spacing 4:4 vol
    gantry traj --views 40 --detector 32:1 --pitch 4 geom
    gantry project geom vol proj
    py 'p = read("proj").astype("f8"); write("counts", (np.random.default_rng(1).poisson(3 / p.mean() * p) + (np.arange(p.size).reshape(p.shape) % 50 == 0)).astype("f4"), Quantity="counts")'
    gantry recon --data kl -R tv:auto -R nonneg --like vol --curve tried.csv geom counts x 2>said
    py 'x = read("x"); assert np.isfinite(x).all() and x.max() > 0 and x.min() >= 0
v = np.genfromtxt("tried.csv", delimiter=",", names=True)
assert v.size >= 3 and all(np.isfinite(v[n]).all() for n in v.dtype.names if n != "score"), v'
    grep -E "lambda [0-9.]+ by auto" said
}

@test "recon: a large factor is not taken for divergence" {
    scan
    for a in spdhg pdhg admm condat-vu pd3o douglas-rachford; do
        gantry recon -a $a -i 30 -R tv:1e5 --like vol geom proj x 2>said
        run ! grep stopped said
    done
}

@test "recon: a minimum that rounding does not let cg pass is not blamed on the operator" {
    scan
    for lambda in 10 100 1000; do
        gantry cg --like vol --lambda $lambda -i 200 geom proj x 2>said
        run ! grep "do not match" said
    done
}

@test "recon: the proximal operator of total variation ends where its gap says so" {
    gantry phantom --size 48:48 --spacing 4:4 vol
    gantry traj --views 30 --detector 72:1 --pitch 4 geom
    gantry project geom vol exact
    gantry noise --photons 10000 exact proj
    gantry recon --profile -a fista -R tv:0.05 -i 5 --like vol geom proj x 2>said
    # five times at most 1000 iterations, of three each
    awk '$4 == "axpby" { n = $5 } END { exit !(n > 10 && n < 500) }' said
}
