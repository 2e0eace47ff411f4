#ifndef CT_PROJECTOR_CUDA_TILTED_H
#define CT_PROJECTOR_CUDA_TILTED_H

#include "ct/projector/cuda/aligned.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The X-ray transform on the GPU for flat detectors of any direction: Joseph's method, float32. Each output
 * is summed by one thread in a fixed order: the same bytes in every run. Layouts, parts and their cuts as in
 * aligned.h.
 */
struct gpu_tilted;

/** Plans the transform x (which must outlive the plan) for the device in use, for the views that are open
 * (NULL: all). error() when its memory does not suffice. */
extern struct gpu_tilted *gpu_tilted_create(const struct xray *x, const bool *open);
extern void gpu_tilted_free(struct gpu_tilted *p);

/** Is this view one for these kernels? Forward needs the volume in front of the source, rays of each dominant
 * axis that run one way along it, and windows that fit into shared memory; the adjoint detector columns that
 * lean by less than 0.11 lines per slice of the axis they go along, too. */
extern bool gpu_tilted_fits(const struct gpu_tilted *p, long view, bool forward);

/** Device memory that a call on this part takes beside its operands [bytes]: turned copies. */
extern double gpu_tilted_memory(const struct gpu_tilted *p, const struct gpu_part *part);

/** proj = A vol or proj += A vol; vol = A' proj or vol += A' proj; all views of the part must fit. */
extern void gpu_tilted_forward(
        struct gpu_tilted *p, float *proj, const float *vol, const struct gpu_part *part);
extern void gpu_tilted_adjoint(
        struct gpu_tilted *p, float *vol, const float *proj, const struct gpu_part *part);

#ifdef __cplusplus
}
#endif

#endif
