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

@test "geomfit: centre and roll of a parallel beam from its own views" {
    p="--detector 96:96 --views 60 --arc 360"
    traj $p --offset 4.2 --detector-roll=-0.8 true
    traj $p nominal
    phantom --size 84:84:84 --geometry true - | noise --photons 1e5 - p
    geomfit nominal p fitted >table
    cat table
    near "$(value center <table)" 43.3 0.05
    near "$(value roll <table)" -0.8 0.06
    py '
t, f = read("true"), read("fitted")
assert np.abs(t - f)[:3, 2:].max() < 2e-3'
}

@test "geomfit: refuses what it cannot fit" {
    balls
    fails 1 "nominal: is no parallel beam" geomfit nominal p out
    fails 2 "--fit roll,pitch: pitch is no parameter" geomfit --balls --fit roll,pitch nominal p out
    zeros --size 160:120:60 zero
    fails 1 "zero: no ball can be followed" geomfit --balls nominal zero out
    traj --detector 16:4 --views 20 --arc 100 g
    random --size 16:4:20 r
    fails 1 "r: no views of g are 180 degrees apart" geomfit g r out
    no_output out
}
