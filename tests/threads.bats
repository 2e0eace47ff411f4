load common

# Beside a command, a count of its parallel regions of more than one thread, as libgomp is called.
setup_file() {
    cat >"$BATS_FILE_TMPDIR/count.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void run_fn(void (*fn)(void *), void *data, unsigned threads, unsigned flags);

static long wide;

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
	static run_fn *run;

	if (NULL == run)
		run = (run_fn *)dlsym(RTLD_NEXT, "GOMP_parallel");

	wide += 1 != threads;
	run(fn, data, threads, flags);
}

__attribute__((destructor)) static void report(void)
{
	const char *name = getenv("REGIONS");
	FILE *file = name ? fopen(name, "w") : NULL;

	if (file) {
		fprintf(file, "%ld\n", wide);
		fclose(file);
	}
}
C
    gcc -shared -fPIC -o "$BATS_FILE_TMPDIR/count.so" "$BATS_FILE_TMPDIR/count.c" -ldl
}

needs_libgomp() {
    sanitized && skip "the sanitizers come first"
    grep -q '^\(ccache \)\?gcc' "$GANTRY_BUILD/flags" || skip "counts the calls of gcc's library"
}

# regions COMMAND ARGUMENT..: prints how many regions of more than one thread it opens, of the two it may use
regions() {
    local tool=$1

    shift
    REGIONS=$PWD/regions LD_PRELOAD=$BATS_FILE_TMPDIR/count.so "$GANTRY_BUILD/bin/$tool" -q -j 2 "$@" >/dev/null
    cat regions
}

@test "threads: small problems wake no threads" {
    needs_libgomp
    random --size 8:8 a
    random --size 64:64 b
    phantom -s 128 x
    traj --views 30 --detector 128 g
    project g x p
    [ "$(regions matmul a a z)" -eq 0 ]
    [ "$(regions matmul b b z)" -eq 0 ]
    [ "$(regions expr '2*x+1' x=x z)" -eq 0 ]
    [ "$(regions norm x)" -eq 0 ]
    [ "$(regions sum 0 x z)" -eq 0 ]
    [ "$(regions project g x z)" -eq 0 ]
    [ "$(regions recon -a cg -i 50 g p z)" -le 2 ]
    [ "$(regions recon -R tv:0.01 -i 20 g p z)" -le 40 ]
    [ "$(regions recon -R wavelet:0.01 -i 10 g p z)" -le 5 ]
}

@test "threads: large problems keep theirs, and give the same bytes with any number" {
    needs_libgomp
    unset GANTRY_DEVICE # regions of the CPU's threads
    phantom -s 512 x
    traj --views 90 --detector 512 g
    project g x p
    [ "$(regions expr 'sqrt(x+1)' x=x z)" -ge 1 ]
    [ "$(regions matmul x x z)" -ge 1 ]
    [ "$(regions fbp g p z)" -ge 3 ]
    [ "$(regions recon -a cg -i 5 g p z)" -ge 40 ]

    for n in 1 2 7; do
        recon -j $n -R tv:0.01 -i 3 g p "z$n"
    done
    same_bytes z1 z2
    same_bytes z1 z7
}

@test "threads: commands of all modules write the same bytes with one thread and with three" {
    GANTRY_THREADS=1 "$GANTRY_SOURCE/tests/fingerprints" "$GANTRY_BUILD" >one
    GANTRY_THREADS=3 "$GANTRY_SOURCE/tests/fingerprints" "$GANTRY_BUILD" >three
    [ "$(wc -l <one)" -gt 130 ]
    if grep missing one; then false; fi
    diff one three
}
