#!/usr/bin/env bash
# Maximum intensity projection (Code 1 of the paper). Usage: mip.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
gantry render --quiet --mode mip --camera 60:10 tooth mip.png
