/** A volume rotated by 30 degrees, array to array. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "linops/resample/resample.h"
#include "misc/mem.h"
#include "num/bench/bench.h"

struct work {
	long n;
	float *in, *out;
	struct resample_plan *plan;
	void *room;
	long bytes;
};

static void bench_resample_rotate(void *ctx)
{
	struct work *w = ctx;

	resample_forward(w->plan, (struct resample_array){.data = w->out, .type = DT_FLOAT32, .step = 4},
	        (struct resample_array){.data = w->in, .type = DT_FLOAT32, .step = 4}, w->room, w->bytes);
}

static double check(void *ctx)
{
	const struct work *w = ctx;

	return (double)w->out[(w->n / 2 * w->n + w->n / 2) * w->n + w->n / 2];
}

static void one(struct bench *b, struct work *w, const char *name, enum resample_kernel kernel)
{
	const double c = cos(M_PI / 6.), s = sin(M_PI / 6.), mid = .5 * (double)(w->n - 1);
	const struct resample r = {.kernel = kernel,
	        .in = {w->n, w->n, w->n},
	        .out = {w->n, w->n, w->n},
	        .at = {{c, -s, 0., mid - (c - s) * mid}, {s, c, 0., mid - (s + c) * mid}, {0., 0., 1., 0.}},
	        .coarser = {1., 1., 1.}};
	struct bench_case k = {.name = name,
	        .hand = -1,
	        .bytes = 8. * (double)(w->n * w->n * w->n),
	        .check = check,
	        .check_ctx = w,
	        .tolerance = 1e-9};

	snprintf(k.shape, sizeof k.shape, "%ld^3 float32", w->n);
	w->plan = resample_plan_create(&r, DT_FLOAT32, NULL, NULL);
	w->bytes = resample_memory(w->plan);
	w->room = mem_alloc((size_t)w->bytes + 64);
	bench_case(b, &k, 1,
	        (const struct bench_contender[]){{.name = "gantry", .run = bench_resample_rotate, .ctx = w}});
	free(w->room);
	resample_plan_free(w->plan);
}

static void bench_resample_run(struct bench *b, long size)
{
	struct work w = {.n = size};
	const long count = size * size * size;
	char what[64];

	snprintf(what, sizeof what, "%ld^3", size);

	if (!bench_fits(20. * (double)count, what))
		return;

	w.in = bench_random(count, 1);
	w.out = bench_random(count, 2);

	float *other = bench_random(count, 3);

	bench_triad(b, count, other, w.in, w.in);
	one(b, &w, "rotated by 30 degrees, nearest", RESAMPLE_NEAREST);
	one(b, &w, "rotated by 30 degrees, linear", RESAMPLE_LINEAR);
	one(b, &w, "rotated by 30 degrees, cubic", RESAMPLE_CUBIC);
	one(b, &w, "rotated by 30 degrees, lanczos", RESAMPLE_LANCZOS);
	free(w.in);
	free(w.out);
	free(other);
}

const struct bench_suite bench_suite_resample = {
        .name = "resample",
        .about = "a volume rotated by 30 degrees",
        .sizes = {128, 256},
        .run = bench_resample_run,
};
