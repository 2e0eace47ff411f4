/* Self-tests of kernel families, and the record of passed ones. */

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/cache.h"
#include "num/device/cuda/selftest.h"
#include "num/device/cuda/settings.h"
#include "num/device/device.h"

enum { MARK = 128 };

static struct gpu_selftest *families;

/** Before main(), in whatever order the linker found them. */
void gpu_selftest_add(struct gpu_selftest *t)
{
	struct gpu_selftest **at = &families;

	while (NULL != *at && strcmp((*at)->name, t->name) < 0)
		at = &(*at)->next;

	t->next = *at;
	*at = t;
}

static bool is_emulated(void)
{
	return 0 == strcmp(device_toolkit(), "emulated");
}

/** The file that says which build passed the test on the device in use; NULL: nowhere to keep it. */
static char *mark_of(const struct gpu_selftest *t)
{
	const int id = gpu_current();
	char *name = mem_printf("selftest-%s-%s-%d", t->name, device_name(id), device_capability(id));

	for (char *p = name; *p; p++)
		if ('/' == *p || ' ' == *p)
			*p = '_';

	char *path = is_emulated() ? NULL : cache_path(name);

	free(name);

	return path;
}

static void line_of(char line[MARK])
{
	snprintf(line, MARK, "%s driver %d", gpu_build(), gpu_driver_version());
}

static bool is_marked(const char *mark)
{
	char line[MARK], found[MARK] = "";
	FILE *f = (NULL == mark) ? NULL : fopen(mark, "r");

	if (NULL == f)
		return false;

	line_of(line);

	const bool read = NULL != fgets(found, sizeof found, f);

	fclose(f);

	return read && 0 == strcmp(line, found);
}

/** Under its name at once, as other processes may do the same; failing only means a test more. */
static void write_mark(const char *mark)
{
	char line[MARK], *temporary = mem_printf("%s.XXXXXX", mark);
	const int fd = mkstemp(temporary);

	if (fd >= 0) {
		line_of(line);

		const ssize_t bytes = (ssize_t)strlen(line);
		const bool written = bytes == write(fd, line, (size_t)bytes);

		if (0 != close(fd) || !written || 0 != rename(temporary, mark))
			unlink(temporary);
	}

	free(temporary);
}

static void selftest_run(struct gpu_selftest *t)
{
	char why[256] = "";

	if (!t->fn(why, sizeof why))
		error("GPU: the self-test '%s' fails on %s: %s; the results of this GPU, driver and build "
		      "cannot be trusted (use --device cpu)",
		        t->name, device_name(gpu_current()), why);
}

enum { UNKNOWN, RUNS, PASSED };

/** Held while tests run, by the thread that runs them, which may need other families for that. */
static pthread_mutex_t lock;
static _Thread_local int depth;

__attribute__((constructor)) static void make_lock(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &a);
	pthread_mutexattr_destroy(&a);
}

bool gpu_selftest_runs(void)
{
	return 0 < depth;
}

static void pass(struct gpu_selftest *t)
{
	if (t->compiles && is_emulated())
		return;

	char *mark = mark_of(t);

	if (!is_marked(mark)) {
		gpu_beside(true);
		selftest_run(t);
		gpu_beside(false);

		if (NULL != mark)
			write_mark(mark);
	}

	free(mark);
}

void gpu_selftest(struct gpu_selftest *t)
{
	int *state = &t->state[gpu_current()];

	if (PASSED == __atomic_load_n(state, __ATOMIC_ACQUIRE))
		return;

	pthread_mutex_lock(&lock);

	if (UNKNOWN == *state) { // else this thread's test uses its family
		*state = RUNS;
		depth++;
		pass(t);
		depth--;
		__atomic_store_n(state, PASSED, __ATOMIC_RELEASE);
	}

	pthread_mutex_unlock(&lock);
}

static struct gpu_selftest *family(int i)
{
	struct gpu_selftest *t = families;

	while (0 < i--)
		t = t->next;

	return t;
}

int device_selftests(void)
{
	int n = 0;

	for (const struct gpu_selftest *t = families; NULL != t; t = t->next)
		n++;

	return n;
}

const char *device_selftest_name(int i)
{
	return family(i)->name;
}

bool device_selftest(int i, char *why, size_t room)
{
	return family(i)->fn(why, room);
}

/* ---- the same work on both sides ---- */

/** Numbers that no order or step makes look alike. */
static void fill(float *x, unsigned seed)
{
	for (unsigned i = 0; i < SELFTEST_NUMBERS; i++) {
		const unsigned h = (i * 2654435761u + seed) * 2246822519u;

		x[i] = (float)(h >> 8) / (float)(1 << 24) - .5f;
	}
}

static bool is_same(char *why, size_t room, const char *what, const float *cpu, const float *gpu, long n,
        double tolerance)
{
	float most = 0.f;

	for (long i = 0; i < n; i++)
		most = fmaxf(most, fabsf(cpu[i]));

	for (long i = 0; i < n; i++) {
		if (0 == memcmp(cpu + i, gpu + i, sizeof *cpu) ||
		        (0. < tolerance && fabs((double)gpu[i] - cpu[i]) <= tolerance * most))
			continue;

		snprintf(why, room, "%s: result %ld is %.9g, expected %.9g", what, i, gpu[i], cpu[i]);

		return false;
	}

	return true;
}

bool gpu_selftest_same(char *why, size_t room, const char *what,
        void (*work)(float *out, const float *x, const float *y), double tolerance)
{
	const size_t in = SELFTEST_NUMBERS * sizeof(float), out = 4 * in;
	float *x = mem_alloc(in), *y = mem_alloc(in), *cpu = mem_calloc(1, out), *gpu = mem_alloc(out);
	float *x_there = device_alloc(in), *y_there = device_alloc(in), *there = device_alloc(out);

	fill(x, 1);
	fill(y, 2);
	device_copy(x_there, x, in);
	device_copy(y_there, y, in);
	device_fill(there, 0, out);
	work(cpu, x, y);
	work(there, x_there, y_there);
	device_copy(gpu, there, out);

	const bool same = is_same(why, room, what, cpu, gpu, 4 * SELFTEST_NUMBERS, tolerance);

	device_free(x_there);
	device_free(y_there);
	device_free(there);
	free(x);
	free(y);
	free(cpu);
	free(gpu);

	return same;
}
