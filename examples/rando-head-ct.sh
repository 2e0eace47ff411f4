#!/usr/bin/env bash
# A head phantom in a clinical scanner: from DICOM slices to Hounsfield units, bone and a projection.
# Usage: examples/rando-head-ct.sh [DATA [FOLDER]]     (output: out/rando-head-ct; takes some seconds)
#
# DATA (default: data/rando-head-ct, binned) holds slices 20600.*.img of the public repository viksarkar/Tomosynthesis-Toolkit, folder Demo Data/Rando DICOM; V. Sarkar, C. Shi,
# N. Papanikolaou, Australas. Phys. Eng. Sci. Med. 34 (2011) 5.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/rando-head-ct}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/rando-head-ct}"

# Slices are put into the order of their positions, which the files say, as they say spacing and slope. Outside its circle the
# scanner wrote -3024.
gantry import --rescale "$data"/20600.*.img - | gantry expr 'max(a, -1024)' a=- head
gantry toimg --quiet --window -200:300 --colorbar --scale-bar 50 head slice.png
gantry toimg --quiet --window -200:2000 --projection max --dim y --up --aspect --zoom 2 head bones.png

# A scan of it, as a flat-panel scanner would see it: attenuation of water at 70 keV, 0.0193 per mm.
gantry expr '(h + 1000) * 0.0193 / 1000' h=head - | gantry expr 'max(a, 0)' a=- mu
gantry traj --views 90 --sod 1000 --sdd 1500 --detector 384:64 --pitch 2 geom
gantry project geom mu - | gantry toimg --quiet --slice 0 --up - projection.png
echo "Look at $PWD/slice.png (a skull about soft tissue), bones.png and projection.png (from the front)."
echo "Middle of the head [HU] (expected: about 40):" "$(gantry roi --csv --region cyl:0:30:20 head | cut -d, -f3 | tail -1)"
