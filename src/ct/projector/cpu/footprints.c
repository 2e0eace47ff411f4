/** Separable footprints: view data for their kernels, and the tables of the kernels. */

#include "ct/projector/cpu/footprints.h"

#include "ct/geometry/vec3.h"
#include "ct/projector/cpu/general.h"
#include "ct/projector/cpu/sf_lines.h"
#include "ct/projector/cpu/untilted.h"

void footprints_view(struct sf_view *w, const struct xray *x, const struct brick *b, long view)
{
	const struct xray_view *v = x->view + view;
	const struct geom_view *g = x->g->view + view;
	double area[3];

	cross3(area, v->v, v->n);
	*w = (struct sf_view){.length = norm3(g->s),
	        .density = 1. / fabs(dot3(v->u, area)),
	        .pitch = norm3(g->u),
	        .radius = x->g->radius,
	        .middle = {(x->g->cols - 1) / 2., (x->g->rows - 1) / 2.},
	        .parallel = x->g->parallel,
	        .untilted = v->untilted,
	        .slice = v->untilted && x->g->rows == 1 && x->grid.size[2] == 1};

	for (int k = 0; k < 3; k++) {
		const double scale = (k == 0) ? w->pitch : 1.;

		for (int i = 0; i < 3; i++) {
			w->to[k][i] = scale * v->dual[k][i];
			w->to[k][3] += w->to[k][i] * (b->first[i] - 1. - v->d[i]);
			w->from[k] += w->to[k][i] * (v->s[i] - (x->g->parallel ? 0. : v->d[i]));
		}

		w->source[k] = v->s[k] - (b->first[k] - 1.);
		w->spacing[k] = x->grid.spacing[k];
	}
}

/** Columns that see the ring around the brick, on a curved detector. False: not known. */
static bool bent_columns(const struct xray *x, const struct brick *b, long view, double range[2])
{
	struct sf_view w;

	footprints_view(&w, x, b, view);
	range[0] = INFINITY;
	range[1] = -INFINITY;

	for (int corner = 0; corner < 8; corner++) {
		struct sf_hit s;

		sf_look(&s, &w, (corner & 1) ? b->size[0] + 1. : 0., (corner & 2) ? b->size[1] + 1. : 0.,
		        (corner & 4) ? b->size[2] + 1. : 0., 1);

		if (s.amount == 0.)
			return false;

		range[0] = fmin(range[0], s.at[0]);
		range[1] = fmax(range[1], s.at[0]);
	}

	return (range[1] - range[0]) * w.pitch < 1.5 * w.radius; // more may be the other way round the source
}

void footprints_columns(const struct xray *x, const struct brick *b, long view, long *lo, long *hi)
{
	struct brick_bounds bounds; // of a box one voxel larger, which holds footprints too if it is known
	long first, end;
	double range[2];

	if (x->g->radius > 0.) {
		if (!bent_columns(x, b, view, range))
			return;

		first = (long)fmin(fmax(floor(range[0]), 0.), x->g->cols);
		end = (long)fmin(fmax(ceil(range[1]) + 1., 0.), x->g->cols);
	} else {
		brick_bounds_find(&bounds, x, b, view);
		brick_bounds_columns(&bounds, x, view, &first, &end);
	}

	*lo = (first - 1 > *lo) ? first - 1 : *lo;
	*hi = (end + 1 < *hi) ? end + 1 : *hi;
}
/** Lines of voxels that footprints of a view touch in the same way; the others one by one. */
static void any_orientation(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint)
{
	if (!sf_lines_sweep(x, b, box, proj, view, lo, hi, step, adjoint))
		footprints_float(x, b, box, proj, view, lo, hi, step, adjoint);
}

static void untilted(const struct xray *x, const struct brick *b, float *box, float *proj, long view, long lo,
        long hi, int step, bool adjoint)
{
	if (!untilted_sweep(x, b, box, proj, view, lo, hi, step, adjoint))
		any_orientation(x, b, box, proj, view, lo, hi, step, adjoint);
}

/** A path: forward and adjoint. */
#define FOOTPRINT_KERNELS(name, real, sweep, is_costly)                                                      \
	static void name##_forward(const struct xray *x, const struct brick *b, void *proj,                  \
	        const void *buffer, long view, long lo, long hi, int step)                                   \
	{                                                                                                    \
		sweep(x, b, (real *)buffer + x->lead, proj, view, lo, hi, step, false);                      \
	}                                                                                                    \
	static void name##_adjoint(const struct xray *x, const struct brick *b, void *buffer,                \
	        const void *proj, long view, long lo, long hi, int step)                                     \
	{                                                                                                    \
		sweep(x, b, (real *)buffer + x->lead, (real *)proj, view, lo, hi, step, true);               \
	}                                                                                                    \
	const struct brick_kernels name = {name##_forward, name##_adjoint, is_costly};

FOOTPRINT_KERNELS(untilted_sf, float, untilted, false)
FOOTPRINT_KERNELS(any_orientation_sf, float, any_orientation, true)
FOOTPRINT_KERNELS(general_sf_float, float, footprints_float, true)
FOOTPRINT_KERNELS(general_sf_double, double, footprints_double, true)
