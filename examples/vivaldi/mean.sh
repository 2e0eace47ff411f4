#!/usr/bin/env bash
# Mean of the 27 elements around each one (Code 2). Usage: mean.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
gantry expr 'mean(v, 1)' v=tooth mean
