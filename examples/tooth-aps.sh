#!/usr/bin/env bash
# A tooth at a synchrotron, two detector rows, parallel beam: from raw counts in an HDF5 file (Data Exchange) to a slice.
# Usage: examples/tooth-aps.sh [DATA [FOLDER]]     (output: out/tooth-aps; takes some seconds)
#
# DATA (default: data/tooth-aps, binned) holds tooth.h5 of the public repository tomopy/tomopy, folder source/tomopy/data; D. Gursoy et al., J. Synchrotron Rad. 21 (2014) 1188.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/tooth-aps}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/tooth-aps}"

# The file says what is what: projections, flat fields, dark fields, angles. The first columns see air alone.
gantry import --flats flats --darks darks --angles angles.txt "$data/tooth.h5" counts
gantry normalize --dark darks --flat flats --air 0:10 counts - | gantry rings - proj

# The file does not say how large a pixel is: lengths are in pixels of the detector's 640. The axis comes from the data.
gantry traj --angles angles.txt --like proj --pitch "$(gantry show proj | awk '$1 == "dims" { print 640 / $2 }')" geom
gantry center --sweep sweep.png geom proj centred
gantry fbp --filter hann centred proj rec
gantry toimg --slice 0 --window -0.001:0.009 --colorbar rec slice.png
echo "Look at $PWD/slice.png (enamel 0.0078 per pixel of 640, dentine 0.0045, an open pulp cavity) and sweep.png (nine axis columns, the middle one chosen)."
