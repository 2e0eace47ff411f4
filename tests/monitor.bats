load common

setup() {
    common_setup
    gantry phantom --size 24:24:1 vol
    gantry traj --views 12 --detector 36:1 --pitch 1 geom
    gantry project geom vol proj
}

@test "monitor: a saved iterate is the result of a run that ends there, and its history says so" {
    gantry recon --algorithm fista -R nonneg -i 7 --save-every 3 --like vol geom proj rec
    gantry recon --algorithm fista -R nonneg -i 6 --like vol geom proj six
    gantry recon --algorithm fista -R nonneg -i 7 --like vol geom proj seven
    same_bytes rec-0006 six
    same_bytes rec seven
    gantry history rec-0006 | grep -q -- '--iterations=6 '
    [ -e rec-0003.hdr ]
    [ ! -e rec-0007.hdr ]
    gantry cg -i 4 --save-every 2 --save-as '{channel}.{time}.{iteration}' --like vol geom proj cg
    gantry cg -i 2 --like vol geom proj two
    same_bytes 0.0.0002 two
}

@test "monitor: channels and extensions in the names of saved iterates" {
    gantry repmat channel 2 proj both
    gantry sirt -i 2 --save-every 2 --like vol geom both rec.npy
    [ -e rec-0002-0-0.npy ]
    [ -e rec-0002-1-0.npy ]
    mkdir a.npy
    for name in one.cfl two.hdr three.ra four.npy five.x a.npy/six; do
        gantry sirt -q -i 1 --save-every 1 --like vol geom proj $name
    done
    for there in one-0001.cfl one-0001.hdr two-0001.cfl two-0001.hdr three-0001.ra four-0001.npy five.x-0001.hdr a.npy/six-0001.hdr; do
        [ -e $there ]
    done
}

@test "monitor: what cannot be saved" {
    fails 2 "when the volume is written to standard output" gantry cg --save-every 1 geom proj -
    fails 2 "unknown word in braces (valid: {iteration}" gantry cg --save-every 1 --save-as 'a{k}' geom proj rec
    fails 2 "cannot be written to standard output (-)" gantry cg --save-every 1 --save-as - geom proj rec
    fails 2 "more than one output" gantry cg --save-every 1 --save-as rec geom proj rec
    fails 2 "needs --save-every" gantry cg --save-as x geom proj rec
    fails 2 "--save-every and --loop exclude each other" gantry cg --save-every 1 --loop view geom proj rec
    fails 2 "cannot both be written to standard output" gantry cg --log - geom proj -
    no_output rec
}

@test "monitor: JSON lines say what CSV says" {
    gantry fista -i 5 --reference vol --log log.csv --like vol geom proj rec
    gantry fista -i 5 --reference vol --log log.jsonl --like vol geom proj rec
    py '
import csv, json
rows = list(csv.DictReader(open("log.csv")))
lines = [json.loads(l) for l in open("log.jsonl")]
assert len(rows) == len(lines) == 6
for r, l in zip(rows, lines):
    assert list(r) == list(l)
    for k in set(r) - {"seconds"}:
        assert (r[k] == "") == (l[k] is None) and (r[k] == "" or float(r[k]) == l[k]), (k, r, l)'
}

@test "monitor: the error is the distance from the reference over its size, of real and complex data" {
    py '
rng = np.random.default_rng(1)
p = read("proj")
write("z", (p + 1j * p[::-1]).astype("c8"), Quantity="line-integral")
r = lambda: rng.normal(size=(24, 24, 1))
write("real", r()); write("complex", r() + 1j * r())'
    gantry cg -i 3 --reference real --log real.csv --like vol geom proj a
    gantry cg -i 3 --reference complex --log complex.csv --like vol geom z b
    py '
import csv
for log, x, reference in ("real", "a", "real"), ("complex", "b", "complex"):
    rows = list(csv.DictReader(open(log + ".csv")))
    want = np.linalg.norm(read(x) - read(reference)) / np.linalg.norm(read(reference))
    assert len(rows) == 4 and abs(float(rows[-1]["nrmse"]) / want - 1) < 1e-5, (rows, want)
    assert abs(float(rows[0]["nrmse"]) - 1) < 1e-6, rows # of a volume of 0'
}

@test "monitor: the bar counts projections and shows the time left from the first" {
    script -qec true /dev/null >/dev/null 2>&1 || skip "no script command or no terminals here"
    # ends by the clock, so that the bar is drawn on any machine
    script -qec "gantry recon --algorithm sirt -i 1000000 --seconds 2.5 geom proj rec" /dev/null | tr '\r' '\n' >bar
    grep -q 'recon [0-9]*/1000000 residual [0-9.e+-]*, [0-9]* projections \[.*left' bar
    run ! grep '%' <(grep -v 'left' bar)
    # two projections, forward and back, to an iteration, and a few before the first
    awk '/projections/ { split($2, n, "/"); for (i = 1; i < NF; i++) if ($(i + 1) == "projections") p = $i
        if (p < 2 * n[1] - 1 || p > 2 * n[1] + 5) { print; bad = 1 } } END { exit bad }' bar
}
