#!/usr/bin/env bash
# Simulate a cone-beam scan of the Shepp-Logan head, reconstruct it, look at it.
# Usage: examples/phantom.sh [FOLDER]     (default out/phantom; takes some seconds)
set -euo pipefail
. "$(dirname "$0")/setup.sh" "${1:-out/phantom}"

# The object: 64^3 voxels of 1 mm. The scan: 90 views on a circle, a detector of 96 x 96 pixels of 1.5 mm.
gantry phantom --size 64:64:64 vol
gantry traj --views 90 --sod 400 --sdd 600 --pitch 1.5 --detector 96:96 geom
gantry project geom vol proj

# Iterative: weighted least squares on the grid of the phantom.
gantry wls --iterations 30 --like vol geom proj wls

# Analytic, in one pipe, with the noise of 100 000 photons per pixel added on the way.
gantry project geom vol - | gantry noise --photons 1e5 - - | gantry fbp --like vol geom - fdk

echo "Relative difference from the phantom (NRMSE):"
for name in wls fdk; do
	gantry compare vol $name | xargs printf '  %-4s %.3f\n' $name
done

# Side by side: phantom, wls, fdk. The window shows the soft tissue, 0.02 1/mm is water.
gantry join x vol wls fdk all
gantry toimg --quiet --window 0:0.008 --dim z --up --zoom 4 all axial.png
gantry toimg --quiet --window 0:0.008 --dim y --up --zoom 4 all coronal.png
echo "Look at $PWD/axial.png and coronal.png: phantom, weighted least squares, FDK of noisy data."
