#ifndef CT_PROJECTOR_CUDA_TILTED_INTERNAL_H
#define CT_PROJECTOR_CUDA_TILTED_INTERNAL_H

#include "ct/projector/cuda/aligned_internal.h"

extern "C" {
#include "ct/projector/cuda/tilted.h"
#include "ct/projector/gpu/tilted.h"
}

/** Inside of the kernels for tilted detectors. Axes are those of a frame (tilted.h). */

/** Views of a call that go together: tables in device memory, and the turned projections. */
struct tilted_batch {
	int views, cols, rows, pitch; // pitch: elements from column to column of the copy, a multiple of 4
	int n[3], origin[3];          // volume, and its first voxel in the grid
	int depth;                    // elements from line to line of the copy, a multiple of 4
	struct tilted_scan scan;
	const struct tilted_view *view;
	float *proj; // copy: [view][column][row upwards]
	float *vol;  // copy: [axis 0][axis 1][axis 2]
};

static __device__ __forceinline__ int tilted_extent(const struct tilted_batch &b, int axis)
{
	return axis == 0 ? b.n[0] : b.n[1];
}

static __device__ __forceinline__ int tilted_origin(const struct tilted_batch &b, int axis)
{
	return axis == 0 ? b.origin[0] : b.origin[1];
}

/** Sizes of the forward kernels: tiles of `across` columns, as many views as make TILTED_ITEMS, and rows. */
struct tilted_shape {
	struct gpu_ring_size ring;
	int across, rows;
};

enum { TILTED_PER_WARP = 6, TILTED_ITEMS = 16 * TILTED_PER_WARP, TILTED_LINES = 32 };

/* One file of kernels each; false: there is none of that size on this device. */
extern bool tilted_forward_shape(int planes, int width, int lines, int rows, struct gpu_ring_size *r);
extern void tilted_forward(
        const struct tilted_batch *b, const struct gpu_tile *tiles, long n, const struct tilted_shape *s);
extern bool tilted_adjoint_shape(int columns, int rows, struct gpu_ring_size *r);
/** close: rows may be less than half a voxel apart. */
extern void tilted_adjoint(
        const struct tilted_batch *b, const struct gpu_ring_size *r, bool close, int axis, bool add);

#endif
