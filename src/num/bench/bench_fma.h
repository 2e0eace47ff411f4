#ifndef NUM_BENCH_BENCH_FMA_H
#define NUM_BENCH_BENCH_FMA_H

/**
 * Speed of float32 multiplications and additions in registers, on all threads: the upper limit of all
 * computations. Uses fused multiply-adds if the instruction set of the kernels has them, else separate
 * multiplications and additions.
 */

/** Number of operations per thread of one run of bench_fma_run(); a product and a sum count as two
 * operations. */
extern double bench_fma_flops(void);

/** Runs the operations on every thread; the result prevents the compiler from removing them. */
extern float bench_fma_run(void);

#endif
