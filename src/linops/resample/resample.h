#ifndef LINOPS_RESAMPLE_RESAMPLE_H
#define LINOPS_RESAMPLE_RESAMPLE_H

#include "linops/linop.h"

/**
 * A volume on another grid: y(i) = sum_j w(T i - j) c(j). T is an affine map from voxels of the output to
 * voxels of the input, w the separable kernel of an interpolation. c is the input, which is filtered along
 * each axis if the interpolation or the anti-aliasing requires it. Beyond its ends the input is mirrored
 * about the centre of the first and the last voxel. An output voxel whose centre is outside the input's
 * voxels (more than half a voxel from the outermost centres) has the value `fill`.
 */

enum resample_kernel {
	RESAMPLE_NEAREST,
	RESAMPLE_LINEAR,
	RESAMPLE_CUBIC,       // B-spline of degree 3 through the samples [1]: fourth order
	RESAMPLE_CATMULL_ROM, // cubic convolution with a = -1/2 [2]: third order, without a filter
	RESAMPLE_LANCZOS      // sin windowed by sin, three lobes, weights normalised to sum 1
};

struct resample {
	enum resample_kernel kernel;
	long in[3], out[3]; // [voxels]
	double at[3][4];    // output voxel (i, j, k) is at at[d][0] i + at[d][1] j + at[d][2] k + at[d][3] of
	                    // the input [voxels]
	double coarser[3];  // anti-aliasing: output voxel over input voxel, along axes of the input; <= 1:
	                    // none
	double fill;        // 0 in the operator
	double reach[3]
	            [2]; // of positions: least and largest distance from the affine map [voxels of the input]
};

/** Sets `coarser` for an affine map: the number of input voxels that one step of the output covers along each
 * axis. */
extern void resample_coarser(struct resample *r);

/** Whether the box around the output, for an affine map, is more than half a voxel outside the input. */
extern bool resample_misses(const struct resample *r);

/** Receives elements [first, first + n) of an output, rows along x, then y, then z. Called by several threads
 * at once. */
typedef void resample_put_fn(void *ctx, long first, long n, const void *data);

/** Real elements in native byte order, `step` bytes apart; rows along x, then y, then z, without gaps. */
struct resample_array {
	void *data;
	enum dtype type;      // real
	long step;            // [bytes]
	resample_put_fn *put; // of an output: takes the elements instead of data; or NULL
	void *ctx;
};

/** A deformation: writes the positions (x, y, z) [voxels of the input] of output voxels (i, j, k), i in
 * [first, first + n). The positions replace the affine map; their differences from the affine map are within
 * resample.reach. Called by several threads at once. */
typedef void resample_positions_fn(
        void *ctx, long first, long n, long j, long k, double *x, double *y, double *z);

/** An immutable plan for resampling with these settings, in float32 or float64. positions NULL: the affine
 * map. error() if lengths are below 1 or numbers are not finite. */
struct resample_plan;
extern struct resample_plan *resample_plan_create(
        const struct resample *r, enum dtype work, resample_positions_fn *positions, void *ctx);
extern void resample_plan_free(struct resample_plan *p);

/** Working memory [bytes] for computing the output in one piece; less memory suffices if the output is
 * computed in pieces. */
extern long resample_memory(const struct resample_plan *p);

/** Observations of a pass: whether the input that was read contains NaN or infinite values, and how many
 * values were clipped to the output's type. */
struct resample_report {
	bool bad;
	long lost;
};

/** out = R in. The output is computed in pieces of at least one voxel that need at most `bytes` of memory at
 * `room`. The bits of the result do not depend on pieces or threads. Reports finished output voxels to
 * progress_add(). */
extern struct resample_report resample_forward(const struct resample_plan *p, struct resample_array out,
        struct resample_array in, void *room, long bytes);

/** Applies the transpose: in = R' out; room has resample_memory() bytes. Affine maps only. */
extern void resample_adjoint(
        const struct resample_plan *p, struct resample_array in, struct resample_array out, void *room);

/** out = the nearest elements of in (each of out.step bytes), or *fill outside the input. The elements are
 * neither converted nor copied beforehand. */
extern void resample_nearest(const struct resample *r, resample_positions_fn *positions, void *ctx,
        struct resample_array out, const void *in, const void *fill);

/** The operator R for arrays of D dims. The first three dims are (x, y, z), with lengths in[] and out[] of r;
 * R is applied for each index of the further dims. All interpolations are supported; fill is 0. */
extern struct linop *linop_resample_create(
        enum dtype type, int D, const long dims[], const struct resample *r);

#endif
