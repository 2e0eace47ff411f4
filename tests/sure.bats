load common

setup() {
    common_setup
    gantry phantom --size 56:56 --mu 1 vol
    gantry random --size 56:56 r
    gantry saxpy 0.1 r vol y
}

# best COMMAND..: its least error over many strengths, and that of strength $chosen, in the same measure
least() {
    for l in 0.03 0.05 0.07 0.1 0.15; do
        gantry "$@" --lambda $l y x$l
    done
    py 'import glob
e = lambda n: np.linalg.norm(read(n) - read("vol"))
best = min(e(n[:-4]) for n in glob.glob("x*.hdr"))
assert e("chosen") < 1.05 * best, (e("chosen"), best)'
    rm x*
}

@test "sure: strengths are those of the least error, for every method that it knows" {
    gantry rof --noise 0.1 --sure y chosen
    least rof
    gantry denoise -m wavelet --noise 0.1 --sure --curve curve.csv y chosen
    least denoise -m wavelet
    gantry tgv -i 100 --noise 0.1 --sure y chosen
    least tgv -i 100
    py 'import csv
rows = [(float(r["lambda"]), float(r["error"])) for r in csv.DictReader(open("curve.csv"))]
assert rows == sorted(rows) and len(rows) > 8'
}

@test "sure: the estimate is the error, and the history holds the number" {
    gantry rof --noise 0.1 --sure --curve curve.csv --tolerance 1e-4 y chosen 2>said
    gantry rof --lambda "$(sed -n 's/.*lambda \([^ ]*\) by.*/\1/p' said)" --tolerance 1e-4 y again
    gantry compare --tolerance 1e-4 chosen again
    gantry history chosen | grep -q -- --lambda=
    if gantry history chosen | grep -q -- --sure; then false; fi
    py 'import csv
best = min(float(r["error"]) for r in csv.DictReader(open("curve.csv")))
true = np.sqrt(np.mean((read("chosen") - read("vol"))**2))
assert abs(best / true - 1) < 0.15, (best, true)'
    gantry rof --noise 0.1 --sure -j 3 --curve curve.png --tolerance 1e-4 y more
    same_bytes chosen more
    [ "$(head -c 4 curve.png | tail -c 3)" = PNG ]
}

@test "sure: bad input" {
    fails 2 "excludes --lambda 3" gantry rof --lambda 3 --sure y x
    fails 2 "--sure supports" gantry denoise -m median --sure y x
    fails 2 "--sure supports" gantry denoise -m wavelet --hard --sure y x
    fails 2 "needs --sure" gantry rof --curve a.csv y x
    fails 1 "the noise is 0" gantry rof --noise 0 --sure y x
    no_output x
}
