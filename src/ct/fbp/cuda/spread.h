#ifndef CT_FBP_CUDA_SPREAD_H
#define CT_FBP_CUDA_SPREAD_H

#include "ct/fbp/fbp_detector_hit.h"
#include "ct/projector/cuda/untilted.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The back projection of filtered views on the GPU for every geometry and type. Each thread computes one
 * voxel and adds the views in order. The result equals that of fbp_backproject() on the CPU up to rounding.
 * For tiles see struct gpu_tile (untilted.h). */
struct spread;

struct spread_setup {
	const struct fbp_view *view; /* [views], on the host; copied */
	long views, cols, rows;      /* columns as the filter leaves them */
	long size[3];
	double spacing[3], origin[3];
};

extern struct spread *spread_create(const struct spread_setup *s);
extern void spread_free(struct spread *p);

/** Adds the back projection of the filtered views q of a tile to vol. wide: vol and q are float64, else
 * float32. step: elements between neighbours in vol, 2 for a part of complex data. */
extern void spread_add(
        const struct spread *p, bool wide, long step, void *vol, const void *q, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
