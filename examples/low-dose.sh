#!/usr/bin/env bash
# A measured cone-beam scan of a rod with the noise of few photons added: weights, likelihood, total variation, non-local means.
# Usage: examples/low-dose.sh [FOLDER]     (default out/low-dose; takes some seconds)
set -euo pipefail
. "$(dirname "$0")/setup.sh" "${1:-out/low-dose}"
data=$here/data/rod-conebeam

# As in rod-conebeam.sh, with voxels of 0.74 mm; then 300 photons per pixel and view.
raw=(--raw --type float32 --skip 12 --transpose)
gantry import "${raw[@]}" --size 64:64:40 --quantity line-integral "$data/object.sino" proj
gantry traj --views 40 --sod 71.6364 --sdd 619.7902 --detector 64:64 --pitch 3.2 --offset -0.66176:-2.16544 geom
gantry noise --photons 300 proj low
grid=(--size 40:40:24 --spacing 0.73972:0.73972:0.73972)

gantry wls --nonneg -i 20 "${grid[@]}" geom proj clean
gantry fbp --filter hann "${grid[@]}" geom low fdk
gantry wls --nonneg -i 8 "${grid[@]}" geom low wls
gantry recon --algorithm spdhg --data poisson:300 -R tv:30 -R nonneg -i 25 "${grid[@]}" geom low tv
gantry recon --algorithm admm -R pnp:nlm:0.01 -i 10 "${grid[@]}" geom low nlm

echo "Relative difference from the reconstruction without that noise (NRMSE), slices 4 to 19:"
gantry extract z 4:20 clean ref
for name in fdk wls tv nlm; do
	gantry extract z 4:20 $name - | gantry compare ref - | xargs printf '  %-4s %.3f\n' $name
done
gantry join x clean fdk wls tv nlm all
gantry toimg --quiet --window 0:0.22 --dim z --slice 12 --up --zoom 4 all low.png
echo "Look at $PWD/low.png: without noise; FDK, weighted least squares, Poisson likelihood with total variation, non-local means in ADMM."
