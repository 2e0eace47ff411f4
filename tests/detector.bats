load common

# The section "# Detector" of geometries: kept where it stays true, dropped where not.

setup() {
    common_setup
    gantry traj --views 8 --sod 100 --sdd 150 --detector 16:12 g
    gantry traj --views 8 --sod 100 --sdd 150 --detector 20:12 h
}

# keeps NAME COMMAND..: the detector is there; drops NAME COMMAND..: it is not.
keeps() {
    "${@:2}"
    [ "$(section "$1" Detector)" = "16 12" ]
}

drops() {
    "${@:2}"
    if grep -q '^# Detector' "$1.hdr"; then
        echo "$1 keeps its detector after: ${*:2}" >&2
        return 1
    fi
}

@test "detector: expressions that move or scale a geometry keep it" {
    keeps o gantry expr 'g' g o
    keeps o gantry expr 'g + 0' g o
    keeps o gantry expr 'i1 == 2 ? 2*g : g' g o
    keeps o gantry expr 'i0 == 2 && i1 < 2 ? g + 5 : g' g o
    keeps o gantry expr '0.5*g + 0.5*k' g=g k=g o
    keeps o gantry expr 'g - (i0 == 0)*mean(g)' g o
    py 'write("shift", np.arange(8.0).reshape(1, 1, 8))'
    keeps o gantry expr 'g + (i0 == 2 && i1 < 2)*s' g=g s=shift o
    gantry phantom --size 8:8:8 vol
    gantry expr 'i1 == 2 || i1 == 3 ? 2*g : g' g coarse
    gantry project coarse vol p
    [ "$(dims p)" = "16 12 8" ]
}

@test "detector: numbers, tests, other functions and different detectors drop it" {
    drops o gantry expr 'g > 0' g o
    drops o gantry expr 'g*g' g o
    drops o gantry expr 'log(abs(g) + 1)' g o
    drops o gantry expr 'm = mean(g); m' g o
    [ -z "$(section o Quantity)" ]
    drops o gantry expr 'g + h' g=g h=h o
    drops o gantry expr 'i2 < 4 ? g : h' g=g h=h o
    drops o gantry saxpy 1 g h o
    keeps o gantry saxpy 1 g g o
    gantry expr 'g > 0' g m
    drops o gantry where m g h o
    keeps o gantry where m g g o
    fails 1 'different detectors' gantry join view g h e
    no_output e
    drops o gantry join --force view g h o
    keeps o gantry join view g g o
}

@test "detector: commands that move elements keep it as long as each view is whole" {
    keeps o gantry copy g o
    keeps o gantry cast --type float32 g o
    keeps o gantry scale 2 g o
    keeps o gantry extract view 2:5 g o
    keeps o gantry view '[..., ::-2]' g o
    keeps o gantry view '[..., [0, 5, 1]]' g o
    keeps o gantry flip view g o
    keeps o gantry permute 0:1:3:2 g o
    keeps o gantry repmat view 2 g o
    keeps o gantry circshift view 3 g o
    drops o gantry extract 0 0:2 g o
    drops o gantry view '[:, 0]' g o
    drops o gantry view T g o
    drops o gantry flip 0 g o
    drops o gantry permute 2:1:0 g o
    drops o gantry repmat 0 2 g o
    drops o gantry circshift 1 1 g o
    drops o gantry join 0 g g o
    drops o gantry sum view g o
    # of a geometry whose quantity is unknown as well
    gantry expr 'g + 0' g k
    [ -z "$(section k Quantity)" ]
    drops o gantry extract 0 0:2 k o
    drops o gantry view T k o
    drops o gantry repmat 0 2 k o
    keeps o gantry flip view k o
}
