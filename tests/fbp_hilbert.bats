# Two-step Hilbert reconstruction: grey values, sides that are cut off, what it refuses; from exact line integrals.
load common

eroded='
def inside(m):
    for i in range(3):
        p = np.pad(m, 1)
        m = np.min([p[1 + a:p.shape[0] - 1 + a, 1 + b:p.shape[1] - 1 + b] for a in (-1, 0, 1) for b in (-1, 0, 1)], axis=0)
    return m
'

@test "fbp: hilbert keeps mean attenuations within 0.25 %, parallel and fan, full, short and displaced, lines of any direction" {
    printf 'unit mm\nellipsoid 1 3 2 0 42 36 1\nellipsoid 0.5 8 -6 0 10 8 1\nellipsoid -0.4 -18 5 0 6 9 1\n' >o.txt
    phantom --file o.txt --mu 1 --size 112:104 --spacing 1 --oversample 1 truth
    local n=0
    while read -r lines scan; do
        traj --views 240 $scan g
        phantom --file o.txt --mu 1 --geometry g p
        fbp --method hilbert $lines --size 112:104 --spacing 1 g p "x$((n += 1))" 2>said
        [ ! -s said ] || [[ $lines == *support* ]]
    done <<END
--lines=0 --detector 120 --pitch -1 --start 17 --offset 0.25
--lines=30 --detector 90 --arc 360 --offset 15
--lines=90 --detector 120 --pitch 1.5 --sod 200 --sdd 300
--lines=-45 --detector 120 --pitch 1.5 --sod 200 --sdd 300 --arc -230 --start 300
--lines=0 --detector 120 --pitch 1.5 --sod 200 --sdd 300 --radius 300
--support=44:3:2 --detector 120 --pitch 1.5 --sod 200 --sdd 300 --arc 250
END
    py "$eroded"'
t = read("truth")
for v in 1, 1.5, 0.6:
    e = inside(abs(t - v) < 1e-6)
    for n in range(1, 7):
        m = read(f"x{n}")[e].astype("f8").mean()
        print(n, v, m/v - 1)
        assert abs(m/v - 1) < 2.5e-3'
}

@test "fbp: hilbert is right where the detector cuts the object off beside its lines, a tenth of the error of the ramp" {
    printf 'unit mm\nellipsoid 1 0 0 0 22 60 1\nellipsoid 0.5 6 -6 0 8 7 1\nellipsoid -0.4 -9 15 0 6 6 1\n' >o.txt
    phantom --file o.txt --mu 1 --size 64:64 --spacing 1 --oversample 1 truth
    local n=0
    for scan in "" "--pitch 1.5 --sod 200 --sdd 300" "--pitch 1.5 --sod 200 --sdd 300 --arc 220 --start 33"; do
        traj --views 240 --detector 64 $scan g
        phantom --file o.txt --mu 1 --geometry g p
        fbp -q --filter shepp-logan --size 64:64 --spacing 1 g p "ramp$((n += 1))"
        fbp -q --method hilbert --size 64:64 --spacing 1 g p h$n
        fbp --method hilbert --support=-22.5:22.5:-60:60 --size 64:64 --spacing 1 g p s$n 2>said
        grep -q 'lines, --support reaches an end of the region that all views see: the voxels of these lines are set to 0' said
        fbp --method hilbert --lines 90 --size 64:64 --spacing 1 g p wrong 2>said
        grep -q 'the object seems to extend beyond the region that all views see' said
    done
    py "$eroded"'
t = read("truth")
x = np.arange(64) - 31.5
X, Y = np.meshgrid(x, x, indexing="ij")
m = (np.hypot(X, Y) < 28) & (abs(Y) < 20) & sum(inside(abs(t - v) < 1e-6) for v in (0, 1, 1.5, 0.6)).astype(bool)
for n in "123":
    d = {k: (read(k + n).astype("f8") - t)[m] for k in ("ramp", "h", "s")}
    rms = {k: np.sqrt((d[k]**2).mean()) for k in d}
    mean = {k: abs(d[k].mean()) for k in d}
    print(n, rms, mean)
    assert max(rms["h"], rms["s"]) < 0.1*rms["ramp"] and max(mean["h"], mean["s"]) < 0.02*mean["ramp"]
    assert (read("s" + n)[:, 0] == 0).all()'
}

@test "fbp: hilbert takes stacks, channels, views and streams in any memory, the same bytes for any number of threads" {
    traj --views 40 --detector 30:9 --pitch 1:1.5 g
    phantom --kind ball --size 24:24:12 --mu 1 --geometry g a
    scale 2 a b
    join channel a b ab
    set -- --method hilbert --size 24:24:10 --spacing 1
    fbp -q "$@" g ab x
    copy ab - | GANTRY_MEM=2M fbp -q -j 1 "$@" g - - | copy - y
    same_bytes x y
    fbp -q -j 3 "$@" --type float64 g a d
    py 'x, d = read("x"), read("d")
assert d.dtype == "f8" and np.abs(x[..., 0] - d).max() < 1e-5 and np.abs(x[..., 1] - 2*d).max() < 2e-5
assert abs(d[8:16, 8:16, 4:6].mean() - 1) < 0.03'
    fbp -q "$@" --views 0:40:2 g a half
    fbp --method hilbert --size 4:4 --spacing 1 --origin=500:500:0 g a far 2>said
    grep -q 'no line of the volume crosses the region that all views see' said
    py 'assert np.abs(read("half") - read("d")).mean() < 0.05'
}

@test "fbp: hilbert refuses cones, helices, tilts, too few degrees and options of other methods" {
    traj --views 30 --detector 24:4 --sod 100 --sdd 150 cone
    traj --views 90 --detector 24:4 --sod 100 --sdd 150 --arc 720 --helix 10 helix
    traj --views 30 --detector 24:4 --arc 360 --tilt 5 tilted
    traj --views 30 --detector 24 --arc 120 few
    traj --views 30 --detector 24 --sod 100 --sdd 150 --arc 170 fewfan
    traj --views 30 --detector 24 par
    ones --size 24:1:30 p
    ones --size 24:4:30 p4
    ones --size 24:4:90 p90
    fails 1 "cone is a cone beam with 4 detector rows" fbp --method hilbert cone p4 x
    fails 1 "helix is a cone beam with 4 detector rows" fbp --method hilbert helix p90 x
    fails 1 "tilted: view 0 is tilted" fbp -q --method hilbert tilted p4 x
    fails 1 "few: the views cover 120.0 degrees" fbp --method hilbert few p x
    fails 1 "fewfan: the views cover" fbp --method hilbert fewfan p x
    fails 2 "--lines requires --method hilbert" fbp --lines 3 par p x
    fails 2 "--filter, --cutoff, --window and --short-scan have no effect" fbp --method hilbert --filter hann par p x
    fails 2 "--support has 2 values" fbp --method hilbert --support 3:4 par p x
    fails 2 "is empty, expected X0 < X1" fbp --method hilbert --support 3:4:2:1 par p x
    no_output x
}
