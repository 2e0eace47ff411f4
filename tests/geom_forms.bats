load common

# Geometries in the words of other packages: the projections of a letter F must be those of tests/forms.py, which
# has the packages' documented conventions.

setup_file() {
    export FORMS=$BATS_FILE_TMPDIR
    cd "$FORMS" || return 1
    py '
import forms
x, origin = forms.volume()
write("F", x, Spacing="2 2 2", Origin="%g %g %g" % tuple(origin), Quantity="attenuation")'
    scan() { # scan NAME OPTIONS...
        local name=$1
        shift
        traj --detector 19:14 --pitch 4.1:5.3 "$@" "$name"
        project --model siddon "$name" F "p-$name"
    }
    scan parallel --views 7 --start 13
    scan parallel-offset --views 7 --start 13 --offset 5:-3
    scan parallel-rolled --views 5 --offset 2:3 --detector-roll 20
    scan parallel-tilted --views 7 --tilt 25
    scan cone --views 7 --start 13 --sod 150 --sdd 230
    scan cone-offset --views 7 --arc -360 --start 13 --sod 150 --sdd 230 --offset 9:-6
    scan helix --views 23 --arc 720 --start 5 --sod 150 --sdd 230 --helix 9 --offset 3:2
    scan cone-tilted --views 7 --sod 150 --sdd 230 --tilt 20
    scan cone-turned --views 6 --sod 150 --sdd 230 --detector-roll 5 --detector-tilt 12 --detector-yaw -9
    scan wobble --views 6 --sod 150 --sdd 230 --wobble 2:2:3:4:4:4:3:3:5 --seed 3
    scan sphere --views 9 --sod 150 --sdd 230 --sphere 80
    scan tomo --views 6 --sod 150 --sdd 230 --tomosynthesis line --arc 70
    scan mirrored --views 5 --sod 150 --sdd 230 --pitch -4.1:5.3
    scan curved --views 7 --sod 150 --sdd 230 --radius 230 --offset 8:5
    scan curved-round --views 7 --sod 150 --sdd 230 --radius 300 --offset 8:5
    scan fan --views 9 --start 13 --sod 150 --sdd 230 --detector 25
    scan fan-offset --views 9 --start 13 --sod 150 --sdd 230 --detector 25 --offset 7
    scan parallel-row --views 9 --start 13 --detector 25
}

setup() {
    common_setup
    ln -s "$FORMS"/* .
}

# put_back NAME: TIGRE says some scans by moving the volume; moves all until it is in its place again.
put_back() {
    local origin
    origin=$(geom --from tigre "$1.txt" 2>&1 >/dev/null | sed -n 's/.*--origin //p')
    geom --shift "$(py "print(*(np.array([-27, -33, -32]) - np.array('$origin'.split(':'), float)), sep=':')")" "$1" "$1"
}

# both FORM SCAN...: what --to writes has the rays of the documented convention, and --from reads it back. Every scan
# stands for one row of the letter or all; one-row scans have their own pitch.
both() {
    local form=$1 name
    shift
    for name; do
        geom --quiet --to "$form" --like F "$name" "$form-$name.txt"
        geom --quiet --from "$form" "$form-$name.txt" "$form-$name" 2>/dev/null ||
            geom --quiet --from "$form" --detector "$(section "$name" Detector | tr ' ' : | cut -d: -f1,2)" \
                --pitch 4.1:5.3 "$form-$name.txt" "$form-$name"
        [ "$form" != tigre ] || put_back "$form-$name"
        project --quiet --model siddon "$form-$name" F "p-$form-$name"
    done
    py "
import sys, forms
for name in '$*'.split():
    want = read('p-' + name)
    want = want.reshape(want.shape[0], -1, want.shape[-1])
    o, d = forms.from_file('$form', '$form-' + name + '.txt', want.shape[0], want.shape[1], 4.1, 5.3)
    there = forms.line(o, d)
    assert there.shape == want.shape, (name, there.shape, want.shape)
    assert want.max() > 0.3 and (want > 0).mean() > 0.05, name
    off = np.abs(there - want).max() / want.max()
    back = np.abs(read('p-$form-' + name).reshape(want.shape) - want).max() / want.max()
    assert off < 2e-5, (name, 'written', off)
    assert back < 2e-5, (name, 'read again', back)"
}

# not_in FORM SCAN 'part of the sentence'
not_in() {
    fails 1 "$3" geom --to "$1" "$2" out.txt
    fails 1 "$2" geom --to "$1" "$2" out.txt
    no_output out
}

@test "forms: ASTRA's vectors, in the dictionary and as a table" {
    both astra parallel parallel-offset parallel-tilted cone-offset helix cone-tilted cone-turned wobble sphere tomo mirrored fan-offset parallel-row
    both cone_vec cone wobble mirrored
    both parallel3d_vec parallel-offset parallel-tilted
    both fanflat_vec fan fan-offset
    both parallel_vec parallel-row
    not_in astra curved 'curved'
    not_in cone_vec parallel 'parallel'
    not_in parallel3d_vec cone 'fan or cone'
    not_in fanflat_vec cone 'one detector row'
}

@test "forms: ASTRA's plain circles" {
    both astra-plain parallel cone fan parallel-row
    grep -q '"type": "parallel3d"' astra-plain-parallel.txt
    grep -q '"type": "cone"' astra-plain-cone.txt
    grep -q '"type": "fanflat"' astra-plain-fan.txt
    grep -q '"type": "parallel"' astra-plain-parallel-row.txt
    not_in astra-plain cone-offset 'offset'
    not_in astra-plain helix 'view 0'
    not_in astra-plain cone-tilted 'tilt'
}

@test "forms: TIGRE's parameters" {
    both tigre parallel parallel-offset parallel-rolled cone cone-offset helix cone-tilted cone-turned wobble sphere tomo fan-offset
    not_in tigre curved 'curved'
    not_in tigre mirrored 'mirrored'
    not_in tigre parallel-tilted 'perpendicular to z'
}

@test "forms: RTK's XML" {
    both rtk parallel parallel-offset parallel-rolled parallel-tilted cone cone-offset helix cone-tilted cone-turned wobble sphere tomo curved curved-round
    not_in rtk mirrored 'mirrored'
}

@test "forms: CIL's expression" {
    both cil parallel parallel-offset parallel-rolled parallel-tilted cone cone-offset helix cone-tilted cone-turned wobble sphere tomo mirrored fan-offset
    grep -q create_Cone3D_Flex cil-wobble.txt
    grep -q 'create_Cone3D(' cil-cone-tilted.txt
    not_in cil curved 'curved'
}

@test "forms: LEAP's parameter file" {
    both leap parallel parallel-offset cone cone-offset helix cone-tilted cone-turned wobble sphere tomo mirrored curved fan fan-offset parallel-row
    both leap-modular cone-offset helix
    grep -q 'geometry = cone' leap-helix.txt
    grep -q 'geometry = modular' leap-wobble.txt
    grep -q 'geometry = fan' leap-fan.txt
    not_in leap curved-round 'curved'
    not_in leap parallel-tilted 'parallel'
    not_in leap-modular parallel 'parallel'
}

@test "forms: projection matrices" {
    both matrix parallel parallel-offset parallel-tilted cone cone-offset helix cone-tilted cone-turned wobble sphere tomo mirrored
    not_in matrix curved 'curved'
}

# from FORM OPTIONS...: gantry's projections along file.txt are those of rays o, d in file.npz.
from_file() {
    local form=$1
    shift
    geom --quiet --from "$form" "$@" file.txt there
    project --quiet --model siddon there F p-there
    py '
import forms
rays = np.load("file.npz")
want, got = forms.line(rays["o"], rays["d"]), read("p-there")
assert want.max() > 0.3
off = np.abs(got.reshape(want.shape) - want).max() / want.max()
assert off < 2e-5, off'
}

@test "forms: files as those packages write them" {
    py '
import forms, json
g = {"type": "cone", "DetectorSpacingX": 4.0, "DetectorSpacingY": 5.0, "DetectorRowCount": 13, "DetectorColCount": 17,
     "ProjectionAngles": np.linspace(0.2, 5, 6), "DistanceOriginSource": 140.0, "DistanceOriginDetector": 60.0}
np.savez("file.npz", **dict(zip("od", forms.astra(g))))
open("file.txt", "w").write(str(g))'
    from_file astra
    py '
import forms
def write_tigre(g):
    np.savez("file.npz", **dict(zip("od", forms.tigre(g))))
    with open("file.txt", "w") as f:
        f.write("import numpy as np\nimport tigre\ngeo = tigre.geometry(mode=\"%s\")   # cone: a comment\n" % g["mode"])
        for key, value in g.items():
            if key != "mode":
                f.write("geo.%s = %s  # %s\n" % (key, repr(np.array(value)) if np.ndim(value) else value, key))
r = np.random.default_rng(1)
angles = r.uniform(-1, 1, (5, 3))
write_tigre({"mode": "cone", "DSO": 150.0, "DSD": 240.0 + r.uniform(-9, 9, 5), "COR": 3.5, "nDetector": [14, 19], "dDetector": [5.3, 4.1],
             "offDetector": r.uniform(-9, 9, (5, 2)), "rotDetector": r.uniform(-0.2, 0.2, (5, 3)), "offOrigin": forms.CENTRE[::-1], "angles": angles})'
    from_file tigre
    py '
import forms
r = np.random.default_rng(2)
tags = dict(SourceToDetectorDistance=240, GantryAngle=0, OutOfPlaneAngle=0, InPlaneAngle=0, SourceOffsetX=0, SourceOffsetY=0, ProjectionOffsetX=0, ProjectionOffsetY=0)
text = "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n<RTKThreeDCircularGeometry version=\"3\">\n  <SourceToIsocenterDistance>150</SourceToIsocenterDistance>\n"
for k in range(6):
    v = dict(SourceToDetectorDistance=240 + r.uniform(-5, 5), GantryAngle=60 * k + 11, OutOfPlaneAngle=r.uniform(-20, 20), InPlaneAngle=r.uniform(-20, 20),
             SourceOffsetX=r.uniform(-9, 9), SourceOffsetY=r.uniform(-9, 9), ProjectionOffsetX=r.uniform(-9, 9), ProjectionOffsetY=r.uniform(-9, 9))
    text += "  <Projection>\n" + "".join("    <%s>%.15g</%s>\n" % (n, x, n) for n, x in v.items()) + "  </Projection>\n"
text += "</RTKThreeDCircularGeometry>\n"
open("file.txt", "w").write(text)
np.savez("file.npz", **dict(zip("od", forms.rtk(text, 21, 17, 4.0, 5.0))))'
    from_file rtk --detector 21:17 --pitch 4:5
    py '
import forms
text = """AcquisitionGeometry.create_Cone3D(source_position=[3, -150, 4], detector_position=[-5, 90, 2], detector_direction_x=[1, 0.05, 0],
  detector_direction_y=[0, 0, -1], rotation_axis_position=[2, 3, 1], rotation_axis_direction=[0.1, -0.2, 1])\\
  .set_panel(num_pixels=[21, 17], pixel_size=[4, 5], origin="top-right").set_angles(angles=[0, 20, 140.5, 290], initial_angle=-15, angle_unit="degree")"""
open("file.txt", "w").write("from cil.framework import AcquisitionGeometry\nag = " + text + "\n")
np.savez("file.npz", **dict(zip("od", forms.cil(text))))'
    from_file cil
    py '
import forms
text = """# CT geometry parameters
geometry = cone
numAngles = 7
numRows = 17
numCols = 21
pixelHeight = 5.000000e+00
pixelWidth = 4.000000e+00
centerRow = 7.25
centerCol = 11.5
angularRange = -310.0
sod = 150.0
sdd = 240.0
tau = 4.5
helicalPitch = 1.5
"""
open("file.txt", "w").write(text)
np.savez("file.npz", **dict(zip("od", forms.leap(text))))'
    from_file leap
    py '
import forms
r = np.random.default_rng(3)
m = []
for k in range(5):
    turn = (forms.turn(0, r.uniform(-3, 3)) @ forms.turn(2, r.uniform(-3, 3)))[0]
    camera = np.array([[50, 0.7, 10], [0, 41, 8], [0, 0, 1]]) @ np.hstack([turn, [[3], [-4], [160]]])
    m.append(camera * r.choice([-2.5, 0.01]))
np.savetxt("file.txt", np.array(m).reshape(-1, 4))
np.savez("file.npz", **dict(zip("od", forms.matrix(m, 21, 17))))'
    from_file matrix --detector 21:17 --pitch 4
}

@test "forms: ASTRA agrees on its own plain forms" {
    /usr/bin/python3 -c "import astra" 2>/dev/null || skip "the ASTRA toolbox is not installed"
    geom --to astra-plain cone cone.json
    geom --to astra cone vec.json
    py '
import astra, json
with open("cone.json") as f:
    g = json.load(f)
with open("vec.json") as f:
    v = json.load(f)
g["ProjectionAngles"] = np.array(g["ProjectionAngles"])
assert np.allclose(astra.geom_2vec(g)["Vectors"], v["Vectors"], atol=1e-9)'
}

@test "forms: RTK agrees on matrices and source positions" {
    /usr/bin/python3 -c "from itk import RTK" 2>/dev/null || skip "RTK (itk-rtk) is not installed"
    geom --to rtk wobble wobble.xml
    py '
from itk import RTK as rtk
reader = rtk.ThreeDCircularProjectionGeometryXMLFileReader.New()
reader.SetFilename("wobble.xml")
reader.GenerateOutputInformation()
g, want = reader.GetOutputObject(), read("wobble")
for k in range(want.shape[2]):
    x, y, z, w = g.GetSourcePosition(k)
    assert np.allclose([x, -z, y], want[:3, 0, k], atol=1e-6)'
}

@test "forms: through standard output, and converted in one step" {
    geom --to rtk cone - > a.xml
    geom --to rtk cone b.xml
    cmp a.xml b.xml
    geom --to astra cone a.json
    geom --from astra --to rtk a.json c.xml
    cmp a.xml c.xml
    geom --from rtk a.xml | grep -q '^SOD  *150 mm'
}

@test "forms: the volume's place goes along with TIGRE and LEAP" {
    for form in tigre leap; do
        geom --to $form --like F cone-offset a.txt
        geom --from $form a.txt g 2>said
        grep -q -- '--size 30:30:30 --spacing 2:2:2 --origin -27:-33:-32' said
    done
}

@test "forms: a history names the file that was read" {
    geom --to matrix cone cone.txt
    geom --from matrix cone.txt g
    gantry history g | grep -q -- "--from=matrix"
    gantry history g | grep -q "cone.txt"
    mkdir again
    cp cone.txt again
    gantry history g >again/script
    cd again
    sh ./script
    same_bytes g ../g
}

@test "forms: nonsense is named" {
    echo '{"type": "cone"}' > a.txt
    fails 1 'ProjectionAngles' geom --from astra a.txt g
    echo '{"type": "ring"}' > a.txt
    fails 1 'ring' geom --from astra a.txt g
    echo '1 2 3' > a.txt
    fails 1 '3 numbers' geom --from matrix --detector 4:4 --pitch 1 a.txt g
    fails 1 '3 numbers' geom --from cone_vec --detector 4:4 a.txt g
    echo 'geometry = spiral' > a.txt
    fails 1 'spiral' geom --from leap a.txt g
    echo 'angles = np.linspace(0, 1, 5)' > a.txt
    fails 1 'a.txt' geom --from tigre a.txt g
    echo 'geo.angles = [0, 1]; geo.DSD = 2 * 3' > a.txt
    fails 1 'expression' geom --from tigre a.txt g
    echo 'nothing here' > a.txt
    fails 1 'RTKThreeDCircularGeometry' geom --from rtk --detector 4:4 --pitch 1 a.txt g
    fails 1 'create_Cone3D' geom --from cil a.txt g
    geom --to rtk cone b.txt
    grep -v gantry: b.txt > c.txt
    fails 1 '--detector' geom --from rtk c.txt g
    fails 1 '--pitch' geom --from rtk --detector 4:4 c.txt g
    fails 1 'missing.txt' geom --from rtk missing.txt g
    fails 2 '--to' geom --to rtk cone
    fails 2 '--from' geom --from nonsense a.txt g
    fails 2 '--pitch' geom --pitch 2 cone g
    no_output g
}

# cil 'part of the sentence' TEXT: the expression ends so in TEXT and is refused.
cil_refuses() {
    printf 'AcquisitionGeometry.create_Cone3D([0, -15, 0], [0, 8, 0]%s\n' "$2" >a.txt
    fails 1 "$1" geom --from cil a.txt g
    no_output g
}

# cil_is GEOM TEXT: it is taken, and is that geometry.
cil_is() {
    printf 'AcquisitionGeometry.create_Cone3D([0, -15, 0], [0, 8, 0]%s\n' "$2" >a.txt
    geom --from cil a.txt taken
    py "assert np.allclose(read('taken'), read('$1'), atol=1e-9)"
}

@test "forms: CIL's words and arguments are all known, or refused" {
    local panel='.set_panel((5, 4), 2)' angles='.set_angles([0, 90])'
    echo "AcquisitionGeometry.create_Cone3D([0, -15, 0], [0, 8, 0])$panel$angles" >a.txt
    geom --from cil a.txt plain
    cil_is plain ", units='units distance').set_panel((5, 4), (2, 2), 'bottom-left').set_angles([0, 90], 0, 'degree')"
    cil_is plain ")$panel.set_angles(angles=[0, np.array(1.5707963267948966)], angle_unit=AcquisitionGeometry.RADIAN).set_channels(3)"
    cil_is plain ")$panel.set_angles([0, 1.5707963267948966], angle_unit='radians')"
    py 'p = read("plain"); p[:3] *= 10; write("tens", p, Detector="5 4")'
    cil_is tens ", units='cm')$panel$angles"
    cil_refuses "angle_unit: unknown value 'gradian' (valid: degree, degrees, radian, radians)" ")$panel.set_angles([0, 1], angle_unit='gradian')"
    cil_refuses 'angle_unit must be a word' ")$panel.set_angles([0, 1], angle_unit=1)"
    cil_refuses "origin: unknown value 'upper-left' (valid: bottom-left, bottom-right, top-left, top-right)" ").set_panel((5, 4), 2, 'upper-left')$angles"
    cil_refuses "units: unknown value 'inch' (valid: mm, units distance, cm, m, um)" ", units='inch')$panel$angles"
    cil_refuses "create_Cone3D(): unknown argument 'detector_direction_X'" ", detector_direction_X=[1, 0, 0])$panel$angles"
    cil_refuses "set_panel() has too many arguments (valid: num_pixels, pixel_size, origin)" ").set_panel((5, 4), 2, 'top-left', 3)$angles"
    cil_refuses 'initial_angle must be a number' ")$panel.set_angles([0, 1], initial_angle=np.deg2rad(30))"
    cil_refuses 'initial_angle must be a number' ")$panel.set_angles([0, 1], initial_angle=START)"
    cil_refuses 'pixel_size of set_panel() must be one or two numbers' ").set_panel((5, 4), pixel_size=SIZE)$angles"
    cil_refuses 'pixel_size is -2' ").set_panel((5, 4), -2)$angles"
    echo 'AcquisitionGeometry.create_Cone4D([0, -15, 0], [0, 8, 0])' >a.txt
    fails 1 'unknown call create_Cone4D() (valid: create_Parallel2D, ' geom --from cil a.txt g
    echo 'AcquisitionGeometry(call=7)' >a.txt
    fails 1 'no call of AcquisitionGeometry.create_Cone3D()' geom --from cil a.txt g
}

@test "forms: numbers that are part of an expression, have a unit or lack some are refused" {
    scan() { printf 'geo.mode = "cone"\ngeo.DSD = %s\ngeo.DSO = 150\ngeo.nDetector = [4, 5]\ngeo.dDetector = %s\ngeo.angles = [0, 1]\n' "$1" "$2" >a.txt; }
    scan 230 'np.array([1, 1])'
    geom --from tigre a.txt g
    rm g.*
    for bad in '230 mm' '1_000' '230 if far else 100' '2 * 3'; do
        scan "$bad" '[1, 1]'
        fails 1 'line 2: DSD is an expression or has a unit' geom --from tigre a.txt g
    done
    for bad in 'np.array([1, 1]) * 0.5' '[1, 1] * 2' 'np.array([1, 1])[::-1]' 'np.array([1, 1]).astype(float)'; do
        scan 230 "$bad"
        fails 1 'line 5: dDetector is an expression' geom --from tigre a.txt g
    done
    scan 'geo.DSO + 80' '[1, 1]'
    fails 1 'DSD has 0 numbers' geom --from tigre a.txt g
    scan 230 'geo.sDetector / geo.nDetector'
    fails 1 'dDetector has 0 numbers' geom --from tigre a.txt g
    printf '{"type": "cone_vec", "DetectorRowCount": 4, "DetectorColCount": 5,\n "Vectors": [[0, -9, 0, 0, 5, 0, 1, 0, 0, 0, 0], [1, 0, -9, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1]]}' >a.txt
    fails 1 'line 2: rows of Vectors have 11 and 13 numbers' geom --from astra a.txt g
    printf 'geometry = parallel\nnumAngles = 3\nphis = 0 10 20\n' >a.txt
    fails 1 'phis is an expression' geom --from leap a.txt g
    no_output g
}

@test "forms: unknown words and impossible numbers of TIGRE, ASTRA and LEAP are refused" {
    geom --to tigre cone-offset t.txt
    change() { sed "$1" t.txt >a.txt; }
    change 's/"cone"/"fan"/'
    fails 1 "mode: unknown value 'fan' (valid: cone, parallel)" geom --from tigre a.txt g
    change 's/"mode"/"radians": "no", "mode"/'
    fails 1 "radians: unknown value 'no' (valid: true, false)" geom --from tigre a.txt g
    change 's/"DSO": 150/"DSO": -150/'
    fails 1 'DSO is -150' geom --from tigre a.txt g
    change 's/"sDetector": \[[0-9.]*/"sDetector": [99/'
    fails 1 'sDetector is 99 mm, expected nDetector * dDetector' geom --from tigre a.txt g
    geom --to astra-plain cone t.txt
    change 's/"DistanceOriginSource": 150/"DistanceOriginSource": 0/'
    fails 1 'DistanceOriginSource is 0' geom --from astra a.txt g
    change 's/"DetectorSpacingX": 4.1/"DetectorSpacingX": -4.1/'
    fails 1 'DetectorSpacingX is -4.1' geom --from astra a.txt g
    geom --to leap curved t.txt
    change 's/= curved/= spherical/'
    fails 1 "detectorType: unknown value 'spherical' (valid: flat, curved)" geom --from leap a.txt g
    change 's/^sdd = .*/sdd = 100/'
    fails 1 'sdd is 100 mm, expected more than 150 mm' geom --from leap a.txt g
    change 's/^numAngles = .*/numAngles = 2e9/'
    fails 1 'numAngles is 2e+09, expected an integer from 1 to 10000000' geom --from leap a.txt g
    change ''
    echo 'muCoeff = 0.1' >>a.txt
    fails 1 'muCoeff: attenuated transforms are not supported' geom --from leap a.txt g
    change 's/^geometry = .*/geometry = cone-parallel/'
    fails 1 'geometry' geom --from leap a.txt g
    no_output g
}

@test "forms: ASTRA's and TIGRE's angles in degrees are reported" {
    traj --views 36 --sod 150 --sdd 230 --detector 5:4 c
    geom --to astra-plain c a.txt
    geom --from astra a.txt g 2>said
    [ ! -s said ]
    py '
import json
a = json.load(open("a.txt")); a["ProjectionAngles"] = [10. * k for k in range(36)]; json.dump(a, open("b.txt", "w"))
json.dump({"mode": "cone", "DSD": 9, "DSO": 5, "nDetector": [4, 5], "dDetector": [1, 1], "angles": list(np.linspace(0, 180, 19))}, open("t.txt", "w"))'
    geom --from astra b.txt g 2>said
    grep -q 'warning: b.txt: ProjectionAngles span 360, which looks like degrees (expected radians)' said
    geom --from tigre t.txt g 2>said
    grep -q 'warning: t.txt: angles span 180, which looks like degrees (expected radians)' said
}

@test "forms: RTK's XML is taken as a whole, or refused" {
    geom --to rtk cone t.xml
    change() { sed "$1" t.xml >a.xml; }
    refuses() { fails 1 "$1" geom --from rtk a.xml g; }
    change 's/version="3"/version="2"/'
    geom --from rtk a.xml g
    change 's/<Projection>/<!-- <Projection> 1 < 2 --><Projection>/'
    geom --from rtk a.xml g
    py 'assert np.allclose(read("g"), read("cone"), atol=1e-9)'
    rm g.*
    change 's/version="3"/version="1"/'
    refuses "unknown version '1' of <RTKThreeDCircularGeometry> (valid: 2, 3)"
    change 's/ version="3"//'
    refuses 'has no version (valid: 2, 3)'
    change '0,/<GantryAngle>/s//<GantryAngle unit="rad">/'
    refuses '<GantryAngle> is empty or has attributes'
    change '0,/<Projection>/s//<Projection id="1">/'
    refuses '<Projection> is empty or has attributes'
    change '0,/<\/Projection>/s///'
    refuses 'do not alternate'
    change '0,/<Projection>/s//<\/Projection><Projection>/'
    refuses 'do not alternate'
    change '/SourceToIsocenterDistance/d'
    refuses 'projection 0: SourceToIsocenterDistance is missing or 0'
    change 's/>230</>-230</'
    refuses 'SourceToDetectorDistance is -230'
    change 's/>230</>nan</'
    refuses '<SourceToDetectorDistance> must be a finite number'
    no_output g
}
