#!/usr/bin/env bash
# A = Q R by modified Gram-Schmidt, one command per step.
# Usage: examples/qr/qr.sh [A Q R]     (without arguments: a random matrix of 20 x 6, in out/qr)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PATH=${GANTRY_BUILD:-$here/../../build}/bin:$PATH

if [ $# -eq 0 ]; then
	mkdir -p out/qr
	cd out/qr
	gantry random --size 20:6 --type float64 A
	set -- A Q R
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

read -r m n _ <<< "$(gantry stats --only dims "$1") 1"
columns=()
for ((j = 0; j < n; j++)); do
	q=$work/q$j
	gantry slice 1 "$j" "$1" "$q"
	for ((k = 0; k < j; k++)); do # what it shares with the columns before it: q = q - (q_k' q) q_k
		gantry saxpy "$(gantry dot "$q" "$work/q$k")" "$work/minus$k" "$q" "$q"
	done
	gantry scale "$(awk -v norm="$(gantry norm "$q")" 'BEGIN { printf "%.17g", 1 / norm }')" "$q" "$q"
	gantry scale -1 "$q" "$work/minus$j"
	columns+=("$q")
done
gantry join 1 "${columns[@]}" "$2"

# R = Q' A: every column of A with every column of Q, summed along the rows.
gantry reshape "$m:1:$n" "$1" "$work/a"
gantry dot --dims 0 "$work/a" "$2" "$work/r"
gantry reshape "$n:$n" "$work/r" "$3"

gantry fmac --conj --sum 0 "$2" "$work/q0" - | gantry norm - |
	xargs printf 'Scalar products of the first column of Q with all of them have the norm %s, expected 1.\n'
