#!/usr/bin/env bash
# An acrylic disc with holes, fan beam, from the Helsinki Tomography Challenge 2022: from a MATLAB structure to attenuation per mm.
# Usage: examples/htc2022-acrylic.sh [DATA [FOLDER]]     (output: out/htc2022-acrylic; takes some seconds)
#
# DATA (default: data/htc2022-acrylic, binned) holds htc2022_ta_full.mat; A. Meaney, F. Silva de Moura, S. Siltanen, doi:10.5281/zenodo.8041800, CC BY 4.0.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/htc2022-acrylic}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/htc2022-acrylic}"
scan=$data/htc2022_ta_full.mat:CtDataFull
value() { gantry import "$scan.parameters.$1" - | gantry stats --only max -; }

# The file knows its geometry [mm, degrees].
gantry import "$scan.parameters.angles" angles
gantry import --quantity line-integral "$scan.sinogram" - | gantry permute 1:2:0 - sino
gantry traj --angles angles --like sino --pitch "$(value pixelSizePost)" \
	--sod "$(value distanceSourceOrigin)" --sdd "$(value distanceSourceDetector)" geom
gantry fbp --filter hann --size 512:512 --spacing 0.1483223 geom sino rec
gantry toimg --up --window 0:0.05 --colorbar --scale-bar 20 rec disc.png
echo "Look at $PWD/disc.png: a disc of 70 mm with eight holes, brighter at its rim (beam hardening)."
gantry expr 'a > 0.0165' a=rec acrylic
echo "Attenuation of acrylic [1/mm] (expected: 0.033): $(gantry roi --csv --mask acrylic rec | cut -d, -f3 | tail -1)"
