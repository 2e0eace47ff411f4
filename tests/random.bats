load common

@test "random: normal numbers have mean 0 and variance 1" {
    gantry random --size 300:300:5 x
    py 'x = read("x").astype("f8").ravel(); n = x.size
assert abs(x.mean()) < 5 / n**0.5 and abs(x.var() - 1) < 5 * (2 / n)**0.5
assert abs((x**3).mean()) < 5 * (15 / n)**0.5 and abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 5 / n**0.5'
}

@test "random: uniform numbers fill (0, 1) evenly, in every type" {
    for t in float16 float32 float64; do
        gantry random --distribution uniform --type $t --size 100000 x
        py 'x = read("x").astype("f8"); assert x.min() > 0 and x.max() < 1 and abs(x.mean() - 0.5) < 0.005
h = np.histogram(x, 20, (0, 1))[0]; assert ((h - 5000)**2 / 5000).sum() < 50'
    done
}

@test "random: Philox-4x32-10, element by element" {
    gantry random --distribution uniform --type float64 --seed 12345678901 --size 20 x
    py 'def philox(c, k):
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xffffffff, p >> 32 ^ c[3] ^ k[1], p & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return c
assert philox([0] * 4, [0] * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
s = 12345678901
for i, x in enumerate(read("x")):
    w = philox([i, 0, 0, 0], [s & 0xffffffff, s >> 32])
    assert x == (((w[1] << 32 | w[0]) >> 12) + 0.5) / 2**52'
}

@test "random: complex types have two independent parts" {
    gantry random --type complex64 --size 300:300 x
    py 'x = read("x").ravel(); assert abs(x.real.var() - 1) < 0.03 and abs(x.imag.var() - 1) < 0.03 and abs(np.corrcoef(x.real, x.imag)[0, 1]) < 0.02'
}

@test "random: the same for any threads, shape, pipe and run; another for another seed" {
    gantry random -j 1 --size 301:303:3 a
    gantry random -j 2 --size 301:303:3 b
    gantry random -j 7 --size 303:301:3 c
    gantry random --seed 0 --size 301:303:3 - | gantry copy - d
    gantry random --seed 1 --size 301:303:3 e
    same_bytes a b
    same_bytes a c
    same_bytes a d
    run ! same_bytes a e
    gantry random --size 100 f
    py 'assert np.array_equal(read("f"), read("a").ravel(order="F")[:100])'
}

@test "random: the history names the seed" {
    gantry random --size 4 x
    gantry history x | grep -q -- --seed=0
}

@test "random: spacing goes to the header" {
    gantry random --size 4:4 --spacing 0.5 x
    [[ "$(section x Spacing)" == "0.5 0.5"* ]]
}

@test "random: bad input fails, says so and leaves no output" {
    fails 2 size gantry random x
    fails 2 size gantry random --size 0 x
    fails 2 int8 gantry random --size 4 --type int8 x
    fails 2 seed gantry random --size 4 --seed -1 x
    fails 2 distribution gantry random --size 4 --distribution cauchy x
    no_output x
}
