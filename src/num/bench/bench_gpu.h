#ifndef NUM_BENCH_BENCH_GPU_H
#define NUM_BENCH_BENCH_GPU_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Benchmarks on the GPU in use: suites of gantry bench with -g, on arrays that reside on the GPU. The time is
 * measured from the first launch to the end of the last kernel.
 */
struct bench;
extern void bench_gpu_saxpy(struct bench *b, long size);
extern void bench_gpu_md(struct bench *b, long size);
extern void bench_gpu_fft(struct bench *b, long size);

/** Measures copies of one array between ordinary memory and the GPU; a part of the suite md. */
extern void bench_gpu_transfer(struct bench *b, long size);

/** Kernels for comparison: a handwritten y += a x; y += a x by cuBLAS (false if not available); dst = src by
 * the CUDA runtime. */
struct bench_gpu_hand {
	void (*saxpy)(long n, float a, const float *x, float *y);
	bool (*blas_saxpy)(long n, float a, const float *x, float *y);
	void (*copy)(void *dst, const void *src, size_t bytes);
};
extern const struct bench_gpu_hand bench_gpu_hand;

#endif
