#ifndef CT_PROJECTOR_CUDA_ANY_ORIENTATION_H
#define CT_PROJECTOR_CUDA_ANY_ORIENTATION_H

#include "ct/projector/cuda/untilted.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The X-ray transform A on the GPU for arbitrarily oriented flat detectors. The model is Joseph's method in
 * float32. Each output is summed by one thread, in a fixed order. Every run gives bit-identical results.
 * Arrays and tiles are defined in untilted.h.
 */
struct gpu_any_orientation;

/** Plans the transform x for the device in use. The plan covers the views k for which open[k] is true.
 * `open` may be NULL, which means all views. The transform x must outlive the plan. Release the plan by
 * gpu_any_orientation_free(). */
extern struct gpu_any_orientation *gpu_any_orientation_create(const struct xray *x, const bool *open);
extern void gpu_any_orientation_free(struct gpu_any_orientation *p);

/**
 * Returns whether the kernels support a view, for A if `forward`, otherwise for A'.
 *
 * - The whole volume must be in front of the source.
 * - Along a dominant axis, all rays must run in the same direction.
 * - The windows of the volume must fit into shared memory.
 * - For A', detector rows must be at least 0.26 voxels apart.
 * - For A', the slope of detector columns must be at most 0.11 voxels per slice.
 */
extern bool gpu_any_orientation_fits(const struct gpu_any_orientation *p, long view, bool forward);

/** Returns the device memory that a call needs besides vol and proj [bytes]. */
extern double gpu_any_orientation_memory(const struct gpu_any_orientation *p, const struct gpu_tile *tile);

/**
 * These functions compute one tile of the transform. The kernels must support all views of the tile. With
 * tile->add, results are added to the output, otherwise the output is replaced. Too little device memory is
 * an error().
 *
 * - gpu_any_orientation_forward(): Computes proj = A vol, or proj += A vol.
 * - gpu_any_orientation_adjoint(): Computes vol = A' proj, or vol += A' proj.
 */
extern void gpu_any_orientation_forward(
        struct gpu_any_orientation *p, float *proj, const float *vol, const struct gpu_tile *tile);
extern void gpu_any_orientation_adjoint(
        struct gpu_any_orientation *p, float *vol, const float *proj, const struct gpu_tile *tile);

#ifdef __cplusplus
}
#endif

#endif
