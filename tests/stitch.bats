load common

@test "stitch: an offset scan of 360 degrees becomes the wide one of 180, axis on either side" {
    phantom --size 64:64:4 vol
    local offset
    for offset in 12 -13 12.5; do
        traj --views 80 --arc 360 --offset "$offset:0" --detector 60:4 geom
        project geom vol scan
        run -0 --separate-stderr stitch -j 1 scan out
        # pixel 29.5 - offset sees the axis
        [[ "$stderr" == *"column of the axis: $(py "print('%g' % (29.5 - $offset))") "* ]]
        stitch -j 2 --axis "$(py "print(29.5 - $offset)")" scan given
        same_bytes out given
        traj --views 40 --detector "$(dims out | cut -d' ' -f1):4" wide
        project wide vol want
        py 'x, want = read("out"), read("want"); assert x.shape == want.shape and np.abs(x - want).max() < 1e-4 * want.max()'
    done
}

@test "stitch: volumes and scans side by side, the overlap found or given" {
    py '
from scipy.ndimage import gaussian_filter
x = gaussian_filter(np.random.default_rng(1).random((31, 17, 13)), 1.2).astype("f4")
write("x", x, Spacing="2 1 1")
for d, n, a in (0, 9, 20), (1, 5, 11), (2, 6, 9):
    i = [slice(None)] * 3
    i[d] = slice(0, a)
    write("a%d" % d, x[tuple(i)], Spacing="2 1 1", Origin="5 6 7")
    i[d] = slice(a - n, None)
    write("b%d" % d, x[tuple(i)], Spacing="2 1 1")'
    local d n=(9 5 6)
    for d in 0 1 2; do
        run -0 --separate-stderr stitch -j 1 --dim $d a$d b$d y
        [[ "$stderr" == *"overlap: ${n[d]} (correlation 1.0000)"* ]]
        [ "$(section y Origin | cut -d' ' -f1-3)" = "5 6 7" ]
        stitch --dim $d --overlap "${n[d]}" a$d b$d z
        same_bytes y z
        py 'assert read("y").shape == (31, 17, 13) and np.abs(read("y") - read("x")).max() < 1e-6'
    done
    stitch --dim z --overlap 0 a2 b2 y
    [ "$(dims y)" = "31 17 19" ]
    # blended linearly: weights 1/3 and 2/3 of zeros and ones
    zeros --size 4 p
    ones --size 4 q
    stitch --dim 0 --overlap 2 p q y
    py 'assert np.allclose(read("y"), [0, 0, 1 / 3, 2 / 3, 1, 1])'
}

@test "stitch: bad input is refused" {
    py '
rng = np.random.default_rng(2)
write("a", rng.random((40, 30, 5)).astype("f4"))
write("b", rng.random((40, 30, 5)).astype("f4"))
write("odd", rng.random((40, 3, 5)).astype("f4"), Quantity="line-integral")
write("rand", rng.random((40, 3, 6)).astype("f4"), Quantity="line-integral")
write("vol", rng.random((40, 3, 6)).astype("f4"), Quantity="attenuation")
n = np.ones((40, 30, 5), "f4")
n[20, 3, 2] = np.nan
write("n", n)
write("c", np.ones((4, 4, 4), "c8"))'
    fails 1 "no overlap found: the best overlap" stitch --dim x a b y
    fails 1 "no overlap found: the best column of the axis" stitch rand y
    fails 1 "n holds NaN" stitch --dim x --overlap 3 a n y
    fails 1 "--overlap: 41 elements, but a has 40" stitch --dim x --overlap 41 a b y
    fails 1 "expected equal dimensions except 0" stitch --dim x a odd y
    fails 1 "odd: 5 views, expected an even number" stitch odd y
    fails 1 "one input is a scan of 360 degrees" stitch vol y
    fails 1 "--axis: column 39 is outside the views" stitch --axis 39 rand y
    fails 2 "expected --dim" stitch a b y
    fails 2 "have no effect on a single scan" stitch --dim x rand y
    fails 1 "complex" stitch --dim x c c y
    no_output y
}
