load common

scan() {
    gantry phantom --size 48:48:1 vol
    gantry traj --views "${1:-30}" --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 20000 exact proj
}

# Total variation of volumes, as the sum of lengths of forward differences.
tv='
def tv(name):
    x = read(name).squeeze().astype("f8")
    d = np.zeros((2,) + x.shape)
    d[0, :-1], d[1, :, :-1] = np.diff(x, axis=0), np.diff(x, axis=1)
    return np.sqrt((d ** 2).sum(0)).sum()
'

@test "asd-pocs: few views of an object of flat regions are enough" {
    scan 20
    gantry asd-pocs -i 100 --like vol geom exact a
    gantry asd-pocs -i 150 --subsets 10 --like vol geom exact b
    gantry sart -i 100 -R nonneg --like vol geom exact c
    py '
v = read("vol")
e = {r: np.linalg.norm(read(r) - v) / np.linalg.norm(v) for r in "abc"}
assert e["a"] < 0.09 and e["b"] < 0.12 and e["a"] < 0.8 * e["c"], e
assert min(read("a").min(), read("b").min()) >= 0'
}

# A first-order method gives the least total variation that a residual allows.
@test "asd-pocs: the residual is as large as asked, the total variation near the least" {
    scan
    gantry pdhg -i 1500 -R tv:0.05 -R nonneg --like vol geom proj least --log log.csv
    local eps
    eps=$(tail -1 log.csv | cut -d, -f4)
    gantry asd-pocs -i 300 --subsets 10 --alpha 0.2 --tv-iterations 50 --noise "$eps" --like vol geom proj rec --log log.csv 2>said
    grep -q "the constraint on the data is met" said
    gantry project geom rec back
    py "$tv
assert np.linalg.norm(read('back') - read('proj')) <= $eps * (1 + 1e-5)
assert 0.99 * tv('least') < tv('rec') < 1.15 * tv('least'), (tv('rec'), tv('least'))
assert np.linalg.norm(read('rec') - read('least')) < 0.1 * np.linalg.norm(read('least'))"
}

@test "asd-pocs: adaptive weights leave edges alone that total variation lowers" {
    scan
    gantry asd-pocs -i 40 --subsets 10 --alpha 0.1 --noise 1 --like vol geom proj plain
    gantry asd-pocs -i 40 --subsets 10 --alpha 0.1 --noise 1 -R awtv:1:delta=0.002 -R nonneg --like vol geom proj spared
    gantry recon --algorithm aw-asd-pocs -i 40 --subsets 10 --alpha 0.1 --noise 1 -R awtv:1:delta=0.002 -R nonneg --like vol geom proj same
    same_bytes spared same
    py '
edge = lambda r: np.abs(np.diff(read(r).squeeze(), axis=0)).max()
assert edge("spared") > 1.1 * edge("plain"), (edge("spared"), edge("plain"))'
}

@test "piccs: a prior image helps where views are few; primal-dual methods take it too" {
    scan 9
    gantry rof --lambda 0.002 vol prior
    gantry recon --algorithm piccs -i 100 --subsets 9 --prior prior --like vol geom exact a
    gantry recon --algorithm os-asd-pocs -i 100 --subsets 9 --like vol geom exact b
    gantry recon --algorithm pdhg -i 600 -R piccs:0.01:alpha=0.8 --prior prior --like vol geom exact c
    gantry recon --algorithm admm -i 60 -R piccs:0.01:alpha=0.8 --prior prior --like vol geom exact d
    gantry recon --algorithm pdhg -i 600 -R piccs:0.01:alpha=0 --prior prior --like vol geom exact e
    gantry recon --algorithm pdhg -i 600 -R tv:0.01 --like vol geom exact f
    py '
v = read("vol")
e = {r: np.linalg.norm(read(r) - v) / np.linalg.norm(v) for r in "abcdef"}
assert e["a"] < 0.8 * e["b"] and e["c"] < 0.8 * e["f"], e
far = lambda p, q: np.linalg.norm(read(p) - read(q)) / np.linalg.norm(read(q))
assert far("c", "d") < 0.02 and far("e", "f") < 0.01, (far("c", "d"), far("e", "f"))'
}

@test "asd-pocs: the same bytes for any number of threads, and after an interruption" {
    scan
    for j in 1 3; do gantry asd-pocs -j $j -i 5 --subsets 4 --order random --like vol geom proj rec$j; done
    same_bytes rec1 rec3
    gantry asd-pocs -i 2 --subsets 4 --order random --checkpoint state --like vol geom proj part
    gantry asd-pocs -i 5 --subsets 4 --order random --checkpoint state --resume --like vol geom proj rec
    same_bytes rec rec1
    fails 1 "other terms, options, geometry or model" gantry asd-pocs -i 5 --subsets 4 --order random --alpha 0.1 --checkpoint state --resume --like vol geom proj rec
    fails 1 "other terms, options, geometry or model" gantry asd-pocs -i 5 --subsets 5 --order random --checkpoint state --resume --like vol geom proj rec
}

@test "asd-pocs: bad input" {
    scan
    fails 1 "asd-pocs needs a term with a gradient" gantry asd-pocs -R nonneg --like vol geom proj rec
    fails 2 "delta is missing (give delta=D" gantry asd-pocs -R awtv:1 --like vol geom proj rec
    fails 2 "is for asd-pocs and its variants, not for pdhg" gantry pdhg -R awtv:1:delta=1 --like vol geom proj rec
    fails 2 "expected --prior VOL" gantry recon --algorithm piccs --like vol geom proj rec
    fails 2 "--prior has no effect without -R piccs" gantry pdhg -R tv:1 --prior vol --like vol geom proj rec
    fails 1 "expected 48 x 48 x 1 like the volume" gantry recon --algorithm piccs --prior proj --like vol geom proj rec
    fails 2 "alpha=2, expected 0 to 1" gantry pdhg -R piccs:1:alpha=2 --prior vol --like vol geom proj rec
    fails 2 "fista does not support terms that use differences between voxels" gantry fista -R piccs:1 --prior vol --like vol geom proj rec
    py 'v = read("vol"); v[3, 4] = np.nan; write("bad", v)'
    fails 1 "NaN" gantry recon --algorithm piccs --prior bad --like vol geom proj rec
    no_output rec
}
