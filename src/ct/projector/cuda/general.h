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
 * The X-ray transform A on the GPU for every geometry, model and type. A' uses one thread per voxel, with
 * sums in a fixed order. For Joseph's and Siddon's methods, A uses one thread per ray. For footprints, A
 * sums integers. Arrays and tiles are defined in untilted.h. The result of A' does not depend on the
 * division into views and slices.
 */
struct general;

/** Sets the views, rows, slices and strides of *w to those of a tile. `step` is the distance of neighbouring
 * elements, in vol and in proj. */
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

/** Input of general_create(), in host memory. */
struct general_setup {
	struct gather all;
	const struct gather_view *view; /* one element per view */
	long views;
	const struct gather_column *column; /* one element per column */
	long columns;
	const struct sf_view *sf; /* one element per view, for footprints; else NULL */
};

/** Copies the tables of the setup to the device. Too little memory is an error(). Release the result by
 * general_free(). */
extern struct general *general_create(const struct general_setup *s);
extern void general_free(struct general *g);

/** Returns the device memory that a call needs besides vol and proj [bytes]. The type is float64 if `wide`,
 * otherwise float32. */
extern double general_memory(const struct general *g, bool wide, bool forward, const struct gpu_tile *tile);

/**
 * These functions compute one tile. The result is always added to the output. The type is float64 if `wide`,
 * otherwise float32. `step` is the distance of neighbouring elements. `step` is 2 for the real or imaginary
 * part of complex data.
 *
 * - general_forward(): Computes proj += A vol.
 * - general_adjoint(): Computes vol += A' proj.
 */
extern void general_forward(const struct general *g, bool wide, long step, void *proj, const void *vol,
        const struct gpu_tile *tile);
extern void general_adjoint(const struct general *g, bool wide, long step, void *vol, const void *proj,
        const struct gpu_tile *tile);

/** Sets element i of vol to 0 if inside[i] is 0, for i < n. An element has `size` bytes, a multiple of 4. */
extern void general_hide(void *vol, long size, const unsigned char *inside, long n);

#ifdef __cplusplus
}
#endif

#endif
