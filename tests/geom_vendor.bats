load common

# Settings files of scanners: the projections of a letter F must be those along rays made from the documented
# conventions in NumPy.

setup() {
    common_setup
    py '
import forms
x, origin = forms.volume()
write("F", x, Spacing="2 2 2", Origin="%g %g %g" % tuple(origin), Quantity="attenuation")'
}

@test "vendors: Nikon .xtekct, with offset, roll and tilt of the axis" {
    write_xtekct() {
        printf '[XTekCT]\r\nName=scan\r\nProjections=7\r\nDetectorPixelsX=19\r\nDetectorPixelsY=14\r\nDetectorPixelSizeX=4.1\r\nDetectorPixelSizeY=5.3\r\n'
        printf 'SrcToObject=150\r\nSrcToDetector=230\r\nInitialAngle=13\r\nAngularStep=51.5\r\nDetectorOffsetX=0\r\n'
        printf '%s\r\n' "$@"
    }
    write_xtekct ObjectOffsetX=2.5 ObjectRoll=3 ObjectTilt=2 >a.xtekct
    write_xtekct CentreOfRotationTop=4 CentreOfRotationBottom=1 >b.xtekct
    for n in a b; do
        geom --from nikon $n.xtekct $n
        project --model siddon $n F p-$n
        [ "$(section $n Detector)" = "19 14" ]
    done
    py '
import forms
from math import radians, sin, cos, atan2
for name, offset, roll, tilt in ("a", 2.5, radians(3), -radians(2)), ("b", 2.5 * 150 / 230, -atan2(3, 14 * 5.3), 0):
    a, c = np.eye(3), np.eye(3)
    a[1:, 1:] = [[cos(tilt), -sin(tilt)], [sin(tilt), cos(tilt)]]
    c[::2, ::2] = [[cos(roll), sin(roll)], [-sin(roll), cos(roll)]]
    axis = list(a @ c @ [0, 0, 1])
    angles = [-51.5 * k - 13 + 180 for k in range(7)]
    text = f"""AcquisitionGeometry.create_Cone3D(source_position=[0, 0, 0], rotation_axis_position=[{-offset}, 150, 0],
        rotation_axis_direction={axis}, detector_position=[0, 230, 0]).set_angles({angles}, angle_unit="degree").set_panel((19, 14),
        pixel_size=(4.1, 5.3), origin="top-right")"""
    want, got = forms.line(*forms.cil(text)), read("p-" + name)
    assert got.shape == want.shape and want.max() > 0.3
    assert np.abs(got - want).max() < 2e-5 * want.max(), np.abs(got - want).max() / want.max()'
    sed -i s/SrcToObject/Other/ a.xtekct
    fails 1 "no 'SrcToObject' in the header" geom --from nikon a.xtekct y
    fails 1 "Projections" geom --from nikon F.hdr y
    fails 2 "--to" geom --to nikon b y
    no_output y
}

@test "vendors: SkyScan .log, cone and parallel, both ways round" {
    write_log() {
        printf '%s\r\n' '[System]' Scanner=SkyScan1275 '[Acquisition]' 'Number Of Files=  7' 'Number Of Rows= 14' \
            'Number Of Columns= 19' 'Optical Axis (line)=  5' 'Image Pixel Size (um)=3100' 'Rotation Step (deg)=51.500' "$@"
    }
    write_log "Object to Source (mm)=150" "Camera to Source (mm)=230" "Rotation Direction=CC" >a.log
    write_log "Object to Source (mm)=150" "Camera to Source (mm)=230" "Rotation Direction=CW" >b.log
    write_log "Object to Source (mm)=1000000" "Rotation Direction=CC" >c.log
    for n in a b c; do
        geom --from skyscan $n.log $n
        project --model siddon $n F p-$n
    done
    py '
import forms
for name, sign, parallel in ("a", 1, False), ("b", -1, False), ("c", 1, True):
    t = sign * np.radians(51.5 * np.arange(7))
    turn = np.array([[np.cos(t), -np.sin(t), 0 * t], [np.sin(t), np.cos(t), 0 * t], [0 * t, 0 * t, 0 * t + 1]]).transpose(2, 0, 1)
    pitch = 3.1 if parallel else 3.1 * 230 / 150
    # line 5 from the lower edge, 9 from the upper one where row 0 is, is level with the source
    centre = [0, 0 if parallel else 80, (7 - 5) * pitch]
    s, d, u, v = (turn @ np.array(x, float) for x in ([0, 1, 0] if parallel else [0, -150, 0], centre, [pitch, 0, 0], [0, 0, -pitch]))
    want, got = forms.line(*forms.rays(s, d, u, v, 19, 14, parallel)), read("p-" + name)
    assert got.shape == want.shape and want.max() > 0.3
    assert np.abs(got - want).max() < 2e-5 * want.max(), (name, np.abs(got - want).max() / want.max())'
    sed -i 's/Number Of Files=  7/Number Of Files=  0/' a.log
    fails 1 "Number Of Files" geom --from skyscan a.log y
}
