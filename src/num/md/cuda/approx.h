#ifndef NUM_MD_CUDA_APPROX_H
#define NUM_MD_CUDA_APPROX_H

/** Functions of at most two instructions for GPU kernels. The approximate functions may treat denormal
 * numbers as 0, unlike the slower functions of the compiler. */

/** Returns 1 / x, within one unit in the last place. */
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

/** Returns the square root of x > 0, with a relative error below 3e-7. */
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

/** Returns x after y has been computed. The compiler does not know that the result equals x. Computations
 * from x and from the result therefore share no operations. */
static __device__ __forceinline__ double gpu_after(float y, double x)
{
#ifdef GANTRY_EMULATE
	(void)y;
#else
	asm volatile("" : "+d"(x) : "f"(y));
#endif
	return x;
}

/** Makes the compiler treat x, an integer or a pointer, as changed. Values that depend on x are computed
 * again rather than kept in registers. */
static __device__ __forceinline__ void gpu_anew(int &x)
{
	asm volatile("" : "+r"(x));
}

template <class T> static __device__ __forceinline__ void gpu_anew(T *&x)
{
	asm volatile("" : "+l"(x));
}

#endif
