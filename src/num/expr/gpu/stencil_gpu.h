#ifndef NUM_EXPR_GPU_STENCIL_GPU_H
#define NUM_EXPR_GPU_STENCIL_GPU_H

#include "num/expr/gpu/stencil_source.h"

/**
 * Computes a pass with neighbourhoods on the GPU, by kernels generated at run time
 * (num/expr/gpu/stencil_source.h). Builds without CUDA have no generated kernels.
 */
struct stencil_gpu;

/** Begins a pass. The argument w gives types, steps and byte order of inputs and outputs. Returns NULL
 * without a run-time compiler, or if the pass has no kernel. */
extern struct stencil_gpu *stencil_gpu_begin(
        struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w);
/** Returns whether a run-time compiler for kernels is available. */
extern bool stencil_gpu_compiles(void);
/** Computes slices p->from to p->to - 1 of the results. The array p->rest gives the indices of dims 3 and
 * higher. */
extern void stencil_gpu_slices(struct stencil_gpu *g, struct stencil_places *p);
/** Returns the depth of a tile in slices. The number of slices of a slab must be a multiple of the tile
 * depth. Otherwise sums depend on the size of slabs. */
extern long stencil_gpu_step(const struct stencil_gpu *g);
/** Returns how many extra slices of an input a slab needs on each side. */
extern long stencil_gpu_halo(const struct stencil_gpu *g, int input);
/** Returns the device memory for `slices` slices, without inputs and outputs [bytes]. */
extern double stencil_gpu_bytes(const struct stencil_gpu *g, long slices);
/** Adds counters to the run, sets the reductions of the run, and frees g. */
extern void stencil_gpu_end(struct stencil_gpu *g);

/** Returns whether every pass that reads neighbours has a kernel. Operands must have native byte order. */
extern bool stencil_gpu_takes(const struct expr_plan *p);
/** Computes a pass over arrays on the device. Returns false if the pass has no kernel. */
extern bool stencil_gpu_arrays(struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w);
/** Computes a pass over files, slab by slab. Input streams are spooled first. Returns false if the pass
 * has no kernel. */
extern bool stencil_gpu_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

#endif
