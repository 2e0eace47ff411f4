# Steps of splitting methods: of each voxel and ray, or the same for all.
load common

# scan H [N]: N^2 voxels (32) of H mm, N / 2 views of 10000 photons; total variation that means the same for any H
scan() {
    local n=${2:-32}
    gantry phantom --size "$n:$n:1" --spacing "$1" --mu "$(awk "BEGIN { print 0.04 / $1 }")" "vol$1"
    gantry traj --views "$((n / 2))" --detector "$((n * 3 / 2)):1" --pitch "$1" "geom$1"
    gantry project "geom$1" "vol$1" "exact$1"
    gantry noise --photons 10000 --seed 1 "exact$1" "proj$1"
    gantry expr '1e4 * exp(-p)' p="proj$1" "w$1"
}

# solve ALGORITHM H ITERATIONS OPTION..: the objective in the log
solve() {
    local tv
    tv=$(awk "BEGIN { printf \"%.12g\", 300 * $2 * $2 }")
    gantry recon -q --force --algorithm "$1" -i "$3" --data weighted --weights "w$2" -R "tv:$tv" -R nonneg "${@:4}" \
        --like "vol$2" --log "$1.csv" "geom$2" "proj$2" rec
    py "
import csv
print(float(list(csv.DictReader(open('$1.csv')))[-1]['objective']))"
}

@test "steps: the unit of length changes nothing" {
    scan 1
    scan 6e-5
    for a in pdhg condat-vu pd3o admm ladmm douglas-rachford; do
        one=$(solve $a 1 40)
        other=$(solve $a 6e-5 40)
        py "assert abs($one - $other) < 3e-4 * $one, ('$a', $one, $other)"
    done
}

@test "steps: of each voxel and ray, nearer to the minimum after as many iterations" {
    scan 1 128
    best=$(solve spdhg 1 300)
    while read -r a k part; do
        each=$(solve "$a" 1 "$k")
        plain=$(solve "$a" 1 "$k" --steps plain)
        py "assert 0 < $each / $best - 1 < $part * ($plain / $best - 1), ('$a', $best, $each, $plain)"
    done <<'END'
pdhg 60 0.2
condat-vu 60 0.5
pd3o 60 0.9
admm 15 0.6
douglas-rachford 15 0.1
END
}

@test "steps: refused where they have no effect" {
    fails 2 "--steps: not supported by fista (valid:" gantry recon -a fista --steps plain g p v
    fails 2 "--steps and --step exclude each other (--step sets the step of all voxels)" gantry recon -a pdhg --step 1 --steps diagonal g p v
    fails 2 "did you mean 'diagonal'" gantry pdhg --steps diagonall g p v
}
