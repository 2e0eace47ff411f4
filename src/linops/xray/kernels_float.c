/** The kernels for float32 data. */

#define REAL          float
#define CELL          joseph_cell
#define EPSILON       FLT_EPSILON
#define KERNELS       xray_kernels_float
#define SWEEP_COLUMNS column_sweep

#include <float.h>

#include "linops/xray/columns.h"
#include "linops/xray/rays.h"

/** Rays that go together through one line of voxels after the other. */
static inline bool follow_sheet(const struct xray *x, const struct brick *b, struct rays *r, float *box,
        float *pixel, long next, bool adjoint)
{
	const struct ray_kernels *k = ray_kernels();
	struct sheet t;

	if (!k->fit(&t, r, b->size, x->stride, adjoint))
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

#define FOLLOW_SHEET follow_sheet

typedef float REAL2 __attribute__((vector_size(8)));
typedef float REAL4 __attribute__((vector_size(16)));

#include "linops/xray/kernels_impl.inc"
