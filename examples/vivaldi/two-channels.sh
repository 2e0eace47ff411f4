#!/usr/bin/env bash
# Two volumes in one picture, each with its own colours and opacities (Figure 8): values and their gradient. Usage: two-channels.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
gantry expr 'gradient(v)' v=tooth edges
gantry render --quiet --camera 60:10 \
    --transfer 'opacity = 0.03*(v > 700); red = 1; green = 0.8; blue = 0.5' \
    --transfer 'opacity = 0.02*(v > 150); red = 0.2; green = 0.5; blue = 1' tooth edges two-channels.png
