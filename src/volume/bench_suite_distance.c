/** Exact Euclidean distances in masks, array to array. */

#include <math.h>

#include "volume/bench_mask.h"
#include "volume/distance.h"

static void store(void *ctx, long x, long y, long z, long count, const double square[])
{
	struct bench_mask *m = ctx;
	float *to = m->out + (z * m->in.ny + y) * m->in.nx + x;

	for (long i = 0; i < count; i++)
		to[i] = (float)sqrt(square[i]);
}

static void measure(void *ctx)
{
	struct bench_mask *m = ctx;
	const struct distance d = {.nx = m->in.nx,
	        .ny = m->in.ny,
	        .nz = m->in.nz,
	        .h = {1., 1., 1.},
	        .rows = mask_rows,
	        .ctx = &m->rows};

	distance_slices(&d, 0, d.nz, m->out, 4);
	distance_columns(&d, 0, d.nz, m->out, 4, 0, d.nz, store, m);
	m->sum = (double)m->out[m->in.each / 2];
}

static void bench_distance_run(struct bench *b, long size)
{
	struct bench_mask m;

	if (!bench_mask_create(&m, b, size))
		return;

	bench_mask_random(&m, .999);
	m.data[0] = 0;
	bench_mask_case(&m, "distance, 0.1 % background", 5., measure, &m);
	bench_mask_balls(&m);
	bench_mask_case(&m, "distance, balls", 5., measure, &m);
	bench_mask_free(&m);
}

const struct bench_suite bench_suite_distance = {
        .name = "distance",
        .about = "exact Euclidean distances in balls, and to scattered background voxels",
        .sizes = {128, 256},
        .run = bench_distance_run,
};
