#ifndef CT_PROJECTOR_CUDA_ANY_ORIENTATION_H
#define CT_PROJECTOR_CUDA_ANY_ORIENTATION_H

#include "ct/projector/cuda/untilted.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The X-ray transform on the GPU for arbitrarily oriented flat detectors, by Joseph's method in float32. One
 * thread sums each output in a fixed order, so that every run gives bit-identical results. Layouts and tiles
 * are defined as in untilted.h.
 */
struct gpu_any_orientation;

/** Plans the transform x (which must outlive the plan) for the device in use and the views k with open[k]
 * (NULL: all). error() if the memory of the device does not suffice. */
extern struct gpu_any_orientation *gpu_any_orientation_create(const struct xray *x, const bool *open);
extern void gpu_any_orientation_free(struct gpu_any_orientation *p);

/** Do these kernels support this view? Forward needs the volume in front of the source, the same sign of
 * direction for all rays with the same dominant axis, and windows that fit into shared memory. The adjoint
 * also needs rows at least 0.26 voxels apart, and detector columns tilted by at most 0.11 lines per slice in
 * the frame in use. */
extern bool gpu_any_orientation_fits(const struct gpu_any_orientation *p, long view, bool forward);

/** Device memory for the transposed copies of a call on this tile [bytes]; operands are not counted. */
extern double gpu_any_orientation_memory(const struct gpu_any_orientation *p, const struct gpu_tile *tile);

/** proj = A vol or proj += A vol; vol = A' proj or vol += A' proj. The kernels must support all views of the
 * tile. */
extern void gpu_any_orientation_forward(
        struct gpu_any_orientation *p, float *proj, const float *vol, const struct gpu_tile *tile);
extern void gpu_any_orientation_adjoint(
        struct gpu_any_orientation *p, float *vol, const float *proj, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
