#!/usr/bin/env bash
# A contrast agent spreads through a gel: 17 fan-beam scans of 72 views each, from a NeXus file to a picture of all times.
# Usage: examples/gel-phantom.sh [DATA [FOLDER]]     (output: out/gel-phantom; takes some seconds)
#
# DATA (default: data/gel-phantom-dynamic, binned) holds data_72.nxs; T. Heikkila, H. Help, A. Meaney, doi:10.5281/zenodo.3696817, as made by TomographicImaging/CIL-Demos.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/gel-phantom-dynamic}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/gel-phantom}"
scan=$data/data_72.nxs:/entry1/tomo_entry

# (column, view, time) becomes (column, row, view, channel, time). Angles are in radians; the detector is 112.8 mm wide.
gantry import --quantity line-integral "$scan/data/data" - | gantry permute 0:3:1:4:2 - sinos
gantry import "$scan/config/angles" - | gantry scale 57.295779513082321 - angles
columns=$(gantry show sinos | awk '$1 == "dims" { print $2 }')
gantry traj --angles angles --like sinos --pitch "$(awk "BEGIN { print 112.8 / $columns }")" --sod 99.9995 --sdd 299.9993 geom

# 72 views leave streaks in filtered back projection; total variation does not.
# Voxels are of 256 across, or of 128 where a binned detector has no more to say.
size=$((columns < 192 ? 128 : 256))
gantry fbp --filter hann --size $size:$size --spacing "$(awk "BEGIN { print 34.13248 / $size }")" geom sinos fbp
gantry recon -i 30 -R tv:0.0007 -R nonneg --like fbp --init fbp geom sinos tv
gantry toimg --quiet --dim time --range 0:17:4 --columns 5 --window 0:0.08 --label --colorbar tv times.png
echo "Look at $PWD/times.png: five straws in a tube of gel; two of them become brighter than the gel."
for t in 0 16; do gantry slice time $t tv - | gantry roi --csv --region cyl:0:0:3 - | cut -d, -f3 | tail -1; done | xargs echo \
	"Mean attenuation of the gel [1/mm], first and last (expected: 0.038 and 0.045):"
