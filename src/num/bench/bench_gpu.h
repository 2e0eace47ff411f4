#ifndef NUM_BENCH_BENCH_GPU_H
#define NUM_BENCH_BENCH_GPU_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Measurements on the GPU in use: suites of gantry bench with -g, on arrays that reside there; measured from
 * the first launch to the end of the last kernel.
 */
struct bench;
extern void bench_gpu_saxpy(struct bench *b, long size);
extern void bench_gpu_md(struct bench *b, long size);
extern void bench_gpu_fft(struct bench *b, long size);

/** Copies of one array between ordinary memory and the GPU, a part of the suite md. */
extern void bench_gpu_transfer(struct bench *b, long size);

/** Kernels for comparison: a handwritten y += a x; the same by cuBLAS, false if not available; dst = src by
 * the runtime. */
struct bench_gpu_hand {
	void (*saxpy)(long n, float a, const float *x, float *y);
	bool (*blas_saxpy)(long n, float a, const float *x, float *y);
	void (*copy)(void *dst, const void *src, size_t bytes);
};
extern const struct bench_gpu_hand bench_gpu_hand;

#endif
