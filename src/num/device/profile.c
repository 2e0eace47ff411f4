/* The counters and the table of --profile. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/device/profile.h"

static struct profile_entry *entries; // those called so far
static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;

bool profile_on(void)
{
	return tool_profile();
}

/** By module, then the most time first. */
static int before(const void *a, const void *b)
{
	const struct profile_entry *x = *(struct profile_entry *const *)a;
	const struct profile_entry *y = *(struct profile_entry *const *)b;
	int order = strcmp(x->module, y->module);

	return (0 != order) ? order : (x->nanoseconds < y->nanoseconds) - (x->nanoseconds > y->nanoseconds);
}

/** "-" where no time was measured. */
static void print_rate(double amount, double seconds)
{
	if (0 < seconds && 0 < amount)
		fprintf(stderr, " %10.3f", amount / seconds * 1e-9);
	else
		fprintf(stderr, " %10s", "-");
}

static void print_entry(const struct profile_entry *e)
{
	const double seconds = (double)e->nanoseconds * 1e-9;

	fprintf(stderr, "gantry %s: %-8s %-22s %10ld %12.6f %12.6f", tool_name, e->module, e->name, e->calls,
	        seconds, (double)e->bytes * 1e-9);
	print_rate((double)e->bytes, seconds);
	print_rate(e->updates, seconds);
	fprintf(stderr, "\n");
}

static void profile_print(void)
{
	size_t n = 0, i = 0;

	if (ranks_rank() > 0)
		return;

	if (ranks_count() > 1)
		fprintf(stderr, "gantry %s: rank 0 of %d\n", tool_name, ranks_count());

	for (const struct profile_entry *e = entries; NULL != e; e = e->next)
		n++;

	struct profile_entry **list = mem_alloc(n * sizeof(struct profile_entry *));

	for (struct profile_entry *e = entries; NULL != e; e = e->next)
		list[i++] = e;

	qsort(list, n, sizeof *list, before);
	fprintf(stderr, "gantry %s: %-8s %-22s %10s %12s %12s %10s %10s\n", tool_name, "module", "entry",
	        "calls", "seconds", "GB", "GB/s", "GUPS");

	for (i = 0; i < n; i++)
		print_entry(list[i]);

	free(list);
}

static void introduce(struct profile_entry *e)
{
	pthread_mutex_lock(&entries_lock);

	if (!e->known) {
		if (NULL == entries)
			on_exit_call(profile_print);

		e->next = entries;
		entries = e;
		__atomic_store_n(&e->known, true, __ATOMIC_RELEASE);
	}

	pthread_mutex_unlock(&entries_lock);
}

void profile_add(struct profile_entry *e, long nanoseconds, long bytes, double updates)
{
	if (profile_on() && !__atomic_load_n(&e->known, __ATOMIC_ACQUIRE))
		introduce(e);

	__atomic_fetch_add(&e->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&e->nanoseconds, nanoseconds, __ATOMIC_RELAXED);
	__atomic_fetch_add(&e->bytes, bytes, __ATOMIC_RELAXED);
#pragma omp atomic
	e->updates += updates;
}

void profile_count(struct profile_entry *e, double start, long bytes)
{
	profile_add(e, (long)((now() - start) * 1e9), bytes, 0.);
}

void profile_span_end(const struct profile_span *s)
{
	if (NULL != s->entry)
		profile_count(s->entry, s->start, s->bytes);
}
