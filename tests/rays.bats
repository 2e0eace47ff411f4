load common

# Scans of which columns are not parallel to the axis, and single slices: sixteen rays at a time.

scans() {
    gantry traj --views 7 --sod 120 --sdd 180 --pitch 1.7 --detector 51:45 --tilt 20 tilted
    gantry traj --views 7 --sod 120 --sdd 180 --pitch 2.6:-2.6 --detector 40:41 --tilt 65 steep
    gantry traj --views 7 --pitch 1.7 --detector 17:17 --tilt 30 lone # the last of 16 + 1 columns
    gantry traj --views 7 --pitch 0.4 --detector 90:70 --tilt 10 fine
    gantry traj --views 7 --sod 120 --sdd 180 --pitch 1.7 --detector 60:45 --radius 180 --tilt 15 curved
    gantry random --size 40:37:33 vol
    gantry traj --views 30 --sod 120 --sdd 180 --pitch 1.7 --detector 150:1 fan
    gantry traj --views 30 --pitch 0.9 --detector 150:1 parallel
    gantry random --size 100:97:1 slice
}

# what comes out of a scan by a model, forward and back, with the environment given
pair() {
    local model=$1 scan=$2 out=$3 object
    shift 3
    object=$(object_of "$scan")
    env "$@" gantry project --model "$model" "$scan" "$object" "$out-p"
    env "$@" gantry backproject --model "$model" --like "$object" "$scan" "$out-p" "$out-b"
}

object_of() {
    case $1 in fan | parallel | coarse) echo slice ;; *) echo vol ;; esac
}

same() {
    cmp "$1-p.cfl" "$2-p.cfl"
    cmp "$1-b.cfl" "$2-b.cfl"
}

same_everywhere() {
    for scan in tilted steep lone fine curved fan parallel; do
        pair "$1" $scan a GANTRY_THREADS=2
        for other in GANTRY_ISA=plain GANTRY_ISA=avx2 GANTRY_THREADS=1 GANTRY_THREADS=7; do
            pair "$1" $scan b GANTRY_THREADS=2 $other
            case $scan,$other in
            fan,GANTRY_ISA* | parallel,GANTRY_ISA*)
                gantry compare --tolerance 1e-6 a-p b-p
                gantry compare --tolerance 1e-6 a-b b-b
                ;;
            *) same a b ;;
            esac
        done
    done
}

agrees() {
    local object
    for scan in tilted steep lone fine curved fan parallel; do
        object=$(object_of $scan)
        gantry project --model "$1" $scan "$object" p
        gantry project --model "$1" --type float64 $scan "$object" q
        gantry compare --tolerance 2e-6 q p
        gantry backproject --model "$1" --like "$object" $scan p b
        gantry backproject --model "$1" --type float64 --like "$object" $scan p c
        gantry compare --tolerance 2e-6 c b
    done
}

@test "rays: the same bytes from any number of threads and every instruction set (single slices: to 1e-6)" {
    scans
    same_everywhere joseph
    same_everywhere siddon
}

@test "rays: footprints have the same bytes from every instruction set and any number of threads" {
    scans
    gantry traj --views 5 --sod 120 --sdd 180 --pitch 0.3 --detector 120:121 --tilt 35 small
    gantry traj --views 5 --sod 120 --sdd 180 --pitch 7 --detector 20:21 --tilt 85 large
    gantry traj --views 9 --sod 300 --sdd 450 --pitch 2.4 --detector 60:1 coarse
    gantry traj --views 5 --sod 400 --sdd 600 --pitch 2.4 --detector 24:26 --tilt 3 distant
    gantry traj --views 5 --sod 400 --sdd 600 --pitch 3.3 --detector 15:13 --tilt 3 coarser
    for scan in tilted small large fan parallel coarse distant coarser; do
        pair sf $scan a GANTRY_THREADS=2
        for other in GANTRY_ISA=plain GANTRY_ISA=avx2 GANTRY_THREADS=1 GANTRY_THREADS=7; do
            pair sf $scan b GANTRY_THREADS=2 $other
            same a b
        done
    done
}

@test "rays: float32 agrees with float64" {
    scans
    agrees joseph
    agrees siddon
    agrees sf
}

@test "rays: columns of curved detectors whose circle holds the source, and does not" {
    for radius in 180 400 105 60 41; do
        gantry traj --views 5 --sod 120 --sdd 180 --pitch 1.7 --detector 75:45 --offset 20:3 --radius $radius g
        gantry check --size 40:37:33 g
    done

    for radius in 100 50; do
        gantry traj --views 5 --pitch 0.9 --detector 75:45 --detector-yaw 20 --radius $radius g
        gantry check --size 40:37:33 g
    done
}
