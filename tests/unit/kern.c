/* The element kernels: every operator and work type on every instruction set against long double and 128-bit
 * references; repeated operands, results in place, all lengths, the same bits on all instruction sets. */

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "misc/mem.h"
#include "num/kern/kern_internal.h"
#include "num/md/rand.h"

#define PAIR(re, im) __builtin_complex((long double)(re), (long double)(im))

enum { N = 4099 };

static const enum dtype works[WORKS] = {
        DT_BOOL, DT_INT64, DT_UINT64, DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

static const struct kern_set *sets[3];
static int set_count;

/* Types of an operator for operands of one work type; false when not defined. */
static bool types_of(enum op op, enum dtype work, struct op_types *t)
{
	if (OP_NOT == op || OP_AND == op || OP_OR == op || OP_XOR == op) {
		*t = (struct op_types){DT_BOOL, DT_BOOL, DT_BOOL};
		return DT_BOOL == work;
	}

	// powers of integers by unsigned exponents
	const enum dtype second = (OP_POW == op && DT_INT64 == work) ? DT_UINT8 : work;

	return op_types(op, (enum dtype[]){work, second, work}, DOMAIN_NAN, t) && t->work == work;
}

/* ---- operands ---- */

static uint64_t counter;

static double uniform(void)
{
	return rand_uniform(3, counter++);
}

static uint64_t bits64(void)
{
	return (uint64_t)(uniform() * 0x1p32) << 32 | (uint64_t)(uniform() * 0x1p32);
}

static const double specials[] = {0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, 1.5, 2.5, -1.5, -2.5, 0.49999997,
        4503599627370497.5, 1e-3, 1e10, -1e10, 1e30, -1e30, 1e-30, 88.5, 88.8, -87.5, -103.5, -104, 709.5,
        710, -745, -746, 0x1p-126, 0x1p-149, -0x1p-149, 0x1.fffffep127, -0x1.fffffep127, 0x1p-1022, 0x1p-1074,
        DBL_MAX, M_PI, M_PI_2, 1.5707963, 3 * M_PI, 0.70710678, 1.41421356, 1e5, 1e6, 1e7, 1e15, 0x1p23,
        0x1p24, 0x1p31, 0x1p52, 0x1p53, 0x1p63, INFINITY, -INFINITY, NAN, 0x1p127, 1 + 0x1p-23, 1 - 0x1p-24};

enum { SPECIALS = sizeof specials / sizeof specials[0] };

/* `k` shifts the specials, so that two operands make all pairs. */
static double any_real(long i, long k)
{
	double x = uniform();

	if (i < SPECIALS * SPECIALS)
		return specials[0 == k ? i % SPECIALS : (i / SPECIALS + k - 1) % SPECIALS];

	switch (i % 5) {
	case 0:
		return 2 * x - 1;
	case 1:
		return 20 * x - 10;
	case 2:
		return 200 * x - 100;
	case 3:
		return ldexp(2 * x - 1, (int)(uniform() * 60) - 30);
	default:
		return ldexp(2 * x - 1, (int)(uniform() * 270) - 140);
	}
}

static int64_t any_int(long i)
{
	static const int64_t edges[] = {0, 1, -1, 2, -2, 3, INT64_MAX, INT64_MIN, INT64_MAX - 1,
	        INT64_MIN + 1, INT32_MAX, INT32_MIN, 1ll << 32, 1ll << 62, 3037000499, 3037000500};

	return (i % 3 == 0)   ? edges[(int)(uniform() * 16)]
	       : (i % 3 == 1) ? (int64_t)bits64() >> (int)(uniform() * 64)
	                      : (int64_t)(uniform() * 20) - 10;
}

/* Operand k of type t; contents of bool include bytes over 1. */
static void fill(enum dtype t, void *p, long n, long k)
{
	for (long i = 0; i < n; i++) {
		switch (t) {
		case DT_BOOL:
			((uint8_t *)p)[i] = uniform() < 0.5 ? 0 : uniform() < 0.8 ? 1 : 255;
			break;
		case DT_INT64:
		case DT_UINT64:
			((int64_t *)p)[i] = any_int(i + k);
			break;
		case DT_FLOAT32:
			((float *)p)[i] = (float)any_real(i, k);
			break;
		case DT_FLOAT64:
			((double *)p)[i] = any_real(i, k);
			break;
		case DT_COMPLEX64:
			((float *)p)[2 * i] = (float)any_real(i + (uniform() < 0.8 ? 4096 : 0), k);
			((float *)p)[2 * i + 1] = (float)any_real(i + (uniform() < 0.8 ? 4095 : 0), k + 1);
			break;
		default:
			((double *)p)[2 * i] = any_real(i + (uniform() < 0.8 ? 4096 : 0), k);
			((double *)p)[2 * i + 1] = any_real(i + (uniform() < 0.8 ? 4095 : 0), k + 1);
		}
	}
}

/* ---- references ---- */

/* A value of any work type. */
struct value {
	__int128 i;
	long double re, im;
};

static struct value get(enum dtype t, const void *p, long i)
{
	struct value v = {0, 0, 0};

	switch (t) {
	case DT_BOOL:
		v.i = 0 != ((const uint8_t *)p)[i];
		break;
	case DT_INT64:
		v.i = ((const int64_t *)p)[i];
		break;
	case DT_UINT64:
		v.i = ((const uint64_t *)p)[i];
		break;
	case DT_FLOAT32:
		v.re = (long double)((const float *)p)[i];
		break;
	case DT_FLOAT64:
		v.re = (long double)((const double *)p)[i];
		break;
	case DT_COMPLEX64:
		v.re = (long double)((const float *)p)[2 * i];
		v.im = (long double)((const float *)p)[2 * i + 1];
		break;
	default:
		v.re = (long double)((const double *)p)[2 * i];
		v.im = (long double)((const double *)p)[2 * i + 1];
	}

	return v;
}

static long double larger(long double x, long double y)
{
	return isnan(x) || isnan(y) ? (long double)NAN : x > y ? x : y;
}

static long double smaller(long double x, long double y)
{
	return -larger(-x, -y);
}

static long double modulo(long double x, long double y)
{
	long double r = fmodl(x, y);

	return (0 == r) ? copysignl(0, y) : ((r < 0) != (y < 0)) ? r + y : r;
}

static long double soft(long double x, long double t)
{
	return (fabsl(x) - t <= 0) ? 0 : copysignl(fabsl(x) - t, x);
}

static long double real_reference(enum op op, long double x, long double y, long double z)
{
	switch (op) {
	case OP_COPY:
	case OP_REAL:
	case OP_CONJ:
		return x;
	case OP_NEG:
		return -x;
	case OP_ABS:
		return fabsl(x);
	case OP_SQUARE:
	case OP_ABS2:
		return x * x;
	case OP_INVERT:
		return 1 / x;
	case OP_SQRT:
		return sqrtl(x);
	case OP_CBRT:
		return cbrtl(x);
	case OP_EXP:
		return expl(x);
	case OP_EXP2:
		return exp2l(x);
	case OP_EXPM1:
		return expm1l(x);
	case OP_LOG:
		return logl(x);
	case OP_LOG2:
		return log2l(x);
	case OP_LOG10:
		return log10l(x);
	case OP_LOG1P:
		return log1pl(x);
	case OP_SIN:
		return sinl(x);
	case OP_COS:
		return cosl(x);
	case OP_TAN:
		return tanl(x);
	case OP_ASIN:
		return asinl(x);
	case OP_ACOS:
		return acosl(x);
	case OP_ATAN:
		return atanl(x);
	case OP_SINH:
		return sinhl(x);
	case OP_COSH:
		return coshl(x);
	case OP_TANH:
		return tanhl(x);
	case OP_ASINH:
		return asinhl(x);
	case OP_ACOSH:
		return acoshl(x);
	case OP_ATANH:
		return atanhl(x);
	case OP_ERF:
		return erfl(x);
	case OP_FLOOR:
		return floorl(x);
	case OP_CEIL:
		return ceill(x);
	case OP_ROUND:
		return rintl(x);
	case OP_TRUNC:
		return truncl(x);
	case OP_SIGN:
		return isnan(x) ? x : (x > 0) - (x < 0);
	case OP_ISNAN:
		return isnan(x) != 0;
	case OP_ISINF:
		return isinf(x) != 0;
	case OP_ISFINITE:
		return isfinite(x) != 0;
	case OP_IMAG:
		return 0;
	case OP_ARG:
		return isnan(x) ? x : signbit(x) ? acosl(-1) : 0;
	case OP_ADD:
		return x + y;
	case OP_SUB:
		return x - y;
	case OP_MUL:
	case OP_MULC:
		return x * y;
	case OP_DIV:
		return x / y;
	case OP_POW:
		return powl(x, y);
	case OP_MOD:
		return modulo(x, y);
	case OP_ATAN2:
		return atan2l(x, y);
	case OP_HYPOT:
		return hypotl(x, y);
	case OP_MIN:
		return smaller(x, y);
	case OP_MAX:
		return larger(x, y);
	case OP_COPYSIGN:
		return copysignl(x, y);
	case OP_SOFT:
		return soft(x, y);
	case OP_HARD:
		return (fabsl(x) <= y) ? 0 : x;
	case OP_LT:
		return x < y;
	case OP_LE:
		return x <= y;
	case OP_GT:
		return x > y;
	case OP_GE:
		return x >= y;
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	case OP_CLAMP:
		return smaller(larger(x, y), z);
	default:
		return x; // CIS, COMPLEX, SELECT, MULADD: elsewhere
	}
}

static __int128 power(__int128 x, __int128 y, __int128 low, __int128 high)
{
	__int128 r = 1;

	if (y < 0)
		return 0 == x ? high : 1 == x ? 1 : -1 == x ? (y % 2 ? -1 : 1) : 0;

	if (x >= -1 && x <= 1)
		return 0 == y ? 1 : -1 == x && 0 == y % 2 ? 1 : x;

	for (__int128 i = 0; i < y && r >= low && r <= high; i++)
		if (__builtin_mul_overflow(r, x, &r))
			r = high + 1;

	// on beyond the range: the sign that the rest gives
	if (r < low || r > high)
		return (x < 0 && y % 2) ? low : high;

	return r;
}

static __int128 int_reference(enum op op, __int128 x, __int128 y, __int128 z, __int128 low, __int128 high)
{
	const __int128 a = x < 0 ? -x : x;
	__int128 r;

	switch (op) {
	case OP_NEG:
		r = -x;
		break;
	case OP_ABS:
		r = a;
		break;
	case OP_SIGN:
		r = (x > 0) - (x < 0);
		break;
	case OP_SQUARE:
	case OP_ABS2:
		r = a > ((__int128)1 << 62) ? high : x * x;
		break;
	case OP_IMAG:
	case OP_ISNAN:
	case OP_ISINF:
		return 0;
	case OP_ISFINITE:
		return 1;
	case OP_ADD:
		r = x + y;
		break;
	case OP_SUB:
		r = x - y;
		break;
	case OP_MUL:
	case OP_MULC:
		return __builtin_mul_overflow(x, y, &r) ? high : r < low ? low : r > high ? high : r;
	case OP_POW:
		return power(x, y, low, high);
	case OP_MOD:
		r = 0 == y ? 0 : (x % y + y) % y;
		break;
	case OP_MIN:
		r = x < y ? x : y;
		break;
	case OP_MAX:
		r = x > y ? x : y;
		break;
	case OP_COPYSIGN:
		r = y < 0 ? -a : a;
		break;
	case OP_SOFT:
		r = a - y;
		r = r <= 0 ? 0 : x < 0 ? -r : r;
		break;
	case OP_HARD:
		r = a > y ? x : 0;
		break;
	case OP_LT:
		return x < y;
	case OP_LE:
		return x <= y;
	case OP_GT:
		return x > y;
	case OP_GE:
		return x >= y;
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	case OP_SELECT:
		return x ? y : z;
	case OP_CLAMP:
		r = x > y ? x : y;
		r = r < z ? r : z;
		break;
	case OP_MULADD:
		if (__builtin_mul_overflow(x, y, &r) || __builtin_add_overflow(r, z, &r))
			return high;
		break;
	default:
		r = x;
	}

	return r < low ? low : r > high ? high : r;
}

/* Of bool operands, as 0 and 1. */
static __int128 bool_reference(enum op op, __int128 x, __int128 y, __int128 z)
{
	switch (op) {
	case OP_NOT:
		return !x;
	case OP_AND:
		return x && y;
	case OP_OR:
		return x || y;
	case OP_XOR:
		return x != y;
	default:
		return int_reference(op, x, y, z, 0, 1);
	}
}

static complex long double complex_reference(enum op op, complex long double x, complex long double y)
{
	switch (op) {
	case OP_NEG:
		return -x;
	case OP_ABS:
		return cabsl(x);
	case OP_SQUARE:
		return x * x;
	case OP_ABS2:
		return creall(x) * creall(x) + cimagl(x) * cimagl(x);
	case OP_INVERT:
		return 1 / x;
	case OP_SQRT:
		return csqrtl(x);
	case OP_EXP:
		return cexpl(x);
	case OP_EXP2:
		return cexpl(x * logl(2));
	case OP_EXPM1: {
		long double a = creall(x), b = cimagl(x), s = sinl(b / 2);

		return PAIR(expm1l(a) * cosl(b) - 2 * s * s, expl(a) * sinl(b));
	}
	case OP_LOG:
		return clogl(x);
	case OP_LOG2:
		return clogl(x) / logl(2);
	case OP_LOG10:
		return clogl(x) / logl(10);
	case OP_LOG1P: {
		long double a = creall(x), b = cimagl(x);

		return PAIR(cabsl(x) < 1 ? log1pl(2 * a + a * a + b * b) / 2 : creall(clogl(PAIR(1 + a, b))),
		        atan2l(b, 1 + a));
	}
	case OP_SIN:
		return csinl(x);
	case OP_COS:
		return ccosl(x);
	case OP_TAN:
		return ctanl(x);
	case OP_ASIN:
		return casinl(x);
	case OP_ACOS:
		return cacosl(x);
	case OP_ATAN:
		return catanl(x);
	case OP_SINH:
		return csinhl(x);
	case OP_COSH:
		return ccoshl(x);
	case OP_TANH:
		return ctanhl(x);
	case OP_ASINH:
		return casinhl(x);
	case OP_ACOSH:
		return cacoshl(x);
	case OP_ATANH:
		return catanhl(x);
	case OP_SIGN:
		return 0 == x ? 0 : x / cabsl(x);
	case OP_REAL:
		return creall(x);
	case OP_IMAG:
		return cimagl(x);
	case OP_CONJ:
		return conjl(x);
	case OP_ARG:
		return cargl(x);
	case OP_ADD:
		return x + y;
	case OP_SUB:
		return x - y;
	case OP_MUL:
		return x * y;
	case OP_MULC:
		return x * conjl(y);
	case OP_DIV:
		return x / y;
	case OP_POW:
		return 0 == y ? 1 : cpowl(x, y);
	case OP_SOFT:
		return cabsl(x) <= creall(y) ? 0 : x / cabsl(x) * (cabsl(x) - creall(y));
	case OP_HARD:
		return cabsl(x) <= creall(y) ? 0 : x;
	case OP_ISNAN:
	case OP_ISINF:
		return 0;
	case OP_ISFINITE:
		return 1;
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	default:
		return x;
	}
}

/* ---- errors ---- */

/* Distance in units of the last place of the reference, rounded into the type's range. */
static double ulps(enum dtype t, long double got, long double want)
{
	const int digits = DT_FLOAT32 == t ? 24 : 53, least = DT_FLOAT32 == t ? -149 : -1074;
	const long double over = DT_FLOAT32 == t ? 0x1p128L : 0x1p1024L; // stands for all beyond
	int e;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;

	want = fabsl(want) > over ? copysignl(over, want) : want;
	got = fabsl(got) > over ? copysignl(over, got) : got;

	if (0 == want)
		return 0 == got ? 0 : (double)(fabsl(got) / ldexpl(1, least));

	frexpl(fabsl(want) < over ? want : over / 2, &e);

	return (double)(fabsl(got - want) / ldexpl(1, e - digits > least ? e - digits : least));
}

/* Stated bounds for functions of real numbers; 0.5 = rounded correctly. */
static double bound(enum op op, enum dtype t)
{
	switch (op) {
	case OP_EXP:
	case OP_LOG:
	case OP_SIN:
	case OP_COS:
		return 1;
	case OP_CBRT:
	case OP_EXP2:
	case OP_EXPM1:
	case OP_LOG2:
	case OP_LOG10:
	case OP_LOG1P:
	case OP_TAN:
	case OP_ASIN:
	case OP_ACOS:
	case OP_ATAN:
	case OP_SINH:
	case OP_COSH:
	case OP_TANH:
	case OP_ASINH:
	case OP_ACOSH:
	case OP_ATANH:
	case OP_ERF:
	case OP_POW:
	case OP_ATAN2:
	case OP_HYPOT:
		return DT_FLOAT32 == t ? 2 : 4;
	default:
		return 0.5001; // the reference is rounded to long double first
	}
}

/* Whether out[i] is right; *worst error in ulp of the real functions. */
static bool right(
        enum op op, const struct op_types *t, const void *out, const void *const in[3], long i, double *worst)
{
	const enum dtype w = t->work;
	const struct value x = get(OP_SELECT == op ? DT_BOOL : w, in[0], i), y = get(w, in[1], i),
	                   z = get(w, in[2], i), r = get(t->value, out, i);

	if (DT_BOOL == w)
		return r.i == bool_reference(op, x.i, y.i, z.i);

	if (OP_SELECT == op) {
		const struct value s = x.i ? y : z;

		return r.i == s.i && (r.re == s.re || isnan(s.re)) && (r.im == s.im || isnan(s.im));
	}

	if (dtype_is_integer(w))
		return r.i == int_reference(op, x.i, y.i, z.i, DT_INT64 == w ? INT64_MIN : 0,
		                      DT_INT64 == w ? (__int128)INT64_MAX : (__int128)UINT64_MAX);

	if (DT_BOOL == t->value)
		return r.i == (__int128)real_reference(op, x.re, y.re, z.re);

	if (OP_CIS == op || OP_COMPLEX == op) {
		const long double re = OP_CIS == op ? cosl(x.re) : x.re,
		                  im = OP_CIS == op ? sinl(x.re) : y.re;

		return ulps(w, r.re, re) <= 1 && ulps(w, r.im, im) <= 1;
	}

	long double want = real_reference(op, x.re, y.re, z.re);

	if (OP_MULADD == op) { // rounded twice
		if (DT_FLOAT32 == w)
			want = (long double)((float)((float)x.re * (float)y.re) + (float)z.re);
		else
			want = (long double)((double)x.re * (double)y.re + (double)z.re);
	}

	const double error = ulps(w, r.re, want);

	*worst = error > *worst ? error : *worst;

	return error <= bound(op, w);
}

/* ---- checks ---- */

/* Memory for N elements of any type, aligned as vectors like it. */
static void *room(void)
{
	return mem_calloc(N + 64, 16);
}

static void *in_[3], *out_, *again;

static bool same_bits(enum dtype t, const void *a, const void *b, long n)
{
	const long parts = dtype_is_complex(t) ? 2 * n : n;

	if (0 == memcmp(a, b, (size_t)n * dtype_size(t)))
		return true;

	if (dtype_is_integer(t))
		return false;

	for (long i = 0; i < parts; i++) { // a NaN is a NaN
		const bool wide = 8 == dtype_unit(t);
		const double x = wide ? ((const double *)a)[i] : (double)((const float *)a)[i];
		const double y = wide ? ((const double *)b)[i] : (double)((const float *)b)[i];

		if (!(isnan(x) && isnan(y)) && (x != y || signbit(x) != signbit(y)))
			return false;
	}

	return true;
}

static void fill_operands(enum op op, enum dtype work)
{
	for (int k = 0; k < 3; k++)
		fill(OP_SELECT == op && 0 == k ? DT_BOOL : work, in_[k], N, k);
}

static kern_fn *kernel(int set, enum op op, enum dtype work)
{
	return sets[set]->op[kern_row(work)][op];
}

static void test_tables(void)
{
	bool good = true;

	for (int s = 0; s < set_count; s++)
		for (int w = 0; w < WORKS; w++)
			for (int op = 0; op < OP_COUNT; op++) {
				struct op_types t;
				const bool have = NULL != sets[s]->op[w][op];

				if (have != types_of((enum op)op, works[w], &t)) {
					good = false;
					printf("# %s %s: %d\n", op_name((enum op)op), dtype_name(works[w]),
					        have);
				}
			}

	check(good, "tables: a kernel for every operator and work type that op_types() allows");
}

/* Values of real, integer and bool kernels; complex ones below. */
static void test_values(void)
{
	for (int w = 0; w <= WORK_FLOAT64; w++) {
		char wrong[300] = "";

		for (int op = 0; op < OP_COUNT; op++) {
			struct op_types t;
			double worst = 0;
			long bad = -1;

			if (!types_of((enum op)op, works[w], &t))
				continue;

			fill_operands((enum op)op, works[w]);
			kernel(0, (enum op)op, works[w])(N, out_, in_[0], in_[1], in_[2], 0);

			for (long i = 0; i < N; i++)
				if (!right((enum op)op, &t, out_, (const void *const *)in_, i, &worst))
					bad = bad < 0 ? i : bad;

			if (bad >= 0) {
				const struct value x = get(works[w], in_[0], bad),
				                   y = get(works[w], in_[1], bad),
				                   r = get(t.value, out_, bad);

				printf("# %s(%Lg or %ld, %Lg or %ld) gave %.9Lg or %ld; worst %g ulp\n",
				        op_name((enum op)op), x.re, (long)x.i, y.re, (long)y.i, r.re,
				        (long)r.i, worst);
				snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s",
				        op_name((enum op)op));
			} else if (worst > 0.51) {
				printf("# %s of %s: %.2f ulp\n", op_name((enum op)op), dtype_name(works[w]),
				        worst);
			}
		}

		check('\0' == wrong[0], "values of %s%s%s", dtype_name(works[w]), wrong[0] ? ", not of" : "",
		        wrong);
	}
}

/* Whether x y + z is beyond the work type. */
static bool product_leaves(enum dtype work, struct value x, struct value y, struct value z)
{
	const __int128 a = x.i, b = y.i, c = z.i;

	if (DT_UINT64 == work)
		return (unsigned __int128)a * (unsigned __int128)b + (unsigned __int128)c > UINT64_MAX;

	return a * b + c > INT64_MAX || a * b + c < INT64_MIN;
}

/* Whether results saturate: products exactly, others where the two rules differ. */
static bool leaves_type(enum op op, enum dtype work, long i)
{
	const struct value x = get(work, in_[0], i), y = get(work, in_[1], i), z = get(work, in_[2], i),
	                   none = {0};

	switch (op) {
	case OP_SQUARE:
	case OP_ABS2:
		return product_leaves(work, x, x, none);
	case OP_MUL:
	case OP_MULC:
		return product_leaves(work, x, y, none);
	case OP_MULADD:
		return product_leaves(work, x, y, z);
	default:
		return ((const int64_t *)again)[i] != ((const int64_t *)out_)[i];
	}
}

/* What 64-bit integers cannot hold: counted, and modulo 2^64, on every instruction set and with repeated
 * operands. */
static void test_overflow(void)
{
	static const enum op ops[] = {
	        OP_NEG, OP_ABS, OP_SQUARE, OP_ABS2, OP_ADD, OP_SUB, OP_MUL, OP_MULC, OP_COPYSIGN, OP_MULADD};
	bool good = true;

	for (int w = WORK_INT64; w <= WORK_UINT64; w++)
		for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
			long count = 0, differ = 0;

			fill_operands(ops[k], works[w]);
			kern_op_as(ops[k], works[w], NARROW_WRAP)(N, again, in_[0], in_[1], in_[2], 0);
			kern_op(ops[k], works[w])(N, out_, in_[0], in_[1], in_[2], 0);

			for (long i = 0; i < N; i++) {
				const long one = kern_overflow(ops[k], works[w], 1, (int64_t *)in_[0] + i,
				        (int64_t *)in_[1] + i, (int64_t *)in_[2] + i, 0);

				differ += one != leaves_type(ops[k], works[w], i);
				count += one;
			}

			good = good && 0 == differ && 0 < count + (WORK_UINT64 == w) &&
			       count == kern_overflow(ops[k], works[w], N, in_[0], in_[1], in_[2], 0);

			for (int s = 0; s < set_count; s++) {
				kern_fn *wrapped = sets[s]->wrapped[w - WORK_INT64][ops[k]];
				kern_fn *leaves = sets[s]->leaves[w - WORK_INT64][ops[k]];
				const unsigned char *flags = out_;
				long flagged = 0;

				leaves(N, out_, in_[0], in_[1], in_[2], 0);

				for (long i = 0; i < N; i++)
					flagged += flags[i];

				wrapped(N, out_, in_[0], in_[1], in_[2], 0);
				good = good && flagged == count && 0 == memcmp(out_, again, 8 * N);
			}
		}

	check(good, "integers that leave 64 bits: counted, and wrapped");
	check(0 == kern_overflow(OP_ADD, DT_FLOAT64, N, in_[0], in_[1], in_[2], 0), "floats are not counted");
}

/* Norm-wise: |got - want| over the last place of |want|. */
static double complex_error(enum dtype work, const struct value *got, complex long double want)
{
	const long double size = cabsl(want), eps = DT_COMPLEX64 == work ? 0x1p-23L : 0x1p-52L;
	const long double tiny = DT_COMPLEX64 == work ? 0x1p-149L : 0x1p-1074L;

	return (double)(hypotl(got->re - creall(want), got->im - cimagl(want)) / (size * eps + tiny));
}

static bool moderate(struct value v)
{
	const long double a = hypotl(v.re, v.im);

	return isfinite(a) && a < 30 && a > 1e-6L;
}

static void test_complex(void)
{
	for (int w = WORK_COMPLEX64; w < WORKS; w++) {
		char wrong[300] = "";

		for (int op = 0; op < OP_COUNT; op++) {
			struct op_types t;
			double worst = 0;
			long tested = 0;

			if (!types_of((enum op)op, works[w], &t) || OP_SELECT == op || OP_MULADD == op)
				continue;

			fill_operands((enum op)op, works[w]);
			kernel(0, (enum op)op, works[w])(N, out_, in_[0], in_[1], in_[2], 0);

			for (long i = 0; i < N; i++) {
				const struct value x = get(works[w], in_[0], i), y = get(works[w], in_[1], i);
				struct value r = get(t.value, out_, i);

				if (!moderate(x) || (op_args((enum op)op) > 1 && !moderate(y)))
					continue;

				if (OP_POW == op && hypotl(y.re, y.im) > 8)
					continue;

				// thresholds: not where |x| is the threshold but for rounding
				if ((OP_SOFT == op || OP_HARD == op) &&
				        fabsl(hypotl(x.re, x.im) - y.re) < 0.1L * hypotl(x.re, x.im))
					continue;

				const complex long double want =
				        complex_reference((enum op)op, PAIR(x.re, x.im), PAIR(y.re, y.im));

				if (DT_BOOL == t.value)
					r.re = r.i;

				const double e = complex_error(works[w], &r, want);

				tested++;
				worst = e > worst ? e : worst;
			}

			// exp2 and powers multiply the argument first: its size times the last place
			const double limit = DT_COMPLEX64 == works[w] ? 4
			                     : OP_POW == op           ? 100
			                     : OP_EXP2 == op          ? 20
			                                              : 4;

			if (!(worst <= limit) || tested < 100) {
				snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s",
				        op_name((enum op)op));
				printf("# %s of %s: error %g in %ld tests\n", op_name((enum op)op),
				        dtype_name(works[w]), worst, tested);
			}
		}

		check('\0' == wrong[0], "values of %s%s%s", dtype_name(works[w]), wrong[0] ? ", not of" : "",
		        wrong);
	}
}

struct cut {
	enum op op;
	double x, y; // operand
	double re, im;
};

/* Branch cuts, infinities and zeros (C11 annex G). */
static void test_cuts(void)
{
	const double inf = INFINITY;
	const struct cut cuts[] = {{OP_SQRT, -4, 0.0, 0, 2}, {OP_SQRT, -4, -0.0, 0, -2},
	        {OP_SQRT, -inf, 1, 0, inf}, {OP_LOG, -1, 0.0, 0, M_PI}, {OP_LOG, -1, -0.0, 0, -M_PI},
	        {OP_LOG, 0, 0, -inf, 0}, {OP_EXP, -inf, 3, -0.0, 0.0}, {OP_EXP, 0, 0.0, 1, 0},
	        {OP_ASIN, 2, 0.0, M_PI_2, 1.3169578969248167},
	        {OP_ASIN, 2, -0.0, M_PI_2, -1.3169578969248167}, {OP_ACOS, 2, 0.0, 0, -1.3169578969248167},
	        {OP_ACOS, 2, -0.0, 0, 1.3169578969248167}, {OP_ATANH, 2, 0.0, 0.5493061443340549, M_PI_2},
	        {OP_ATANH, 2, -0.0, 0.5493061443340549, -M_PI_2},
	        {OP_ACOSH, 0.5, -0.0, 0, -1.0471975511965979}, {OP_LOG1P, -2, 0.0, 0, M_PI},
	        {OP_LOG1P, -2, -0.0, 0, -M_PI}, {OP_EXPM1, 1e-20, 1e-20, 1e-20, 1e-20},
	        {OP_LOG1P, 1e-20, 1e-20, 1e-20, 1e-20}, {OP_ARG, -1, -0.0, -M_PI, 0},
	        {OP_ABS, inf, NAN, inf, 0}, {OP_INVERT, inf, 0, 0, 0},
	        {OP_INVERT, 1e300, 1e300, 5e-301, -5e-301}, {OP_SIGN, 3, -4, 0.6, -0.8}};
	bool good = true;

	for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
		const struct cut *c = &cuts[i];
		const double x[2] = {c->x, c->y};
		double r[2] = {0, 0};

		kernel(0, c->op, DT_COMPLEX128)(1, r, x, NULL, NULL, 0);

		const bool close = (r[0] == c->re || fabs(r[0] - c->re) <= 1e-14 * fabs(c->re)) &&
		                   (r[1] == c->im || fabs(r[1] - c->im) <= 1e-14 * fabs(c->im));

		if (!close)
			printf("# %s(%g, %g) = %.17g, %.17g\n", op_name(c->op), x[0], x[1], r[0], r[1]);

		good = good && close;
	}

	check(good, "complex functions: branch cuts, infinities, small arguments");
}

/* All masks of repeated operands, results in place of an operand. */
static bool masks_and_places(int set, enum op op, const struct op_types *t)
{
	kern_fn *fn = kernel(set, op, t->work);
	const int args = op_args(op);
	const long n = 515, value = (long)dtype_size(t->value);
	void *wide[3] = {room(), room(), room()};
	bool good = true;

	for (unsigned mask = 0; mask < 1u << args; mask++) {
		for (int k = 0; k < args; k++) {
			const size_t size = dtype_size(OP_SELECT == op && 0 == k ? DT_BOOL : t->work);
			const char *from = (const char *)in_[k] + (mask >> k & 1 ? 5 * size : 0);

			for (long i = 0; i < n; i++)
				memcpy((char *)wide[k] + i * (long)size,
				        from + (mask >> k & 1 ? 0 : i * (long)size), size);
		}

		const void *p[3];

		for (int k = 0; k < 3; k++)
			p[k] = k >= args                   ? NULL
			       : !(mask >> k & 1)          ? in_[k]
			       : OP_SELECT == op && 0 == k ? (const char *)in_[k] + 5
			                                   : (const char *)in_[k] + 5 * dtype_size(t->work);

		fn(n, again, wide[0], wide[1], wide[2], 0);
		memset(out_, 0x5a, (size_t)(n + 1) * 16);
		fn(n, out_, p[0], p[1], p[2], mask);
		good = good && same_bits(t->value, out_, again, n) && 0x5a == ((char *)out_)[n * value];

		for (int k = 0; k < args; k++) { // in place of operand k
			const enum dtype own = OP_SELECT == op && 0 == k ? DT_BOOL : t->work;

			if (dtype_size(own) != dtype_size(t->value) || (mask >> k & 1))
				continue;

			memcpy(out_, wide[k], (size_t)n * dtype_size(own));
			p[k] = out_;
			fn(n, out_, p[0], p[1], p[2], mask);
			good = good && same_bits(t->value, out_, again, n);
			p[k] = in_[k];
		}
	}

	for (int k = 0; k < 3; k++)
		free(wide[k]);

	return good;
}

/* Elements do not depend on the line they stand in; nothing is written beyond it. */
static bool lengths(int set, enum op op, const struct op_types *t)
{
	kern_fn *fn = kernel(set, op, t->work);
	const size_t value = dtype_size(t->value), own = dtype_size(t->work);
	bool good = true;

	fn(1200, again, in_[0], in_[1], in_[2], 0);

	for (long n = 0; n <= 1100; n += n < 70 ? 1 : 103)
		for (long first = 0; first <= 3; first += 3) {
			const void *p[3];

			for (int k = 0; k < 3; k++)
				p[k] = (const char *)in_[k] +
				       (OP_SELECT == op && 0 == k ? 1 : own) * (size_t)first;

			memset(out_, 0x5a, (size_t)(n + 1) * 16);
			fn(n, out_, p[0], p[1], p[2], 0);
			good = good && same_bits(t->value, out_, (char *)again + value * (size_t)first, n) &&
			       0x5a == ((char *)out_)[n * (long)value];
		}

	return good;
}

static void test_shapes(void)
{
	for (int s = 0; s < set_count; s++) {
		char wrong[300] = "";

		for (int w = 0; w < WORKS; w++)
			for (int op = 0; op < OP_COUNT; op++) {
				struct op_types t;

				if (!types_of((enum op)op, works[w], &t))
					continue;

				fill_operands((enum op)op, works[w]);

				if (!masks_and_places(s, (enum op)op, &t) || !lengths(s, (enum op)op, &t))
					snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong),
					        " %s/%s", op_name((enum op)op), dtype_name(works[w]));
			}

		check('\0' == wrong[0], "%s: repeated operands, results in place, lengths 0 to 1100%s%s",
		        sets[s]->name, wrong[0] ? ", not" : "", wrong);
	}
}

static void test_isa(void)
{
	for (int s = 1; s < set_count; s++) {
		char wrong[300] = "";

		for (int w = 0; w < WORKS; w++)
			for (int op = 0; op < OP_COUNT; op++) {
				struct op_types t;

				if (!types_of((enum op)op, works[w], &t))
					continue;

				fill_operands((enum op)op, works[w]);
				kernel(0, (enum op)op, works[w])(N, out_, in_[0], in_[1], in_[2], 0);
				kernel(s, (enum op)op, works[w])(N, again, in_[0], in_[1], in_[2], 0);

				if (!same_bits(t.value, out_, again, N))
					snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong),
					        " %s/%s", op_name((enum op)op), dtype_name(works[w]));
			}

		check('\0' == wrong[0], "%s and %s: the same bits%s%s", sets[0]->name, sets[s]->name,
		        wrong[0] ? ", not of" : "", wrong);
	}
}

static void test_domain(void)
{
	const float x[] = {-1, -0.0f, 0, 0.5f, 2, NAN, -INFINITY, INFINITY, -2};
	const double y[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 2};
	double d[9];

	for (int i = 0; i < 9; i++)
		d[i] = (double)x[i];

	check(3 == kern_domain(OP_SQRT, DT_FLOAT32, 9, x, NULL, 0) &&
	                2 == kern_domain(OP_LOG1P, DT_FLOAT32, 9, x, NULL, 0) &&
	                4 == kern_domain(OP_ACOS, DT_FLOAT64, 9, d, NULL, 0) &&
	                6 == kern_domain(OP_ACOSH, DT_FLOAT64, 9, d, NULL, 0) &&
	                0 == kern_domain(OP_EXP, DT_FLOAT64, 9, d, NULL, 0) &&
	                9 == kern_domain(OP_LOG, DT_FLOAT32, 9, x, NULL, 1),
	        "domain: arguments without a real value are counted");
	check(1 == kern_domain(OP_POW, DT_FLOAT64, 9, d, y, 0) &&
	                2 == kern_domain(OP_POW, DT_FLOAT64, 9, d, y, 2) &&
	                8 == kern_domain(OP_POW, DT_FLOAT64, 9, d, y, 1),
	        "domain: powers of negative numbers");
}

int main(void)
{
	set_count = kern_sets(sets);
	in_[0] = room();
	in_[1] = room();
	in_[2] = room();
	out_ = room();
	again = room();

	test_tables();
	test_values();
	test_overflow();
	test_complex();
	test_cuts();
	test_shapes();
	test_isa();
	test_domain();

	for (int k = 0; k < 3; k++)
		free(in_[k]);

	free(out_);
	free(again);

	return checks_failed > 0;
}
