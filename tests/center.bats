load common

# scan TRUE-OPTIONS ASSUMED-OPTIONS [SIZE]: projections of the head (SIZE mm across) on one geometry, and another that has the axis in the middle.
scan() {
    traj $1 true
    phantom ${3:+--size $3} --geometry true - | noise --photons 1e5 - p
    traj $2 g
}

# column METHOD, of the table on standard input.
column() {
    awk -v m="$1" '$1 == m { print $2 }'
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; print a, b; exit !(a ~ /^[-0-9.]+$/ && d <= t) }'
}

@test "center: a parallel beam over 180 degrees, every method" {
    scan "--detector 200 --views 240 --offset 7.3" "--detector 200 --views 240"
    for m in phase overlap wedge; do near "$(center --method $m --only g p)" 92.2 0.1; done
    scan "--detector 90 --views 90 --offset 7.3" "--detector 90 --views 90" 68:68
    center g p >table
    cat table
    for m in negativity entropy center; do near "$(column $m <table)" 37.2 0.2; done
    near "$(center --method wedge --only g p)" "$(column wedge <table)" 0.001
}

@test "center: half acquisition, a fan beam, a cone beam, a short scan" {
    half="--detector 80 --views 240 --arc 360"
    scan "$half --offset 24.4" "$half"
    near "$(center --only g p)" 15.1 0.1
    for rest in "128 --views 180" "128 --views 180 --radius 450" "128:5 --views 180 --start 40" "128 --views 180 --arc 270"; do
        fan="--sod 300 --sdd 450 --pitch 2 --detector $rest"
        scan "$fan --offset 9" "$fan"
        near "$(center --method overlap --only g p)" 59 0.1
    done
}

@test "center: half acquisition with a fifth of the columns seen from both ends; a method alone has no uncertainty" {
    half="--detector 100 --views 240 --arc 360"
    scan "$half --offset -40" "$half"
    center g p >table
    cat table
    near "$(column overlap <table)" 89.5 0.1
    near "$(column center <table)" 89.5 0.1
    center --range 10:89 g p >table 2>said # the axis is beyond
    grep -q "^center .* (one method alone)" table
    run ! grep -q -- "+-" table
    grep -q "center: warning: p: only one method gives column .*, others give .* to .* (check with --sweep)" said
}

@test "center: the geometry written has the axis there, and reconstructs" {
    scan "--detector 100 --views 90 --offset=-5.5" "--detector 100 --views 90"
    center --method overlap g p centred >table
    center --method overlap g p - 2>said | copy - piped
    same_bytes centred piped
    cmp said table
    near "$(center --method overlap --only centred p)" 55 0.1
    geom --center 55 g exact
    fbp true p a
    fbp centred p b
    fbp g p c
    py '
a, b, c = read("a"), read("b"), read("c")
e = lambda x: np.linalg.norm(x - a)/np.linalg.norm(a)
assert e(b) < 0.1 and e(c) > 4*e(b), (e(b), e(c))'
    [ "$(section centred Quantity)" = geometry ]
}

@test "center: the sweep is a picture of nine slices" {
    scan "--detector 40 --views 60" "--detector 40 --views 60"
    center -q --method phase --sweep s.png g p
    py '
import struct
b = open("s.png", "rb").read()
assert b[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", b[16:24]) == (126, 126)'
}

@test "center: the uncertainty of all rows is their spread" {
    for row in 0 1 2 3 4; do # the axis at columns 21 to 20
        traj --views 60 --detector 48 --offset "$(awk "BEGIN { print 2.5 + $row/4 }")" true
        phantom --size 40:40 --geometry true "row$row"
    done
    join v row0 row1 row2 row3 row4 p
    traj --views 60 --detector 48:5 g
    center --method overlap --row all g p >table
    cat table
    near "$(column center <table)" 20.5 0.1
    grep -q "^center .* +- .* (5 rows)" table
    awk '$1 == "center" { exit !($4 > 0.2 && $4 < 0.6) }' table
    traj --views 60 --sod 300 --sdd 450 --detector 48:5 cone
    fails 2 "only the mid-plane row" center --row all cone p
}

@test "center: the sweep of a large slice is a part of it at full resolution" {
    traj --views 60 --detector 500 g
    echo "cylinder 1 .84 -.1 0 .05 .05 1" >rod.txt
    phantom --file rod.txt --size 500:500 --geometry g p
    center --method overlap --sweep s.png g p 2>said
    cat said
    grep -q "tiles of 384 voxels" said
    # the rod, 210 mm to the right, is in the part
    awk '{ gsub(/[(),]/, ""); for (i = 1; i < NF; i++) if ($i == "around") seen = $(i + 1) - 210 > -192 } END { exit !seen }' said
}

@test "center: the same bytes for any number of threads" {
    scan "--detector 64 --views 40 --offset 3" "--detector 64 --views 40"
    for j in 1 2 5; do center --range 20:44 -j $j g p >t$j; done
    cmp t1 t2
    cmp t1 t5
}

@test "center: refuses what it cannot use" {
    scan "--detector 32 --views 40" "--detector 32 --views 40"
    py '
x = read("p")
write("counts", x, Quantity="counts")
y = x.copy()
y[3, 0, 7] = np.inf
write("inf", y, Quantity="line-integral")
write("flat", 0*x, Quantity="line-integral")
write("z", x.astype("c8"), Quantity="line-integral")'
    fails 1 "normalize first" center g counts
    fails 1 "element 3 of row 0 in view 7 is not finite" center g inf
    fails 1 "complex" center g z
    fails 1 "flat: no method finds an axis" center g flat out
    fails 2 "ends in .png" center --sweep s.jpg g p
    fails 2 "--row 1: expected 0 to 0, the rows of p, or all" center --row 1 g p
    fails 2 "--row" center --row some g p
    fails 2 "--range" center --range 20:10 g p
    center --range 4:10 g p | awk '$1 == "phase" { exit !($3 < 0.4) }'
    fails 2 "--method" center --method best g p
    traj --views 20 --detector 32 --arc 90 less
    geom --views :20 g gv
    extract view :20 p pv
    fails 1 "cover 90.0 degrees" center less pv
    fails 1 "no views are 180 degrees apart" center --method phase less pv
    no_output out
}

@test "center: views of half a turn in any order" {
    py 'np.savetxt("angles", np.random.default_rng(1).permutation(np.arange(60) * 3.0))'
    gantry traj --angles angles --detector 64 nominal
    gantry geom --center 33.5 nominal true
    gantry phantom --size 64:64 --spacing 0.8 --geometry true p
    at=$(gantry center --method negativity --only nominal p)
    py "assert abs($at - 33.5) < 0.2"
}
