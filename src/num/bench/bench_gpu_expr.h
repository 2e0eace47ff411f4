#ifndef NUM_BENCH_BENCH_GPU_EXPR_H
#define NUM_BENCH_BENCH_GPU_EXPR_H

#include "num/bench/bench.h"

/** Measures the five expressions of the suite on the GPU in use. Contenders: one kernel per operator, a
 * generated kernel, the interpreting kernel, a handwritten kernel. */
extern void bench_gpu_expr(struct bench *b, long size);

/** out = expression `form` (0..4, as the suite names them) of x, y, z by a handwritten kernel; false if this
 * build has none. Launches the kernel without waiting. */
extern bool bench_gpu_expr_hand(int form, long n, float *out, const float *x, const float *y, const float *z);

#endif
