load common

# What gives away a wrong unit in a geometry: a warning in every command that projects, an error where no ray meets the volume.

setup() {
    common_setup
    ones --size 64:64:64 vol
    traj --views 40 --sod 500 --sdd 1000 --pitch 2 --detector 64:64 mm
    traj --views 40 --sod 25 --sdd 100 --pitch 0.2 --detector 64:64 cm
    traj --views 720 --arc 6.2832 --pitch 2 --detector 64:4 radians
}

# warns 'part of the sentence' COMMAND...: it does its work, and says that in the only line on standard error.
warns() {
    local part=$1
    shift
    "$@" 2>said
    [ "$(wc -l <said)" = 1 ]
    grep -q "^gantry $1: warning: .*$part" said
}

# silent COMMAND...: it does its work without a word.
silent() {
    "$@" 2>said
    if [ -s said ]; then
        cat said >&2
        return 1
    fi
}

@test "plausible: a source inside the volume is reported by every command that projects" {
    warns 'cm: the source is inside the volume in 40 of 40 views (check that all lengths are in mm)' project cm vol p
    warns 'source is inside' backproject --like vol cm p b
    warns 'source is inside' cg --iterations 1 --like vol cm p b
    warns 'source is inside' fbp --like vol cm p b
    warns 'source is inside' recon -a lsqr --iterations 1 --like vol cm p b
    warns 'source is inside' phantom --geometry cm --size 64:64:64 --spacing 1 b
    silent project -q cm vol p
    silent project mm vol p
    silent cg --iterations 1 --like vol mm p b
}

@test "plausible: radians for degrees are reported" {
    warns 'radians: the 720 views span only 6.274 degrees (are the angles in radians?)' project radians vol p
    warns 'in radians' backproject --like vol radians p b
    warns 'in radians' cg --iterations 1 --like vol radians p b
    fails 1 'warning: radians: the 720 views span only 6.274 degrees' fbp --like vol radians p b
    fails 1 'warning: radians: the 720 views span only 6.274 degrees' filter radians p b
    fails 1 'warning: radians: the 720 views span only 6.274 degrees' center radians p
    traj --views 720 --arc 6.2832 --sod 500 --sdd 1000 --pitch 2 --detector 64:4 cone
    project -q cone vol p
    fails 1 'warning: cone: the 720 views span only 6.274 degrees' geomfit cone p b
    run -1 geom --check radians
    [[ $output == *"FAILED angles         the 720 views span only 6.274 degrees (are the angles in radians?)"* ]]
    geom --check mm >said
    grep -q '^ok     angles         180 degrees between the first view and the farthest' said
}

@test "plausible: few degrees are enough to project, and told where they reconstruct" {
    traj --views 60 --arc 6 --pitch 2 --detector 64:4 piece
    silent project piece vol p
    silent backproject --like vol piece p b
    warns 'the 60 views span only 5.9 degrees' cg --iterations 1 --like vol piece p b
    traj --views 17 --arc 6.375 --pitch 2 --detector 64:4 six # 0 to 6 degrees
    silent project six vol q
    traj --views 8 --arc 6 --pitch 2 --detector 64:4 few
    silent project few vol p
    silent cg --iterations 1 --like vol few p b
}

@test "plausible: where no ray meets the volume there is no output" {
    traj --views 8 --sod 500 --sdd 1000 --pitch 2 --detector 64:64 --offset 500 beside
    fails 1 'beside: no ray meets the volume: x -32 to 32, y -32 to 32, z -32 to 32 mm (check that all lengths are in mm, or --force)' \
        project beside vol p
    ones --size 64:64:8 q
    ones --size 64:64:40 all
    fails 1 'no ray meets' cg --like vol beside q p
    fails 1 'no ray meets' fbp --size 9:9:9 --spacing 1 --origin 0:0:3000 mm all p
    fails 1 'no ray meets' backproject --like vol beside q p
    no_output p
    warns 'no ray meets the volume' project --force beside vol p
    silent project --force -q beside vol p
    run -1 geom --check --like vol beside
    [[ $output == *"FAILED rays           none meets the volume"* ]]
}

@test "plausible: a volume that is hardly seen, or in one column, is reported" {
    traj --views 8 --pitch 0.1 --detector 64:64 tenth
    warns 'tenth: a view sees only 1.1 % of the volume' project tenth vol p
    traj --views 8 --sod 500 --sdd 1000 --pitch 2000 --detector 64:64 wide
    warns 'wide: the whole volume is narrower than one detector column' project wide vol p
}

@test "plausible: thin volumes and detectors that rays just meet are met" {
    ones --size 40:1:1 rod
    traj --views 3 --pitch 1 --detector 1:400 column
    silent project column rod p
    geom --shift 19.2:0:0 column aside
    project -q --views 0 aside rod p
    py 'assert (read("p") > 0).sum() > 0'
    geom --shift 30:0:0 --views 0 column off
    fails 1 'no ray meets' project off rod p
    for options in "--radius 1000" "--tilt 40" "--detector-roll 30" "--radius 700 --helix 50 --arc 720"; do
        # shellcheck disable=SC2086
        traj --views 4 --sod 500 --sdd 1000 --pitch 4 --detector 90:3 $options g
        geom --shift -100:90:0 g there
        project g vol p
        if project there vol p 2>said; then
            py "assert read('p').max() > 0, '$options'"
        else
            grep -q 'no ray meets' said
            project -q --force there vol p
            py "assert read('p').max() == 0, '$options'"
        fi
    done
}

@test "plausible: usual scans are taken without a word" {
    local options
    for options in "--pitch 2 --detector 64:64" "--views 1 --pitch 2 --detector 64:64" "--pitch 1 --detector 20:20" \
        "--sod 500 --sdd 1000 --pitch 2 --detector 40:64 --offset 30" "--sod 500 --sdd 1000 --pitch 2 --detector 64:8 --helix 10 --arc 1800" \
        "--sod 500 --sdd 1000 --pitch 2 --detector 64:64 --tomosynthesis line --arc 30" "--sod 500 --sdd 1000 --pitch 2 --detector 64:64 --tilt 60" \
        "--sod 500 --sdd 1000 --pitch 2 --detector 64:64 --sphere 90" "--sod 100 --sdd 200 --pitch 3 --detector 64 --radius 200" \
        "--pitch 8 --detector 16:16" "--sod 500 --sdd 1000 --pitch 0.5 --detector 128:128" "--pitch 2 --detector 64:64 --golden"; do
        # shellcheck disable=SC2086
        traj --views 40 $options g
        silent project g vol p
        silent project --views ::3 g vol q
        silent cg --iterations 0 --like vol g p r
    done
}
