load common

# levels of the 40 x 24 picture v in 0 .. 1 as they are quantised: NaN is -1
picture() {
    py 'a = np.random.default_rng(1).random((40, 24, 3)).astype("f4"); a[7, 5, 1] = np.nan; write("v", a)'
    levels='v = read("v")[:, :, 1].T.astype("f8"); levels = np.where(np.isnan(v), -1, np.floor(np.nan_to_num(v) * 253 + 0.5)).astype(int)
grey = np.where(levels < 0, 0, np.floor(levels / 253 * 255 + 0.5)).astype(int)'
}

@test "preview: half blocks carry two rows of colours each" {
    picture
    COLORTERM=truecolor gantry preview -q --mode blocks --columns 40 --window 0:1 v >out
    py "$levels"'
import re
lines = open("out", encoding="utf-8").read().splitlines()
assert len(lines) == 12
got = np.zeros((24, 40, 3), int)
for k, line in enumerate(lines):
    fg = bg = None
    x = 0
    for m in re.finditer("\033\\[(38|48);2;(\\d+);(\\d+);(\\d+)m|\u2580|\033\\[0m", line):
        if m.group(1) == "38": fg = [int(m.group(i)) for i in (2, 3, 4)]
        elif m.group(1) == "48": bg = [int(m.group(i)) for i in (2, 3, 4)]
        elif m.group(0) == "\u2580": got[2 * k, x], got[2 * k + 1, x] = fg, bg; x += 1
    assert x == 40
assert np.array_equal(got[..., 1], grey) and list(got[5, 7]) == [255, 0, 255]'
    gantry preview -q --mode blocks --columns 40 --window 0:1 v | grep -q '38;5;2'
}

@test "preview: sixel and kitty pictures decode to the slice" {
    picture
    gantry preview -q --mode kitty --columns 5 --window 0:1 v >kitty
    gantry preview -q --mode sixel --columns 5 --window 0:1 --up v >sixel
    py "$levels"'
import base64, re
text = open("kitty").read()
data = b"".join(base64.b64decode(p) for p in re.findall("\033_G[^;]*;([^\033]*)\033\\\\", text))
assert re.match("\033_Ga=T,f=24,s=40,v=24,m=[01];", text)
rgb = np.frombuffer(data, "u1").reshape(24, 40, 3)
assert np.array_equal(rgb[..., 1], grey) and list(rgb[5, 7]) == [255, 0, 255]
text = open("sixel").read()
assert text.startswith("\033Pq\"1;1;40;24") and text.endswith("\033\\")
palette = {int(a): int(b) for a, b in re.findall("#(\\d+);2;\\d+;(\\d+);\\d+", text)}
body = re.sub("#\\d+;2;\\d+;\\d+;\\d+", "", text)[len("\033Pq\"1;1;40;24"):-2]
got = np.full((24, 40), -1)
top = x = colour = 0
for m in re.finditer("#(\\d+)|!(\\d+)(.)|(\\$)|(-)|(.)", body):
    if m.group(1): colour = int(m.group(1))
    elif m.group(4): x = 0
    elif m.group(5): x, top = 0, top + 6
    else:
        n, bits = (int(m.group(2)), ord(m.group(3)) - 63) if m.group(2) else (1, ord(m.group(6)) - 63)
        for k in range(6):
            if bits >> k & 1: got[top + k, x:x + n] = colour
        x += n
assert np.array_equal(np.where(got == 254, -1, got), levels[::-1])
assert palette[0] == 0 and palette[253] == 100'
}

@test "preview: plain characters in a pipe, means where the terminal is smaller" {
    py 'v = np.zeros((64, 64), "f4"); v[32:] = 9; write("v", v); write("wide", np.arange(60, dtype="f4").reshape(60, 1) * np.ones((1, 10), "f4"), Spacing="1 6")'
    gantry preview -q --columns 8 v >out
    [ "$(sort -u out)" = "    @@@@" ]
    [ "$(wc -l <out)" -eq 4 ]
    gantry preview -q --columns 20 wide >out
    [ "$(wc -l <out)" -eq 10 ]
    [ "$(sort -u out | wc -l)" -eq 1 ]
    gantry preview --dim x v 2>&1 | grep -q "slice 32 of 64"
}

@test "preview: bad input" {
    gantry zeros --size 8:8:4 v
    fails 2 "LO < HI" gantry preview --window 1:0 v
    fails 2 "P below 50" gantry preview --percentile 60 v
    fails 2 "expected 0..3" gantry preview --slice 4 v
    fails 2 "--mode" gantry preview --mode ansi v
    fails 1 "nothere" gantry preview nothere
    gantry preview -q v >/dev/null
}
