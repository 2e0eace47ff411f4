#ifndef LINOPS_RESAMPLE_RESAMPLE_H
#define LINOPS_RESAMPLE_RESAMPLE_H

#include "linops/linop.h"

/**
 * Resampling computes a volume y on another grid:
 *
 *     y(i) = sum_j w(T i - j) c(j)
 *
 * `T` is an affine map from output voxels to input voxels. `w` is the separable kernel of an interpolation.
 * `c` is the input, or the filtered input if the interpolation or the anti-aliasing needs a filter. Beyond
 * its ends, the input is mirrored about the centres of the outermost voxels.
 *
 * The input ends half a voxel beyond the outermost centres. An output voxel whose centre is outside the
 * input has the value `fill`.
 *
 * [1] M. Unser, Splines: a perfect fit for signal and image processing, IEEE Signal Processing Magazine
 * 16(6), 1999.
 *
 * [2] R. G. Keys, Cubic convolution interpolation for digital image processing, IEEE Transactions on
 * Acoustics, Speech, and Signal Processing 29(6), 1981.
 */

enum resample_kernel {
	RESAMPLE_NEAREST,
	RESAMPLE_LINEAR,
	RESAMPLE_CUBIC,       // B-spline of degree 3 through the samples [1], fourth order
	RESAMPLE_CATMULL_ROM, // cubic convolution with a = -1/2 [2], third order, no filter needed
	RESAMPLE_LANCZOS      // sinc windowed by a sinc with three lobes, weights normalised to sum 1
};

/**
 * The settings of a resampling. The position of output voxel (i, j, k) along axis d of the input [voxels]
 * is:
 *
 *     at[d][0] i + at[d][1] j + at[d][2] k + at[d][3]
 *
 * Only deformations use the member `reach`.
 */
struct resample {
	enum resample_kernel kernel;
	long in[3], out[3]; // extents of the input and of the output [voxels]
	double at[3][4];    // the affine map T
	double coarser[3];  // input voxels per output voxel along each axis; anti-aliasing if above 1
	double fill;        // value outside the input
	double reach[3]
	            [2]; // smallest and largest difference between a deformation and the affine map [voxels]
};

/** Sets r->coarser from the affine map. The value for an axis is the number of input voxels per output
 * voxel. */
extern void resample_coarser(struct resample *r);

/** Returns whether the affine map places the bounding box of the output outside the input. */
extern bool resample_misses(const struct resample *r);

/** Receives elements [first, first + n) of an output. The index x runs fastest, then y, then z. Several
 * threads may call this function at the same time. */
typedef void resample_put_fn(void *ctx, long first, long n, const void *data);

/** An array of real elements in native byte order, `step` bytes apart. The index x runs fastest, then y,
 * then z. */
struct resample_array {
	void *data;
	enum dtype type;      // a real type
	long step;            // [bytes]
	resample_put_fn *put; // receives the elements of an output instead of data; NULL means data
	void *ctx;            // argument of put()
};

/** For a deformation, writes the input positions of n output voxels (i, j, k). The index i runs from `first`
 * to `first + n - 1`, and j and k are fixed. The positions (x, y, z) replace the affine map. Positions are in
 * voxels of the input. Positions minus the affine map must be within `resample.reach`. Several threads may
 * call this function at the same time. */
typedef void resample_positions_fn(
        void *ctx, long first, long n, long j, long k, double *x, double *y, double *z);

/** An immutable plan for resampling. */
struct resample_plan;
/** Creates a plan that computes in the type `work`, float32 or float64. `positions` may be NULL, which
 * means the affine map. Lengths below 1 and numbers that are not finite are an error(). */
extern struct resample_plan *resample_plan_create(
        const struct resample *r, enum dtype work, resample_positions_fn *positions, void *ctx);
extern void resample_plan_free(struct resample_plan *p);

/** Returns how much working memory [bytes] is needed to compute the output in one piece. With less memory,
 * resample_forward() computes the output in pieces. */
extern long resample_memory(const struct resample_plan *p);

/** Problems that resample_forward() found in the data. */
struct resample_report {
	bool bad;  // the input contains NaN or infinite values
	long lost; // number of values clipped to the type of the output
};

/** Resamples `in` to `out`. `room` is working memory with a size of `bytes`. The memory must suffice for
 * one output voxel. With less than resample_memory() bytes, the output is computed in pieces. The bits of
 * the result do not depend on pieces or threads. Finished output voxels are reported to progress_add(). */
extern struct resample_report resample_forward(const struct resample_plan *p, struct resample_array out,
        struct resample_array in, void *room, long bytes);

/** Computes in = R' out, where R is the resampling with fill 0. `room` has resample_memory() bytes. The
 * plan must have an affine map. */
extern void resample_adjoint(
        const struct resample_plan *p, struct resample_array in, struct resample_array out, void *room);

/** Copies the nearest element of `in` to each output voxel. Output voxels outside the input receive *fill.
 * Elements have out.step bytes and are not converted. `positions` may be NULL, which means the affine
 * map. */
extern void resample_nearest(const struct resample *r, resample_positions_fn *positions, void *ctx,
        struct resample_array out, const void *in, const void *fill);

/** Creates the resampling operator for arrays of D dims, with fill 0. The first three dims are (x, y, z),
 * with the lengths r->in in the input. Each volume along the further dims is resampled. All interpolations
 * are supported. */
extern struct linop *linop_resample_create(
        enum dtype type, int D, const long dims[], const struct resample *r);

#endif
