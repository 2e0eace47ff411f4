/** The kernels for float32 data. */

#define REAL          float
#define CELL          joseph_cell
#define EPSILON       FLT_EPSILON
#define KERNELS       xray_kernels_float
#define TURN          turn
#define SWEEP_COLUMNS column_sweep

#include <float.h>

#include "linops/xray/columns.h"
#include "linops/xray/rays.h"
#include "linops/xray/siddon_rays.h"

static void turn(const struct xray *x, void *buffer)
{
	const float *box = (const float *)buffer + x->lead;
	float *to = (float *)buffer + x->lead + x->turned;

	for (int k = 0; k < 3; k++, box += x->stride[2], to += x->stride[2])
		for (int j = 0; j < x->edge[1] + 2; j++)
			for (int i = 0; i < x->edge[0] + 2; i++)
				to[i * (x->edge[1] + 2) + j] = box[j * x->stride[1] + i];
}

/** Rays that go together through one line of voxels after the other. */
static inline bool follow_sheet(const struct xray *x, const struct brick *b, struct rays *r, float *box,
        float *pixel, long next, bool adjoint)
{
	const struct ray_kernels *k = ray_kernels();
	const bool turned = (x->turned > 0 && r->m == 0 && !adjoint);
	const int stride[3] = {
	        turned ? x->edge[1] + 2 : x->stride[0], turned ? 1 : x->stride[1], x->stride[2]};
	struct sheet t;

	if (!k->fit(&t, r, b->size, stride, adjoint))
		return false;

	box += turned ? x->turned : 0;

	if (adjoint) {
		for (int l = 0; l < RAYS; l++)
			t.y[l] = (r->count[l] > 0) ? pixel[l * next] * (float)r->length[l] : 0.f;

		k->adjoint(&t, box);
		return true;
	}

	k->forward(&t, box);

	for (int l = 0; l < RAYS; l++)
		if (r->count[l] > 0)
			pixel[l * next] += t.y[l] * (float)r->length[l];

	return true;
}

#define FOLLOW_SHEET follow_sheet

/** By Siddon's method; those that begin within the slabs are left: a bit for each. */
static inline unsigned follow_lengths(const struct xray *x, const struct brick *b, struct rays *r,
        unsigned axes, float *box, float *pixel, long next, bool adjoint)
{
	unsigned left = 0;

	for (int m = 0; m < 3; m++) {
		unsigned mask = 0;

		if (!(axes >> m & 1))
			continue;

		for (int l = 0; l < RAYS; l++) {
			const bool here = (r->axis[l] == m),
			           begins = !x->g->parallel &&
			                    (r->d[m][l] > 0. ? r->s[m][l] > 0.5
			                                     : r->s[m][l] < b->size[m] + 0.5);

			mask |= (here && !begins) ? 1u << l : 0;
			left |= (here && begins) ? 1u << l : 0;
		}

		if (ray_kernels()->clip(r, m, b->size, !x->g->parallel, x->grid.spacing) > 0)
			siddon_rays()(r, mask, b->size, x->stride, box, pixel, next, adjoint);
	}

	return left;
}

#define FOLLOW_LENGTHS follow_lengths

typedef float REAL2 __attribute__((vector_size(8)));
typedef float REAL4 __attribute__((vector_size(16)));

#include "linops/xray/kernels_impl.inc"
