/* Columns parallel to z through a brick: their geometry, in float64. */

#include "ct/projector/cpu/columns.h"

/** Rounding may put the first or last plane just outside the box, where its samples weigh nothing. */
static void trim(struct column *c, int edge)
{
	while (c->count > 0 &&
	        !(c->pos + c->slope * c->first >= 0. && c->pos + c->slope * c->first < edge + 1.)) {
		c->first++;
		c->count--;
	}

	while (c->count > 0) {
		const double at = c->pos + c->slope * (c->first + c->count - 1);

		if (at >= 0. && at < edge + 1.)
			break;

		c->count--;
	}
}

/** The smallest step of the rows in any plane, or so far before and after them: more than a few per voxel go
 * the general way. */
static bool rows_are_apart(const struct column *c, double margin)
{
	enum { PER_VOXEL = 4 };
	const double t0 = c->away[0] + (c->first - margin) * c->away[1],
	             t1 = t0 + (c->count - 1 + 2. * margin) * c->away[1];

	return fmin(c->step[0] + t0 * c->step[1], c->step[0] + t1 * c->step[1]) * PER_VOXEL >= 1.;
}

/** Column a in the brick's coordinates; row 0 stands `height` [voxels] above the detector's middle. */
static bool set_up(struct column *c, const struct xray *x, const struct brick *b, long view, long a, int rows,
        double height)
{
	const struct xray_view *w = x->view + view;
	const bool parallel = x->g->parallel;
	const double up = fabs(w->v[2]);
	double s[3], d[3];

	for (int i = 0; i < 3; i++) {
		s[i] = (parallel ? w->d[i] + w->x[a] * w->u[i] + w->z[a] * w->n[i] : w->s[i]) -
		       (b->first[i] - 1.);
		d[i] = column_direction(x, w, a, i);
	}

	*(parallel ? &s[2] : &d[2]) += height;

	const double top = parallel ? d[2] : d[2] + (rows - 1) * up, widest = fmax(fabs(d[0]), fabs(d[1]));

	if (!(fabs(d[2]) <= widest && fabs(top) <= widest))
		return false;

	const double ds = parallel ? up : 0., dd = parallel ? 0. : up;

	if (x->model == XRAY_SIDDON)
		siddon_column_clip(c, s, d, ds, dd, b->size[0], b->size[1], !parallel);
	else if (column_clip(c, s, d, ds, dd, b->size[0], b->size[1], !parallel) > 0)
		trim(c, b->size[c->p]);

	return c->count <= 0 || rows_are_apart(c, (x->model == XRAY_SIDDON) ? 0.5 : 0.);
}

/** The rows of all columns that may meet the brick: [lo, hi). */
static void common_rows(const struct xray *x, const struct brick_bounds *bounds, const struct xray_view *w,
        long a, int n, long *lo, long *hi)
{
	brick_bounds_rows(bounds, x, w, a, lo, hi);

	for (int i = 1; i < n && x->g->radius > 0.; i++) {
		long row, end;

		brick_bounds_rows(bounds, x, w, a + i, &row, &end);

		if (row < end) {
			*lo = (*lo < row && *lo < *hi) ? *lo : row;
			*hi = (*hi > end) ? *hi : end;
		}
	}
}

unsigned column_sweep(const struct xray *x, const struct brick *b, const struct brick_bounds *bounds,
        float *box, float *proj, long view, long a, int n, int step, bool adjoint)
{
	const struct xray_view *w = x->view + view;
	struct column_job j = {.x = x, .b = b, .columns = n, .step = step};
	unsigned dealt = 0;
	long row, end;

	if (!w->untilted || x->grid.size[2] == 1 || x->model == XRAY_SF)
		return 0;

	common_rows(x, bounds, w, a, n, &row, &end);

	if (row >= end)
		return ~0u;

	if (end - row > COLUMN_ROWS)
		return 0;

	const bool down = (w->v[2] < 0.);
	const long lowest = down ? end - 1 : row;

	j.rows = (int)(end - row);
	j.next = (down ? -1 : 1) * x->g->cols * step;
	j.first = proj + (lowest * x->g->cols + a) * step;

	for (int i = 0; i < n; i++) {
		const double height = (lowest - (x->g->rows - 1) / 2.) * w->v[2];

		if (!set_up(&j.column[i], x, b, view, a + i, j.rows, height))
			continue;

		dealt |= 1u << i;
		j.done |= (j.column[i].count > 0) ? 1u << i : 0u;
	}

	const struct column_kernels *k =
	        (x->model == XRAY_SIDDON) ? siddon_column_kernels() : column_kernels();

	if (j.done != 0 && adjoint)
		k->adjoint(&j, box);
	else if (j.done != 0)
		k->forward(&j, box);

	return dealt;
}
