/** Filtered back projection of parallel beams perpendicular to z: the linear interpolation between
 * columns is given by the weights of slice_parallel.h for voxels as wide as the distance of columns.
 */

#include <math.h>
#include <string.h>

#include "ct/fbp/fbp_internal.h"
#include "ct/projector/cpu/slice_parallel.h"

/** The transform of these views, with as many columns as the filtered ones have. */
static struct xray *transform(const struct fbp *f, const struct grid *grid, long first, long n)
{
	struct geom *g = geom_create(n, f->cols, f->g->rows, f->g->parallel);

	g->radius = f->g->radius;
	g->stack = f->g->stack;
	memcpy(g->view, f->g->view + first, (size_t)n * sizeof *g->view);

	struct xray *x = xray_create(g, grid, XRAY_JOSEPH);

	geom_free(g);
	return x;
}

/** The pixels around the place where a voxel is seen, as in fbp_backproject(). */
static void interpolate(struct slice_parallel *l, const struct fbp *f)
{
	for (long k = 0; k < l->views; k++) {
		struct slice_parallel_view *v = l->view + k;

		v->column += (double)(f->g->cols - f->cols) / 2. + (double)f->left;
		v->reach = 1.;
		v->length = 1.;
		v->fine = 1. / fabs(v->rise);
	}
}

bool fbp_slice_parallel_backproject(const struct fbp *f, const struct grid *grid, float *vol, long step,
        const float *q, long first, long n, const struct fbp_box *box)
{
	struct xray *x = f->g->parallel ? transform(f, grid, first, n) : NULL;
	struct slice_parallel *level = x ? slice_parallel_create(x) : NULL;
	const bool fits = level && box->z[0] % SLICE_PARALLEL_LINE == 0 && box->y[0] % x->edge[1] == 0;
	const long per = fits ? x->bricks[1] : 0,
	           end = (box->z[1] + SLICE_PARALLEL_LINE - 1) / SLICE_PARALLEL_LINE;
	const long down[2] = {
	        fits ? box->y[0] / x->edge[1] : 0, fits ? (box->y[1] + x->edge[1] - 1) / x->edge[1] : 0};

	if (fits)
		interpolate(level, f);

	for (long layer = box->z[0] / SLICE_PARALLEL_LINE; fits && layer < end;) {
		const long layers = (down[1] - down[0] == per) ? end - layer : 1;
		const struct xray_tile tile = {.views = n,
		        .row = layer * per + down[0],
		        .rows = (layers - 1) * per + down[1] - down[0]};

		slice_parallel_adjoint(level, &(const struct xray_call){.x = x,
		                                      .store = &brick_store_float,
		                                      .type = DT_FLOAT32,
		                                      .size = sizeof *vol,
		                                      .step = (int)step,
		                                      .apart = 1,
		                                      .vol = (char *)vol,
		                                      .proj = (char *)q,
		                                      .tile = &tile});
		layer += layers;
	}

	slice_parallel_free(level);
	xray_free(x);
	return fits;
}
