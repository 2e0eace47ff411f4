#ifndef MINIMAL_CUDA_DEVICE_FUNCTIONS_H
#define MINIMAL_CUDA_DEVICE_FUNCTIONS_H

/** Functions of the kernel language that do not involve other threads: bits, rounding, loads and stores,
 * atomics. */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- as bits ---- */

#define EMULATED_BITS(name, to, from)                                                                        \
	static inline to name(from v)                                                                        \
	{                                                                                                    \
		to r;                                                                                        \
                                                                                                             \
		memcpy(&r, &v, sizeof r);                                                                    \
                                                                                                             \
		return r;                                                                                    \
	}
EMULATED_BITS(__float_as_int, int, float)
EMULATED_BITS(__float_as_uint, unsigned, float)
EMULATED_BITS(__int_as_float, float, int)
EMULATED_BITS(__uint_as_float, float, unsigned)
EMULATED_BITS(__double_as_longlong, long long, double)
EMULATED_BITS(__longlong_as_double, double, long long)
#undef EMULATED_BITS

static inline int __double2hiint(double v)
{
	return (int)(__double_as_longlong(v) >> 32);
}

static inline int __double2loint(double v)
{
	return (int)__double_as_longlong(v);
}

static inline double __hiloint2double(int hi, int lo)
{
	return __longlong_as_double((long long)hi << 32 | (unsigned)lo);
}

static inline int __popc(unsigned v)
{
	return __builtin_popcount(v);
}

static inline int __popcll(unsigned long long v)
{
	return __builtin_popcountll(v);
}

static inline int __clz(int v)
{
	return (0 == v) ? 32 : __builtin_clz((unsigned)v);
}

static inline int __clzll(long long v)
{
	return (0 == v) ? 64 : __builtin_clzll((unsigned long long)v);
}

static inline int __ffs(int v)
{
	return __builtin_ffs(v);
}

static inline int __ffsll(long long v)
{
	return __builtin_ffsll(v);
}

static inline unsigned __brev(unsigned v)
{
	unsigned r = 0;

	for (int i = 0; i < 32; i++)
		r |= (v >> i & 1u) << (31 - i);

	return r;
}

static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned how)
{
	uint64_t all = (uint64_t)b << 32 | a;
	unsigned r = 0;

	for (int i = 0; i < 4; i++)
		r |= (unsigned)(all >> 8 * (how >> 4 * i & 7u) & 255u) << 8 * i;

	return r;
}

static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by)
{
	return (unsigned)(((uint64_t)hi << 32 | lo) << (by & 31u) >> 32);
}

static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned by)
{
	return (unsigned)(((uint64_t)hi << 32 | lo) >> (by & 31u));
}

static inline int __mulhi(int a, int b)
{
	return (int)((int64_t)a * b >> 32);
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((uint64_t)a * b >> 32);
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}

static inline int __mul24(int a, int b)
{
	return (a << 8 >> 8) * (b << 8 >> 8);
}

/* ---- arithmetic: rounded to nearest unless the name says otherwise ---- */

static inline float __fadd_rn(float a, float b)
{
	return a + b;
}

static inline float __fsub_rn(float a, float b)
{
	return a - b;
}

static inline float __fmul_rn(float a, float b)
{
	return a * b;
}

static inline float __fdiv_rn(float a, float b)
{
	return a / b;
}

static inline float __frcp_rn(float a)
{
	return 1.f / a;
}

static inline float __fsqrt_rn(float a)
{
	return sqrtf(a);
}

static inline float __fmaf_rn(float a, float b, float c)
{
	return fmaf(a, b, c);
}

static inline double __dadd_rn(double a, double b)
{
	return a + b;
}

static inline double __dsub_rn(double a, double b)
{
	return a - b;
}

static inline double __dmul_rn(double a, double b)
{
	return a * b;
}

static inline double __ddiv_rn(double a, double b)
{
	return a / b;
}

static inline double __drcp_rn(double a)
{
	return 1. / a;
}

static inline double __dsqrt_rn(double a)
{
	return sqrt(a);
}

static inline double __fma_rn(double a, double b, double c)
{
	return fma(a, b, c);
}

/** The float next to the exact sum s + low, rounded up if `up`, else down; |low| is below half a unit in the
 * last place of s. */
static inline float emulated_round(double s, double low, bool up)
{
	float r = (float)s;
	double rest = (s - (double)r) + low;

	if (up && 0. < rest)
		r = nextafterf(r, INFINITY);
	if (!up && 0. > rest)
		r = nextafterf(r, -INFINITY);

	return r;
}

static inline float emulated_add(float a, float b, bool up)
{
	double x = a, y = b, s = x + y, t = s - x;

	return emulated_round(s, (x - (s - t)) + (y - t), up);
}

static inline float __fadd_rd(float a, float b)
{
	return emulated_add(a, b, false);
}

static inline float __fadd_ru(float a, float b)
{
	return emulated_add(a, b, true);
}

static inline float __fsub_rd(float a, float b)
{
	return emulated_add(a, -b, false);
}

static inline float __fsub_ru(float a, float b)
{
	return emulated_add(a, -b, true);
}

static inline float __fmul_rd(float a, float b)
{
	return emulated_round((double)a * b, 0., false);
}

static inline float __fmul_ru(float a, float b)
{
	return emulated_round((double)a * b, 0., true);
}

static inline float __fmul_rz(float a, float b)
{
	return emulated_round((double)a * b, 0., 0. > (double)a * b);
}

static inline float __fadd_rz(float a, float b)
{
	return emulated_add(a, b, 0. > (double)a + b);
}

static inline float __fmaf_rd(float a, float b, float c)
{
	double x = (double)a * b, y = c, s = x + y, t = s - x;

	return emulated_round(s, (x - (s - t)) + (y - t), false);
}

static inline float __double2float_rd(double v)
{
	return emulated_round(v, 0., false);
}

static inline float __double2float_ru(double v)
{
	return emulated_round(v, 0., true);
}

static inline float __double2float_rn(double v)
{
	return (float)v;
}

static inline float __double2float_rz(double v)
{
	return emulated_round(v, 0., 0. > v);
}

/* fast forms, of the accuracy of the slow ones here */

static inline float __fdividef(float a, float b)
{
	return a / b;
}

// macros: the C library declares functions of these names
#define __expf(a)    expf(a)
#define __logf(a)    logf(a)
#define __log2f(a)   log2f(a)
#define __powf(a, b) powf(a, b)
#define __sinf(a)    sinf(a)
#define __cosf(a)    cosf(a)

static inline float __saturatef(float a)
{
	return (a > 0.f) ? (a < 1.f ? a : 1.f) : 0.f; // NaN: 0
}

static inline float rsqrtf(float a)
{
	return 1.f / sqrtf(a);
}

static inline double rsqrt(double a)
{
	return 1. / sqrt(a);
}

static inline float __frsqrt_rn(float a)
{
	return (float)(1. / sqrt((double)a));
}

/** The integer nearest to v; NaN becomes 0, and values outside the range become the end of the range. */
template <class T> static inline T emulated_integer(double v, double lowest, double beyond, T most)
{
	if (!(v >= lowest))
		return (v != v) ? (T)0 : (T)lowest;

	return (v >= beyond) ? most : (T)v;
}

#define EMULATED_ROUNDINGS(name, from, type, lowest, beyond, most)                                           \
	static inline type name##_rn(from v)                                                                 \
	{                                                                                                    \
		return emulated_integer<type>(rint((double)v), lowest, beyond, most);                        \
	}                                                                                                    \
	static inline type name##_rd(from v)                                                                 \
	{                                                                                                    \
		return emulated_integer<type>(floor((double)v), lowest, beyond, most);                       \
	}                                                                                                    \
	static inline type name##_ru(from v)                                                                 \
	{                                                                                                    \
		return emulated_integer<type>(ceil((double)v), lowest, beyond, most);                        \
	}                                                                                                    \
	static inline type name##_rz(from v)                                                                 \
	{                                                                                                    \
		return emulated_integer<type>(trunc((double)v), lowest, beyond, most);                       \
	}
EMULATED_ROUNDINGS(__float2int, float, int, -0x1p31, 0x1p31, INT32_MAX)
EMULATED_ROUNDINGS(__float2uint, float, unsigned, 0., 0x1p32, UINT32_MAX)
EMULATED_ROUNDINGS(__float2ll, float, long long, -0x1p63, 0x1p63, INT64_MAX)
EMULATED_ROUNDINGS(__double2int, double, int, -0x1p31, 0x1p31, INT32_MAX)
EMULATED_ROUNDINGS(__double2uint, double, unsigned, 0., 0x1p32, UINT32_MAX)
EMULATED_ROUNDINGS(__double2ll, double, long long, -0x1p63, 0x1p63, INT64_MAX)
#undef EMULATED_ROUNDINGS

static inline float __int2float_rn(int v)
{
	return (float)v;
}

static inline float __uint2float_rn(unsigned v)
{
	return (float)v;
}

static inline float __ll2float_rn(long long v)
{
	return (float)v;
}

static inline double __int2double_rn(int v)
{
	return v;
}

#define EMULATED_MINMAX(type)                                                                                \
	static inline type min(type a, type b)                                                               \
	{                                                                                                    \
		return (b < a) ? b : a;                                                                      \
	}                                                                                                    \
	static inline type max(type a, type b)                                                               \
	{                                                                                                    \
		return (a < b) ? b : a;                                                                      \
	}
EMULATED_MINMAX(int)
EMULATED_MINMAX(unsigned)
EMULATED_MINMAX(long)
EMULATED_MINMAX(unsigned long)
EMULATED_MINMAX(long long)
EMULATED_MINMAX(unsigned long long)
#undef EMULATED_MINMAX

static inline float min(float a, float b)
{
	return fminf(a, b);
}

static inline float max(float a, float b)
{
	return fmaxf(a, b);
}

static inline double min(double a, double b)
{
	return fmin(a, b);
}

static inline double max(double a, double b)
{
	return fmax(a, b);
}

static inline unsigned min(unsigned a, int b)
{
	return min(a, (unsigned)b);
}

static inline unsigned min(int a, unsigned b)
{
	return min((unsigned)a, b);
}

static inline unsigned max(unsigned a, int b)
{
	return max(a, (unsigned)b);
}

static inline unsigned max(int a, unsigned b)
{
	return max((unsigned)a, b);
}

static inline long min(long a, int b)
{
	return min(a, (long)b);
}

static inline long min(int a, long b)
{
	return min((long)a, b);
}

static inline long max(long a, int b)
{
	return max(a, (long)b);
}

static inline long max(int a, long b)
{
	return max((long)a, b);
}

/* ---- memory ---- */

#define EMULATED_LOAD(name)                                                                                  \
	template <class T> static inline T name(const T *p)                                                  \
	{                                                                                                    \
		return *p;                                                                                   \
	}
EMULATED_LOAD(__ldg)
EMULATED_LOAD(__ldcs)
EMULATED_LOAD(__ldcg)
EMULATED_LOAD(__ldca)
EMULATED_LOAD(__ldlu)
EMULATED_LOAD(__ldcv)
#undef EMULATED_LOAD

#define EMULATED_STORE(name)                                                                                 \
	template <class T> static inline void name(T *p, T v)                                                \
	{                                                                                                    \
		*p = v;                                                                                      \
	}
EMULATED_STORE(__stcs)
EMULATED_STORE(__stcg)
EMULATED_STORE(__stwb)
EMULATED_STORE(__stwt)
#undef EMULATED_STORE

static inline size_t __cvta_generic_to_shared(const void *p)
{
	return (size_t)p;
}

/** Integer atomics. There are no floating-point atomics, because their sums would depend on the order. */
#define EMULATED_ATOMIC(name, builtin)                                                                       \
	template <class T, class U> static inline T name(T *p, U v)                                          \
	{                                                                                                    \
		static_assert(std::is_integral<T>::value, "integers only");                                  \
                                                                                                             \
		return builtin(p, (T)v, __ATOMIC_RELAXED);                                                   \
	}
EMULATED_ATOMIC(atomicAdd, __atomic_fetch_add)
EMULATED_ATOMIC(atomicSub, __atomic_fetch_sub)
EMULATED_ATOMIC(atomicAnd, __atomic_fetch_and)
EMULATED_ATOMIC(atomicOr, __atomic_fetch_or)
EMULATED_ATOMIC(atomicXor, __atomic_fetch_xor)
EMULATED_ATOMIC(atomicExch, __atomic_exchange_n)
#undef EMULATED_ATOMIC

template <class T, class U, class V> static inline T atomicCAS(T *p, U expected, V v)
{
	T old = (T)expected;

	__atomic_compare_exchange_n(p, &old, (T)v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);

	return old;
}

template <class T, class U> static inline T atomicMax(T *p, U v)
{
	T old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (old < (T)v &&
	        !__atomic_compare_exchange_n(p, &old, (T)v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;

	return old;
}

template <class T, class U> static inline T atomicMin(T *p, U v)
{
	T old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while ((T)v < old &&
	        !__atomic_compare_exchange_n(p, &old, (T)v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;

	return old;
}

#endif
