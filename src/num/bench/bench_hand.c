#include "num/bench/bench_hand.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"

#define HAND_EXPORT static
#if defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ && defined __x86_64__
#define HAND_CLONES                                                                                          \
	__attribute__((optimize("O3"), target_clones("avx512f", "avx2", "default"), noinline)) static
#else
#define HAND_CLONES static
#endif
#define HAND_PLAIN
#define HAND_MATH
#include "num/bench/bench_loops.inc"

/* The source of the handwritten loops as text, which is compiled at run time. */
__asm__(".pushsection .rodata\n"
        "gantry_bench_loops:\n"
        ".incbin \"src/num/bench/bench_loops.inc\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char loops_text[] __asm__("gantry_bench_loops") __attribute__((visibility("hidden")));

extern char **environ;

static bool shell(const char *command)
{
	char *argv[] = {"sh", "-c", (char *)command, NULL};
	pid_t pid;
	int status = -1;

	return 0 == posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) &&
	       pid == waitpid(pid, &status, 0) && WIFEXITED(status) && 0 == WEXITSTATUS(status);
}

/* Fast math is for the one loop that needs it; it is left out of linking, where it would change how the whole
 * process rounds. */
static bool compile(const char *cc, const char *folder)
{
	char *command = mem_printf(
	        "cd '%s' || exit 1\n"
	        "build='%s -std=gnu11 -w -O3 -march=native -fno-trapping-math -fopenmp -fPIC -DHAND_NATIVE'\n"
	        "vector=-fveclib=libmvec\n"
	        "$build $vector -E loops.c >/dev/null 2>&1 || vector=\n"
	        "{ $build -DHAND_PLAIN -c loops.c -o plain.o &&\n"
	        "  $build -DHAND_MATH -ffast-math $vector -c loops.c -o math.o &&\n"
	        "  %s -shared -fopenmp plain.o math.o -o loops.so -lmvec -lm; } >log 2>&1",
	        folder, cc, cc);
	bool done = shell(command);

	free(command);
	return done;
}

static bool write_text(const char *folder)
{
	char *path = mem_printf("%s/loops.c", folder);
	FILE *f = fopen(path, "w");
	bool good = f && EOF != fputs(loops_text, f);

	free(path);
	return f && 0 == fclose(f) && good;
}

static void remove_folder(const char *folder)
{
	const char *const names[] = {"loops.c", "plain.o", "math.o", "loops.so", "log"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *path = mem_printf("%s/%s", folder, names[i]);

		unlink(path);
		free(path);
	}

	rmdir(folder);
}

/* Compiles and opens; NULL when one of the two is not possible. */
static void *open_native(const char *cc)
{
	char *folder = mem_printf("%s/gantry-bench.XXXXXX", file_tmpdir());
	void *lib = NULL;

	if (mkdtemp(folder)) {
		if (write_text(folder) && compile(cc, folder)) {
			char *path = mem_printf("%s/loops.so", folder);

			lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			free(path);
		}

		remove_folder(folder);
	}

	free(folder);
	return lib;
}

/* False when a loop is missing. */
static bool take(struct hand *h, void *lib)
{
	bool all = true;

#define X(name, type) all = NULL != (h->name = (type *)dlsym(lib, "hand_" #name)) && all;
	HAND_LOOPS(X)
#undef X
#define X(name, type) h->name = (type *)dlsym(lib, "hand_" #name);
	HAND_EXTRAS(X)
#undef X
	return all;
}

static void built_in(struct hand *h)
{
#define X(name, type) h->name = hand_##name;
	HAND_LOOPS(X)
#undef X
#define X(name, type) h->name = NULL;
	HAND_EXTRAS(X)
#undef X
}

static void make(struct hand *h)
{
	const char *wanted = getenv("CC");
	const char *const compilers[] = {wanted && *wanted ? wanted : "gcc", "gcc", "cc"};

	for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
		void *lib = open_native(compilers[i]);

		if (!lib || !take(h, lib))
			continue;

		h->native = true;
		h->how = mem_printf("%s -O3 -march=native", compilers[i]);
		return;
	}

	built_in(h);
	h->how = "as built into this program (found no compiler here; set CC)";
}

const struct hand *hand_loops(void)
{
	static struct hand h;

	if (!h.how)
		make(&h);

	h.threads(tool_threads());
	return &h;
}
