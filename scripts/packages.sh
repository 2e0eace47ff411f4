# shellcheck shell=bash disable=SC2034 # the lists are used by the scripts that read this file
# Sourced by quickstart and test: finds what is missing and installs it with the system's package manager.
# Every need is "PACKAGE PROBE...", where the probe is a command that succeeds once the package is there, so that nothing is
# installed where a need is met in another way (another compiler package, a library in /usr/local).

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

has_command() { command -v "$1" >/dev/null 2>&1; }

has_header() { printf '#include <stdio.h>\n#include <%s>\n' "$1" | "${CC:-gcc}" -E -x c - >/dev/null 2>&1; }

# A shared library that is opened at run time.
has_library() { { /sbin/ldconfig -p 2>/dev/null || ldconfig -p; } | grep "[[:space:]]$1 " > /dev/null; }

has_file() { [ -e "$1" ]; }

# A python3 with that module, the system's own after the first on PATH (which may be another installation).
python_with()
{
	local p
	for p in python3 /usr/bin/python3; do
		"$p" -c "import $1" 2>/dev/null && printf '%s\n' "$p" && return
	done
	return 1
}
has_python_module() { python_with "$1" >/dev/null; }

build_needs=(
	"gcc has_command ${CC:-gcc}"
	"libc6-dev has_header stdio.h"
	"make has_command make"
	"libfftw3-dev has_header fftw3.h"
	"libpng-dev has_header png.h"
	"zlib1g-dev has_header zlib.h"
	"libtiff-dev has_header tiffio.h"
	"zlib1g-dev has_header zlib.h"
	"libxxhash-dev has_header xxhash.h"
	"libopenblas0 has_library libopenblas.so.0"
)

# Prints the packages of the needs that are not met.
missing_packages()
{
	local need words
	for need in "$@"; do
		read -r -a words <<< "$need"
		"${words[@]:1}" || printf '%s\n' "${words[0]}"
	done
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs packages; says so first. The package manager's own words go to $2 and are shown when it fails.
install_packages()
{
	local log=$1
	shift
	printf 'Installing with apt-get: %s\n' "$*"
	has_command apt-get || { echo "found no apt-get: install the equivalents of $* and start again" >&2; return 1; }
	[ "$(id -u)" = 0 ] || has_command sudo || { echo "not root and no sudo: run 'apt-get install $*' as root and start again" >&2; return 1; }
	mkdir -p "$(dirname "$log")"
	export DEBIAN_FRONTEND=noninteractive
	if ! { as_root apt-get update && as_root apt-get install -y --no-install-recommends "$@"; } > "$log" 2>&1; then
		tail -n 5 "$log" >&2
		echo "apt-get could not install $* (all of its messages: $log)" >&2
		return 1
	fi
}

# clang and the runtime of its libFuzzer.
has_libfuzzer()
{
	local program
	program=$(mktemp)
	printf 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return p == 0 && n > 1; }\n' |
		clang -fsanitize=fuzzer,address -x c -o "$program" - > /dev/null 2>&1
	local status=$?
	rm -f "$program"
	return $status
}

cores() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }
