#!/usr/bin/env bash
# A first reconstruction, as elsa's example does it: phantom, trajectory, sinogram, an operator with a problem and a solver, the error.
# Usage: examples/reconstruct.sh [FOLDER]     (default out/reconstruct; takes some seconds)
set -euo pipefail
. "$(dirname "$0")/setup.sh" "${1:-out/reconstruct}"

gantry phantom --size 128:128 phantom
gantry traj --views 180 --sod 12800 --sdd 14080 --detector 192:1 geom
gantry project geom phantom sinogram

gantry cg -i 20 --like phantom geom sinogram cg
gantry fista -i 50 -R l1:0.005 -R smooth:1 --like phantom geom sinogram lasso
gantry recon --algorithm pdhg -i 100 -R tv:0.01 -R nonneg --like phantom geom sinogram tv

for name in cg lasso tv; do
	gantry compare phantom $name | xargs printf '  %-6s %.3f\n' $name
done
gantry join x phantom cg lasso tv all
gantry toimg --quiet --up --zoom 2 --window 0:0.025 all reconstruct.png
echo "Look at $PWD/reconstruct.png: the phantom, least squares, LASSO, total variation."
