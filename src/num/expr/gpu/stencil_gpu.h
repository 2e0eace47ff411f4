#ifndef NUM_EXPR_GPU_STENCIL_GPU_H
#define NUM_EXPR_GPU_STENCIL_GPU_H

#include "num/expr/gpu/stencil_source.h"

/**
 * A pass with neighbourhoods that runs on the GPU, by kernels generated at run time
 * (num/expr/gpu/stencil_source.h). Builds without CUDA have no such kernels.
 */
struct stencil_gpu;

/** Begins a pass; w gives types, steps and byte order. NULL if there is no run-time compiler, or no kernel
 * for this pass. */
extern struct stencil_gpu *stencil_gpu_begin(
        struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w);
/** Whether a run-time compiler for kernels is available. */
extern bool stencil_gpu_compiles(void);
/** Computes the results of slices p->from to p->to - 1 at position p->rest of the further dims. */
extern void stencil_gpu_slices(struct stencil_gpu *g, struct stencil_places *p);
/** The number of slices of a slab must be a multiple of the returned number, so that sums do not depend on
 * the size of slabs. */
extern long stencil_gpu_step(const struct stencil_gpu *g);
/** The number of slices of an input that a slab needs on each side. */
extern long stencil_gpu_halo(const struct stencil_gpu *g, int input);
/** Device memory [bytes] for `slices` slices, without inputs and outputs. */
extern double stencil_gpu_bytes(const struct stencil_gpu *g, long slices);
/** Adds counters to the run, sets the reductions of the run, and frees g. */
extern void stencil_gpu_end(struct stencil_gpu *g);

/** Whether each pass that reads neighbours has a kernel for operands in native byte order. */
extern bool stencil_gpu_takes(const struct expr_plan *p);
/** Computes a pass over arrays on the device. Returns false if the pass has no kernel. */
extern bool stencil_gpu_arrays(struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w);
/** Computes a pass over files, slab by slab; streams are mapped. Returns false if the pass has no kernel. */
extern bool stencil_gpu_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

#endif
