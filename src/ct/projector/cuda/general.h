#ifndef CT_PROJECTOR_CUDA_GENERAL_H
#define CT_PROJECTOR_CUDA_GENERAL_H

#include <stdbool.h>

#include "ct/projector/cuda/untilted.h"
#include "ct/projector/model/general_work.h"
#include "ct/projector/model/sf.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The X-ray transform on the GPU for every geometry, model and type: forward uses one thread per ray, the
 * adjoint one thread per voxel, with sums in a fixed order. Footprints are summed as integers. Arrays and
 * tiles are defined as in untilted.h. The result of the adjoint does not depend on the partition of views and
 * slices.
 */
struct general;

/** Sets the views, rows, slices and strides of w to those of a tile; step: elements between neighbours of vol
 * and of proj. */
static inline void general_work_set(struct general_work *w, const struct gpu_tile *p, long step)
{
	w->first = p->view;
	w->views = p->views;
	w->row = p->row;
	w->rows = p->rows;
	w->slice = p->slice;
	w->slices = p->slices;
	w->step = step;
	w->stride[0] = step;
	w->stride[1] = w->g.size[0] * step;
	w->stride[2] = w->stride[1] * w->g.size[1];
}

/** Input of general_create(), on the host; copied. */
struct general_setup {
	struct gather all;
	const struct gather_view *view; /* [views] */
	long views;
	const struct gather_column *column; /* [columns] */
	long columns;
	const struct sf_view *sf; /* [views], for footprints; else NULL */
};

extern struct general *general_create(const struct general_setup *s);
extern void general_free(struct general *g);

/** Device memory of a call on this tile, besides its operands [bytes]. */
extern double general_memory(const struct general *g, bool wide, bool forward, const struct gpu_tile *tile);

/** wide: float64, else float32; step: elements between neighbours, 2 for a part of complex data. */
extern void general_forward(const struct general *g, bool wide, long step, void *proj, const void *vol,
        const struct gpu_tile *tile);
extern void general_adjoint(const struct general *g, bool wide, long step, void *vol, const void *proj,
        const struct gpu_tile *tile);

/** Sets elements of `size` bytes to 0 where `inside` is 0. */
extern void general_hide(void *vol, long size, const unsigned char *inside, long n);

#ifdef __cplusplus
}
#endif

#endif
