#ifndef NUM_EXPR_EXPR_GPU_H
#define NUM_EXPR_EXPR_GPU_H

#include "num/expr/expr_pass.h"

/** A pass on the GPU in use, over operands that reside on the GPU. Frequent expressions use a precompiled
 * kernel. Other passes use a generated kernel or the interpreting kernel. Builds without CUDA end with an
 * error(). */
struct expr_gpu;

/** Begins a pass of run r. The addresses base[] are those of expr_loop_range(). Addresses in later calls
 * must have the same alignment. Operands with equal addresses must keep equal addresses. */
extern struct expr_gpu *expr_gpu_begin(struct expr_run *r, const struct loop *l, char *const base[]);
/** Enqueues elements [first, end) and returns. Successive ranges must cover all elements in order, without
 * gaps. Each range begins at a multiple of expr_gpu_part(). */
extern void expr_gpu_range(struct expr_gpu *g, char *const base[], long first, long end);
extern long expr_gpu_part(const struct expr_gpu *g);
/** Returns whether the pass runs without the interpreting kernel. */
extern bool expr_gpu_is_compiled(const struct expr_gpu *g);
/** Waits for the GPU, copies counters and reductions to the run, and frees g. */
extern void expr_gpu_end(struct expr_gpu *g);

/** Computes a pass over files, slab by slab. Streams are spooled. */
extern void expr_gpu_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

/** A chain of md_ operators uses a generated kernel if `operators * elements` reaches this value. For smaller
 * chains, the lookup of a kernel takes too long (`gantry bench expr -g`). */
#define EXPR_GPU_CHAIN_LEAST (1L << 24)

/** Selects the GPU kernels of this thread for tests and measurements. The default is EXPR_GPU_BEST. */
enum expr_gpu_way { EXPR_GPU_BEST, EXPR_GPU_GENERATED, EXPR_GPU_INTERPRETED };
extern void expr_gpu_choose(enum expr_gpu_way way);
extern enum expr_gpu_way expr_gpu_chosen(void);

#endif
