load common

volume() {
    py 'x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(40) - 19.5, indexing="ij")
rng = np.random.default_rng(1)
v = 0.0002 + 0.0195 * (np.hypot(x, y) < 15) + 0.012 * (np.hypot(x - 5, y) < 3)
write("v", np.repeat((v + 1e-5 * rng.normal(size=v.shape))[:, :, None], 3, 2).astype("f4"), Spacing="1 1 1", Quantity="attenuation")'
}

@test "hu: water becomes 0, air -1000, given or measured" {
    volume
    gantry hu --water 0.0195 --air 0.0002 v given 2>said
    gantry hu --water-region cyl:-6:0:5 --air-region box:-19:-15:-19:-15 v measured
    gantry copy v - | gantry hu -q --water-region cyl:-6:0:5 --air-region box:-19:-15:-19:-15 --type int16 - short
    [ "$(section measured Quantity)" = hounsfield ]
    [ "$(section measured Unit)" = HU ]
    py 'v, g, m, s = read("v").astype("f8"), read("given"), read("measured"), read("short")
assert np.abs(g - 1000 * (v - 0.0195) / 0.0193).max() < 1e-3
assert s.dtype == np.int16 and np.abs(s - m).max() <= 0.501
x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(40) - 19.5, indexing="ij")
assert abs(m[np.hypot(x + 6, y) <= 5].mean()) < 0.01 and abs(m[:5, :5].mean() + 1000) < 0.2
assert abs(m[np.hypot(x - 5, y) < 2].mean() - 12 / 19.5 * 1000) < 2'
}

@test "hu: float64 stays float64, values beyond float32 are reported" {
    py 'write("d", np.array([0.02, 0.0195 + 1e-12])); write("f", np.array([1e36], "f4"))'
    gantry hu -q --water 0.0195 d out
    py 'x = read("d"); assert read("out").dtype == np.float64 and np.allclose(read("out"), 1000 * (x - 0.0195) / 0.0195, rtol=1e-9, atol=1e-11)'
    gantry hu --water 0.01 f out 2>said
    grep -q "1 of 1 values do not fit into float32" said
}

@test "hu: a line through any number of materials" {
    volume
    gantry hu --point cyl:-6:0:5=0 --point box:-19:-15:-19:-15=-1000 --point cyl:5:0:2=600 v out 2>said
    grep -q "largest deviation from the line fitted to 3 regions: [0-9.]* HU" said
    py 'v = read("v").astype("f8")[:, :, 0]; x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(40) - 19.5, indexing="ij")
m = [v[np.hypot(x + 6, y) <= 5].mean(), v[(abs(x + 17) <= 2) & (abs(y + 17) <= 2)].mean(), v[np.hypot(x - 5, y) <= 2].mean()]
k, d = np.polyfit(m, [0, -1000, 600], 1)
assert np.abs(read("out")[:, :, 0] - (k * v + d)).max() < 0.02'
}

@test "hu: attenuations in 1/mm fit volumes in 1/cm and 1/m, other units are refused" {
    volume
    gantry hu -q --water 0.02 --air 0.001 v mm
    gantry scale 10 v v
    py 'write("cm", read("v"), Quantity="attenuation", Unit="1/cm"); write("m", 100*read("v"), Quantity="attenuation", Unit="1/m")
write("far", read("v"), Quantity="attenuation", Unit="furlong")'
    gantry hu --water 0.02 --air 0.001 cm a 2>said
    grep -q "cm is in 1/cm: attenuations given in 1/mm are multiplied by 10" said
    gantry hu -q --water 0.02 --air 0.001 m b
    gantry compare --tolerance 1e-5 mm a
    gantry compare --tolerance 1e-5 mm b
    fails 1 "has the unit 'furlong', expected 1/mm" gantry hu --water 0.02 far o
    gantry hu -q --water-region cyl:-6:0:5 far c
    no_output o
}

@test "hu: values that are not finite are reported" {
    py 'write("v", np.array([[0.02, np.nan], [np.inf, 0.01]], "f4"), Quantity="attenuation")'
    gantry hu --water 0.02 v o 2>said
    grep -q "hu: warning: v: 2 of 4 values are not finite" said
    py 'assert np.array_equal(np.isfinite(read("o")), [[True, False], [False, True]])'
    py 'write("v", np.full((3, 3), 0.02, "f4"), Quantity="attenuation")'
    gantry hu --water 0.02 v o 2>said
    run ! grep warning said
}

@test "hu: what is refused" {
    volume
    gantry zeros --size 4:4 z
    fails 2 "one of --air and --air-region" gantry hu --water 0.02 --air 0.001 --air-region cyl:0:0:1 v o
    fails 2 "either --water, --water-region or at least two --point" gantry hu v o
    fails 2 "either --water, --water-region or at least two --point" gantry hu --water 0.02 --point cyl:0:0:1=0 --point cyl:5:0:1=9 v o
    fails 2 "at least two" gantry hu --point cyl:0:0:1=0 v o
    fails 2 "expected SHAPE=HU" gantry hu --point cyl:0:0:1 --point cyl:0:0:1=2 v o
    fails 1 "contains 0 finite elements" gantry hu --water-region cyl:90:0:1 v o
    fails 1 "use regions of different materials" gantry hu --water 0.02 --air 0.02 v o
    gantry hu -q --water 0.02 v o
    fails 1 "expected attenuation" gantry hu --water 0.02 o again
    no_output again
}

@test "hu: places and units that are exchanged are reported" {
    volume
    gantry hu --water-region box:-19:-15:-19:-15 --air-region cyl:-6:0:5 v out 2>said
    grep -q "gantry hu: warning: v: larger values get smaller Hounsfield units: have the regions been interchanged?" said
    gantry hu --water-region cyl:-6:0:5 --air-region box:-19:-15:-19:-15 v out 2>said
    run ! grep -q warning said
}
