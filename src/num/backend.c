/* Which table of primitives serves an address, and the counting entries of --profile. */

#include <pthread.h>
#include <stdio.h>

#include "misc/error.h"
#include "misc/opt.h"
#include "misc/progress.h"
#include "num/backend.h"

enum row {
#define X(op, ret, params, args, bytes) ROW_##op,
	BACKEND_PRIMITIVES(X)
#undef X
	        ROWS
};

static const char *const row_names[ROWS] = {
#define X(op, ret, params, args, bytes) #op,
        BACKEND_PRIMITIVES(X)
#undef X
};

/** What --profile counts, summed over threads. */
static struct {
	long calls, nanoseconds, bytes;
} rows[ROWS];

static struct backend plain;

/** A call in progress; span_end() runs when it leaves scope, after the primitive. */
struct span {
	enum row row;
	long bytes;
	double start;
};

static void span_end(const struct span *s)
{
	long ns = (long)((now() - s->start) * 1e9);

#pragma omp atomic
	rows[s->row].calls++;
#pragma omp atomic
	rows[s->row].nanoseconds += ns;
#pragma omp atomic
	rows[s->row].bytes += s->bytes;
}

#define X(op, ret, params, args, bytes)                                                                      \
	static ret count_##op params                                                                         \
	{                                                                                                    \
		const struct span span                                                                       \
		        __attribute__((cleanup(span_end), unused)) = {ROW_##op, bytes, now()};               \
                                                                                                             \
		return plain.op args;                                                                        \
	}
BACKEND_PRIMITIVES(X)
#undef X

static void profile_print(void)
{
	fprintf(stderr, "gantry %s: %-10s %12s %12s %12s %10s\n", tool_name, "primitive", "calls", "seconds",
	        "GB", "GB/s");

	for (int i = 0; i < ROWS; i++) {
		double seconds = (double)rows[i].nanoseconds * 1e-9, gb = (double)rows[i].bytes * 1e-9;

		if (0 < rows[i].calls)
			fprintf(stderr, "gantry %s: %-10s %12ld %12.6f %12.6f %10.3f\n", tool_name,
			        row_names[i], rows[i].calls, seconds, gb, (0 < seconds) ? gb / seconds : 0.);
	}
}

/** Replaces the entries by counting ones. */
static void profile_if_asked(void)
{
	if (!tool_profile())
		return;

	plain = backend_cpu;
#define X(op, ret, params, args, bytes) backend_cpu.op = count_##op;
	BACKEND_PRIMITIVES(X)
#undef X
	on_exit_call(profile_print);
}

struct backend *backend_of(const void *p)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)p; // every address is the CPU's as long as it has the only table
	pthread_once(&once, profile_if_asked);

	return &backend_cpu;
}
