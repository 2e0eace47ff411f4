#!/usr/bin/env bash
# A measured cone-beam scan of a rod: from raw files to pictures, analytic (FDK) and iterative.
# Usage: examples/rod-conebeam.sh [FOLDER]     (default out/rod-conebeam; takes a few seconds)
set -euo pipefail
. "$(dirname "$0")/setup.sh" "${1:-out/rod-conebeam}"
data=$here/data/rod-conebeam

# The owners' files: 12 bytes of sizes, then float32 in C order [view][column][row]. --size names the fastest index first,
# --transpose exchanges rows and columns: projections are (u, v, view).
raw="--raw --size 64:64:40 --type float32 --skip 12 --transpose"
gantry import $raw --quantity line-integral "$data/object.sino" proj
gantry import $raw --quantity weights "$data/object.wght" weights

# Geometry. The central ray meets column 31.7068, row 32.1767; the detector's centre is column 31.5, row 31.5:
# (31.5 - 31.7068) * 3.2 mm = -0.66176 mm, (31.5 - 32.1767) * 3.2 mm = -2.16544 mm.
gantry traj --views 40 --sod 71.6364 --sdd 619.7902 --detector 64:64 --pitch 3.2 --offset -0.66176:-2.16544 geom

# The owners' own reconstruction, C order [y][x][z], to compare with; ours on the same grid.
grid="--spacing 0.36986:0.36986:0.36986 --origin -11.78137:-11.78137:-14.55287"
gantry import --raw --size 80:65:65 --type float32 --skip 12 --transpose "$data/object.phantom.recon" - |
	gantry transpose y z - owners

gantry fbp --size 65:65:80 $grid geom proj fbp
gantry wls --iterations 30 --weights weights --size 65:65:80 $grid geom proj wls

# Side by side: the owners', FDK, weighted least squares. One cut across the rod, one along it.
gantry join x owners fbp wls all
gantry toimg --window 0:0.25 --dim z --slice 40 --up --zoom 4 all rod-across.png
gantry toimg --window 0:0.25 --dim y --slice 29 --up --zoom 4 all rod-along.png

# Mean attenuation in a box inside the rod [1/mm]: 0.17 to 0.19.
for name in owners fbp wls; do
	gantry extract x 40:51 y 24:35 z 20:60 $name - | gantry stats - | sed "s/^/$name: /"
done
