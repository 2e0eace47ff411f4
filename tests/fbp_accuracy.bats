# Grey values of filtered back projection from exact line integrals: the mean of every uniform region, three voxels inside its edges.
load common

# scan GEOMETRY-OPTIONS: projections of a disc (with several rows a ball) and of the head.
scan() {
    local kind nz=1
    case $1 in *:9*) nz=3 ;; esac
    traj $1 g
    for kind in disk modified; do phantom --kind $kind --size 128:128:$nz --mu 1 --geometry g p.$kind; done
    scanned=$1
}

# recon FBP-OPTIONS: reconstructs both, for means.
recon() {
    local kind nz=1 k=$((++count))
    case $scanned in *:9*) nz=3 ;; esac
    echo "$scanned $*" >$k.txt
    for kind in disk modified; do fbp $1 --size 128:128:$nz --spacing 1 g p.$kind $k.$kind; done
}

# means: of every uniform region of all of them, in the mid-plane, within 0.2 %.
means() {
    for kind in disk modified; do
        phantom --kind $kind --size 128:128:1 --mu 1 --oversample 1 $kind.1
        phantom --kind $kind --size 128:128:3 --mu 1 --oversample 1 $kind.3
    done
    py "
for k in range(1, $count + 1):
    for kind in 'disk', 'modified':
        r = read('%d.%s' % (k, kind)).astype('f8')
        t = read(kind + '.%d' % (3 if r.ndim > 2 else 1))
        r, t = (r[:, :, 1], t[:, :, 1]) if r.ndim > 2 else (r, t)
        regions = 0
        for v in np.unique(t.round(6)):
            m = np.abs(t - v) < 1e-4
            for i in range(3):
                m = np.pad(m, 1)
                m = np.min([m[1 + a:m.shape[0] - 1 + a, 1 + b:m.shape[1] - 1 + b] for a in (-1, 0, 1) for b in (-1, 0, 1)], axis=0)
            if v > 0.05 and m.sum() > 20:
                off = r[m].mean()/v - 1
                print(open('%d.txt' % k).read().strip(), kind, '%.2f: %+.3f %%' % (v, 100*off))
                assert abs(off) < 2e-3
                regions += 1
        assert regions > 0"
}

@test "fbp: means of disc, ball and head within 0.2 % for every kind of scan" {
    local fan="--sod 300 --sdd 450 --pitch 1.5"
    while read -r options; do
        scan "$options"
        recon
    done <<END
--detector 129 --views 400
--detector 128 --views 400 --arc 360
--detector 90 --offset 25 --views 400 --arc 360
--detector 160 --views 400 $fan
--detector 160 --views 400 $fan --short
--detector 100 --offset 42 --views 600 $fan
--detector 160 --views 400 $fan --radius 450
--detector 160 --views 400 $fan --radius 450 --short
--detector 160 --views 400 $fan --radius 300
--detector 160:9 --views 300 $fan
--detector 160:9 --views 300 $fan --arc 240
--detector 100:9 --offset 42 --views 400 $fan
END
    means
}

@test "fbp: the same for every window, cut-offs, and a window of one's own" {
    py 'write("own", np.cos(np.linspace(0, np.pi/2, 33))**3)'
    scan "--detector 160 --views 300 --sod 300 --sdd 450 --pitch 1.5"
    for options in "--filter shepp-logan" "--filter cosine" "--filter hamming" "--filter hann" "--filter blackman" \
        "--filter butterworth" "--filter butterworth --cutoff 0.8 --order 2" "--filter parzen" "--filter kaiser --beta 4" \
        "--filter hann --cutoff 0.6" "--window own"; do
        recon "$options"
    done
    means
}

@test "fbp: both weights of a short scan, over more than it needs" {
    scan "--detector 160 --views 500 --sod 300 --sdd 450 --pitch 1.5 --arc 265"
    for w in silver parker; do recon "--short-scan $w"; done
    means
    ones --size 160:1:500 p
    filter --short-scan parker g p q
    filter --short-scan silver g p s
    py 'q, s = read("q"), read("s")
assert np.all(q[:, 0, 420:] == 0) and np.all(np.abs(s[:, 0, 20:480]).max(0) > 0)'
}

@test "fbp: a window of ones is the ramp, whatever its length" {
    traj --detector 64 --views 60 g
    phantom --geometry g p
    fbp g p a
    py 'write("w", np.ones(7, "u1"))'
    fbp --window w g p b
    py 'a, b = read("a"), read("b")
assert np.abs(a - b).max() < 1e-6*np.abs(a).max()'
}

@test "fbp: lambda tomography shows edges, on data that end within the object too" {
    traj --detector 128 --views 200 g
    phantom --kind disk --mu 1 --geometry g p
    fbp --filter lambda g p whole
    extract u 24:104 p inner
    geom --detector 80 g gi
    fbp --filter lambda --size 128:128 --spacing 1 gi inner roi
    py '
x = np.arange(128) - 63.5
r = np.hypot(*np.meshgrid(x, x))
a, b = read("whole"), read("roi")
assert np.abs(a - b)[r < 30].max() < 1e-5           # local: what is outside the beam plays no part
edge = np.array([a[(r > q - 1) & (r < q + 1)].mean() for q in range(5, 60)])
assert 49 <= 5 + edge.argmax() <= 52 and edge.min() < -0.25
assert abs(a[r < 5].mean()*51.2 - 1) < 0.02           # of a disc of radius R: 1/R in its middle'
    [ "$(section whole Quantity)" != attenuation ]
}

@test "fbp: refuses filters that make no sense" {
    traj --detector 16 --views 20 g
    ones --size 16:1:20 p
    ones --size 1 one
    ones --size 3:4 table
    py 'write("nan", np.array([1, np.nan, 0]))'
    fails 2 "--order requires --filter butterworth" fbp --order 3 g p x
    fails 2 "--beta requires --filter kaiser" fbp --filter hann --beta 3 g p x
    fails 2 "--mean requires --filter lambda" fbp --mean 1 g p x
    fails 2 "--window w and --filter exclude each other" fbp --window w --filter hann g p x
    fails 2 "--cutoff" fbp --cutoff 0 g p x
    fails 2 "--cutoff" fbp --cutoff nan g p x
    fails 1 "one has 1 value" fbp --window one g p x
    fails 1 "table has several dimensions, expected the values of a filter window" fbp --window table g p x
    fails 1 "nan: element 1 is not finite" fbp --window nan g p x
    fails 1 "absent" fbp --window absent g p x
    no_output x
}

@test "fbp: private memory stays a few batches of views, whatever the number of views and the volume" {
    sanitized && skip "the sanitizers need memory of their own"
    for views in 40 120; do
        "$GANTRY_SOURCE"/scripts/fbp-memory "$GANTRY_BUILD" 300:300 $views 64 . >said
        cat said
        [ "$(awk '{ print $4 }' said)" -lt 128 ]
    done
}

@test "fbp: error on Shepp-Logan's head no larger than scikit-image's, for every filter of its" {
    local python=${GANTRY_SKIMAGE_PYTHON:-/usr/bin/python3}
    "$python" -c 'import skimage' 2>/dev/null || skip "scikit-image is not installed (GANTRY_SKIMAGE_PYTHON names a Python that has it)"
    traj --views 180 --detector 257 g
    phantom --kind modified --size 257:257 --mu 1 truth
    phantom --kind modified --size 257:257 --mu 1 --geometry g p
    for f in ramp shepp-logan cosine hamming hann; do fbp --filter $f --like truth g p $f; done
    PYTHONPATH=$GANTRY_SOURCE/tests "$python" -c '
import numpy as np
from arrays import read
from skimage.transform import iradon
p, t = read("p")[:, 0, :].astype("f8"), read("truth").astype("f8")
x = np.arange(257) - 128
c = np.hypot(*np.meshgrid(x, x)) < 126
error = lambda r: np.linalg.norm((r - t)[c])/np.linalg.norm(t[c])
for f in "ramp", "shepp-logan", "cosine", "hamming", "hann":
    r = iradon(p, theta=np.arange(180.), filter_name=f, circle=True, output_size=257)
    theirs = min(error(z) for a in range(4) for z in (np.rot90(r, a), np.rot90(r, a)[::-1]))
    print(f, "ours %.4f" % error(read(f)), "scikit-image %.4f" % theirs)
    assert error(read(f)) <= theirs*1.0001'
}

@test "fbp: away from the mid-plane a ball loses what doc/analytic.md says" {
    # half of the size of scripts/fbp-tables
    for a in "5 293.75 59" "20 74.85 63"; do
        read -r angle sod side <<<"$a"
        traj --views 180 --sod "$sod" --sdd "$sod" --detector "$side:$side" g
        phantom --kind ball --size 64:64:64 --mu 1 --geometry g - | fbp --size 64:64:64 --spacing 1 g - "b$angle"
    done
    py '
x = np.arange(64) - 31.5
r2, z = x[:, None, None]**2 + x[None, :, None]**2, x[None, None, :]
for name, mid, high in ("b5", 0, -.0074), ("b20", 0, -.1057):
    b = read(name).astype("f8")
    for place, want in (0, mid), (.8, high):
        m = np.broadcast_to((r2 + z**2 < 22.6**2) & (abs(abs(z) - place*25.6) <= 1), b.shape)
        off = b[m].mean() - 1
        print(name, place, off, want)
        assert abs(off - want) < 4e-3 + .1*abs(want)'
}
