load common

# A 6 x 5 volume seen by 8 columns in 11 views: dims of the matrix 88 x 30. `matrix` is A, from projections of unit volumes, one per channel.
small() {
    gantry traj --views 11 --detector 8:1 geom
    py '
write("units", np.eye(30, dtype="f8").reshape(6, 5, 1, 30, order="F"))
rng = np.random.default_rng(1)
write("proj", rng.normal(size=(8, 1, 11)))
write("proj32", rng.normal(size=(8, 1, 11)).astype("f4"))'
    gantry project geom units matrix
}

# `A` and `y` of those in Python.
dense='
A = read("matrix").reshape(88, 30, order="F")
y = read("proj").ravel(order="F")
'

@test "cg: enough iterations give the least-squares solution" {
    small
    gantry cg --size 6:5:1 -i 200 --tolerance 1e-13 geom proj rec
    py "$dense
x = np.linalg.lstsq(A, y, rcond=None)[0]
r = read('rec').ravel(order='F')
assert r.dtype == np.float64
assert np.linalg.norm(r - x) < 1e-9 * np.linalg.norm(x), np.linalg.norm(r - x)"
}

@test "cg: --lambda adds lambda to the normal equations" {
    small
    gantry cg --size 6:5:1 -i 200 --tolerance 1e-13 --lambda 2.5 geom proj rec
    py "$dense
x = np.linalg.solve(A.T @ A + 2.5 * np.eye(30), A.T @ y)
assert np.linalg.norm(read('rec').ravel(order='F') - x) < 1e-10 * np.linalg.norm(x)"
}

@test "cg: after k steps the iterate is the best of its Krylov space" {
    small
    gantry cg --size 6:5:1 -i 4 geom proj rec
    py "$dense
H, b = A.T @ A, A.T @ y
K = [b]
for k in range(3): K.append(H @ K[-1])
K = np.linalg.qr(np.stack(K, 1))[0]
x = K @ np.linalg.lstsq(A @ K, y, rcond=None)[0]
assert np.linalg.norm(read('rec').ravel(order='F') - x) < 1e-9 * np.linalg.norm(x)"
}

@test "cg: the log is a table, its residual falls and is that of the volume" {
    small
    gantry cg --size 6:5:1 -i 12 --log log.csv geom proj rec
    py "$dense
import csv
rows = list(csv.DictReader(open('log.csv')))
assert list(rows[0]) == 'channel time iteration residual objective gradient step seconds'.split(), rows[0]
assert [int(r['iteration']) for r in rows] == list(range(13))
res = [float(r['residual']) for r in rows]
assert abs(res[0] - np.linalg.norm(y)) < 1e-8 * res[0]
assert all(b <= a for a, b in zip(res, res[1:])), res
x = read('rec').ravel(order='F')
assert abs(res[-1] - np.linalg.norm(A @ x - y)) < 1e-8 * res[-1]
assert abs(float(rows[-1]['objective']) - res[-1] ** 2 / 2) < 1e-8 * res[-1] ** 2"
}

@test "cg: --tolerance stops at that gradient, not before" {
    small
    gantry cg --size 6:5:1 -i 500 --tolerance 1e-3 --log log.csv geom proj rec
    py "$dense
g = np.linalg.norm(A.T @ (A @ read('rec').ravel(order='F') - y)) / np.linalg.norm(A.T @ y)
assert g <= 1e-3, g
n = len(open('log.csv').readlines()) - 2
assert 2 < n < 100, n"
    gantry cg --size 6:5:1 -i "$(($(wc -l <log.csv) - 3))" geom proj before
    py "$dense
g = np.linalg.norm(A.T @ (A @ read('before').ravel(order='F') - y)) / np.linalg.norm(A.T @ y)
assert g > 1e-3, g"
}

@test "cg: the tolerance is met the same with a warm start" {
    small
    gantry random --size 6:5 --type float64 x0
    gantry cg --size 6:5:1 -i 500 --tolerance 1e-6 --init x0 geom proj rec
    py "$dense
g = np.linalg.norm(A.T @ (A @ read('rec').ravel(order='F') - y)) / np.linalg.norm(A.T @ y)
assert g <= 1e-6, g"
}

@test "cg: --init continues: the residual starts where it was" {
    small
    gantry cg --size 6:5:1 -i 5 --log a.csv geom proj x5
    gantry cg --like x5 -i 5 --init x5 --log b.csv geom proj x10
    [ "$(tail -1 a.csv | cut -d, -f4 | cut -c1-7)" = "$(sed -n 2p b.csv | cut -d, -f4 | cut -c1-7)" ]
    gantry cg --like x5 -i 0 --init x5 geom proj x
    same_bytes x x5
}

@test "cg: scaling the data scales the volume" {
    small
    gantry scale 8 proj32 proj8
    gantry cg --size 6:5:1 -i 6 geom proj32 a
    gantry cg --size 6:5:1 -i 6 geom proj8 b
    gantry scale 8 a a8
    same_bytes a8 b
}

@test "cg: the same bytes for any number of threads, and through pipes" {
    gantry traj --views 24 --sod 200 --sdd 300 --pitch 3 --detector 20:16 geom
    gantry phantom --size 20:20:16 --spacing 2 vol
    gantry project geom vol proj
    for j in 1 2 7; do
        gantry cg -j $j -i 5 --like vol geom proj rec$j
        gantry wls -j $j -i 5 --nonneg --like vol geom proj nn$j
    done
    same_bytes rec1 rec2
    same_bytes rec1 rec7
    same_bytes nn1 nn2
    same_bytes nn1 nn7
    gantry project geom vol - | gantry cg -i 5 --like vol geom - - | gantry copy - piped
    same_bytes rec1 piped
}

@test "cg: each channel and time as if it were alone" {
    small
    gantry random --size 8:1:11:2:3 p
    gantry cg --size 6:5:1 -i 5 --log log.csv geom p all
    gantry slice channel 1 time 2 p one
    gantry cg --size 6:5:1 -i 5 geom one alone
    gantry slice channel 1 time 2 all part
    same_bytes part alone
    [ "$(dims all)" = "6 5 1 2 3" ]
    [ "$(wc -l <log.csv)" -eq $((1 + 6 * 6)) ]
}

@test "cg: complex data are two real reconstructions" {
    small
    py 'write("z", (read("proj") + 2j * read("proj")[::-1]).astype("c16"))
write("im", 2 * read("proj")[::-1])'
    gantry cg --size 6:5:1 -i 300 --tolerance 1e-12 geom z rec
    gantry cg --size 6:5:1 -i 300 --tolerance 1e-13 geom proj re
    gantry cg --size 6:5:1 -i 300 --tolerance 1e-13 geom im im_rec
    py 'd = read("rec") - (read("re") + 1j * read("im_rec"))
assert read("rec").dtype == np.complex128
assert np.linalg.norm(d) < 1e-8 * np.linalg.norm(read("rec")), np.linalg.norm(d)'
}

@test "cg: type, unit, quantity and grid of the volume; everything chosen is in the history" {
    small
    gantry cg --size 6:5:1 --spacing 2:2:1 -i 1 geom proj32 rec
    [ "$(section rec Type)" = float32 ]
    [ "$(section rec Unit)" = 1/mm ]
    [ "$(section rec Quantity)" = attenuation ]
    [[ $(section rec Spacing) == "2 2 1"* ]]
    [[ $(tail -1 rec.hdr) == *"cg --iterations=1 --lambda=0 "*"--size=6:5:1 --spacing=2:2:1 --tolerance=0"* ]]
    gantry cg --size 6:5:1 --type float64 -i 1 geom proj32 rec
    [ "$(section rec Type)" = float64 ]
    py 'write("u8", np.ones((8, 1, 11), dtype="u1")); write("f4", np.ones((8, 1, 11), dtype="f4"))'
    gantry cg --size 6:5:1 -i 2 geom u8 a
    gantry cg --size 6:5:1 -i 2 geom f4 b
    same_bytes a b
}

@test "cg: --reference logs the NRMSE of every iterate and is not in the history" {
    gantry traj --views 12 --detector 24:1 geom
    gantry phantom --size 16:16 vol
    gantry project geom vol proj
    gantry cg -i 6 --like vol --reference vol --log log.csv geom proj rec
    gantry cg -i 6 --like vol geom proj plain
    same_bytes rec plain
    [ "$(tail -1 rec.hdr)" = "$(tail -1 plain.hdr)" ]
    local got want
    got=$(tail -1 log.csv | cut -d, -f9)
    want=$(gantry compare vol rec)
    py "assert abs($got - $want) < 1e-8 * $want"
}

@test "cg: zero data end cleanly with a zero volume" {
    gantry traj --views 12 --detector 24:1 geom
    gantry zeros --size 24:1:12 p
    gantry cg geom p rec 2>said
    grep -q 'minimum reached after 0 iterations' said
    [ "$(gantry stats --only zeros,count rec | uniq | wc -l)" -eq 1 ]
}

@test "cg: what does not fit is said in one sentence and nothing is written" {
    small
    py 'p = read("proj"); p[3, 0, 2] = np.nan; p[0, 0, 9] = np.inf; write("bad", p)
write("counts", np.ones((8, 1, 11)), Quantity="counts")
write("x0", np.full((6, 5), np.inf))
write("wide", np.ones((9, 1, 11)))'
    fails 1 "bad: 2 of 88 values are NaN or infinite, the first at (3, 0, 2)" gantry cg --size 6:5:1 geom bad rec
    fails 1 "x0: 30 of 30 values are NaN or infinite" gantry cg --size 6:5:1 --init x0 geom proj rec
    fails 1 "expected 7 x 5 like the volume" gantry cg --size 7:5:1 --init x0 geom proj rec
    fails 1 "counts contains counts, expected line-integral" gantry cg --size 6:5:1 geom counts rec
    fails 1 "wide" gantry cg --size 6:5:1 geom wide rec
    fails 2 "--type uint8" gantry cg --type uint8 geom proj rec
    fails 2 "" gantry cg -i -3 geom proj rec
    fails 2 "" gantry cg --lambda -1 geom proj rec
    fails 2 "" gantry cg --lambda nan geom proj rec
    no_output rec
}

@test "cg: data too large for their type is an error, not a volume of NaN" {
    small
    py 'write("huge", np.full((8, 1, 11), 3e38, dtype="f4"))'
    fails 1 "too large" gantry cg --size 6:5:1 geom huge rec
    no_output rec
}
