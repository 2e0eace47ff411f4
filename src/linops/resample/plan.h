#ifndef LINOPS_RESAMPLE_PLAN_H
#define LINOPS_RESAMPLE_PLAN_H

#include "linops/resample/kernels.h"

/** Plan of a resampling; shared by the source files of resample.h. */

struct resample_plan {
	struct resample r;
	enum dtype work; // float32 or float64
	resample_positions_fn *positions;
	void *ctx;
	long before, after; // taps beyond a cell
	long radius[3];     // of the filter along each axis of the input
	void *fir[3];       // [radius + 1] of type work
	void *table;
};

/** A box of output voxels. */
struct resample_box {
	long lo[3], n[3];
};

/** Computes the filters and tables of a plan from its settings. */
extern void resample_design(struct resample_plan *p);

/** Whether position x of an output voxel is inside the input along axis d. */
static inline bool resample_inside(const struct resample *r, int d, double x)
{
	return x >= -0.5 - 1e-6 && x <= (double)r->in[d] - 0.5 + 1e-6;
}

/** Index of the element that represents position k if n elements are continued by mirroring about the centres
 * of the first and the last one. */
static inline long resample_mirror(long k, long n)
{
	if (k >= 0 && k < n)
		return k;

	if (1 == n)
		return 0;

	const long period = 2 * (n - 1);

	k %= period;
	k = (k < 0) ? k + period : k;

	return (k < n) ? k : period - k;
}

#endif
