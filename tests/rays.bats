load common

# Scans of which columns are not parallel to the axis, and single slices: sixteen rays at a time.

scans() {
    gantry traj --views 7 --sod 120 --sdd 180 --pitch 1.7 --detector 51:45 --tilt 20 tilted
    gantry traj --views 7 --sod 120 --sdd 180 --pitch 2.6:-2.6 --detector 40:41 --tilt 65 steep
    gantry traj --views 7 --pitch 0.4 --detector 90:70 --tilt 10 fine
    gantry traj --views 7 --sod 120 --sdd 180 --pitch 1.7 --detector 60:45 --radius 180 --tilt 15 curved
    gantry random --size 40:37:33 vol
    gantry traj --views 30 --sod 120 --sdd 180 --pitch 1.7 --detector 150:1 fan
    gantry traj --views 30 --pitch 0.9 --detector 150:1 parallel
    gantry random --size 100:97:1 slice
}

# what comes out of a scan, forward and back, with the environment given
pair() {
    local scan=$1 object=$2 out=$3
    shift 3
    env "$@" gantry project "$scan" "$object" "$out-p"
    env "$@" gantry backproject --like "$object" "$scan" "$out-p" "$out-b"
}

same() {
    cmp "$1-p.cfl" "$2-p.cfl"
    cmp "$1-b.cfl" "$2-b.cfl"
}

@test "rays: the same bytes from every instruction set and any number of threads" {
    scans
    for scan in tilted steep fine curved fan parallel; do
        object=vol
        case $scan in fan | parallel) object=slice ;; esac
        pair $scan $object a GANTRY_THREADS=2
        for other in GANTRY_ISA=plain GANTRY_ISA=avx2 GANTRY_THREADS=1 GANTRY_THREADS=7; do
            pair $scan $object b GANTRY_THREADS=2 $other
            same a b
        done
    done
}

@test "rays: float32 agrees with float64" {
    scans
    for scan in tilted steep fine curved fan parallel; do
        object=vol
        case $scan in fan | parallel) object=slice ;; esac
        gantry project $scan $object p
        gantry project --type float64 $scan $object q
        gantry compare --tolerance 2e-6 q p
        gantry backproject --like $object $scan p b
        gantry backproject --type float64 --like $object $scan p c
        gantry compare --tolerance 2e-6 c b
    done
}
