#ifndef CT_PROJECTOR_CUDA_ANY_ORIENTATION_INTERNAL_H
#define CT_PROJECTOR_CUDA_ANY_ORIENTATION_INTERNAL_H

#include "ct/projector/cuda/untilted_internal.h"

extern "C" {
#include "ct/projector/cuda/any_orientation.h"
#include "ct/projector/gpu/any_orientation.h"
}

/** Internals of the GPU kernels for tilted detectors. A frame is an order of the axes x, y, z
 * (gpu/any_orientation.h). In this file, axes 0, 1 and 2 are those of a frame. */

/** Views that the kernels compute together. Tables and transposed projections are in device memory. */
struct any_orientation_batch {
	int views, cols, rows, pitch; // pitch: elements from column to column of `proj`, a multiple of 4
	int n[3], origin[3];          // size of the volume, and index of its first voxel in the grid
	int depth;                    // elements from line to line of `vol`, a multiple of 4
	struct any_orientation_scan scan;
	const struct any_orientation_view *view;
	float *proj; // copied projections: [view][column][row upwards]
	float *vol;  // copied volume: [axis 0][axis 1][axis 2]
};

static __device__ __forceinline__ int any_orientation_extent(const struct any_orientation_batch &b, int axis)
{
	return axis == 0 ? b.n[0] : b.n[1];
}

static __device__ __forceinline__ int any_orientation_origin(const struct any_orientation_batch &b, int axis)
{
	return axis == 0 ? b.origin[0] : b.origin[1];
}

/** Sizes of the forward kernels. A tile has `across` columns and `rows` rows. A tile has at most
 * ANY_ORIENTATION_ITEMS / across views. */
struct any_orientation_shape {
	struct gpu_ring_size ring;
	int across, rows;
};

enum {
	ANY_ORIENTATION_PER_WARP = 6,
	ANY_ORIENTATION_ITEMS = 16 * ANY_ORIENTATION_PER_WARP,
	ANY_ORIENTATION_LINES = 32
};

/** Kernels for A and A'. The functions *_shape() choose the size of the ring of stages in shared memory. The
 * functions *_shape() return false if the device has no suitable kernel. */
extern bool any_orientation_forward_shape(
        int planes, int width, int lines, int rows, struct gpu_ring_size *r);
extern void any_orientation_forward(const struct any_orientation_batch *b, const struct gpu_ray_tile *tiles,
        long n, const struct any_orientation_shape *s);
extern bool any_orientation_adjoint_shape(int columns, int rows, struct gpu_ring_size *r);
/** Computes A' of one batch for rays with dominant axis `axis`. `close` must be true if
 * any_orientation_close() is true for any view. */
extern void any_orientation_adjoint(
        const struct any_orientation_batch *b, const struct gpu_ring_size *r, bool close, int axis, bool add);

#endif
