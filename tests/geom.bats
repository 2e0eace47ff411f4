load common

# value NAME: the rest of that line of the printed geometry.
value() {
    sed -n "s/^$1  *//p" printed
}

@test "geom: prints distances, magnification, pitch, angles, field of view and default grid" {
    traj --views 8 --sod 1000 --sdd 1500 --pitch 1.5:3 --detector 64:32 g
    geom g >printed
    [ "$(value kind)" = "cone beam" ]
    [ "$(value views)" = 8 ]
    [[ $(value SOD) = "1000 mm"* ]]
    [[ $(value SDD) = "1500 mm"* ]]
    [[ $(value magnification) = "1.5 "* ]]
    [ "$(value 'column pitch')" = "1.5 mm" ]
    [ "$(value 'row pitch')" = "3 mm" ]
    [[ $(value angles) = "0 to 315 degrees in steps of 45, counter-clockwise" ]]
    [[ $(value 'default grid') = "64:64:32 voxels of 1:1:2 mm" ]]
}

@test "geom: kinds and directions" {
    traj --detector 64 p
    geom p >printed
    [ "$(value kind)" = "parallel beam, one row" ]
    [[ $(value 'field of view') = "diameter 64 mm"* ]]
    traj --sod 10 --sdd 20 --arc -360 f
    geom f >printed
    [ "$(value kind)" = "fan beam" ]
    [[ $(value angles) = *clockwise ]]
    [[ $(value angles) != *counter* ]]
    traj --sod 10 --sdd 20 --helix 5 --detector 8:8 h
    geom h >printed
    [[ $(value 'source z') = *" to "* ]]
    [[ $(value 'default grid') = *"does not cover"* ]]
    traj --sod 10 --sdd 20 --radius 20 --detector 8:8 c
    geom c >printed
    [[ $(value detector) = *"radius of 20 mm"* ]]
}

@test "geom: shifts move the detector by pixels, back and forth" {
    traj --views 5 --sod 100 --sdd 150 --pitch 2:3 --detector 8:6 g
    geom --shift-u 1.5 --shift-v -2 g a
    geom --shift-u -1.5 --shift-v 2 a b
    [ "$(section a Detector)" = "8 6" ]
    py '
g, a, b = read("g"), read("a"), read("b")
assert np.allclose(a[:, 1], g[:, 1] + 1.5*g[:, 2] - 2*g[:, 3])
assert (a[:, [0, 2, 3]] == g[:, [0, 2, 3]]).all()
assert np.allclose(b, g, atol=1e-12)'
}

@test "geom: shifting the detector by one column shifts the projections by one column" {
    traj --views 5 --sod 100 --sdd 150 --detector 40:6 g
    geom --shift-u 3 g s
    random --size 20:20:5 x
    project g x p
    project s x q
    py '
p, q = read("p"), read("q")
assert np.abs(p[3:] - q[:-3]).max() < 1e-4*np.abs(p).max()'
}

@test "geom: reads what NumPy writes: other types, no Detector section" {
    py '
g = np.zeros((4, 4, 3), "f4")
g[1, 0] = -50; g[3, 0] = 1; g[1, 1] = 50; g[3, 1] = 1; g[0, 2] = 1; g[2, 3] = 1
write("g", g)
write("z", g.astype("c8"))
np.save("n.npy", g)'
    fails 1 '--detector' geom g
    geom --detector 16:4 g >a
    geom --detector 16:4 z >b
    geom --detector 16:4 n.npy >c
    cmp a b
    cmp a c
    grep -q '^magnification  *2 ' a
    geom --detector 16:4 g out
    [ "$(section out Detector)" = "16 4" ]
}

# broken CODE PART: a geometry changed by CODE is refused with PART in the sentence.
broken() {
    py "
g = read('good').astype('f8')
g = g.reshape(4, 4, -1)
extra = dict(Detector='8 6')
$1
write('bad', g, **extra)"
    fails 1 "$2" geom bad
    fails 1 bad geom bad
}

@test "geom: nonsense in a geometry is named with its view" {
    traj --views 3 --sod 10 --sdd 20 --detector 8:6 good
    broken 'g[0, 2, 1] = 0; g[1, 2, 1] = 0' 'view 1: u is zero'
    broken 'g[:, 3, 2] = 0' 'view 2: v is zero'
    broken 'g[:, 3, 2] = 2*g[:, 2, 2]' 'view 2: u and v are parallel'
    broken 'g[1, 1, 2] = np.nan' 'view 2: d is not finite'
    broken 'g[3, 0, 1] = 0' 'view 1 is a parallel beam'
    broken 'g[3, 0, :] = 3' 'last component of s is 3'
    broken 'g[3, 1, 0] = 0' 'view 0: last component of d is 0'
    broken 'g[3, 2, 0] = 1' 'view 0: last component of u is 1'
    broken 'g[:3, 0, 0] = g[:3, 1, 0]' 'view 0'
    broken 'g[:3, 0, 0] = g[:3, 1, 0] + g[:3, 2, 0]' 'parallel to the detector surface'
    broken 'g = g[:3]' '3 x 4 x 3'
    broken 'g = g[..., None].repeat(2, 3)' '4 x 4 x 3 x 2'
    broken 'g = g * (1 + 1j)' 'imaginary'
    broken 'extra = dict(Detector="8 6 1")' '360 degrees'
}

@test "geom: bad command lines" {
    traj --views 3 g
    fails 2 'OUT' geom --shift-u 1 g
    fails 2 '--shift-u' geom --shift-u x g out
    fails 1 'nothere' geom nothere
    random --size 4:4:3 x
    write_quantity() { py "write('v', read('x'), Quantity='attenuation')"; }
    write_quantity
    fails 1 'gantry traj' geom v
    no_output out
}

@test "geom: --each prints one line per view" {
    traj --views 5 --sod 100 --sdd 150 --detector 8:6 g
    geom --each g >printed
    [ "$(wc -l <printed)" = 6 ]
    py '
g = read("g")
rows = np.loadtxt("printed", skiprows=1)
assert (rows[:, 0] == range(5)).all() and np.allclose(rows[:, 1], 72*np.arange(5))
assert np.allclose(rows[:, 2:].reshape(5, 4, 3), g[:3].transpose(2, 1, 0), atol=1e-3)'
}

@test "geom: --views, --rotate and --shift make a new geometry" {
    traj --views 12 --sod 100 --sdd 150 --detector 8:6 g
    geom --views 2:9:3,0,-1 g a
    geom --rotate 90 g b
    geom --rotate 10:20:30 g c
    geom --shift 1:2:-3 g d
    traj --views 12 --start 90 --sod 100 --sdd 150 --detector 8:6 e
    traj --views 4 --detector 8:6 p
    geom --shift 1:2:-3 p q
    py '
g, a, b, c, d, e, p, q = (read(n) for n in "gabcdepq")
assert (a == g[:, :, [2, 5, 8, 0, 11]]).all()
assert np.allclose(b, e, atol=1e-12)
x, y, z = np.radians([10, 20, 30])
r = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]]) \
  @ np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]]) \
  @ np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
assert np.allclose(c[:3], np.einsum("ij,jck->ick", r, g[:3]))
assert np.allclose(d[:3, :2] - g[:3, :2], np.array([1, 2, -3])[:, None, None]) and (d[:, 2:] == g[:, 2:]).all()
assert (q[:, 0] == p[:, 0]).all() and np.allclose(q[:3, 1] - p[:3, 1], np.array([1, 2, -3])[:, None])'
    fails 2 'OUT' geom --rotate 3 g
    fails 2 '--views' geom --views 12 g x
    fails 2 '--shift' geom --shift 1:2 g x
    no_output x
}

@test "geom: moving the scanner is moving the object the other way" {
    traj --views 5 --sod 100 --sdd 150 --detector 20:16 g
    geom --shift 3:-2:4 g s
    random --size 12:12:12 x
    py 'write("y", read("x"), Origin="%g %g %g" % (-5.5 + 3, -5.5 - 2, -5.5 + 4))'
    project g x p
    project s y q
    gantry compare --tolerance 1e-5 p q
}

@test "geom: --bin joins pixels about the same centre, flat and curved" {
    for radius in 0 150; do
        traj --views 3 --sod 100 --sdd 150 --pitch 0.3:0.5 --offset 4:2 --radius $radius --detector 20:13 g$radius
        geom --bin 3:2 g$radius b$radius
        [ "$(section b$radius Detector | cut -d' ' -f1,2)" = "6 6" ]
    done
    py '
g, b = read("g0"), read("b0")
def pixel(g, n, a, c):
    return g[:3, 1] + (a - (n[0] - 1)/2)*g[:3, 2] + (c - (n[1] - 1)/2)*g[:3, 3]
assert np.allclose(b[:3, 2], 3*g[:3, 2]) and np.allclose(b[:3, 3], 2*g[:3, 3])
assert np.allclose(pixel(b, (6, 6), 2, 4), pixel(g, (20, 13), 7, 8.5))'
    # a smooth object: the mean of the joined pixels is what the larger pixel sees in its middle
    phantom --kind ball --size 30:30:30 v
    for radius in 0 150; do
        phantom --geometry g$radius --kind ball --size 30:30:30 p
        phantom --geometry b$radius --kind ball --size 30:30:30 q
        py '
p, q = read("p")[:18, :12], read("q")
m = p.reshape(6, 3, 6, 2, 3).mean((1, 3))
assert np.abs(m - q).max() < 0.05*q.max(), np.abs(m - q).max()/q.max()'
    done
    fails 1 'bins of 30 x' geom --bin 30 g0 x
    no_output x
}

@test "geom: --center puts the axis at a column, flat, curved and offset" {
    for options in "" "--radius 150" "--offset 7" "--helix 10"; do
        # shellcheck disable=SC2086
        traj --views 6 --sod 100 --sdd 150 --detector 41:5 $options g
        geom --center 13.25 g c
        printf 'unit mm\ncylinder 1 0 0 0 0.5 0.5 60\n' >rod.txt
        phantom --file rod.txt --oversample 1 --size 8:8:8 --geometry c p
        py '
p = read("p").sum(1)
assert p.max() > 0
at = (p*np.arange(41)[:, None]).sum(0)/p.sum(0)
assert np.abs(at - 13.25).max() < 0.3, at'
    done
    geom --center 13.25 c again
    py 'assert np.allclose(read("c"), read("again"), atol=1e-9)'
}

@test "geom: --check measures what the views see of a volume" {
    traj --views 36 --detector 40:20 g
    geom --check g >printed
    grep -q '^ok  *covered  *100 %' printed
    grep -q '^ok  *common ball .* 10 mm' printed
    geom --check --size 40:40:20 g
    run -1 geom --check --size 44:44:20 g
    [[ $output = *"FAILED covered"* ]]
    run -1 geom --check --size 40:40:22 g
    geom --check --size 30:30:20 --origin -9.5:-14.5:-9.5 g
    run -1 geom --check --size 30:30:20 --origin -4:-14.5:-9.5 g
    traj --views 36 --sod 30 --sdd 60 --detector 200:200 near
    run -1 geom --check --size 80:80:20 --spacing 1 near
    [[ $output = *"FAILED source"* ]]
    # a cone beam: half an object is as well seen as geometry says
    traj --views 36 --sod 100 --sdd 200 --detector 100:50 cone
    geom --check cone >printed
    py '
import re
ball = float(re.search(r"within ([0-9.]+) mm", open("printed").read()).group(1))
assert abs(ball - 100*25/np.hypot(25, 200)) < 1e-3'
    grep -q '^note  *covered' printed
    zeros --size 30:30:10 v
    geom --check --like v cone
}

@test "geom: --draw writes SVG and PNG of any scan" {
    traj --views 30 --sod 100 --sdd 150 --detector 40:20 cone
    traj --views 30 --sod 100 --sdd 150 --radius 150 --helix 8 --detector 40:20 curved
    traj --views 1 --detector 30 slice
    traj --tomosynthesis line --views 9 --sod 100 --sdd 150 --detector 40:20 tomo
    for name in cone curved slice tomo; do
        geom --draw $name.svg $name >said
        [ ! -s said ]
        geom --draw $name.png --size 16:16:8 $name
        py "
import xml.etree.ElementTree as e
text = [t.text for t in e.parse('$name.svg').getroot().iter() if t.tag.endswith('text')]
assert 'from above' in text and 'detector' in text and 'x' in text and any('mm' in t for t in text)
assert open('$name.png', 'rb').read(8) == b'\x89PNG\r\n\x1a\n'"
    done
    fails 2 '.svg' geom --draw cone.gif cone
    fails 1 'nofolder' geom --draw nofolder/cone.svg cone
    [ ! -e cone.gif ]
}

@test "geom: in place, and through a pipe" {
    traj --views 5 --sod 100 --sdd 150 --detector 8:6 g
    geom --shift-u 1 g a
    traj --views 5 --sod 100 --sdd 150 --detector 8:6 - | geom --shift-u 1 - - | copy - b
    geom --shift-u 1 g g
    same_bytes a b
    same_bytes a g
}
