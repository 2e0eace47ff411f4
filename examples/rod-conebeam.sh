#!/usr/bin/env bash
# A measured cone-beam scan of a rod: from raw files to pictures, analytic (FDK) and iterative.
# Usage: examples/rod-conebeam.sh [FOLDER]     (default out/rod-conebeam; takes some seconds)
set -euo pipefail
. "$(dirname "$0")/setup.sh" "${1:-out/rod-conebeam}"
data=$here/data/rod-conebeam

# The owners' files: 12 bytes of sizes, then float32 in C order [view][column][row]. --size names the fastest index first,
# --transpose exchanges rows and columns: projections are (u, v, view).
raw=(--raw --type float32 --skip 12 --transpose)
gantry import "${raw[@]}" --size 64:64:40 --quantity line-integral "$data/object.sino" proj
gantry import "${raw[@]}" --size 64:64:40 --quantity weights "$data/object.wght" weights

# Geometry. The central ray meets column 31.7068, row 32.1767; the detector's centre is column 31.5, row 31.5:
# (31.5 - 31.7068) * 3.2 mm = -0.66176 mm, (31.5 - 32.1767) * 3.2 mm = -2.16544 mm.
gantry traj --views 40 --sod 71.6364 --sdd 619.7902 --detector 64:64 --pitch 3.2 --offset -0.66176:-2.16544 geom

# The owners' own reconstruction, C order [y][x][z]; its voxels are 0.36986 mm wide, and ours are put onto the same places.
gantry import "${raw[@]}" --size 80:65:65 --spacing 0.36986:0.36986:0.36986 --origin -11.78137:-14.7378:-11.78137 \
	--quantity attenuation --unit 1/mm "$data/object.phantom.recon" - | gantry transpose y z - owners

# Analytic reconstruction (FDK), and 20 iterations of weighted least squares without negative values.
gantry fbp --like owners geom proj fbp
gantry wls --like owners --iterations 20 --weights weights --nonneg geom proj wls

# Side by side: the owners', FDK, weighted least squares. One cut across the rod, one along it.
gantry join x owners fbp wls all
gantry toimg --quiet --window 0:0.22 --dim z --slice 40 --up --zoom 4 all across.png
gantry toimg --quiet --window 0:0.22 --dim y --slice 29 --up --zoom 4 all along.png

echo "Mean attenuation inside the rod (expected: 0.178 per mm) and its standard deviation (noise):"
for name in owners fbp wls; do
	gantry extract x 40:51 y 24:35 z 20:60 $name - | gantry stats --only mean,std - | xargs printf '  %-7s %.4f  %.4f\n' $name
done
echo "Relative difference from the owners' image, slices 16 to 63:"
for name in fbp wls; do
	gantry extract z 16:64 owners ref
	gantry extract z 16:64 $name - | gantry compare ref - | xargs printf '  %-7s %.3f\n' $name
done
echo "Look at $PWD/across.png and along.png: owners', FDK, weighted least squares. A bright off-axis disc; a rod on a faint holder."
