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
    traj --detector 64 p && geom p >printed
    [ "$(value kind)" = "parallel beam, one row" ]
    [[ $(value 'field of view') = "diameter 64 mm"* ]]
    traj --sod 10 --sdd 20 --arc -360 f && geom f >printed
    [ "$(value kind)" = "fan beam" ]
    [[ $(value angles) = *clockwise ]] && [[ $(value angles) != *counter* ]]
    traj --sod 10 --sdd 20 --helix 5 --detector 8:8 h && geom h >printed
    [[ $(value 'source z') = *" to "* ]]
    [[ $(value 'default grid') = *"does not cover"* ]]
    traj --sod 10 --sdd 20 --radius 20 --detector 8:8 c && geom c >printed
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
    cmp a b && cmp a c
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
    broken 'g[3, 0, :] = 2' 'last component of s is 2'
    broken 'g[3, 1, 0] = 0' 'view 0: last component of d is 0'
    broken 'g[3, 2, 0] = 1' 'view 0: last component of u is 1'
    broken 'g[:3, 0, 0] = g[:3, 1, 0]' 'view 0'
    broken 'g[:3, 0, 0] = g[:3, 1, 0] + g[:3, 2, 0]' 'along the detector'
    broken 'g = g[:3]' '3 x 4 x 3'
    broken 'g = g[..., None].repeat(2, 3)' '4 x 4 x 3 x 2'
    broken 'g = g * (1 + 1j)' 'imaginary'
    broken 'extra = dict(Detector="8 6 1")' 'full turn'
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
