load common

# t: transmission of a smooth object at a distance, by the transport of intensity; p: its line integrals
make_fringes() {
    py '
n, pix, z, ratio, E = 64, .001, 200., 400., 20.
u, v = np.meshgrid(np.arange(n) - 31.5, np.arange(n) - 31.5, indexing="ij")
p = sum(a/(1 + np.exp((np.hypot(u - x, v - y) - r)/1.)) for a, x, y, r in ((.8, 0, 0, 22), (-.3, 6, 4, 7), (.4, -9, -6, 5)))
f = np.fft.fftfreq(n)/pix
s = 1 + np.pi*1.23984198e-6/E*z*ratio*(f[:, None]**2 + f**2)
t = np.real(np.fft.ifft2(np.fft.fft2(np.exp(-p))*s))
write("p", p)
write("t", np.stack([t, t], 2), Quantity="transmission", Spacing=".001 .001")'
}

@test "phase: fringes become line integrals" {
    make_fringes
    phase --energy 20 --distance 200 --ratio 400 t o
    [ "$(section o Quantity)" = line-integral ]
    log --floor 1e-3 t plain 2>said
    py '
p, o, plain = read("p"), read("o"), read("plain")
e = lambda x: np.linalg.norm(x - p)/np.linalg.norm(p)
print(e(plain[..., 0]), e(o[..., 0]))
assert e(plain[..., 0]) > 50*e(o[..., 0]) and np.all(o[..., 0] == o[..., 1])'
}

@test "phase: magnification, pixels, and nothing to do" {
    make_fringes
    phase --energy 20 --distance 200 --ratio 400 --no-log t a
    phase --energy 20 --distance 400 --source 400 --ratio 400 --pixel 0.002 --no-log t b
    compare --tolerance 1e-12 a b
    phase --energy 20 --distance 0 --ratio 400 --no-log t same
    compare --tolerance 1e-14 t same
    py '
assert abs(read("a").mean() - read("t").mean()) < 3e-3'
    phase -j 1 --energy 20 --distance 200 --ratio 400 --no-log t c
    same_bytes a c
}

@test "phase: mirrored far beyond the ends, oblong pixels, as in NumPy" {
    py '
x = np.random.default_rng(3).random((70, 58)) + np.linspace(0, 3, 70)[:, None] + np.linspace(4, 0, 58)
write("u", x, Quantity="transmission", Spacing=".001 .002")
write("v", x, Quantity="transmission", Spacing=".002 .001")'
    for k in u v; do phase --energy 20 --distance 200 --ratio 3 --no-log $k o$k; done
    py '
x = np.pad(read("u"), ((280, 280), (232, 232)), "symmetric")
f, g = (np.fft.fftfreq(n) for n in x.shape)
s = np.pi*1.23984198e-6/20*200*3
for k, du, dv in ("u", .001, .002), ("v", .002, .001):
    want = np.real(np.fft.ifft2(np.fft.fft2(x)/(1 + s*((f[:, None]/du)**2 + (g/dv)**2))))[280:350, 232:290]
    worst = np.abs(read("o" + k) - want).max()
    assert np.abs(read("u") - want).max() > .5 and worst < 1e-4, worst'
}

@test "phase: bad input is refused" {
    make_fringes
    py '
write("bare", np.ones((8, 8)), Quantity="transmission")
write("minus", -np.ones((8, 8)), Quantity="transmission")
write("counts", np.ones((8, 8)), Quantity="counts")'
    fails 2 "--energy, --distance and --ratio" phase --energy 20 t x
    fails 1 "bare has no spacing (give --pixel" phase -e 20 -d 1 -r 1 bare x
    fails 1 "minus: 64 of 64 filtered transmissions" phase -e 20 -d 1 -r 1 -p 1 minus x
    fails 1 "run gantry normalize --no-log first" phase -e 20 -d 1 -r 1 -p 1 counts x
    no_output x
}
