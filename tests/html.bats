load common

# page FILE 'code': facts and q (the quantised volume) of a page, out of its script elements, then the code
page() {
    py "import base64, json, re, zlib
text = open('$1').read()
facts = json.loads(re.search('<script type=\"application/json\" id=\"facts\">(.*?)</script>', text, re.S).group(1))
n, bits = facts['dims'], facts['bits']
q = []
for k in range(facts['parts']):
    raw = np.frombuffer(zlib.decompress(base64.b64decode(re.search(f'id=\"part{k}\">(.*?)</script>', text, re.S).group(1))), 'u1')
    q.append(raw.astype(int) if bits == 8 else raw[:raw.size // 2] + 256 * raw[raw.size // 2:].astype(int))
q = np.concatenate(q).reshape(n, order='F')
none = 2 ** bits - 1
values = np.where(q == none, np.nan, facts['low'] + q * (facts['high'] - facts['low']) / (none - 1))
$2"
}

@test "html: the page holds the volume, its grid and unit" {
    py 'a = np.random.default_rng(1).normal(size=(30, 20, 150)).astype("f4"); a[3, 4, 5] = np.nan; write("v", a, Spacing="0.5 0.25 2", Origin="1 2 3", Unit="1/mm")'
    gantry html v v.html 2>said
    grep -q "1 values are not finite" said
    gantry html -q --bits 8 --window -1:1 --colormap viridis --title 'a </script> "b"' v small.html
    gantry html -q -j 1 v one.html
    cmp v.html one.html
    gantry copy v - | gantry html -q - - | grep octet | cmp - <(grep octet v.html)
    page v.html '
v = read("v")
assert n == list(v.shape) and facts["spacing"] == [0.5, 0.25, 2] and facts["origin"] == [1, 2, 3] and facts["unit"] == "1/mm" and facts["millimetres"]
assert np.array_equal(np.isnan(values), np.isnan(v)) and np.nanmax(np.abs(values - v)) <= 0.51 * (facts["high"] - facts["low"]) / 65534
assert facts["low"] == np.nanmin(v) and facts["high"] == np.nanmax(v)
assert np.allclose(facts["window"], np.nanpercentile(v, [0.1, 99.9]), atol=0.01)'
    page small.html '
assert facts["name"] == "a </script> \"b\"" and facts["window"] == [-1, 1] and facts["map"] == "viridis" and bits == 8
assert np.nanmax(np.abs(values - read("v"))) <= 0.51 * (facts["high"] - facts["low"]) / 254
assert "http" not in text'
}

@test "html: sides longer than --max are shown as means, in place" {
    py 'a = np.random.default_rng(1).normal(size=(40, 17, 5)).astype("f4"); a[0:3, 0, 0] = np.nan; a[4, 0, 0] = np.nan; write("v", a, Spacing="2 1 1")'
    gantry html -q --max 16 v v.html
    page v.html '
v = read("v").astype("f8")
assert n == [14, 9, 5] and facts["spacing"] == [6, 2, 1] and facts["origin"] == [-39 + 2, -8 + 0.5, -2]
v = np.pad(v, ((0, 2), (0, 1), (0, 0)), constant_values=np.nan).reshape(14, 3, 9, 2, 5)
want = np.nanmean(v, (1, 3))
assert np.nanmax(np.abs(values - want)) <= 0.51 * (facts["high"] - facts["low"]) / 65534'
}

@test "html: a browser shows it" {
    command -v chromium >/dev/null || skip "no chromium here"
    py 'a = np.zeros((20, 16, 12), "f4"); a[10, 8, 6] = 0.25; write("v", a, Spacing="0.5 0.5 0.5", Unit="1/mm")'
    gantry html -q v v.html
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --virtual-time-budget=5000 --dump-dom "file://$PWD/v.html" >dom 2>/dev/null
    grep -q 'value 0.25 1/mm at 10, 8, 6 (0.25, 0.25, 0.25 mm)' dom
    run ! grep -q 'role="status"' dom
}

@test "html: the 3-D view of volumes, not of slices" {
    gantry phantom --size 12:12:10 v
    gantry html -q v v.html
    grep -q '#version 300 es' v.html
    grep -q 'location.hash === "#3d"' v.html
    command -v chromium >/dev/null || skip "no chromium here"
    chromium --headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --user-data-dir="$PWD/profile" --virtual-time-budget=5000 --dump-dom "file://$PWD/v.html#3d" >dom 2>/dev/null
    run ! grep -q 'role="status"' dom
    grep -q '<main id="views" class="solid">' dom
    # what it shows, or why it cannot
    grep -q 'id="sight">[A-Za-z]' dom
    gantry zeros --size 8:8:1 s
    gantry html -q s s.html
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --virtual-time-budget=5000 --dump-dom "file://$PWD/s.html#3d" >dom 2>/dev/null
    grep -q '<main id="views" class="flat">' dom
    run ! grep -q 'role="status"' dom
}

@test "html: bad input" {
    gantry zeros --size 8:8:8 v
    fails 2 "LO < HI" gantry html --window 1:0 v v.html
    fails 2 "8 or 16" gantry html --bits 12 v v.html
    fails 1 "nothere" gantry html nothere v.html
    fails 1 "nofolder" gantry html v nofolder/v.html
    fails 2 "ends in .html" gantry html v v.png
    fails 2 "ends in .html" gantry html v folder.html/v
    [ ! -e v.html ]
    fails 1 "" gantry html v /dev/full
}
