#ifndef VOLUME_RENDER_CUDA_LANE_H
#define VOLUME_RENDER_CUDA_LANE_H

/** The operations of volume/render/lanes.h for a GPU thread, with vectors of one element. All operations are
 * correctly rounded. Results are bit-identical to those of the CPU. CUDA C++ only. */

#include <cuda_runtime.h>
#include <math.h>
#include <string.h>

enum { LANES = 1 };
typedef float vf;
typedef int vi;
typedef bool vm;

#define INLINE static __device__ __forceinline__
#define FN     static __device__ inline
#define APART  static __device__ __attribute__((noinline))
#define restrict __restrict__
#define any(m) (m) // the toolkit has a function of this name

#define LANE_OP(type, name, arguments, result)                                                               \
	INLINE type name arguments                                                                           \
	{                                                                                                    \
		return result;                                                                               \
	}
LANE_OP(vf, set1, (float a), a)
LANE_OP(vi, set1i, (int a), a)
LANE_OP(vf, add, (vf a, vf b), a + b)
LANE_OP(vf, sub, (vf a, vf b), a - b)
LANE_OP(vf, mul, (vf a, vf b), a *b)
LANE_OP(vf, divide, (vf a, vf b), a / b)
LANE_OP(vf, madd, (vf a, vf b, vf c), fmaf(a, b, c))
LANE_OP(vf, root, (vf a), sqrtf(a))
LANE_OP(vf, floorv, (vf a), floorf(a))
LANE_OP(vf, least, (vf a, vf b), a < b ? a : b)
LANE_OP(vf, most, (vf a, vf b), a > b ? a : b)
LANE_OP(vm, ltf, (vf a, vf b), a < b)
LANE_OP(vm, gef, (vf a, vf b), a >= b)
LANE_OP(vm, both, (vm a, vm b), a &&b)
LANE_OP(vm, except, (vm a, vm b), a && !b)
LANE_OP(unsigned, bits, (vm m), m)
LANE_OP(vf, keep, (vm m, vf a), m ? a : 0.f)
LANE_OP(vf, pick, (vm m, vf a, vf b), m ? a : b)
LANE_OP(vi, picki, (vm m, vi a, vi b), m ? a : b)
LANE_OP(vi, addi, (vi a, vi b), a + b)
LANE_OP(vi, muli, (vi a, vi b), a *b)
LANE_OP(vi, andi, (vi a, vi b), a &b)
LANE_OP(vi, srl, (vi a, int n), (int)((unsigned)a >> n))
LANE_OP(vf, floats, (vi a), (float)a)
LANE_OP(vi, trunci, (vf a), (int)a)
LANE_OP(vf, castf, (vi a), __int_as_float(a))
LANE_OP(float, lowest, (vf a), a)
LANE_OP(vf, loadf, (const float *p), *p)
LANE_OP(vf, gatherf, (const float *p, vi at), p[at])
LANE_OP(vi, gatherb, (const unsigned char *p, vi at), p[at])
#undef LANE_OP

INLINE void storef(float *p, vf a)
{
	*p = a;
}

/** Where an element is. */
struct places {
	int i;
};

INLINE struct places places_of(vi at)
{
	return {at};
}

/** Loads two neighbouring integers from p + scale * at. */
INLINE void gather2(const void *p, const struct places *at, int scale, vi *a, vi *b)
{
	const int *const from = (const int *)((const char *)p + (long)at->i * scale);

	*a = from[0];
	*b = from[1];
}

#endif
