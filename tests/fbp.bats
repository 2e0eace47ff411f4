load common

# inside NAME VALUE TOLERANCE [RADIUS]: every voxel of the slice at z = 0 within 0.9 of the phantom cylinder's radius has that value
inside() {
    py "
r = read('$1').astype('f8')
r = r[:, :, r.shape[2]//2] if r.ndim > 2 else r
n = r.shape[0]
x = np.arange(n) - (n - 1)/2
a = r[np.hypot(*np.meshgrid(x, x)) < ${4:-0.36*n}]
off = np.abs(a/$2 - 1)
print('$1: mean %.5f, worst %.4f' % (a.mean()/$2, off.max()))
assert abs(a.mean()/$2 - 1) < $3/3 and off.max() < $3"
}

@test "fbp: the exact integrals of a uniform cylinder give its attenuation within 1 %" {
    fan="--sod 500 --sdd 750 --pitch 1.5"
    while read -r name options; do
        traj --detector 128 $options g
        phantom --kind cylinder --geometry g p
        fbp g p "$name"
        inside "$name" 0.02 0.01
    done <<END
parallel-180 --views 200
parallel-360 --views 300 --arc 360
end-point-twice --views 201 --arc 180.9
golden --views 200 --golden
fan-flat --views 240 $fan
fan-flat-short --views 220 $fan --arc 200
fan-curved --views 240 $fan --radius 750
fan-curved-short --views 220 $fan --radius 750 --arc 240
END
}

@test "fbp: the same for a cone beam, in the mid-plane" {
    while read -r name options; do
        traj --detector 128:16 --sod 500 --sdd 750 --pitch 1.5 $options g
        phantom --kind cylinder --geometry g p
        fbp --size 128:128:9 g p "$name"
        inside "$name" 0.02 0.01
    done <<END
cone --views 120
cone-short --views 110 --arc 200
cone-curved --views 120 --radius 750
END
}

@test "fbp: a disk of 1 comes back as 1, whatever the pitch, magnification and voxel size" {
    while read -r name size spacing options; do
        traj --views 200 $options g
        printf 'unit mm\ncylinder 1 3 -2 0 20 20 30\n' >disk.txt
        phantom --file disk.txt --mu 1 --geometry g p
        fbp --size $size --spacing $spacing g p "$name"
        py "
v = read('$name')
s = [float(x) for x in '$(section "$name" Spacing)'.split()]
o = [float(x) for x in '$(section "$name" Origin)'.split()]
X, Y = np.meshgrid(o[0] + s[0]*np.arange(v.shape[0]), o[1] + s[1]*np.arange(v.shape[1]), indexing='ij')
a = v[np.hypot(X - 3, Y + 2) < 17]
print('$name', a.mean(), np.abs(a - 1).max())
assert abs(a.mean() - 1) < 4e-3 and np.abs(a - 1).max() < 0.02"
    done <<END
unit 60:60 1 --detector 64
fine 120:120 0.4 --detector 200 --pitch 0.4
mirrored 60:60 1 --detector 64 --pitch -1
fan 60:60 0.8 --detector 100 --sod 100 --sdd 150
magnified 60:60 1 --detector 200 --sod 100 --sdd 600 --pitch 2
equiangular 60:60 1 --detector 100 --sod 100 --sdd 150 --radius 150
shifted 60:60 1:2 --detector 110 --sod 100 --sdd 150 --offset 6
half-fan 50:50 1 --detector 60 --sod 100 --sdd 150 --offset 22
END
}

@test "fbp: the letter F stays upright through project and fbp" {
    phantom --kind letter-f --size 48:48:48 --mu 1 f3
    phantom --kind letter-f --size 48:48 --mu 1 f2
    traj --views 90 --detector 48:48 --sod 200 --sdd 300 --pitch 1.5 cone
    traj --views 90 --detector 48:48 --start 25 par3
    traj --views 90 --detector 48 par2
    traj --views 90 --detector 48 --sod 200 --sdd 300 --pitch 1.5 --start -70 fan
    traj --views 90 --detector 48 --sod 200 --sdd 300 --pitch=-1.5 --arc -360 mirrored
    for g in cone par3 par2 fan mirrored; do
        case $g in cone | par3) v=f3 ;; *) v=f2 ;; esac
        project $g $v p
        fbp --filter hann --like $v $g p $g.rec
        py "
a, b = read('$v'), read('$g.rec')
same = np.corrcoef(a.ravel(), b.ravel())[0, 1]
others = [np.corrcoef(np.flip(np.transpose(a, t), f).ravel(), b.ravel())[0, 1]
    for t in ([(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)] if a.ndim == 3 else [(0, 1), (1, 0)])
    for f in ([(), (0,), (1,), (2,), (0, 1)] if a.ndim == 3 else [(), (0,), (1,), (0, 1)]) if not (t == tuple(range(a.ndim)) and f == ())]
print('$g', same, max(others))
assert same > 0.93 and max(others) < 0.8"
    done
}

@test "fbp: through pipes the same bytes as with files, for any threads" {
    traj --views 60 --detector 48:16 --sod 200 --sdd 300 --pitch 1.5 g
    phantom --kind ball --size 48:48:16 vol
    project g vol p
    noise --photons 1e5 p n
    fbp g n rec
    project g vol - | noise --photons 1e5 - - | fbp g - piped
    same_bytes rec piped
    for j in 1 2 7; do
        fbp -j $j g n rec$j
        same_bytes rec rec$j
    done
    traj --views 60 --detector 48:16 --sod 200 --sdd 300 --pitch 1.5 --tilt 3 tilted
    for j in 1 2 7; do fbp -q -j $j tilted n t$j; done
    same_bytes t1 t2
    same_bytes t1 t7
}

@test "fbp: a part of the grid is that part of the whole" {
    traj --views 40 --detector 40:20 --sod 100 --sdd 150 --pitch 1.5 g
    phantom --geometry g p
    fbp g p whole
    fbp --size 12:10:9 --spacing 1 --origin=-5.5:-2.5:-1.5 g p part
    extract x 14:26 y 17:27 z 8:17 whole cut
    py 'a, b = read("part"), read("cut")
assert np.abs(a - b).max() < 1e-6*np.abs(read("whole")).max()'
    [ "$(section part Origin)" = "-5.5 -2.5 -1.5" ]
}

@test "fbp: a slice is the same alone and among others, for rows and columns that lean in any way" {
    random --size 30:18:12 numbers
    parallel="--views 12 --arc 360 --detector 30:18"
    cone="$parallel --sod 100 --sdd 150 --pitch 1.5"
    n=0
    for scan in "$parallel --detector-roll 8" "$parallel --tilt 20" "$parallel --detector-tilt 10 --radius 200" \
        "$cone" "$cone --detector-roll 8" "$cone --detector-tilt 10" "$cone --radius 150 --detector-roll 8" "$cone --offset 2:3 --detector-yaw 6"; do
        # shellcheck disable=SC2086 # words
        traj $scan g
        fbp --size 18:18:16 --spacing 1 g numbers whole$n
        fbp --size 18:18:2 --spacing 1 --origin=-8.5:-8.5:3.5 g numbers part$n
        n=$((n + 1))
    done
    N=$n py 'import os
for n in range(int(os.environ["N"])):
    a, b = read(f"whole{n}")[:, :, 11:13], read(f"part{n}")
    assert np.abs(b).max() > 0.1 and np.abs(a - b).max() < 2e-6 * np.abs(b).max(), (n, np.abs(a - b).max(), np.abs(b).max())'
}

@test "fbp: filters trade noise for sharpness" {
    traj --views 100 --detector 64 g
    phantom --kind disk --geometry g - | noise --photons 1e4 - p
    for w in ramp shepp-logan cosine hamming hann; do
        fbp --filter $w g p $w
        inside $w 0.02 10 20
    done
    py '
s = [read(n)[24:40, 24:40].std() for n in ("ramp", "shepp-logan", "cosine", "hamming", "hann")]
assert s == sorted(s, reverse=True), s'
}

@test "fbp: channels, complex data, float64" {
    traj --views 30 --detector 24:10 --sod 100 --sdd 150 --pitch 1.5 g
    phantom --geometry g a
    phantom --kind ball --geometry g b
    join channel a b ab
    fbp g a ra
    fbp g b rb
    fbp g ab rab
    [ "$(dims rab)" = "24 24 10 2" ]
    fbp --type float64 g a r64
    py '
a, b = read("a"), read("b")
write("z", (a + 1j*b).astype("c8"), Quantity="line-integral")'
    fbp g z rz
    [ "$(section rz Type)" = complex64 ]
    [ "$(section rz Quantity)" = attenuation ]
    [ "$(section rz Unit)" = 1/mm ]
    py '
ra, rb, rz = read("ra"), read("rb"), read("rz")
assert np.array_equal(read("rab"), np.stack([ra, rb], -1))
assert np.array_equal(rz, ra + 1j*rb)
assert read("r64").dtype == "f8" and np.abs(read("r64") - ra).max() < 3e-6*np.abs(ra).max()'
}

@test "fbp: integers are read as numbers; the type is float32" {
    traj --views 20 --detector 24 g
    random --size 24:1:20 p
    py '
x = np.round(np.abs(read("p")).reshape(24, 1, 20)*100)
write("i", x.astype("u2"), Quantity="line-integral")
write("f", x.astype("f4"), Quantity="line-integral")'
    fbp g i a
    fbp g f b
    same_bytes a b
    [ "$(section a Type)" = float32 ]
}

@test "fbp: refuses what it cannot reconstruct" {
    traj --views 90 --detector 24 --arc 170 less
    traj --views 90 --detector 24 --arc 185 --sod 100 --sdd 150 --pitch 2 shortfan
    traj --views 90 --detector 24 g
    py '
x = np.ones((24, 1, 90), "f4")
for q in "counts", "transmission", "attenuation":
    write(q, x, Quantity=q)
write("p", x, Quantity="line-integral")
write("p89", x[..., :89], Quantity="line-integral")
y = x.copy()
y[3, 0, 7] = np.nan
write("nan", y, Quantity="line-integral")
write("unknown", x)'
    fails 1 "cover 170.0 degrees, but filtered back projection of a parallel beam needs 180" fbp less p x
    fails 1 "cover 185.0 degrees, but a fan beam needs " fbp shortfan p x
    for q in counts transmission attenuation; do
        fails 1 "expected line-integral: run gantry normalize first" fbp g $q x
    done
    fails 1 "p89" fbp g p89 x
    fails 1 "element 3 of view 7 is not finite" fbp g nan x
    fails 1 "p" fbp p p x
    fails 2 "--filter" fbp --filter box g p x
    fails 2 "--type uint8" fbp --type uint8 g p x
    no_output x
    fbp --force -q g counts y
    fbp g unknown z
    same_bytes y z
}

@test "fbp and filter: no infinity in silence" {
    traj --views 30 --detector 24 --pitch 0.01 g
    random --size 24:1:30 p
    scale 3e37 p p
    cast --type float64 p p64
    for tool in fbp filter; do
        fails 1 'too large for float32' $tool g p out
        no_output out
        $tool g p64 out
        [ "$(stats --only nan out)$(stats --only inf out)" = 00 ]
        rm out.*
    done
}

@test "fbp and filter: weights of short scans are refused where there are none" {
    traj --views 30 --detector 24 parallel
    traj --views 60 --detector 24 --sod 100 --sdd 150 full
    traj --views 60 --detector 24 --sod 100 --sdd 150 --arc 220 short
    random --size 24:1:30 p
    random --size 24:1:60 q
    for tool in fbp filter; do
        fails 2 "requires a fan or cone beam over less than 360 degrees (found in parallel: parallel beam" $tool --short-scan silver parallel p x
        fails 2 "requires a fan or cone beam over less than 360 degrees (found in full: full scan" $tool --short-scan parker full q x
        $tool --short-scan silver short q a
        $tool short q b
        same_bytes a b
    done
    traj --views 60 --detector 24:8 --sod 100 --sdd 150 --helix 5 helix
    random --size 24:8:60 h
    fails 2 "for circular scans" fbp --method helical --short-scan silver helix h x
    fails 2 "katsevich has no ramp" fbp --method katsevich --filter hann helix h x
    no_output x
}

@test "fbp: filtered views have the same bits by every instruction set and any number of threads" {
    traj --views 7 --detector 77:5 par
    traj --views 9 --detector 77:5 --sod 500 --sdd 750 --pitch 1.5 cone
    for scan in par cone; do
        for type in float32 float64; do
            random --type $type --size "77:5:$([ $scan = par ] && echo 7 || echo 9)" p
            filter $scan p q
            for other in GANTRY_ISA=plain GANTRY_ISA=avx2 GANTRY_THREADS=1 GANTRY_THREADS=7; do
                env $other filter $scan p r
                cmp q.cfl r.cfl
            done
        done
    done
}

@test "fbp: detector rows tilted towards the axis give a warning, rows parallel to it are refused" {
    gantry traj --views 30 --detector 24:24 --detector-roll 10 lean
    gantry traj --views 30 --detector 24:24 --detector-roll 90 along
    gantry traj --views 40 --arc 360 --tilt 20 --detector 24:24 --detector-tilt 10 --detector-yaw 10 upright
    gantry phantom --kind ball --mu 1 --geometry lean p
    gantry fbp lean p v 2>said
    grep -q "rows are tilted by up to 10.0 degrees.*about 1.5 % too low" said
    py 'v = read("v"); assert abs(v[8:16, 8:16, 8:16].mean() - np.cos(np.radians(10))) < 0.01'
    fails 1 "rows are tilted by 90.0 degrees towards the rotation axis" gantry fbp along p y
    gantry zeros --size 24:24:40 q
    gantry fbp upright q v 2>said
    run ! grep "rows are tilted" said
    no_output y
}

@test "fbp: a source that leaves its circle is reported" {
    traj --views 40 --sod 100 --sdd 150 --pitch 2 --detector 24:20 --helix 6 helix
    traj --views 40 --sod 100 --sdd 150 --pitch 2 --detector 24:20 circle
    ones --size 24:20:40 p
    fbp --size 24:24:3 helix p a 2>said
    grep -q "warning: helix: the source moves by 5.85 mm along the axis, but this method is for circular scans" said
    fbp --size 24:24:3 circle p a 2>said
    [ ! -s said ]
}

@test "fbp: an offset detector of which less than three columns are beyond the axis" {
    for scan in "31.3" "30.9" "30.75 --sod 280 --sdd 280" "29.2"; do
        traj --views 120 --arc 360 --detector 64 --offset $scan g
        phantom --kind disk --mu 1 --size 64:64 --geometry g p
        fbp -q --filter hann --size 65:65 g p x
        py '
r, i = read("x").astype("f8"), np.arange(65) - 32
print(r[32, 32]); assert abs(r[32, 32] - 1) < 0.01
r = r[i[:, None]**2 + i**2 <= 16]
print(r.mean()); assert abs(r.mean() - 1) < 0.02'
    done
}

@test "fbp: an offset detector leaves no rings around the axis, however few columns are beyond it" {
    while read -r most scan; do
        traj --views 240 --arc 360 --detector 64 $scan g
        phantom --kind ball --mu 1 --size 72:72:72 --geometry g p
        for method in fbp gridrec; do
            case $method$scan in gridrec*sod*) continue ;; esac
            fbp -q --filter hann --method $method --size 65:65 --spacing 1 g p x
            py "
r, i = read('x').astype('f8'), np.arange(65) - 32
r = np.abs(r[np.hypot(i[:, None], i) <= 12] - 1).max()
print('$method $scan', r); assert r < $most"
        done
    done <<END
0.004 --offset 31.25
0.004 --offset -29.2
0.004 --offset 30.5
0.004 --offset 25.2
0.02 --offset 46.875 --sod 300 --sdd 450 --pitch 1.5
0.01 --offset 43.8 --sod 300 --sdd 450 --pitch 1.5
0.01 --offset -37.8 --sod 300 --sdd 450 --pitch 1.5 --radius 450
0.01 --offset 43.8 --sod 300 --sdd 450 --pitch 1.5 --radius 300
0.02 --offset 46.875 --sod 300 --sdd 450 --pitch 1.5 --detector 64:3
END
}

@test "fbp: of an offset detector that ends beside the axis, the last column counts as the others" {
    for offset in 4.6 5 9 -6; do
        traj --views 12 --arc 360 --detector 9 --offset $offset g
        py 'write("a", np.eye(9, dtype="f4")[:, :1, None] * np.ones(12, "f4"))
write("b", np.eye(9, dtype="f4")[:, 8:, None] * np.ones(12, "f4"))'
        filter -q g a x
        filter -q g b y
        py 'a, b = read("x")[0, 0, 0], read("y")[8, 0, 0]
print(a, b); assert abs(a - b) < 1e-5 * a'
    done
}

@test "fbp: every turn of a scan counts the same" {
    while read -r turns method options; do
        traj --views $((36 * turns)) --detector 17 $options g
        for k in $(seq 0 $((turns - 1))); do
            py "
x = np.zeros((17, 1, 36 * $turns), 'f4')
x[:, :, $k * 36:($k + 1) * 36] = np.cos(np.arange(-8, 9) / 6).reshape(17, 1, 1)
write('p', x)"
            fbp -q --method $method --size 9:9 g p x$k
        done
        py "
m = [read('x%d' % k).mean() for k in range($turns)]
print(m); assert np.ptp(m) < 1e-5 * m[0]"
    done <<END
3 fbp --arc 540
4 fbp --arc 1440 --sod 100 --sdd 150
3 fbp --arc 1080 --sod 100 --sdd 150 --offset 4
3 hilbert --arc 1080
4 hilbert --arc 1440 --sod 100 --sdd 150
END
}
