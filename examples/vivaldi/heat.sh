#!/usr/bin/env bash
# Heat flow: fifty explicit steps of du/dt = laplacian u (Code 3). Usage: heat.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
gantry cast --type float32 tooth start
gantry expr --iterate 50 'u + 0.1*laplacian(u)' u=start heat
gantry render --quiet --camera 60:10 --range 300:1200 heat heat.png
