#!/usr/bin/env bash
# The worker functions of Code 1 as they stand in the paper: a program that follows the ray of each pixel through the volume, for the largest value, and for
# colours that end where next to nothing comes through. Usage: rays.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
cat >rays.expr <<'PROGRAM'
at(k) = linear(v, x*cos(1) + k*sin(1), k*cos(1) - x*sin(1), y)   # the ray of pixel (x, y), k mm on
opacity(k) = clamp((at(k) - 300)/2000, 0, 1)
mip = max[k=-40:40](at(k) + 0*p)
fog = for[k=-40:40, c=0, t=1](c + t*opacity(k)*at(k), t*(1 - opacity(k)) while t + 0*p > 0.01)
PROGRAM
gantry ones --size 80:96 screen
gantry expr --edge zero -f rays.expr v=tooth p=screen mip=rays-mip fog=rays-fog
gantry toimg --quiet --force rays-fog rays.png
