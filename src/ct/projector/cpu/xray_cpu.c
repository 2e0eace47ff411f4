/** The X-ray transform on the CPU: runs of views, each by the rows of its path. */

#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/projector.h"
#include "ct/projector/xray_backend.h"
#include "misc/progress.h"

enum { MOST_ROWS = 64 };

/** Voxels of some rows of bricks. */
static double voxels_of(const struct xray *x, const struct xray_tile *tile)
{
	double n = 0.;

	for (long row = tile->row; row < tile->row + tile->rows; row++) {
		struct brick b;

		brick_of_row(&b, x, 0, row);
		n += (double)x->grid.size[0] * b.size[1] * b.size[2];
	}

	return n;
}

/** Views of that row in the tile. */
static long views_of(const struct xray_call *p, bool forward, const struct projector *row)
{
	long n = 0;

	for (long k = p->tile->first; k < p->tile->first + p->tile->views; k++)
		n += (projectors_row(p->x->cpu, p->type, forward, k) == row);

	return n;
}

/** Counts what a call took: where its views have several rows, by the time in their kernels. */
static void count_call(const struct xray_call *p, bool forward, double seconds)
{
	const struct xray *x = p->x;
	const double voxels = voxels_of(x, p->tile), pixels = (double)x->g->cols * x->g->rows;
	double all = 0.;

	for (int r = 0; r < projectors_cpu.rows && p->spent; r++)
		all += (double)p->spent[r];

	for (int r = 0; r < projectors_cpu.rows; r++) {
		const struct projector *row = projectors_cpu.row + r;
		const double views = (double)views_of(p, forward, row),
		             share = !p->spent    ? 1.
		                     : (all > 0.) ? (double)p->spent[r] / all
		                                  : 0.;

		if (views > 0.)
			projectors_count_call(x->cpu, row, forward, (long)(share * seconds * 1e9),
			        (long)((voxels + views * pixels) * (double)p->size), voxels * views);
	}
}

/** Views [view, end) of a tile, whose rows have the same functions; mixed: not all the same row. */
static void run_views(const struct xray_call *all, bool forward, long view, long end, bool mixed)
{
	const struct projector *row = projectors_row(all->x->cpu, all->type, forward, view);
	long spent[MOST_ROWS] = {0};
	struct xray_tile tile = *all->tile;
	struct xray_call call = *all;
	const double start = now();

	if (tile.at)
		tile.at += view - tile.first;
	else
		call.proj = xray_call_view(all, view);

	tile.first = view;
	tile.views = end - view;
	call.tile = &tile;
	call.spent = (mixed && projectors_count()) ? spent : NULL;
	(forward ? row->forward : row->adjoint)(projectors_plan(all->x->cpu, row), &call);

	if (projectors_count())
		count_call(&call, forward, now() - start);
}

/** Runs of views whose rows have the same functions, one after the other. */
static void run_call(const struct xray_call *p, bool forward)
{
	const struct projectors *rows = p->x->cpu;
	const long end = p->tile->first + p->tile->views;

	for (long k = p->tile->first, to; k < end; k = to) {
		const struct projector *row = projectors_row(rows, p->type, forward, k);
		bool mixed = false;

		for (to = k + 1; to < end; to++) {
			const struct projector *next = projectors_row(rows, p->type, forward, to);

			if (next->forward != row->forward)
				break;

			mixed |= (next != row);
		}

		run_views(p, forward, k, to, mixed);
	}
}

/** Both parts of complex data. */
static void run_data(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_tile *tile, bool forward)
{
	const enum dtype real = dtype_real(type);
	const size_t size = dtype_size(real);
	const int step = dtype_is_complex(type) ? 2 : 1;

	for (int i = 0; i < step; i++)
		run_call(&(struct xray_call){.x = x,
		                 .store = (real == DT_FLOAT64) ? &brick_store_double : &brick_store_float,
		                 .type = type,
		                 .size = size,
		                 .step = step,
		                 .apart = step,
		                 .vol = (char *)vol + i * size,
		                 .proj = (char *)proj + i * size,
		                 .tile = tile},
		        forward);
}

static void cpu_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_tile *tile, bool add)
{
	struct xray_tile own = *tile;

	if (!add)
		memset(proj, 0, (size_t)tile->views * x->g->cols * x->g->rows * dtype_size(type));

	own.blank = tile->blank || !add;
	run_data(x, type, (void *)vol, proj, &own, true);
}

static void cpu_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *tile)
{
	run_data(x, type, vol, (void *)proj, tile, false);
}

const struct xray_backend xray_backend_cpu = {.name = "cpu", .forward = cpu_forward, .adjoint = cpu_adjoint};
