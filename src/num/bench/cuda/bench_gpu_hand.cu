/* References for the measurements of the GPU's kernels. */

#include "num/device/cuda/gpu.h"
#include "num/md/cuda/blas.h"

extern "C" {
#include "num/bench/bench_gpu.h"
}

enum { THREADS = 512 };

/** As somebody would who writes this kernel alone: n is a multiple of 4, both arrays lie on 16 bytes. */
__global__ void __launch_bounds__(THREADS)
        kern_saxpy(long n, float a, const float4 *__restrict__ x, float4 *__restrict__ y)
{
	const long i = (long)blockIdx.x * THREADS + threadIdx.x;

	if (i >= n)
		return;

	const float4 u = __ldcs(&x[i]);
	float4 v = __ldcs(&y[i]);

	v.x = fmaf(a, u.x, v.x);
	v.y = fmaf(a, u.y, v.y);
	v.z = fmaf(a, u.z, v.z);
	v.w = fmaf(a, u.w, v.w);
	__stcs(&y[i], v);
}

static void saxpy(long n, float a, const float *x, float *y)
{
	GPU_LAUNCH(kern_saxpy, gpu_divide_up(n / 4, THREADS), THREADS, 0, gpu_stream(), n / 4, a,
	        (const float4 *)x, (float4 *)y);
}

static void copy(void *dst, const void *src, size_t bytes)
{
	GPU_CHECK(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, gpu_stream()));
}

extern "C" const struct bench_gpu_hand bench_gpu_hand = {saxpy, gpu_blas_saxpy, copy};
