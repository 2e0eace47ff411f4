#!/usr/bin/env bash
# A contrast agent spreads through a gel, 17 times seen from 12 views: total variation frame by frame, and along time as well.
# Usage: examples/dynamic-tv.sh [DATA [FOLDER]]     (output: out/dynamic-tv; DATA as of gel-phantom.sh; takes 20 s)
#
# Of the 72 views of each scan the first time keeps 0, 6, 12, .., the second 1, 7, 13, .., and so on: what a scanner would measure that never
# stops. Two of these are left out in turn, and predicted from the reconstruction of the others.
set -euo pipefail
data=$(cd "${1:-$(dirname "$0")/data/gel-phantom-dynamic}" && pwd)
. "$(dirname "$0")/setup.sh" "${2:-out/dynamic-tv}"
scan=$data/data_72.nxs:/entry1/tomo_entry
times=17 apart=6 views=12 held=(3 8)

gantry import --quantity line-integral "$scan/data/data" - | gantry permute 0:3:1:4:2 - sinos
gantry import "$scan/config/angles" - | gantry scale 57.295779513082321 - angles
gantry traj --angles angles --like sinos --pitch "$(gantry show sinos | awk '$1 == "dims" { print 112.8 / $2 }')" \
	--sod 99.9995 --sdd 299.9993 every

for ((t = 0; t < times; t++)); do
	gantry extract view $((t % apart)):72:$apart every geom$t
	gantry extract time $t:$((t + 1)) view $((t % apart)):72:$apart sinos proj$t
done
for name in geom proj; do
	# shellcheck disable=SC2046
	gantry join time $(seq -f "$name%g" 0 $((times - 1))) $name
done

recon() { gantry recon -q --size 96:96 --spacing 0.3555467 -R nonneg "$@"; }

# error TERMS..: relative error of the views left out, one number for all frames and views
error() {
	for h in "${held[@]}"; do
		recon "$@" --views "$(seq 0 $((views - 1)) | grep -vx "$h" | paste -sd,)" geom proj rec
		gantry extract view "$h:$((h + 1))" geom - | gantry -l time project - rec predicted
		gantry extract view "$h:$((h + 1))" proj - | gantry compare - predicted
	done | awk '{ s += $1 * $1 } END { printf "%.4f\n", sqrt(s / NR) }'
}

# best NAME TERMS..: the TERMS (a word each, of -R) of least error; reconstructs NAME with them
best() {
	local name=$1
	shift
	for terms; do
		# shellcheck disable=SC2086
		echo "$(error $terms) $terms" >&3
	done 3> "$name.txt"
	sort -g "$name.txt" | head -1 > "$name.best"
	# shellcheck disable=SC2046
	recon $(cut -d " " -f 2- "$name.best") geom proj "$name"
	echo "$name: error of views left out $(cat "$name.best")"
}

best single "-R tv:0.0003" "-R tv:0.0006"
best coupled "-R tv:0.0003:dims=x,y,time=10" "-R tv:0.0003:dims=x,y,time=30"
echo "The error falls by $(cat single.best coupled.best | awk '{ e[NR] = $1 } END { printf "%.0f", 100 * (1 - e[2] / e[1]) }') %."
gantry join y coupled single both
gantry toimg --quiet --dim time --range 0:17:4 --columns 5 --window 0:0.08 --label both dynamic.png
echo "Look at $PWD/dynamic.png: above along time, below frame by frame."
