#include "ct/stream/slab.h"
#include "ct/projector/stack/stack.h"
#include "misc/minmax.h"

struct slab slab_at(const struct xray *x, long row, long rows)
{
	const long per = x->bricks[1], *n = x->grid.size;
	const long end = min_long(row + rows, rows < per ? (row / per + 1) * per : per * x->bricks[2]);
	struct slab s = {.row = row, .rows = end - row};

	s.z[0] = row / per * x->edge[2];
	s.z[1] = min_long(((end - 1) / per + 1) * x->edge[2], n[2]);
	s.y[0] = (s.rows < per) ? row % per * x->edge[1] : 0;
	s.y[1] = (s.rows < per) ? min_long(((end - 1) % per + 1) * x->edge[1], n[1]) : n[1];
	return s;
}

struct slab slab_of(const struct xray *x, long row, long end, long most)
{
	const long per = x->bricks[1], rows = min_long(most, end - row);

	if (row >= end)
		return (struct slab){0};

	if (row % per > 0 || rows < per)
		return slab_at(x, row, min_long(rows, per - row % per));

	return slab_at(x, row, rows / per * per);
}

void slab_runs(const struct xray *x, const struct slab *s, double from, double to,
        void (*fn)(void *ctx, long first, long n), void *ctx)
{
	const long *n = x->grid.size, ny = s->y[1] - s->y[0], nz = s->z[1] - s->z[0];
	const long lines = ny * nz; // along x
	long at = (long)(from * lines), end = (to < 1.) ? (long)(to * lines) : lines;

	if (ny == n[1]) {
		if (at < end)
			fn(ctx, (s->z[0] * n[1] + at) * n[0], (end - at) * n[0]);

		return;
	}

	while (at < end) {
		const long j = at % ny, run = min_long(ny - j, end - at);

		fn(ctx, ((s->z[0] + at / ny) * n[1] + s->y[0] + j) * n[0], run * n[0]);
		at += run;
	}
}

/** Rows of all columns of a curved detector. */
static void curved(const struct xray *x, const struct brick_bounds *bounds, const struct xray_view *w,
        long *lo, long *hi)
{
	*lo = x->g->rows;
	*hi = 0;

	for (long a = 0; a < x->g->cols; a++) {
		long row, end;

		brick_bounds_rows(bounds, x, w, a, &row, &end);

		if (row < end) {
			*lo = min_long(*lo, row);
			*hi = max_long(*hi, end);
		}
	}
}

/** Footprints: a row sees as much as it is high, not its centre alone. On the tangent plane of a curved
 * detector rows are higher at the sides, by less than twice. */
static void widen(struct brick_bounds *s, const struct xray *x)
{
	const double half = !xray_model_averages(x->model) ? 0. : (x->g->radius > 0.) ? 1. : 0.5;

	s->x[0] -= half;
	s->x[1] += half;
	s->y[0] -= half;
	s->y[1] += half;
}

void slab_footprint(const struct xray *x, const struct slab *s, long first, long n, long lo[], long hi[])
{
	const struct brick b = {.first = {0, s->y[0], s->z[0]},
	        .size = {(int)x->grid.size[0], (int)(s->y[1] - s->y[0]), (int)(s->z[1] - s->z[0])}};

#pragma omp parallel for schedule(static) if (x->g->radius > 0.)
	for (long k = 0; k < n; k++) {
		const struct xray_view *w = x->view + first + k;
		struct brick_bounds bounds;

		if (x->g->stack) {
			stack_rows(x, first + k, s->z[0], s->z[1], &lo[k], &hi[k]);
			continue;
		}

		brick_bounds_find(&bounds, x, &b, first + k);
		widen(&bounds, x);

		if (x->g->radius > 0. && !bounds.all)
			curved(x, &bounds, w, &lo[k], &hi[k]);
		else
			brick_bounds_rows(&bounds, x, w, 0, &lo[k], &hi[k]);

		if (lo[k] >= hi[k])
			lo[k] = hi[k] = 0;
	}
}
