#ifndef NUM_EXPR_EXPR_GPU_H
#define NUM_EXPR_EXPR_GPU_H

#include "num/expr/expr_pass.h"

/**
 * A pass that runs on the GPU in use, over lanes that reside there. Frequent forms use a kernel of the build;
 * other passes use a generated kernel or the interpreting kernel. error() in builds without CUDA.
 */
struct expr_gpu;

/** Begins a pass. base[lane], as for expr_loop_range(), determines the alignment and which lanes have equal
 * addresses. */
extern struct expr_gpu *expr_gpu_begin(struct expr_run *r, const struct loop *l, char *const base[]);
/** Enqueues elements [first, end) and returns. The ranges of a pass follow each other without gaps from 0 to
 * the last element, and begin at multiples of expr_gpu_part(). */
extern void expr_gpu_range(struct expr_gpu *g, char *const base[], long first, long end);
extern long expr_gpu_part(const struct expr_gpu *g);
/** Whether the pass has its own kernel and does not use the interpreting kernel. */
extern bool expr_gpu_is_compiled(const struct expr_gpu *g);
/** Waits for the GPU, and copies counters and reductions to the run. expr_gpu_range() does not wait. */
extern void expr_gpu_end(struct expr_gpu *g);

/** Computes a pass over files, slab by slab. Streams are spooled. */
extern void expr_gpu_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

/** A chain of md_ operators uses a generated kernel if the number of operators times the number of elements
 * is at least this value. Below this value, interpreting the chain takes less time than the lookup of a
 * kernel on the host (measured by `gantry bench expr -g`). */
#define EXPR_GPU_CHAIN_LEAST (1L << 24)

/** Tests and measurements choose how passes of this thread are computed on the GPU. The default is
 * EXPR_GPU_BEST. */
enum expr_gpu_way { EXPR_GPU_BEST, EXPR_GPU_GENERATED, EXPR_GPU_INTERPRETED };
extern void expr_gpu_choose(enum expr_gpu_way way);
extern enum expr_gpu_way expr_gpu_chosen(void);

#endif
