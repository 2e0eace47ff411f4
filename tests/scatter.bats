load common

# t: primary, m: with scatter by another program's sums; pixels of 0.5 mm
make_scatter() {
    py '
from scipy.ndimage import gaussian_filter
u, v = np.meshgrid(np.arange(64) - 31.5, np.arange(48) - 23.5, indexing="ij")
t = np.exp(-.15*np.sqrt(np.maximum(20.**2 - u**2, 0)))*np.ones_like(v)
q = .12*t**.9*(-np.log(np.minimum(t, 1)))**.5
big = np.pad(q, 200, "symmetric")
g = lambda s: gaussian_filter(big, s/.5, mode="reflect", truncate=6)[200:-200, 200:-200]
write("t", t)
write("m", t + (g(4) + .3*g(15))/1.3, Quantity="transmission", Spacing=".5 .5")'
}

@test "scatter: the model undone, the error falls" {
    make_scatter
    scatter --amplitude 0.12 --alpha 0.9 --beta 0.5 --sigma 4:15 --ratio 0.3 --iterations 12 m o
    scatter --amplitude 0.096 --alpha 0.9 --beta 0.5 --sigma 4.5:13 --ratio 0.3 --iterations 12 m off
    py '
t, m = read("t"), read("m")
e = lambda x: np.linalg.norm(x - t)
print(e(m)/e(read("o")), e(m)/e(read("off")))
assert e(m) > 50*e(read("o")) and e(m) > 3*e(read("off"))'
}

@test "scatter: the same bytes for any threads; nothing without amplitude; bad input is refused" {
    make_scatter
    for j in 1 3; do scatter -q -j $j --sigma 4:15 m o$j; done
    same_bytes o1 o3
    scatter --amplitude 0 m same
    same_bytes m same
    scatter --amplitude 5 --sigma 4:15 m low 2>said
    grep -q "primaries are below a hundredth" said
    py '
write("bare", np.ones((8, 8)), Quantity="transmission")
write("p", np.ones((8, 8)), Quantity="line-integral")'
    fails 1 "bare has no spacing" scatter bare x
    fails 1 "run gantry normalize --no-log first" scatter p x
    fails 2 "--sigma has 1 numbers" scatter --sigma 3 m x
    no_output x
}
