#!/usr/bin/env bash
# Denoise an image by total variation, as BART's example of Rudin, Osher and Fatemi does, and by other methods.
# Usage: examples/rof.sh [FOLDER]     (default out/rof; takes some seconds)
set -euo pipefail
. "$(dirname "$0")/setup.sh" "${1:-out/rof}"

# The Shepp-Logan head and noise of a tenth of water, 0.02 1/mm.
gantry phantom --size 256:256 image
gantry random --size 256:256 - | gantry saxpy 0.002 - image noisy

gantry rof --lambda 0.002 noisy rof
for method in tgv wavelet nlm; do
	gantry denoise --method $method --noise 0.002 noisy $method
done

echo "Relative difference from the image without noise (NRMSE):"
for name in noisy rof tgv wavelet nlm; do
	gantry compare image $name | xargs printf '  %-8s %.3f\n' $name
done

# Side by side: image, noisy, rof; tgv, wavelet, nlm below.
gantry join x image noisy rof above
gantry join x tgv wavelet nlm below
gantry join y below above all
gantry toimg --quiet --window 0:0.025 --up --zoom 2 all rof.png
echo "Look at $PWD/rof.png: the image, with noise, total variation; below TGV, wavelets, non-local means."
