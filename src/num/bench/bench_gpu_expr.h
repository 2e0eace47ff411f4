#ifndef NUM_BENCH_BENCH_GPU_EXPR_H
#define NUM_BENCH_BENCH_GPU_EXPR_H

#include "num/bench/bench.h"

/** Measures five expressions on the GPU in use. Compares a generated kernel, the interpreting kernel, a
 * handwritten kernel, and one kernel per operator. */
extern void bench_gpu_expr(struct bench *b, long size);

/** Starts a handwritten kernel that computes expression `form` of x, y and z. `form` is from 0 to 4. `n` must
 * be a multiple of 4. Returns false in builds without this kernel. */
extern bool bench_gpu_expr_hand(int form, long n, float *out, const float *x, const float *y, const float *z);

#endif
