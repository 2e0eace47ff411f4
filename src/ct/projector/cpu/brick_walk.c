/** Bricks of the volume, and the views that see them, in order. */

#include "ct/projector/cpu/brick_walk.h"

#include <omp.h>
#include <stdlib.h>

#include "ct/projector/cpu/columns.h"
#include "ct/projector/mask.h"
#include "ct/projector/projector.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/threads.h"

enum { VIEW_TILE = 8, TILES_PER_THREAD = 8 };

char *xray_call_view(const struct xray_call *p, long view)
{
	const long i = view - p->tile->first, at = p->tile->at ? p->tile->at[i] : i;

	return p->proj + (size_t)at * p->x->g->cols * p->x->g->rows * p->apart * p->size;
}

/* Rows of bricks are numbered along y, then z. */
void brick_of_row(struct brick *b, const struct xray *x, long i, long row)
{
	brick_at(b, x, i, row % x->bricks[1], row / x->bricks[1]);
}

bool brick_hidden(const struct xray *x, const struct brick *b)
{
	return x->mask && mask_hides(x->mask, b);
}

void brick_load(const struct xray_call *p, const struct brick *b, char *buffer)
{
	p->store->load(p->x, b, buffer, p->vol, p->step);

	if (p->x->mask)
		mask_brick(p->x->mask, p->x, b, p->size, buffer);
}

static const struct brick_kernels *kernels_of(const struct xray_call *p, long view, bool forward)
{
	return projectors_row(p->x->cpu, p->type, forward, view)->kernels[p->size == sizeof(double)];
}

/** Where views of several rows go together: the time since `start` is that view's row's. */
static void spend(const struct xray_call *p, long view, bool forward, double start)
{
	if (p->spent)
		__atomic_fetch_add(
		        &p->spent[projectors_row(p->x->cpu, p->type, forward, view) - projectors_cpu.row],
		        (long)((now() - start) * 1e9), __ATOMIC_RELAXED);
}

/** A tile of views and columns through a row of bricks, in their order. */
static void forward_tile(const struct xray_call *p, const char *bricks, long row, long view, long views,
        long column, long columns)
{
	const struct xray *x = p->x;
	long view_end = min_long(view + views, p->tile->first + p->tile->views),
	     column_end = min_long(column + columns, x->g->cols);

	for (long i = 0; i < x->bricks[0]; i++) {
		struct brick b;

		brick_of_row(&b, x, i, row);

		if (brick_hidden(x, &b))
			continue;

		for (long k = view; k < view_end; k++) {
			const double start = p->spent ? now() : 0.;

			kernels_of(p, k, true)
			        ->forward(x, &b, xray_call_view(p, k), bricks + i * x->room * p->size, k,
			                column, column_end, p->step);
			spend(p, k, true, start);
		}
	}
}

int xray_call_threads(const struct xray_call *p)
{
	const long *n = p->x->grid.size;

	return threads_for((double)n[0] * n[1] * n[2] * p->tile->views / 16.);
}

/** Views of a tile: as many as one visit of a brick serves. Footprints before arbitrarily oriented detectors
 * do so much with a voxel that a visit counts for little, while lines of voxels before two tiles of columns
 * are looked at twice: rather tiles of few views. */
static long tile_views(const struct xray_call *p)
{
	const struct xray_tile *w = p->tile;
	const long most = w->views / (TILES_PER_THREAD * omp_get_max_threads());

	if (!kernels_of(p, w->first, true)->costly || p->x->view[w->first].untilted || most >= VIEW_TILE)
		return VIEW_TILE;

	return (most > 1) ? most : 1;
}

/** Columns of a tile: few tiles of views are cut into several of columns, so that every thread has work.
 * Whole groups of columns: those of a curved detector share a range of rows, on which the last bit may
 * depend. */
static long tile_columns(const struct xray *x, long rows)
{
	const long across = (TILES_PER_THREAD * omp_get_max_threads() + rows - 1) / rows;
	const long columns = (x->g->cols + across - 1) / across;

	return (columns + COLUMNS - 1) / COLUMNS * COLUMNS;
}

void bricks_forward(void *plan, const struct xray_call *p)
{
	(void)plan;

	const struct xray *x = p->x;
	const struct xray_tile *w = p->tile;
	const long views = tile_views(p), tiles = (w->views + views - 1) / views,
	           width = tile_columns(x, tiles);
	const long across = (x->g->cols + width - 1) / width;
	char *bricks = mem_alloc(mul_checked(x->bricks[0], x->room * p->size, "a row of bricks"));

	for (long row = w->row; row < w->row + w->rows; row++) {
#pragma omp parallel num_threads(xray_call_threads(p))
		{
#pragma omp for schedule(dynamic)
			for (long i = 0; i < x->bricks[0]; i++) {
				struct brick b;

				brick_of_row(&b, x, i, row);

				if (!brick_hidden(x, &b))
					brick_load(p, &b, bricks + i * x->room * p->size);
			}

#pragma omp for schedule(dynamic)
			for (long i = 0; i < tiles * across; i++)
				forward_tile(p, bricks, row, w->first + i / across * views, views,
				        i % across * width, width);
		}
	}

	free(bricks);
}

static void adjoint_brick(const struct xray_call *p, const struct brick *b, char *buffer)
{
	const struct xray *x = p->x;
	const struct xray_tile *w = p->tile;

	p->store->load(x, b, buffer, p->vol, p->step);

	for (long k = w->first; k < w->first + w->views; k++) {
		const double start = p->spent ? now() : 0.;

		kernels_of(p, k, false)
		        ->adjoint(x, b, buffer, xray_call_view(p, k), k, 0, x->g->cols, p->step);
		spend(p, k, false, start);
	}

	if (x->mask)
		mask_brick(x->mask, x, b, p->size, buffer);

	p->store->save(x, b, p->vol, buffer, p->step);
}

void bricks_adjoint(void *plan, const struct xray_call *p)
{
	(void)plan;

	const struct xray *x = p->x;
	const long n = x->bricks[0], first = p->tile->row * n, total = p->tile->rows * n;

#pragma omp parallel num_threads(xray_call_threads(p))
	{
		char *buffer = mem_alloc(x->room * p->size);

#pragma omp for schedule(dynamic)
		for (long i = first; i < first + total; i++) {
			struct brick b;

			brick_of_row(&b, x, i % n, i / n);

			if (!brick_hidden(x, &b))
				adjoint_brick(p, &b, buffer);
		}

		free(buffer);
	}
}
