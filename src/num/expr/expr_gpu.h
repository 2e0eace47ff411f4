#ifndef NUM_EXPR_EXPR_GPU_H
#define NUM_EXPR_EXPR_GPU_H

#include "num/expr/expr_pass.h"

/**
 * A pass on the GPU in use, over lanes that reside there: by a kernel of the build for frequent forms, by a
 * generated one, or by the interpreting one. Not available in builds without CUDA: error().
 */
struct expr_gpu;

/** base[lane] as for expr_loop_range(): it determines alignment and equal addresses. */
extern struct expr_gpu *expr_gpu_begin(struct expr_run *r, const struct loop *l, char *const base[]);
/** Elements [first, end): from 0 to the last one without gaps, in pieces that begin at multiples of
 * expr_gpu_part(). Returns when it is enqueued. */
extern void expr_gpu_range(struct expr_gpu *g, char *const base[], long first, long end);
extern long expr_gpu_part(const struct expr_gpu *g);
/** Whether it has its own kernel, not the interpreting one. */
extern bool expr_gpu_is_compiled(const struct expr_gpu *g);
/** Copies counters and reductions to r: the only point where a pass waits. */
extern void expr_gpu_end(struct expr_gpu *g);

/** A pass over files, slab by slab. Streams are spooled. */
extern void expr_gpu_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]);

/** Operators times elements from which on a chain of md_ operators uses a generated kernel: below this, the
 * interpreter is faster than the host's lookup of a kernel (`gantry bench expr -g` measures it). */
#define EXPR_GPU_CHAIN_LEAST (1L << 24)

/** How passes of this thread are computed on the GPU: for tests and measurements; EXPR_GPU_BEST at the start.
 */
enum expr_gpu_way { EXPR_GPU_BEST, EXPR_GPU_GENERATED, EXPR_GPU_INTERPRETED };
extern void expr_gpu_choose(enum expr_gpu_way way);
extern enum expr_gpu_way expr_gpu_chosen(void);

#endif
