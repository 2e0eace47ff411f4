#ifndef NUM_BENCH_BENCH_GPU_H
#define NUM_BENCH_BENCH_GPU_H

#include <stdbool.h>

#include "misc/dtype.h"

/** These suites of gantry bench -g measure arrays on the GPU in use. A measured time ends when the last
 * kernel is complete. */
struct bench;
extern void bench_gpu_saxpy(struct bench *b, long size);
extern void bench_gpu_md(struct bench *b, long size);
extern void bench_gpu_fft(struct bench *b, long size);

/** Measures copies of an array from the host to the GPU and back. The copies belong to the suite md. */
extern void bench_gpu_transfer(struct bench *b, long size);

/**
 * Contains reference kernels:
 * - saxpy(): Computes y += a x with a handwritten kernel.
 * - blas_saxpy(): Computes y += a x with cuBLAS. Returns false if cuBLAS is not available.
 * - copy(): Copies with the CUDA runtime.
 */
struct bench_gpu_hand {
	void (*saxpy)(long n, float a, const float *x, float *y);
	bool (*blas_saxpy)(long n, float a, const float *x, float *y);
	void (*copy)(void *dst, const void *src, size_t bytes);
};
extern const struct bench_gpu_hand bench_gpu_hand;

#endif
