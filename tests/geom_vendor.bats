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
    fails 1 "the header lacks 'SrcToObject'" geom --from nikon a.xtekct y
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
    sed 's/=CW/=clockwise/' b.log >a.log
    fails 1 "Rotation Direction: unknown value 'clockwise' (valid: CC, CW)" geom --from skyscan a.log y
    sed 's/=CW/=cw/' b.log >a.log
    geom --from skyscan a.log y
    same_bytes b y
    grep -v Rotation.Direction c.log >a.log
    geom --from skyscan a.log y 2>said
    grep -q "warning: a.log: 'Rotation Direction' is missing, so counter-clockwise rotation is assumed" said
    same_bytes c y
    rm y.*
    { cat c.log; printf 'Scanning Trajectory=HELICAL\r\n'; } >a.log
    fails 1 "Scanning Trajectory: unknown value 'HELICAL' (valid: ROUND)" geom --from skyscan a.log y
    sed 's/Files=  7/Files=20000000/' c.log >a.log
    fails 1 "Number Of Files is 2e+07, expected an integer from 1 to 10000000" geom --from skyscan a.log y
    no_output y
}

# Files of DICOM-CT-PD projections in folders named after the detector's shape, and in truth.npz where their pixels are: worked out one
# by one in the format's own left-handed cylindrical coordinates, y turned round at the end.
write_ct_pd() {
    py '
import os, struct
from pydicom.dataset import FileDataset, FileMetaDataset
cols, rows, views = 14, 5, 6
for shape in "CYLINDRICAL", "FLAT", "SPHERICAL":
    os.mkdir(shape)
    pixels, sources = np.zeros((views, rows, cols, 3)), np.zeros((views, 3))
    for k in range(views):
        f4 = lambda x: float(np.float32(x))      # what the file holds, as float64
        phi, z, rho, d0, center = f4(0.3 - 0.7*k), f4(20 + 1.5*k), f4(595 + 0.1*k), f4(1085.6), (6.625, 2.75)
        shift = f4(0.002*(-1)**k), f4(0.3*(k % 3)), f4(-1.5*(k % 2))      # angle, z, distance
        pitch = f4(1.2858), f4(1.0947)
        meta = FileMetaDataset()
        meta.TransferSyntaxUID, meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = "1.2.840.10008.1.2.1", "1.2", "1.2.3"
        d = FileDataset("p", {}, file_meta=meta, preamble=bytes(128))
        d.is_little_endian, d.is_implicit_VR = True, False
        d.Modality, d.SeriesInstanceUID, d.InstanceNumber = "CT", "1.2", k + 1
        d.SamplesPerPixel, d.Rows, d.Columns, d.BitsAllocated, d.BitsStored, d.HighBit, d.PixelRepresentation = 1, cols, rows, 16, 16, 15, 0
        d.RescaleSlope, d.RescaleIntercept = 0.0005, -0.25
        d.PixelData = np.full(rows*cols, 100*k, "u2").tobytes()
        d["PixelData"].VR = "OW"
        for tag, value in ((0x70291002, pitch[0]), (0x70291006, pitch[1]), (0x70311001, phi), (0x70311002, z), (0x70311003, rho), (0x70311031, d0),
                (0x7033100B, shift[0]), (0x7033100C, shift[1]), (0x7033100D, shift[2])):
            d.add_new(tag, "FL", value)
        d.add_new(0x70311033, "FL", list(center))
        d.add_new(0x70291010, "US", rows)
        d.add_new(0x70291011, "US", cols)
        d.add_new(0x7029100B, "CS", shape)
        d.add_new(0x70391009, "CS", "YES")
        d.save_as(shape + "/" + "fdbeca"[k])
        place = lambda rho, phi, z: np.array([-rho*np.sin(phi), rho*np.cos(phi), z], float)
        sources[k] = place(rho + shift[2], phi + shift[0], z + shift[1])
        for r in range(rows):
            for c in range(cols):
                # in the frame of a detector at the bottom (phi = 0): to the right, down, away from the viewer; then turned by phi
                t = (c + 1 - center[0])*pitch[0]
                x, y = (d0*np.sin(t/d0), d0*np.cos(t/d0)) if shape == "CYLINDRICAL" else (t, d0)
                x, y, h = x, rho - y, z - (r + 1 - center[1])*pitch[1]
                pixels[k, r, c] = x*np.cos(phi) - y*np.sin(phi), x*np.sin(phi) + y*np.cos(phi), h
    flip = np.array([1, -1, 1])
    np.savez(shape + ".npz", pixels=pixels*flip, sources=sources*flip)'
}

@test "vendors: DICOM-CT-PD, cylindrical and flat, with a flying focal spot" {
    needs pydicom
    write_ct_pd
    for n in CYLINDRICAL FLAT; do
        geom --from dicom $n g-$n
        import --quiet --transpose --rescale $n/ p-$n
        geom g-$n >/dev/null
    done
    geom --from dicom 'CYLINDRICAL/[a-f]' again
    same_bytes g-CYLINDRICAL again
    py '
for shape in "CYLINDRICAL", "FLAT":
    g, truth = read("g-" + shape), np.load(shape + ".npz")
    assert g.shape == (4, 4, 6) and read("p-" + shape).shape == (14, 5, 6)
    assert np.allclose(read("p-" + shape)[0, 0], 0.05*np.arange(6) - 0.25)          # the same order
    s, d, u, v = (g[:3, i].T for i in range(4))
    assert np.abs(s - truth["sources"]).max() < 1e-9
    n = np.cross(u, v)
    n *= np.sign(np.sum(n*(s - d), 1))[:, None]/np.linalg.norm(n, axis=1)[:, None]
    for k in range(6):
        size, a, b = np.linalg.norm(u[k]), np.arange(14) - 6.5, np.arange(5)[:, None, None] - 2.
        R = float(np.float32(1085.6))
        t = (a*size/R)[:, None]
        row = R*np.sin(t)*u[k]/size + R*(1 - np.cos(t))*n[k] if shape == "CYLINDRICAL" else a[:, None]*u[k]
        assert np.abs(d[k] + row + b*v[k] - truth["pixels"][k]).max() < 1e-9, (shape, k)'
    [ "$(section g-FLAT Detector)" = "14 5" ]
    [ "$(section p-FLAT Quantity)" = line-integral ]
    [[ "$(section g-CYLINDRICAL Detector)" = "14 5 1085.59997"* ]]
    fails 1 "DetectorShape (7029,100b) is 'SPHERICAL'" geom --from dicom SPHERICAL y
    gantry export p-FLAT p.nii
    fails 1 "p.nii: not a DICOM file" geom --from dicom p.nii y
    mv FLAT/a FLAT/d CYLINDRICAL
    fails 1 "differs from that in" geom --from dicom CYLINDRICAL y
    no_output y
}

@test "vendors: import takes the settings of a scan for its pictures, and writes their geometry" {
    py '
import tiffs
x = np.arange(7 * 14 * 19, dtype="u2").reshape(7, 14, 19)
for k in range(7):
    for name in f"scan_{k + 1:04d}.tif", f"cat{k:04d}.tif":
        tiffs.write_tiff(name, [x[k]])
open("scan_0003_other.tif", "wb").write(b"not a picture of the scan")
open("scans_0001.tif", "wb").write(b"nor this")
np.save("want.npy", np.asfortranarray(x.transpose(2, 1, 0)))'
    printf '%s\n' '[XTekCT]' Projections=7 DetectorPixelsX=19 DetectorPixelsY=14 DetectorPixelSizeX=4.1 DetectorPixelSizeY=5.3 SrcToObject=150 \
        SrcToDetector=230 InitialAngle=13 AngularStep=51.5 >scan.xtekct
    printf '%s\n' '[System]' Scanner=SkyScan1275 '[Acquisition]' 'Number Of Files=7' 'Number Of Rows=14' 'Number Of Columns=19' \
        'Image Pixel Size (um)=3100' 'Rotation Step (deg)=51.5' 'Object to Source (mm)=150' 'Camera to Source (mm)=230' 'Rotation Direction=CC' >cat.log
    import --geometry g scan.xtekct counts
    compare --tolerance 0 --metric max want.npy counts
    geom --from nikon scan.xtekct want
    same_bytes want g
    import --geometry g cat.log counts
    compare --tolerance 0 --metric max want.npy counts
    geom --from skyscan cat.log want
    same_bytes want g

    # without it, the command that reads the geometry is named
    import scan.xtekct counts 2>said
    grep -q -e "--geometry GEOM also writes the geometry, like 'gantry geom --from nikon'" said
    gantry history counts >script.sh
    mkdir again
    cp scan.xtekct scan_*.tif again
    (cd again && sh ../script.sh)
    same_bytes counts again/counts

    rm scan_0007.tif
    import --geometry g scan.xtekct counts 2>said
    grep -q 'scan.xtekct: 7 views, but 6 pictures in its folder' said
    rm scan_*.tif
    fails 1 "scan.xtekct contains the settings of a scan, but its folder has no pictures scan*.tif ('gantry geom --from nikon scan.xtekct GEOM' reads" import scan.xtekct y
    fails 2 "--geometry is for settings" import --geometry z want.npy y
    fails 2 "without --range" import --geometry z --range 0:2 cat.log y
    sed -i /SrcToObject/d scan.xtekct
    printf '%s\n' 'line one' >plain.log
    fails 1 "plain.log: " import plain.log y
    no_output y z
}
