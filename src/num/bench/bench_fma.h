#ifndef NUM_BENCH_BENCH_FMA_H
#define NUM_BENCH_BENCH_FMA_H

/** Measures the maximum speed of float32 arithmetic on registers, with all threads. Fused multiply-adds are
 * used if the instruction set of the kernels has them. */

/** Returns the number of operations per thread of bench_fma_run(). A multiply-add counts as two operations.
 */
extern double bench_fma_flops(void);

/** Runs the operations on every thread. The result has no meaning. */
extern float bench_fma_run(void);

#endif
