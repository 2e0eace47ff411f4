load common

scan() {
    gantry phantom --size 48:48:1 vol
    gantry traj --views 30 --detector 72:1 --pitch 1 geom
    gantry project geom vol exact
    gantry noise --photons 20000 exact proj
}

@test "plug and play: every denoiser beats least squares" {
    scan
    gantry cg -i 15 --like vol geom proj cg
    for t in pnp:nlm:0.001 pnp:wavelet:0.0005:spins=4 pnp:tv:0.0005 pnp:bilateral:0.001 pnp:diffusion:0.001:steps=6 pnp:nlm:0.001:patch=2:search=4; do
        gantry recon -R $t -i 20 --like vol geom proj "rec-${t//:/-}"
    done
    gantry recon --algorithm fista -R red:nlm:0.001:20 -i 40 --like vol geom proj rec-red-nlm
    gantry recon --algorithm fista -R red:median:20:radius=1 -i 40 --like vol geom proj rec-red-median
    gantry recon --algorithm fista -R pnp:tv:0.00002 -i 60 --like vol geom proj rec-fista
    py '
import glob
v = read("vol")
e = {r[:-4]: np.linalg.norm(read(r[:-4]) - v) / np.linalg.norm(v) for r in glob.glob("rec-*.cfl") + ["cg.cfl"]}
assert all(e[r] < 0.9 * e["cg"] for r in e if r != "cg"), e
assert e["rec-pnp-nlm-0.001"] < 0.5 * e["cg"], e'
}

# With total variation as the denoiser a step of plug and play is a proximal gradient step, and the limit is known.
@test "plug and play: a denoiser that is a proximal operator gives its minimum" {
    scan
    local step=7e-4 # below 1 / |A|^2; L = sigma h / step
    gantry recon --algorithm ista --step $step -R pnp:tv:0.0000035 -i 100 --like vol geom proj a
    gantry recon --algorithm ista --step $step -R tv:0.005 -i 100 --like vol geom proj b
    gantry compare --tolerance 1e-4 b a
}

# Of D(x) = x / (1 + 1), the gradient L (x - D(x)) is that of L/4 |x|^2.
@test "RED: the gradient is L times what the denoiser takes away" {
    scan
    gantry recon --algorithm fgm -R red:external:1:6 --denoiser 'gantry scale 0.5 {in} {out}' -i 60 --size 12:12:1 --spacing 4:4:4 geom proj a
    gantry recon --algorithm fgm --lambda 3 -i 60 --size 12:12:1 --spacing 4:4:4 geom proj b
    gantry compare --tolerance 1e-4 b a
}

@test "plug and play: any program, whose failure loses nothing" {
    scan
    gantry recon --algorithm admm -R pnp:external:0.001 --denoiser 'gantry denoise --method nlm --noise {sigma} --search 3 {in} {out}' -i 6 --like vol geom proj a
    gantry recon --algorithm admm -R pnp:nlm:0.001 -i 6 --like vol geom proj b
    gantry compare --tolerance 1e-5 b a
    cat >moody <<END
#!/bin/sh
echo again >>calls
[ -e well ] || [ "\$(wc -l <calls)" -lt 5 ] || exit 3
gantry denoise --quiet --method nlm --noise "\$3" --search 3 "\$1" "\$2"
END
    chmod +x moody
    cp a.cfl before
    fails 1 "exit status 3, expected 0" gantry recon --algorithm admm -R pnp:external:0.001 --denoiser './moody {in} {out} {sigma}' -i 6 --checkpoint state --every 1 --like vol geom proj a
    cmp a.cfl before
    touch well
    gantry recon --algorithm admm -R pnp:external:0.001 --denoiser './moody {in} {out} {sigma}' -i 6 --checkpoint state --every 1 --resume --like vol geom proj c
    same_bytes c a
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'gantry-denoiser.*' -newer before)" ]
}

@test "plug and play: bad input" {
    scan
    fails 2 "expected --denoiser" gantry recon -R pnp:external:1 geom proj rec
    fails 2 "--denoiser has no effect without" gantry recon -R tv:1 --denoiser 'x {in} {out}' geom proj rec
    fails 1 "the command must contain {in} and {out}" gantry recon -R pnp:external:1 --denoiser 'x {in}' geom proj rec
    fails 1 "cannot start no-such-program" gantry recon -R pnp:external:1 --denoiser 'no-such-program {in} {out}' -i 1 geom proj rec
    fails 1 "did not write {out}.hdr" gantry recon -R pnp:external:1 --denoiser 'true {in} {out}' -i 1 geom proj rec
    fails 1 "are NaN or infinite" gantry recon -R pnp:external:1 --denoiser 'gantry expr a*0/0 a={in} {out}' -i 1 geom proj rec
    fails 2 "the denoiser is missing" gantry recon -R pnp geom proj rec
    fails 2 "the denoiser is nln (valid: median, nlm" gantry recon -R pnp:nln:1 geom proj rec
    fails 2 "width=9, expected 0.1 to 5" gantry recon -R pnp:bilateral:1:width=9 geom proj rec
    fails 2 "found 0 numbers for the noise" gantry recon -R pnp:nlm geom proj rec
    fails 2 "expected none for median" gantry recon -R pnp:median:1 geom proj rec
    fails 2 "the noise is -1" gantry recon -R pnp:nlm:-1 geom proj rec
    fails 2 "radius=0, expected 1 to 2000" gantry recon -R pnp:median:radius=0 geom proj rec
    fails 2 "the factor is -2" gantry recon -R red:nlm:1:-2 geom proj rec
    fails 1 "cannot use terms of unknown value" gantry recon --algorithm lbfgs -R red:nlm:1:2 geom proj rec
    fails 1 "admm needs terms with a proximal operator" gantry recon --algorithm admm -R red:nlm:1:2 geom proj rec
    no_output rec
}
