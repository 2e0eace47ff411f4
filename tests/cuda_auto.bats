load common

# What CUDA=auto decides, with a file for a GPU and scripts for nvcc and nvidia-smi. Nothing is compiled.

# fake NAME 'script': a command of that name, first on the PATH.
fake() {
    mkdir -p bin
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# nvcc_of RELEASE ['what a compilation does']
nvcc_of() {
    fake nvcc "case \$1 in
--version) echo 'Cuda compilation tools, release $1, V$1.99' ;;
--list-gpu-arch) echo compute_90 ;;
*) echo \"\$@\" >>'$PWD/compiled'; ${2:-:} ;;
esac"
}

setup() {
    common_setup
    PATH=$PWD/bin:$PATH
    unset MAKEFLAGS MFLAGS MAKELEVEL NVCC NVARCH
    touch gpu
    fake nvidia-smi 'echo 9.0'
}

# decide [VARIABLE=VALUE...]: makes the two files that show what was decided; `reason` (no_cuda.inc) and `flags` (flags_cuda).
decide() {
    make -s -C "$GANTRY_SOURCE" O="$PWD/b" CUDA=auto GPU_DEVICES="$PWD/gpu" "$@" "$PWD/b/gen/no_cuda.inc" "$PWD/b/flags_cuda" || return
    reason=$(cat b/gen/no_cuda.inc)
    flags=$(xargs <b/flags_cuda)
}

@test "CUDA=auto: a GPU and an nvcc that works: with CUDA, for that GPU, tried once" {
    nvcc_of 12.5
    decide
    [ "$reason" = '""' ]
    [[ $flags == nvcc*sm_90a* ]]
    [[ $flags != *sm_75* ]]
    [ "$(wc -l <compiled)" = 1 ]
    grep -q 'arch=compute_90,code=sm_90' compiled
    decide
    [ "$(wc -l <compiled)" = 1 ]
    nvcc_of 13.0
    decide
    [ "$(wc -l <compiled)" = 2 ]
}

@test "CUDA=auto: an nvcc before 12.5 builds for the CPU and says why; CUDA=1 stops" {
    nvcc_of 12.4
    decide
    [ "$reason" = "\"there is a GPU, but $PWD/bin/nvcc is of CUDA 12.4 (12.5 or newer is needed; NVCC=PATH)\"" ]
    [ -z "$flags" ]
    run -2 decide CUDA=1
    [[ $output == *"is of CUDA 12.4, expected 12.5 or newer"* ]]
    nvcc_of 9.1
    decide
    [[ $reason == *"is of CUDA 9.1 "* ]]
    [ ! -e compiled ]
}

@test "CUDA=auto: an nvcc that does not run or cannot compile builds for the CPU and says why" {
    fake nvcc 'exit 127'
    decide
    [[ $reason == *"$PWD/bin/nvcc does not work"* ]]
    [ -z "$flags" ]
    nvcc_of 12.5 "echo \"nvcc fatal   : Unsupported gpu architecture 'compute_90' \\\\\\\\x\" >&2; exit 1"
    decide
    [[ $reason == *"cannot compile for it: nvcc fatal : Unsupported gpu architecture compute_90 x\"" ]]
    [ -z "$flags" ]
    nvcc_of 12.5 'exit 3'
    decide
    [[ $reason == *"cannot compile for it: exit status 3\"" ]]
    decide NVCC=no-such-nvcc
    [[ $reason == *"was not found"* ]]
    fake nvidia-smi 'echo "NVIDIA-SMI has failed" >&2; exit 9'
    nvcc_of 12.5
    decide
    [ "$reason" = '""' ]
}

@test "CUDA=auto: without a GPU, and CUDA=0, say so" {
    nvcc_of 12.5
    decide GPU_DEVICES="$PWD/none"
    [ "$reason" = '"no NVIDIA GPU found"' ]
    [ -z "$flags" ]
    decide CUDA=0
    [ "$reason" = '"CUDA=0"' ]
}

@test "CUDA=auto: gantry --version says why there is no CUDA" {
    version=$(gantry --version | sed -n 's/^CUDA: //p')
    if [[ $version == no* ]]; then
        [ "$version" = "no ($(sed 's/"//g' "$GANTRY_BUILD/gen/no_cuda.inc"))" ]
        [ "$version" != "no ()" ]
    fi
}

# A copy of quickstart alone, in a tree whose make does nothing and whose gantry answers as said.
@test "CUDA=auto: quickstart ends with the reason" {
    mkdir -p tree/scripts tree/build/bin
    cp "$GANTRY_SOURCE"/scripts/{quickstart,packages.sh} tree/scripts/
    fake make 'exit 0'
    printf '#!/bin/sh\nprintf "gantry 0\\nCUDA: no (there is a GPU, but nvcc is of CUDA 11.8 (12.5 or newer))\\nGPU: none\\n"\n' >tree/build/bin/gantry
    chmod +x tree/build/bin/gantry
    tree/scripts/quickstart --no-demo --no-install >said
    [ "$(tail -n 1 said)" = "Built for the CPU: there is a GPU, but nvcc is of CUDA 11.8 (12.5 or newer)." ]
    printf '#!/bin/sh\nprintf "gantry 0\\nCUDA: 13.0\\n"\n' >tree/build/bin/gantry
    tree/scripts/quickstart --no-demo --no-install >said
    if grep -q 'Built for the CPU' said; then false; fi
}
