load common

# Our header inside other programs' files: what has no field there survives, and fields that others change win.

import() {
    gantry import --quiet "$@"
}

# sections NAME: the header from the first section that Gantry does not know up to the command.
others() {
    sed -n '/^# Note$/,/^# Command$/p' "$1.hdr" | sed '$d'
}

formats="nrrd nhdr mha mhd edf nii nii.gz tif"

has_hdf5() {
    { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q 'libhdf5\(_serial\)\?\.so\.[0-9]'
}

@test "embed: every character of a section comes back" {
    local value='a\b \\ \n \x41 ;{}; \x3b {\} é =:= "x" \'
    gantry random --size 3:2 x
    sed -i '/^# Command/,$d' x.hdr
    printf '# Note\n%s\n' "$value" >>x.hdr
    for e in $formats; do
        gantry export x x.$e
        import x.$e y
        [ "$(section y Note)" = "$value" ] || { echo "$e: $(section y Note)" >&2; false; }
    done
    # what is no escape stays as it is
    sed -i 's/^\(gantry:=.*\)# Note.n.*/\1# Note\\n\\xg1 \\x1 \\q\\n/' x.nrrd
    import x.nrrd y
    [ "$(section y Note)" = '\xg1 \x1 \q' ]
}

@test "embed: sections of several lines, empty ones, and many" {
    gantry random --size 3:2:2 x
    sed -i '/^# Command/,$d' x.hdr
    printf '# Note\none\n  two\n=three\n# Empty\n# Author\nme\n# Long\n%s\nend\n' "$(seq -s ' ' 200)" >>x.hdr
    local all=$formats
    if has_hdf5; then all+=" h5"; fi
    for e in $all; do
        gantry export x x.$e
        import x.$e y
        [ "$(others y)" = "$(sed -n '/^# Note$/,$p' x.hdr)" ] || { echo "$e: $(others y)" >&2; false; }
    done
    mkdir d
    gantry cast --type int16 x s
    gantry export s 'd/s_%d.dcm'
    import d y
    [ "$(others y)" = "$(others s)" ]
}

@test "embed: digits that a format rounds come back, and what others change wins" {
    py '
write("x", np.arange(24, dtype="f4").reshape(2, 3, 4), Spacing="0.333333333333333 0.1 0.7", Origin="-1.00000000000001 2.2 3.3",
    Direction="0.6 0.8 0 -0.8 0.6 0 0 0 1", Quantity="attenuation", Unit="1/mm")'
    grid() { echo "$(section $1 Spacing) / $(section $1 Origin) / $(section $1 Direction)"; }
    for e in nii nrrd mha; do
        gantry export x x.$e
        import x.$e y
        [ "$(grid y)" = "$(grid x)" ] || { echo "$e: $(grid y)" >&2; false; }
        [ "$(section y Quantity) $(section y Unit)" = "attenuation 1/mm" ]
    done
    # one value changed by more than 1e-6 of it, one by less
    sed -i 's/^ElementSpacing = 0.333333333333333 0.1 0.7$/ElementSpacing = 0.333334 0.10000001 0.7/; s/^Offset = -1.00000000000001 2.2 3.3$/Offset = -1 2.3 3.3/' x.mha
    import x.mha y
    [ "$(grid y)" = "0.333334 0.1 0.7 / -1.00000000000001 2.3 3.3 / 0.6 0.8 0 -0.8 0.6 0 0 0 1" ]
    sed -i 's/^TransformMatrix = .*/TransformMatrix = 0 1 0 -1 0 0 0 0 1/' x.mha
    import x.mha y
    [ "$(section y Direction)" = "0 1 0 -1 0 0 0 0 1" ]
    sed -i 's/^TransformMatrix = .*/TransformMatrix = 1 0 0 0 1 0 0 0 1/' x.mha
    import x.mha y
    [ -z "$(section y Direction)" ]
}

@test "embed: a centred grid stays centred, unless another program moves it" {
    py 'write("x", np.arange(24, dtype="f4").reshape(2, 3, 4), Spacing="0.25 0.5 2")'
    for e in nii nrrd mha tif; do
        gantry export x x.$e
        import x.$e y
        [ "$(section y Spacing)" = "0.25 0.5 2" ]
        [ -z "$(section y Origin)" ] || { echo "$e: $(section y Origin)" >&2; false; }
    done
    sed -i 's/^Offset = -0.125 -0.5 -3$/Offset = -0.125 -0.5 -2.75/' x.mha
    import x.mha y
    [ "$(section y Origin)" = "-0.125 -0.5 -2.75" ]
}

@test "embed: dims, booleans, detectors and quantities that a file has no place for" {
    py '
write("x", np.arange(48, dtype="u2").reshape(2, 3, 4, 2))
write("b", np.arange(6).reshape(2, 3) % 2 == 1)
write("g", np.zeros((3, 4, 6)), Quantity="geometry", Detector="20 10 500")'
    gantry export x x.tif
    import x.tif y
    [ "$(dims y)" = "2 3 4 2" ]
    same_bytes x y
    for e in tif nrrd nii edf; do
        gantry export b b.$e
        import b.$e c
        [ "$(section c Type)" = bool ]
        same_bytes b c
        gantry export g g.$e
        import g.$e h
        [ "$(section h Quantity) $(section h Detector)" = "geometry 20 10 500" ]
    done
    # other pixels of the same number, and other types, are no longer ours
    sed -i 's/^sizes: 2 3$/sizes: 3 2/; s/^type: uint8$/type: int8/' b.nrrd
    import b.nrrd c
    [ "$(dims c) $(section c Type)" = "3 2 int8" ]
}
