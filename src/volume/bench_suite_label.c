/** Connected components of masks, array to array. */

#include <string.h>

#include "volume/bench_mask.h"
#include "volume/parts.h"

struct work {
	struct bench_mask m;
	uint32_t *label;
};

static void write_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	const struct work *w = ctx;
	const long nx = w->m.in.nx;

	(void)shared;
	memset(w->label + c->first * nx, 0, (size_t)(c->rows * nx) * sizeof *w->label);

	for (long r = 0; r < c->rows; r++)
		for (long i = c->start[r]; i < c->start[r + 1]; i++)
			for (uint32_t x = c->run[i].start; x < c->run[i].end; x++)
				w->label[(c->first + r) * nx + x] = c->number[c->local[i]];
}

static void label(struct work *w, int neighbours)
{
	const struct parts_volume v = {.nx = w->m.in.nx,
	        .ny = w->m.in.ny,
	        .nz = w->m.in.nz,
	        .neighbours = neighbours,
	        .rows = mask_rows,
	        .ctx = &w->m.rows,
	        .what = "bench"};
	struct parts *p = parts_find(&v);

	parts_pass(p, &(struct parts_pass){.chunk = write_chunk, .ctx = w, .what = "bench"});
	w->m.sum = (double)parts_count(p);
	parts_free(p);
}

static void run_6(void *ctx)
{
	label(ctx, 6);
}

static void run_26(void *ctx)
{
	label(ctx, 26);
}

static void bench_label_run(struct bench *b, long size)
{
	struct work w;

	if (!bench_mask_create(&w.m, b, size))
		return;

	w.label = (uint32_t *)w.m.out;
	bench_mask_random(&w.m, .3);
	bench_mask_case(&w.m, "label, 6 neighbours, 30 % random voxels", 5., run_6, &w);
	bench_mask_balls(&w.m);
	bench_mask_case(&w.m, "label, 6 neighbours, balls", 5., run_6, &w);
	bench_mask_case(&w.m, "label, 26 neighbours, balls", 5., run_26, &w);
	bench_mask_free(&w.m);
}

const struct bench_suite bench_suite_label = {
        .name = "label",
        .about = "connected components of balls and of random voxels",
        .sizes = {128, 256},
        .run = bench_label_run,
};
