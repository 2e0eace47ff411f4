#ifndef LINOPS_RESAMPLE_PLAN_H
#define LINOPS_RESAMPLE_PLAN_H

#include "linops/resample/kernels.h"

/** The filters and tables of a resampling. Only source files of linops/resample include this header. */

struct resample_plan {
	struct resample r;
	enum dtype work; // type of the computation, float32 or float64
	resample_positions_fn *positions;
	void *ctx;
	long before, after; // position x needs the elements floor(x) - before .. floor(x) + after
	long radius[3];     // radius of the filter along each axis of the input
	void *fir[3];       // radius + 1 filter taps of type work, for each axis
	void *table;        // Lanczos weights, NULL for other kernels
};

/** A box of voxels of the input or of the output. */
struct resample_box {
	long lo[3], n[3]; // first voxel and extents
};

/** Computes the filters and tables of a plan from the settings p->r and p->work. */
extern void resample_design(struct resample_plan *p);

/** Returns whether position x is inside the input along axis d. The input ends half a voxel beyond the
 * outermost centres. */
static inline bool resample_inside(const struct resample *r, int d, double x)
{
	return x >= -0.5 - 1e-6 && x <= (double)r->in[d] - 0.5 + 1e-6;
}

/** Returns the index of the element at position k of a mirrored array of n elements. The array is mirrored
 * about the centres of the first and the last element. */
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
