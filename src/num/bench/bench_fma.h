#ifndef NUM_BENCH_BENCH_FMA_H
#define NUM_BENCH_BENCH_FMA_H

/**
 * How fast the machine multiplies and adds float32 in registers, on all threads: the ceiling of everything
 * that computes. Fused multiply-adds with the instruction set of the kernels, else products and sums.
 */

/** Operations of one run (a product and a sum are two) per thread. */
extern double bench_fma_flops(void);

/** Runs that on every thread; keeps the compiler from leaving it out by what it returns. */
extern float bench_fma_run(void);

#endif
