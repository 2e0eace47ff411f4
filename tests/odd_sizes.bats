# Many columns, rows, views or voxels, one more or less than powers of two: right on rays drawn at random.
load common

# agrees: project of x and backproject in the geometry g are what the definition says, on rays and voxels.
agrees() {
    project -q g x p
    py "
from joseph import mapped, ray, ray_sum
x, p, g = mapped('x'), mapped('p'), read('g')
g = g.reshape(4, 4, -1)
cols, rows, views = p.shape
r = np.random.default_rng(0)
err = big = 0
y = np.zeros(p.shape, 'f4', order='F')
back = np.zeros(x.shape)
ends = lambda n: r.choice([0, n - 1, r.integers(n), n // 2])
seen = np.argwhere(p != 0)
for t in range(120):
    a, b, k = (ends(cols), ends(rows), ends(views)) if t % 3 == 0 else seen[r.integers(len(seen))]
    want = ray_sum(x, (1, 1, 1), g[:, :, k], a, b, cols, rows)
    err, big = max(err, abs(want - p[a, b, k])), max(big, abs(want))
    y[a, b, k] += (value := np.float32(r.random()))
    v, w = ray(x.shape, (1, 1, 1), g[:, :, k], a, b, cols, rows)
    np.add.at(back, tuple(v.T), w*value)
assert big > 0 and err < 1e-5*big, (err, big)
write('y', y)
write('back', back)"
    backproject -q --like x g y v
    py 'v, b = read("v"), read("back"); assert b.max() > 0 and abs(v - b).max() < 1e-5*b.max()'
}

@test "odd sizes: 2047, 2049, 4097 columns, rows, views" {
    random --size 24:22:20 x
    while read -r options; do
        # shellcheck disable=SC2086 # words
        traj --start 3 $options g
        agrees
    done <<'CASES'
--views 5 --detector 2047:6 --sod 60 --sdd 90 --pitch 0.01:4
--views 5 --detector 4097:6 --sod 60 --sdd 90 --pitch 0.01:4
--views 3 --detector 2049:4 --pitch 0.02:4 --tilt 30
--views 5 --detector 6:2049 --sod 60 --sdd 90 --pitch 4:0.01
--views 5 --detector 6:4097 --pitch 4:0.01
--views 2049 --arc 360 --detector 8:5 --sod 60 --sdd 90 --pitch 3
--views 4097 --detector 8:5 --pitch 3
CASES
}

@test "odd sizes: 2047, 2049, 4097 voxels along an axis" {
    while read -r size options; do
        random --size "$size" x
        # shellcheck disable=SC2086 # words
        traj --views 3 --start 30 --detector 41:41 --pitch 100 $options g
        agrees
    done <<'CASES'
2047:7:5
7:2049:5 --sod 6000 --sdd 9000
7:5:4097
4097:7:5 --tilt 10
7:5:2047 --sod 6000 --sdd 9000
CASES
}
