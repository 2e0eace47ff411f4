/* Every function of flpmath.h, contiguous and with strides, against plain loops in double precision: random
 * dims, steps (negative, zero, permuted, with gaps), in place; then long lines, with the same bits for 1, 2
 * and 7 threads. A function is one line of a table: name, types, and its value by formula. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "num/md/flpmath.h"
#include "strided.h"

typedef complex float zfloat;
typedef complex double zdouble;

/* ---- elements ---------------------------------------------------- */

#define DT(T)                                                                                                \
	_Generic((T){0}, float                                                                               \
	         : DT_FLOAT32, double                                                                        \
	         : DT_FLOAT64, zfloat                                                                        \
	         : DT_COMPLEX64, zdouble                                                                     \
	         : DT_COMPLEX128)

static zdouble pair(double re, double im)
{
	const double p[2] = {re, im};
	zdouble c;

	memcpy(&c, p, sizeof c);
	return c;
}

static zdouble get(enum dtype t, const void *p)
{
	float f[2] = {0};
	double d[2] = {0};
	bool single = DT_FLOAT32 == dtype_real(t);

	memcpy(single ? (void *)f : (void *)d, p, dtype_size(t));

	return single ? pair(f[0], f[1]) : pair(d[0], d[1]);
}

static void put(enum dtype t, void *p, zdouble x)
{
	const float f[2] = {(float)creal(x), (float)cimag(x)};
	const double d[2] = {creal(x), cimag(x)};

	memcpy(p, (DT_FLOAT32 == dtype_real(t)) ? (const void *)f : (const void *)d, dtype_size(t));
}

static uint64_t state = 0x9E3779B97F4A7C15u;

static uint32_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static long below(long n)
{
	return next() % (uint32_t)n;
}

/** In [lo, hi], every fourth a round number, so that values meet. */
static double element(double lo, double hi)
{
	static const double round[] = {0, 1, 0.5, -1};
	double x = round[next() % 4];

	if (0 == next() % 4 && x >= lo && x <= hi)
		return x;

	return (float)(lo + (hi - lo) * next() / 2147483648.);
}

/* ---- a call ------------------------------------------------------ */

struct call {
	enum dtype t; // of typed forms
	int D, d;
	const long *dims, *os, *as, *bs;
	unsigned long flags;
	long k;
	zdouble s;
	double lambda;
	bool flag;
	void *out;
	const void *a, *b;
};

/** What a function is to make of dense arrays; `want` holds the output's elements before the call. */
typedef void model_fn(const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want);

struct fn {
	const char *name;
	enum dtype to, ta;
	int inputs;
	bool typed;    // of any type, with strides only
	bool reduces;  // the output has 1 along flags
	bool in_place; // out may equal a
	double lo, hi; // of elements
	double rounding;
	void (*call)(bool two, struct call *q);
	model_fn *model;
};

/* Element-wise models: v of a, b, the old output o, s and their real parts x, y, r. */
#define EACH(name, V)                                                                                        \
	static void model_##name(                                                                            \
	        const struct call *q, long n, const zdouble *as, const zdouble *bs, zdouble *want)           \
	{                                                                                                    \
		for (long i = 0; i < n; i++) {                                                               \
			zdouble a = as[i], b = bs[i], o = want[i], s = q->s;                                 \
			double x = creal(a), y = creal(b), r = creal(s);                                     \
			(void)a, (void)b, (void)o, (void)s, (void)x, (void)y, (void)r;                       \
			want[i] = (V);                                                                       \
		}                                                                                            \
	}
#define CALL(name, TWO, ONE)                                                                                 \
	static void call_##name(bool two, struct call *q)                                                    \
	{                                                                                                    \
		if (two)                                                                                     \
			TWO;                                                                                 \
		else                                                                                         \
			ONE;                                                                                 \
	}
#define UNARY(name, O, A, lo, hi, round, V)                                                                  \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, q->as, q->a),                                  \
	        md_##name(q->D, q->dims, q->out, q->a))
#define BINARY(name, O, A, lo, hi, round, V)                                                                 \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, q->as, q->a, q->bs, q->b),                     \
	        md_##name(q->D, q->dims, q->out, q->a, q->b))
#define SCALAR(name, O, A, lo, hi, round, V)                                                                 \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, q->as, q->a, (A)q->s),                         \
	        md_##name(q->D, q->dims, q->out, q->a, (A)q->s))
#define REAL_SCALAR(name, O, A, lo, hi, round, V)                                                            \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, q->as, q->a, (float)q->lambda),                \
	        md_##name(q->D, q->dims, q->out, q->a, (float)q->lambda))
#define DIVISION(name, O, A, lo, hi, round, V)                                                               \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, q->as, q->a, q->bs, q->b, (A)q->s),            \
	        md_##name(q->D, q->dims, q->out, q->a, q->b, (A)q->s))
#define MULTIPLE(name, O, A, lo, hi, round, V)                                                               \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, (A)q->s, q->as, q->a),                         \
	        md_##name(q->D, q->dims, q->out, (A)q->s, q->a))
#define DENSITY(name, O, A, lo, hi, round, V)                                                                \
	EACH(name, V)                                                                                        \
	CALL(name, md_##name##2(q->D, q->dims, q->os, q->out, q->as, q->a, (A)q->s, (float)q->lambda),       \
	        md_##name(q->D, q->dims, q->out, q->a, (A)q->s, (float)q->lambda))

static zdouble soft_factor(double n, double lambda)
{
	return n > lambda ? 1 - lambda / n : 0;
}

/* The last but one column: rounding errors allowed, in units of the output's; 0: rounded once. */
#define ELEMENTWISE(X)                                                                                       \
	X(BINARY, add, float, float, -2, 2, 0, x + y)                                                        \
	X(BINARY, zadd, zfloat, zfloat, -2, 2, 0, a + b)                                                     \
	X(BINARY, sub, float, float, -2, 2, 0, x - y)                                                        \
	X(BINARY, zsub, zfloat, zfloat, -2, 2, 0, a - b)                                                     \
	X(BINARY, mul, float, float, -2, 2, 0, x *y)                                                         \
	X(BINARY, zmul, zfloat, zfloat, -2, 2, 4, a *b)                                                      \
	X(BINARY, zmulc, zfloat, zfloat, -2, 2, 4, a *conj(b))                                               \
	X(BINARY, zrmul, zfloat, zfloat, -2, 2, 0, pair(x *y, cimag(a) * cimag(b)))                          \
	X(BINARY, div, float, float, 0.5, 2, 0, x / y)                                                       \
	X(BINARY, zdiv, zfloat, zfloat, 0.5, 2, 8, a / b)                                                    \
	X(BINARY, pow, float, float, 0.5, 2, 8, pow(x, y))                                                   \
	X(BINARY, zpow, zfloat, zfloat, 0.5, 2, 32, cpow(a, b))                                              \
	X(BINARY, fmac, float, float, -2, 2, 2, o + x * y)                                                   \
	X(BINARY, zfmac, zfloat, zfloat, -2, 2, 8, o + a * b)                                                \
	X(BINARY, zfmacc, zfloat, zfloat, -2, 2, 8, o + a * conj(b))                                         \
	X(BINARY, fmacD, double, float, -2, 2, 2, o + x * y)                                                 \
	X(BINARY, zfmacD, zdouble, zfloat, -2, 2, 8, o + a * b)                                              \
	X(BINARY, zfmaccD, zdouble, zfloat, -2, 2, 8, o + a * conj(b))                                       \
	X(SCALAR, sadd, float, float, -2, 2, 0, x + r)                                                       \
	X(SCALAR, zsadd, zfloat, zfloat, -2, 2, 0, a + s)                                                    \
	X(SCALAR, smul, float, float, -2, 2, 0, x *r)                                                        \
	X(SCALAR, zsmul, zfloat, zfloat, -2, 2, 4, a *s)                                                     \
	X(SCALAR, spow, float, float, 0.5, 2, 8, pow(x, r))                                                  \
	X(SCALAR, zspow, zfloat, zfloat, 0.5, 2, 32, cpow(a, s))                                             \
	X(DIVISION, div_reg, float, float, 2, 4, 4, x / (y + r))                                             \
	X(DIVISION, zdiv_reg, zfloat, zfloat, 2, 4, 8, a / (b + s))                                          \
	X(MULTIPLE, axpy, float, float, -2, 2, 2, o + r * x)                                                 \
	X(MULTIPLE, zaxpy, zfloat, zfloat, -2, 2, 8, o + s * a)                                              \
	X(UNARY, sqrt, float, float, 0, 2, 0, sqrt(x))                                                       \
	X(UNARY, zsqrt, zfloat, zfloat, -2, 2, 8, csqrt(a))                                                  \
	X(UNARY, abs, float, float, -2, 2, 0, fabs(x))                                                       \
	X(UNARY, zabs, zfloat, zfloat, -2, 2, 4, cabs(a))                                                    \
	X(UNARY, exp, float, float, -2, 2, 4, exp(x))                                                        \
	X(UNARY, zexp, zfloat, zfloat, -2, 2, 8, cexp(a))                                                    \
	X(UNARY, log, float, float, 0.1, 2, 4, log(x))                                                       \
	X(UNARY, zlog, zfloat, zfloat, 0.1, 2, 8, clog(a))                                                   \
	X(UNARY, sin, float, float, -2, 2, 4, sin(x))                                                        \
	X(UNARY, zsin, zfloat, zfloat, -2, 2, 16, csin(a))                                                   \
	X(UNARY, cos, float, float, -2, 2, 4, cos(x))                                                        \
	X(UNARY, zcos, zfloat, zfloat, -2, 2, 16, ccos(a))                                                   \
	X(UNARY, tan, float, float, -1.2, 1.2, 8, tan(x))                                                    \
	X(UNARY, ztan, zfloat, zfloat, -1.2, 1.2, 32, ctan(a))                                               \
	X(UNARY, asin, float, float, -1, 1, 4, asin(x))                                                      \
	X(UNARY, zasin, zfloat, zfloat, 0.1, 2, 32, casin(a))                                                \
	X(UNARY, acos, float, float, -1, 1, 4, acos(x))                                                      \
	X(UNARY, zacos, zfloat, zfloat, 0.1, 2, 32, cacos(a))                                                \
	X(UNARY, atan, float, float, -2, 2, 4, atan(x))                                                      \
	X(UNARY, zatan, zfloat, zfloat, 0.1, 0.8, 32, catan(a))                                              \
	X(UNARY, sinh, float, float, -2, 2, 8, sinh(x))                                                      \
	X(UNARY, zsinh, zfloat, zfloat, -2, 2, 16, csinh(a))                                                 \
	X(UNARY, cosh, float, float, -2, 2, 8, cosh(x))                                                      \
	X(UNARY, zcosh, zfloat, zfloat, -2, 2, 16, ccosh(a))                                                 \
	X(UNARY, tanh, float, float, -2, 2, 8, tanh(x))                                                      \
	X(UNARY, ztanh, zfloat, zfloat, -0.7, 0.7, 32, ctanh(a))                                             \
	X(UNARY, round, float, float, -9, 9, 0, nearbyint(x))                                                \
	X(UNARY, zround, zfloat, zfloat, -9, 9, 0, pair(nearbyint(x), nearbyint(cimag(a))))                  \
	X(UNARY, zarg, zfloat, zfloat, -2, 2, 4, carg(a))                                                    \
	X(UNARY, zexpj, zfloat, zfloat, -2, 2, 8, cexp(I *a))                                                \
	X(UNARY, zphsr, zfloat, zfloat, -2, 2, 4, 0 == a ? 0 : a / cabs(a))                                  \
	X(UNARY, zacosr, zfloat, zfloat, -1, 1, 4, acos(x))                                                  \
	X(UNARY, zatanr, zfloat, zfloat, -2, 2, 4, atan(x))                                                  \
	X(BINARY, atan2r, float, float, -2, 2, 4, atan2(x, y))                                               \
	X(BINARY, zatan2r, zfloat, zfloat, -2, 2, 4, atan2(x, y))                                            \
	X(UNARY, zconj, zfloat, zfloat, -2, 2, 0, conj(a))                                                   \
	X(UNARY, zreal, zfloat, zfloat, -2, 2, 0, x)                                                         \
	X(UNARY, zimag, zfloat, zfloat, -2, 2, 0, cimag(a))                                                  \
	X(UNARY, real, float, zfloat, -2, 2, 0, x)                                                           \
	X(UNARY, imag, float, zfloat, -2, 2, 0, cimag(a))                                                    \
	X(BINARY, zcmpl, zfloat, float, -2, 2, 0, pair(x, y))                                                \
	X(UNARY, zcmpl_real, zfloat, float, -2, 2, 0, x)                                                     \
	X(UNARY, zcmpl_imag, zfloat, float, -2, 2, 0, pair(0, x))                                            \
	X(BINARY, cmp, float, float, -1, 1, 0, x == y)                                                       \
	X(BINARY, zcmp, zfloat, zfloat, -1, 1, 0, a == b)                                                    \
	X(BINARY, lessequal, float, float, -1, 1, 0, x <= y)                                                 \
	X(BINARY, zlessequal, zfloat, zfloat, -1, 1, 0, x <= y)                                              \
	X(BINARY, greatequal, float, float, -1, 1, 0, x >= y)                                                \
	X(BINARY, zgreatequal, zfloat, zfloat, -1, 1, 0, x >= y)                                             \
	X(BINARY, max, float, float, -1, 1, 0, fmax(x, y))                                                   \
	X(BINARY, zmax, zfloat, zfloat, -1, 1, 0, fmax(x, y))                                                \
	X(BINARY, min, float, float, -1, 1, 0, fmin(x, y))                                                   \
	X(BINARY, zmin, zfloat, zfloat, -1, 1, 0, fmin(x, y))                                                \
	X(REAL_SCALAR, slessequal, float, float, -1, 1, 0, x <= q->lambda)                                   \
	X(REAL_SCALAR, zslessequal, zfloat, zfloat, -1, 1, 0, x <= q->lambda)                                \
	X(REAL_SCALAR, sgreatequal, float, float, -1, 1, 0, x >= q->lambda)                                  \
	X(REAL_SCALAR, zsgreatequal, zfloat, zfloat, -1, 1, 0, x >= q->lambda)                               \
	X(REAL_SCALAR, smax, float, float, -1, 1, 0, fmax(x, q->lambda))                                     \
	X(REAL_SCALAR, zsmax, zfloat, zfloat, -1, 1, 0, fmax(x, q->lambda))                                  \
	X(REAL_SCALAR, smin, float, float, -1, 1, 0, fmin(x, q->lambda))                                     \
	X(REAL_SCALAR, zsmin, zfloat, zfloat, -1, 1, 0, fmin(x, q->lambda))                                  \
	X(REAL_SCALAR, softthresh_half, float, float, -2, 2, 4, soft_factor(fabs(x), q->lambda))             \
	X(REAL_SCALAR, zsoftthresh_half, zfloat, zfloat, -2, 2, 4, soft_factor(cabs(a), q->lambda))          \
	X(UNARY, float2double, double, float, -2, 2, 0, x)                                                   \
	X(UNARY, double2float, float, double, -2, 2, 0, x)                                                   \
	X(UNARY, zfloat2double, zdouble, zfloat, -2, 2, 0, a)                                                \
	X(UNARY, zdouble2float, zfloat, zdouble, -2, 2, 0, a)                                                \
	X(UNARY, setnanzero, float, float, -2, 2, 0, isnan(x) ? 0 : x)                                       \
	X(UNARY, zsetnanzero, zfloat, zfloat, -2, 2, 0, isnan(x) ? 0 : a)                                    \
	X(DENSITY, pdf_gauss, float, float, -2, 2, 2,                                                        \
	        exp(-(x - r) * (x - r) / (2 * q->lambda * q->lambda)) / (q->lambda * sqrt(2 * M_PI)))        \
	X(DENSITY, zgausspdf, zfloat, zfloat, -2, 2, 2,                                                      \
	        exp(-creal((a - s) * conj(a - s)) / (q->lambda * q->lambda)) /                               \
	                (M_PI * q->lambda * q->lambda))

#define X(kind, name, O, A, lo, hi, round, ...) kind(name, O, A, lo, hi, round, (__VA_ARGS__))
ELEMENTWISE(X)
#undef X

/* ---- along dims -------------------------------------------------- */

/** fn(ctx, n, a, b) for the elements of every slice along the dims in flags, in order; `at` their places in a
 * dense array. */
typedef void slice_fn(
        const struct call *q, long n, const zdouble *a, const zdouble *b, const long *at, zdouble *out);

static void slices(const struct call *q, unsigned long flags, const zdouble *a, const zdouble *b,
        zdouble *out, slice_fn *fn)
{
	long strs[DIMS], pos[DIMS] = {0}, part[DIMS], i = 0;

	md_calc_strides(q->D, strs, q->dims, 1);
	md_select_dims(q->D, flags, part, q->dims);

	long n = md_calc_size(q->D, part), *at = mem_alloc((size_t)n * sizeof *at);
	zdouble *x = mem_alloc((size_t)n * sizeof *x), *y = mem_alloc((size_t)n * sizeof *y);

	do {
		long in[DIMS] = {0}, m = 0;

		do {
			at[m] = md_calc_offset(q->D, strs, pos) + md_calc_offset(q->D, strs, in);
			x[m] = a[at[m]];
			y[m] = b[at[m]];
			m++;
		} while (md_next(q->D, q->dims, flags, in));

		fn(q, n, x, y, at, out + (out ? i : 0));
		i++;
	} while (md_next(q->D, q->dims, ~flags, pos));

	free(at);
	free(x);
	free(y);
}

/* Reductions: V of n, a[0..n), b[0..n). */
#define REDUCTION_MODEL(name, V)                                                                             \
	static void slice_##name(const struct call *q, long n, const zdouble *a, const zdouble *b,           \
	        const long *at, zdouble *out)                                                                \
	{                                                                                                    \
		(void)q, (void)b, (void)at;                                                                  \
		*out = (V);                                                                                  \
	}                                                                                                    \
	static void model_##name(                                                                            \
	        const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)             \
	{                                                                                                    \
		(void)n;                                                                                     \
		slices(q, q->flags, a, b, want, slice_##name);                                               \
	}

static zdouble sum(long n, const zdouble *a)
{
	zdouble s = 0;

	for (long i = 0; i < n; i++)
		s += a[i];

	return s;
}

static double squares(long n, const zdouble *a, zdouble mean)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += creal((a[i] - mean) * conj(a[i] - mean));

	return s;
}

static zdouble products(long n, const zdouble *a, const zdouble *b, zdouble ma, zdouble mb)
{
	zdouble s = 0;

	for (long i = 0; i < n; i++)
		s += (a[i] - ma) * conj(b[i] - mb);

	return s;
}

static double magnitudes(long n, const zdouble *a, bool parts)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += parts ? fabs(creal(a[i])) + fabs(cimag(a[i])) : cabs(a[i]);

	return s;
}

static double largest(long n, const zdouble *a, double sign, bool magnitude)
{
	double m = -INFINITY;

	for (long i = 0; i < n; i++)
		m = fmax(m, magnitude ? cabs(a[i]) : sign * creal(a[i]));

	return sign * m;
}

static double distance(long n, const zdouble *a, const zdouble *b)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += creal((a[i] - b[i]) * conj(a[i] - b[i]));

	return sqrt(s);
}

static zdouble average_of_nonzero(long n, const zdouble *a)
{
	long count = 0;

	for (long i = 0; i < n; i++)
		count += 0 != a[i];

	return sum(n, a) / (0 < count ? count : 1);
}

#define TYPED_ARGS  q->D, q->dims, q->flags, q->os, q->out, q->as, q->a
#define REDUCE(red) md_reduce_t(red, q->t, TYPED_ARGS)

/* name, typed form or nothing, V */
#define REDUCTIONS1(X)                                                                                       \
	X(sum, REDUCE(RED_SUM), sum(n, a))                                                                   \
	X(avg, REDUCE(RED_MEAN), sum(n, a) / n)                                                              \
	X(rss, REDUCE(RED_NORM), sqrt(squares(n, a, 0)))                                                     \
	X(wavg, md_wavg_t(q->t, TYPED_ARGS), average_of_nonzero(n, a))                                       \
	X(var, md_var_t(false, q->t, TYPED_ARGS), squares(n, a, sum(n, a) / n) / (n - 1))                    \
	X(std, md_var_t(true, q->t, TYPED_ARGS), sqrt(squares(n, a, sum(n, a) / n) / (n - 1)))               \
	X(ss, REDUCE(RED_NORM1), squares(n, a, 0))

#define CALL_RED(name)                                                                                       \
	CALL(name, md_##name##2(q->D, q->dims, q->flags, q->os, q->out, q->as, q->a),                        \
	        md_##name(q->D, q->dims, q->flags, q->out, q->a))
#define CALL_RED2(name)                                                                                      \
	CALL(name, md_##name##2(q->D, q->dims, q->flags, q->os, q->out, q->as, q->a, q->bs, q->b),           \
	        md_##name(q->D, q->dims, q->flags, q->out, q->a, q->b))
#define X(name, TYPED, V)                                                                                    \
	REDUCTION_MODEL(name, V)                                                                             \
	CALL_RED(name)                                                                                       \
	CALL_RED(z##name)                                                                                    \
	static void typed_##name(bool two, struct call *q)                                                   \
	{                                                                                                    \
		(void)two;                                                                                   \
		TYPED;                                                                                       \
	}
REDUCTIONS1(X)
#undef X
REDUCTION_MODEL(norm1, magnitudes(n, a, false))
REDUCTION_MODEL(reduce_max, largest(n, a, 1, false))
REDUCTION_MODEL(reduce_min, largest(n, a, -1, false))
REDUCTION_MODEL(covar, products(n, a, b, sum(n, a) / n, sum(n, b) / n) / (n - 1))
CALL_RED(reduce_max)
CALL_RED(reduce_min)
CALL_RED(reduce_zmax)
CALL_RED(reduce_zmin)
CALL_RED2(covar)
CALL_RED2(zcovar)

static void typed_covar(bool two, struct call *q)
{
	(void)two;
	md_covar_t(q->t, q->D, q->dims, q->flags, q->os, q->out, q->as, q->a, q->bs, q->b);
}

/* Reductions to a number: kind, name, R, T, V; the number is written to out. */
#define TOTALS(X)                                                                                            \
	X(2, scalar, double, float, products(n, a, b, 0, 0))                                                 \
	X(2, zscalar, zdouble, zfloat, products(n, a, b, 0, 0))                                              \
	X(2, zscalar_real, double, zfloat, creal(products(n, a, b, 0, 0)))                                   \
	X(1, norm, double, float, sqrt(squares(n, a, 0)))                                                    \
	X(1, znorm, double, zfloat, sqrt(squares(n, a, 0)))                                                  \
	X(1, rms, double, float, sqrt(squares(n, a, 0) / n))                                                 \
	X(1, zrms, double, zfloat, sqrt(squares(n, a, 0) / n))                                               \
	X(1, asum, double, float, magnitudes(n, a, true))                                                    \
	X(1, zasum, double, zfloat, magnitudes(n, a, true))                                                  \
	X(1, z1norm, double, zfloat, magnitudes(n, a, false))                                                \
	X(1, maxnorm, double, float, largest(n, a, 1, true))                                                 \
	X(1, zmaxnorm, double, zfloat, largest(n, a, 1, true))                                               \
	X(2, norme, double, float, distance(n, a, b))                                                        \
	X(2, znorme, double, zfloat, distance(n, a, b))                                                      \
	X(2, rmse, double, float, distance(n, a, b) / sqrt(n))                                               \
	X(2, zrmse, double, zfloat, distance(n, a, b) / sqrt(n))                                             \
	X(2, rnorme, double, float, distance(n, a, b) / sqrt(squares(n, a, 0)))                              \
	X(2, zrnorme, double, zfloat, distance(n, a, b) / sqrt(squares(n, a, 0)))                            \
	X(2, nrmse, double, float, distance(n, a, b) / sqrt(squares(n, a, 0)))                               \
	X(2, znrmse, double, zfloat, distance(n, a, b) / sqrt(squares(n, a, 0)))
#define TOTAL1(name, R)                                                                                      \
	CALL(name, *(R *)q->out = md_##name##2(q->D, q->dims, q->as, q->a),                                  \
	        *(R *)q->out = md_##name(q->D, q->dims, q->a))
#define TOTAL2(name, R)                                                                                      \
	CALL(name, *(R *)q->out = md_##name##2(q->D, q->dims, q->as, q->a, q->bs, q->b),                     \
	        *(R *)q->out = md_##name(q->D, q->dims, q->a, q->b))
#define X(kind, name, R, T, V)                                                                               \
	TOTAL##kind(name, R) static void slice_##name(const struct call *q, long n, const zdouble *a,        \
	        const zdouble *b, const long *at, zdouble *out)                                              \
	{                                                                                                    \
		(void)q, (void)b, (void)at;                                                                  \
		*out = (V);                                                                                  \
	}                                                                                                    \
	static void model_##name(                                                                            \
	        const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)             \
	{                                                                                                    \
		(void)n;                                                                                     \
		slices(q, ~0ul, a, b, want, slice_##name);                                                   \
	}
TOTALS(X)
#undef X

/* ---- arrays to arrays -------------------------------------------- */

static void model_cumsum(const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)
{
	long strs[DIMS];

	(void)b;
	md_calc_strides(q->D, strs, q->dims, 1);
	memcpy(want, a, (size_t)n * sizeof *a);

	for (int d = 0; d < q->D; d++)
		for (long i = 0; i < n; i++)
			if ((q->flags & 1ul << d) && 0 != strs[d] && 0 < i / strs[d] % q->dims[d])
				want[i] += want[i - strs[d]];
}

static void difference(const struct call *q, long n, const zdouble *a, zdouble *want, int step, bool periodic)
{
	long strs[DIMS];

	md_calc_strides(q->D, strs, q->dims, 1);

	for (long i = 0; i < n; i++) {
		long m = q->dims[q->d], at = (0 == strs[q->d]) ? 0 : i / strs[q->d] % m, other = at - step;
		bool inside = 0 <= other && other < m;

		other = (other + m) % m;
		want[i] = a[i] - ((inside || periodic) ? a[i + (other - at) * strs[q->d]] : 0);
	}
}

#define DIFFERENCE(name, kind, step, periodic)                                                               \
	static void model_##name(                                                                            \
	        const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)             \
	{                                                                                                    \
		(void)b;                                                                                     \
		difference(q, n, a, want, step, periodic);                                                   \
	}                                                                                                    \
	CALL(name, md_##name##2(q->D, q->dims, q->d, q->os, q->out, q->as, q->a),                            \
	        md_##name(q->D, q->dims, q->d, q->out, q->a))                                                \
	CALL(z##name, md_z##name##2(q->D, q->dims, q->d, q->os, q->out, q->as, q->a),                        \
	        md_z##name(q->D, q->dims, q->d, q->out, q->a))                                               \
	static void typed_##name(bool two, struct call *q)                                                   \
	{                                                                                                    \
		(void)two;                                                                                   \
		md_fdiff_t(kind, q->t, q->D, q->dims, q->d, q->os, q->out, q->as, q->a);                     \
	}
DIFFERENCE(fdiff, DIFF_FORWARD, 1, true)
DIFFERENCE(fdiff_backwards, DIFF_BACKWARD, -1, true)
DIFFERENCE(fdiff0, DIFF_FORWARD0, 1, false)
DIFFERENCE(fdiff_backwards0, DIFF_BACKWARD0, -1, false)

static void slice_soft(
        const struct call *q, long n, const zdouble *a, const zdouble *b, const long *at, zdouble *out)
{
	double norm = sqrt(squares(n, a, 0));

	(void)b, (void)out;

	for (long i = 0; i < n; i++)
		((zdouble *)q->b)[at[i]] = soft_factor(norm, q->lambda) * a[i];
}

/* Slices write to places of the whole array: through q->b, the model's output. */
static void scatter(const struct call *q, unsigned long flags, const zdouble *a, zdouble *want, slice_fn *fn)
{
	struct call w = *q;

	w.b = want;
	slices(&w, flags, a, a, NULL, fn);
}

static void model_softthresh(const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)
{
	(void)n, (void)b;
	scatter(q, q->flags, a, want, slice_soft);
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/** Whether n[i] belongs to the k largest of n[0..m), equal ones included. */
static void keep(long m, const double *n, long k, bool *kept)
{
	double *sorted = mem_alloc((size_t)m * sizeof *sorted);

	memcpy(sorted, n, (size_t)m * sizeof *n);
	qsort(sorted, (size_t)m, sizeof *sorted, descending);

	for (long i = 0; i < m; i++)
		kept[i] = 0 < k && (k >= m || n[i] >= sorted[k - 1]);

	free(sorted);
}

static void slice_hard(
        const struct call *q, long n, const zdouble *a, const zdouble *b, const long *at, zdouble *out)
{
	double *norm = mem_alloc((size_t)n * sizeof *norm);
	bool *kept = mem_alloc((size_t)n);

	(void)b, (void)out;

	for (long i = 0; i < n; i++) // magnitudes of the type, in which close ones are equal
		norm[i] = (DT_FLOAT32 == dtype_real(q->t)) ? hypotf((float)creal(a[i]), (float)cimag(a[i]))
		                                           : cabs(a[i]);

	keep(n, norm, q->k, kept);

	for (long i = 0; i < n; i++)
		((zdouble *)q->b)[at[i]] = !kept[i] ? 0 : q->flag ? 1 : a[i];

	free(norm);
	free(kept);
}

static void model_hardthresh(const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)
{
	struct call w = *q;

	(void)n, (void)b;
	w.flag = false;
	scatter(&w, q->flags, a, want, slice_hard);
}

static void model_hardthresh_mask(
        const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)
{
	struct call w = *q;

	(void)n, (void)b;
	w.flag = true;
	scatter(&w, q->flags, a, want, slice_hard);
}

static void model_hardthresh_joint(
        const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)
{
	long ndims[DIMS], strs[DIMS], nstrs[DIMS], pos[DIMS] = {0};

	md_select_dims(q->D, ~q->flags, ndims, q->dims);
	md_calc_strides(q->D, nstrs, ndims, 1);
	md_calc_strides(q->D, strs, q->dims, 1);

	long m = md_calc_size(q->D, ndims);
	double *norm = mem_calloc((size_t)m, sizeof *norm);
	bool *kept = mem_alloc((size_t)m);

	(void)n, (void)b;

	do
		norm[md_calc_offset(q->D, nstrs, pos)] +=
		        creal(a[md_calc_offset(q->D, strs, pos)] * conj(a[md_calc_offset(q->D, strs, pos)]));
	while (md_next(q->D, q->dims, ~0ul, pos));

	for (long i = 0; i < m; i++)
		norm[i] = (DT_FLOAT32 == dtype_real(q->t)) ? (float)sqrt(norm[i]) : sqrt(norm[i]);

	keep(m, norm, q->k, kept);

	do {
		long i = md_calc_offset(q->D, strs, pos);

		want[i] = kept[md_calc_offset(q->D, nstrs, pos)] ? a[i] : 0;
	} while (md_next(q->D, q->dims, ~0ul, pos));

	free(norm);
	free(kept);
}

#define HARD(name)                                                                                           \
	CALL(name, md_##name##2(q->D, q->dims, q->k, q->flags, q->os, q->out, q->as, q->a),                  \
	        md_##name(q->D, q->dims, q->k, q->flags, q->out, q->a))                                      \
	CALL(z##name, md_z##name##2(q->D, q->dims, q->k, q->flags, q->os, q->out, q->as, q->a),              \
	        md_z##name(q->D, q->dims, q->k, q->flags, q->out, q->a))                                     \
	static void typed_##name(bool two, struct call *q)                                                   \
	{                                                                                                    \
		(void)two;                                                                                   \
		md_##name##_t(q->t, q->D, q->dims, q->k, q->flags, q->os, q->out, q->as, q->a);              \
	}
HARD(hardthresh)
HARD(hardthresh_mask)
HARD(hardthresh_joint)
CALL_RED(cumsum)
CALL_RED(zcumsum)
CALL(softthresh, md_softthresh2(q->D, q->dims, (float)q->lambda, q->flags, q->os, q->out, q->as, q->a),
        md_softthresh(q->D, q->dims, (float)q->lambda, q->flags, q->out, q->a))
CALL(zsoftthresh, md_zsoftthresh2(q->D, q->dims, (float)q->lambda, q->flags, q->os, q->out, q->as, q->a),
        md_zsoftthresh(q->D, q->dims, (float)q->lambda, q->flags, q->out, q->a))
CALL(zfftmod, md_zfftmod2(q->D, q->dims, q->flags, q->os, q->out, q->as, q->a, q->flag),
        md_zfftmod(q->D, q->dims, q->flags, q->out, q->a, q->flag))

static void typed_cumsum(bool two, struct call *q)
{
	(void)two;
	md_cumsum_t(q->t, TYPED_ARGS);
}

static void typed_softthresh(bool two, struct call *q)
{
	(void)two;
	md_softthresh_t(q->t, q->D, q->dims, q->lambda, q->flags, q->os, q->out, q->as, q->a);
}

static void model_zfftmod(const struct call *q, long n, const zdouble *a, const zdouble *b, zdouble *want)
{
	long strs[DIMS];

	(void)b;
	md_calc_strides(q->D, strs, q->dims, 1);

	for (long i = 0; i < n; i++) {
		double turns = 0; // of pi

		for (int d = 0; d < q->D; d++) {
			long m = q->dims[d], c = m / 2, k = (0 == strs[d]) ? 0 : i / strs[d] % m;

			if (q->flags & 1ul << d)
				turns += (double)(c * (2 * k - c)) / (double)m;
		}

		want[i] = a[i] * cexp((q->flag ? -I : I) * M_PI * turns);
	}
}

/* ---- the table --------------------------------------------------- */

#define ROW_BINARY      2
#define ROW_UNARY       1
#define ROW_SCALAR      1
#define ROW_REAL_SCALAR 1
#define ROW_DIVISION    2
#define ROW_MULTIPLE    1
#define ROW_DENSITY     1

static const struct fn table[] = {
#define X(kind, fname, O, A, l, h, round, ...)                                                               \
	{.name = #fname,                                                                                     \
	        .to = DT(O),                                                                                 \
	        .ta = DT(A),                                                                                 \
	        .inputs = ROW_##kind,                                                                        \
	        .lo = l,                                                                                     \
	        .hi = h,                                                                                     \
	        .rounding = round,                                                                           \
	        .in_place = DT(O) == DT(A),                                                                  \
	        .call = call_##fname,                                                                        \
	        .model = model_##fname},
        ELEMENTWISE(X)
#undef X
#define RED(cname, mname, T, n)                                                                              \
	{.name = #cname,                                                                                     \
	        .to = DT(T),                                                                                 \
	        .ta = DT(T),                                                                                 \
	        .inputs = n,                                                                                 \
	        .reduces = true,                                                                             \
	        .lo = -2,                                                                                    \
	        .hi = 2,                                                                                     \
	        .rounding = 1,                                                                               \
	        .call = call_##cname,                                                                        \
	        .model = model_##mname},
#define TYPED(cname, mname, n, red, place, low)                                                              \
	{.name = #cname " (typed)",                                                                          \
	        .inputs = n,                                                                                 \
	        .typed = true,                                                                               \
	        .reduces = red,                                                                              \
	        .in_place = place,                                                                           \
	        .lo = low,                                                                                   \
	        .hi = 2,                                                                                     \
	        .rounding = 4,                                                                               \
	        .call = typed_##cname,                                                                       \
	        .model = model_##mname},
#define X(name, typed, ...) RED(name, name, float, 1) RED(z##name, name, zfloat, 1)
                REDUCTIONS1(X)
#undef X
                        RED(reduce_max, reduce_max, float, 1) RED(reduce_zmax, reduce_max, zfloat, 1) RED(
                                reduce_min, reduce_min, float, 1) RED(reduce_zmin, reduce_min, zfloat,
                                1) RED(covar, covar, float, 2) RED(zcovar, covar, zfloat, 2) TYPED(sum, sum,
                                1, true, false, -2) TYPED(avg, avg, 1, true, false, -2) TYPED(rss, rss, 1,
                                true, false, -2) TYPED(ss, norm1, 1, true, false, -2) TYPED(wavg, wavg, 1,
                                true, false, -2) TYPED(var, var, 1, true, false, -2)
                                TYPED(std, std, 1, true, false, -2) TYPED(covar, covar, 2, true, false, -2)
#define X(kind, fname, R, T, ...)                                                                            \
	{.name = #fname,                                                                                     \
	        .to = DT(R),                                                                                 \
	        .ta = DT(T),                                                                                 \
	        .inputs = kind,                                                                              \
	        .reduces = true,                                                                             \
	        .lo = -2,                                                                                    \
	        .hi = 2,                                                                                     \
	        .rounding = 64,                                                                              \
	        .call = call_##fname,                                                                        \
	        .model = model_##fname},
                                        TOTALS(X)
#undef X
#define ALONG(cname, mname, T, place, low, round)                                                            \
	{.name = #cname,                                                                                     \
	        .to = DT(T),                                                                                 \
	        .ta = DT(T),                                                                                 \
	        .inputs = 1,                                                                                 \
	        .in_place = place,                                                                           \
	        .lo = low,                                                                                   \
	        .hi = 2,                                                                                     \
	        .rounding = round,                                                                           \
	        .call = call_##cname,                                                                        \
	        .model = model_##mname},
#define ALONG_Z(name, place, low, round)                                                                     \
	ALONG(name, name, float, place, low, round)                                                          \
	ALONG(z##name, name, zfloat, place, low, round)                                                      \
	TYPED(name, name, 1, false, place, low)
                                                ALONG_Z(cumsum, true, 0, 4) // without cancellation
        ALONG_Z(fdiff, false, -2, 0) ALONG_Z(fdiff_backwards, false, -2, 0) ALONG_Z(fdiff0, false, -2, 0)
                ALONG_Z(fdiff_backwards0, false, -2, 0) ALONG_Z(softthresh, true, -2, 4)
                        ALONG_Z(hardthresh, true, -2, 0) ALONG_Z(hardthresh_mask, true, -2, 0) ALONG_Z(
                                hardthresh_joint, true, -2, 0) ALONG(zfftmod, zfftmod, zfloat, true, -2, 8)};

enum { FUNCTIONS = sizeof table / sizeof table[0] };

/* ---- the check --------------------------------------------------- */

static double unit(enum dtype t)
{
	return DT_FLOAT32 == dtype_real(t) ? 0x1p-24 : 0x1p-53;
}

static bool part_near(double got, double want, double tolerance)
{
	return fabs(got - want) <= tolerance || got == want || (isnan(got) && isnan(want));
}

/** Within `rounding` units of a value of size 1 and more; with 0, the rounded value. `n` terms of a double
 * sum. */
static bool is_near(enum dtype t, zdouble got, zdouble want, double rounding, long n)
{
	double size = fmax(1, cabs(want)),
	       tolerance = (rounding + 1) * unit(t) * size + 0x1p-50 * (double)n * size;

	if (!dtype_is_complex(t))
		want = creal(want);

	if (0 == rounding) {
		char rounded[16];

		put(t, rounded, want);
		want = get(t, rounded);
		tolerance = 0;
	}

	return part_near(creal(got), creal(want), tolerance) && part_near(cimag(got), cimag(want), tolerance);
}

/** An array of random or plain layout. */
static struct strided layout(enum dtype t, int D, const long dims[], bool plain, bool repeat)
{
	struct strided a = {.strs = {0}};

	if (!plain)
		return strided_make(D, dims, dtype_size(t), repeat);

	md_calc_strides(D, a.strs, dims, dtype_size(t));
	a.bytes = (size_t)md_calc_size(D, dims) * dtype_size(t);
	a.buffer = a.first = mem_alloc(a.bytes);

	return a;
}

static void fill(enum dtype t, const struct strided *a, double lo, double hi)
{
	for (size_t i = 0; i + dtype_size(t) <= a->bytes; i += dtype_size(t)) {
		double re = element(lo, hi), im = element(lo, hi);

		put(t, a->buffer + i, pair(re, im));
	}
}

static void read_dense(enum dtype t, const struct strided *a, int D, const long dims[], zdouble *to)
{
	long pos[DIMS] = {0};

	do
		*to++ = get(t, strided_at(a, D, pos));
	while (md_next(D, dims, ~0ul, pos));
}

/** Whether only elements of the array were written: the bytes between them are those of `before`. */
static bool gaps_kept(enum dtype t, const struct strided *a, int D, const long dims[], const char *before)
{
	char *mark = mem_calloc(a->bytes, 1);
	long pos[DIMS] = {0};
	bool good = true;

	do
		memset(mark + (strided_at(a, D, pos) - a->buffer), 1, dtype_size(t));
	while (md_next(D, dims, ~0ul, pos));

	for (size_t i = 0; i < a->bytes; i++)
		good = good && (mark[i] || a->buffer[i] == before[i]);

	free(mark);
	return good;
}

/** One call of f on arrays of these dims. threads: also with 2 and 7 of them, and the same bits. */
static bool case_good(struct fn f, int D, const long dims[], bool two, bool threads)
{
	static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};
	unsigned long flags = (unsigned long)below(1l << D);
	long odims[DIMS];

	if (0 == D && NULL != strstr(f.name, "diff")) // there is no dim: the caller's dims[0] is 1
		D = 1;

	if (f.typed)
		f.to = f.ta = types[below(4)];

	two = two || f.typed;
	md_copy_dims(D, odims, dims);

	bool total = f.reduces && f.rounding >= 64;

	if (f.reduces)
		md_select_dims(D, total ? 0 : ~flags, odims, dims);

	bool accumulates = NULL != strstr(f.name, "fmac") || NULL != strstr(f.name, "axpy");
	bool in_place = two && !f.reduces && f.in_place && !accumulates && 0 == below(3);
	struct strided a = layout(f.ta, D, dims, !two, !in_place), b = layout(f.ta, D, dims, !two, true);
	struct strided out = in_place ? a : layout(f.to, D, odims, !two, false);
	size_t n = (size_t)md_calc_size(D, dims), m = (size_t)md_calc_size(D, odims);
	zdouble *x = mem_alloc(n * sizeof *x), *y = mem_alloc(n * sizeof *y),
	        *want = mem_alloc(n * sizeof *want);
	zdouble *got = mem_alloc(m * sizeof *got);

	fill(f.ta, &a, f.lo, f.hi);
	fill(f.ta, &b, f.lo, f.hi);

	if (!in_place)
		fill(f.to, &out, f.lo, f.hi);

	char *before = mem_alloc(out.bytes), *one = mem_alloc(out.bytes);
	struct call q = {.t = f.ta,
	        .D = D,
	        .dims = dims,
	        .os = out.strs,
	        .as = a.strs,
	        .bs = b.strs,
	        .out = out.first,
	        .a = a.first,
	        .b = b.first,
	        .flags = flags,
	        .d = (0 < D) ? (int)below(D) : 0,
	        .k = below((long)n + 2),
	        .lambda = (float)(0.25 + 0.001 * (double)below(1000)),
	        .flag = below(2),
	        .s = dtype_is_complex(f.ta) ? (float)element(f.lo, f.hi) + I * (float)element(f.lo, f.hi)
	                                    : element(f.lo, f.hi)};

	memcpy(before, out.buffer, out.bytes);
	read_dense(f.ta, &a, D, dims, x);
	read_dense(f.ta, &b, D, dims, y);
	read_dense(f.to, &out, D, odims, want);
	f.model(&q, (long)n, x, y, want);
	f.call(two, &q);
	read_dense(f.to, &out, D, odims, got);

	bool good = gaps_kept(f.to, &out, D, odims, before);

	for (size_t i = 0; i < m; i++)
		good = good && is_near(f.to, got[i], want[i], f.rounding,
		                       (f.reduces || 0 < f.rounding) ? (long)(n / m) : 0);

	memcpy(one, out.buffer, out.bytes);

	for (int t = 2; threads && good && t <= 7; t += 5) {
		memcpy(out.buffer, before, out.bytes);
		omp_set_num_threads(t);
		f.call(two, &q);
		omp_set_num_threads(1);
		good = 0 == memcmp(one, out.buffer, out.bytes);
	}

	free(before);
	free(one);
	free(x);
	free(y);
	free(want);
	free(got);
	free(a.buffer);
	free(b.buffer);

	if (!in_place)
		free(out.buffer);

	return good;
}

int main(void)
{
	const long all = fewer(100000);
	static long wrong[FUNCTIONS];
	static const long lengths[] = {2047, 2049, 4097, 66001};
	long done = 0, bad = 0;

	omp_set_num_threads(1);

	for (; done < all; done++) {
		long dims[DIMS] = {1};
		int D = (int)below(5);

		for (int i = 0; i < D; i++)
			dims[i] = 1 + below(5);

		wrong[done % FUNCTIONS] += !case_good(table[done % FUNCTIONS], D, dims, below(4), false);
	}

	for (int i = 0; i < FUNCTIONS; i++) {
		bad += wrong[i];

		if (0 < wrong[i])
			check(false, "%s: %ld cases differ from plain loops", table[i].name, wrong[i]);
	}

	check(0 == bad, "%d functions agree with plain loops in %ld random cases", FUNCTIONS, done);

	const int first = short_tests(), end = short_tests() ? 2 : 4;

	for (int k = first; k < end; k++) {
		bool good = true;

		for (int i = 0; i < FUNCTIONS; i++) {
			long n = lengths[k];
			long line[DIMS] = {n}, rows[DIMS] = {n / 3, 3}, short_lines[DIMS] = {3, n / 3};
			bool right = case_good(table[i], 1, line, k % 2, true) &&
			             (3 == k || (case_good(table[i], 2, rows, true, true) &&
			                                case_good(table[i], 2, short_lines, true, true)));

			if (!right)
				check(false, "%s: %ld elements differ", table[i].name, n);

			good = good && right;
		}

		check(good, "lines of %ld elements, the same bits for 1, 2 and 7 threads", lengths[k]);
	}

	static const long blocks[][DIMS] = {{24, 60, 50}, {5003, 14}, {2, 9000, 4}, {40, 3, 600}};

	for (int k = 0; k < 4; k++) { // along dims between, around and beside those that stay
		bool good = true;

		for (int i = 0; i < FUNCTIONS; i++)
			if (table[i].reduces &&
			        !case_good(table[i], blocks[k][2] ? 3 : 2, blocks[k], k % 2, true)) {
				check(false, "%s: a large block differs", table[i].name);
				good = false;
			}

		check(good, "reductions of blocks of %ld x %ld elements", blocks[k][0], blocks[k][1]);
	}

	return checks_failed > 0;
}
