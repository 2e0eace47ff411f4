#!/usr/bin/env bash
# A measured parallel-beam scan from a synchrotron: a steel wire in an aluminium cylinder with a drop of salt water on top. From raw
# detector counts, flat and dark to pictures.
# Usage: examples/dls-24737-wire.sh DATA [FOLDER]     (output: out/dls-24737-wire; takes a minute)
#
# DATA holds angles.txt, dark_00001.tiff, flat_00001.tiff and projections/raw_00000.tiff ... raw_00090.tiff: they are in the public
# repository DiamondLightSource/Savu, folder test_data/data/image_test (there the projections' folder is called tiffs). Scan 24737, beamline I13-2,
# Diamond Light Source; N. Wadeson, M. Basham, arXiv:1610.08015.
set -euo pipefail
data=$(cd "${1:?name the folder with the data (see the head of this file)}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/dls-24737-wire}"

# Counts: 160 columns, 135 rows, 91 views; row 0 is at the top.
gantry import --quantity counts "$data"/projections/*.tiff counts
gantry import --quantity counts "$data"/flat_*.tiff flat
gantry import --quantity counts "$data"/dark_*.tiff dark

# Transmission. The flat is brighter than the beam was during the scan, so that air comes out as 0.7 instead of 1: detector row
# 20 sees nothing but air, and its mean is taken for 1. (Where some columns see air all the time, normalize --air does this.)
gantry normalize --dark dark --flat flat --no-log counts transmission
air=$(gantry extract v 20 transmission - | gantry stats --only mean -)
gantry scale "$(awk "BEGIN { print 1 / $air }")" transmission - | gantry normalize - proj

# Geometry, in units of pixels: 91 views from -88.2 to 91.8 degrees are lines 10 to 100 of the list (the others are flats and
# darks). The axis is at column 86.0, the detector's middle at column 79.5: the detector is shifted by -6.5. Rows run downwards: pitch 1:-1.
gantry traj --angles "$data/angles.txt" --views 10:101 --detector 160:135 --pitch 1:-1 --offset -6.5 geom

# Slice k of the volume is row 134 - k.
gantry fbp --filter hann --size 160:160:135 geom proj fbp
gantry wls --iterations 20 --nonneg --size 160:160:135 geom proj wls

# Three detector rows, analytic on the left, iterative on the right: 90 (the wire in the cylinder), 100 (its end), 60 (the drop).
gantry join x fbp wls both
gantry toimg --quiet --window 0:0.1 --dim z --slice 44 --up --zoom 3 both row90.png
gantry toimg --quiet --window 0:0.03 --dim z --slice 34 --up --zoom 3 both row100.png
gantry toimg --quiet --window -0.002:0.008 --dim z --slice 74 --up --zoom 3 both row60.png

echo "Air level of the transmission (expected: 0.707): $air"
echo "Mean attenuation [1/pixel] in the wire (expected: 0.091 with fbp) and in the aluminium (0.0114) at row 90:"
for name in fbp wls; do
	wire=$(gantry extract x 64:74 y 85:95 z 44 $name - | gantry stats --only mean -)
	aluminium=$(gantry extract x 55:80 y 55:70 z 44 $name - | gantry stats --only mean -)
	printf '  %-4s %.4f  %.4f\n' $name "$wire" "$aluminium"
done
echo "Look at $PWD/row90.png (a round wire in a disc), row100.png (the wire is a grain), row60.png (a drop with two bubbles)."
