# Loaded by every bats file: the built commands on the PATH, an empty folder per test, a few helpers.
# The build folder is in GANTRY_BUILD (default: build).

bats_require_minimum_version 1.5.0

GANTRY_SOURCE=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
GANTRY_BUILD=$(cd "${GANTRY_BUILD:-$GANTRY_SOURCE/build}" && pwd)
export GANTRY_SOURCE GANTRY_BUILD
PATH=$GANTRY_BUILD/bin:$PATH
unset GANTRY_DEVICE GANTRY_THREADS GANTRY_TMPDIR GANTRY_MEM GANTRY_GPU_MEM
# all commands on one device: scripts/check with GANTRY_TEST_DEVICE=opencl (doc/gpu.md)
[ -z "${GANTRY_TEST_DEVICE:-}" ] || export GANTRY_DEVICE=$GANTRY_TEST_DEVICE
export LC_ALL=C.UTF-8
# compiled kernels and verdicts are kept where the tests are, whatever folder the user's environment names; with all commands on a device, by
# all files that scripts/check runs
export GANTRY_CACHE=${GANTRY_TEST_CACHE:-$BATS_RUN_TMPDIR/kernels}

# A file that needs its own setup() calls common_setup in it.
common_setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

setup() {
    common_setup
}

# fails STATUS 'part of the sentence' COMMAND...: the exit status is that one, standard error begins with "gantry" and holds the part.
fails() {
    local want=$1 part=$2 got=0
    shift 2
    "$@" >fails.stdout 2>fails.stderr || got=$?
    local said
    said=$(cat fails.stderr)
    rm -f fails.stdout fails.stderr
    if [ "$got" -ne "$want" ]; then
        echo "exit status $got, expected $want: $*" >&2
        echo "$said" >&2
        return 1
    fi
    if [[ $said != gantry* ]] || [[ $said != *"$part"* ]]; then
        echo "the message of: $*" >&2
        echo "  $said" >&2
        echo "does not hold: $part" >&2
        return 1
    fi
}

# same_bytes A B: the data of two arrays are the same.
same_bytes() {
    cmp "${1%.cfl}.cfl" "${2%.cfl}.cfl"
}

# section NAME 'Type': the value of a header section.
section() {
    awk -v want="# $2" '$0 == want { getline; print; exit }' "${1%.hdr}.hdr"
}

# dims NAME: the dimensions up to the last one over 1, e.g. "4 4 360".
dims() {
    section "$1" Dimensions | awk '{ n = NF; while (n > 1 && $n == 1) n--; for (i = 1; i <= n; i++) printf "%s%s", $i, i < n ? " " : "\n" }'
}

# no_output NAME...: neither the arrays nor any temporaries are there.
no_output() {
    local name
    for name; do
        if compgen -G "$name*" >/dev/null || compgen -G ".$name*" >/dev/null; then
            ls -la >&2
            echo "there is an output $name" >&2
            return 1
        fi
    done
}

# sanitized: the build under test was made with SANITIZE=..., so its speed and memory say nothing.
sanitized() {
    grep -q -- -fsanitize "$GANTRY_BUILD/flags"
}

# run_python 'code': Python with NumPy as np. Under scripts/check one process serves all of them, as NumPy's import takes ten times as long
# as most of what is run.
run_python() {
    /usr/bin/python3 -I -S "$GANTRY_SOURCE/tests/python_client.py" "${GANTRY_TEST_PYTHON:-}" "$1"
}

# py 'code': the same with a reader read(name) of our arrays, and a writer.
py() {
    PYTHONPATH=$GANTRY_SOURCE/tests${PYTHONPATH:+:$PYTHONPATH} run_python "from arrays import read, write
$1"
}

# needs MODULE: skips where Python has it not.
needs() {
    /usr/bin/python3 -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)" || skip "no Python module $1 here"
}

# refuses_lists EXTENSION HEAD: a header whose next word names the data refuses several files there, and takes names that begin alike.
refuses_lists() {
    local files name
    for files in LIST 'LIST 1' 'slice%d.raw 1 2 1' '%02d 1 2 1'; do
        printf '%b %s\nslice1.raw\nslice2.raw\n' "$2" "$files" >"a.$1"
        fails 1 "elements are in several files ($files)" gantry import --quiet "a.$1" y
    done
    no_output y
    gantry random --size 3:2 x
    for name in LISTED list 50% 'in 2 parts'; do
        gantry export x "$name.$1"
        gantry import --quiet "$name.$1" back
        same_bytes x back
    done
}
