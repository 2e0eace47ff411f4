/* The operators of expressions for one element, float (_f32) and double (_f64). Results are those of the
 * CPU's kernels; functions of float64 are the device's, and without float64 all functions are. el_NAME() is the operator NAME (num/kern/ops.h).
 * red_NAME() adds an element to a reduction. outside_NAME() tells whether a real function has no real
 * value. */
typedef float f32;
typedef int truth;
typedef long i64;
typedef ulong u64;

#ifdef NO_FLOAT64
typedef f32 wide;
typedef float2 total; /* the sum of two float32 */
#define kern_exp exp
#define kern_log log
#else
typedef double f64;
typedef f64 wide, total;
#endif

#ifdef NO_FLOAT64
#define BOTH(id, single, twice)                                                                              \
	DEVICE_FN f32 id##_f32(f32 x)                                                                        \
	{                                                                                                    \
		return twice;                                                                                \
	}
#define BOTH2(id, single, twice)                                                                             \
	DEVICE_FN f32 id##_f32(f32 x, f32 y)                                                                 \
	{                                                                                                    \
		return twice;                                                                                \
	}
#define TRUE(id, value)                                                                                      \
	DEVICE_FN truth id##_f32(f32 x)                                                                      \
	{                                                                                                    \
		return value;                                                                                \
	}
#define TRUE2(id, value)                                                                                     \
	DEVICE_FN truth id##_f32(f32 x, f32 y)                                                               \
	{                                                                                                    \
		return value;                                                                                \
	}
#else
#define BOTH(id, single, twice)                                                                              \
	DEVICE_FN f32 id##_f32(f32 x)                                                                        \
	{                                                                                                    \
		return single;                                                                               \
	}                                                                                                    \
	DEVICE_FN f64 id##_f64(f64 x)                                                                        \
	{                                                                                                    \
		return twice;                                                                                \
	}
#define BOTH2(id, single, twice)                                                                             \
	DEVICE_FN f32 id##_f32(f32 x, f32 y)                                                                 \
	{                                                                                                    \
		return single;                                                                               \
	}                                                                                                    \
	DEVICE_FN f64 id##_f64(f64 x, f64 y)                                                                 \
	{                                                                                                    \
		return twice;                                                                                \
	}
#define TRUE(id, value)                                                                                      \
	DEVICE_FN truth id##_f32(f32 x)                                                                      \
	{                                                                                                    \
		return value;                                                                                \
	}                                                                                                    \
	DEVICE_FN truth id##_f64(f64 x)                                                                      \
	{                                                                                                    \
		return value;                                                                                \
	}
#define TRUE2(id, value)                                                                                     \
	DEVICE_FN truth id##_f32(f32 x, f32 y)                                                               \
	{                                                                                                    \
		return value;                                                                                \
	}                                                                                                    \
	DEVICE_FN truth id##_f64(f64 x, f64 y)                                                               \
	{                                                                                                    \
		return value;                                                                                \
	}
#endif
#define EACH(id, value)  BOTH(id, value, value)
#define EACH2(id, value) BOTH2(id, value, value)

/** Arguments up to KERN_TRIG_LIMIT, and larger ones. */
#define NEAR(x) (fabs(x) <= KERN_TRIG_LIMIT)

EACH(el_abs, fabs(x))
EACH(el_sqrt, sqrt(x))
EACH(el_floor, floor(x))
EACH(el_ceil, ceil(x))
EACH(el_round, rint(x))
EACH(el_trunc, trunc(x))
EACH2(el_copysign, copysign(x, y))
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

EACH(el_copy, x)
EACH(el_neg, -x)
EACH(el_square, x *x)
EACH(el_abs2, x *x)
EACH(el_inv, 1 / x)
EACH(el_sign, (x != x) ? x : (x > 0) ? 1 : (x < 0) ? -1 : 0)
TRUE(el_isnan, x != x)
TRUE(el_isinf, fabs(x) == INFINITY)
TRUE(el_isfinite, fabs(x) < INFINITY)
EACH(el_real, x)
EACH(el_conj, x)
EACH2(el_add, x + y)
EACH2(el_sub, x - y)
EACH2(el_mul, x *y)
EACH2(el_mulc, x *y)
EACH2(el_div, x / y)
EACH2(el_min, (x != x) ? x : (x < y) ? x : y)
EACH2(el_max, (x != x) ? x : (x > y) ? x : y)
EACH2(el_hard, (fabs(x) <= y) ? 0 : x)
EACH2(el_soft, (fabs(x) - y <= 0) ? 0 : copysign(fabs(x) - y, x))
TRUE2(el_lt, x < y)
TRUE2(el_le, x <= y)
TRUE2(el_gt, x > y)
TRUE2(el_ge, x >= y)
TRUE2(el_eq, x == y)
TRUE2(el_ne, x != y)

#define REST(T)                                                                                              \
	DEVICE_FN T el_clamp_##T(T x, T low, T high)                                                         \
	{                                                                                                    \
		const T m = (x > low) ? x : low;                                                             \
                                                                                                             \
		return (x != x || low != low) ? x + low : (m < high) ? m : high;                             \
	}                                                                                                    \
	DEVICE_FN T el_muladd_##T(T x, T y, T z)                                                             \
	{                                                                                                    \
		return x * y + z;                                                                            \
	}                                                                                                    \
	DEVICE_FN T el_where_##T(truth a, T x, T y)                                                          \
	{                                                                                                    \
		return a ? x : y;                                                                            \
	}
REST(f32)
#ifndef NO_FLOAT64
REST(f64)
#endif

DEVICE_FN truth el_not_truth(truth x)
{
	return !x;
}

DEVICE_FN truth el_and_truth(truth x, truth y)
{
	return x & y;
}

DEVICE_FN truth el_or_truth(truth x, truth y)
{
	return x | y;
}

DEVICE_FN truth el_xor_truth(truth x, truth y)
{
	return x != y;
}

#define ENDS(T)                                                                                              \
	DEVICE_FN T el_min_##T(T x, T y)                                                                     \
	{                                                                                                    \
		return min(x, y);                                                                            \
	}                                                                                                    \
	DEVICE_FN T el_max_##T(T x, T y)                                                                     \
	{                                                                                                    \
		return max(x, y);                                                                            \
	}
ENDS(truth)
ENDS(i64)
ENDS(u64)

/* Values that a type cannot hold. */
#define overflows(x) (fabs(x) < INFINITY && fabs((f32)(x)) == INFINITY)
#define is_nan(x)    ((x) != (x))

#define outside_sqrt(x)   ((x) < 0)
#define outside_log(x)    ((x) < 0)
#define outside_log2(x)   ((x) < 0)
#define outside_log10(x)  ((x) < 0)
#define outside_log1p(x)  ((x) < -1)
#define outside_asin(x)   (fabs(x) > 1)
#define outside_acos(x)   (fabs(x) > 1)
#define outside_atanh(x)  (fabs(x) > 1)
#define outside_acosh(x)  ((x) < 1)
#define outside_pow(x, y) (((x) < 0) & ((x) > -INFINITY) & (fabs(y) < INFINITY) & ((y) != rint(y)))

/* Reductions in float64, without float64 in pairs of float32: a sum, or an extreme, which is NaN if any element
 * is NaN. */
DEVICE_FN wide least_of(wide a, wide x)
{
	return ((a == a) & ((x != x) | (x < a))) ? x : a;
}

DEVICE_FN wide most_of(wide a, wide x)
{
	return ((a == a) & ((x != x) | (x > a))) ? x : a;
}

#ifdef NO_FLOAT64
/** a + b, with an error of at most 2^-46 (|a| + |b|). */
DEVICE_FN total add_total(total a, total b)
{
	const f32 s = a.x + b.x, t = s - a.x, e = ((a.x - (s - t)) + (b.x - t)) + (a.y + b.y), high = s + e;

	return (fabs(s) < INFINITY) ? (total)(high, e - (high - s)) : (total)(s, 0);
}

/** x y without an error, if it does not underflow. */
DEVICE_FN total multiply(f32 x, f32 y)
{
	const f32 p = x * y;

	return (fabs(p) < INFINITY) ? (total)(p, fma(x, y, -p)) : (total)(p, 0);
}

#define TOTAL(x)       ((total)((x), 0))
#define red_min(a, v)  TOTAL(least_of((a).x, v))
#define red_max(a, v)  TOTAL(most_of((a).x, v))
#define fold_min(a, b) TOTAL(least_of((a).x, (b).x))
#define fold_max(a, b) TOTAL(most_of((a).x, (b).x))
#else
#define add_total(a, b) ((a) + (b))
#define multiply(x, y)  ((x) * (y))
#define TOTAL(x)        (x)
#define red_min         least_of
#define red_max         most_of
#define fold_min        least_of
#define fold_max        most_of
#endif

#define red_sum(a, x)    add_total(a, TOTAL(x))
#define red_mean(a, x)   add_total(a, TOTAL(x))
#define red_norm(a, x)   add_total(a, multiply(x, x))
#define red_norm1(a, x)  add_total(a, TOTAL(fabs(x)))
#define red_dot(a, x, y) add_total(a, multiply(x, y))
#define fold_sum         add_total
#define fold_mean        add_total
#define fold_norm        add_total
#define fold_norm1       add_total
#define fold_dot         add_total
#define start_sum        TOTAL(0)
#define start_mean       TOTAL(0)
#define start_norm       TOTAL(0)
#define start_norm1      TOTAL(0)
#define start_dot        TOTAL(0)
#define start_min        TOTAL(INFINITY)
#define start_max        TOTAL(-INFINITY)

enum { THREADS = 256 };

/* Vectors as long as the processor's: by default, compilers use half of those of AVX-512. The iterations of the
 * loop that follows are independent. Loops that call functions of the driver stay as they are, without a warning. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#ifdef __AVX512F__
#define VECTORISE _Pragma("clang loop vectorize(assume_safety) vectorize_width(16)")
#elif defined __clang__
#define VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define VECTORISE
#endif

/* Windows (num/expr/opencl/stencil_text.c, in the order of num/expr/windows/box.c). JOIN(a, b) joins two
 * elements; at(i) is an element. */

/** Joins at(first), ..., at(first + length - 1), where `first` is the parameter `first`. Elements before and
 * after the next multiple of `length` are joined separately. */
#define JOIN_BLOCKS(id, T, first, length, at)                                                                \
	DEVICE_FN T id(GIVEN, long x, long y, long z)                                                        \
	{                                                                                                    \
		const long over = (first % (length) + (length)) % (length), end = first - over + (length);   \
		T last = at(end - 1);                                                                        \
                                                                                                             \
		for (long k = end - 2; k >= first; k--)                                                      \
			last = JOIN(at(k), last);                                                            \
                                                                                                             \
		if (0 == over)                                                                               \
			return last;                                                                         \
                                                                                                             \
		T next = at(end);                                                                            \
                                                                                                             \
		for (long k = end + 1; k < first + (length); k++)                                            \
			next = JOIN(next, at(k));                                                            \
                                                                                                             \
		return JOIN(last, next);                                                                     \
	}

/** Joins an odd number of elements in blocks of 2^k elements, the smallest block first; each block pair by
 * pair. */
#define JOIN_HALVES(id, T, first, length, at)                                                                \
	DEVICE_FN T id(GIVEN, long x, long y, long z)                                                        \
	{                                                                                                    \
		T all = at(first), part[11];                                                                 \
		long done = 1;                                                                               \
                                                                                                             \
		for (int bits = 1; (length) >> bits; bits++) {                                               \
			if (!((length) >> bits & 1))                                                         \
				continue;                                                                    \
                                                                                                             \
			for (long k = 0; k < 1l << bits; k++) {                                              \
				T v = at(first + done + k);                                                  \
				int level = 0;                                                               \
                                                                                                             \
				for (; k >> level & 1; level++)                                              \
					v = JOIN(part[level], v);                                            \
                                                                                                             \
				part[level] = v;                                                             \
			}                                                                                    \
                                                                                                             \
			all = JOIN(all, part[bits]);                                                         \
			done += 1l << bits;                                                                  \
		}                                                                                            \
                                                                                                             \
		return all;                                                                                  \
	}

/** key_T() maps values to integers in the same order; value_T() is the inverse. */
DEVICE_FN ulong key_truth(truth v)
{
	return v;
}

DEVICE_FN truth value_truth(ulong k)
{
	return 0 != k;
}

DEVICE_FN ulong key_u64(u64 v)
{
	return v;
}

DEVICE_FN u64 value_u64(ulong k)
{
	return k;
}

DEVICE_FN ulong key_i64(i64 v)
{
	return (ulong)v ^ 1ul << 63;
}

DEVICE_FN i64 value_i64(ulong k)
{
	return (i64)(k ^ 1ul << 63);
}

DEVICE_FN ulong key_f32(f32 v)
{
	const uint k = as_uint(v);

	return (k >> 31) ? ~k : k | 0x80000000u;
}

DEVICE_FN f32 value_f32(ulong k)
{
	return as_float((k >> 31) ? (uint)k & 0x7fffffffu : ~(uint)k);
}

#ifndef NO_FLOAT64
DEVICE_FN ulong key_f64(f64 v)
{
	const ulong k = as_ulong(v);

	return (k >> 63) ? ~k : k | 1ul << 63;
}

DEVICE_FN f64 value_f64(ulong k)
{
	return as_double((k >> 63) ? k & ~(1ul << 63) : ~k);
}
#endif

#ifndef NO_FLOAT64
/* Samplers (num/expr/windows/sampler.c). M is the type of elements, s the words of the sampler
 * (stencil_text.c): offset, steps, extents, padding, origins, spacings. */

/** NAN of C; drivers have others. */
#define QUIET_NAN as_float(0x7fc00000)

/** Cell along dim d, and the fraction of the position within the cell; a NaN gives a NaN. */
DEVICE_FN long cell_along(__global const long *s, int d, f64 place, int nearest, f64 *fraction)
{
	f64 u = (place - as_double(s[10 + d])) / as_double(s[13 + d]) + (f64)s[7 + d];
	const truth bad = u != u;

	u = (u > -1e12) ? u : -1e12;
	u = (u < 1e12) ? u : 1e12;

	const f64 k = floor(nearest ? u + 0.5 + 1e-7 : u);

	*fraction = bad ? QUIET_NAN : u - k;
	return (long)k;
}

#define SAMPLE_NEAREST(id, T, M, buffer, place)                                                              \
	DEVICE_FN T id(GIVEN, f64 x, f64 y, f64 z)                                                           \
	{                                                                                                    \
		__global const long *s = place;                                                              \
		const f64 at[3] = {x, y, z};                                                                 \
		truth bad = 0, outside = 0;                                                                  \
		long offset = s[0];                                                                          \
                                                                                                             \
		for (int d = 0; d < 3; d++) {                                                                \
			f64 f;                                                                               \
			const long k = edge(cell_along(s, d, at[d], 1, &f), s[4 + d]);                       \
                                                                                                             \
			bad |= f != f;                                                                       \
			outside |= k < 0;                                                                    \
			offset += k * s[1 + d];                                                              \
		}                                                                                            \
                                                                                                             \
		return bad ? (T)QUIET_NAN : outside ? 0 : *(__global M *)(buffer + offset);                        \
	}

/** The sum over the neighbours with weights: z after y after x. Linear cells within the array begin with -0,
 * which adds nothing to the sign. */
#define SAMPLE(id, T, M, buffer, place, taps, before, weights)                                               \
	DEVICE_FN T id(GIVEN, f64 x, f64 y, f64 z)                                                           \
	{                                                                                                    \
		__global const long *s = place;                                                              \
		const f64 at[3] = {x, y, z};                                                                 \
		truth bad = 0, within = 1;                                                                   \
		long offset[3][taps];                                                                        \
		f64 w[3][taps], sum;                                                                         \
                                                                                                             \
		for (int d = 0; d < 3; d++) {                                                                \
			f64 f;                                                                               \
			const long cell = cell_along(s, d, at[d], 0, &f), n = s[4 + d];                      \
                                                                                                             \
			bad |= f != f;                                                                       \
			within &= cell >= 0 && cell < n - 1;                                                 \
			weights(w[d], f);                                                                    \
                                                                                                             \
			for (int t = 0; t < taps; t++) {                                                     \
				const long k = edge(cell - before + t, n);                                   \
                                                                                                             \
				offset[d][t] = (k < 0) ? -1 : k * s[1 + d];                                  \
			}                                                                                    \
		}                                                                                            \
                                                                                                             \
		if (bad)                                                                                     \
			return (T)QUIET_NAN;                                                                      \
                                                                                                             \
		const f64 none = (2 == taps && within) ? -0.0 : 0.0;                                         \
                                                                                                             \
		sum = none;                                                                                  \
                                                                                                             \
		for (int c = 0; c < taps; c++) {                                                             \
			f64 plane = none;                                                                    \
                                                                                                             \
			for (int b = 0; b < taps; b++) {                                                     \
				f64 line = none;                                                             \
                                                                                                             \
				for (int a = 0; a < taps; a++)                                               \
					if (offset[0][a] >= 0 && offset[1][b] >= 0 && offset[2][c] >= 0)     \
						line += w[0][a] *                                            \
						        (f64) * (__global M *)(buffer + s[0] +               \
						                               offset[0][a] + offset[1][b] + \
						                               offset[2][c]);                \
                                                                                                             \
				plane += w[1][b] * line;                                                     \
			}                                                                                    \
                                                                                                             \
			sum += w[2][c] * plane;                                                              \
		}                                                                                            \
                                                                                                             \
		return (T)sum;                                                                               \
	}

DEVICE_FN void weigh_linear(f64 w[2], f64 f)
{
	w[0] = 1. - f;
	w[1] = f;
}

/** INTERPOLATION_CUBIC() (num/kern/interpolation.h). */
DEVICE_FN void weigh_cubic(f64 w[4], f64 f)
{
	const f64 third = 2. / 3., sixth = 1. / 6., c = 1. - f;

	w[0] = c * c * c * sixth;
	w[1] = third - 0.5 * f * f * (2. - f);
	w[2] = third - 0.5 * c * c * (2. - c);
	w[3] = f * f * f * sixth;
}

#define SAMPLE_LINEAR(id, T, M, buffer, place) SAMPLE(id, T, M, buffer, place, 2, 0, weigh_linear)
#define SAMPLE_CUBIC(id, T, M, buffer, place)  SAMPLE(id, T, M, buffer, place, 4, 1, weigh_cubic)
#endif
