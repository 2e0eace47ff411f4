#ifndef CT_PROJECTOR_CUDA_PATCH_H
#define CT_PROJECTOR_CUDA_PATCH_H

#include "ct/projector/cuda/ring.h"

/** Patches are parts of views in shared memory. The adjoint kernels process one patch at a time. */

enum { PATCH_NONE = -(1 << 30) };

/** Returns the first {column, row} of a patch on the whole detector. In `win`, rows count from the lowest
 * row of the call. Patches on the whole detector do not depend on the division of the data. */
static __device__ __forceinline__ int2 patch_of_all(const struct gpu_batch &b, int view, int2 win)
{
	return make_int2(win.x, win.y + gpu_lowest(b, b.view[view]));
}

/** Loads the patches of views list[k] for k < steps. The patch of view w begins at win[w], which is {column,
 * row} on the whole detector. */
static __device__ __forceinline__ void patch_feed(const struct ring &r, const struct gpu_ring_size &size,
        const CUtensorMap *patches, const struct gpu_batch &b, unsigned char *shared, int steps,
        const int *list, const int2 *win)
{
	ring_feed_views(r, patches, b, shared, ring_stage(size), size.lines, size.width, steps, [&](int k) {
		const int w = list[k];

		return make_int3(win[w].x, win[w].y - gpu_lowest(b, b.view[w]), w);
	});
}

/** Sets *map to the tensor map of b->proj, for boxes of r->lines x r->width elements. */
static inline void patch_map(CUtensorMap *map, const struct gpu_batch *b, const struct gpu_ring_size *r)
{
	ring_view_map(map, b, r->lines, r->width);
}

#endif
