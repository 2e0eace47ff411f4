/** What conjugate gradients cost beside the projections that they are made of. */

#include <stdio.h>
#include <stdlib.h>

#include "iter/cg.h"
#include "linops/xray/bench_projector.h"
#include "linops/xray/xray.h"
#include "num/bench.h"
#include "num/device.h"

enum { VIEWS = 360, ITERATIONS = 6 };

struct work {
	struct linop *A;
	float *y, *x, *Ax;
};

static void run_cg(void *ctx)
{
	const struct work *w = ctx;

	cg(&(const struct iter_problem){.A = w->A, .y = w->y},
	        &(const struct iter_conf){.iterations = ITERATIONS}, w->x);
	device_sync();
}

static void run_projections(void *ctx)
{
	const struct work *w = ctx;

	for (int i = 0; i < ITERATIONS; i++) {
		linop_adjoint(w->A, w->x, w->y);
		linop_forward(w->A, w->Ax, w->x);
	}

	device_sync();
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

static void run(struct bench *b, long n)
{
	static const char *const names[] = {"parallel", "cone"};
	const long views = (device_used() < 0) ? VIEWS : n;

	for (int kind = BENCH_PARALLEL; kind <= BENCH_CONE; kind++) {
		struct geom *g = bench_geom(kind, n, views);
		const struct grid grid = bench_grid(kind, n);
		struct work w = {.A = linop_xray_create(g, &grid, XRAY_JOSEPH, DT_FLOAT32, 1, 1)};
		const long voxels = linop_domain_size(w.A), pixels = linop_codomain_size(w.A);
		struct bench_case c = {.name = names[kind], .hand = 1, .most_rounds = 2};
		const struct bench_contender who[] = {
		        {.name = "6 iterations of cg",
		                .run = run_cg,
		                .ctx = &w,
		                .updates = 2. * ITERATIONS * (double)voxels * (double)views},
		        {.name = "their projections alone",
		                .run = run_projections,
		                .ctx = &w,
		                .updates = 2. * ITERATIONS * (double)voxels * (double)views}};

		// on a GPU one vector at a time is made here
		const long here = (device_used() < 0) ? 4 * voxels + 5 * pixels
		                  : (voxels > pixels) ? voxels
		                                      : pixels;

		if (!bench_fits(4. * (double)here, names[kind])) {
			linop_free(w.A);
			geom_free(g);
			continue;
		}

		w.y = vector(pixels, 1);
		w.Ax = vector(pixels, 2);
		w.x = vector(voxels, 3);
		snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld, %ld views", grid.size[0], grid.size[1],
		        grid.size[2], views);
		bench_triad(b, 0, NULL, NULL, NULL);
		bench_case(b, &c, 2, who);
		linop_free(w.A);
		geom_free(g);
		vector_free(w.y);
		vector_free(w.Ax);
		vector_free(w.x);
	}
}

const struct bench_suite bench_suite_cg = {.name = "cg",
        .about = "conjugate gradients beside the projections that they are made of; with -g on the GPU, as "
                 "many "
                 "views as the extent",
        .sizes = {128, 256},
        .run = run};
