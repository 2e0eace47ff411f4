/* The five expressions of the benchmark, handwritten and tuned for the card: 16 bytes at a time, two times
 * per thread, bypassing the cache. */

#include "num/device/cuda/gpu.h"

extern "C" {
extern bool bench_gpu_expr_hand(int form, long n, float *out, const float *x, const float *y, const float *z);
}

enum { THREADS = 256, UNROLL = 2 };

template <int FORM> static __device__ __forceinline__ float value(float x, float y, float z)
{
	return (0 == FORM)   ? x * y
	       : (1 == FORM) ? x * y + y
	       : (2 == FORM) ? x * y + y / z
	       : (3 == FORM) ? x * y + y / z + x
	                     : x * y + y / z + x * z;
}

template <int FORM>
static __global__ void __launch_bounds__(THREADS)
        by_hand(long n, float4 *out, const float4 *px, const float4 *py, const float4 *pz)
{
	const long first = (long)blockIdx.x * THREADS * UNROLL + threadIdx.x;
	float4 x[UNROLL], y[UNROLL], z[UNROLL];

#pragma unroll
	for (int u = 0; u < UNROLL; u++) {
		const long i = first + u * THREADS;

		if (i < n) {
			x[u] = __ldcs(px + i);
			y[u] = __ldcs(py + i);
			z[u] = (FORM > 1) ? __ldcs(pz + i) : y[u];
		}
	}

#pragma unroll
	for (int u = 0; u < UNROLL; u++) {
		const long i = first + u * THREADS;

		if (i < n)
			__stcs(out + i, make_float4(value<FORM>(x[u].x, y[u].x, z[u].x),
			                        value<FORM>(x[u].y, y[u].y, z[u].y),
			                        value<FORM>(x[u].z, y[u].z, z[u].z),
			                        value<FORM>(x[u].w, y[u].w, z[u].w)));
	}
}

template <int FORM> static void start(long n, float *out, const float *x, const float *y, const float *z)
{
	GPU_LAUNCH((by_hand<FORM>), gpu_divide_up(n, THREADS * UNROLL), THREADS, 0, gpu_stream(), n,
	        (float4 *)out, (const float4 *)x, (const float4 *)y, (const float4 *)z);
}

/** n: a multiple of 4 is computed. */
bool bench_gpu_expr_hand(int form, long n, float *out, const float *x, const float *y, const float *z)
{
	static void (*const starts[])(long, float *, const float *, const float *, const float *) = {
	        start<0>, start<1>, start<2>, start<3>, start<4>};

	starts[form](n / 4, out, x, y, z);

	return true;
}
