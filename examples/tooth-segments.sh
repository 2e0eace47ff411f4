#!/usr/bin/env bash
# A molar taken apart: enamel, dentine and the pulp cavity by Otsu's levels, connected components and holes; their volumes, how thick the enamel is.
# Usage: examples/tooth-segments.sh [DATA [FOLDER]]     (output: out/tooth-segments; takes some seconds)
#
# DATA (default: data/tooth-volume-ct, binned) holds tooth.nhdr and tooth.raw of the public repository CIBC-Internal/Seg3DData, folder test/small_volumes; (c) 2015 University of Utah, MIT.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/tooth-volume-ct}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/tooth-segments}"

# Four classes of values: air, what is partly air, dentine, enamel. The tooth is the largest part of the last two.
gantry import "$data/tooth.nhdr" ct
gantry threshold --classes 4 ct classes
gantry expr 'c >= 2' c=classes hard
gantry label --quiet --largest 1 hard tooth

# The root canal ends outside: closed by a ball of three voxels, the cavity is a hole.
gantry morph close --binary -r 3 tooth closed
gantry morph fill closed whole
gantry expr 'w * (c < 2)' w=whole c=classes cavities
gantry label --quiet --largest 1 cavities pulp
gantry expr 'c == 3' c=classes bright
gantry label --quiet --largest 1 bright enamel

echo "Share of the tooth [%]: enamel" \
	"$(for part in enamel pulp whole; do gantry stats --only sum "$part"; done | paste -sd' ' | awk '{ printf "%.1f, pulp %.1f", 100 * $1 / $3, 100 * $2 / $3 }')"
echo "Thickness of the enamel [voxels]: $(gantry measure thickness enamel thickness | awk -F, '$1 == "mean" { printf "%.1f in the mean, ", $2 } $1 == "max" { printf "at most %.1f", $2 }')"

gantry expr '2 * w + 2 * (a != 0) - (b != 0)' w=whole a=enamel b=pulp parts
gantry toimg --quiet --dim y --up --zoom 3 --label parts parts.png
gantry toimg --quiet --dim y --up --zoom 3 --colorbar thickness thickness.png
echo "Look at $PWD/parts.png (dentine, the pulp cavity in it, a bright cap) and thickness.png."
