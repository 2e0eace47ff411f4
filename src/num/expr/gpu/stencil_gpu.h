#ifndef NUM_EXPR_GPU_STENCIL_GPU_H
#define NUM_EXPR_GPU_STENCIL_GPU_H

#include "num/expr/gpu/stencil_source.h"

/**
 * A pass with neighbourhoods on the GPU in use, by generated kernels (num/expr/gpu/stencil_source.h). Builds
 * without CUDA have none.
 */
struct stencil_gpu;

/** NULL: there is no compiler, or no kernel for this pass. w: types, steps and byte order. */
extern struct stencil_gpu *stencil_gpu_begin(
        struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w);
/** Whether there is a compiler of kernels. */
extern bool stencil_gpu_compiles(void);
/** The results of some slices, those of one position along further dims after the other. */
extern void stencil_gpu_slices(struct stencil_gpu *g, struct stencil_places *p);
/** Slices [s] of which slabs are to be multiples, so that sums do not depend on the cut. */
extern long stencil_gpu_step(const struct stencil_gpu *g);
/** Slices of an input around those of a slab that its results need. */
extern long stencil_gpu_halo(const struct stencil_gpu *g, int input);
/** Device memory for so many slices, without inputs and outputs. [bytes] */
extern double stencil_gpu_bytes(const struct stencil_gpu *g, long slices);
/** Brings counters and reductions to the run. */
extern void stencil_gpu_end(struct stencil_gpu *g);

/** Whether all passes of a plan with neighbourhoods have kernels for operands of their own byte order. */
extern bool stencil_gpu_takes(const struct expr_plan *p);
/** The pass over arrays on the device. False: it has no kernel. */
extern bool stencil_gpu_arrays(struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w);
/** The pass over files, slab by slab, streams being mapped. False: it has no kernel. */
extern bool stencil_gpu_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

#endif
