/* Columns parallel to z through a brick: their geometry, in float64. */

#include "ct/projector/cpu/columns.h"

#include "ct/projector/cpu/ray_sweep.h"
#include "ct/projector/tilted/tilted.h"

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

/** Rows of a group of columns, the lowest in z first. */
struct rows {
	long lowest;  // detector row of row 0
	int n, up;    // number of rows, and detector rows from row to row
	float *first; // pixel in row 0 of the first column
	long next;    // elements from row to row
};

/** The rows of the group that may meet the brick. Returns false if they are too many. */
static bool order_rows(struct rows *r, const struct ray_group *g)
{
	const struct xray *x = g->x;
	const struct xray_view *w = x->view + g->view;
	long row, end;

	common_rows(g, &row, &end);
	*r = (struct rows){.up = (w->v[2] < 0.) ? -1 : 1};

	if (row >= end)
		return true;

	r->lowest = (r->up < 0) ? end - 1 : row;
	r->n = (int)(end - row);
	r->first = (float *)g->proj + (r->lowest * x->g->cols + g->column) * g->step;
	r->next = r->up * x->g->cols * g->step;
	return end - row <= COLUMN_ROWS;
}

static void column_sweep(struct ray_group *g, const struct column_kernels *k, bool siddon)
{
	const struct xray *x = g->x;
	const struct xray_view *w = x->view + g->view;
	struct column_job j = {.x = x, .b = g->b, .columns = g->n, .step = g->step};
	struct rows r;

	if (!order_rows(&r, g))
		return;

	j.rows = r.n;
	j.next = r.next;
	j.first = r.first;

	for (int i = 0; i < g->n; i++) {
		const double height = (r.lowest - (x->g->rows - 1) / 2.) * w->v[2];

		if (r.n > 0 && !set_up(&j.column[i], g, g->column + i, j.rows, height, siddon))
			continue;

		g->done[i] = (struct row_range){0, x->g->rows};
		j.done |= (r.n > 0 && j.column[i].count > 0) ? 1u << i : 0u;
	}

	if (j.done != 0 && g->adjoint)
		k->adjoint(&j, g->box);
	else if (j.done != 0)
		k->forward(&j, g->box);
}

void tilted_sweep_joseph(struct ray_group *g)
{
	struct tilted_job j = {
	        .x = g->x, .b = g->b, .view = g->view, .column = g->column, .columns = g->n, .step = g->step};
	struct rows r;

	if (!order_rows(&r, g) || r.n == 0)
		return;

	j.rows = r.n;
	j.lowest = r.lowest;
	j.up = r.up;
	j.next = r.next;
	j.first = r.first;

	if (g->adjoint)
		tilted_kernels()->adjoint(&j, g->box);
	else
		tilted_kernels()->forward(&j, g->box);

	for (int i = 0; i < g->n; i++)
		g->done[i] = (r.up > 0)
		                     ? (struct row_range){r.lowest + j.from[i], r.lowest + j.to[i]}
		                     : (struct row_range){r.lowest - j.to[i] + 1, r.lowest - j.from[i] + 1};
}

void column_sweep_joseph(struct ray_group *g)
{
	column_sweep(g, column_kernels(), false);
}

void column_sweep_siddon(struct ray_group *g)
{
	column_sweep(g, siddon_column_kernels(), true);
}
