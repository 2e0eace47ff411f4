/** Tables of the kernels of GPUs for any geometry, one function for each model. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/cpu/footprints.h"
#include "ct/projector/gpu/general_tables.h"
#include "misc/error.h"
#include "misc/mem.h"

static void fill_view(struct gather_view *v, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;

	memset(v, 0, sizeof *v);

	for (int i = 0; i < 3; i++) {
		v->s[i] = w->s[i];
		v->d[i] = w->d[i];
		v->u[i] = w->u[i];
		v->v[i] = w->v[i];
		v->n[i] = w->n[i];

		for (int k = 0; k < 3; k++) {
			v->to[k][i] = w->dual[k][i];
			v->from[k] += w->dual[k][i] * (w->s[i] - (x->g->parallel ? 0. : w->d[i]));
		}
	}

	v->axis = joseph_axis(w->s[0], w->s[1], w->s[2]);
	v->odd = !(x->g->parallel ? v->from[2] != 0. : v->from[2] > 0.);
}

/** Columns of a view: of a flat detector they are those of the tangent plane. */
static void fill_columns(struct gather_column *c, struct gather_view *v, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;
	const double *from = v->from;

	for (long a = 0; a < x->g->cols; a++) {
		const double scale = x->g->parallel ? 1. : from[2] / (from[2] - w->z[a]);

		c[a] = (struct gather_column){.x = w->x[a], .z = w->z[a], .land = w->x[a], .rise = 1.};

		if (x->g->radius == 0.)
			continue;

		if (x->g->parallel) {
			c[a].land = w->x[a] - w->z[a] * from[0] / from[2];
			c[a].up = -w->z[a] * from[1] / from[2];
		} else {
			c[a].land = from[0] + scale * (w->x[a] - from[0]);
			c[a].rise = scale;
			c[a].up = from[1] * (1. - scale);
		}

		if (!(scale > 0.) || (a > 0 && !(c[a].land > c[a - 1].land)))
			v->odd = 1;
	}
}

static struct sf_view *fill_footprints(const struct xray *x)
{
	const struct brick whole = {.size = {1, 1, 1}}; // of which only the first voxel matters
	struct sf_view *sf = mem_alloc(mul_checked(x->g->views, sizeof *sf, "the geometry"));

	for (long k = 0; k < x->g->views; k++)
		footprints_view(&sf[k], x, &whole, k);

	return sf;
}

void general_setup_fill(struct general_setup *s, const struct xray *x, enum xray_model model)
{
	const struct geom *g = x->g;
	const long tables = (g->radius > 0.) ? g->views : 1,
	           columns = mul_checked(tables, g->cols, "the detector's columns");
	struct gather_view *view = mem_alloc(mul_checked(g->views, sizeof *view, "the geometry"));
	struct gather_column *column =
	        mem_alloc(mul_checked(columns, sizeof *column, "the detector's columns"));

	*s = (struct general_setup){.view = view,
	        .views = g->views,
	        .column = column,
	        .columns = columns,
	        .all = {.cols = g->cols,
	                .rows = g->rows,
	                .middle = {(g->cols - 1) / 2., (g->rows - 1) / 2.},
	                .parallel = g->parallel,
	                .curved = g->radius > 0.,
	                .siddon = model == XRAY_SIDDON},
	        .sf = (model == XRAY_SF) ? fill_footprints(x) : NULL};

	for (int i = 0; i < 3; i++) {
		if (x->grid.size[i] > 0x7ffffff0)
			error("the volume has %ld voxels along dim %d, expected at most %d on a GPU",
			        x->grid.size[i], i, 0x7ffffff0);

		s->all.n[i] = x->grid.size[i];
		s->all.size[i] = (int)x->grid.size[i];
		s->all.spacing[i] = x->grid.spacing[i];
	}

	for (long k = 0; k < g->views; k++) {
		fill_view(&view[k], x, k);
		view[k].columns = (tables > 1) ? k * g->cols : 0;

		if (tables > 1 || k == 0)
			fill_columns(column + view[k].columns, &view[k], x, k);
	}
}

void general_setup_free(struct general_setup *s)
{
	free((void *)s->view);
	free((void *)s->column);
	free((void *)s->sf);
}

static struct general *create(const struct xray *x, enum xray_model model)
{
	struct general_setup s;

	general_setup_fill(&s, x, model);

	struct general *g = general_create(&s);

	general_setup_free(&s);
	return g;
}

void *gpu_general_joseph(const struct xray *x, const bool *open)
{
	(void)open;
	return create(x, XRAY_JOSEPH);
}

void *gpu_general_siddon(const struct xray *x, const bool *open)
{
	(void)open;
	return create(x, XRAY_SIDDON);
}

void *gpu_general_sf(const struct xray *x, const bool *open)
{
	(void)open;
	return create(x, XRAY_SF);
}
