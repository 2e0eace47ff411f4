# Scripts of gantry history run nothing that a file's name or a header asks for.
load common

hostile() {
    OPENBLAS_NUM_THREADS=1 PYTHONPATH=$GANTRY_SOURCE/tests /usr/bin/python3 "$GANTRY_SOURCE/tests/hostile.py" "$@"
}

@test "history: names that want to run something are names, in the comments of the script too" {
    hostile names
}

@test "history: a forged header runs nothing" {
    hostile histories
}

@test "history: a step that runs a program is left out with the reason, unless --trust" {
    py 'write("x", np.arange(64, dtype="f4").reshape(8, 8))'
    printf '#!/bin/sh\ntouch canary\ncp "$1.cfl" "$2.cfl"\ncp "$1.hdr" "$2.hdr"\n' >program
    chmod +x program
    gantry denoise --method external --denoiser "./program {in} {out}" --noise 0.1 x y
    rm canary
    run --separate-stderr gantry history y
    [ "$status" -eq 0 ]
    [[ $stderr == *"1 of 1 steps are left out"*"--trust"* ]]
    [[ $output == *"# left out: --denoiser runs a program"* ]]
    [[ $output == *"# gantry denoise"* ]]
    gantry history -q y >script.sh
    mkdir e
    cp x.cfl x.hdr program e
    (
        cd e
        run -1 sh ../script.sh
        [ "$output" = "step $(sed -n '/^# History/{n;s/:.*//p;}' ../y.hdr) is left out: read this script" ]
        [ ! -e canary ]
        [ ! -e y.hdr ]
    )
    gantry history --trust y >script.sh
    (cd e && sh ../script.sh && [ -e canary ])
    same_bytes y e/y
    fails 2 "--trust" gantry history --verify --trust '<x:1:b>'
}

@test "history: steps that write other files are left out; options and outputs of ours are not" {
    py 'write("x", np.arange(5, dtype="f4"))'
    gantry expr 'a = x + 1; b = 2*a' x=x a=one two
    gantry history two >script.sh
    run ! grep 'left out' script.sh
    gantry -l x scale 2 x y
    gantry history y >script.sh
    run ! grep 'left out' script.sh
    grep -q -- '--loop=x' script.sh

    gantry expr 'd = 2*v' x d=twice
    gantry history twice >script.sh
    run ! grep 'left out' script.sh
    grep -q "^gantry expr 'd = 2\*v' x d=twice" script.sh

    hostile forge "expr 'y = 1' 'y=../z' >"
    gantry history -q forged | grep -q '^# left out: NAME=FILE may be a file outside the folder'
    hostile forge "expr 'y = 1; y + 1' y=<x:20:unhashed> >"
    gantry history -q forged | grep -q '^# left out: x would be replaced'
    hostile forge "expr 'y = 2; w = 1' <x:20:unhashed> y=>"
    gantry history -q forged | grep -q '^# left out: x would be replaced'
    hostile forge "join --loop '--quiet' x <x:20:b> >"
    gantry history -q forged | grep -q '^# left out: --loop has no value'
    hostile forge "cg --iterations=1 --log='/tmp/log.csv' <x:20:b> <x:20:b> >"
    gantry history -q forged | grep -q '^# left out: --log writes a file'
    hostile forge 'scale 2 <x:20:b> ../z >'
    gantry history -q forged | grep -q '^# left out: 4 arguments are not what the command takes'
    hostile forge "align --most=1 --reference=<x:20:b> <x:20:b> >"
    gantry history -q forged | grep -q '^gantry align.*--most=1'
    hostile forge 'frobnicate <x:20:b> >'
    gantry history -q forged | grep -q '^# left out: frobnicate is not a command of this installation'
    hostile forge 'run <recipe:20:b> >'
    gantry history -q forged | grep -q '^# left out: '
}
