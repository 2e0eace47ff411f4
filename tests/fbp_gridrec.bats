load common

@test "fbp: gridrec is the sum over views of filtered lines interpolated by sincs" {
    traj --views 30 --detector 48:3 --pitch 0.9 --offset 1.3 --start 7 g
    random --size 48:3:30 p
    fbp -q --method gridrec --filter hann --type float64 --size 40:36:3 --spacing 0.8:0.85:0.9 --origin=-15:-16:-0.5 g p rec
    cast --type float64 p p64
    filter --filter hann g p64 q
    py '
G, q, rec = read("g"), read("q"), read("rec")
P = 64 # after so many columns a line repeats
k = np.fft.fftfreq(P, 1/P)
keep = np.abs(k) < P/2
X, Y = np.meshgrid(-15. + 0.8*np.arange(40), -16. + 0.85*np.arange(36), indexing="ij")
for z in range(3):
    row = (-0.5 + 0.9*z)/0.9 + 1
    lo = int(np.floor(row))
    f = 0
    for v in range(30):
        d, u = G[:2, 1, v], G[:2, 2, v]
        line = sum(w*q[:, b, v] for b, w in ((lo, 1 - row + lo), (lo + 1, row - lo)) if 0 <= b < 3)
        col = ((X - d[0])*u[0] + (Y - d[1])*u[1])/(u @ u) + 23.5
        f = f + (np.exp(2j*np.pi*col[..., None]*k[keep]/P) @ (np.fft.fft(line, P)[keep]/P)).real
    inside = np.hypot(X, Y) < 20
    print(np.abs(f - rec[:, :, z])[inside].max()/np.abs(f).max())
    assert np.abs(f - rec[:, :, z])[inside].max() < 1.5e-4*np.abs(f).max()'
    for isa in plain avx2; do
        GANTRY_ISA=$isa fbp -q --method gridrec --filter hann --type float64 --size 40:36:3 --spacing 0.8:0.85:0.9 --origin=-15:-16:-0.5 g p $isa
        same_bytes rec $isa
    done
}

@test "fbp: gridrec keeps grey values, agrees with fbp, the same bytes for any number of threads" {
    traj --views 300 --detector 128 g
    phantom --kind disk --mu 1 --geometry g p
    fbp --filter hann g p a
    for j in 1 2 5; do fbp -j $j --method gridrec --filter hann g p b$j; done
    same_bytes b1 b2
    same_bytes b1 b5
    py '
a, b = read("a"), read("b1")
x = np.arange(128) - 63.5
r = np.hypot(*np.meshgrid(x, x))
assert abs(b[r < 47].mean() - 1) < 2e-3 and np.abs(a - b)[r < 47].max() < 0.01
assert np.linalg.norm((a - b)[r < 60]) < 0.03*np.linalg.norm(a)'
    copy p - | fbp --method gridrec --filter hann g - - | copy - c
    same_bytes b1 c
}

@test "fbp: gridrec of slices between rows, some views, a displaced detector and other types is near fbp" {
    traj --views 120 --detector 90:7 --start 3 g
    phantom --kind disk --mu 1 --geometry g p
    fbp -q --filter hann --size 64:60:11 --spacing 1:1:0.45 --views 0:120:2 g p a
    fbp -q --filter hann --size 64:60:11 --spacing 1:1:0.45 --views 0:120:2 --method gridrec g p b
    compare --tolerance 0.03 a b
    cast --type float64 p p64
    fbp -q --filter hann --size 64:60:11 --spacing 1:1:0.45 --views 0:120:2 --method gridrec g p64 c
    compare --tolerance 1e-6 b c
    traj --views 240 --arc 360 --detector 80:2 --offset 12 w
    phantom --kind disk --mu 1 --geometry w pw
    fbp -q --filter hann --size 60:60:2 w pw d
    fbp -q --filter hann --size 60:60:2 --method gridrec w pw e
    compare --tolerance 0.03 d e
}

@test "fbp: auto takes the faster method and says which" {
    traj --views 60 --detector 64 small
    ones --size 64:1:60 p
    run -0 fbp -v --method auto small p x
    [[ $output == *"--method fbp"* ]]
    fbp --method fbp small p y
    same_bytes x y
    traj --views 700 --detector 512 large
    zeros --size 512:1:700 q
    run -0 fbp -v --method auto large q x
    [[ $output == *"--method gridrec"* ]]
}

@test "fbp: gridrec of float64 data beyond the range of float32 is exactly scaled" {
    traj -q --views 30 --detector 24 g
    phantom -q --size 24:24 --geometry g - | cast --type float64 - p
    fbp -q --method gridrec g p b
    py '
for power in 200, -200:
    write("p%d" % power, read("p") * 2.0 ** power)'
    fbp -q --method gridrec g p200 high
    fbp -q --method gridrec g p-200 low
    py '
same = np.array_equal(read("high"), read("b") * 2.0 ** 200) and np.array_equal(read("low"), read("b") * 2.0 ** -200)
raise SystemExit(not same)'
}

@test "fbp: gridrec refuses other beams and values that are not finite" {
    traj --views 30 --detector 24 --sod 100 --sdd 150 fan
    traj --views 30 --detector 24:4 --tilt 5 --arc 360 tilted
    traj --views 30 --detector 24 par
    ones --size 24:1:30 p
    ones --size 24:4:30 p4
    traj --views 30 --detector 24 --radius 50 curved
    fails 1 "fan: --method gridrec is for a parallel beam on a flat detector" fbp --method gridrec fan p x
    fails 1 "curved: --method gridrec is for a parallel beam on a flat detector" fbp --method gridrec curved p x
    fails 1 "tilted: view 0 is tilted" fbp -q --method gridrec tilted p4 x
    py '
x = read("p")
x[5, 0, 7] = np.inf
write("bad", x)'
    fails 1 "bad: element 5 of view 7 is not finite" fbp --method gridrec par bad x
    no_output x
}

@test "fbp: gridrec copies a stream once, before its threads read it" {
    traj --views 120 --detector 32:32 g
    random --size 32:32:120 --type float64 p
    fbp -q --method gridrec -j 1 g p want
    for i in 1 2 3 4 5 6 7 8 9 10; do
        copy p - | fbp -q --method gridrec -j 8 g - x
        same_bytes want x
    done
}
