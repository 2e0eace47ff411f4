#ifndef CT_PROJECTOR_CUDA_ANY_ORIENTATION_INTERNAL_H
#define CT_PROJECTOR_CUDA_ANY_ORIENTATION_INTERNAL_H

#include "ct/projector/cuda/untilted_internal.h"

extern "C" {
#include "ct/projector/cuda/any_orientation.h"
#include "ct/projector/gpu/any_orientation.h"
}

/** Internals of the kernels for tilted detectors. Axes are in the order of a frame (any_orientation.h). */

/** The views of a call that are computed together, with tables and transposed projections in device memory.
 */
struct any_orientation_batch {
	int views, cols, rows, pitch; // pitch: elements from column to column of the copy, a multiple of 4
	int n[3], origin[3];          // volume, and its first voxel in the grid
	int depth;                    // elements from line to line of the copy, a multiple of 4
	struct any_orientation_scan scan;
	const struct any_orientation_view *view;
	float *proj; // copy: [view][column][row upwards]
	float *vol;  // copy: [axis 0][axis 1][axis 2]
};

static __device__ __forceinline__ int any_orientation_extent(const struct any_orientation_batch &b, int axis)
{
	return axis == 0 ? b.n[0] : b.n[1];
}

static __device__ __forceinline__ int any_orientation_origin(const struct any_orientation_batch &b, int axis)
{
	return axis == 0 ? b.origin[0] : b.origin[1];
}

/** Sizes of the forward kernels: a tile has `across` columns, `rows` rows and ANY_ORIENTATION_ITEMS / across
 * views. */
struct any_orientation_shape {
	struct gpu_ring_size ring;
	int across, rows;
};

enum {
	ANY_ORIENTATION_PER_WARP = 6,
	ANY_ORIENTATION_ITEMS = 16 * ANY_ORIENTATION_PER_WARP,
	ANY_ORIENTATION_LINES = 32
};

/* One file of kernels each; false: not available in that size on this device. */
extern bool any_orientation_forward_shape(
        int planes, int width, int lines, int rows, struct gpu_ring_size *r);
extern void any_orientation_forward(const struct any_orientation_batch *b, const struct gpu_ray_tile *tiles,
        long n, const struct any_orientation_shape *s);
extern bool any_orientation_adjoint_shape(int columns, int rows, struct gpu_ring_size *r);
/** close: rows may be less than half a voxel apart. */
extern void any_orientation_adjoint(
        const struct any_orientation_batch *b, const struct gpu_ring_size *r, bool close, int axis, bool add);

#endif
