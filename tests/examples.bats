load common

is_png() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ]; }

@test "examples: the measured rod agrees with its owners' image" {
    "$GANTRY_SOURCE/examples/rod-conebeam.sh" "$PWD/rod"
    cd rod
    is_png across.png
    is_png along.png
    py "
owners = read('owners')
for name, least in (('fbp', 0.984), ('wls', 0.998)):
    rec = read(name)
    assert rec.shape == owners.shape == (65, 65, 80)
    middle = np.s_[:, :, 16:64]
    same = np.corrcoef(owners[middle].ravel(), rec[middle].ravel())[0, 1]
    assert same > least, (name, same)
    for turned in (owners[::-1], owners[:, ::-1], owners.transpose(1, 0, 2), owners[:, :, ::-1]):
        assert np.corrcoef(turned[middle].ravel(), rec[middle].ravel())[0, 1] < same - 0.001, name
    inside = rec[40:51, 24:35, 20:60]
    assert abs(inside.mean() - 0.178) < 0.002 and inside.std() < 0.003, (name, inside.mean(), inside.std())
    x, y, z = (i.ravel() for i in np.indices(rec.shape)[:, :, :, 30:50])
    rod = rec[:, :, 30:50].ravel() > 0.09
    assert abs(x[rod].mean() - 45) < 1 and abs(y[rod].mean() - 29) < 1, name
    assert abs(2 * np.sqrt(rod.sum() / 20 / np.pi) - 27) < 1, name
"
}

@test "examples: the phantom comes back from its projections" {
    "$GANTRY_SOURCE/examples/phantom.sh" "$PWD/phantom" > said
    cd phantom
    is_png axial.png
    is_png coronal.png
    gantry compare --tolerance 0.13 vol wls
    gantry compare --tolerance 0.25 vol fdk
}

# bats test_tags=slow
@test "examples: the wire in the aluminium cylinder (data not in this repository)" {
    [ -d "${GANTRY_DATA:-/nowhere}/dls-24737-wire" ] || skip "GANTRY_DATA names no folder with dls-24737-wire"
    "$GANTRY_SOURCE/examples/dls-24737-wire.sh" "$GANTRY_DATA/dls-24737-wire" "$PWD/dls"
    cd dls
    is_png row60.png
    py "
rec = read('fbp')
def slice_of_row(r):
    return rec[:, :, 134 - r]
wire = np.argwhere(slice_of_row(90) > 0.05)
assert np.abs(wire.mean(0) - [69, 90]).max() < 1 and abs(2 * np.sqrt(len(wire) / np.pi) - 20) < 1
assert abs(slice_of_row(90)[64:74, 85:95].mean() - 0.091) < 0.002
assert abs(slice_of_row(90)[55:80, 55:70].mean() - 0.0114) < 0.0005
assert slice_of_row(110).max() < 0.03
drop, bubble = slice_of_row(60)[60:80, 55:65].mean(), slice_of_row(60)[82:95, 100:113].mean()
assert drop > bubble + 0.001, (drop, bubble)
"
}
