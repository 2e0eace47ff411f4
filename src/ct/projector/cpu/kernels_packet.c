/** The kernels of ray packets: float32, sixteen rays together if possible. */

#define REAL           float
#define CELL           joseph_cell
#define EPSILON        FLT_EPSILON
#define KERNELS(model) ray_packet_##model

#include <float.h>

#include "ct/projector/cpu/ray_sweep.h"
#include "ct/projector/cpu/siddon_rays.h"

/** Rays that go together through one line of voxels in each plane. */
static inline bool follow_packet(
        const struct xray *x, struct rays *r, float *box, float *pixel, long next, bool adjoint)
{
	const struct ray_kernels *k = ray_kernels();
	struct ray_packet t;

	if (!k->fit(&t, r, x->stride))
		return false;

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

#define FOLLOW_PACKET follow_packet

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

#include "ct/projector/cpu/kernels_impl.inc"
