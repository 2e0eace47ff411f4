/** The X-ray transform on the CPU: runs of views, each by the rows of its path. */

#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/projector.h"
#include "ct/projector/xray_backend.h"
#include "misc/progress.h"

enum { MOST_ROWS = 64 };

/** Voxels of some rows of bricks. */
static double voxels_of(const struct xray *x, const struct xray_piece *piece)
{
	double n = 0.;

	for (long row = piece->row; row < piece->row + piece->rows; row++) {
		struct brick b;

		brick_of_row(&b, x, 0, row);
		n += (double)x->grid.size[0] * b.size[1] * b.size[2];
	}

	return n;
}

/** Views of that row in the part. */
static long views_of(const struct xray_part *p, bool forward, const struct projector *row)
{
	long n = 0;

	for (long k = p->piece->first; k < p->piece->first + p->piece->views; k++)
		n += (projectors_row(p->x->cpu, p->type, forward, k) == row);

	return n;
}

/** Counts what a part took: where its views have several rows, by the time in their kernels. */
static void count_part(const struct xray_part *p, bool forward, double seconds)
{
	const struct xray *x = p->x;
	const double voxels = voxels_of(x, p->piece), pixels = (double)x->g->cols * x->g->rows;
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

/** Views [view, end) of a part, whose rows have the same functions; mixed: not all the same row. */
static void run_views(const struct xray_part *all, bool forward, long view, long end, bool mixed)
{
	const struct projector *row = projectors_row(all->x->cpu, all->type, forward, view);
	long spent[MOST_ROWS] = {0};
	struct xray_piece piece = *all->piece;
	struct xray_part part = *all;
	const double start = now();

	if (piece.at)
		piece.at += view - piece.first;
	else
		part.proj = xray_part_view(all, view);

	piece.first = view;
	piece.views = end - view;
	part.piece = &piece;
	part.spent = (mixed && projectors_count()) ? spent : NULL;
	(forward ? row->forward : row->adjoint)(projectors_plan(all->x->cpu, row), &part);

	if (projectors_count())
		count_part(&part, forward, now() - start);
}

/** Runs of views whose rows have the same functions, one after the other. */
static void run_part(const struct xray_part *p, bool forward)
{
	const struct projectors *rows = p->x->cpu;
	const long end = p->piece->first + p->piece->views;

	for (long k = p->piece->first, to; k < end; k = to) {
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
        const struct xray_piece *piece, bool forward)
{
	const enum dtype real = dtype_real(type);
	const size_t size = dtype_size(real);
	const int step = dtype_is_complex(type) ? 2 : 1;

	for (int i = 0; i < step; i++)
		run_part(&(struct xray_part){.x = x,
		                 .store = (real == DT_FLOAT64) ? &brick_store_double : &brick_store_float,
		                 .type = type,
		                 .size = size,
		                 .step = step,
		                 .apart = step,
		                 .vol = (char *)vol + i * size,
		                 .proj = (char *)proj + i * size,
		                 .piece = piece},
		        forward);
}

static void cpu_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_piece *piece, bool add)
{
	struct xray_piece part = *piece;

	if (!add)
		memset(proj, 0, (size_t)piece->views * x->g->cols * x->g->rows * dtype_size(type));

	part.blank = piece->blank || !add;
	run_data(x, type, (void *)vol, proj, &part, true);
}

static void cpu_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_piece *piece)
{
	run_data(x, type, vol, (void *)proj, piece, false);
}

const struct xray_backend xray_backend_cpu = {.name = "cpu", .forward = cpu_forward, .adjoint = cpu_adjoint};
