load common

setup() {
    common_setup
    py '
with open("log.csv", "w") as f:
    f.write("channel,time,iteration,residual,objective\n")
    for k in range(20): f.write(f"0,0,{k},{10 * 0.5**k},\n")
with open("log.jsonl", "w") as f:
    for k in range(20): f.write("{\"iteration\": %d, \"residual\": %g, \"objective\": %s}\n" % (k, 10 * 0.5**k, "null" if k == 0 else 1 + 0.7**k))'
}

# points FILE: the corners of the curves of an SVG drawing, a line each; those of curve colour number 1 by default.
points() {
    grep "stroke=\"#${2-0072b2}\" stroke-width=\"1.8\"" "$1" | grep -o 'd="M[^"]*"' | tr -d 'dM="' | tr L ' ' | xargs -n2
}

@test "toplot: a log on logarithmic axes is where it should be" {
    gantry toplot -y residual --logy --xlim 0:20 --ylim 1e-5:10 log.csv a.svg
    gantry toplot -y residual --logy --xlim 0:20 --ylim 1e-5:10 log.jsonl b.svg
    cmp a.svg b.svg
    points a.svg >list
    py '
import math
p = [tuple(map(float, l.split())) for l in open("list")]
assert len(p) == 20
for k, (x, y) in enumerate(p):
    assert abs(x - (84 + k / 20 * (800 - 24 - 84))) < 0.11, (k, x)
    v = math.log10(10 * 0.5**k)
    assert abs(y - (444 + (v + 5) / 6 * (34 - 444))) < 0.11, (k, y)'
    for word in 1e-05 iteration residual; do grep -q ">$word<" a.svg; done
}

@test "toplot: logarithmic to the right" {
    printf 'iteration,objective\n' >powers.csv
    for k in 0 1 2 3 4 5 6; do printf '%d,%d\n' $((2 ** k)) $k >>powers.csv; done
    gantry toplot --logx --xlim 1:100 --ylim 0:6 powers.csv a.svg
    gantry toplot --xlim 1:100 --ylim 0:6 powers.csv b.svg
    points a.svg >list
    points b.svg >plain
    py '
import math
p = [tuple(map(float, l.split())) for l in open("list")]
q = [tuple(map(float, l.split())) for l in open("plain")]
assert len(p) == 7
for k, (x, y) in enumerate(p):
    assert abs(x - (84 + math.log10(2**k) / 2 * 692)) < 0.11, (k, x)
    assert abs(q[k][0] - (84 + (2**k - 1) / 99 * 692)) < 0.11, (k, q[k])
    assert abs(y - (444 - k / 6 * 410)) < 0.11, (k, y)'
}

@test "toplot: several curves have a legend, channels curves of their own" {
    gantry toplot -x iteration -y residual,objective --logy log.jsonl log.jsonl a.svg
    [ "$(grep -c '>log.jsonl ' a.svg)" = 4 ]
    gantry toplot -l one -l two -y residual log.jsonl log.csv b.svg
    grep -q '>one<' b.svg
    grep -q '>two<' b.svg
    printf 'channel,time,iteration,objective\n0,0,0,3\n0,0,1,2\n1,0,0,4\n1,0,1,1\n' >two.csv
    gantry toplot two.csv c.svg
    grep -q '>two.csv 1:0<' c.svg
    gantry toplot --minus 1 --logy log.jsonl d.png
    [ "$(head -c 4 d.png | tail -c 3)" = PNG ]
}

@test "toplot: lines of arrays over mm, and histograms" {
    py 'write("a", np.arange(24.0).reshape(4, 3, 2, order="F"), Spacing="2 2 2", Unit="1/mm")'
    gantry toplot --along y --at 1:0:-1 --xlim -4:4 --ylim 10:30 a a.svg
    points a.svg >list
    py '
p = [tuple(map(float, l.split())) for l in open("list")]
a = read("a")
for k, (x, y) in enumerate(p):
    assert abs(x - (84 + (2 * k - 2 + 4) / 8 * 692)) < 0.11, p
    assert abs(y - (444 - (a[1, k, 1] - 10) / 20 * 410)) < 0.11, p'
    grep -q '>y \[mm\]<' a.svg
    grep -q '>\[1/mm\]<' a.svg
    gantry toplot --histogram 4 a b.svg
    grep -q '>elements<' b.svg
    gantry random --size 100000 r
    gantry toplot r c.svg
    [ "$(points c.svg | wc -l)" -lt 20000 ]
    py 'write("n", np.array([1, np.nan, 3, 4, np.inf, 5.0]))'
    gantry toplot n d.svg
}

@test "toplot: bad input" {
    fails 1 "none.csv" gantry toplot none.csv a.png
    fails 1 "has no column cost, expected one of channel" gantry toplot -y cost log.csv a.png
    fails 2 ".png or .svg" gantry toplot log.csv a.jpg
    fails 2 "cannot be drawn together" gantry toplot log.csv log a.png
    fails 2 "are for arrays" gantry toplot --along x log.csv a.png
    fails 2 "LO below HI" gantry toplot --ylim 3:1 log.csv a.png
    fails 2 "above 0" gantry toplot --logy --ylim -1:1 log.csv a.png
    fails 2 "2 labels for 1" gantry toplot -l a -l b -y residual log.csv a.png
    fails 1 "nothing to draw" gantry toplot --logy --minus 99 -y residual log.csv a.png
    printf 'a,b\n1,2\n3\n' >bad.csv
    fails 1 "line 3 has 1 fields" gantry toplot bad.csv a.png
    echo hello >bad.jsonl
    fails 1 "line 1 is not a JSON object" gantry toplot bad.jsonl a.png
    gantry ones --size 4:4 o
    fails 1 "more than one element along" gantry toplot --along z o a.png
    fails 1 "index 9 is outside dimension 1" gantry toplot --along x --at 0:9 o a.png
    for option in "--along x" "--at 1:1" "--minus 3"; do
        # shellcheck disable=SC2086 # words
        fails 2 "--histogram excludes --along" gantry toplot --histogram 10 $option o a.png
    done
    fails 2 "W:H" gantry toplot --size 400 o a.png
    [ ! -e a.png ]
}
