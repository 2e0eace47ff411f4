/** Self-tests of kernel families, and which of them have passed in this process. */

#include "num/device/selftest.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/verdict.h"

static struct selftest *families[SELFTEST_KINDS];
static const struct selftest_device *devices[SELFTEST_KINDS];

/** The largest deviation of the test that runs. */
static double worst;

/** Called before main(), in any order. */
void selftest_add(enum selftest_kind kind, struct selftest *t)
{
	struct selftest **at = &families[kind];

	while (*at && strcmp((*at)->name, t->name) < 0)
		at = &(*at)->next;

	t->next = *at;
	*at = t;
}

void selftest_serve(enum selftest_kind kind, const struct selftest_device *d)
{
	devices[kind] = d;
}

struct selftest *selftest_first(enum selftest_kind kind)
{
	return families[kind];
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

bool selftest_applies(enum selftest_kind kind, const struct selftest *t)
{
	return !t->float64 || devices[kind]->has_float64();
}

bool selftest_runs(void)
{
	return depth > 0;
}

/** The name under which the verdict is stored; to be freed. */
static char *full_name(enum selftest_kind kind, const struct selftest *t)
{
	return mem_printf("%s-%s", devices[kind]->word, t->name);
}

static bool run(enum selftest_kind kind, struct selftest *t, char *why, size_t room)
{
	const struct selftest_device *d = devices[kind];
	char *state = d->state(), *family = full_name(kind, t);

	d->beside(true);

	const bool passed = t->fn(why, room);

	d->beside(false);

	if (state)
		verdict_write(family, d->name(), state, passed, why);

	free(state);
	free(family);
	return passed;
}

bool selftest_try(enum selftest_kind kind, struct selftest *t, double *error, char *why, size_t room)
{
	pthread_mutex_lock(&lock);
	depth++;
	t->state[devices[kind]->number()] = RUNS;
	worst = 0.;

	const bool passed = run(kind, t, why, room);

	*error = worst;
	t->state[devices[kind]->number()] = passed ? PASSED : UNKNOWN;
	depth--;
	pthread_mutex_unlock(&lock);
	return passed;
}

/** Runs the test unless there is a verdict. */
static void pass(enum selftest_kind kind, struct selftest *t)
{
	const struct selftest_device *d = devices[kind];
	char *state = d->state(), *family = full_name(kind, t), why[256] = "";
	enum verdict v = state ? verdict_read(family, d->name(), state, why, sizeof why) : VERDICT_UNKNOWN;
	const bool earlier = v == VERDICT_FAILED;
	const double before = worst; // of the test that needs this family

	if (v == VERDICT_UNKNOWN && !(t->compiles && !state))
		v = run(kind, t, why, sizeof why) ? VERDICT_PASSED : VERDICT_FAILED;

	free(state);
	free(family);
	worst = before;

	if (v == VERDICT_FAILED)
		error("%s: the self-test '%s' %s on %s: %s. The results of this %s, driver and build cannot "
		      "be trusted (use --device cpu%s)",
		        d->word, t->name, earlier ? "failed before" : "fails", d->name(), why, d->thing,
		        earlier ? ", or 'gantry cache --clear' to run the test again" : "");
}

void selftest_need(enum selftest_kind kind, struct selftest *t)
{
	int *state = &t->state[devices[kind]->number()];

	if (PASSED == __atomic_load_n(state, __ATOMIC_ACQUIRE))
		return;

	pthread_mutex_lock(&lock);

	if (UNKNOWN == *state) { // else this thread's test uses its family
		*state = RUNS;
		depth++;
		pass(kind, t);
		depth--;
		__atomic_store_n(state, PASSED, __ATOMIC_RELEASE);
	}

	pthread_mutex_unlock(&lock);
}

/* ---- known results ---- */

void selftest_fill(float *x, long n, unsigned seed)
{
	for (unsigned i = 0; i < n; i++) {
		const unsigned h = (i * 2654435761u + seed) * 2246822519u;

		x[i] = (float)(h >> 8) / (float)(1 << 24) - .5f;
	}
}

bool selftest_same(char *why, size_t room, const char *what, const double *found, const double *expected,
        long n, double tolerance)
{
	double most = 0.;

	for (long i = 0; i < n; i++)
		most = fmax(most, fabs(expected[i]));

	for (long i = 0; i < n; i++) {
		const double d = fabs(found[i] - expected[i]);

		if (0 == memcmp(found + i, expected + i, sizeof *found))
			continue;

		worst = (d <= worst * most) ? worst : d / most; // of NaN: NaN

		if (tolerance > 0. && d <= tolerance * most)
			continue;

		snprintf(why, room, "%s: result %ld is %.9g, expected %.9g", what, i, found[i], expected[i]);
		return false;
	}

	return true;
}
