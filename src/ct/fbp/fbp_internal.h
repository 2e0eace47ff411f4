#ifndef CT_FBP_FBP_INTERNAL_H
#define CT_FBP_FBP_INTERNAL_H

#include "ct/fbp/fbp.h"
#include "ct/fbp/fbp_view.h"
#include "ct/fbp/fbp_weigh.h"

/** Data that the filter and the back projection share. */
struct fbp {
	const struct geom *g;
	struct scan *scan;
	struct fbp_view *view;
	long cols; // columns of filtered views
	long left; // how many of them are left of the detector's first column
	struct ramp_filter filter;
	struct ramp *ramp;   // for the views processed last
	double bend;         // of `ramp` (ramp_create())
	double *kernel;      // of `matrix`: cols values
	double *place;       // positions of the columns of `matrix`
	double *matrix;      // cols x cols, for unevenly spaced columns
	struct fbp_gpu *gpu; // data on the device for the grid used last; NULL: none yet
};

/** fbp_backproject_slices() on the GPU. vol begins with the first of the slices; vol and q may reside on the
 * host or on the device. */
extern void fbp_gpu_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2]);
extern void fbp_gpu_free(struct fbp_gpu *p);

/** fbp_backproject_slices() with OpenCL; vol and q reside on the host. */
extern void fbp_opencl_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2]);

/** Back projection of a box on the CPU for slice-parallel beams (slice_parallel.h); vol is the whole volume.
 * Returns false for other beams. */
extern bool fbp_slice_parallel_backproject(const struct fbp *f, const struct grid *grid, float *vol,
        long step, const float *q, long first, long n, const struct fbp_box *box);

/** Weights of the rays of view k: column[cols] and *rays. */
extern void fbp_weights(const struct fbp *f, long k, struct fbp_column *column, struct fbp_rays *rays);

/** The weighting of fbp_filter() on the GPU; q and p reside on the GPU. */
extern void fbp_gpu_weigh(const struct fbp *f, enum dtype type, void *q, const void *p, long first, long n);

#endif
