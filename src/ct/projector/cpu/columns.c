/* Columns parallel to z through a brick: their geometry, in float64. */

#include "ct/projector/cpu/columns.h"

#include "ct/projector/cpu/ray_sweep.h"

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
static bool set_up(struct column *c, const struct ray_group *g, long a, int rows, double height, bool siddon)
{
	const struct xray *x = g->x;
	const struct brick *b = g->b;
	const struct xray_view *w = x->view + g->view;
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

	if (siddon)
		siddon_column_clip(c, s, d, ds, dd, b->size[0], b->size[1], !parallel);
	else if (column_clip(c, s, d, ds, dd, b->size[0], b->size[1], !parallel) > 0)
		trim(c, b->size[c->p]);

	return c->count <= 0 || rows_are_apart(c, siddon ? 0.5 : 0.);
}

/** The rows of all columns of the group that may meet the brick: [lo, hi). */
static void common_rows(const struct ray_group *g, long *lo, long *hi)
{
	const struct xray_view *w = g->x->view + g->view;

	brick_bounds_rows(g->bounds, g->x, w, g->column, lo, hi);

	for (int i = 1; i < g->n && g->x->g->radius > 0.; i++) {
		long row, end;

		brick_bounds_rows(g->bounds, g->x, w, g->column + i, &row, &end);

		if (row < end) {
			*lo = (*lo < row && *lo < *hi) ? *lo : row;
			*hi = (*hi > end) ? *hi : end;
		}
	}
}

static unsigned column_sweep(const struct ray_group *g, const struct column_kernels *k, bool siddon)
{
	const struct xray *x = g->x;
	const struct xray_view *w = x->view + g->view;
	struct column_job j = {.x = x, .b = g->b, .columns = g->n, .step = g->step};
	unsigned dealt = 0;
	long row, end;

	common_rows(g, &row, &end);

	if (row >= end)
		return ~0u;

	if (end - row > COLUMN_ROWS)
		return 0;

	const bool down = (w->v[2] < 0.);
	const long lowest = down ? end - 1 : row;

	j.rows = (int)(end - row);
	j.next = (down ? -1 : 1) * x->g->cols * g->step;
	j.first = (float *)g->proj + (lowest * x->g->cols + g->column) * g->step;

	for (int i = 0; i < g->n; i++) {
		const double height = (lowest - (x->g->rows - 1) / 2.) * w->v[2];

		if (!set_up(&j.column[i], g, g->column + i, j.rows, height, siddon))
			continue;

		dealt |= 1u << i;
		j.done |= (j.column[i].count > 0) ? 1u << i : 0u;
	}

	if (j.done != 0 && g->adjoint)
		k->adjoint(&j, g->box);
	else if (j.done != 0)
		k->forward(&j, g->box);

	return dealt;
}

unsigned column_sweep_joseph(const struct ray_group *g)
{
	return column_sweep(g, column_kernels(), false);
}

unsigned column_sweep_siddon(const struct ray_group *g)
{
	return column_sweep(g, siddon_column_kernels(), true);
}
