#ifndef NUM_EXPR_CUDA_EXPR_FN_H
#define NUM_EXPR_CUDA_EXPR_FN_H

/**
 * These functions compute expressions on one element in generated kernels and the interpreting kernel. The
 * text compiles as C++, and as CUDA C++ without headers (NVRTC). Every generated source contains the text.
 * Results equal those of the CPU kernels (num/kern/kern_impl.inc). Only float64 and complex functions of
 * the C library may differ.
 *
 * - el_NAME(): computes the operator NAME (num/kern/ops.h).
 * - red_NAME(): adds an element to a reduction.
 * - to_TYPE(): converts to a type in which operators compute.
 * - put<TYPE>(): converts to the type of an array.
 */

#include "num/expr/cuda/expr_fold.h"
#include "num/kern/half.h"
#include "num/kern/kern_math.h"
#include "num/md/cuda/complex_formulas.h"

typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef __int128 i128;
typedef unsigned __int128 u128;

/** These structs distinguish element types that would otherwise share a C type. */
struct flag {
	uint8_t v;
};

struct f16 {
	uint16_t bits;
};

template <class R> struct cx {
	R re, im;
};

typedef cx<f16> c32;
typedef cx<f32> c64;
typedef cx<f64> c128;

#define I64_LOW  (-9223372036854775807LL - 1)
#define I64_HIGH 9223372036854775807LL
#define U64_HIGH 18446744073709551615ULL

/* ---- conversion to types of computation: bool, i64, u64, f32, f64, c64, c128 ---- */

DEVICE_FN f32 real_of(f16 x)
{
	return half_widen(x.bits);
}

DEVICE_FN bool real_of(flag x)
{
	return 0 != x.v;
}

template <class S> DEVICE_FN S real_of(S x)
{
	return x;
}

template <class S> DEVICE_FN bool to_bool(S x)
{
	return 0 != real_of(x); // NaN is true
}

template <class R> DEVICE_FN bool to_bool(cx<R> x)
{
	return to_bool(x.re) | to_bool(x.im);
}

DEVICE_FN i64 rounded_i64(f64 x)
{
	const f64 r = rint(x);

	return (r >= 0x1p63) ? I64_HIGH : (r < -0x1p63) ? I64_LOW : (r == r) ? (i64)r : 0;
}

DEVICE_FN u64 rounded_u64(f64 x)
{
	const f64 r = rint(x);

	return (r >= 0x1p64) ? U64_HIGH : (r > 0) ? (u64)r : 0;
}

template <class S> DEVICE_FN i64 to_i64(S x)
{
	return (i64)real_of(x);
}

DEVICE_FN i64 to_i64(u64 x)
{
	return (x > (u64)I64_HIGH) ? I64_HIGH : (i64)x;
}

DEVICE_FN i64 to_i64(uint64_t x)
{
	return to_i64((u64)x);
}

DEVICE_FN i64 to_i64(f16 x)
{
	return rounded_i64((f64)real_of(x));
}

DEVICE_FN i64 to_i64(f32 x)
{
	return rounded_i64((f64)x);
}

DEVICE_FN i64 to_i64(f64 x)
{
	return rounded_i64(x);
}

template <class R> DEVICE_FN i64 to_i64(cx<R> x)
{
	return to_i64(x.re);
}

template <class S> DEVICE_FN u64 to_u64(S x)
{
	return (real_of(x) > 0) ? (u64)real_of(x) : 0;
}

DEVICE_FN u64 to_u64(f16 x)
{
	return rounded_u64((f64)real_of(x));
}

DEVICE_FN u64 to_u64(f32 x)
{
	return rounded_u64((f64)x);
}

DEVICE_FN u64 to_u64(f64 x)
{
	return rounded_u64(x);
}

template <class R> DEVICE_FN u64 to_u64(cx<R> x)
{
	return to_u64(x.re);
}

template <class S> DEVICE_FN f32 to_f32(S x)
{
	return (f32)real_of(x);
}

template <class R> DEVICE_FN f32 to_f32(cx<R> x)
{
	return to_f32(x.re);
}

template <class S> DEVICE_FN f64 to_f64(S x)
{
	return (f64)real_of(x);
}

template <class R> DEVICE_FN f64 to_f64(cx<R> x)
{
	return to_f64(x.re);
}

template <class S> DEVICE_FN c64 to_c64(S x)
{
	const c64 z = {to_f32(x), 0};

	return z;
}

template <class R> DEVICE_FN c64 to_c64(cx<R> x)
{
	const c64 z = {to_f32(x.re), to_f32(x.im)};

	return z;
}

template <class S> DEVICE_FN c128 to_c128(S x)
{
	const c128 z = {to_f64(x), 0};

	return z;
}

template <class R> DEVICE_FN c128 to_c128(cx<R> x)
{
	const c128 z = {to_f64(x.re), to_f64(x.im)};

	return z;
}

/* ---- conversion to types of arrays; `lost` counts values that do not fit ---- */

template <class D> DEVICE_FN u64 high_of(void)
{
	return U64_HIGH >> (64 - 8 * (int)sizeof(D) + ((D)-1 < (D)0 ? 1 : 0));
}

template <class D> DEVICE_FN i64 low_of(void)
{
	return ((D)-1 < (D)0) ? -(i64)high_of<D>() - 1 : 0;
}

/** Converts to integers of type D. */
template <class D> struct putter {
	DEVICE_FN D put(i64 v, int wrap, u64 &lost)
	{
		const bool below = v<low_of<D>(), above = v> 0 && (u64)v > high_of<D>();

		lost += below | above;

		return wrap ? (D)v : below ? (D)low_of<D>() : above ? (D)high_of<D>() : (D)v;
	}

	DEVICE_FN D put(u64 v, int wrap, u64 &lost)
	{
		const bool above = v > high_of<D>();

		lost += above;

		return (above && !wrap) ? (D)high_of<D>() : (D)v;
	}

	DEVICE_FN D put(bool v, int, u64 &)
	{
		return (D)v;
	}

	DEVICE_FN D put(f64 v, int wrap, u64 &lost)
	{
		const f64 r = rint(v), over = 2 * (f64)(high_of<D>() / 2 + 1);
		const bool below = r < (f64)low_of<D>(), above = r >= over;

		if (!below && !above && r == r)
			return (D)r;

		lost++;

		if (!wrap)
			return above ? (D)high_of<D>() : below ? (D)low_of<D>() : (D)0;

		const f64 m = (fabs(r) < (f64)INFINITY) ? fmod(r, 0x1p64) : 0;

		return (m < 0) ? (D)(0 - (u64)-m) : (D)(u64)m;
	}

	DEVICE_FN D put(f32 v, int wrap, u64 &lost)
	{
		return put((f64)v, wrap, lost);
	}
};

template <> struct putter<flag> {
	template <class S> DEVICE_FN flag put(S v, int, u64 &lost)
	{
		const flag r = {(uint8_t)(0 != v)};

		lost += v != v;

		return r;
	}
};

template <> struct putter<f64> {
	template <class S> DEVICE_FN f64 put(S v, int, u64 &)
	{
		return (f64)v;
	}
};

template <> struct putter<f32> {
	template <class S> DEVICE_FN f32 put(S v, int, u64 &)
	{
		return (f32)v;
	}

	DEVICE_FN f32 put(f64 v, int, u64 &lost)
	{
		lost += (fabs(v) < (f64)INFINITY) & (fabsf((f32)v) == INFINITY);

		return (f32)v;
	}
};

template <> struct putter<f16> {
	template <class S> DEVICE_FN f16 put(S v, int, u64 &lost)
	{
		const f16 r = {half_narrow((f64)v)};

		lost += (0x7c00 == (r.bits & 0x7fff)) & !(fabs((f64)v) == (f64)INFINITY);

		return r;
	}
};

template <class D, class S> DEVICE_FN D put(S v, int wrap, u64 &lost)
{
	return putter<D>::put(v, wrap, lost);
}

/** Converts complex values to type D. */
template <class D> struct parts {
	template <class R> DEVICE_FN D put(cx<R> v, int wrap, u64 &lost)
	{
		u64 over = 0;
		const D r = putter<D>::put(v.re, wrap, over);

		lost += (0 != over) | (0 != v.im);

		return r;
	}
};

template <> struct parts<flag> {
	template <class R> DEVICE_FN flag put(cx<R> v, int, u64 &lost)
	{
		const flag r = {(uint8_t)((0 != v.re) | (0 != v.im))};

		lost += (v.re != v.re) | (v.im != v.im);

		return r;
	}
};

template <class T> struct parts<cx<T>> {
	template <class R> DEVICE_FN cx<T> put(cx<R> v, int wrap, u64 &lost)
	{
		const cx<T> r = {putter<T>::put(v.re, wrap, lost), putter<T>::put(v.im, wrap, lost)};

		return r;
	}
};

template <class T> struct putter<cx<T>> {
	template <class S> DEVICE_FN cx<T> put(S v, int wrap, u64 &lost)
	{
		const cx<T> r = {putter<T>::put(v, wrap, lost), putter<T>::put((S)0, wrap, lost)};

		return r;
	}
};

template <class D, class R> DEVICE_FN D put(cx<R> v, int wrap, u64 &lost)
{
	return parts<D>::put(v, wrap, lost);
}

/** Returns x with reversed byte order. */
template <class S> DEVICE_FN S turned(S x)
{
	unsigned char a[sizeof(S)], b[sizeof(S)];

	memcpy(a, &x, sizeof x);

	for (int i = 0; i < (int)sizeof(S); i++)
		b[i] = a[sizeof(S) - 1 - i];

	memcpy(&x, b, sizeof x);

	return x;
}

template <class R> DEVICE_FN cx<R> turned(cx<R> x)
{
	const cx<R> r = {turned(x.re), turned(x.im)};

	return r;
}

/* ---- floats ---- */

#define BOTH(id, single, twice)                                                                              \
	DEVICE_FN f32 id(f32 x)                                                                              \
	{                                                                                                    \
		return single;                                                                               \
	}                                                                                                    \
	DEVICE_FN f64 id(f64 x)                                                                              \
	{                                                                                                    \
		return twice;                                                                                \
	}
#define BOTH2(id, single, twice)                                                                             \
	DEVICE_FN f32 id(f32 x, f32 y)                                                                       \
	{                                                                                                    \
		return single;                                                                               \
	}                                                                                                    \
	DEVICE_FN f64 id(f64 x, f64 y)                                                                       \
	{                                                                                                    \
		return twice;                                                                                \
	}
#define EACH(id, R, value)                                                                                   \
	DEVICE_FN R(f32) id(f32 x)                                                                           \
	{                                                                                                    \
		return value;                                                                                \
	}                                                                                                    \
	DEVICE_FN R(f64) id(f64 x)                                                                           \
	{                                                                                                    \
		return value;                                                                                \
	}
#define EACH2(id, R, value)                                                                                  \
	DEVICE_FN R(f32) id(f32 x, f32 y)                                                                    \
	{                                                                                                    \
		return value;                                                                                \
	}                                                                                                    \
	DEVICE_FN R(f64) id(f64 x, f64 y)                                                                    \
	{                                                                                                    \
		return value;                                                                                \
	}
#define SAME(T)    T
#define TRUTH(T)   bool
#define COMPLEX(T) cx<T>

/** True if kern_sinf() and similar functions are accurate at x. Otherwise, callers use float64 functions. */
#define NEAR(x) (fabsf(x) <= KERN_TRIG_LIMIT)

BOTH(el_abs, fabsf(x), fabs(x))
BOTH(el_sqrt, sqrtf(x), sqrt(x))
BOTH(el_floor, floorf(x), floor(x))
BOTH(el_ceil, ceilf(x), ceil(x))
BOTH(el_round, rintf(x), rint(x))
BOTH(el_trunc, truncf(x), trunc(x))
BOTH2(el_copysign, copysignf(x, y), copysign(x, y))
BOTH(el_exp, kern_expf(x), kern_exp(x))
BOTH(el_log, kern_logf(x), kern_log(x))
BOTH(el_cbrt, kern_cbrtf(x), cbrt(x))
BOTH(el_exp2, kern_exp2f(x), exp2(x))
BOTH(el_expm1, kern_expm1f(x), expm1(x))
BOTH(el_log2, kern_log2f(x), log2(x))
BOTH(el_log10, kern_log10f(x), log10(x))
BOTH(el_log1p, kern_log1pf(x), log1p(x))
BOTH(el_sin, NEAR(x) ? kern_sinf(x) : (f32)sin((f64)x), sin(x))
BOTH(el_cos, NEAR(x) ? kern_cosf(x) : (f32)cos((f64)x), cos(x))
BOTH(el_tan, NEAR(x) ? kern_tanf(x) : (f32)tan((f64)x), tan(x))
BOTH(el_asin, kern_asinf(x), asin(x))
BOTH(el_acos, kern_acosf(x), acos(x))
BOTH(el_atan, kern_atanf(x), atan(x))
BOTH(el_sinh, kern_sinhf(x), sinh(x))
BOTH(el_cosh, kern_coshf(x), cosh(x))
BOTH(el_tanh, kern_tanhf(x), tanh(x))
BOTH(el_asinh, kern_asinhf(x), asinh(x))
BOTH(el_acosh, kern_acoshf(x), acosh(x))
BOTH(el_atanh, kern_atanhf(x), atanh(x))
BOTH(el_erf, kern_erff(x), erf(x))
BOTH2(el_pow, kern_powf(x, y), pow(x, y))
BOTH2(el_atan2, kern_atan2f(x, y), atan2(x, y))
BOTH2(el_hypot, kern_hypotf(x, y), hypot(x, y))

EACH(el_copy, SAME, x)
EACH(el_neg, SAME, -x)
EACH(el_square, SAME, x *x)
EACH(el_abs2, SAME, x *x)
EACH(el_inv, SAME, 1 / x)
EACH(el_sign, SAME, (x != x) ? x : (x > 0) ? 1 : (x < 0) ? -1 : 0)
EACH(el_isnan, TRUTH, x != x)
EACH(el_isinf, TRUTH, el_abs(x) == INFINITY)
EACH(el_isfinite, TRUTH, el_abs(x) < INFINITY)
EACH(el_real, SAME, x)
EACH(el_imag, SAME, 0 * (x != x))
EACH(el_conj, SAME, x)
EACH2(el_add, SAME, x + y)
EACH2(el_sub, SAME, x - y)
EACH2(el_mul, SAME, x *y)
EACH2(el_mulc, SAME, x *y)
EACH2(el_div, SAME, x / y)
EACH2(el_min, SAME, (x != x) ? x : (x < y) ? x : y)
EACH2(el_max, SAME, (x != x) ? x : (x > y) ? x : y)
EACH2(el_hard, SAME, (el_abs(x) <= y) ? 0 : x)
EACH2(el_lt, TRUTH, x < y)
EACH2(el_le, TRUTH, x <= y)
EACH2(el_gt, TRUTH, x > y)
EACH2(el_ge, TRUTH, x >= y)
EACH2(el_eq, TRUTH, x == y)
EACH2(el_ne, TRUTH, x != y)

BOTH(el_arg,
        (x != x)                ? x
        : (copysignf(1, x) < 0) ? (f32)KERN_PI
                                : 0,
        (x != x)                ? x
        : (copysign(1., x) < 0) ? KERN_PI
                                : 0)
BOTH2(el_soft, (fabsf(x) - y <= 0) ? 0 : copysignf(fabsf(x) - y, x),
        (fabs(x) - y <= 0) ? 0 : copysign(fabs(x) - y, x))

/** Returns `x - y floor(x / y)` with the sign of y, rounded once. */
DEVICE_FN f64 remainder_of(f64 x, f64 y)
{
	const f64 r = fmod(x, y);

	return (0 == r) ? copysign(0., y) : ((r < 0) != (y < 0)) ? r + y : r;
}

DEVICE_FN f32 far_remainder_of(f32 x, f32 y)
{
	const f32 r = fmodf(x, y);

	return (0 == r) ? copysignf(0, y) : ((r < 0) != (y < 0)) ? r + y : r;
}

BOTH2(el_mod, kern_mod_near(x, y) ? kern_modf(x, y) : far_remainder_of(x, y), remainder_of(x, y))

template <class T> DEVICE_FN T el_clamp(T x, T low, T high)
{
	const T m = (x > low) ? x : low;

	return (x != x || low != low) ? x + low : (m < high) ? m : high;
}

DEVICE_FN c64 el_complex(f32 x, f32 y)
{
	const c64 z = {x, y};

	return z;
}

DEVICE_FN c128 el_complex(f64 x, f64 y)
{
	const c128 z = {x, y};

	return z;
}

DEVICE_FN c64 el_cis(f32 x)
{
	return el_complex(el_cos(x), el_sin(x));
}

DEVICE_FN c128 el_cis(f64 x)
{
	return el_complex(cos(x), sin(x));
}

/* ---- any type ---- */

template <class T> DEVICE_FN T el_where(bool a, T x, T y)
{
	return a ? x : y;
}

DEVICE_FN bool el_not(bool x)
{
	return !x;
}

DEVICE_FN bool el_and(bool x, bool y)
{
	return x & y;
}

DEVICE_FN bool el_or(bool x, bool y)
{
	return x | y;
}

DEVICE_FN bool el_xor(bool x, bool y)
{
	return x != y;
}

/* ---- integers, which saturate ---- */

DEVICE_FN i64 saturated_i64(i128 w)
{
	return (w > (i128)I64_HIGH) ? I64_HIGH : (w < (i128)I64_LOW) ? I64_LOW : (i64)w;
}

DEVICE_FN i64 el_add(i64 x, i64 y)
{
	const i64 r = (i64)((u64)x + (u64)y);

	return (((x ^ r) & (y ^ r)) < 0) ? ((x < 0) ? I64_LOW : I64_HIGH) : r;
}

DEVICE_FN u64 el_add(u64 x, u64 y)
{
	return (x + y < x) ? U64_HIGH : x + y;
}

DEVICE_FN i64 el_sub(i64 x, i64 y)
{
	const i64 r = (i64)((u64)x - (u64)y);

	return (((x ^ y) & (x ^ r)) < 0) ? ((x < 0) ? I64_LOW : I64_HIGH) : r;
}

DEVICE_FN u64 el_sub(u64 x, u64 y)
{
	return (x < y) ? 0 : x - y;
}

DEVICE_FN i64 el_mul(i64 x, i64 y)
{
	return saturated_i64((i128)x * y);
}

DEVICE_FN u64 el_mul(u64 x, u64 y)
{
	const u128 w = (u128)x * y;

	return (w > (u128)U64_HIGH) ? U64_HIGH : (u64)w;
}

DEVICE_FN i64 el_muladd(i64 x, i64 y, i64 z)
{
	return saturated_i64((i128)x * y + z);
}

DEVICE_FN u64 el_muladd(u64 x, u64 y, u64 z)
{
	const u128 w = (u128)x * y + z;

	return (w > (u128)U64_HIGH) ? U64_HIGH : (u64)w;
}

DEVICE_FN i64 el_abs(i64 x)
{
	return (x < 0) ? el_sub((i64)0, x) : x;
}

DEVICE_FN u64 el_abs(u64 x)
{
	return x;
}

DEVICE_FN i64 el_neg(i64 x)
{
	return el_sub((i64)0, x);
}

DEVICE_FN u64 el_neg(u64)
{
	return 0;
}

DEVICE_FN i64 el_sign(i64 x)
{
	return (x > 0) - (x < 0);
}

DEVICE_FN u64 el_sign(u64 x)
{
	return x != 0;
}

DEVICE_FN i64 el_copysign(i64 x, i64 y)
{
	return ((x < 0) != (y < 0)) ? el_neg(x) : x;
}

DEVICE_FN u64 el_copysign(u64 x, u64)
{
	return x;
}

/** Returns x^y for y >= 0. */
template <class T> DEVICE_FN T whole_power(T x, T y)
{
	T r = 1;

	for (; y > 0; y >>= 1) {
		r = (y & 1) ? el_mul(r, x) : r;
		x = (y > 1) ? el_mul(x, x) : x;
	}

	return r;
}

/** Returns x^y. For y < 0, returns `1 / x^(-y)` truncated towards 0, or I64_HIGH if x is 0. */
DEVICE_FN i64 el_pow(i64 x, i64 y)
{
	if (y < 0)
		return (0 == x) ? I64_HIGH : (1 == x) ? 1 : (-1 != x) ? 0 : (y & 1) ? -1 : 1;

	return whole_power(x, y);
}

DEVICE_FN u64 el_pow(u64 x, u64 y)
{
	return whole_power(x, y);
}

DEVICE_FN i64 el_mod(i64 x, i64 y)
{
	if (0 == y || -1 == y)
		return 0;

	const i64 r = x % y;

	return (0 != r && (r < 0) != (y < 0)) ? r + y : r;
}

DEVICE_FN u64 el_mod(u64 x, u64 y)
{
	return (0 == y) ? 0 : x % y;
}

DEVICE_FN i64 el_soft(i64 x, i64 t)
{
	const i64 m = (x < 0) ? el_add(x, t) : el_sub(x, t);

	return ((x < 0) == (m < 0)) ? m : 0;
}

DEVICE_FN u64 el_soft(u64 x, u64 t)
{
	return el_sub(x, t);
}

/** Returns whether |x| > t. */
DEVICE_FN bool is_beyond(i64 x, i64 t)
{
	return t < 0 || ((x < 0) ? 0 - (u64)x : (u64)x) > (u64)t;
}

DEVICE_FN bool is_beyond(u64 x, u64 t)
{
	return x > t;
}

DEVICE_FN bool is_beyond(bool x, bool t)
{
	return x > t;
}

/* over_NAME(): whether an integer result does not fit and so saturates; wrap_NAME(): that modulo 2^64. */

DEVICE_FN bool over_add(i64 x, i64 y)
{
	const i64 r = (i64)((u64)x + (u64)y);

	return ((x ^ r) & (y ^ r)) < 0;
}

DEVICE_FN bool over_add(u64 x, u64 y)
{
	return x + y < x;
}

DEVICE_FN bool over_sub(i64 x, i64 y)
{
	const i64 r = (i64)((u64)x - (u64)y);

	return ((x ^ y) & (x ^ r)) < 0;
}

DEVICE_FN bool over_sub(u64 x, u64 y)
{
	return x < y;
}

DEVICE_FN bool over_mul(i64 x, i64 y)
{
	const i128 w = (i128)x * y;

	return w != (i128)(i64)w;
}

DEVICE_FN bool over_mul(u64 x, u64 y)
{
	return (u128)x * y > (u128)U64_HIGH;
}

DEVICE_FN bool over_muladd(i64 x, i64 y, i64 z)
{
	const i128 w = (i128)x * y + z;

	return w != (i128)(i64)w;
}

DEVICE_FN bool over_muladd(u64 x, u64 y, u64 z)
{
	return (u128)x * y + z > (u128)U64_HIGH;
}

DEVICE_FN bool over_neg(i64 x)
{
	return I64_LOW == x;
}

DEVICE_FN bool over_neg(u64 x)
{
	return 0 != x;
}

DEVICE_FN bool over_abs(i64 x)
{
	return I64_LOW == x;
}

DEVICE_FN bool over_abs(u64)
{
	return false;
}

DEVICE_FN bool over_copysign(i64 x, i64 y)
{
	return (I64_LOW == x) & (y >= 0);
}

DEVICE_FN bool over_copysign(u64, u64)
{
	return false;
}

/** Returns whether whole_power(x, y) overflows. */
template <class T> DEVICE_FN bool over_power(T x, T y)
{
	bool over = false;
	T r = 1;

	for (; y > 0; y >>= 1) {
		over = over || ((y & 1) && over_mul(r, x)) || (y > 1 && over_mul(x, x));
		r = (y & 1) ? (T)((u64)r * (u64)x) : r;
		x = (T)((u64)x * (u64)x);
	}

	return over;
}

DEVICE_FN bool over_pow(i64 x, i64 y)
{
	return (y < 0) ? 0 == x : over_power(x, y);
}

DEVICE_FN bool over_pow(u64 x, u64 y)
{
	return over_power(x, y);
}

/** These functions return whether integer x does not fit into the target type. */
DEVICE_FN bool over_to_u64(i64 x)
{
	return x < 0;
}

DEVICE_FN bool over_to_i64(u64 x)
{
	return x > (u64)I64_HIGH;
}

template <class T> DEVICE_FN T wrap_power(T x, T y)
{
	u64 r = 1, f = (u64)x;

	for (; y > 0; y >>= 1) {
		r = (y & 1) ? r * f : r;
		f *= f;
	}

	return (T)r;
}

DEVICE_FN i64 wrap_pow(i64 x, i64 y)
{
	return (y >= 0) ? wrap_power(x, y) : (0 == x) ? 0 : el_pow(x, y);
}

DEVICE_FN u64 wrap_pow(u64 x, u64 y)
{
	return wrap_power(x, y);
}

DEVICE_FN i64 wrap_abs(i64 x)
{
	return (x < 0) ? (i64)(0 - (u64)x) : x;
}

DEVICE_FN u64 wrap_abs(u64 x)
{
	return x;
}

DEVICE_FN i64 wrap_copysign(i64 x, i64 y)
{
	return ((x < 0) != (y < 0)) ? (i64)(0 - (u64)x) : x;
}

DEVICE_FN u64 wrap_copysign(u64 x, u64)
{
	return x;
}

#define MODULAR(T)                                                                                           \
	DEVICE_FN bool over_square(T x)                                                                      \
	{                                                                                                    \
		return over_mul(x, x);                                                                       \
	}                                                                                                    \
	DEVICE_FN bool over_abs2(T x)                                                                        \
	{                                                                                                    \
		return over_mul(x, x);                                                                       \
	}                                                                                                    \
	DEVICE_FN bool over_mulc(T x, T y)                                                                   \
	{                                                                                                    \
		return over_mul(x, y);                                                                       \
	}                                                                                                    \
	DEVICE_FN T wrap_add(T x, T y)                                                                       \
	{                                                                                                    \
		return (T)((u64)x + (u64)y);                                                                 \
	}                                                                                                    \
	DEVICE_FN T wrap_sub(T x, T y)                                                                       \
	{                                                                                                    \
		return (T)((u64)x - (u64)y);                                                                 \
	}                                                                                                    \
	DEVICE_FN T wrap_mul(T x, T y)                                                                       \
	{                                                                                                    \
		return (T)((u64)x * (u64)y);                                                                 \
	}                                                                                                    \
	DEVICE_FN T wrap_mulc(T x, T y)                                                                      \
	{                                                                                                    \
		return wrap_mul(x, y);                                                                       \
	}                                                                                                    \
	DEVICE_FN T wrap_square(T x)                                                                         \
	{                                                                                                    \
		return wrap_mul(x, x);                                                                       \
	}                                                                                                    \
	DEVICE_FN T wrap_abs2(T x)                                                                           \
	{                                                                                                    \
		return wrap_mul(x, x);                                                                       \
	}                                                                                                    \
	DEVICE_FN T wrap_neg(T x)                                                                            \
	{                                                                                                    \
		return (T)(0 - (u64)x);                                                                      \
	}                                                                                                    \
	DEVICE_FN T wrap_muladd(T x, T y, T z)                                                               \
	{                                                                                                    \
		return wrap_add(wrap_mul(x, y), z);                                                          \
	}

MODULAR(i64)
MODULAR(u64)

#define INTEGER(T)                                                                                           \
	DEVICE_FN T el_copy(T x)                                                                             \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_square(T x)                                                                           \
	{                                                                                                    \
		return el_mul(x, x);                                                                         \
	}                                                                                                    \
	DEVICE_FN T el_abs2(T x)                                                                             \
	{                                                                                                    \
		return el_mul(x, x);                                                                         \
	}                                                                                                    \
	DEVICE_FN T el_floor(T x)                                                                            \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_ceil(T x)                                                                             \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_round(T x)                                                                            \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_trunc(T x)                                                                            \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_real(T x)                                                                             \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_conj(T x)                                                                             \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN T el_imag(T)                                                                               \
	{                                                                                                    \
		return 0;                                                                                    \
	}                                                                                                    \
	DEVICE_FN bool el_isnan(T)                                                                           \
	{                                                                                                    \
		return false;                                                                                \
	}                                                                                                    \
	DEVICE_FN bool el_isinf(T)                                                                           \
	{                                                                                                    \
		return false;                                                                                \
	}                                                                                                    \
	DEVICE_FN bool el_isfinite(T)                                                                        \
	{                                                                                                    \
		return true;                                                                                 \
	}                                                                                                    \
	DEVICE_FN T el_mulc(T x, T y)                                                                        \
	{                                                                                                    \
		return el_mul(x, y);                                                                         \
	}                                                                                                    \
	DEVICE_FN T el_min(T x, T y)                                                                         \
	{                                                                                                    \
		return (x < y) ? x : y;                                                                      \
	}                                                                                                    \
	DEVICE_FN T el_max(T x, T y)                                                                         \
	{                                                                                                    \
		return (x > y) ? x : y;                                                                      \
	}                                                                                                    \
	DEVICE_FN T el_hard(T x, T y)                                                                        \
	{                                                                                                    \
		return is_beyond(x, y) ? x : 0;                                                              \
	}                                                                                                    \
	DEVICE_FN bool el_lt(T x, T y)                                                                       \
	{                                                                                                    \
		return x < y;                                                                                \
	}                                                                                                    \
	DEVICE_FN bool el_le(T x, T y)                                                                       \
	{                                                                                                    \
		return x <= y;                                                                               \
	}                                                                                                    \
	DEVICE_FN bool el_gt(T x, T y)                                                                       \
	{                                                                                                    \
		return x > y;                                                                                \
	}                                                                                                    \
	DEVICE_FN bool el_ge(T x, T y)                                                                       \
	{                                                                                                    \
		return x >= y;                                                                               \
	}                                                                                                    \
	DEVICE_FN bool el_eq(T x, T y)                                                                       \
	{                                                                                                    \
		return x == y;                                                                               \
	}                                                                                                    \
	DEVICE_FN bool el_ne(T x, T y)                                                                       \
	{                                                                                                    \
		return x != y;                                                                               \
	}

INTEGER(i64)
INTEGER(u64)

DEVICE_FN bool el_mul(bool x, bool y)
{
	return x & y;
}

DEVICE_FN bool el_abs(bool x)
{
	return x;
}

DEVICE_FN bool el_sign(bool x)
{
	return x;
}

INTEGER(bool)

DEVICE_FN bool el_pow(bool x, bool y)
{
	return x | !y;
}

DEVICE_FN bool el_mod(bool, bool)
{
	return false;
}

DEVICE_FN bool el_copysign(bool x, bool)
{
	return x;
}

DEVICE_FN bool el_soft(bool x, bool y)
{
	return x & !y;
}

DEVICE_FN i64 el_clamp(i64 x, i64 low, i64 high)
{
	return el_min(el_max(x, low), high);
}

DEVICE_FN u64 el_clamp(u64 x, u64 low, u64 high)
{
	return el_min(el_max(x, low), high);
}

DEVICE_FN bool el_clamp(bool x, bool low, bool high)
{
	return (x | low) & high;
}

template <class T> DEVICE_FN T el_muladd(T x, T y, T z)
{
	return el_add(el_mul(x, y), z);
}

/* ---- complex functions (num/md/cuda/complex_formulas.h) ---- */

DEVICE_FN f32 el_abs(c64 x)
{
	return kern_hypotf(x.re, x.im);
}

DEVICE_FN f64 el_abs(c128 x)
{
	return kern_hypot(x.re, x.im);
}

DEVICE_FN f32 el_arg(c64 x)
{
	return kern_atan2f(x.im, x.re);
}

DEVICE_FN f64 el_arg(c128 x)
{
	return atan2(x.im, x.re);
}

/** Defines the complex function el_id(). Values of complex128 use `formula`. Values of complex64 use `fill`
 * (num/kern/kern_math.h) if `near` is true. Other complex64 values use `formula` in complex128. */
#define TWO_WAYS(id, near, fill, formula)                                                                    \
	DEVICE_FN c128 el_##id(c128 x)                                                                       \
	{                                                                                                    \
		return formula;                                                                              \
	}                                                                                                    \
	DEVICE_FN c64 el_##id(c64 y)                                                                         \
	{                                                                                                    \
		c64 r;                                                                                       \
                                                                                                             \
		if (near) {                                                                                  \
			fill;                                                                                \
			return r;                                                                            \
		}                                                                                            \
		return to_c64(el_##id(to_c128(y)));                                                          \
	}
#define FORMULA(id, formula)                                                                                 \
	DEVICE_FN c128 el_##id(c128 x)                                                                       \
	{                                                                                                    \
		return formula;                                                                              \
	}                                                                                                    \
	DEVICE_FN c64 el_##id(c64 x)                                                                         \
	{                                                                                                    \
		return to_c64(el_##id(to_c128(x)));                                                          \
	}

#define EXP_NEAR kern_cexp_is_near(y.re, y.im)
#define LOG_NEAR kern_clog_is_near(y.re, y.im)
#define SIN_NEAR kern_cexp_is_near(y.im, y.re)
TWO_WAYS(sqrt, LOG_NEAR, kern_csqrtf(y.re, y.im, &r.re, &r.im), z_sqrt(x))
TWO_WAYS(exp, EXP_NEAR, kern_cexpf(y.re, y.im, 1, &r.re, &r.im), z_exp(x))
TWO_WAYS(exp2, EXP_NEAR, kern_cexpf(y.re, y.im, KERN_LN2, &r.re, &r.im), z_exp(z_scaled(x, KERN_LN2)))
TWO_WAYS(log, LOG_NEAR, kern_clogf(y.re, y.im, 1, &r.re, &r.im), z_log(x))
TWO_WAYS(log2, LOG_NEAR, kern_clogf(y.re, y.im, KERN_LOG2E, &r.re, &r.im), z_scaled(z_log(x), KERN_LOG2E))
TWO_WAYS(log10, LOG_NEAR, kern_clogf(y.re, y.im, KERN_LOG10E, &r.re, &r.im), z_scaled(z_log(x), KERN_LOG10E))
TWO_WAYS(log1p, kern_clog1p_is_near(y.re, y.im), kern_clog1pf(y.re, y.im, &r.re, &r.im), z_log1p(x))
TWO_WAYS(sin, SIN_NEAR, kern_csinef(y.re, y.im, 0, &r.re, &r.im), z_sin(x))
TWO_WAYS(cos, SIN_NEAR, kern_csinef(y.re, y.im, 1, &r.re, &r.im), z_cos(x))
TWO_WAYS(sinh, EXP_NEAR, kern_csinef(y.im, y.re, 0, &r.im, &r.re), z_sinh(x))
TWO_WAYS(cosh, EXP_NEAR, kern_csinef(y.im, -y.re, 1, &r.re, &r.im), z_cosh(x))
FORMULA(expm1, z_expm1(x))
FORMULA(tan, z_tan(x))
FORMULA(asin, z_asin(x))
FORMULA(acos, z_acos(x))
FORMULA(atan, z_atan(x))
FORMULA(tanh, z_tanh(x))
FORMULA(asinh, z_asinh(x))
FORMULA(acosh, z_acosh(x))
FORMULA(atanh, z_atanh(x))
FORMULA(inv, z_div(z_of<c128>(1, 0), x))

DEVICE_FN c128 el_div(c128 x, c128 y)
{
	return z_div(x, y);
}

DEVICE_FN c64 el_div(c64 x, c64 y)
{
	return to_c64(z_div(to_c128(x), to_c128(y)));
}

DEVICE_FN c128 el_pow(c128 x, c128 y)
{
	return z_pow(x, y);
}

DEVICE_FN c64 el_pow(c64 x, c64 y)
{
	return to_c64(z_pow(to_c128(x), to_c128(y)));
}

/** Returns 0 if |x| <= t, otherwise x. */
DEVICE_FN c64 el_hard(c64 x, c64 t)
{
	const f64 a = (f64)x.re, b = (f64)x.im, c = (f64)t.re;
	const bool none = (c >= 0) & (a * a + b * b <= c * c);

	return el_complex(none ? 0.f : x.re, none ? 0.f : x.im);
}

DEVICE_FN c128 el_hard(c128 x, c128 t)
{
	const bool none = kern_hypot(x.re, x.im) <= t.re;

	return el_complex(none ? 0. : x.re, none ? 0. : x.im);
}

#define COMPLEX_OPS(R)                                                                                       \
	DEVICE_FN cx<R> el_copy(cx<R> x)                                                                     \
	{                                                                                                    \
		return x;                                                                                    \
	}                                                                                                    \
	DEVICE_FN cx<R> el_neg(cx<R> x)                                                                      \
	{                                                                                                    \
		return el_complex(-x.re, -x.im);                                                             \
	}                                                                                                    \
	DEVICE_FN cx<R> el_conj(cx<R> x)                                                                     \
	{                                                                                                    \
		return el_complex(x.re, -x.im);                                                              \
	}                                                                                                    \
	DEVICE_FN R el_real(cx<R> x)                                                                         \
	{                                                                                                    \
		return x.re;                                                                                 \
	}                                                                                                    \
	DEVICE_FN R el_imag(cx<R> x)                                                                         \
	{                                                                                                    \
		return x.im;                                                                                 \
	}                                                                                                    \
	DEVICE_FN R el_abs2(cx<R> x)                                                                         \
	{                                                                                                    \
		return x.re * x.re + x.im * x.im;                                                            \
	}                                                                                                    \
	DEVICE_FN bool el_isnan(cx<R> x)                                                                     \
	{                                                                                                    \
		return el_isnan(x.re) || el_isnan(x.im);                                                     \
	}                                                                                                    \
	DEVICE_FN bool el_isinf(cx<R> x)                                                                     \
	{                                                                                                    \
		return el_isinf(x.re) || el_isinf(x.im);                                                     \
	}                                                                                                    \
	DEVICE_FN bool el_isfinite(cx<R> x)                                                                  \
	{                                                                                                    \
		return el_isfinite(x.re) & el_isfinite(x.im);                                                \
	}                                                                                                    \
	DEVICE_FN cx<R> el_add(cx<R> x, cx<R> y)                                                             \
	{                                                                                                    \
		return el_complex(x.re + y.re, x.im + y.im);                                                 \
	}                                                                                                    \
	DEVICE_FN cx<R> el_sub(cx<R> x, cx<R> y)                                                             \
	{                                                                                                    \
		return el_complex(x.re - y.re, x.im - y.im);                                                 \
	}                                                                                                    \
	DEVICE_FN cx<R> el_mul(cx<R> x, cx<R> y)                                                             \
	{                                                                                                    \
		return el_complex(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);                     \
	}                                                                                                    \
	DEVICE_FN cx<R> el_mulc(cx<R> x, cx<R> y)                                                            \
	{                                                                                                    \
		return el_mul(x, el_conj(y));                                                                \
	}                                                                                                    \
	DEVICE_FN cx<R> el_square(cx<R> x)                                                                   \
	{                                                                                                    \
		return el_mul(x, x);                                                                         \
	}                                                                                                    \
	DEVICE_FN cx<R> el_sign(cx<R> x)                                                                     \
	{                                                                                                    \
		const R a = el_abs(x), s = (0 == a) ? 1 : a;                                                 \
                                                                                                             \
		return el_complex(x.re / s, x.im / s);                                                       \
	}                                                                                                    \
	DEVICE_FN cx<R> el_soft(cx<R> x, cx<R> t)                                                            \
	{                                                                                                    \
		const R a = el_abs(x), m = a - t.re, s = (0 == a) ? 1 : a;                                   \
                                                                                                             \
		return el_complex((m <= 0) ? 0 : x.re / s * m, (m <= 0) ? 0 : x.im / s * m);                 \
	}                                                                                                    \
	DEVICE_FN bool el_eq(cx<R> x, cx<R> y)                                                               \
	{                                                                                                    \
		return (x.re == y.re) & (x.im == y.im);                                                      \
	}                                                                                                    \
	DEVICE_FN bool el_ne(cx<R> x, cx<R> y)                                                               \
	{                                                                                                    \
		return (x.re != y.re) | (x.im != y.im);                                                      \
	}

COMPLEX_OPS(f32)
COMPLEX_OPS(f64)

/* ---- whether a real function has no real value ---- */

#define OUTSIDE(id, where)                                                                                   \
	DEVICE_FN bool outside_##id(f64 x)                                                                   \
	{                                                                                                    \
		return where;                                                                                \
	}
OUTSIDE(sqrt, x < 0)
OUTSIDE(log, x < 0)
OUTSIDE(log2, x < 0)
OUTSIDE(log10, x < 0)
OUTSIDE(log1p, x < -1)
OUTSIDE(asin, fabs(x) > 1)
OUTSIDE(acos, fabs(x) > 1)
OUTSIDE(atanh, fabs(x) > 1)
OUTSIDE(acosh, x < 1)

DEVICE_FN bool outside_pow(f64 x, f64 y)
{
	return (x < 0) & (x > -INFINITY) & (fabs(y) < (f64)INFINITY) & (y != rint(y));
}

/* ---- reductions ---- */

/** An accumulator of a reduction, like struct kern_acc (num/kern/kern.h). */
struct accumulator {
	union {
		f64 f[2];
		i64 i;
		u64 u;
		i128 wide;
	} v;
	i64 at, count;
};

#define RED(id)       template <class T> DEVICE_FN void red_##id(accumulator &a, T x, i64)
#define RED_AT(id)    template <class T> DEVICE_FN void red_##id(accumulator &a, T x, i64 at)
#define RED_OF(id, T) DEVICE_FN void red_##id(accumulator &a, T x, i64)

/** Returns the minimum or maximum of the elements added to a. */
DEVICE_FN f32 extreme_of(const accumulator &a, f32)
{
	return (f32)a.v.f[0];
}

DEVICE_FN f64 extreme_of(const accumulator &a, f64)
{
	return a.v.f[0];
}

DEVICE_FN i64 extreme_of(const accumulator &a, i64)
{
	return a.v.i;
}

DEVICE_FN u64 extreme_of(const accumulator &a, u64)
{
	return a.v.u;
}

DEVICE_FN bool extreme_of(const accumulator &a, bool)
{
	return 0 != a.v.i;
}

DEVICE_FN void set_extreme(accumulator &a, f64 x)
{
	a.v.f[0] = x;
}

DEVICE_FN void set_extreme(accumulator &a, f32 x)
{
	a.v.f[0] = (f64)x;
}

DEVICE_FN void set_extreme(accumulator &a, i64 x)
{
	a.v.i = x;
}

DEVICE_FN void set_extreme(accumulator &a, u64 x)
{
	a.v.u = x;
}

DEVICE_FN void set_extreme(accumulator &a, bool x)
{
	a.v.i = x;
}

/** Returns whether y replaces the current extreme x. NaN replaces every number. */
template <class T> DEVICE_FN bool is_before(bool smallest, T y, T x)
{
	return (x == x) & ((y != y) | (smallest ? y < x : y > x));
}

template <class T> DEVICE_FN void take_extreme(accumulator &a, bool smallest, T x, i64 at)
{
	if (0 == a.count++ || is_before(smallest, x, extreme_of(a, x))) {
		set_extreme(a, x);
		a.at = at;
	}
}

RED(min)
{
	take_extreme(a, true, x, -1);
}

RED(max)
{
	take_extreme(a, false, x, -1);
}

RED_AT(argmin)
{
	take_extreme(a, true, x, at);
}

RED_AT(argmax)
{
	take_extreme(a, false, x, at);
}

RED(count)
{
	a.v.i += to_bool(x);
	a.count++;
}

RED(any)
{
	a.v.i |= to_bool(x);
	a.count++;
}

RED(all)
{
	a.v.i &= to_bool(x);
	a.count++;
}

/** Adds a float, complex or integer value to the sum. */
DEVICE_FN void add_value(accumulator &a, f64 x)
{
	a.v.f[0] += x;
}

DEVICE_FN void add_value(accumulator &a, f32 x)
{
	a.v.f[0] += (f64)x;
}

template <class R> DEVICE_FN void add_value(accumulator &a, cx<R> x)
{
	a.v.f[0] += (f64)x.re;
	a.v.f[1] += (f64)x.im;
}

/** Adds a product of integers. The sum is `a.v.wide + 2^128 a.at`. */
DEVICE_FN void add_product(accumulator &a, i128 x)
{
	const i128 r = (i128)((u128)a.v.wide + (u128)x);

	a.at += (((a.v.wide ^ r) & (x ^ r)) < 0) ? ((x < 0) ? -1 : 1) : 0;
	a.v.wide = r;
}

DEVICE_FN void add_value(accumulator &a, i64 x)
{
	a.v.wide += x;
}

DEVICE_FN void add_value(accumulator &a, u64 x)
{
	a.v.wide += (i128)x;
}

DEVICE_FN void add_value(accumulator &a, bool x)
{
	a.v.wide += (i128)x;
}

RED(sum)
{
	add_value(a, x);
	a.count++;
}

RED(mean)
{
	add_value(a, x);
	a.count++;
}

template <class T> DEVICE_FN f64 square_of(T x)
{
	return (f64)x * (f64)x;
}

template <class R> DEVICE_FN f64 square_of(cx<R> x)
{
	return (f64)x.re * (f64)x.re + (f64)x.im * (f64)x.im;
}

RED(norm)
{
	a.v.f[0] += square_of(x);
	a.count++;
}

template <class T> DEVICE_FN f64 size_of(T x)
{
	return fabs((f64)x);
}

DEVICE_FN f64 size_of(c64 x)
{
	return kern_hypot_part((f64)x.re, (f64)x.im);
}

DEVICE_FN f64 size_of(c128 x)
{
	return kern_hypot(x.re, x.im);
}

RED(norm1)
{
	a.v.f[0] += size_of(x);
	a.count++;
}

/** Multiplies a.v.wide by x. The magnitude saturates at 2^63 + 1 for signed integers and 2^64 for unsigned
 * integers. Callers also compute the product modulo 2^64 in a.at. */
DEVICE_FN void multiply_wide(accumulator &a, i128 x, bool is_unsigned)
{
	const i128 limit = is_unsigned ? (i128)1 << 64 : ((i128)1 << 63) + 1;
	const i128 w = (i128)((u128)a.v.wide * (u128)x); // of u64 at most 2^64 (2^64 - 1)

	a.v.wide = (is_unsigned && (u128)w > (u128)limit) ? limit
	           : (w > limit)                          ? limit
	           : (w < -limit)                         ? -limit
	                                                  : w;
}

RED(prod)
{
	a.v.f[0] *= (f64)x;
	a.count++;
}

DEVICE_FN void red_prod(accumulator &a, i64 x, i64)
{
	multiply_wide(a, x, false);
	a.at = (i64)((u64)a.at * (u64)x);
	a.count++;
}

DEVICE_FN void red_prod(accumulator &a, u64 x, i64)
{
	multiply_wide(a, (i128)x, true);
	a.at = (i64)((u64)a.at * x);
	a.count++;
}

DEVICE_FN void red_prod(accumulator &a, bool x, i64)
{
	multiply_wide(a, (i128)x, false);
	a.count++;
}

DEVICE_FN void multiply_complex(accumulator &a, f64 re, f64 im)
{
	const f64 p = a.v.f[0], q = a.v.f[1];

	a.v.f[0] = p * re - q * im;
	a.v.f[1] = p * im + q * re;
}

template <class R> DEVICE_FN void red_prod(accumulator &a, cx<R> x, i64)
{
	multiply_complex(a, (f64)x.re, (f64)x.im);
	a.count++;
}

DEVICE_FN void red_dot(accumulator &a, f32 x, f32 y, i64)
{
	a.v.f[0] += (f64)x * (f64)y;
	a.count++;
}

DEVICE_FN void red_dot(accumulator &a, f64 x, f64 y, i64)
{
	a.v.f[0] += x * y;
	a.count++;
}

template <class R> DEVICE_FN void red_dot(accumulator &a, cx<R> x, cx<R> y, i64)
{
	a.v.f[0] += (f64)x.re * (f64)y.re + (f64)x.im * (f64)y.im;
	a.v.f[1] += (f64)x.im * (f64)y.re - (f64)x.re * (f64)y.im;
	a.count++;
}

DEVICE_FN void red_dot(accumulator &a, i64 x, i64 y, i64)
{
	add_product(a, (i128)x * y);
	a.count++;
}

DEVICE_FN void red_dot(accumulator &a, u64 x, u64 y, i64)
{
	const i128 w = (i128)((u128)x * y);

	add_product(a, w);
	a.at += w < 0;
	a.count++;
}

DEVICE_FN void red_dot(accumulator &a, bool x, bool y, i64)
{
	a.v.wide += (i128)(x & y);
	a.count++;
}

/** Combines the extremes of `a` and `b` into `a`. Of equal extremes, `a` keeps the first element. */
template <class T> DEVICE_FN void fold_extreme(accumulator &a, const accumulator &b, bool smallest, T type)
{
	if (0 == b.count)
		return;

	const T x = extreme_of(a, type), y = extreme_of(b, type);
	const bool same = (x == y) | ((x != x) & (y != y));

	if (0 == a.count || is_before(smallest, y, x) || (same && b.at < a.at)) {
		a.v = b.v;
		a.at = b.at;
	}
}

DEVICE_FN void fold_into(accumulator &a, const accumulator &b, int how)
{
	switch (how) {
	case FOLD_FLOAT:
		a.v.f[0] += b.v.f[0];
		a.v.f[1] += b.v.f[1];
		break;
	case FOLD_WIDE:
		add_product(a, b.v.wide);
		a.at += b.at;
		break;
	case FOLD_PROD:
		a.v.f[0] *= b.v.f[0];
		break;
	case FOLD_PROD_I64:
		multiply_wide(a, b.v.wide, false);
		a.at = (i64)((u64)a.at * (u64)b.at);
		break;
	case FOLD_PROD_U64:
		if (((i128)1 << 64) == b.v.wide && a.v.wide > 0)
			a.v.wide = b.v.wide;
		else
			multiply_wide(a, b.v.wide, true);

		a.at = (i64)((u64)a.at * (u64)b.at);
		break;
	case FOLD_PROD_COMPLEX:
		multiply_complex(a, b.v.f[0], b.v.f[1]);
		break;
	case FOLD_ANY:
		a.v.i |= b.v.i;
		break;
	case FOLD_ALL:
		a.v.i &= b.v.i;
		break;
	case FOLD_COUNT:
		a.v.i += b.v.i;
		break;
	case FOLD_MIN_I64:
	case FOLD_MAX_I64:
		fold_extreme(a, b, FOLD_MIN_I64 == how, (i64)0);
		break;
	case FOLD_MIN_U64:
	case FOLD_MAX_U64:
		fold_extreme(a, b, FOLD_MIN_U64 == how, (u64)0);
		break;
	case FOLD_MIN_F64:
	case FOLD_MAX_F64:
		fold_extreme(a, b, FOLD_MIN_F64 == how, (f64)0);
		break;
	}

	a.count += b.count;
}

DEVICE_FN accumulator nothing_yet(int how)
{
	accumulator a;

	a.v.wide = 0;
	a.at = (FOLD_WIDE == how) ? 0 : (FOLD_PROD_I64 == how || FOLD_PROD_U64 == how) ? 1 : -1;
	a.count = 0;

	if (FOLD_PROD == how || FOLD_PROD_COMPLEX == how)
		a.v.f[0] = 1;
	else if (FOLD_PROD_I64 == how || FOLD_PROD_U64 == how)
		a.v.wide = 1;
	else if (FOLD_ALL == how)
		a.v.i = 1;

	return a;
}

#endif
