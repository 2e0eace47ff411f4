# What every algorithm keeps, those of the list that recon prints.
load common

# Options without which an algorithm has no problem to solve.
needs() {
    case $1 in
    ml-tr | os-ml-tr) echo --data poisson:20000 ;;
    irgnm | lm) echo --data transmission:20000 ;;
    piccs) echo -R piccs:1 --prior vol ;;
    esac
}

# terms ALGORITHM: total variation and a bound, or the bound alone, or neither: what it takes
terms() {
    local t
    for t in "-R tv:0.05 -R nonneg" "-R nonneg"; do
        # shellcheck disable=SC2046,SC2086
        if gantry recon -q --algorithm "$1" $(needs "$1") $t -i 0 --like vol geom proj none 2>refused; then
            echo "$t"
            return
        fi
        grep -qE "takes|needs|no algorithm|is for" refused
    done
}

@test "algorithms: the same bytes for any number of threads, and after a checkpoint" {
    gantry phantom --size 80:80:1 --mu 0.02 vol
    gantry traj --views 24 --detector 120:1 geom
    gantry project --model siddon geom vol proj # of another model: nowhere below 0, and met by no volume
    local names
    names=$(gantry recon --interface | python3 -c '
import json, sys
print(*[o for o in json.load(sys.stdin)["options"] if o["long"] == "algorithm"][0]["choices"])')
    [ "$(wc -w <<<"$names")" -gt 40 ]
    for a in $names; do
        # shellcheck disable=SC2207
        local run=(gantry recon -q --algorithm "$a" $(needs "$a") $(terms "$a") --like vol)
        "${run[@]}" -j 1 -i 6 geom proj "$a-1"
        for j in 2 3; do
            "${run[@]}" -j $j -i 6 geom proj "$a-$j"
            same_bytes "$a-1" "$a-$j"
        done
        "${run[@]}" -j 2 -i 3 --checkpoint state geom proj part
        "${run[@]}" -j 2 -i 6 --checkpoint state --resume geom proj "$a-2"
        same_bytes "$a-1" "$a-2"
        rm state
    done
}
