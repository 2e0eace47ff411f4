#!/usr/bin/env bash
# A molar: from an NRRD file to a maximum projection, a page for the browser, and back out as NIfTI.
# Usage: examples/tooth-volume.sh [DATA [FOLDER]]     (output: out/tooth-volume; takes some seconds)
#
# DATA (default: data/tooth-volume-ct, binned) holds tooth.nhdr and tooth.raw of the public repository CIBC-Internal/Seg3DData, folder test/small_volumes; (c) 2015 University of Utah, MIT.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/tooth-volume-ct}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/tooth-volume}"

# Big-endian numbers of 16 bits, read as they are. The file does not say how large a voxel is.
gantry import "$data/tooth.nhdr" tooth
gantry toimg --quiet --dim y --up --zoom 3 --label tooth slice.png
gantry toimg --quiet --dim y --up --zoom 3 --projection max tooth projection.png
gantry html tooth tooth.html
gantry export tooth tooth.nii.gz
echo "Look at $PWD/slice.png (two roots, a bright cap, dark pulp), projection.png, and tooth.html in a browser."
