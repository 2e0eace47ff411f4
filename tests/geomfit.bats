load common

# value NAME COLUMN: of the table on standard input.
value() {
    awk -v m="$1" -v c="${2:-2}" '$1 == m { print $c }'
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; print a, b; exit !(a ~ /^[-0-9.]+$/ && d <= t) }'
}

balls() {
    printf 'unit mm\nellipsoid 1 30 5 -20 2 2 2\nellipsoid 1 -15 25 -5 2 2 2\nellipsoid 1 5 -30 8 2 2 2\nellipsoid 1 20 20 22 2 2 2\n' >balls.txt
    traj --views 60 --sod 300 --sdd 456 --detector 160:120 --offset 3.3:-2.2 --detector-roll 1.2 true
    traj --views 60 --sod 300 --sdd 450 --detector 160:120 nominal
    phantom --file balls.txt --mu 1 --geometry true p
}

@test "geomfit: a phantom of balls gives shifts, roll and SDD within three standard deviations" {
    balls
    geomfit --balls nominal p fitted >table
    cat table
    while read -r name true most; do
        near "$(value $name <table)" $true "$(awk "BEGIN { print 3*$(value $name 3 <table) }")"
        near "$(value $name 3 <table)" 0 $most
    done <<END
shift-u 3.3 0.01
shift-v -2.2 0.1
roll 1.2 0.02
SDD 0.01333 0.003
END
    fbp -q --size 81:81:61 --spacing 1 nominal p a
    fbp -q --size 81:81:61 --spacing 1 fitted p b
    fbp -q --size 81:81:61 --spacing 1 true p c
    py '
a, b, c = read("a"), read("b"), read("c")
e = lambda x: np.linalg.norm(x - c)/np.linalg.norm(c)
assert e(b) < 0.1 and e(a) > 8*e(b), (e(a), e(b))'
}

# rings COUNT BALLS: balls of 4 mm, COUNT rings of BALLS each, 34 mm from the axis; a single ring lies 12 mm above the mid-plane.
rings() {
    awk -v n="$1" -v m="$2" 'BEGIN { print "unit mm"
        for (j = 0; j < n; j++) for (i = 0; i < m; i++) { a = 6.2831853*(i/m + 0.13*j)
            printf "ellipsoid 1 %.4f %.4f %.4f 2 2 2\n", 34*cos(a), 34*sin(a), (n > 1) ? -24 + 48*j/(n - 1) : 12 } }' >rings.txt
}

# fits OPTIONS...: shift-u, shift-v, roll and SDD of the table are 3.3 -2.2 1.2 and 0.01333.
fits() {
    geomfit --balls "$@" nominal p fitted >table
    cat table
    near "$(value residual <table)" 0 0.1
    near "$(value shift-u <table)" 3.3 0.02
    near "$(value shift-v <table)" -2.2 0.15
    near "$(value roll <table)" 1.2 0.02
    near "$(value SDD <table)" 0.01333 0.003
}

@test "geomfit: rings of balls that overlap in views, with noise and a holder" {
    traj --views 90 --sod 300 --sdd 456 --detector 160:120 --offset 3.3:-2.2 --detector-roll 1.2 true
    traj --views 90 --sod 300 --sdd 450 --detector 160:120 nominal
    for kind in "2 8" "3 6"; do
        # shellcheck disable=SC2086 # words
        rings $kind
        phantom --file rings.txt --mu 1 --geometry true p
        fits
    done
    echo "cylinder 0.02 0 0 0 40 40 50" >>rings.txt
    phantom --file rings.txt --mu 1 --geometry true - | noise -q --photons 1e5 - p
    fits -j 1
    mv table one
    fits -j 3
    cmp one table
}

@test "geomfit: tilt and yaw of two rings of balls" {
    rings 2 8
    traj --views 72 --sod 300 --sdd 456 --detector 160:120 --offset 3.3:-2.2 --detector-roll 1.2 --detector-tilt 2 --detector-yaw=-3 true
    traj --views 72 --sod 300 --sdd 450 --detector 160:120 nominal
    phantom --file rings.txt --mu 1 --geometry true p
    fits --fit shift-u,shift-v,roll,tilt,yaw,SDD
    near "$(value tilt <table)" 2 0.3
    near "$(value yaw <table)" -3 0.2
}

@test "geomfit: balls in the other sense of rotation, at other angles, or too few are errors without output" {
    balls
    traj --views 60 --arc=-360 --sod 300 --sdd 450 --detector 160:120 wrong
    fails 1 "reverse the geometry with 'gantry geom --reverse'" geomfit --balls wrong p out
    geom --reverse wrong right
    geomfit --balls right p fitted
    near "$(geomfit --balls right p | value SDD)" "$(geomfit --balls nominal p | value SDD)" 0.0001
    traj --views 60 --arc 340 --sod 300 --sdd 450 --detector 160:120 less
    fails 1 "check the angles" geomfit --balls less p out
    rings 1 4
    phantom --file rings.txt --mu 1 --geometry nominal p
    fails 1 "tilt is not determined" geomfit --balls --fit shift-u,shift-v,roll,tilt nominal p out
    traj --views 60 --arc 360 --detector 160:120 flat
    fails 2 "a parallel beam does not determine SDD" geomfit --balls --fit SDD flat p out
    no_output out
}

@test "geomfit: centre and roll of a parallel beam from its own views" {
    p="--detector 96:96 --views 60 --arc 360"
    traj $p --offset 4.2 --detector-roll=-0.8 true
    traj $p nominal
    phantom --size 84:84:84 --geometry true - | noise --photons 1e5 - p
    geomfit nominal p fitted >table
    cat table
    geomfit nominal p - 2>said | copy - piped
    same_bytes fitted piped
    cmp said table
    near "$(value center <table)" 43.3 0.05
    near "$(value roll <table)" -0.8 0.06
    py '
t, f = read("true"), read("fitted")
assert np.abs(t - f)[:3, 2:].max() < 2e-3'
}

@test "geomfit: only views 180 degrees apart are pairs; a parallel scan without any is refused" {
    for arc in 180 200; do traj --views 40 --arc $arc --detector 48:24 --offset 2 $arc; done
    phantom --size 40:40:20 --geometry 200 p200
    phantom --size 40:40:20 --geometry 180 p180
    traj --views 40 --arc 200 --detector 48:24 nominal
    geomfit nominal p200 fitted >table
    grep -q "^residual .* 4 pairs of views" table # 0, 5, 10, 15 degrees
    near "$(value center <table)" 21.5 0.05
    near "$(value roll <table)" 0 0.1
    fails 1 "no two views of 180 are 180 degrees apart, or all views are empty" geomfit 180 p180 out
    gantry expr 'p * 0' p=p200 empty
    fails 1 "180 degrees apart, or all views are empty" geomfit 200 empty out
    no_output out
}

# An object that is not alike above and below, nor from any two sides.
uneven() {
    printf 'ellipsoid 1 0 0 0 .55 .45 .6\nellipsoid 1 .2 .1 .1 .15 .1 .12\nellipsoid -.5 -.25 .1 -.1 .1 .15 .1\nellipsoid 2 .1 -.25 .2 .06 .06 .06\nellipsoid 1 -.2 -.2 -.15 .08 .05 .1\n' >uneven.txt
}

@test "geomfit: a cone and a fan beam's own projections give shift and roll" {
    uneven
    local beam="--views 100 --sod 300 --detector 160:40"
    # shellcheck disable=SC2086 # words
    traj $beam --sdd 456 --offset 3.3:0 --detector-roll 1.2 true
    # shellcheck disable=SC2086
    traj $beam --sdd 450 nominal
    phantom --file uneven.txt --mu 0.02 --size 100:100:80 --geometry true - | noise -q --photons 1e5 - p
    geomfit nominal p fitted >table
    cat table
    near "$(value shift-u <table)" 3.3 0.02
    near "$(value roll <table)" 1.2 0.05
    near "$(value roll 3 <table)" 0 0.02
    near "$(geomfit fitted p | value roll)" 0 0.02
    traj --views 120 --sod 300 --sdd 450 --detector 130 --offset=-4.4 --radius 450 true
    traj --views 120 --sod 300 --sdd 450 --detector 130 --radius 450 nominal
    phantom --file uneven.txt --mu 0.02 --size 80:80 --geometry true p
    geomfit -j 1 nominal p a >one
    near "$(value shift-u <one)" -4.4 0.03
    geomfit -j 3 nominal p b >three
    cmp one three
    same_bytes a b
}

@test "geomfit: a fan and a cone beam's own projections give SDD and yaw, or say that they do not" {
    uneven
    traj --views 180 --sod 300 --detector 160:40 --sdd 456 --offset 3.3:0 --detector-roll 1.2 --detector-yaw 3 true
    traj --views 180 --sod 300 --detector 160:40 --sdd 450 nominal
    phantom --file uneven.txt --mu 0.02 --size 100:100:80 --geometry true - | noise -q --photons 1e5 - p
    geomfit --fit shift-u,roll,yaw,SDD nominal p fitted >table
    cat table
    near "$(value SDD <table)" 0.01333 "$(awk "BEGIN { print 3*$(value SDD 3 <table) }")"
    near "$(value SDD 3 <table)" 0 0.01
    near "$(value yaw <table)" 3 0.15
    grep -q "^residual .* times the noise, .* pairs of rays" table
    echo "ellipsoid 1 0 0 0 .55 .55 .55" >disc.txt
    traj --views 200 --sod 300 --sdd 456 --detector 130 true
    traj --views 200 --sod 300 --sdd 450 --detector 130 nominal
    phantom --file disc.txt --mu 0.02 --size 80:80 --geometry true - | noise -q --photons 1e5 - p
    fails 1 "SDD is not determined" geomfit --fit shift-u,SDD nominal p out
    no_output out
}

@test "geomfit and center: the other sense of rotation of fan and cone beams, not of symmetric objects or parallel beams" {
    uneven
    for rest in "130" "130 --radius 450" "130 --arc 260" "80:12 --pitch 1.6"; do
        fan="--views 120 --sod 300 --sdd 450 --detector $rest"
        # shellcheck disable=SC2086 # words
        traj $fan --offset 4 true
        geom --reverse true wrong
        phantom --file uneven.txt --mu 0.02 --size 80:80:40 --geometry true - | noise -q --photons 1e5 - p
        fails 1 "reverse the geometry with 'gantry geom --reverse'" geomfit wrong p out
        center --method overlap wrong p 2>said
        grep -q "with the opposite sense of rotation, wrong fits .* times better" said
        geomfit true p
        center --method overlap true p 2>said
        run ! grep sense said
    done
    no_output out
    traj --views 120 --sod 300 --sdd 450 --detector 130 true
    geom --reverse true wrong
    echo "ellipsoid 1 0 0 0 .55 .55 .55" >disc.txt
    phantom --file disc.txt --mu 0.02 --size 80:80 --geometry true - | noise -q --photons 1e5 - p
    geomfit --fit shift-u wrong p
    center --method overlap wrong p 2>said
    run ! grep sense said
    for arc in 180 360; do
        traj --views 120 --arc $arc --detector 100 true
        geom --reverse true wrong
        phantom --file uneven.txt --mu 0.02 --size 80:80 --geometry true - | noise -q --photons 1e5 - p
        center --method overlap wrong p 2>said
        run ! grep sense said
    done
}

@test "geomfit: refuses what it cannot fit" {
    balls
    traj --views 60 --detector 160:120 flat
    fails 2 "without --balls" geomfit --fit roll flat p out
    traj --views 60 --sod 300 --sdd 450 --detector 160:120 --helix 20 helix
    fails 1 "expected a circular scan" geomfit helix p out
    traj --views 60 --sod 300 --sdd 450 --detector 160:120 --arc 90 part
    fails 1 "part: 0 pairs of opposite rays" geomfit part p out
    traj --views 60 --sod 300 --sdd 450 --detector 160 fan
    extract v 60:61 p row
    fails 2 "one row" geomfit --fit roll fan row out
    fails 2 "--fit roll,pitch: pitch is not a parameter" geomfit --balls --fit roll,pitch nominal p out
    zeros --size 160:120:60 zero
    fails 1 "zero: no ball can be followed" geomfit --balls nominal zero out
    traj --detector 16:4 --views 20 --arc 100 g
    random --size 16:4:20 r
    fails 1 "r: no two views of g are 180 degrees apart" geomfit g r out
    no_output out
}
