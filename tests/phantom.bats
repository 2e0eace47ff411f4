load common

# exact_error GEOM N OPTIONS...: NRMSE between the exact integrals and the projections of the phantom on a grid of that many columns
exact_error() {
    local geom=$1
    shift
    phantom --geometry "$geom" exact
    phantom "$@" vol
    project "$geom" vol proj
    compare exact proj
}

@test "phantom: exact integrals agree with projections of the voxels to 1 %, better on finer grids" {
    traj --views 20 --detector 128 par
    traj --views 20 --detector 128 --sod 500 --sdd 750 --pitch 1.5 fan
    for g in par fan; do
        coarse=$(exact_error $g --size 256:256 --spacing 0.5)
        fine=$(exact_error $g --size 512:512 --spacing 0.25)
        echo "$g: $coarse, $fine"
        awk "BEGIN { exit !($fine < 0.01 && $fine < 0.7 * $coarse) }"
    done
}

@test "phantom: the same for a cone beam and a parallel beam in 3-D" {
    traj --views 3 --start 20 --detector 128:32 --sod 500 --sdd 750 --pitch 1.5 cone
    traj --views 3 --start 20 --detector 128:32 par
    for g in cone par; do
        coarse=$(exact_error $g --size 256:256:96 --spacing 0.5)
        fine=$(exact_error $g --size 512:512:192 --spacing 0.25)
        echo "$g: $coarse, $fine"
        awk "BEGIN { exit !($fine < 0.01 && $fine < 0.7 * $coarse) }"
    done
}

@test "phantom: sizes, spacing, quantity and unit" {
    phantom a
    [ "$(dims a)" = "128 128" ]
    [ "$(section a Quantity)" = attenuation ]
    [ "$(section a Unit)" = 1/mm ]
    phantom --size 40 b
    [ "$(dims b)" = "40 40" ]
    phantom --size 20:30:10 --spacing 0.5:0.5:2 c
    [ "$(dims c)" = "20 30 10" ]
    [ "$(section c Spacing)" = "0.5 0.5 2" ]
    [ "$(section c Origin)" = "-4.75 -7.25 -9" ]
    traj --views 7 --detector 32:8 --sod 100 --sdd 200 g
    phantom --geometry g p
    [ "$(dims p)" = "32 8 7" ]
    [ "$(section p Quantity)" = line-integral ]
    phantom --geometry g --type float64 p64
    [ "$(section p64 Type)" = float64 ]
    py 'assert np.allclose(read("p64"), read("p"), rtol=1e-6)'
}

@test "phantom: published values times --mu, coordinates span the grid" {
    phantom --size 64:64 --mu 1 --oversample 1 m
    phantom --size 64:64 --mu 0.5 --oversample 1 --spacing 3 half
    phantom --size 64:64 --mu 1 --oversample 1 --kind shepp-logan o
    py '
m, h, o = read("m"), read("half"), read("o")
assert np.array_equal(m, 2*h)
x = (np.arange(64) - 31.5)/32
X, Y = np.meshgrid(x, x, indexing="ij")
def inside(x0, y0, a, b, phi):
    c, s = np.cos(np.deg2rad(phi)), np.sin(np.deg2rad(phi))
    u, v = c*(X - x0) + s*(Y - y0), -s*(X - x0) + c*(Y - y0)
    return (u/a)**2 + (v/b)**2 <= 1
shapes = [(1, 2, 0, 0, .69, .92, 0), (-.8, -.98, 0, -.0184, .6624, .874, 0), (-.2, -.02, .22, 0, .11, .31, -18), (-.2, -.02, -.22, 0, .16, .41, 18),
          (.1, .01, 0, .35, .21, .25, 0), (.1, .01, 0, .1, .046, .046, 0), (.1, .01, 0, -.1, .046, .046, 0), (.1, .01, -.08, -.605, .046, .023, 0),
          (.1, .01, 0, -.606, .023, .023, 0), (.1, .01, .06, -.605, .023, .046, 0)]
assert np.abs(m - sum(s[0]*inside(*s[2:]) for s in shapes)).max() < 1e-6
assert np.abs(o - sum(s[1]*inside(*s[2:]) for s in shapes)).max() < 1e-6'
}

@test "phantom: the letter F stands upright with y upwards" {
    phantom --kind letter-f --size 40:40:40 --mu 1 f
    phantom --kind letter-f --size 40:40 --mu 1 f2
    py '
f, g = read("f"), read("f2")
at = lambda x, y, z: f[int(20 + 20*x), int(20 + 20*y), int(20 + 20*z)]
assert at(-.35, -.6, 0) == 1 and at(-.35, -.6, .4) == 0        # stem, lower part only
assert at(.3, .6, -.4) == 1 and at(.3, .6, .4) == 1            # upper bar
assert at(.2, .1, .4) == 1 and at(.2, .1, -.2) == 0            # middle bar, upper part only
assert at(.4, .1, .4) == 0 and at(.2, -.5, 0) == 0
assert g[int(20 - 7), 5] == 1 and g[26, 32] == 1 and g[24, 22] == 1 and g[30, 22] == 0 and g[26, 10] == 0'
}

@test "phantom: disk, ball and cylinder have their volumes" {
    phantom --kind disk --size 64:64 --mu 1 --spacing 0.5 d
    phantom --kind ball --size 64:64:64 --mu 1 --spacing 0.5 b
    phantom --kind cylinder --size 64:64:40 --mu 1 --spacing 0.5 c
    py '
r = .8*16
assert abs(read("d").sum()*.25/(np.pi*r**2) - 1) < 2e-3
assert abs(read("b").sum()*.125/(4/3*np.pi*r**3) - 1) < 2e-3
assert abs(read("c").sum()*.125/(np.pi*r**2*16) - 1) < 2e-3'
}

@test "phantom: lists of shapes" {
    cat >list.txt <<'END'
# value x y z a b c phi theta psi
2, 0.1, -0.2, 0, 0.5, 0.3, 0.2, 30   # an ellipsoid
-0.5 0 0 0 .2 .2 .2

box 1 -.5 -.5 0 .1 .1 .1
END
    printf 'unit mm\ncylinder 1 0 0 0 8 4 6 90\nunit fov\nellipsoid 1 0.5 0.5 0.5 .1 .1 .1 10 20 30\n' >mm.txt
    phantom --file list.txt --size 50:50:50 --mu 1 a
    phantom --file list.txt --size 50:50:50 --spacing 2 --mu 1 twice
    same_bytes a twice
    phantom --file mm.txt --size 40:40:40 --mu 1 b
    py '
a, b = read("a"), read("b")
h = (1/25)**3
assert abs(a.sum()*h - 4/3*np.pi*(2*.5*.3*.2 - .5*.008) - .008) < 4e-3
assert abs(b.sum() - np.pi*8*4*12 - 4/3*np.pi*8) < 12
assert b[21, 26, 20] == 1 and b[26, 21, 20] == 0      # turned by 90 degrees'
    traj --views 5 --detector 50:50 g
    phantom --file list.txt --size 50:50:50 --geometry g p
    py 'assert np.all(np.isfinite(read("p"))) and read("p").max() > 0'
}

@test "phantom: a bad list is refused with file and line" {
    printf '1 0 0 0 .1 .1 .1\n1 0 0 zero .1 .1 .1\n' >bad.txt
    fails 1 "bad.txt: line 2: '1 0 0 zero .1 .1 .1', expected" phantom --file bad.txt x
    printf '1 0 0 0 .1 .1\n' >bad.txt
    fails 1 "bad.txt: line 1" phantom --file bad.txt x
    printf '1 0 0 0 .1 -.1 .1\n' >bad.txt
    fails 1 "bad.txt: line 1: the half axis is -0.1, expected > 0" phantom --file bad.txt x
    printf 'unit inch\n' >bad.txt
    fails 1 "expected 'unit mm' or 'unit fov'" phantom --file bad.txt x
    printf '1 0 0 0 .1 .1 .1 0 0 0 0\n' >bad.txt
    fails 1 "bad.txt: line 1" phantom --file bad.txt x
    printf '1 0 0 0 nan .1 .1\n' >bad.txt
    fails 1 "bad.txt: line 1" phantom --file bad.txt x
    printf '# nothing\n' >bad.txt
    fails 1 "bad.txt: no shapes" phantom --file bad.txt x
    fails 1 "none.txt" phantom --file none.txt x
    no_output x
}

@test "phantom: the same bytes for any threads and through a pipe" {
    traj --views 9 --detector 40:20 --sod 100 --sdd 150 g
    for j in 1 2 7; do
        phantom -j $j --size 30:40:20 v$j
        phantom -j $j --geometry g p$j
    done
    phantom --size 30:40:20 - | copy - vp
    phantom --geometry g - | copy - pp
    for n in 2 7 p; do
        same_bytes v1 v$n
        same_bytes p1 p$n
    done
}

@test "phantom: the history names the grid that a geometry gave" {
    traj --views 4 --detector 32:8 --sod 100 --sdd 200 --pitch 2 g
    phantom --geometry g p
    gantry history p | grep -q -- '--size=32:32:8'
    gantry history p | grep -q -- '--spacing=1:1:1'
    phantom --size 32:32:8 --geometry g q
    same_bytes p q
}

@test "phantom: bad command lines" {
    traj --views 4 --detector 32:8 g
    phantom v
    fails 2 "--size" phantom --size 0 x
    fails 2 "--size" phantom --size 2:2:2:2 x
    fails 2 "--kind" phantom --kind nothing x
    fails 2 "--oversample" phantom --oversample 0 x
    fails 2 "expected NX:NY:NZ" phantom --size 32:32 --geometry g x
    fails 2 "--detector" phantom --detector 32:8 x
    fails 1 "v" phantom --geometry v x
    fails 1 "none" phantom --geometry none x
    no_output x
}

@test "phantom: --origin moves the grid, not the object" {
    phantom --size 10:6:5 --spacing 1:2:1.5 --origin -6.5:-9:-3.75 part
    [ "$(section part Origin | cut -d' ' -f1-3)" = "-6.5 -9 -3.75" ]
    printf 'unit mm\nbox 1 2 3 4 2.5 3 5\n' >box.txt
    phantom --size 40:40:40 --spacing 0.5 --file box.txt --oversample 1 a
    phantom --size 20:20:30 --spacing 0.5 --origin -0.25:-0.25:-1.25 --file box.txt --oversample 1 b
    py '
a, b = read("a"), read("b")
assert (b[:, :, :22] == a[19:39, 19:39, 17:39]).all() and b.any()'
    fails 2 '--origin' phantom --origin 1:2 x
    traj g
    fails 2 '--origin' phantom --origin 1:2:3 --geometry g x
    no_output x
}

@test "phantom: what an integer type cannot hold is counted" {
    phantom --kind disk --size 32:32 --oversample 1 --mu 300 --type uint8 x 2>said
    n=$(py 'import math; print(int((read("x") == 255).sum()))')
    [ "$n" -gt 100 ]
    grep -q "$n of 1024 values do not fit into uint8: clipped in x" said
    traj --views 3 --detector 32:1 g
    phantom --kind disk --mu 30 --size 32:32 --geometry g --type uint8 p 2>said
    grep -q "of 96 values do not fit into uint8" said
    phantom --kind disk --size 32:32 --mu 255 --type uint8 y 2>said
    [ ! -s said ]
}
