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
    "$@" cast --type uint8 b c
    "$@" log --air 0.5 --floor 0.9 --force b d
    "$@" noise --photons 1000 --force d e
}

# Runs the commands of a function in one process, in folder one, and by ranks in others: the same messages and outputs.
same_for_ranks() {
    local run=$1 m n x
    shift
    mkdir one
    (cd one && $run gantry 2>said)
    for m in $(mpis); do
        for n in ${counts:-3 7}; do
            if [ $n = 3 ]; then [ "$m" = "$(mpis | tail -n 1)" ]; else [ "$m" = "$(mpis | head -n 1)" ]; fi || continue
            mkdir $m$n
            (
                cd $m$n || exit
                GANTRY_MPI=$m $run gantry --ranks $n 2>said
                diff said ../one/said
                for x in ../one/*.txt ../one/*.png; do
                    [ ! -e "$x" ] || cmp "$x" "${x##*/}"
                done
                for x in "$@"; do
                    cmp $x.cfl ../one/$x.cfl
                    cmp $x.hdr ../one/$x.hdr
                done
            )
        done
    done
}

@test "ranks: the same bytes, headers and warnings for any number of them" {
    same_for_ranks shared_commands a b c d e
    grep -q 'transmissions are below' one/said
}

# Every line shares its work: elements, neighbours, reductions, shapes, transforms, arrays in memory, pictures.
recipe() {
    cat <<'EOT'
random --size 70:90:40 --seed 3 @a
random --size 70:90:40 --seed 4 --type float64 @b
expr 'm = mean(x); s = 2*x + y - m; n = norm(x - y)' x=@a y=@b s=s n=n
expr 'sum(x*x) + max(x) + argmin(x)' x=@a
expr --edge mirror 'd = laplacian(x); c = sum(median(x, 1))' x=@a d=d c=c
expr --edge wrap 'mean(x, 2)' x=@a f
expr --iterate 7 --halo 3 'x + 0.1*(x[1,0,0] + x[-1,0,0] + x[0,1,0] + x[0,-1,0] + x[0,0,1] + x[0,0,-1] - 6*x)' x=@a g
expr --edge wrap --iterate 5 --halo 2 'x[0,1] - 0.2*x[-1,0] + 0.1*x[0,-2]' x=@a g2
sum 0,1 @a h
sum z @a h2
mean x,z @b i
max 1 @a i2
norm @a
norm --dims x,y @a j
dot @a @b
stats @b
compare @a @b
compare --metric correlation @a @b
hist --bins 7 --range -1:1 @a
roi --region sphere:0:0:0:12 @a
quantile 0.2:0.7 @a
quantile --dims x,y 0.2:0.7 @a k
quantile --dims z 0.5 @a k2
permute z,x,y @a l
flip z,x @a l2
resize -c x 40 z 61 @a l3
circshift z 7 @a l4
slice z 3 @a l5
repmat z 2 @a l6
reshape 700:-1 @a l7
fft 0,1,2 @a m
fft --centred --inverse x,y m m2
fft --unitary z @a m3
gradient @a n2
gradient --scheme central --boundary one-sided --dims z @a n3
gradient --adjoint n2 n4
wavelet --family db2 x,y @a o
wavelet --inverse x,y o o2
random --size 5:4:3 --seed 9 kernel
conv x,y,z @a kernel p
conv --mode full --correlate --method direct x,y,z @a kernel p2
conv --mode cyclic --adjoint --method direct x,y,z @a kernel p3
conv --method fft x,y @a kernel2 p4
rof --lambda 0.1 --dims x,y -i 5 @a q
denoise --method median --dims x,y @a q2
render --mode mip --size 150:130 @a picture.png
render --transfer fog --range -1:1 --size 150:130 @a picture2.png
expr --type uint8 '200*x' x=@a r
EOT
}

same_recipe() {
    recipe >recipe.txt
    mapfile -t outputs < <(grep -v -e '@a$' -e '@b$' recipe.txt | sed 's/.*[ =]//' | grep -v -e '^@' -e png)
    same_for_ranks one_recipe "${outputs[@]}" s d
}

one_recipe() {
    cp ../kernel2.* .
    "$@" run ../recipe.txt >text.txt
}

@test "ranks: every line of a recipe shares its work, arrays in memory are those of all" {
    gantry random --size 7:5 --seed 2 kernel2
    same_recipe
    grep -q 'clipped in r' one/said
}

# Parallel and cone beam, several channels, views chosen, another type, and less memory than files.
projections() {
    "$@" project ../cone ../vol a
    "$@" backproject --size 40:38:100 --mask circle ../cone a b
    GANTRY_MEM=2400000 "$@" project --model sf --views 1::2 --type float64 ../par ../vol c
    GANTRY_MEM=2M "$@" backproject --model siddon --size 48:46:72 --type float64 ../helix a d
}

@test "ranks: project by views, backproject by rows of bricks" {
    gantry traj --views 11 --sod 150 --sdd 300 --detector 50:60 --pitch 2 cone
    gantry traj --views 11 --sod 150 --sdd 300 --detector 50:60 --pitch 2 --helix 20 helix
    gantry traj --views 11 --detector 50:60 par
    gantry random --size 48:46:72:2 vol
    counts="2 3 7" same_for_ranks projections a b c d
}

@test "ranks: fft and quantile need the memory of their parts, and refuse more than is allowed" {
    unset GANTRY_DEVICE # with a device, rank 0 does all of the work
    gantry random --size 64:32:64 --type complex64 a # 1 MiB
    gantry random --size 64:64:64 b                  # 1 MiB
    for m in $(mpis); do
        export GANTRY_MPI=$m
        GANTRY_MEM=530K gantry --ranks 4 fft 0,1,2 a c # a quarter before and a quarter after the exchange
        fails 1 '1.0 MiB of memory are needed' env GANTRY_MEM=1000K gantry --ranks 2 fft 0,1,2 a d
        GANTRY_MEM=530K gantry --ranks 2 fft 0,1 a e
        fails 1 '512 KiB of memory are needed' env GANTRY_MEM=500K gantry --ranks 2 fft 0,1 a d
        fails 1 '544 KiB of memory are needed' env GANTRY_MEM=500K gantry --ranks 2 quantile --dims z 0:0.1:0.5:1 b d
        no_output d
    done
}

# Slabs and parts of slabs: parallel and cone beam, in memory and not.
analytic() {
    "$@" phantom --geometry ../cone p
    "$@" filter ../cone p q
    "$@" fbp --size 24:140:70 ../cone p a
    "$@" fbp --size 24:140:70 --type float64 ../tilt ../par_p b
    GANTRY_MEM=700000 "$@" fbp --size 24:140:70 --spacing 0.5 ../par ../par_p c
    "$@" phantom --size 40:38:16 --type uint8 --mu 30000 d
    "$@" fbp --method gridrec ../par ../par_p e
    "$@" fbp --method hilbert ../par ../par_p f
}

@test "ranks: phantom and filter by views, fbp by parts of slabs" {
    gantry traj --views 16 --sod 200 --sdd 300 --detector 24:40 --pitch 1:2 cone
    gantry traj --views 9 --detector 24:70 par
    gantry traj --views 9 --detector 24:70 --tilt 3 tilt
    gantry phantom --geometry par par_p
    same_for_ranks analytic p q a b c d e f
    grep -q 'clipped in d' one/said
}

# By views, some with their neighbours, and by rows; what is counted is added.
corrections() {
    "$@" normalize --dark ../dark --flat ../flat --weights w ../counts a
    "$@" outliers --threshold 300 --dims v,view ../counts b
    "$@" bin --factor 2 a c
    "$@" rings --size 3 --large 5 c d
    "$@" phase -e 20 -d 100 --ratio 100 --pixel 0.01 --no-log --force b f
}

@test "ranks: corrections by views and by rows" {
    gantry random --distribution uniform --size 24:10:9:2 r
    gantry expr 'floor(x*900)' x=r --type uint16 counts
    gantry ones --size 24:10 --type uint16 dark
    gantry scale 800 dark flat
    same_for_ranks corrections a w b c d f
    grep -q 'raised to this limit' one/said
    grep -q 'replaced as outliers' one/said
}

# Least squares, a term, subsets, and iterates and a checkpoint that rank 0 writes.
reconstructions() {
    "$@" wls -i 3 --size 30:28:70 --log log.csv ../cone ../pcone a
    "$@" fista -i 2 -R tv:0.01 --like ../vol --checkpoint ck ../par ../ppar b
    "$@" pdhg -i 2 -R tv:0.01 -R nonneg --save-every 1 --like ../vol ../cone ../pcone c
    "$@" osem -i 1 --subsets 5 --like ../vol ../par ../ppar d
    "$@" fista -i 4 -R tv:0.01 --like ../vol --checkpoint ck --resume ../par ../ppar e
    "$@" wls -i 2 --like ../large --checkpoint ck2 ../fan ../pfan f
    "$@" cg -i 2 --lambda 0.1 --like ../large --init ../large --mask circle --save-every 1 ../fan ../pfan g
    "$@" fista -i 2 -R nonneg --data huber:5 --like ../large ../fan ../pfan k
    "$@" osem -i 1 --subsets 3 --like ../large ../fan ../pfan l
}

@test "ranks: reconstructions" {
    gantry traj --views 12 --sod 150 --sdd 300 --detector 36:40 --pitch 2 cone
    gantry traj --views 12 --detector 36:40 par
    gantry phantom --size 30:28:40 vol
    gantry project cone vol pcone
    gantry project par vol ppar
    gantry traj --views 23 --sod 150 --sdd 300 --detector 50:60 --pitch 2 fan # several blocks of distributed vectors
    gantry random --distribution uniform --size 50:40:72 large
    gantry project fan large pfan
    counts="2 3 7" same_for_ranks reconstructions a b c c-0001 c-0002 d e f g g-0001 k l
    m=$(mpis | head -n 1)
    cmp one/ck ${m}7/ck
    cmp one/ck2 ${m}7/ck2
    [ "$(cut -d, -f1-7 ${m}7/log.csv)" = "$(cut -d, -f1-7 one/log.csv)" ]
    gantry fista -i 6 -R tv:0.01 --like vol --checkpoint ${m}7/ck --resume par ppar f
    gantry --ranks 3 fista -i 6 -R tv:0.01 --like vol --checkpoint one/ck --resume par ppar g
    same_bytes f g
    gantry --ranks 2 wls -i 3 --like large --checkpoint ${m}7/ck2 --resume fan pfan i
    gantry wls -i 3 --like large fan pfan j
    same_bytes i j
    # (with a device, rank 0 does all of the work)
    [ "$(GANTRY_DEVICE=cpu gantry --ranks 2 lsqr -i 1 -v --like large fan pfan j 2>&1 | grep -c 'rank [01]: .* bytes sent')" = 2 ]
    [ "$(GANTRY_DEVICE=cpu gantry --ranks 2 project -v fan large j 2>&1 | grep -c 'rank [01]: .* s to start MPI, then .* s, of which .* s in MPI; .* s of processor time')" = 2 ]
    no_output h
}

# Slices that lie in one piece and others, more ranks than slices, text, warnings.
loops() {
    "$@" transpose --loop z=::2 x y ../a b
    "$@" sum --loop x --jobs 2 y ../a c
    "$@" stats --only max --loop z ../a >text.txt
    "$@" cast --loop y=0:2 --type uint8 ../a d
}

@test "ranks: the indices of a loop, its text and warnings in order" {
    gantry random --size 9:8:7 a
    same_for_ranks loops b c d
    [ "$(wc -l <one/text.txt)" = 7 ]
    grep -q 'at y=0: ' one/said
    gantry -l z scale 2 a b
    gantry --ranks 2 -l z scale 2 a c
    same_bytes b c
}

@test "ranks: what a loop fails at is said once, and the old output stays" {
    gantry random --size 9:8:7 a
    gantry scale 2 a old
    fails 1 'choose other dimensions with --dims' gantry --ranks 2 rof --loop x,y,z a old
    for m in $(mpis); do
        GANTRY_MPI=$m run -1 gantry --ranks 3 tgv --loop z --lambda 1 --dims z a old
        [ "${#lines[@]}" = 1 ]
    done
    gantry scale 2 a new
    same_bytes old new
}

@test "ranks: commands that do not share their work are run by rank 0 alone" {
    [ "$(gantry --ranks 3 cg --help | grep -c '^Usage')" = 1 ]
    [ "$(gantry --ranks 2 show --version | wc -l)" = 1 ]
    gantry random --size 30:20 a
    gantry zeros --size 30:20 z
    gantry fft x a s
    for m in $(mpis); do
        GANTRY_MPI=$m gantry --ranks 3 fft x a s$m
        same_bytes s s$m
        [ "$(GANTRY_MPI=$m gantry --ranks=2 show a)" = "$(gantry show a)" ]
        GANTRY_MPI=$m run -1 gantry --ranks 2 compare --tolerance 0.1 a z
    done
    "mpirun.$(mpis | tail -n 1)" -n 2 gantry scale 2 a b
    gantry scale 2 a c
    same_bytes b c
}

@test "ranks: the launcher's plugins are not loaded" {
    printf '#!/bin/sh\necho "$HWLOC_PLUGINS_PATH"\n' >mpirun.openmpi
    chmod +x mpirun.openmpi
    ln -s mpirun.openmpi mpirun.mpich
    [ "$(PATH=$PWD:$PATH gantry --ranks 2 show a)" = /dev/null ]
}

@test "ranks: MPI on one machine looks for no networks and devices, but programs that ranks start may" {
    gantry random --size 30:20 a
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_pml_base_verbose=10
    for m in $(mpis); do
        mpirun.$m -n 2 env LD_DEBUG=files LD_DEBUG_OUTPUT=loaded gantry denoise --method external --noise 1 \
            --denoiser "sh -c 'env >environment; cp \$1.cfl \$2.cfl; cp \$1.hdr \$2.hdr' 0 {in} {out}" a b >said 2>&1
        run -1 grep '/hwloc/' loaded.*
        run -1 grep '^\(HWLOC_COMPONENTS\|UCX_TLS\)=' environment
        rm loaded.* environment
        [ $m != openmpi ] || [ "$(grep -c 'initializing pml component' said)" = 2 ]
        [ $m != openmpi ] || [ "$(grep -c 'component ob1 selected' said)" = 2 ]
    done
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
        # after a program's text without a line end
        run -1 gantry --ranks 2 denoise --method external --noise 1 --denoiser "sh -c 'printf text >&2; exit 3' {in} {out}" a old
        [[ $output = "textgantry denoise: "*"exit status 3"* ]]
    done
    cmp old.cfl kept.cfl
    no_output none
}

# Processes of that name that PID has started, directly or not.
descendants() {
    local p
    for p in $(pgrep -P "$1"); do
        [ "$(cat "/proc/$p/comm")" != "$2" ] || printf ' %s' "$p"
        descendants "$p" "$2"
    done
}

# Starts a long reconstruction, kills a rank or sends SIGTERM to the command, or SIGHUP to its process group as a terminal does: one sentence, and
# nothing else has changed.
ends_cleanly() {
    setsid gantry --ranks 2 cg -v -i 1000 --tolerance 0 --like v g p link >all 2>&1 3>&- &
    local launch=$! ranks="" ended=0
    for _ in $(seq 100); do
        sleep 0.1
        ranks=$(descendants $launch cg)
        [ "$(wc -w <<<"$ranks")" != 2 ] || break
    done
    sleep 0.3
    case $1 in
    killed) kill -9 "${ranks##* }" ;;
    terminated) kill -TERM $launch ;;
    hung-up) kill -HUP -- -$launch ;;
    esac
    wait $launch || ended=$?
    [ $ended = 1 ]
    grep -v ': iteration \|: each a part of the work\|: rank 0 does all of the work\| OpenCL: ' all >said || :
    grep -q "$2" said
    [ "$(wc -l <said)" = 1 ]
    cmp there/old.cfl kept.cfl
    ls -A . there | diff - files
}

@test "ranks: a killed rank or a signal ends all of them with one sentence, and the old output stays" {
    gantry traj --views 90 --detector 64:64 g
    gantry phantom --size 64:64:64 v
    gantry project g v p
    mkdir there # the output is a link into another folder, where the temporary files are
    gantry scale 2 v there/old
    ln -s there/old.cfl link.cfl
    ln -s there/old.hdr link.hdr
    cp there/old.cfl kept.cfl
    touch all said files
    ls -A . there >files
    GANTRY_MPI=$(mpis | tail -n 1) ends_cleanly terminated 'ended by a signal (Terminated)'
    for m in $(mpis); do
        GANTRY_MPI=$m ends_cleanly killed 'ended without a message'
        GANTRY_MPI=$m ends_cleanly hung-up 'ended by a signal (Hangup)'
    done
}

# Waits until the states of all processes match a pattern: T is stopped, Z has ended.
until_all() {
    local p want=$1 n
    shift
    for _ in $(seq 100); do
        n=0
        for p; do
            # shellcheck disable=SC2053 # a pattern
            [[ $(sed 's/.*) \(.\).*/\1/' "/proc/$p/stat" 2>/dev/null || echo Z) != $want ]] || n=$((n + 1))
        done
        [ $n != $# ] || return 0
        sleep 0.05
    done
    return 1
}

@test "ranks: Ctrl-Z stops all of them, and they continue with the command or end with it" {
    gantry traj --views 90 --detector 64:64 g
    gantry phantom --size 64:64:64 v
    gantry project g v p
    for m in $(mpis); do
        # a shell with job control; its loops end when a job stops
        GANTRY_MPI=$m setsid bash -c 'set -m
            gantry --ranks 2 cg -i 1000 --tolerance 0 --like v g p out &
            echo $! >launcher
            set +m
            sleep 60' >said 2>&1 3>&- &
        shell=$!
        for _ in $(seq 100); do
            sleep 0.05
            launch=$(cat launcher 2>/dev/null) || continue
            ranks=$(descendants $launch cg)
            [ "$(wc -w <<<"$ranks")" != 2 ] || break
        done
        kill -TSTP $launch
        until_all T $launch $ranks
        kill -CONT $launch
        until_all '[!TZ]' $launch $ranks
        kill -TSTP $launch
        until_all T $launch $ranks
        kill -9 $launch
        until_all Z $ranks
        kill -9 -- -$shell
        rm launcher
    done
}

# By SIGTERM when the mpirun of this folder has started a process.
ends_early() {
    local ended=0
    PATH=$PWD:$PATH gantry --ranks 2 scale 2 v old >said 2>&1 3>&- &
    for _ in $(seq 50); do
        sleep 0.1
        started=$(descendants $! sleep)
        [ -z "$started" ] || break
    done
    [ -n "$started" ]
    kill -TERM $!
    SECONDS=0
    wait $! || ended=$?
    [ $ended = 1 ]
    [ $SECONDS -lt 20 ]
    grep -q 'ended by a signal (Terminated)' said
    no_output old
}

@test "ranks: a signal before the ranks have started is no success" {
    gantry random --size 64:64:64 v
    printf "#!/bin/sh\ntrap 'kill \$!; exit 0' TERM\nsleep 20 >/dev/null 2>&1 &\nwait\n" >mpirun.openmpi
    chmod +x mpirun.openmpi
    ln -s mpirun.openmpi mpirun.mpich
    ends_early
    printf "#!/bin/sh\ntrap '' TERM\nsleep 60\n" >mpirun.openmpi # as of MPICH, rarely: the signal is lost
    ends_early
    run ! kill -0 $started
}

@test "ranks: a killed mpirun is said, also after warnings and where SIGCHLD is ignored" {
    gantry random --size 30:20 v
    printf '#!/bin/sh\necho "gantry scale: warning: w" >&2\nkill -9 $$\n' >mpirun.openmpi
    chmod +x mpirun.openmpi
    ln -s mpirun.openmpi mpirun.mpich
    PATH=$PWD:$PATH run -1 gantry --ranks 2 scale 2 v old
    [[ "$output" == *"a rank was ended without a message"*"status 137"* ]]
    printf '#!/bin/sh\nexit 9\n' >mpirun.openmpi
    PATH=$PWD:$PATH run -1 sh -c 'trap "" CHLD; exec gantry --ranks 2 scale 2 v old'
    [[ "$output" == *"status 9"* ]]
    printf '#!/bin/sh\nexit 1\n' >mpirun.openmpi
    PATH=$PWD:$PATH fails 1 'returned status 1' gantry --ranks 2 scale 2 v old
    no_output old
}

@test "ranks: call stacks of MPICH and UCX about a killed rank are no messages" {
    gantry random --size 30:20 v
    cat >mpirun.openmpi <<'EOT'
#!/bin/sh
cat >&2 <<EOS
internal_Init_thread(60)......: MPI_Init_thread(argc=(nil), argv=(nil), required=1, provided=0x7fff) failed
MPIR_init_comm_world(34)......: failed
 0  /lib/x86_64-linux-gnu/libucs.so.0(ucs_handle_error+0x2dc) [0x7f134aa47e9c]
10  /lib/x86_64-linux-gnu/libc.so.6(+0x891c4) [0x7f134a8a81c4]
EOS
exit 9
EOT
    chmod +x mpirun.openmpi
    ln -s mpirun.openmpi mpirun.mpich
    PATH=$PWD:$PATH run -1 gantry --ranks 2 scale 2 v old
    [ "${#lines[@]}" = 1 ]
    [[ $output = *"a rank was ended without a message"* ]]
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
    fails 2 'srun started 4 tasks without MPI support' env SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 gantry scale 2 a b
}

@test "ranks: a message of one rank names it, and the line of a recipe" {
    unset GANTRY_DEVICE # with a device, rank 0 does all of the work
    gantry random --size 30:20 a
    mkdir other # of rank 1, where nothing is
    echo 'scale 2 a b' | tee other/r >r
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    m=$(mpis | head -n 1)
    run -1 mpirun.$m -n 1 gantry run r : -n 1 sh -c 'cd other && exec gantry run r'
    [[ $output = *"gantry scale: rank 1: r line 1: a.hdr: "* ]]
    no_output b
}

@test "ranks: bad numbers and names" {
    fails 2 '--ranks needs a value' gantry --ranks
    fails 2 '--ranks: 0, expected 1..' gantry --ranks 0 show a
    fails 2 "--ranks" gantry --ranks two show a
    fails 2 'missing command' gantry --ranks 2
    fails 2 "unknown command 'exprr'" gantry --ranks 2 exprr a
    fails 1 'GANTRY_MPI' env GANTRY_MPI=other gantry --ranks 2 show a
    fails 2 'this process is already a rank' env PMI_SIZE=2 gantry --ranks 2 show a
    gantry random --size 3 a
    [ "$(gantry --ranks 1 show a)" = "$(gantry show a)" ]
}

@test "ranks: heat flow with halos of 1 and 10 steps, the same bytes after 49 and 4 exchanges" {
    unset GANTRY_DEVICE # with a device, rank 0 does all of the work
    gantry phantom --size 16:16:64 v
    gantry expr --iterate 50 'v + 0.1*laplacian(v)' v=v one
    for halo in 1:49 10:4; do
        for n in 2 4; do
            gantry --ranks $n expr -v --iterate 50 --halo ${halo%:*} 'v + 0.1*laplacian(v)' v=v more 2>said
            grep -q "in ${halo#*:} exchanges" said
            same_bytes one more
        done
    done
}
