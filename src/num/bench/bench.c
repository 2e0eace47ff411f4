/** Rounds, statistics, memory. */

#include "num/bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "num/backend/backend.h"
#include "num/bench/bench_machine.h"
#include "num/bench/bench_report.h"
#include "num/device/device.h"

enum { MOST = 12 }; // contenders of a case

struct bench {
	struct bench_settings settings;
	const char *suite;
	struct bench_result *results;
	long n;

	long triad_n;
	float *triad_z;
	const float *triad_x, *triad_y;
};

static const double shortest = 2e-3; // [s] of one measurement; shorter work is repeated in it

struct bench *bench_create(const struct bench_settings *s)
{
	struct bench *b = NEW(struct bench);

	b->settings = *s;

	return b;
}

const struct bench_settings *bench_settings(const struct bench *b)
{
	return &b->settings;
}

void bench_free(struct bench *b)
{
	free(b->results);
	free(b);
}

long bench_results(const struct bench *b, const struct bench_result **r)
{
	*r = b->results;

	return b->n;
}

void bench_run(struct bench *b, const struct bench_suite *s)
{
	const bool gpu = 0 <= device_used() && NULL != s->run_gpu;
	void (*run)(struct bench *, long) = gpu ? s->run_gpu : s->run;
	const long *sizes = gpu ? s->gpu_sizes : s->sizes;

	b->suite = s->name;

	if (gpu)
		bench_note("on GPU %d, %s", device_used(), device_name(device_used()));

	if (b->settings.n > 0)
		for (long i = 0; i < b->settings.n; i++)
			run(b, b->settings.size[i]);
	else
		for (size_t i = 0; i < sizeof s->sizes / sizeof s->sizes[0] && 0 < sizes[i]; i++)
			run(b, sizes[i]);

	bench_triad(b, 0, NULL, NULL, NULL);
}

void bench_triad(struct bench *b, long n, float *z, const float *x, const float *y)
{
	b->triad_n = n;
	b->triad_z = z;
	b->triad_x = x;
	b->triad_y = y;
}

void bench_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("note: ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

bool bench_fits(double bytes, const char *what)
{
	const char *text = getenv("GANTRY_MEM");
	double have = bench_memory_free();
	double limit = (text && *text) ? (double)parse_bytes(text, "GANTRY_MEM") : INFINITY;

	if (bytes <= .95 * have && bytes <= limit)
		return true;

	bench_note("%s left out: it needs %s of memory, but only %s are available", what, human_bytes(bytes),
	        human_bytes(have < limit ? have : limit));

	return false;
}

float *bench_random(long n, unsigned long seed)
{
	float *x = mem_alloc((size_t)mul_checked(n, (long)sizeof *x, "the arrays of a measurement"));

#pragma omp parallel for schedule(static)
	for (long i = 0; i < n; i++)
		x[i] = .5f +
		       0x1p-24f * (float)(((unsigned long)i + (seed << 40)) * 0x9e3779b97f4a7c15u >> 40);

	return x;
}

static void run_triad(void *ctx)
{
	const struct bench *b = ctx;

	hand_loops()->triad(b->triad_n, b->triad_z, b->triad_x, b->triad_y, b->triad_y);
}

/* Seconds of `repeat` runs; what another library's threads still do is waited for. */
static double time_runs(const struct bench_contender *c, long repeat)
{
	double start = now(), part = 0.;

	for (long i = 0; i < repeat; i++) {
		c->run(c->ctx);

		if (c->seconds)
			part += c->seconds(c->ctx);
	}

	device_sync();

	double seconds = c->seconds ? part : now() - start;

	if (c->settle)
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);

	return seconds;
}

/* Allocations of the array functions, while memory is measured. */
static void *(*plain_alloc)(size_t bytes);
static size_t large;
static _Atomic(long) large_ones;

static void *counting_alloc(size_t bytes)
{
	if (bytes >= large)
		atomic_fetch_add(&large_ones, 1);

	return plain_alloc(bytes);
}

static void measure_memory(const struct bench_contender *c, struct bench_result *r)
{
	struct backend *table = backend_of(NULL);

	large = (size_t)c->array_bytes / 2;
	large_ones = 0;
	plain_alloc = table->alloc;
	table->alloc = counting_alloc;
	bench_memory_reset();

	double before = bench_memory_now();

	c->run(c->ctx);
	table->alloc = plain_alloc;
	r->temporaries = large_ones;
	r->peak_bytes = fmax(0., bench_memory_peak() - before);
}

/* The first runs: they warm up, must agree, and say how often to repeat. One is enough that takes long, even
 * with what a first run prepares. */
static long warm_up(
        const struct bench_case *c, const struct bench_contender *who, struct bench_result *r, double *agreed)
{
	double seconds = 0;

	if (who->array_bytes > 0)
		measure_memory(who, r);
	else
		seconds = time_runs(who, 1);

	if (c->check && run_triad != who->run) {
		double value = c->check(c->check_ctx);

		if (isnan(*agreed))
			*agreed = value;

		if (!(fabs(value - *agreed) <= c->tolerance * fabs(*agreed)))
			error("%s, %s: '%s' gives %.9g, but other implementations give %.9g", c->name,
			        c->shape, who->name, value, *agreed);
	}

	if (seconds < 500 * shortest)
		seconds = time_runs(who, 1);

	return (seconds < shortest) ? 1 + (long)(shortest / fmax(seconds, 1e-7)) : 1;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void fill_statistics(struct bench_result *r, int rounds, double *ms, double bytes, double flops)
{
	qsort(ms, (size_t)rounds, sizeof *ms, ascending);
	r->rounds = rounds;
	r->ms = (rounds % 2) ? ms[rounds / 2] : .5 * (ms[rounds / 2 - 1] + ms[rounds / 2]);
	r->ms_min = ms[0];
	r->ms_max = ms[rounds - 1];
	r->gbs = (bytes > 0) ? 1e-6 * bytes / r->ms : NAN;
	r->gflops = (flops > 0) ? 1e-6 * flops / r->ms : NAN;
}

/* All rounds, each beginning with another contender; ms[contender][round]. */
static void take_turns(
        int rounds, int n, const struct bench_contender who[], const long repeat[], double (*ms)[MOST])
{
	for (int round = 0; round < rounds; round++)
		for (int k = 0; k < n; k++) {
			int i = (k + round) % n;

			ms[round][i] = 1e3 * time_runs(&who[i], repeat[i]) / (double)repeat[i];
		}
}

bool bench_wants(const struct bench *b, const char *name)
{
	return !b->settings.only || strstr(name, b->settings.only);
}

void bench_case(struct bench *b, const struct bench_case *c, int n, const struct bench_contender who[])
{
	if (!bench_wants(b, c->name))
		return;

	const int asked = b->settings.rounds,
	          rounds = (0 < c->most_rounds && c->most_rounds < asked) ? c->most_rounds : asked,
	          all = n + (0 < b->triad_n);
	struct bench_contender turns[MOST];
	struct bench_result r[MOST];
	long repeat[MOST];
	double agreed = NAN;
	double(*ms)[MOST] = mem_calloc((size_t)rounds, sizeof *ms);
	double *one = mem_calloc((size_t)rounds, sizeof *one);

	if (all > MOST)
		error("%s has %d implementations, expected at most %d", c->name, all, MOST);

	memcpy(turns, who, (size_t)n * sizeof *who);
	turns[n] = (struct bench_contender){.name = "triad", .run = run_triad, .ctx = b};

	for (int i = 0; i < all; i++) {
		r[i] = (struct bench_result){.suite = b->suite,
		        .name = c->name,
		        .contender = turns[i].name,
		        .vs_hand = NAN,
		        .vs_triad = NAN,
		        .temporaries = -1,
		        .peak_bytes = NAN};
		memcpy(r[i].shape, c->shape, sizeof r[i].shape);
		repeat[i] = warm_up(c, &turns[i], &r[i], &agreed);
	}

	take_turns(rounds, all, turns, repeat, ms);

	for (int i = all - 1; i >= 0; i--) {
		for (int k = 0; k < rounds; k++)
			one[k] = ms[k][i];

		if (i < n)
			fill_statistics(&r[i], rounds, one, c->bytes, c->flops);
		else
			fill_statistics(&r[i], rounds, one, 12. * (double)b->triad_n, 0);

		r[i].gups = (turns[i].updates > 0) ? 1e-6 * turns[i].updates / r[i].ms : NAN;
		r[i].vs_triad = (all > n) ? r[i].gbs / r[n].gbs : NAN;
	}

	for (int i = 0; i < n && c->hand >= 0; i++)
		r[i].vs_hand = isnan(r[i].gups) ? r[i].ms / r[c->hand].ms : r[c->hand].gups / r[i].gups;

	b->results = mem_realloc(b->results, (size_t)(b->n + all) * sizeof *b->results);
	memcpy(b->results + b->n, r, (size_t)all * sizeof *r);
	b->n += all;
	bench_print_case(r, all);
	free(ms);
	free(one);
}
