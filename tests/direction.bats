load common

@test "direction: what is cut, joined, binned or convolved stays in its place, with an origin or centred" {
    py '
D = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
np.save("D", D)
x = np.arange(6. * 7 * 8).reshape(6, 7, 8) + 1
grid = {"Spacing": "0.5 2 1.5", "Direction": " ".join("%.17g" % c for c in D.T.ravel())}
write("x", x, Origin="3 -4 5", **grid)
write("c", x, **grid)
k = np.ones((1, 2, 1))
write("k", k)'
    local n
    join channel x x xx
    join channel c c cc
    slice 3 0 xx x-slice
    slice 3 0 cc c-slice
    for n in x c; do
        extract y 2:6 z 1::3 "$n" "$n-extract"
        resize -c x 9 "$n" "$n-resize"
        join y "$n" "$n" "$n-join"
        stitch --dim z --overlap 0 "$n" "$n" "$n-stitch"
        conv --mode valid y "$n" k "$n-conv"
        bin --factor 1:1:2 "$n" "$n-bin"
        threshold --value 335.5 "$n" last
        label --csv "$n.csv" last
        for op in "copy" "extract y 2:6" "bin --factor 1:2:1"; do
            $op "$n" "$n-whole"
            gantry -l z $op "$n" "$n-looped"
            gantry -l x,z=1:8:3 $op "$n" "$n-some"
            extract z 1:8:3 "$n-whole" "$n-part"
            py "from arrays import sections
for pair in ('whole', 'looped'), ('part', 'some'):
    for key in 'Origin', 'Spacing', 'Direction':
        a, b = (np.array(sections('$n-' + n).get(key, '').split(), float)[:9] for n in pair)
        k = min(len(a), len(b)) if key == 'Spacing' else None
        assert a[:k].shape == b[:k].shape and np.allclose(a[:k], b[:k], atol=1e-9), ('$n $op', pair, key, a, b)"
        done
    done
    py '
D, s = np.load("D.npy"), np.array([.5, 2, 1.5])
def numbers(name, key):
    lines = open(name + ".hdr").read().split("\n")
    return np.array([float(v) for v in lines[lines.index("# " + key) + 1].split()[:3]])
for n in "xc":
    first = np.array([3, -4, 5]) if n == "x" else -D @ (s * [5, 6, 7]) / 2
    for op, at in ("extract", (0, 2, 1)), ("resize", (-1, 0, 0)), ("join", (0, 0, 0)), ("stitch", (0, 0, 0)), ("conv", (0, 1, 0)), ("bin", (0, 0, .5)), ("slice", (0, 0, 0)):
        assert np.allclose(numbers(n + "-" + op, "Origin"), first + D @ (s * at), atol=1e-6), (n, op)
    row = open(n + ".csv").read().split()[1].split(",")
    assert np.allclose([float(v) for v in row[4:7]], first + D @ (s * [5, 6, 7])), row'
}

@test "direction: loops take a range along oblique axes, and pass on a section that is no direction" {
    gantry random --size 9:8:7 a
    printf '# Spacing\n0.5 0.5 2\n# Origin\n1 2 3\n# Direction\n1 0 0 0.6 0.8 0 0 0.28 0.96\n' >>a.hdr
    gantry extract y 2:6 a whole
    for d in x z; do
        gantry -l $d extract y 2:6 a looped
        [ "$(section looped Origin)" = "$(section whole Origin)" ]
    done
    gantry random --size 9:8:7 b
    printf '# Origin\n1 2 3\n# Direction\nnone\n' >>b.hdr
    gantry -l z copy b looped
    [ "$(section looped Origin) $(section looped Direction)" = "1 2 3 none" ]
}
