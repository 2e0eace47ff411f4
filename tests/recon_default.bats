load common

# What recon chooses where no algorithm is named: the one that ends nearer to the minimum.

scan() {
    gantry phantom --size 32:32 --spacing 4:4 vol
    gantry traj --views 30 --detector 48:1 --pitch 4 geom
    gantry project geom vol exact
    gantry noise --photons 1000 exact proj
    py 'p = read("exact").astype("f8"); write("counts", np.random.default_rng(1).poisson(20 / p.mean() * p).astype("f4"), Quantity="counts")'
}

# objective LOG: of its last line.
objective() {
    tail -1 "$1" | cut -d, -f5
}

# settles WORDS...: the run of all defaults ends within 1 % of a long one of another algorithm.
settles() {
    gantry recon -q --like vol --log default.csv "$@" geom proj a
    gantry recon -q --like vol --log long.csv -a spdhg -i 600 "$@" geom proj b
    awk -v f="$(objective default.csv)" -v g="$(objective long.csv)" -v what="$*" \
        'BEGIN { if (!(f > 0 && f <= 1.01 * g)) { print what ": " f ", minimum " g; exit 1 } }' >&2
}

@test "recon: runs with one term or a penalty end within 1 % of the minimum by default" {
    scan
    settles -R l1:0.5
    settles -R l1:0.2 --data weighted
    settles -R l1:200 --data poisson:1000
    settles -R l2:300
    settles --lambda 100 --data weighted
    settles --lambda 1e5 --data poisson:1000
    settles --lambda 200 --data huber:0.1
    settles --lambda 200 -R nonneg
    settles -R smooth:2000
}

@test "recon: counts of emission are reconstructed by mlem with -R nonneg as without, which it fulfils" {
    scan
    gantry recon -q --data kl --like vol geom counts a
    gantry recon -q --data kl --like vol -R nonneg geom counts b
    same_bytes a b
    gantry recon -q -a apg --like vol -i 5 geom proj a
    gantry recon -q -a apg --like vol -i 5 -R nonneg geom proj b
    same_bytes a b
    fails 1 "mlem takes no regularisation terms" gantry recon -a mlem --data kl --like vol -R box:0:1 geom counts c
    fails 1 "apg takes no regularisation terms" gantry recon -a apg --like vol -R box:-1:inf geom proj c
}
