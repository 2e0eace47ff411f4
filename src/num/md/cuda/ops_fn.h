#ifndef NUM_MD_CUDA_OPS_FN_H
#define NUM_MD_CUDA_OPS_FN_H

/** Applies the operators of num/kern/ops.h in GPU kernels. Real and boolean operators use the definitions of
 * the CPU: num/kern/kern_real.inc and num/kern/kern_bool.inc. Complex operators are in
 * num/md/cuda/complex_fn.h. */

#include <math.h>
#include <stdint.h>

#include "num/kern/kern_math.h"
#include "num/md/cuda/complex_fn.h"
#include "num/md/cuda/md.h"

/** A value of any work type. */
union cell {
	unsigned char b;
	long long i;
	unsigned long long u;
	float f;
	double d;
	cx<float> c;
	cx<double> z;

	__device__ cell()
	{
	}
};

#define OPS_DEVICE static __device__ __forceinline__

OPS_DEVICE void cell_set(cell *c, unsigned char x)
{
	c->b = x;
}
OPS_DEVICE void cell_set(cell *c, int x)
{
	c->b = (unsigned char)x;
}
OPS_DEVICE void cell_set(cell *c, float x)
{
	c->f = x;
}
OPS_DEVICE void cell_set(cell *c, double x)
{
	c->d = x;
}
OPS_DEVICE void cell_set(cell *c, cx<float> x)
{
	c->c = x;
}
OPS_DEVICE void cell_set(cell *c, cx<double> x)
{
	c->z = x;
}
OPS_DEVICE void cell_get(const cell &c, unsigned char *x)
{
	*x = c.b;
}
OPS_DEVICE void cell_get(const cell &c, float *x)
{
	*x = c.f;
}
OPS_DEVICE void cell_get(const cell &c, double *x)
{
	*x = c.d;
}
OPS_DEVICE void cell_get(const cell &c, cx<float> *x)
{
	*x = c.c;
}
OPS_DEVICE void cell_get(const cell &c, cx<double> *x)
{
	*x = c.z;
}

/* ---- the CPU's definitions, one function per operator; long functions (CALLS) are not unrolled ---- */

#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAME(x)      PASTE(x, SUFFIX)
#define INLINE       OPS_DEVICE
#define SIMD
#define PAIRS
#define CALLS                       _Pragma("unroll 1")
#define __builtin_isunordered(x, y) (((x) != (x)) | ((y) != (y)))
#define UNARY(id, LOOP, R, T, expr)                                                                          \
	OPS_DEVICE R NAME(one_##id)(const T x)                                                               \
	{                                                                                                    \
		return (expr);                                                                               \
	}
#define BINARY(id, LOOP, R, T, expr)                                                                         \
	OPS_DEVICE R NAME(one_##id)(const T x, const T y)                                                    \
	{                                                                                                    \
		return (expr);                                                                               \
	}
#define TERNARY(id, LOOP, R, X, T, expr)                                                                     \
	OPS_DEVICE R NAME(one_##id)(const X x, const T y, const T z)                                         \
	{                                                                                                    \
		return (expr);                                                                               \
	}
#define UNARY_FAR(id, LOOP, R, T, reach, limit, fast, FAR_LOOP, slow) UNARY(id, LOOP, R, T, slow)
#define BINARY_FAR(id, LOOP, R, T, near, fast, FAR_LOOP, slow)        BINARY(id, LOOP, R, T, slow)

/* An operator on E elements. */
#define ROW1(id, LOOP, R, T, expr)                                                                           \
	case OP_##id:                                                                                        \
		LOOP for (int e = 0; e < E; e++)                                                             \
		{                                                                                            \
			T x;                                                                                 \
			cell_get(a[e], &x);                                                                  \
			cell_set(&out[e], NAME(one_##id)(x));                                                \
		}                                                                                            \
		break;
#define ROW2(id, LOOP, R, T, expr)                                                                           \
	case OP_##id:                                                                                        \
		LOOP for (int e = 0; e < E; e++)                                                             \
		{                                                                                            \
			T x, y;                                                                              \
			cell_get(a[e], &x);                                                                  \
			cell_get(b[e], &y);                                                                  \
			cell_set(&out[e], NAME(one_##id)(x, y));                                             \
		}                                                                                            \
		break;
#define ROW3(id, LOOP, R, X, T, expr)                                                                        \
	case OP_##id:                                                                                        \
		LOOP for (int e = 0; e < E; e++)                                                             \
		{                                                                                            \
			X x;                                                                                 \
			T y, z;                                                                              \
			cell_get(a[e], &x);                                                                  \
			cell_get(b[e], &y);                                                                  \
			cell_get(c[e], &z);                                                                  \
			cell_set(&out[e], NAME(one_##id)(x, y, z));                                          \
		}                                                                                            \
		break;
#define ROW_OTHER(id) ROW_OTHER_##id
#define ROW_OTHER_EXP ROW1(EXP, CALLS, T, T, )
#define ROW_OTHER_LOG ROW1(LOG, CALLS, T, T, )
#define ROW_OTHER_SIN ROW1(SIN, CALLS, T, T, )
#define ROW_OTHER_COS ROW1(COS, CALLS, T, T, )
#define ROW_OTHER_TAN ROW1(TAN, CALLS, T, T, )
#define ROW_OTHER_CIS ROW1(CIS, CALLS, T, T, )
#define ROW_OTHER_MOD ROW2(MOD, CALLS, T, T, )
#define OPS_TABLE(...)                                                                                       \
	template <int E>                                                                                     \
	static __device__ void NAME(ops)(int op, cell *out, const cell *a, const cell *b, const cell *c)     \
	{                                                                                                    \
		switch (op) {                                                                                \
			__VA_ARGS__                                                                          \
		}                                                                                            \
	}

#define SUFFIX b8
#include "num/kern/kern_bool.inc"
#undef SUFFIX

#define SUFFIX       f32
#define REAL         float
#define BITS         uint32_t
#define FLOAT32      1
#define M(fn)        fn##f
#define FUNCTION(fn) kern_##fn##f
#define FUNCTIONS    CALLS
OPS_DEVICE void cell_set(cell *c, struct pair_f32 x);
#include "num/kern/kern_real.inc"
#undef SUFFIX
#undef REAL
#undef BITS
#undef FLOAT32
#undef M
#undef FUNCTION
#undef FUNCTIONS

#define SUFFIX       f64
#define REAL         double
#define BITS         uint64_t
#define FLOAT32      0
#define M(fn)        fn
#define FUNCTION(fn) fn
#define FUNCTIONS    CALLS
OPS_DEVICE void cell_set(cell *c, struct pair_f64 x);
#include "num/kern/kern_real.inc"
#undef SUFFIX
#undef REAL
#undef BITS
#undef FLOAT32
#undef M
#undef FUNCTION
#undef FUNCTIONS

OPS_DEVICE void cell_set(cell *c, struct pair_f32 x)
{
	c->c = cx_make<float>(x.re, x.im);
}
OPS_DEVICE void cell_set(cell *c, struct pair_f64 x)
{
	c->z = cx_make<double>(x.re, x.im);
}

#define COMPLEX_ROWS(SUFFIX_, T_)                                                                            \
	template <int E>                                                                                     \
	static __device__ void ops_##SUFFIX_(int op, cell *out, const cell *a, const cell *b, const cell *c) \
	{                                                                                                    \
		CALLS for (int e = 0; e < E; e++)                                                            \
		{                                                                                            \
			cx<T_> x, y, z;                                                                      \
			if (OP_SELECT == op) {                                                               \
				out[e] = a[e].b ? b[e] : c[e];                                               \
				continue;                                                                    \
			}                                                                                    \
			cell_get(a[e], &x);                                                                  \
			y = z = x;                                                                           \
			if (NULL != b)                                                                       \
				cell_get(b[e], &y);                                                          \
			if (NULL != c)                                                                       \
				cell_get(c[e], &z);                                                          \
			if (cx_is_test(op))                                                                  \
				out[e].b = cx_test(op, x, y);                                                \
			else if (cx_is_real(op))                                                             \
				cell_set(&out[e], cx_real(op, x));                                           \
			else                                                                                 \
				cell_set(&out[e], cx_apply(op, x, y, z));                                    \
		}                                                                                            \
	}
COMPLEX_ROWS(c64, float)
COMPLEX_ROWS(c128, double)
#undef COMPLEX_ROWS
#undef __builtin_isunordered

/** Applies an operator to E elements of a work type. Pointers to unused operands are NULL. */
template <int E>
static __device__ void ops_apply(int op, int work, cell *out, const cell *a, const cell *b, const cell *c)
{
	switch (work) {
	case DT_BOOL:
		ops_b8<E>(op, out, a, b, c);
		break;
	case DT_FLOAT32:
		ops_f32<E>(op, out, a, b, c);
		break;
	case DT_FLOAT64:
		ops_f64<E>(op, out, a, b, c);
		break;
	case DT_COMPLEX64:
		ops_c64<E>(op, out, a, b, c);
		break;
	default:
		ops_c128<E>(op, out, a, b, c);
	}
}

/* ---- conversions between work types, as convert(.., NARROW_SATURATE) ---- */

/** Returns the value as complex128. Integers are rounded to nearest. */
OPS_DEVICE cx<double> cell_wide(const cell &c, int type)
{
	switch (type) {
	case DT_BOOL:
		return cx_make<double>(0 != c.b, 0);
	case DT_INT64:
		return cx_make<double>((double)c.i, 0);
	case DT_UINT64:
		return cx_make<double>((double)c.u, 0);
	case DT_FLOAT32:
		return cx_make<double>(c.f, 0);
	case DT_FLOAT64:
		return cx_make<double>(c.d, 0);
	case DT_COMPLEX64:
		return cx_make<double>(c.c.re, c.c.im);
	default:
		return c.z;
	}
}

/** Writes z as a bool, float or complex value of type `type`. The other bytes of the cell become 0. */
OPS_DEVICE void cell_narrow(cell *c, int type, cx<double> z)
{
	c->z = cx_make<double>(0, 0);

	switch (type) {
	case DT_BOOL:
		c->b = (0 != z.re) | (0 != z.im);
		break;
	case DT_FLOAT32:
		c->f = (float)z.re;
		break;
	case DT_FLOAT64:
		c->d = z.re;
		break;
	case DT_COMPLEX64:
		c->c = cx_make<float>((float)z.re, (float)z.im);
		break;
	default:
		c->z = z;
	}
}

/** These functions copy an element from memory to a cell, and from a cell to memory. */
OPS_DEVICE void cell_load(cell *c, int type, const char *p)
{
	switch (type) {
	case DT_BOOL:
		c->b = *(const unsigned char *)p;
		break;
	case DT_FLOAT32:
		c->f = *(const float *)p;
		break;
	case DT_FLOAT64:
	case DT_INT64:
	case DT_UINT64:
		c->d = *(const double *)p;
		break;
	case DT_COMPLEX64:
		c->c = *(const cx<float> *)p;
		break;
	default:
		c->z = *(const cx<double> *)p;
	}
}

OPS_DEVICE void cell_store(char *p, int type, const cell &c)
{
	switch (type) {
	case DT_BOOL:
		*(unsigned char *)p = c.b;
		break;
	case DT_FLOAT32:
		*(float *)p = c.f;
		break;
	case DT_FLOAT64:
	case DT_INT64:
	case DT_UINT64:
		*(double *)p = c.d;
		break;
	case DT_COMPLEX64:
		*(cx<float> *)p = c.c;
		break;
	default:
		*(cx<double> *)p = c.z;
	}
}

#endif
