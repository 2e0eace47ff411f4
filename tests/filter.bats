load common

@test "filter: a parallel view is the band-limited ramp times the view's angle over the pitch" {
    traj --views 12 --detector 40:3 --pitch 0.5 g
    py '
x = np.zeros((40, 3, 12), "f8")
x[17, 1, 5] = 1
write("p", x, Quantity="line-integral")'
    filter g p q
    py '
q = read("q")
n = np.arange(40) - 17
h = np.where(n == 0, .25, np.where(n % 2, -1/(np.pi*np.where(n == 0, 1, n))**2, 0))
assert np.abs(q[:, 1, 5] - np.pi/12*h/.5).max() < 1e-12
q[:, 1, 5] = 0
assert np.abs(q).max() == 0'
    [ "$(section q Unit)" = 1/mm ]
    [ "$(section q Type)" = float64 ]
}

@test "filter: windows" {
    traj --views 6 --detector 64 g
    py '
x = np.zeros((64, 1, 6), "f8")
x[32] = 1
write("p", x, Quantity="line-integral")'
    for w in ramp shepp-logan cosine hamming hann; do
        filter --filter $w g p $w
    done
    py '
f = np.fft.fftfreq(64)
W = {"ramp": 1, "shepp-logan": np.sinc(f), "cosine": np.cos(np.pi*f), "hamming": .54 + .46*np.cos(2*np.pi*f), "hann": .5 + .5*np.cos(2*np.pi*f)}
for name, w in W.items():
    q = np.fft.fft(np.fft.ifftshift(read(name)[:, 0, 0])).real*6/np.pi
    assert np.abs(q - np.abs(f)*w)[1:].max() < 8e-3, (name, np.abs(q - np.abs(f)*w).max())'
}

@test "filter: with a plain distance-weighted back projection it is fbp" {
    traj --views 40 --detector 48 --sod 120 --sdd 200 --pitch 1.8 fan
    traj --views 40 --detector 48 par
    for g in fan par; do
        phantom --size 40:40 --geometry $g p
        filter --filter hann $g p q
        fbp --filter hann --size 20:24 --spacing 1 $g p $g.rec
        mv q.hdr $g.q.hdr
        mv q.cfl $g.q.cfl
    done
    py '
X, Y = np.meshgrid(np.arange(20) - 9.5, np.arange(24) - 11.5, indexing="ij")
for name in "fan", "par":
    G, q, rec = read(name), read(name + ".q")[:, 0].astype("f8"), 0
    for k in range(40):
        s, d, u = G[:2, 0, k], G[:2, 1, k], G[:2, 2, k]
        n = np.array([-u[1], u[0]])/np.hypot(*u)
        if name == "par":
            a, w = ((X - d[0])*u[0] + (Y - d[1])*u[1])/(u @ u), 1
        else:
            depth = (X - s[0])*n[0] + (Y - s[1])*n[1]
            t = (n @ (d - s))/depth
            a, w = ((s[0] + t*(X - s[0]) - d[0])*u[0] + (s[1] + t*(Y - s[1]) - d[1])*u[1])/(u @ u), depth/(n @ -s)
        rec = rec + np.interp(a + 23.5, np.arange(48), q[:, k])/w**2
    assert np.abs(rec - read(name + ".rec")).max() < 1e-5*np.abs(rec).max(), name'
}

@test "filter: then backproject is attenuation, for a parallel beam of unit pitch and voxels" {
    traj --views 120 --detector 64 g
    phantom --kind disk --mu 1 --geometry g p
    filter g p - | backproject g - r
    py '
x = np.arange(64) - 31.5
inside = np.hypot(*np.meshgrid(x, x)) < 22
assert abs(read("r")[inside].mean() - 1) < 0.01, read("r")[inside].mean()'
}

@test "filter: linear, on both parts of complex data, on every channel" {
    traj --views 10 --detector 20:4 --sod 50 --sdd 80 g
    py '
rng = np.random.default_rng(0)
x = rng.standard_normal((20, 4, 10, 2)) + 1j*rng.standard_normal((20, 4, 10, 2))
write("z", x.astype("c8"), Quantity="line-integral")
for c in 0, 1:
    write("re%d" % c, x.real[..., c].astype("f4"), Quantity="line-integral")
    write("im%d" % c, x.imag[..., c].astype("f4"), Quantity="line-integral")'
    filter g z qz
    for n in re0 re1 im0 im1; do filter g $n q$n; done
    [ "$(section qz Type)" = complex64 ]
    py '
z = read("qz")
for c in 0, 1:
    assert np.array_equal(z[..., c], read("qre%d" % c) + 1j*read("qim%d" % c))'
}

@test "filter: the same bytes for any threads and through pipes" {
    traj --views 30 --detector 100:30 --sod 200 --sdd 300 g
    random --size 100:30:30 p
    for j in 1 2 7; do filter -j $j g p q$j; done
    copy p - | filter g - - | copy - qp
    for n in 2 7 p; do same_bytes q1 q$n; done
}

@test "filter: refuses counts, other shapes and too few degrees" {
    traj --views 8 --detector 16 g
    ones --size 16:1:8 p
    py '
write("c", np.ones((16, 1, 8), "f4"), Quantity="counts")
write("short", np.ones((16, 1, 7), "f4"), Quantity="line-integral")'
    fails 1 "normalize" filter g c x
    filter --force g c y
    fails 1 "y: has the unit 1/mm" filter g y x
    fails 1 "y: has the unit 1/mm" fbp g y x
    fails 1 "y: has the unit 1/mm" cg -i 1 g y x
    fails 1 "y: has the unit 1/mm" noise y x
    filter -q --force g y z
    fails 1 "short" filter g short x
    traj --views 90 --detector 16 --arc 100 limited
    ones --size 16:1:90 p90
    fails 1 "cover 100.0 degrees" filter limited p90 x
    no_output x
}

@test "filter: rows of a detector are filtered alike when the others are cut off" {
    traj --views 12 --sod 100 --sdd 150 --pitch 2 --detector 24:20 all
    traj --views 12 --sod 100 --sdd 150 --pitch 2 --detector 24:13 --offset 0:7 upper # rows 7 to 19, the source's height among them
    random --size 24:20:12 --seed 1 p
    py 'p = read("p"); write("p", p, Quantity="line-integral"); write("q", p[:, 7:], Quantity="line-integral")'
    filter all p a
    filter upper q b
    py 'a, b = read("a")[:, 7:], read("b"); assert np.abs(a - b).max() < 1e-6 * np.abs(a).max(), np.abs(a - b).max() / np.abs(a).max()'
}
