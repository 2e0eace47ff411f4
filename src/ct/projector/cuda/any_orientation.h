#ifndef CT_PROJECTOR_CUDA_ANY_ORIENTATION_H
#define CT_PROJECTOR_CUDA_ANY_ORIENTATION_H

#include "ct/projector/cuda/untilted.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The X-ray transform on the GPU for flat detectors of any direction: Joseph's method, float32. Each output
 * is summed by one thread in a fixed order: the same bytes in every run. Layouts, tiles and their cuts as in
 * untilted.h.
 */
struct gpu_any_orientation;

/** Plans the transform x (which must outlive the plan) for the device in use, for the views that are open
 * (NULL: all). error() when its memory does not suffice. */
extern struct gpu_any_orientation *gpu_any_orientation_create(const struct xray *x, const bool *open);
extern void gpu_any_orientation_free(struct gpu_any_orientation *p);

/** Do these kernels support this view? Forward needs the volume in front of the source, rays of each dominant
 * axis in one direction along it, and windows that fit into shared memory. The adjoint also needs detector
 * columns tilted by less than 0.11 lines per slice of their axis. */
extern bool gpu_any_orientation_fits(const struct gpu_any_orientation *p, long view, bool forward);

/** Device memory of a call on this tile, besides its operands [bytes]: transposed copies. */
extern double gpu_any_orientation_memory(const struct gpu_any_orientation *p, const struct gpu_tile *tile);

/** proj = A vol or proj += A vol; vol = A' proj or vol += A' proj; all views of the tile must fit. */
extern void gpu_any_orientation_forward(
        struct gpu_any_orientation *p, float *proj, const float *vol, const struct gpu_tile *tile);
extern void gpu_any_orientation_adjoint(
        struct gpu_any_orientation *p, float *vol, const float *proj, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
