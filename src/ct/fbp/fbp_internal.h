#ifndef CT_FBP_FBP_INTERNAL_H
#define CT_FBP_FBP_INTERNAL_H

#include "ct/fbp/fbp.h"
#include "ct/fbp/fbp_view.h"
#include "ct/fbp/fbp_weigh.h"

/** Data shared by the filter and the back projection. */
struct fbp {
	const struct geom *g;
	struct scan *scan;
	struct fbp_view *view;
	long cols; // columns of a filtered view
	long left; // columns of a filtered view before the first detector column
	struct ramp_filter filter;
	struct ramp *ramp;   // filter of the views processed last, or NULL
	double bend;         // angle between columns in `ramp` (ramp_create()) [rad]
	double *kernel;      // filter kernel of `matrix`: cols values
	double *place;       // column positions of `matrix`
	double *matrix;      // filter for unevenly spaced columns: cols x cols values
	struct fbp_gpu *gpu; // data on the device for the grid used last, or NULL
};

/** Does the work of fbp_backproject_slices() on the GPU. `vol` is the address of slice slices[0]. `vol` and
 * `q` may reside on the host or on the device. */
extern void fbp_gpu_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2]);
extern void fbp_gpu_free(struct fbp_gpu *p);

/** Does the work of fbp_backproject_slices() with OpenCL. `vol` is the address of slice slices[0]. `vol` and
 * `q` reside on the host. */
extern void fbp_opencl_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2]);

/** Back-projects views of a slice-parallel beam (slice_parallel.h) into a box on the CPU. `vol` is the whole
 * volume. For other beams, the function does nothing and returns false. */
extern bool fbp_slice_parallel_backproject(const struct fbp *f, const struct grid *grid, float *vol,
        long step, const float *q, long first, long n, const struct fbp_box *box);

/** Writes the ray weights of view k to `column[cols]` and `*rays`. */
extern void fbp_weights(const struct fbp *f, long k, struct fbp_column *column, struct fbp_rays *rays);

/** Multiplies line integrals p by the weights of their rays on the GPU. This multiplication is the first step
 * of fbp_filter(). `p` and the result `q` reside on the GPU. */
extern void fbp_gpu_weigh(const struct fbp *f, enum dtype type, void *q, const void *p, long first, long n);

#endif
