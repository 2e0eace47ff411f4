load common

# t: sharp transmission, y: blurred by a Gaussian of 1.5 pixels, n: that of 1e5 counts; h: the function
make_blur() {
    py '
from scipy.ndimage import gaussian_filter
u, v = np.meshgrid(np.arange(60), np.arange(50), indexing="ij")
t = 1 - .7*(np.hypot(u - 30, v - 25) < 15) + .3*((u//3 % 2) & (abs(v - 25) < 6))*(abs(u - 30) < 10)
t = gaussian_filter(t, .8)
y = gaussian_filter(t, 1.5, mode="reflect", truncate=8)
write("t", t)
write("y", y, Quantity="transmission")
write("n", np.random.default_rng(0).poisson(y*1e5)/1e5, Quantity="transmission")
k = np.exp(-(np.arange(-9, 10)/1.5)**2/2)
write("h", np.outer(k, k))'
}

@test "deblur: the error falls" {
    make_blur
    deblur --sigma 1.5 --iterations 50 n lucy
    deblur --method wiener --sigma 1.5 n wiener
    py '
t, n = read("t"), read("n")
e = lambda x: np.linalg.norm(read(x) - t)
print(e("n")/e("lucy"), e("n")/e("wiener"))
assert e("n") > 2.6*e("lucy") and e("n") > 2.4*e("wiener")
assert read("lucy").min() >= 0 and abs(read("lucy").sum()/n.sum() - 1) < .003'
}

@test "deblur: strengths chosen from the view follow its noise" {
    make_blur
    py 'write("few", np.random.default_rng(1).poisson(read("y")*300)/300, Quantity="transmission")'
    for n in n few; do
        for m in lucy wiener; do deblur --sigma 1.5 --method $m $n $m-$n; done
    done
    deblur --sigma 1.5 --iterations 50 few hard
    deblur --sigma 1.5 --method wiener --noise 1e-3 few sharp
    py '
t = read("t")
e = lambda x: np.linalg.norm(read(x) - t)
print([e("n")/e(m + "-n") for m in ("lucy", "wiener")], [e("few")/e(m + "-few") for m in ("lucy", "wiener")])
print(e("hard")/e("lucy-few"), e("sharp")/e("wiener-few"))
assert e("n") > 2.7*e("lucy-n") and e("n") > 2.3*e("wiener-n")
assert e("few") > 1.4*e("lucy-few") and e("few") > 1.4*e("wiener-few")
assert e("hard") > e("lucy-few") and e("sharp") > e("wiener-few")'
}

@test "deblur: Wiener's filter against NumPy, and a function in place of a Gaussian" {
    make_blur
    deblur --method wiener --sigma 1.5 --noise 1e-3 y a
    deblur --method wiener --psf h --noise 1e-3 y b
    deblur --iterations 5 --sigma 1.5 y c
    deblur --iterations 5 --psf h y d
    compare --tolerance 1e-3 a b
    compare --tolerance 1e-4 c d
    py '
y = np.pad(read("y"), 30, "symmetric")
f, g = (np.fft.fftfreq(n) for n in y.shape)
H = np.exp(-2*np.pi**2*1.5**2*(f[:, None]**2 + g**2))
x = np.real(np.fft.ifft2(np.fft.fft2(y)*H*(1 + 1e-3)/(H*H + 1e-3)))[30:-30, 30:-30]
assert np.abs(x - read("a")).max() < .01'
}

@test "deblur: lopsided functions, two widths and noise of a slope against NumPy and SciPy" {
    make_blur
    py 'h = np.zeros((5, 7)); h[1:5, 2:4] = [[1, 2], [5, 3], [2, 1], [.5, 0]]; h[2, 6] = .7; write("lop", h)'
    deblur --method wiener --psf lop --noise 0.02 y a
    deblur --method wiener --psf lop --noise 0.5 --slope 1.5 y b
    deblur --method wiener --sigma 2:0.7 --noise 0.03 y c
    deblur --iterations 4 --psf lop y d
    py '
from scipy.ndimage import convolve, correlate
y, h = read("y"), read("lop")
h /= h.sum()
far = np.pad(y, 45, "symmetric")
f, g = np.meshgrid(*map(np.fft.fftfreq, far.shape), indexing="ij")
H = np.fft.fft2(np.roll(np.pad(h, [(0, far.shape[0] - 5), (0, far.shape[1] - 7)]), (-2, -3), (0, 1)))
G = np.exp(-2*np.pi**2*(2**2*f**2 + .7**2*g**2))
r = 2/np.pi*np.hypot(np.sin(np.pi*f), np.sin(np.pi*g))
w = lambda H, n: np.real(np.fft.ifft2(np.fft.fft2(far)*np.conj(H)/(np.abs(H)**2 + n)))[45:-45, 45:-45]
for name, x in ("a", 1.02*w(H, .02)), ("b", w(H, .5*r**1.5)), ("c", 1.03*w(G, .03)):
    assert np.abs(x - y).max() > .03 and np.abs(x - read(name)).max() < 1e-3, (name, np.abs(x - read(name)).max())
x = convolve(y, h, mode="reflect")
for k in range(4):
    x *= correlate(y/convolve(x, h, mode="reflect"), h, mode="reflect")
assert np.abs(x - read("d")).max() < 1e-9, np.abs(x - read("d")).max()'
}

@test "deblur: the same bytes for any threads; bad input is refused" {
    make_blur
    for j in 1 3; do deblur -j $j --sigma 1 y o$j; done
    same_bytes o1 o3
    py '
write("zero", np.zeros((3, 3)))
write("p", np.ones((8, 8)), Quantity="line-integral")'
    fails 2 "expected --sigma or --psf" deblur y x
    fails 2 "requires --method wiener" deblur --sigma 1 --noise 0.1 y x
    fails 2 "--slope requires --noise" deblur --sigma 1 --method wiener --slope 4 y x
    fails 2 "requires --method lucy" deblur --sigma 1 --method wiener --iterations 3 y x
    py 'write("even", np.ones((4, 3)))'
    fails 1 "even is 4 x 3, expected odd sizes" deblur --psf even y x
    fails 1 "zero: the point spread function has the sum 0" deblur --psf zero y x
    fails 1 "before the logarithm" deblur --sigma 1 p x
    fails 1 "expected a point spread function" deblur --psf y zero x
    no_output x
}
