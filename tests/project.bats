load common

# Joseph's method in NumPy, ray by ray, from the definition alone.
joseph='
def pixel(g, a, b, cols, rows):
    s, d, u, v = (g[:3, c] for c in range(4))
    return d + (a - (cols - 1)/2)*u + (b - (rows - 1)/2)*v

def ray_sum(vol, spacing, g, a, b, cols, rows):
    n, spacing = np.array(vol.shape), np.array(spacing, float)
    origin = -(n - 1)/2*spacing
    p = pixel(g, a, b, cols, rows)
    point = g[3, 0] == 1
    s = g[:3, 0] if point else p
    d = (p - s) if point else g[:3, 0]
    si, di = (s - origin)/spacing, d/spacing
    m = int(np.argmax(np.abs(di)))
    total = 0.
    for i in range(n[m]):
        t = (i - si[m])/di[m]
        if point and t < 0:
            continue
        at = si + t*di
        o = [k for k in range(3) if k != m]
        lo = np.floor(at[o]).astype(int)
        for j in (0, 1):
            for k in (0, 1):
                c = lo + [j, k]
                if (c < 0).any() or (c >= n[o]).any():
                    continue
                w = np.prod(1 - np.abs(at[o] - c))
                ix = [0, 0, 0]; ix[m] = i; ix[o[0]], ix[o[1]] = c
                total += w*vol[tuple(ix)]
    return total*np.linalg.norm(d)/abs(di[m])
'

# agrees GEOM: project of a random volume equals the sums above.
agrees() {
    project "$1" x p
    py "$joseph
vol, g, p = read('x').astype('f8'), read('$1'), read('p')
vol = vol.reshape(vol.shape + (1,)*(3 - vol.ndim))
head = [l for l in open('$1.hdr')]
cols, rows = (int(n) for n in head[head.index('# Detector\n') + 1].split()[:2])
p = p.reshape(cols, rows, -1)
r = np.random.default_rng(0)
err = big = 0
for t in range(150):
    a, b, k = r.integers(cols), r.integers(rows), r.integers(p.shape[2])
    want = ray_sum(vol, $2, g[:, :, k], a, b, cols, rows)
    err, big = max(err, abs(want - p[a, b, k])), max(big, abs(want))
assert big > 0 and err < 1e-5*big, (err, big)"
}

@test "project: equals an independent Joseph projector, cone and parallel, odd shapes" {
    random --size 12:13:14 --spacing 1:0.8:1.2 x
    traj --views 7 --start 3 --detector 21:19 --sod 40 --sdd 70 --pitch 1.3 cone
    agrees cone '(1, .8, 1.2)'
    traj --views 7 --start 3 --detector 21:19 --tilt 35 parallel
    agrees parallel '(1, .8, 1.2)'
    traj --views 9 --start 3 --detector 21:19 --sod 5 --sdd 20 inside
    agrees inside '(1, .8, 1.2)'
}

@test "project: equals it in 2-D" {
    random --size 30:31 --spacing 1:1.1 x
    traj --views 11 --start 1 --detector 45 --sod 60 --sdd 90 fan
    agrees fan '(1, 1.1, 1)'
    traj --views 11 --start 1 --detector 45 line
    agrees line '(1, 1.1, 1)'
}

@test "project: a point is seen where the conventions say at 0, 90, 180 and 270 degrees" {
    traj --views 4 --detector 9:7 --arc 360 g
    py '
x = np.zeros((9, 9, 7), "f4")
x[6, 3, 5] = 1    # x = 2, y = -1, z = 2
write("x", x)'
    project g x p
    py '
p = read("p")
where = [np.unravel_index(p[:, :, k].argmax(), (9, 7)) for k in range(4)]
# u . point: x, y, -x, -y from the middle column; z from the middle row
assert [tuple(int(i) for i in w) for w in where] == [(6, 5), (3, 5), (2, 5), (5, 5)], where
assert p.sum() == 4 and p.max() == 1'
}

@test "project: a uniform box along its axes gives its edges in mm" {
    ones --size 10:12:8 --spacing 0.5:2:1 x
    traj --views 2 --detector 3:3 g
    project g x p
    py '
p = read("p")
assert np.allclose(p[1, 1], [24, 5], rtol=1e-6), p[1, 1]'
}

@test "project: headers: line integrals, the pitch as spacing, channels and times kept" {
    random --size 8:8:4:2:3 x
    traj --views 5 --detector 10:6 --pitch 0.5:2 g
    project g x p
    [ "$(dims p)" = "10 6 5 2 3" ]
    [ "$(section p Quantity)" = line-integral ]
    [ "$(section p Spacing | cut -d' ' -f1-2)" = "0.5 2" ]
    slice channel 1 time 2 x one
    slice channel 1 time 2 p want
    project g one p1
    same_bytes want p1
}

@test "project: float64 stays, integers become float32, complex acts on both parts" {
    random --size 8:8:4 a
    random --size 8:8:4 --seed 1 b
    traj --views 5 --detector 10:6 g
    py '
a, b = read("a"), read("b")
write("z", (a + 1j*b).astype("c8"))
write("d", a.astype("f8"))
write("i", np.arange(256, dtype="u2").reshape(8, 8, 4))
write("f", np.arange(256, dtype="f4").reshape(8, 8, 4))'
    for n in a b z d i f; do project g $n p$n; done
    [ "$(section pd Type)" = float64 ]
    [ "$(section pi Type)" = float32 ]
    [ "$(section pz Type)" = complex64 ]
    same_bytes pi pf
    project --type float64 g a pa64
    py '
z = read("pz")
assert (z.real == read("pa")).all() and (z.imag == read("pb")).all()
assert np.abs(read("pa64") - read("pd")).max() == 0
assert np.abs(read("pd") - read("pa")).max() < 1e-5*np.abs(read("pd")).max()'
    fails 2 '--type' project --type float32 g z out
    fails 2 '--type' project --type uint8 g a out
    no_output out
}

@test "project: the same bytes for any number of threads and through pipes" {
    random --size 40:41:39 x
    traj --views 70 --detector 33:35 --sod 90 --sdd 130 g
    project -j1 g x p1
    for j in 2 7; do
        project -j$j g x p$j
        same_bytes p1 p$j
    done
    project g x - | copy - piped
    same_bytes p1 piped
    copy x - | project g - q
    same_bytes p1 q
    copy g - | project - x r
    same_bytes p1 r
}

@test "project: a volume off the centre" {
    py '
x = np.zeros((20, 20, 5), "f4"); x[10:14, 3:6, 1:3] = 2
write("whole", x)
write("part", x[8:16, 2:8], Origin="-1.5 -7.5 -2")'
    traj --views 9 --detector 31:9 --sod 50 --sdd 75 g
    project g whole a
    project g part b
    py '
a, b = read("a"), read("b")
assert np.abs(a - b).max() < 1e-5*a.max() and a.max() > 1'
}

@test "project: the detector size comes from --detector where the header is silent" {
    random --size 8:8:4 x
    traj --views 5 --detector 10:6 g
    project g x p
    sed -i '/^# Detector$/,+1d' g.hdr
    fails 1 '--detector' project g x out
    fails 2 '--detector' project --detector 10:6:1 g x out
    project --detector 10:6 g x q
    same_bytes p q
    no_output out
}

@test "project: bad input" {
    random --size 8:8:4 x
    traj --views 5 --detector 10:6 g
    fails 1 'nothere' project nothere x out
    fails 1 'x' project x x out
    fails 2 '--model' project --model nonsense g x out
    fails 2 'PROJ' project g x
    py '
x = read("x"); x[1, 1, 1] = np.inf
write("inf", x)
write("counts", np.ones((8, 8, 4), "f4"), Quantity="counts")
write("lines", np.ones((8, 8, 4), "f4"), Quantity="line-integral")'
    fails 1 'inf' project g inf out
    fails 1 'counts' project g counts out
    fails 1 'line' project g lines out
    no_output out
    project --force g lines out
}

@test "project: a slice beside the plane of the rays is warned of" {
    phantom --size 16:16:6 v
    slice z 3 v s
    for o in "" "--sod 40 --sdd 60"; do
        traj --views 4 --detector 24 $o g
        project g s p 2>said
        grep -q 'z = 0.5 mm, but the rays are at z = 0 mm: the rays see this slice with weight 0.5' said
        phantom --size 16:16 flat
        project g flat p 2>said
        [ ! -s said ]
        project g v p 2>said
        [ ! -s said ]
    done
}

@test "project: Siddon's lengths of boxes are exact; backproject is the transpose" {
    traj --views 5 --start 7 --detector 24:20 --sod 60 --sdd 90 --pitch 1.5 g
    ones --size 16:14:12 x
    project --model siddon g x a
    project --model siddon --type float64 g x b
    run compare --metric max --tolerance 1e-4 b a
    [ "$status" -eq 0 ]
    # a cube of ones: the length of the ray inside it, from its six faces
    py "
g, a = read('g'), read('b')
worst = 0
for k in range(5):
    s, d, u, v = (g[:3, c, k] for c in range(4))
    for i in range(24):
        for j in range(20):
            e = d + (i - 11.5) * u + (j - 9.5) * v - s
            t = np.array([(np.array([-8, -7, -6]) - s) / e, (np.array([8, 7, 6]) - s) / e])
            n = max(t.min(0).max(), 0); f = t.max(0).min()
            worst = max(worst, abs(a[i, j, k] - max(0, f - n) * np.linalg.norm(e)))
assert worst < 1e-9, worst
"
    random --size 24:20:5 --seed 3 y
    backproject --model siddon --like x g y z
    xz=$(dot x z) ay=$(dot a y)
    awk -v a="$xz" -v b="$ay" 'BEGIN { d = a - b; exit !(d * d <= 1e-10 * b * b) }'
    run project --model footprint g x c
    [ "$status" -eq 2 ]
    [[ $output == *footprint* ]]
}

@test "project: a sinogram without a dimension of rows is answered with what to do" {
    traj --views 9 --detector 12 g
    random --size 12:9 s
    fails 1 "s has dimensions 12 x 9, expected 12 x 1 x 9 for columns, rows and views (use 'gantry permute 0:2:1 s NAME')" \
        backproject g s out
    fails 1 "permute 0:2:1 s NAME" cg g s out
    fails 1 "permute 0:2:1 s NAME" fbp g s out
    permute 0:2:1 s p
    backproject g p out
}

@test "project: -v and --profile name the path that ran, GANTRY_PROJECTOR chooses one" {
    unset GANTRY_DEVICE # the paths of the CPU
    traj --views 4 --detector 12:10 --sod 60 --sdd 90 cone
    traj --views 4 --detector 12:10 --tilt 30 tilted
    random --size 12:11:10 x
    project -v cone x a 2>said
    grep -Eq '^gantry project: joseph/untilted on the CPU: calls: 1, [0-9.]+ s, [0-9.]+ GB, [0-9.]+ GUPS$' said
    backproject --profile --model sf --like x tilted a b 2>said
    grep -Eq "^gantry backproject: CPU +sf/any_orientation' +1 " said
    GANTRY_PROJECTOR=general project -v cone x c 2>said
    grep -q '^gantry project: joseph/general on the CPU' said
    py 'assert np.abs(read("a") - read("c")).max() < 1e-5 * np.abs(read("c")).max()'
    fails 1 "GANTRY_PROJECTOR: path 'untilted' does not support view 0" env GANTRY_PROJECTOR=untilted project tilted x d
    no_output d
    fails 2 "GANTRY_PROJECTOR: unknown path 'fast'" env GANTRY_PROJECTOR=fast project cone x d
}

# Rows of a column meet z at equal steps in a plane: far apart and close together, at 1 but for rounding, where vectors look their neighbours
# up in other ways.
@test "project: rows at any step along z, equal to float64 with every instruction set" {
    random --size 33:30:150 x
    for scan in 0.6 0.8 1 1.3 1.45 1.6 2 2.6 '1.5:-1.5 --helix 20' '1.5 --radius 210' far; do
        scan="--sod 140 --sdd 210 --pitch $scan"
        # shellcheck disable=SC2086 # several options
        traj --views 3 --start 11 --detector 37:140 ${scan/*far/--sod 1e6 --sdd 2e6 --pitch 2} g
        project --type float64 g x q
        backproject --type float64 --like x g q c
        for isa in plain avx2 avx512; do
            GANTRY_ISA=$isa project g x p
            GANTRY_ISA=$isa backproject --like x g q --type float32 b
            compare --tolerance 2e-6 q p
            compare --tolerance 2e-6 c b
        done
    done
}
