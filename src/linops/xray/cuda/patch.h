#ifndef LINOPS_XRAY_CUDA_PATCH_H
#define LINOPS_XRAY_CUDA_PATCH_H

#include "linops/xray/cuda/ring.h"

/** Patches of views in the ring: what adjoints of single views per stage share. */

enum { PATCH_NONE = -(1 << 30) };

/** {column, row} with the rows of the whole detector. Rows and slices that count from those of the whole, in
 * whole groups of 32 slices, are the same in every part. */
static __device__ __forceinline__ int2 patch_of_all(const struct gpu_batch &b, int view, int2 win)
{
	return make_int2(win.x, win.y + gpu_lowest(b, b.view[view]));
}

/** Brings the patches of views list[k], k < steps, which begin at {column, row of the whole} win[list[k]]. */
static __device__ __forceinline__ void patch_feed(const struct ring &r, const struct gpu_ring_size &size,
        const CUtensorMap *patches, const struct gpu_batch &b, unsigned char *shared, int steps,
        const int *list, const int2 *win)
{
	const int stage = ring_stage(size);

	ring_feed(
	        r, steps,
	        [&](int k, int st, uint64_t *full) {
		        const int w = list[k];

		        gpu_bar_expect(full, (uint32_t)(size.lines * size.width * 4));
		        gpu_tma_load3(shared + st * stage, patches, full, win[w].y - gpu_lowest(b, b.view[w]),
		                win[w].x, w);
	        },
	        [&](int k, int st, int id) {
		        const int w = list[k], quads = size.width / 4,
		                  v0 = win[w].y - gpu_lowest(b, b.view[w]);
		        float *to = (float *)(shared + st * stage);

		        for (int c = id; c < size.lines * quads; c += RING_COPIERS) {
			        const int u = win[w].x + c / quads, v = v0 + c % quads * 4;
			        const bool inside = u >= 0 && u < b.cols;

			        ring_copy4(to + 4 * c,
			                b.proj + ((long)w * b.cols + (inside ? u : 0)) * b.pitch, inside, v,
			                b.pitch);
		        }
	        });
}

/** The map of a batch's projections for boxes of that size. */
static inline void patch_map(CUtensorMap *map, const struct gpu_batch *b, const struct gpu_ring_size *r)
{
	const long dims[3] = {b->pitch, b->cols, b->views},
	           steps[2] = {b->pitch * 4L, b->pitch * 4L * b->cols};
	const int box[3] = {r->width, r->lines, 1};

	gpu_tensor3(map, b->proj, dims, steps, box);
}

#endif
