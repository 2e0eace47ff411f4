load common

@test "backproject: the exact transpose of project" {
    for o in "--detector 33:29" "--detector 33:29 --sod 80 --sdd 120" "--detector 33:29 --sod 80 --sdd 120 --radius 120 --offset 3:2" \
        "--detector 33:29 --tilt 50" "--detector 47"; do
        traj --views 13 $o g
        rows=29 nz=24
        [[ $o = *:* ]] || { rows=1 nz=1; }
        random --size 30:28:$nz x
        random --size "$(section g Detector | cut -d' ' -f1)":$rows:13 --seed 1 y
        project g x ax
        backproject --like x g y ay
        py '
x, y, ax, ay = (read(n).astype("f8").ravel(order="F") for n in ("x", "y", "ax", "ay"))
x0, y0 = x, y
d = abs(ax@y - x@ay)/max(np.linalg.norm(ax)*np.linalg.norm(y), np.linalg.norm(x)*np.linalg.norm(ay))
assert d < 3e-8, d'
    done
}

@test "backproject: the default grid: columns, columns, rows, pitch over magnification, centred" {
    traj --views 4 --detector 10:6 --sod 100 --sdd 150 --pitch 1.5:3 g
    ones --size 10:6:4 p
    backproject g p v
    [ "$(dims v)" = "10 10 6" ]
    [ "$(section v Spacing | cut -d' ' -f1-3)" = "1 1 2" ]
    [ "$(section v Origin | cut -d' ' -f1-3)" = "-4.5 -4.5 -5" ]
    [ -z "$(section v Quantity)" ]
}

@test "backproject: --size, --spacing, --origin and --like, explicit in the history" {
    traj --views 4 --detector 10:6 g
    ones --size 10:6:4 p
    backproject --size 7:8:9 --spacing 0.5 --origin 1:2:3 g p a
    [ "$(dims a)" = "7 8 9" ]
    [ "$(section a Spacing | cut -d' ' -f1-3)" = "0.5 0.5 0.5" ]
    [ "$(section a Origin | cut -d' ' -f1-3)" = "1 2 3" ]
    backproject --like a g p b
    same_bytes a b
    grep -q 'backproject .*--origin=1:2:3 .*--size=7:8:9 .*--spacing=0.5:0.5:0.5' b.hdr
    run ! grep -e '--like=a @' b.hdr
    backproject --size 12 g p c
    [ "$(dims c)" = "12 12 6" ]
    [ "$(section c Origin | cut -d' ' -f1-3)" = "-5.5 -5.5 -2.5" ]
}

@test "backproject: says when the default grid does not cover the field of view" {
    ones --size 10:6:4 p
    traj --views 4 --detector 10:6 full
    backproject full p v 2>said
    [ ! -s said ]
    traj --views 4 --detector 10:6 --offset 3 half
    backproject half p v 2>said
    grep -q -e '--size 16:16:6' said
    backproject --size 16:16:6 half p v 2>said
    [ ! -s said ]
}

@test "backproject: the same bytes for any number of threads, through pipes, channels alike" {
    traj --views 150 --detector 33:3 --sod 90 --sdd 130 g
    random --size 33:3:150:2 p
    backproject -q -j1 g p v1
    for j in 2 7; do
        backproject -q -j$j g p v$j
        same_bytes v1 v$j
    done
    copy p - | backproject -q g - piped
    same_bytes v1 piped
    backproject -q g p - | copy - sent
    same_bytes v1 sent
    slice channel 1 p one
    slice channel 1 v1 want
    backproject -q g one got
    same_bytes want got
    random --size 33:33:3 x
    project g x q
    backproject -q g q a
    project g x - | backproject -q g - b
    same_bytes a b
}

@test "backproject: a view at a time adds up to all views" {
    traj --views 6 --detector 20:10 --sod 90 --sdd 130 g
    random --size 20:10:6 p
    backproject -q g p all
    zeros --size 20:20:10 sum
    for k in 0 1 2 3 4 5; do
        extract view $k:$((k + 1)) g gk
        extract view $k:$((k + 1)) p pk
        backproject -q --like all gk pk vk
        saxpy 1 vk sum sum
    done
    compare --tolerance 1e-6 all sum
}

@test "backproject: bad input" {
    traj --views 4 --detector 10:6 g
    ones --size 10:6:4 p
    ones --size 10:6:5 more
    fails 1 '10 x 6 x 5' backproject g more out
    fails 1 'nothere' backproject g nothere out
    fails 2 '--size' backproject --size 1:2:3:4 g p out
    fails 2 '--size' backproject --size 0 g p out
    fails 2 '--origin' backproject --origin 1:2 g p out
    fails 2 '--spacing' backproject --spacing 0 g p out
    fails 1 'nothere' backproject --like nothere g p out
    py '
p = read("p"); p[3, 3, 3] = np.nan
write("nan", p)
write("vol", np.ones((10, 6, 4), "f4"), Quantity="attenuation")'
    fails 1 'nan' backproject g nan out
    fails 1 'vol' backproject g vol out
    copy nan - >stream
    fails 1 'NaN' backproject g - out <stream
    head -c 700 stream >cut
    fails 1 '' backproject g - out <cut
    no_output out
}

@test "backproject: an axis behind the source has no default grid" {
    traj --views 2 --detector 10:6 --sod 100 --sdd 150 g
    py '
g = read("g"); g[:3, 1] += 2*(g[:3, 0] - g[:3, 1])
write("g", g, Detector="10 6")'
    ones --size 10:6:2 p
    fails 1 '--size' backproject g p out
    fails 1 'no ray meets the volume' backproject --size 5:5:5 --spacing 1 g p out
    backproject --force --size 5:5:5 --spacing 1 g p out
}

@test "backproject: every element type, as its numbers" {
    traj --views 5 --detector 9:4 g
    for t in bool uint8 int16 uint32 int64 float16; do
        random --size 9:4:5 --seed 3 r
        scale 40 r r
        cast -q --type $t r p
        cast --type float32 p f
        backproject g p a
        backproject g f b
        same_bytes a b
    done
}

@test "backproject and project: no infinity in silence" {
    traj --views 8 --detector 9 g
    ones --size 9:1:8 p
    scale 1e38 p p
    fails 1 'too large for float32' backproject g p v
    no_output v
    backproject --type float64 g p v
    ones --size 9:9 x
    scale 1e38 x x
    fails 1 '--type float64' project g x q
    no_output q
    project --type float64 g x q
}

@test "backproject: a finer --spacing without --size says which size the field of view needs" {
    ones --size 10:1:4 p
    traj --views 4 --detector 10 g
    backproject --spacing 0.5 g p v 2>said
    grep -q -e '(give --size 20:20:1)' said
    backproject --spacing 0.5 --size 20:20 g p v 2>said
    [ ! -s said ]
}

@test "backproject: --like takes the grid of a volume" {
    ones --size 10:1:4 p
    traj --views 4 --detector 10 g
    fails 1 '--like takes the grid of a volume' backproject --like g g p v
    no_output v
}
