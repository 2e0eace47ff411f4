load common

@test "distort: straight lines again, the size of the defect known" {
    py '
u, v = np.meshgrid(np.arange(80.), np.arange(60.), indexing="ij")
scene = lambda u, v: 2 + np.cos(u*.35) + np.sin(v*.3)
cu, cv, k = 41.3, 28.6, (1, 4e-4, -3e-6)
# the distorted view shows at r (k0 + k1 r + k2 r^2) what the straight one has at r: invert by iteration
U, V = u - cu, v - cv
R = np.hypot(U, V)
r = R.copy()
for _ in range(100):
    r = R/(k[0] + k[1]*r + k[2]*r*r)
s = np.where(R > 0, r/np.maximum(R, 1e-9), 1)
write("straight", scene(u, v))
write("bent", np.stack([scene(cu + s*U, cv + s*V)]*2, 2), Quantity="transmission")'
    distort --coefficients 1:4e-4:-3e-6 --center 41.3:28.6 bent o
    py '
t, b, o = read("straight")[8:-8, 8:-8], read("bent")[8:-8, 8:-8, 0], read("o")[8:-8, 8:-8, 1]
e = lambda x: np.linalg.norm(x - t)
print(e(b)/e(o))
assert e(b) > 50*e(o)'
    distort --coefficients 1 bent same
    compare --tolerance 1e-14 bent same
    distort -j 1 --coefficients 1:4e-4:-3e-6 --center 41.3:28.6 bent one
    same_bytes o one
}

@test "distort: bad input is refused, far away is the last pixel" {
    phantom --size 8:8 vol
    py 'write("x", np.arange(64.).reshape(8, 8), Quantity="transmission")'
    fails 2 "--coefficients" distort x y
    fails 2 "K0 is 0" distort -k 0 x y
    fails 2 "K0 is -1" distort --coefficients=-1:0.1 x y
    fails 2 "--center" distort --coefficients 1 --center 3 x y
    fails 1 "attenuation" distort --coefficients 1 vol y
    no_output y
    distort --coefficients 1e30 x far
    py 'assert set(read("far").ravel()) <= {0., 7., 56., 63.}'
}
