# Read by the examples: finds the tools and goes to an output folder.
# shellcheck shell=bash disable=SC2034 # here is used by the examples
here=$(cd "$(dirname "$0")" && pwd)
PATH=${GANTRY_BUILD:-$here/../build}/bin:$PATH # a build in the source tree comes before an installed one
command -v gantry > /dev/null || { echo "found no gantry command: run scripts/quickstart first" >&2; exit 1; }
mkdir -p "$1"
cd "$1"
