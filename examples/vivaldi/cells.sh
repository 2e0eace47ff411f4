#!/usr/bin/env bash
# Segmentation (Figure 9): median, bilateral filter, adaptive threshold, erosion, labels drawn over the cut volume. The part of cells is
# played by the layers of a tooth. Usage: cells.sh [DATA [FOLDER]]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
gantry expr 'm = median(v, 1); s = std(m, 1)' v=tooth m=median s=std
near='exp(-(a^2 + b^2 + c^2)/8 - ((v[a,b,c] - v)/150)^2)'
gantry expr "sum[a=-2:2, b=-2:2, c=-2:2]($near*v[a,b,c]) / sum[a=-2:2, b=-2:2, c=-2:2]($near)" v=median bilateral
gantry threshold --adaptive 20 --offset -250 bilateral bright
gantry morph --radius 1 erode bright core
gantry label --min-size 100 --csv parts.csv --mean bilateral core parts
gantry render --quiet --camera -70:20 --range 300:1200 --clip ':,23:,:' --overlay parts bilateral cells.png
