/** The time of an iteration of conjugate gradients without its projection and back projection, measured by
 * clocks in the iteration.
 */

#include <stdio.h>
#include <stdlib.h>

#include "ct/bench/bench_projector.h"
#include "ct/projector/xray.h"
#include "iter/algorithm/cg.h"
#include "misc/progress.h"
#include "num/bench/bench.h"
#include "num/device/device.h"

enum { VIEWS = 360, ITERATIONS = 6 };

/** A with clocks: an iteration lasts from the end of one back projection to that of the next, so that the
 * start of the run is no part of any. */
struct clocked {
	const struct linop *A;
	long iterations;
	double all, inside; // [s] of these, and in A and A' of them
	double since, end;  // in A since the last back projection; when that ended
};

struct work {
	struct clocked clock;
	struct linop *A; // with them
	float *y, *x;
	long runs;
};

/** What one row takes from a run: each run serves both, so that they are of the same one. */
struct share {
	struct work *work;
	long taken; // the run seen last
	bool inside;
};

/** Seconds of one application, everything before it done. */
static double apply(void (*fn)(const struct linop *A, void *dst, const void *src), const struct linop *A,
        void *dst, const void *src)
{
	device_sync();

	const double begun = now();

	fn(A, dst, src);
	device_sync();

	return now() - begun;
}

static void forward(const void *self, void *dst, const void *src)
{
	struct clocked *c = (struct clocked *)self;

	c->since += apply(linop_forward, c->A, dst, src);
}

static void adjoint(const void *self, void *dst, const void *src)
{
	struct clocked *c = (struct clocked *)self;
	const double inside = c->since + apply(linop_adjoint, c->A, dst, src), end = now();

	if (c->end > 0.) {
		c->iterations++;
		c->inside += inside;
		c->all += end - c->end;
	}

	c->since = 0.;
	c->end = end;
}

static struct linop *clocked_create(struct clocked *c, const struct linop *A)
{
	static const struct linop_ops ops = {
	        .name = "clocked", .forward = forward, .adjoint = adjoint, .anywhere = true};

	*c = (struct clocked){.A = A};

	return linop_create(&ops, c, linop_type(A), linop_codomain_rank(A), linop_codomain(A),
	        linop_domain_rank(A), linop_domain(A));
}

static void run_cg(void *ctx)
{
	struct share *s = ctx;
	struct work *w = s->work;

	if (s->taken == w->runs) {
		w->clock = (struct clocked){.A = w->clock.A};
		cg(&(const struct iter_problem){.A = w->A, .y = w->y},
		        &(const struct iter_conf){.iterations = ITERATIONS}, w->x);
		w->runs++;
	}

	s->taken = w->runs;
}

static double seconds(void *ctx)
{
	const struct share *s = ctx;
	const struct clocked *c = &s->work->clock;

	return (s->inside ? c->inside : c->all) / (double)c->iterations;
}

/** n numbers, on the GPU under -g: there the vectors stay. */
static float *vector(long n, unsigned long seed)
{
	float *here = bench_random(n, seed), *there;

	if (device_used() < 0)
		return here;

	there = device_alloc((size_t)n * sizeof *there);
	device_copy(there, here, (size_t)n * sizeof *there);
	free(here);

	return there;
}

static void vector_free(float *p)
{
	if (device_holds(p))
		device_free(p);
	else
		free(p);
}

static void bench_cg_run(struct bench *b, long n)
{
	static const char *const names[] = {"parallel", "cone"};
	const long views = (device_used() < 0) ? VIEWS : n;

	for (int kind = BENCH_PARALLEL; kind <= BENCH_CONE; kind++) {
		struct geom *g = bench_geom(kind, n, views);
		const struct grid grid = bench_grid(kind, n);
		struct linop *A = linop_xray_create(g, &grid, XRAY_JOSEPH, DT_FLOAT32, 1, 1);
		const long voxels = linop_domain_size(A), pixels = linop_codomain_size(A);
		struct work w = {.runs = 0};
		struct share share[] = {{.work = &w}, {.work = &w, .inside = true}};
		struct bench_case c = {.name = names[kind], .hand = 1, .most_rounds = 2};
		struct bench_contender who[] = {
		        {.name = "an iteration of cg"}, {.name = "A and A' in an iteration"}};

		for (int i = 0; i < 2; i++) {
			who[i].run = run_cg;
			who[i].ctx = &share[i];
			who[i].seconds = seconds;
			who[i].updates = 2. * (double)voxels * (double)views;
		}

		// on a GPU one vector at a time is made here
		const long here = (device_used() < 0) ? 4 * voxels + 4 * pixels
		                  : (voxels > pixels) ? voxels
		                                      : pixels;

		if (!bench_fits(4. * (double)here, names[kind])) {
			linop_free(A);
			geom_free(g);
			continue;
		}

		w.A = clocked_create(&w.clock, A);
		w.y = vector(pixels, 1);
		w.x = vector(voxels, 3);
		snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld, %ld views", grid.size[0], grid.size[1],
		        grid.size[2], views);
		bench_triad(b, 0, NULL, NULL, NULL);
		bench_case(b, &c, 2, who);
		linop_free(w.A);
		linop_free(A);
		geom_free(g);
		vector_free(w.y);
		vector_free(w.x);
	}
}

const struct bench_suite bench_suite_cg = {.name = "cg",
        .about = "an iteration of conjugate gradients, and its projection and back projection. There are "
                 "as many views as voxels along an axis. With -g, the suite runs on the GPU",
        .sizes = {128, 256},
        .run = bench_cg_run};
