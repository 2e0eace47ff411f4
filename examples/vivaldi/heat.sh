#!/usr/bin/env bash
# Heat flow: fifty explicit steps of du/dt = laplacian u (Code 3). Usage: heat.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
gantry cast --type float32 tooth heat
gantry expr --iterate 50 'u + 0.1*laplacian(u)' u=heat warm
gantry render --quiet --camera 60:10 --range 300:1200 warm heat.png
