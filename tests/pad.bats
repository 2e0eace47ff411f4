load common

@test "pad: what the new columns hold" {
    py 'write("x", np.arange(1, 11.).reshape(5, 1, 2), Quantity="line-integral")'
    pad --mode edge --width 2:3 x e
    pad --mode cosine --width 3 x c
    pad --mode mirror --width 3 x m
    py '
x = read("x")
assert np.all(read("e") == np.pad(x, ((2, 3), (0, 0), (0, 0)), "edge"))
f = .5*(1 + np.cos(np.pi*np.arange(1, 4)/4))
w = np.r_[f[::-1], np.ones(5), f][:, None, None]
assert np.allclose(read("c"), np.pad(x, ((3, 3), (0, 0), (0, 0)), "edge")*w)
assert np.allclose(read("m"), np.pad(x, ((3, 3), (0, 0), (0, 0)), "symmetric")*w)'
}

@test "pad: cropping gives the projections back, and keeps every column at its place" {
    traj --views 7 --detector 20:3 g
    phantom --geometry g p
    for m in edge cosine mirror; do
        pad --mode $m --width 9:4 p w
        [ "$(dims w)" = "33 3 7" ]
        pad --width 9:4 --crop w q
        same_bytes p q
    done
    py '
from arrays import sections
assert sections("w")["Origin"].split()[0] == "-18.5"'
    py 'write("c", np.arange(40).reshape(20, 2).astype("u2"), Quantity="transmission")'
    pad -j 3 --mode edge c wide
    [ "$(dims wide)" = "40 2" ]
    [ "$(section wide Type)" = uint16 ]
    copy c - | pad --mode edge - - | copy - piped
    same_bytes wide piped
}

@test "pad: a disc larger than the detector" {
    traj --views 180 --detector 64 g
    traj --views 180 --detector 160 whole
    printf 'unit mm\ncylinder 1 0 0 0 60 60 9\nellipsoid -0.5 10 5 0 9 9 9\nellipsoid 0.5 -12 -8 0 7 7 7\n' >shapes
    phantom --file shapes --size 160:160 --spacing 1 --geometry whole full
    extract u 48:112 full p
    fbp --size 64:64 --spacing 1 whole full ref
    fbp --size 64:64 --spacing 1 g p cut
    geom --detector 128:1 g wide
    for m in edge cosine mirror; do
        pad --mode $m --width 32 p - | fbp --size 64:64 --spacing 1 wide - $m
    done
    py '
x, y = np.meshgrid(np.arange(64) - 31.5, np.arange(64) - 31.5, indexing="ij")
seen = np.hypot(x, y) < 29
err = lambda n: np.sqrt(np.mean((read(n) - read("ref"))[seen]**2))
before = err("cut")
for m, factor in ("edge", 3.5), ("cosine", 12), ("mirror", 25):
    print(m, before/err(m))
    assert before > factor*err(m), (m, before/err(m))'
}

@test "pad: bad input is refused" {
    phantom --size 8:8 vol
    py 'write("p", np.ones((6, 2, 3), "f4"), Quantity="line-integral")'
    fails 1 "of a volume: gantry resize" pad vol x
    fails 1 "6 columns, expected more than the 6" pad --crop --width 3 p x
    fails 2 "--width" pad --width 1:2:3 p x
    fails 2 "--width" pad --width -1 p x
    no_output x
}

@test "pad, outliers: the same bytes with little memory, and from a pipe" {
    py 'write("s", np.random.default_rng(3).random((2, 200, 64, 64)).astype("f4"), Quantity="line-integral")'
    for command in "pad --width 16" "outliers --dims u,v,view"; do
        # shellcheck disable=SC2086 # words
        gantry $command -q s all
        # shellcheck disable=SC2086
        GANTRY_MEM=12M gantry $command -q s little
        # shellcheck disable=SC2086
        gantry copy -q s - | gantry $command -q - pipe
        cmp all.cfl little.cfl
        cmp all.cfl pipe.cfl
        rm all.* little.* pipe.*
    done
}
