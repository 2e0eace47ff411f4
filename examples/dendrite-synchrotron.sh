#!/usr/bin/env bash
# Dendrites in a metal alloy at a synchrotron: one sinogram with strong rings and few views, from a MATLAB file to a slice.
# Usage: examples/dendrite-synchrotron.sh [DATA [FOLDER]]     (output: out/dendrite-synchrotron; takes half a minute)
#
# DATA (default: data/dendrite-synchrotron, binned) holds RealDataDend.mat of the public repository dkazanc/ToMoBAR, folder data; D. Kazantsev, N. Wadeson, CT Meeting 2020.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/dendrite-synchrotron}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/dendrite-synchrotron}"

# Line integrals times 1000, (column, view): one detector row. Angles in radians.
gantry import --quantity line-integral "$data/RealDataDend.mat:sinoRD" - | gantry scale 0.001 - - | gantry transpose v view - sino
gantry import "$data/RealDataDend.mat:anglesRad" - | gantry scale 57.295779513082321 - angles
gantry traj --angles angles --like sino geom

# Full and partial rings, up to some dozens of pixels wide.
gantry rings --size 121 sino clean
gantry fbp geom sino before
gantry fbp --filter hann geom clean after
gantry toimg --window -0.0005:0.003 --labels "as measured (ramp),without rings (Hann)" --colorbar before after slices.png
echo "Look at $PWD/slices.png: a porous tube about a melt, in it darker branches; rings on the left, hardly any on the right."
