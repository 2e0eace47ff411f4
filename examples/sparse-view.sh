#!/usr/bin/env bash
# A tooth from every eighth view of a measured scan: what total variation and a prior image save.
# Usage: examples/sparse-view.sh [DATA [FOLDER]]     (output: out/sparse-view; DATA as of tooth-aps.sh; takes some seconds)
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/tooth-aps}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/sparse-view}"

gantry import --flats flats --darks darks --angles angles.txt "$data/tooth.h5" counts
gantry normalize --dark darks --flat flats --air 0:10 counts - | gantry rings - - | gantry extract v 0 - proj
# Lengths are in pixels of the full detector's 640, so that the numbers below fit binned data too.
cols=$(gantry show proj | awk '$1 == "dims" { print $2 }')
gantry traj --angles angles.txt --like proj --pitch "$(awk "BEGIN { print 640 / $cols }")" geom
gantry center geom proj centred
gantry fbp --filter hann centred proj full

# 23 of 181 views.
few=(--views ::8 --like full)
gantry fbp --filter hann "${few[@]}" centred proj fbp
gantry recon --algorithm spdhg --subsets 6 -R "tv:$(awk "BEGIN { print 160 / $cols }")" -R nonneg -i 60 "${few[@]}" centred proj tv
gantry asd-pocs -i 60 --alpha 0.01 --noise "$(awk "BEGIN { print 0.4 * sqrt($cols / 160) }")" "${few[@]}" centred proj asd
gantry recon --algorithm admm -R pnp:nlm:0.0005 -i 20 "${few[@]}" centred proj nlm

echo "Relative difference from FBP of all views (NRMSE):"
for name in fbp tv asd nlm; do
	gantry compare full $name | xargs printf '  %-4s %.3f\n' $name
done
gantry join x full fbp tv above
gantry join x full asd nlm below
gantry join y below above all
gantry toimg --quiet --up --window -0.001:0.009 all sparse.png
echo "Look at $PWD/sparse.png: all views; 23 views by FBP, by total variation; below ASD-POCS and non-local means in ADMM."
