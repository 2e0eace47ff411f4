# --mask: the operator A M, with M = 0 outside a circle or where a file is 0.
load common

setup() {
    common_setup
    traj --views 9 --start 3 --detector 70:20 --sod 200 --sdd 300 --pitch 1.5 g
    random --size 66:60:20 x
    py '
i, j = np.mgrid[:66, :60]
write("disc", np.broadcast_to(((i - 32.5)**2 + (j - 29.5)**2 <= 20**2)[:, :, None], (66, 60, 20)).astype("u1"))
write("inner", np.broadcast_to(((i - 32.5)**2 + (j - 29.5)**2 <= 30**2)[:, :, None], (66, 60, 20)).astype("f4"))
r = np.random.default_rng(1)
write("holes", (r.random((66, 60, 20)) < 0.7).astype("f4"), Quantity="mask")
write("slice", (r.random((66, 60)) < 0.7).astype("u1"))'
}

@test "mask: project is the projection of the masked volume, backproject is 0 outside" {
    random --size 70:20:9 --seed 2 y
    backproject -q --like x g y all
    for pair in circle:20=disc circle=inner disc=disc holes=holes slice=slice; do
        py "
x, all, m = read('x'), read('all'), read('${pair#*=}') != 0
m = m.reshape(m.shape + (1,) * (3 - m.ndim))
write('masked', (x * m).astype('f4')); write('want', (all * m).astype('f4'))"
        project g masked want_p
        project --mask "${pair%=*}" g x p
        same_bytes want_p p
        backproject -q --mask "${pair%=*}" --like x g y v
        py 'assert (read("want") == read("v")).all()'
    done
}

@test "mask: the circle is given in mm, is centred in the slices and noted with its radius" {
    py '
i, j = np.mgrid[:30, :40]
write("v", np.ones((30, 40, 2), "f4"), Spacing="2 0.5 1", Origin="5 5 0")
write("inside", np.broadcast_to((((i - 14.5)*2)**2 + ((j - 19.5)*0.5)**2 <= 7.5**2)[:, :, None], (30, 40, 2)).astype("u1"))'
    project --mask circle:7.5 g v a
    project --mask inside g v b
    same_bytes a b
    project --mask circle g v c
    grep -q -e '--mask=circle:10 ' c.hdr
    grep -q -e '--mask=<inside:' b.hdr
    copy inside shifted
    printf '# Spacing\n2 0.5 1\n# Origin\n5 -5 0\n' >>shifted.hdr
    project --mask shifted g v b 2>said
    same_bytes a b
    grep -q 'warning: shifted begins at -5 mm along dimension 1, but the volume begins at 5 mm' said
    copy inside fits
    printf '# Spacing\n2 0.5 1\n# Origin\n5 5 0\n' >>fits.hdr
    project --mask fits g v b 2>&1 | { ! grep -q 'begins\|spacing'; }
}

@test "mask: a circle in a loop" {
    join channel x x two
    for command in "project" "project --mask circle" "project --mask circle:20"; do
        $command g two whole
        gantry -l channel $command g two parts
        same_bytes whole parts
    done
}

@test "mask: complex volumes and a double precision" {
    py 'x = read("x"); write("z", (x + 2j*x[::-1]).astype("c8")); write("m", (read("holes")*(x + 2j*x[::-1])).astype("c8"))'
    for o in "" "--type complex128"; do
        project $o --mask holes g z a
        project $o g m b
        same_bytes a b
    done
}

@test "mask: cg and wls leave voxels outside at 0, and a mask of ones changes nothing" {
    py 'write("x", 0.01*abs(read("x")))'
    project --mask circle:20 g x p
    py 'write("ones", np.ones((66, 60, 1), "u1"))'
    for command in "cg" "wls" "wls --nonneg"; do
        $command -q -i 4 --mask circle:20 --like x g p a
        py 'a, m = read("a"), read("disc"); assert (a[m == 0] == 0).all() and (a[m == 1] != 0).mean() > 0.1'
        $command -q -i 3 --mask ones --like x g p a
        $command -q -i 3 --like x g p b
        same_bytes a b
    done
    cg -q -i 0 --mask disc --init x --like x g p a
    py 'assert (read("a") == read("x")*read("disc")).all()'
    # knowing where the object is fits the data better: fewer unknowns, the same minimum 0
    cg -q -i 30 --mask circle:20 --like x g p a
    cg -q -i 30 --like x g p b
    py '
x, a, b = read("x")*read("disc"), read("a"), read("b")
assert np.linalg.norm(a - x) < np.linalg.norm(b - x)'
}

@test "mask: recon leaves voxels outside at 0, whatever terms and starting volume" {
    traj --views 5 --detector 12:1 few
    py '
r = np.random.default_rng(4)
write("v", r.random((9, 7, 1, 2)).astype("f4"))
write("prior", r.random((9, 7)).astype("f4"))
write("some", (r.random((9, 7)) < 0.6).astype("f4"))'
    project few v p
    for o in "" "-a cg" "-a mlem" "-a armijo -R smooth:0.2" "-a fista -R tgv:0.1" "-R tv:0.1:dims=x,channel" "-a fista -R box:0.1:inf" "-a pdhg -R l1:1:prior --prior prior"; do
        recon -q $o --mask some --size 9:7:1 --spacing 1 -i 4 --save-every 2 --save-as "s{iteration}{channel}" few p a
        py '
a, m, s = read("a"), read("some").astype(bool)[:, :, None], read("s00020")
assert (a[~m] == 0).all() and (a[m] != 0).any() and (s.reshape(s.shape[:3] + (-1,))[~m] == 0).all()'
    done
}

@test "mask: bad ones" {
    py '
write("small", np.ones((66, 60, 19), "u1"))
write("nan", np.full((66, 60, 20), np.nan, "f4"))
write("complex", np.ones((66, 60, 20), "c8"))
write("lines", np.ones((66, 60, 20), "f4"), Quantity="line-integral")'
    fails 1 'small is 66 x 60 x 19, expected 66 x 60 x 20' project --mask small g x out
    fails 1 'nan' project --mask nan g x out
    fails 1 'complex' project --mask complex g x out
    fails 1 'lines' project --mask lines g x out
    fails 2 'radius' project --mask circle:0 g x out
    fails 2 'circle' project --mask circle: g x out
    fails 2 'circle' project --mask circle:1:2 g x out
    fails 1 'nothere' project --mask nothere g x out
    random --size 70:20:9 y
    fails 1 'small' backproject -q --mask small --like x g y out
    fails 1 'small' cg -q --mask small --like x g y out
    no_output out
}
