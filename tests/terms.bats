# The words of -R, and the algorithm for what is asked where none is named.
load common

setup() {
    common_setup
    gantry traj --views 11 --detector 12:1 geom
    py '
write("units", np.eye(64, dtype="f8").reshape(8, 8, 1, 64, order="F"))
write("truth", (0.3 + np.random.default_rng(1).uniform(0, 0.1, size=(8, 8, 1))).astype("f4"))'
    gantry project geom truth proj
}

refused() {
    fails 2 "$1" gantry recon --size 8:8:1 "${@:2}" geom proj rec
    no_output rec
}

@test "terms: dimensions that can have no effect are refused" {
    for kind in tv:1 htv:1:delta=1 smooth:1 wavelet:1 piccs:1 pnp:median red:nlm:1:1; do
        refused "-R $kind:dims=x,y,time: each channel and time is reconstructed separately" -R $kind:dims=x,y,time
        refused "dims cannot contain channel (valid: x, y, z)" -R $kind:dims=channel
        refused "the volume has one voxel along z (remove it from dims)" -R $kind:dims=x,z
        refused "dims contains y twice" -R $kind:dims=y,y
        refused "dims contains 1 twice" -R $kind:dims=y,1
        refused "unknown dimension 'w' in dims (valid: x, y, z)" -R $kind:dims=w
        refused "unknown dimension '4'" -R $kind:dims=4
        refused "unknown dimension ''" -R $kind:dims=x,
    done
    refused "the volume has one voxel along z" -a asd-pocs -R awtv:1:delta=1:dims=z
    for kind in l1:1 l2:1 box:0:1 nonneg; do
        refused "${kind%%:*} does not take 'dims' (valid: no key)" -R $kind:dims=x
    done
    refused "external does not take 'dims' (valid: no key)" -R pnp:external:1:dims=x --denoiser 'cp {in} {out}'
}

@test "terms: dims chooses the directions of every kind that takes it" {
    cp truth.cfl prior.cfl
    cp truth.hdr prior.hdr
    for kind in tv:0.3 htv:0.3:delta=1 awtv:1:delta=1 smooth:3 wavelet:0.3 piccs:0.3 pnp:median pnp:nlm:0.1 pnp:wavelet:0.1 pnp:tv:0.1 red:median:1; do
        more=()
        [[ $kind != piccs* ]] || more=(--prior prior)
        for dims in '' :dims=x,y :dims=x :dims=y :dims=0; do
            gantry recon -q -i 5 "${more[@]}" -R "$kind$dims" --like truth geom proj "rec$dims"
        done
        same_bytes rec rec:dims=x,y
        same_bytes rec:dims=x rec:dims=0
        for other in :dims=x :dims=y; do
            if cmp -s rec.cfl rec$other.cfl; then
                echo "$kind$other changes nothing" >&2
                false
            fi
        done
        if cmp -s rec:dims=x.cfl rec:dims=y.cfl; then false; fi
    done
}

@test "terms: keys that a kind would ignore, unknown ones and repeated ones are refused" {
    refused "-R tv:1:delta=2: tv does not take 'delta' (valid: dims, aniso)" -R tv:1:delta=2
    refused "htv does not take 'aniso' (valid: dims, delta)" -R htv:1:delta=1:aniso
    refused "smooth does not take 'levels' (valid: dims)" -R smooth:1:levels=2
    refused "tv does not take 'alpha'" -R tv:1:alpha=0.3
    refused "median does not take 'patch' (valid: dims, radius)" -R pnp:median:patch=1
    refused "nlm does not take 'radius' (valid: dims, patch, search, strength)" -R pnp:nlm:1:radius=2
    refused "tv does not take 'spins'" -R red:tv:1:1:spins=2
    refused "'alpha' is given twice" -R piccs:1:alpha=0.5:alpha=0.2
    refused "unknown key 'weight=3' (valid: dims, aniso)" -R tv:1:weight=3
    refused "unknown key 'aniso=1'" -R tv:1:aniso=1
    refused "'3' is a number too many" -R box:1:2:3
    refused "levels=4, but the volume has at most 3 along these dimensions" -R wavelet:1:levels=4
    refused "levels=4, but the volume has at most 3" -R pnp:wavelet:1:levels=4
    refused "levels=0, expected at least 1" -R pnp:wavelet:1:levels=0
    refused "piccs takes lengths of gradients only, without aniso" -a piccs -R piccs:1:aniso --prior proj
}

@test "terms: which factors can be auto; the one of piccs is that of both parts" {
    gantry recon -i 60 -R piccs:auto:alpha=0.3 --rule discrepancy:0.05 --prior truth --like truth geom proj a 2>said
    lambda=$(sed -n 's/.*lambda \([^ ]*\) by.*/\1/p' said)
    gantry recon -i 60 -R "piccs:$lambda:alpha=0.3" --prior truth --like truth geom proj b
    gantry compare --tolerance 1e-4 a b
    # of the two parts the penalty of the curve is alpha TV(x - prior) + (1 - alpha) TV(x)
    gantry recon -i 2000 -R piccs:auto:alpha=0.3:dims=x --rule lcurve --range 0.01:1 --curve curve.csv --prior truth --like truth geom proj a
    py '
import csv, subprocess
row = list(csv.DictReader(open("curve.csv")))[3]
subprocess.run(["gantry", "recon", "-q", "-i", "4000", "-R", "piccs:%s:alpha=0.3:dims=x" % row["lambda"], "--prior", "truth", "--like", "truth", "geom", "proj", "b"], check=True)
x, t = read("b"), read("truth")
tv = lambda v: np.abs(np.diff(v, axis=0)).sum()
want = 0.3 * tv(x - t) + 0.7 * tv(x)
assert abs(float(row["penalty"]) - want) < 0.02 * want, (row, want)'
    refused "-R red:median:auto: the factor of red cannot be auto, since the value of its term is unknown (give a number)" -R red:median:auto
    refused "the factor of red cannot be auto" -R red:tv:0.1:auto
    refused "the noise of a denoiser cannot be auto (give its standard deviation [1/mm])" -R pnp:tv:auto
    refused "the noise of a denoiser cannot be auto" -R red:nlm:auto:1
    refused "nonneg has no factor that could be auto" -R nonneg:auto
    refused "box has no factor that could be auto" -R box:auto:1
    refused "found 2 numbers, expected one: tv:L" -R tv:auto:1
    gantry recon --help | tr -s '\n ' ' ' | grep -q 'L may be auto in one of tv, htv, awtv, piccs, wavelet, l1, l2 and smooth: --rule'
}
