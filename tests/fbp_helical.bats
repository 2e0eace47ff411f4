# Helical scans: means from exact line integrals, for both senses of rotation and climb, flat and curved detectors.
load common

@test "fbp: Katsevich's method gives a ball's mean within 0.2 % in every slice, Feldkamp's in the window within 1 %" {
    printf 'unit mm\nellipsoid 1 3 2 1 22 22 17\nellipsoid 0.5 8 -6 2 6 6 6\n' >balls.txt
    while read -r options; do
        traj --sod 180 --sdd 270 --pitch 2 --detector 64:22 --arc 1080 --views 360 --helix 26 $options g
        phantom --file balls.txt --mu 1 --geometry g p
        for m in katsevich helical; do fbp -q --method $m --size 56:56:25 --spacing 1 g p $m; done
        phantom --file balls.txt --mu 1 --size 56:56:25 --spacing 1 --oversample 1 truth
        py '
t = read("truth")
m = t == 1
for i in range(3):
    p = np.pad(m, 1)
    m = np.min([p[1 + a:p.shape[0] - 1 + a, 1 + b:p.shape[1] - 1 + b, 1 + c:p.shape[2] - 1 + c] for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)], axis=0)
for name, mean, slices, spread in ("katsevich", 2e-3, 3e-3, 0.01), ("helical", 1e-2, 2e-2, 0.06):
    r = read(name).astype("f8")
    each = [r[:, :, k][m[:, :, k]].mean() for k in range(25) if m[:, :, k].sum() > 20]
    print("'"$options"'", name, r[m].mean(), r[m].std(), min(each), max(each))
    assert abs(r[m].mean() - 1) < mean and np.abs(np.array(each) - 1).max() < slices and r[m].std() < spread'
    done <<END
--start 20
--arc -1080 --radius 270
--pitch -2:2 --helix -26 --offset 3:2
END
}

@test "fbp: helical methods stream, take channels and threads, and give float64" {
    traj --sod 180 --sdd 270 --pitch 4 --detector 30:12 --arc 720 --views 90 --helix 22 g
    phantom --kind ball --size 20:20:20 --mu 1 --geometry g a
    scale 2 a b
    join channel a b ab
    fbp -q --method katsevich --size 20:20:7 g ab x
    copy ab - | fbp -q -j 1 --method katsevich --size 20:20:7 g - - | copy - y
    same_bytes x y
    fbp -q -j 3 --method katsevich --type float64 --size 20:20:7 g a d
    py 'x, d = read("x"), read("d")
assert d.dtype == "f8" and np.abs(x[..., 0] - d).max() < 1e-5 and np.abs(x[..., 1] - 2*d).max() < 2e-5'
    fbp --method katsevich --size 20:20:40 g a z 2>said
    grep -q 'the helix covers slices from z = ' said
}

@test "fbp: helical methods refuse what is no helix for them" {
    traj --sod 180 --sdd 270 --pitch 4 --detector 30:12 --views 90 circle
    ones --size 30:12:90 p
    fails 1 "circle: the source does not move along a helix" fbp --method katsevich circle p x
    traj --sod 180 --sdd 270 --pitch 4 --detector 30:12 --views 90 --arc 720 --helix 80 steep
    fails 1 "steep: the detector rows cover -22 to 22 mm, but a helix with 80 mm per rotation needs" fbp --method helical steep p x
    traj --sod 180 --sdd 270 --pitch 4 --detector 30:12 --views 90 --arc 720 --helix 20 --detector-tilt 3 lean
    fails 1 "lean: view 0 does not continue the helix" fbp --method katsevich lean p x
    traj --sod 180 --sdd 270 --pitch 4 --detector 30:12 --views 90 --arc 720 --helix 20 --radius 200 curved
    fails 1 "curved: the detector radius is 200 mm, expected 270 mm" fbp --method katsevich curved p x
    traj --detector 30:12 --views 90 par
    fails 1 "par: not a helical cone-beam scan" fbp --method katsevich par p x
    fails 2 "--method" fbp --method exact par p x
    no_output x
}
