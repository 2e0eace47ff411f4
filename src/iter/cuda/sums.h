#ifndef ITER_CUDA_SUMS_H
#define ITER_CUDA_SUMS_H

/** Sums over the elements of vectors on the GPU, in float64. The order of summation depends only on the
 * number of elements. */

#include "iter/cuda/selftest_iter.h"
#include "num/device/cuda/gpu.h"

extern "C" {
#include "iter/step/passes.h"
#include "num/device/device.h"
}

enum { THREADS = 256, EACH = 8, BLOCKS_MOST = 1024, SUMS = 2, AHEAD = 4 };

/** Returns the CUDA stream for sums. The first call also runs the self-test of the vector operations. */
static cudaStream_t pass_stream(void)
{
	gpu_selftest(&gpu_selftest_vectors);

	return gpu_stream();
}

/** Returns the number of CUDA blocks for n elements. The number depends only on n. */
static long blocks_of(long n)
{
	const long b = gpu_divide_up(n, (long)THREADS * EACH);

	return b < (long)BLOCKS_MOST ? b : (long)BLOCKS_MOST;
}

/** Writes the sums of a and b over the threads of a block to total[]. Only thread 0 writes the sums. */
__device__ static void add_block(double a, double b, double total[SUMS])
{
	__shared__ double part[SUMS][THREADS];
	const int t = (int)threadIdx.x;

	part[0][t] = a;
	part[1][t] = b;
	__syncthreads();

	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half) {
			part[0][t] += part[0][t + half];
			part[1][t] += part[1][t + half];
		}

		__syncthreads();
	}

	if (0 == t) {
		total[0] = part[0][0];
		total[1] = part[1][0];
	}
}

/** Writes the sums of a and b over the threads of a block to out[]. The sums of block k are at out[2 k]. */
__device__ static void add_up(double a, double b, double *out)
{
	add_block(a, b, out + SUMS * (long)blockIdx.x);
}

#define FOR_MINE(i, n)                                                                                       \
	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < (n); i += (long)gridDim.x * THREADS)

/** Adds up the sums of all blocks. A result whose pointer is NULL is not written. If `momentum` is not NULL
 * and the first sum is above 0, *momentum becomes 1. Otherwise *momentum becomes momentum_after(*momentum).
 */
__global__ static void finish(long blocks, const double *part, double *sum0, double *sum1, double *momentum)
{
	double a = 0., b = 0., total[SUMS];

	for (long i = (long)threadIdx.x; i < blocks; i += THREADS) {
		a += part[SUMS * i];
		b += part[SUMS * i + 1];
	}

	add_block(a, b, total);

	if (0 != threadIdx.x)
		return;

	if (NULL != sum0)
		*sum0 = total[0];

	if (NULL != sum1)
		*sum1 = total[1];

	if (NULL != momentum)
		*momentum = (total[0] > 0.) ? 1. : momentum_after(*momentum);
}

/** A buffer on the GPU for the sums of n elements. There are two sums per block. */
struct totals {
	double *there;
	long blocks;

	explicit totals(long n) : there(NULL), blocks(blocks_of(n))
	{
		there = (double *)device_alloc((size_t)blocks * SUMS * sizeof(double));
	}

	/** Adds up the sums of all blocks with finish(), and frees the buffer. If sum0 and momentum are NULL,
	 * nothing is written. */
	void give(double *sum0, double *sum1, double *momentum)
	{
		if (NULL != sum0 || NULL != momentum)
			GPU_LAUNCH(finish, 1, THREADS, 0, pass_stream(), blocks, (const double *)there, sum0,
			        sum1, momentum);

		device_free(there);
	}
};

#endif
