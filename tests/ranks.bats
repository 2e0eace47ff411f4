# Several ranks of one command by MPI: the same bytes, one voice, never a second copy of the work.
load common

# The MPIs for which this build has a module.
mpis() {
    local m
    for m in openmpi mpich; do
        if [ -e "$GANTRY_BUILD/lib/mpi-$m.so" ] && command -v "mpirun.$m" >/dev/null; then echo $m; fi
    done
}

setup() {
    common_setup
    [ -n "$(mpis)" ] || skip "no MPI here"
    unset GANTRY_MPI
    export GANTRY_THREADS=1
}

# Commands whose ranks share the work, run by the words given.
shared_commands() {
    "$@" random --distribution uniform --size 200:300:5 --seed 3 a
    "$@" saxpy 0.5 a a b
    "$@" scale 3 b c
    "$@" cast --type uint8 c d
    "$@" log --air 0.5 --floor 0.9 --force b e
    "$@" noise --photons 1000 --force e f
}

@test "ranks: the same bytes, headers and warnings for 1, 2, 3 and 7 of them" {
    mkdir one
    cd one
    shared_commands gantry 2>said
    grep -q 'transmissions are below' said
    cd ..
    for m in $(mpis); do
        for n in 2 3 7; do
            [ $n = 2 ] || [ "$m" = "$(mpis | tail -n 1)" ] || continue
            mkdir $m$n
            cd $m$n
            GANTRY_MPI=$m shared_commands gantry --ranks $n 2>said
            diff said ../one/said
            for x in a b c d e f; do
                cmp $x.cfl ../one/$x.cfl
                cmp $x.hdr ../one/$x.hdr
            done
            cd ..
        done
    done
}

@test "ranks: commands that do not share their work are run by rank 0 alone" {
    gantry random --size 30:20 a
    gantry zeros --size 30:20 z
    gantry sum 0,1 a s
    for m in $(mpis); do
        GANTRY_MPI=$m gantry --ranks 3 sum 0,1 a s$m
        same_bytes s s$m
        [ "$(GANTRY_MPI=$m gantry --ranks=2 show a)" = "$(gantry show a)" ]
        GANTRY_MPI=$m run -1 gantry --ranks 2 compare --tolerance 0.1 a z
    done
    "mpirun.$(mpis | tail -n 1)" -n 2 gantry scale 2 a b
    gantry scale 2 a c
    same_bytes b c
}

@test "ranks: an error ends all of them, and the old output stays" {
    gantry random --size 300:200 a
    gantry scale 2 a old
    cp old.cfl kept.cfl
    for m in $(mpis); do
        export GANTRY_MPI=$m
        fails 1 'no.hdr: ' gantry --ranks 3 scale 3 no old
        fails 2 'unknown option --oops' gantry --ranks 3 scale --oops 3 a old
        fails 1 "other.hdr" gantry --ranks 2 saxpy 1 a other old
        fails 2 "'-' cannot be used with several ranks" gantry --ranks 2 scale 3 a -
        fails 2 '--loop cannot be used with several ranks' gantry --ranks 2 scale --loop 1 3 a old
    done
    cmp old.cfl kept.cfl
    no_output none
}

@test "ranks: a launcher of another MPI is noticed before anything is written" {
    gantry random --size 30:20 a
    for m in $(mpis); do
        if [ $m = openmpi ]; then
            fails 2 'sees 1' env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 gantry scale 2 a b
        else
            fails 2 'sees 1' env PMI_SIZE=2 PMI_RANK=0 gantry scale 2 a b
        fi
    done
    no_output b
    fails 2 'srun started 4 tasks without an MPI' env SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 gantry scale 2 a b
}

@test "ranks: bad numbers and names" {
    fails 2 '--ranks needs a value' gantry --ranks
    fails 2 '--ranks: 0, expected 1..' gantry --ranks 0 show a
    fails 2 "--ranks" gantry --ranks two show a
    fails 2 'missing command' gantry --ranks 2
    fails 2 "unknown command 'exprr'" gantry --ranks 2 exprr a
    fails 1 'GANTRY_MPI' env GANTRY_MPI=other gantry --ranks 2 show a
    fails 2 'this is a rank already' env PMI_SIZE=2 gantry --ranks 2 show a
    gantry random --size 3 a
    [ "$(gantry --ranks 1 show a)" = "$(gantry show a)" ]
}
