load common

# The scale and the meaning of values that TIFF files of other programs say: ImageJ, OME-TIFF, plain resolutions.

# In Python: tif(name, text of tag 270, resolution and its unit), of two pages
tif_py() {
    py 'import tiffs
from fractions import Fraction
def tif(name, text=None, x=None, y=None, unit=None):
    tags = {} if text is None else {270: text if isinstance(text, bytes) else text.encode()}
    for number, v in (282, x), (283, y if y is not None else x):
        if v is not None:
            tags[number] = Fraction(v)
    if unit is not None:
        tags[296] = unit
    tiffs.write_tiff(name + ".tif", [np.zeros((3, 4), "u2")] * 2, tags=tags)
'"$1"
}

spacings() {
    for f in *.tif; do
        gantry import --quiet $f ${f%.tif}
        echo "${f%.tif}: $(section ${f%.tif} Spacing)"
    done
}

@test "import: pictures: units of ImageJ and of OME-TIFF" {
    tif_py '
names = dict(a="nm", b="um", c="micron", d="microns", e="\xb5m", f="\\u00B5m", g="mm", h="cm", i="m", j="inch", k="pixel")
for n, unit in names.items():
    tif(n, f"ImageJ=1.53t\nimages=2\nslices=2\nunit={unit}\nspacing=3\n", 4, 8)
tif("l", "ImageJ=1.53t\nimages=2\nslices=2\nunit=mm\n", 4)
tif("m", "ImageJ=1.53t\nimages=2\nslices=2\nspacing=3\n", 4)
for n, unit in dict(p="\xb5m", q="\u03bcm", r="&#181;m", s="&#xB5;m", t="&#xb5;m", u="&#956;m", v="nm", w="mm", x="cm", y="m", z="pixel").items():
    sizes = " ".join(f"PhysicalSize{a}=\"{v}\" PhysicalSize{a}Unit=\"{unit}\"" for a, v in (("X", 0.25), ("Y", 0.125), ("Z", 3)))
    tif(n, f"<OME ><Image ><Pixels SizeX=\"4\" SizeY=\"3\" SizeZ=\"2\" SizeC=\"1\" SizeT=\"1\" {sizes}/></Image></OME>")
tif("o", "<OME ><Image ><Pixels SizeZ=\"2\" PhysicalSizeX=\"0.25\" PhysicalSizeY=\"0.125\" PhysicalSizeZ=\"3\"/></Image></OME>")'
    spacings >said
    py '
found = {l.split(":")[0]: [float(v) for v in l.split(":")[1].split()] for l in open("said")}
mm = dict(a=1e-6, b=1e-3, c=1e-3, d=1e-3, e=1e-3, f=1e-3, g=1, h=10, i=1e3, j=25.4, o=1e-3, p=1e-3, q=1e-3, r=1e-3, s=1e-3, t=1e-3, u=1e-3,
          v=1e-6, w=1, x=10, y=1e3)
for n, v in found.items():
    want = [] if n in "kmz" else [0.25, 0.25] if n == "l" else [0.25 * mm[n], 0.125 * mm[n], 3 * mm[n]]
    assert len(v) == len(want) and np.allclose(v, want, rtol=1e-12, atol=0), (n, v, want)
assert len(found) == 25, found'
}

@test "import: pictures: ImageJ's line from stored values to what they mean" {
    tif_py '
def cal(name, text):
    tif(name, "ImageJ=1.53t\nimages=2\nslices=2\n" + text)
cal("signed", "cf=0\nc0=-32768.0\nc1=1.0\nvunit=gray\n")
cal("line", "cf=0\nc0=5\nc1=2\n")
cal("slope", "cf=0\nc0=0\nc1=-0.5\n")
cal("same", "cf=0\nc0=0\nc1=1\n")
cal("curve", "cf=1\nc0=5\nc1=2\n")
cal("flat", "cf=0\nc0=5\nc1=0\n")
cal("none", "c0=5\nc1=2\n")
cal("half", "cf=0\nc1=2\n")
cal("other", "cf=0\nc0=5\n")
cal("inf", "cf=0\nc0=inf\nc1=2\n")
cal("infinite", "cf=0\nc0=1\nc1=inf\n")'
    for f in *.tif; do
        gantry import --quiet $f ${f%.tif}
        echo "${f%.tif}: $(section ${f%.tif} Rescale)"
    done >said
    printf '%s\n' 'curve: ' 'flat: ' 'half: ' 'inf: ' 'infinite: ' 'line: 2 5' 'none: ' 'other: ' 'same: ' 'signed: 1 -32768' 'slope: -0.5 0' | diff - said
    gantry import line.tif y 2>said
    grep -q "line.tif: values are kept as stored: true value = stored \* 2 + 5" said
}

@test "import: pictures: plain resolutions, from 1 nm to 5 mm, but none of screens and printers" {
    tif_py '
for dpi in 72, 90, 96, 100, 120, 144, 150, 180, 200, 240, 300, 350, 360, 400, 600, 720, 1200, 2400:
    tif("usual%d" % dpi, None, dpi, None, 2)
for dpi in 72, 300, 2400:
    tif("near%d" % dpi, None, Fraction(dpi * 1001, 2540), None, 3)
tif("a", None, 100, 50, 3)
tif("b", None, 1270, 635, 2)
tif("c", None, 2, None, 3)
tif("d", None, Fraction(100, 51), None, 3)
tif("e", None, 10**7, None, 3)
tif("f", None, 11 * 10**6, None, 3)
tif("g", None, 500, 300, 2)
tif("h", None, 300, 500, 2)
tif("i", None, 100, 50, 1)
tif("j", None, 1270, 635)
tif("k", "any other text", 100, 50, 3)'
    spacings >said
    run -0 grep -E "^(usual|near)" said
    [ "${#lines[@]}" = 21 ]
    run ! grep -E "^(usual|near).*: ." said
    grep -v -E "^(usual|near)" said >rest
    printf '%s\n' 'a: 0.1 0.2' 'b: 0.02 0.04' 'c: 5 5' 'd: ' 'e: 1e-06 1e-06' 'f: ' 'g: ' 'h: ' 'i: ' 'j: 0.02 0.04' 'k: 0.1 0.2' | diff - rest
}
