# Commands by an OpenCL device against the CPU; skipped where there is none (Debian: pocl-opencl-icd).
# Commands: gantry project backproject check expr fbp cg compare traj phantom random cast gradient

load common

setup() {
    common_setup
    export POCL_CACHE_DIR=$BATS_RUN_TMPDIR/pocl
    mkdir -p "$POCL_CACHE_DIR"
    gantry random --size 8 one
    gantry expr --device opencl 'x + 1' x=one two 2>said || skip "no OpenCL device: $(cat said)"
}

# alike TOLERANCE COMMAND ARGUMENTS..: c by the CPU and d by OpenCL, without a word about work that stayed on the CPU
alike() {
    local tolerance=$1
    shift
    gantry "$@" c || return 1
    gantry "$@" --device opencl d 2>d.err || { cat d.err >&2; return 1; }
    [ ! -s d.err ] || { cat d.err >&2; return 1; }
    gantry compare --tolerance "$tolerance" c d >/dev/null || { echo "$*" >&2; return 1; }
}

scan() {
    gantry traj --views 7 --sod 60 --sdd 90 --detector 19:17 --pitch 2 --tilt "${1:-0}" geom
    gantry phantom --size 16:15:14 vol
    gantry project geom vol proj
}

@test "opencl: projections and back projections are those of the CPU, and the row has a name" {
    local model
    scan 20
    for model in joseph siddon sf; do
        alike 1e-6 project --model $model geom vol
        alike 1e-6 backproject --model $model --like vol geom proj
    done
    alike 1e-6 project --mask circle:6 --views 1:7:2 geom vol
    gantry project -v --device opencl geom vol d 2>said
    grep -q 'joseph/general on the OpenCL device: calls: 1' said
    gantry backproject --profile --device opencl --like vol geom proj d 2>said
    grep -q "joseph/general'" said
}

@test "opencl: check proves the projectors of the device" {
    scan
    gantry check --device opencl --model sf geom vol >said
    if grep -q FAIL said; then cat said >&2; return 1; fi
    grep -q '^ok    dot' said
    # rays that cross faces ever so slowly
    gantry traj --angles 0.0000001,90.001 --detector 13:14 aslant
    gantry check --device opencl --model siddon --like vol aslant vol >said || { cat said >&2; return 1; }
}

@test "opencl: check without a geometry tests the device, and keeps the verdicts" {
    export GANTRY_CACHE=$PWD/kernels
    gantry check -v --device opencl >said 2>talk
    run ! grep 'need the declarations of the driver' talk
    [ "$(grep -cE '^ok    (copies|expressions|expressions_float64|masks|neighbourhoods|reductions|samplers|back_projection_float(32|64)|(joseph|sf|siddon)_float(32|64)_(adjoint|forward)) ' said)" -eq 21 ]
    run ! grep FAIL said
    [ "$(ls kernels/selftest-OpenCL-* | wc -l)" -eq 21 ]
    # other commands test what they use
    gantry cache --clear
    scan
    gantry project --device opencl geom vol d
    [ "$(printf '%s\n' kernels/selftest-OpenCL-* | sed 's/.*OpenCL-//; s/-.*//' | xargs)" = 'copies joseph_float32_forward' ]
    fails 2 'missing argument: GEOM' gantry check
}

@test "opencl: slabs and batches through little memory give the same" {
    scan
    gantry backproject --device opencl --like vol geom proj d
    GANTRY_GPU_MEM=20K gantry backproject --device opencl --like vol geom proj e
    same_bytes d e
    GANTRY_GPU_MEM=20K gantry project --device opencl geom vol e
    gantry compare --tolerance 1e-6 proj e
    rm d.* e.*
    GANTRY_GPU_MEM=2K fails 1 'OpenCL: ' gantry project --device opencl geom vol d
    no_output d
}

@test "opencl: filtered back projection and iterations are those of the CPU" {
    scan
    alike 1e-6 fbp --like vol geom proj
    GANTRY_GPU_MEM=20K gantry fbp --device opencl --like vol geom proj e
    same_bytes d e
    alike 1e-5 cg -i 3 --like vol geom proj
    gantry traj --views 9 --detector 21:5 flat
    gantry random --size 21:5:9 p
    alike 1e-6 fbp flat p
}

@test "opencl: expressions are the CPU's" {
    local text
    gantry random --size 70:33:5 x
    gantry random --size 70:1:5 --seed 1 y
    gantry cast --type float64 x w
    for text in 'x*y + y/(x + 2)' 'sqrt(abs(x)) - exp(-y^2)' 'where(x > y && x < 0.7, sin(x), max(x, y))' 'clamp(x, 0.2, y)' 'log(abs(x) + 1.5) * tanh(y)'; do
        gantry expr "$text" x=x y=y c
        gantry expr --device opencl "$text" x=x y=y d 2>said
        [ ! -s said ]
        same_bytes c d || { echo "$text" >&2; return 1; }
    done
    gantry expr 'w*w - erf(w)' w=w c
    gantry expr --device opencl 'w*w - erf(w)' w=w d
    gantry compare --tolerance 1e-14 c d
    gantry expr 'x > 0.5' x=x c
    gantry expr --device opencl 'x > 0.5' x=x d
    same_bytes c d
    for text in 'sum(x*y)' 'mean(x + y)' 'norm(x - y)' 'min(x - y)' 'max(x*y)' 'x / norm(x) - mean(y)'; do
        gantry expr "$text" x=x y=y c
        gantry expr --device opencl "$text" x=x y=y d 2>said
        [ ! -s said ]
        gantry compare --tolerance 1e-6 c d || { echo "$text" >&2; return 1; }
        gantry expr --device opencl "$text" x=x y=y e
        same_bytes d e
    done
    # of a sqrt outside its domain, and of NaN as a truth value
    gantry expr --domain warn --type bool 'sqrt(x - 1)' x=x c 2>said.cpu
    gantry expr --device opencl --domain warn --type bool 'sqrt(x - 1)' x=x c 2>said
    diff said.cpu said
}

@test "opencl: neighbourhoods are the CPU's, for each edge, and in slabs" {
    local text edge memory
    gantry random --size 17:9:12 v
    gantry random --size 17:1:12:2 --seed 1 u
    gantry cast --type float64 v w
    for text in 'zero|150K|laplacian(x*v) + max(w, 1:2:0) - mean(gauss(v, 0.7) + u, 2)' 'wrap|20K|median(v, 1) > v[7,-2,1] ? dz(w) : u[0,3,-1]' 'mirror|20K|sqrt(v[2,0,-14] - 0.5) + std(w, 1) - u' 'clamp|20K|laplacian(laplacian(v)) + min(u, 1) - w'; do
        IFS='|' read -r edge memory text <<<"$text"
        gantry expr --edge "$edge" --domain warn "$text" v=v u=u w=w c 2>said.cpu
        gantry expr --edge "$edge" --domain warn --device opencl "$text" v=v u=u w=w d 2>said
        diff said.cpu said
        same_bytes c d || { echo "$edge $text" >&2; return 1; }
        GANTRY_GPU_MEM=$memory gantry expr --edge "$edge" --device opencl "$text" v=v u=u w=w e 2>said
        same_bytes d e || { echo "$edge $text in slabs" >&2; return 1; }
    done
    gantry expr 'v[1,0,0]/norm(laplacian(v)) - mean(v*v[0,1,1])' v=v c
    gantry expr --device opencl 'v[1,0,0]/norm(laplacian(v)) - mean(v*v[0,1,1])' v=v d 2>said
    [ ! -s said ]
    gantry compare --tolerance 1e-6 c d
    GANTRY_GPU_MEM=20K gantry expr --device opencl 'v[1,0,0]/norm(laplacian(v)) - mean(v*v[0,1,1])' v=v e
    same_bytes d e
}

@test "opencl: values between elements, windows and results of integers are the CPU's" {
    local text options
    gantry random --size 13:9:7:2 v
    gantry cast --type float64 v w
    gantry expr --type int16 '300*v' v=v k
    gantry expr --type bool 'v > 0.3' v=v t
    for text in '--edge zero|nearest(v, 1.3*x + y, y - 0.3*z, z)' '--edge mirror|linear(k, 1.2*x, y - 0.5*v, z + 3) + v' '--edge clamp|cubic(w, 2*x, y - 0.3*z, z) - laplacian(linear(v, sqrt(x), y, z))' '|median(k, 1)' '--type int64|max(k, box(2, 0, 1))' '|min(t, box(1))' '--type uint8|300*v - 10'; do
        IFS='|' read -r options text <<<"$text"
        # shellcheck disable=SC2046,SC2086 # words
        gantry expr $options "$text" $(grep -oE '\b[vwkt]\b' <<<"$text" | sort -u | sed 's/.*/&=&/') d 2>said.cpu
        copy d c
        # shellcheck disable=SC2046,SC2086
        gantry expr $options --device opencl "$text" $(grep -oE '\b[vwkt]\b' <<<"$text" | sort -u | sed 's/.*/&=&/') d 2>said
        diff said.cpu said || { echo "$text" >&2; return 1; }
        same_bytes c d || { echo "$text" >&2; return 1; }
    done
    gantry expr --edge mirror 'linear(k, 1.2*x, y - 0.5*v, z + 3)' k=k v=v c
    GANTRY_GPU_MEM=20K gantry expr --edge mirror --device opencl 'linear(k, 1.2*x, y - 0.5*v, z + 3)' k=k v=v d
    same_bytes c d
    gantry expr --device opencl --narrow wrap --type uint8 '300*v' v=v d 2>said
    grep -q 'no OpenCL implementation' said
}

# kept: the files of compiled kernels, Gantry's or PoCL's
kept() {
    find kernels "$POCL_CACHE_DIR" -name 'kernel-*' -o -name '*.so' | sort
}

@test "opencl: bench measures projections by the CPU and by the device in one run" {
    gantry bench --device opencl --size 8 --repeat 1 --only 'cone adjoint' --csv r.csv projector
    [ "$(grep '"cone adjoint"' r.csv | grep -cE '"(joseph|siddon|sf)(, by OpenCL)?"')" = 6 ]
    gantry bench --device opencl --size 8 --repeat 1 --only 'fan stack forward' --csv r.csv projector
    run ! grep 'by OpenCL' r.csv
}

@test "opencl: a compiled kernel is kept for other processes" {
    export GANTRY_CACHE=$PWD/kernels POCL_CACHE_DIR=$PWD/pocl
    mkdir pocl
    gantry random --size 100 x
    gantry expr --device opencl '3*x' x=x a
    local before
    before=$(kept) # of the self-tests, too
    [ "$(wc -l <<<"$before")" -ge 2 ]
    gantry expr --device opencl '5*x' x=x b
    [ "$(kept)" = "$before" ]
    gantry expr '5*x' x=x c
    same_bytes b c
}

@test "opencl: kernels stay in bounds and do not race, as oclgrind sees them" {
    [ -e /usr/lib/oclgrind/liboclgrind-rt-icd.so ] || skip "no oclgrind here"
    export OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so OCLGRIND_DATA_RACES=1 GANTRY_CACHE=$PWD/kernels
    local model
    gantry traj --views 2 --sod 16 --sdd 24 --detector 7:6 --pitch 1.5 --tilt 10 geom
    gantry random --size 6:5:7 vol
    for model in joseph siddon sf; do
        gantry project --device opencl --model $model geom vol proj 2>>said
        gantry backproject --device opencl --model $model --like vol geom proj back 2>>said
    done
    gantry fbp --device opencl --like vol geom proj back 2>>said
    gantry expr --device opencl 'sum(x*x) + x' x=vol back 2>>said
    gantry expr --device opencl 'mean(x, 1)/norm(x[1,0,2])' x=vol back 2>>said
    gantry expr --device opencl 'cubic(v, 1.2*x, y + v, z)' v=vol back 2>>said
    [ ! -s said ] || { cat said >&2; return 1; }
}

@test "opencl: the CPU computes expressions whose arrays do not fit into device memory" {
    [ -e /usr/lib/oclgrind/liboclgrind-rt-icd.so ] || skip "no oclgrind here" # a device with its own memory
    export OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so GANTRY_CACHE=$PWD/kernels
    local text edge
    gantry random --size 9:8:7 v
    for text in 'cubic(v, 1.2*x, y + v, z)' 'v[1,0,0]/norm(v)' 'sum(v) + v'; do
        edge=(--edge wrap)
        [ "$text" != 'sum(v) + v' ] || edge=()
        gantry expr "${edge[@]}" "$text" v=v c
        GANTRY_GPU_MEM=2K gantry expr "${edge[@]}" --device opencl "$text" v=v d 2>said
        [ "$(cat said)" = "gantry expr: warning: running on the CPU: the arrays do not fit into device memory" ]
        same_bytes c d
    done
    gantry copy v - | GANTRY_GPU_MEM=2K gantry expr --edge wrap --device opencl 'cubic(v, 1.2*x, y + v, z)' v=- d
    gantry expr --edge wrap 'cubic(v, 1.2*x, y + v, z)' v=v c
    same_bytes c d
}

@test "opencl: what the device does not do is said, or refused" {
    gantry random --size 9:8 x
    gantry gradient --device opencl x d 2>said
    grep -q 'warning: no OpenCL implementation; running on the CPU' said
    gantry gradient x c
    same_bytes c d
    GANTRY_DEVICE=opencl gantry gradient x d 2>said
    [ ! -s said ]
    # a driver does not keep SIGQUIT from the command
    run -131 timeout --preserve-status -s QUIT 0.5 gantry copy --device opencl - e < <(sleep 1.5)
    no_output e
    rm d.*
    fails 1 "--device: unknown OpenCL device 'nobody' (found: 0:0 " gantry expr --device opencl:nobody '2*x' x=x d
    fails 1 "GANTRY_DEVICE: unknown OpenCL device '7:7'" env GANTRY_DEVICE=opencl:7:7 gantry expr '2*x' x=x d
    fails 2 "'opencl2' is not a device" gantry expr --device opencl2 '2*x' x=x d
    fails 2 'contradict' gantry expr -g --device opencl '2*x' x=x d
    no_output d
    gantry expr --device opencl:0:0 '2*x' x=x d
}

@test "opencl: a word is a part of the platform's or the device's name" {
    gantry random --size 9 x
    gantry expr -v --device opencl '2*x' x=x d 2>said
    local name on
    name=$(sed -n 's/.*OpenCL: \(.*\) on .*/\1/p' said)
    on=$(sed -n 's/.*OpenCL: .* on \(.*\), .*GiB/\1/p' said)
    gantry expr --device "opencl:${name:0:5}" '2*x' x=x d
    gantry expr --device "opencl:${on:0:5}" '2*x' x=x d
    gantry expr --device "opencl:${on:0:5}:${name:0:5}" '2*x' x=x d
    fails 1 "unknown OpenCL device '${on:0:5}:nobody'" gantry expr --device "opencl:${on:0:5}:nobody" '2*x' x=x d
}

@test "opencl: no driver is one sentence" {
    mkdir empty
    gantry random --size 9 x
    OCL_ICD_VENDORS=$PWD/empty fails 1 '--device: no OpenCL platform found' gantry expr --device opencl '2*x' x=x d
    OCL_ICD_VENDORS=/nonexistent fails 1 'no OpenCL platform found' gantry expr --device opencl '2*x' x=x d
    no_output d
}

@test "opencl: a library that cannot be opened, or is another one, is one sentence" {
    mkdir library
    gantry random --size 9 x
    echo 'no library' >library/libOpenCL.so.1
    LD_LIBRARY_PATH=$PWD/library fails 1 '--device: OpenCL cannot be loaded: ' gantry expr --device opencl '2*x' x=x d
    cp "$(ldconfig -p | sed -n 's/.* => \(.*libm.so.6\)$/\1/p' | head -1)" library/libOpenCL.so.1
    LD_LIBRARY_PATH=$PWD/library fails 1 'libOpenCL.so.1 has no clGetPlatformIDs(), expected OpenCL 1.2 or newer' gantry expr --device opencl '2*x' x=x d
    no_output d
}
