# Read by the scripts here: imports the volume "tooth" into an output folder.
# shellcheck shell=bash
data=$(cd "${1:-$(dirname "$0")/../data/tooth-volume-ct}" && pwd)
PATH=${GANTRY_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}/bin:$PATH
mkdir -p "${2:-out/vivaldi}"
cd "${2:-out/vivaldi}"
gantry import --quiet "$data/tooth.nhdr" tooth
