#ifndef CT_FBP_CUDA_SPREAD_H
#define CT_FBP_CUDA_SPREAD_H

#include "ct/fbp/fbp_detector_hit.h"
#include "ct/projector/cuda/untilted.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Back projection of filtered views on the GPU. The code supports every geometry in float32 and float64. The
 * result equals that of fbp_backproject() on the CPU, except for rounding. Tiles are described in untilted.h
 * (struct gpu_tile). */
struct spread;

struct spread_setup {
	const struct fbp_view *view; /* [views], on the host; spread_create() copies the data */
	long views, cols, rows;      /* number and size of the filtered views */
	long size[3];
	double spacing[3], origin[3];
};

extern struct spread *spread_create(const struct spread_setup *s);
extern void spread_free(struct spread *p);

/** Adds the back projection of the filtered views q to vol. `q` (cols, tile->rows, tile->views) and `vol`
 * (nx, ny, tile->slices) contain only the tile. The arrays reside on the device. If `wide`, the arrays are
 * float64, otherwise float32. `step` is the distance between neighbouring voxels in vol [elements]. For the
 * real or imaginary part of a complex volume, `step` is 2. */
extern void spread_add(
        const struct spread *p, bool wide, long step, void *vol, const void *q, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
