#ifndef NUM_MD_CUDA_APPROX_H
#define NUM_MD_CUDA_APPROX_H

/** Functions of at most two instructions. The approximate functions are for kernels that may treat denormal
 * numbers as 0. The compiler's functions handle denormal numbers, with three to four more instructions. */

/** 1 / x, within one unit in the last place. */
static __device__ __forceinline__ float gpu_inverse(float x)
{
#ifdef GANTRY_EMULATE
	return 1.f / x;
#else
	float y;

	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
#endif
}

/** The square root of x > 0, with a relative error below 3e-7. */
static __device__ __forceinline__ float gpu_root(float x)
{
#ifdef GANTRY_EMULATE
	return x * rsqrtf(x);
#else
	float y;

	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return x * y;
#endif
}

/** Returns x, but the compiler does not know that the result equals x, and uses it only after computing y. So
 * the compiler shares no operations between computations from x and computations from the result. */
static __device__ __forceinline__ double gpu_after(float y, double x)
{
#ifdef GANTRY_EMULATE
	(void)y;
#else
	asm volatile("" : "+d"(x) : "f"(y));
#endif
	return x;
}

/** The compiler treats x (an integer or a pointer) as changed, and computes what depends on it anew instead
 * of keeping it in registers. */
static __device__ __forceinline__ void gpu_anew(int &x)
{
	asm volatile("" : "+r"(x));
}

template <class T> static __device__ __forceinline__ void gpu_anew(T *&x)
{
	asm volatile("" : "+l"(x));
}

#endif
