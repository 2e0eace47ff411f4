#!/usr/bin/env bash
# An acrylic disc from an arc of 90 degrees of a measured fan-beam scan: what bounds and total variation save.
# Usage: examples/limited-angle.sh [DATA [FOLDER]]     (output: out/limited-angle; DATA as of htc2022-acrylic.sh; takes some seconds)
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/htc2022-acrylic}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/limited-angle}"
scan=$data/htc2022_ta_full.mat:CtDataFull
value() { gantry import "$scan.parameters.$1" - | gantry stats --only max -; }

gantry import "$scan.parameters.angles" angles
gantry import --quantity line-integral "$scan.sinogram" - | gantry permute 1:2:0 - sino
gantry traj --angles angles --like sino --pitch "$(value pixelSizePost)" \
	--sod "$(value distanceSourceOrigin)" --sdd "$(value distanceSourceDetector)" geom
gantry fbp --filter hann --size 256:256 --spacing 0.2966446 geom sino full

views=$(sed -n 2p sino.hdr | cut -d " " -f 3)
arc=(--views ":$((views / 4))" --like full)
gantry cg -i 15 "${arc[@]}" geom sino cg
gantry recon --algorithm fista -R box:0:0.04 -i 100 "${arc[@]}" geom sino box
gantry recon --algorithm spdhg --subsets 6 -R tv:0.05 -R box:0:0.04 -i 100 "${arc[@]}" geom sino tv

echo "Relative difference from FBP of the full turn (NRMSE):"
for name in cg box tv; do
	gantry compare full $name | xargs printf '  %-4s %.3f\n' $name
done
gantry join x full cg above
gantry join x box tv below
gantry join y below above all
gantry toimg --quiet --up --window 0:0.05 all limited.png
echo "Look at $PWD/limited.png: full turn, least squares of a quarter; below with bounds, with bounds and total variation."
