#ifndef CT_PROJECTOR_CUDA_PATCH_H
#define CT_PROJECTOR_CUDA_PATCH_H

#include "ct/projector/cuda/ring.h"

/** Patches of views in the ring of stages, for adjoints that process one view per stage. */

enum { PATCH_NONE = -(1 << 30) };

/** First {column, row} of a patch. The row is counted on the whole detector, and groups of 32 slices are
 * counted in the whole volume. Therefore the patches do not depend on how the data are divided into parts. */
static __device__ __forceinline__ int2 patch_of_all(const struct gpu_batch &b, int view, int2 win)
{
	return make_int2(win.x, win.y + gpu_lowest(b, b.view[view]));
}

/** Loads the patches of the views list[k], k < steps. The patch of view w begins at win[w] = {column, row of
 * the whole detector}. */
static __device__ __forceinline__ void patch_feed(const struct ring &r, const struct gpu_ring_size &size,
        const CUtensorMap *patches, const struct gpu_batch &b, unsigned char *shared, int steps,
        const int *list, const int2 *win)
{
	ring_feed_views(r, patches, b, shared, ring_stage(size), size.lines, size.width, steps, [&](int k) {
		const int w = list[k];

		return make_int3(win[w].x, win[w].y - gpu_lowest(b, b.view[w]), w);
	});
}

/** Tensor map of the projections of a batch, for boxes of this size. */
static inline void patch_map(CUtensorMap *map, const struct gpu_batch *b, const struct gpu_ring_size *r)
{
	ring_view_map(map, b, r->lines, r->width);
}

#endif
