#ifndef NUM_CUDA_COMPLEX_FN_H
#define NUM_CUDA_COMPLEX_FN_H

/**
 * Complex numbers for kernels, as the CPU's (num/kern_complex.inc): float32 by num/kern_math.h where that is
 * right, everything else in float64. Where the CPU asks the C library, these are the formulas of Kahan,
 * Branch cuts for complex elementary functions, in: The State of the Art in Numerical Analysis (1987).
 */

#include "num/cuda/md.h"
#include "num/kern_math.h"

#define CX_DEVICE static __device__ __forceinline__

template <class R> struct alignas(2 * sizeof(R)) cx {
	R re, im;
};

template <class R> CX_DEVICE cx<R> cx_make(R re, R im)
{
	cx<R> z;

	z.re = re;
	z.im = im;

	return z;
}

typedef cx<double> zdouble;

CX_DEVICE zdouble z_make(double re, double im)
{
	return cx_make<double>(re, im);
}
CX_DEVICE zdouble z_times_i(zdouble x)
{
	return z_make(-x.im, x.re);
}
CX_DEVICE zdouble z_over_i(zdouble x)
{
	return z_make(x.im, -x.re);
}

template <class R> CX_DEVICE cx<R> cx_mul(cx<R> x, cx<R> y)
{
	return cx_make<R>(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}

template <class R> CX_DEVICE cx<R> cx_conj(cx<R> x)
{
	return cx_make<R>(x.re, -x.im);
}

/** Smith's division. */
template <class R> CX_DEVICE cx<R> cx_div(cx<R> x, cx<R> y)
{
	const double a = x.re, b = x.im, c = y.re, d = y.im;
	const bool wide = fabs(c) >= fabs(d);
	const double large = wide ? c : d, small = wide ? d : c;
	const double q = (0 == large) ? 0 : small / large, s = 1 / (large + small * q);
	const double re = wide ? a + b * q : a * q + b, im = wide ? b - a * q : b * q - a;

	return cx_make<R>((R)(re * s), (R)(im * s));
}

CX_DEVICE float cx_abs(cx<float> x)
{
	return kern_hypotf(x.re, x.im);
}
CX_DEVICE double cx_abs(zdouble x)
{
	return kern_hypot(x.re, x.im);
}

/* ---- functions in float64 ---- */

CX_DEVICE zdouble z_exp(zdouble x)
{
	if (0 == x.im)
		return z_make(exp(x.re), x.im);

	const double e = exp(x.re);

	if (isinf(x.im) && x.re == -INFINITY)
		return z_make(0, 0);

	return z_make(e * cos(x.im), e * sin(x.im));
}

/** Near |x| = 1 by |x|^2 - 1. */
CX_DEVICE zdouble z_log(zdouble x)
{
	const double p = fabs(x.re), q = fabs(x.im), high = (p > q) ? p : q, low = (p > q) ? q : p;
	const double h = kern_hypot(p, q);
	const double l = (0.7 < h && h < 1.4) ? 0.5 * log1p((high - 1) * (high + 1) + low * low) : log(h);

	return z_make(l, atan2(x.im, x.re));
}

CX_DEVICE zdouble z_sqrt(zdouble x)
{
	const double a = fabs(x.re), b = fabs(x.im);

	if (isinf(b))
		return z_make(INFINITY, x.im);

	if (isinf(a))
		return (x.re > 0) ? z_make(x.re, isnan(x.im) ? x.im : copysign(0., x.im))
		                  : z_make(isnan(x.im) ? x.im : 0, copysign(INFINITY, x.im));

	if (0 == a && 0 == b)
		return z_make(0, x.im);

	// by a quarter where squares or sums would overflow, by 2^54 where they would lose bits
	const bool large = a > 1e300 || b > 1e300, small = a < 1e-290 && b < 1e-290;
	const double s = large ? 0.25 : small ? 0x1p54 : 1, r = large ? 2 : small ? 0x1p-27 : 1;
	const double t = sqrt(0.5 * (kern_hypot(s * a, s * b) + s * a)), u = s * b / (2 * t);

	return (x.re >= 0) ? z_make(r * t, copysign(r * u, x.im)) : z_make(r * u, copysign(r * t, x.im));
}

CX_DEVICE zdouble z_sinh(zdouble x)
{
	if (0 == x.im)
		return z_make(sinh(x.re), x.im);

	return z_make(sinh(x.re) * cos(x.im), cosh(x.re) * sin(x.im));
}

CX_DEVICE zdouble z_cosh(zdouble x)
{
	if (0 == x.im)
		return z_make(cosh(x.re), x.re * x.im);

	return z_make(cosh(x.re) * cos(x.im), sinh(x.re) * sin(x.im));
}

CX_DEVICE zdouble z_tanh(zdouble x)
{
	if (fabs(x.re) > 22)
		return z_make(copysign(1., x.re), isfinite(x.im)
		                                          ? 4 * sin(x.im) * cos(x.im) * exp(-2 * fabs(x.re))
		                                          : copysign(0., x.im));

	const double t = tan(x.im), beta = 1 + t * t, s = sinh(x.re), rho = sqrt(1 + s * s);

	if (isinf(t))
		return z_make(rho / s, 1 / t);

	return z_make(beta * rho * s / (1 + beta * s * s), t / (1 + beta * s * s));
}

CX_DEVICE zdouble z_sin(zdouble x)
{
	return z_over_i(z_sinh(z_times_i(x)));
}
CX_DEVICE zdouble z_cos(zdouble x)
{
	return z_cosh(z_make(-x.im, x.re));
}
CX_DEVICE zdouble z_tan(zdouble x)
{
	return z_over_i(z_tanh(z_times_i(x)));
}

CX_DEVICE zdouble z_asin(zdouble x)
{
	const zdouble p = z_sqrt(z_make(1 - x.re, -x.im)), q = z_sqrt(z_make(1 + x.re, x.im));

	return z_make(atan2(x.re, p.re * q.re - p.im * q.im), asinh(p.re * q.im - p.im * q.re));
}

CX_DEVICE zdouble z_acos(zdouble x)
{
	const zdouble p = z_sqrt(z_make(1 - x.re, -x.im)), q = z_sqrt(z_make(1 + x.re, x.im));

	return z_make(2 * atan2(p.re, q.re), asinh(q.re * p.im - q.im * p.re));
}

CX_DEVICE zdouble z_acosh(zdouble x)
{
	const zdouble p = z_sqrt(z_make(x.re - 1, x.im)), q = z_sqrt(z_make(x.re + 1, x.im));

	return z_make(asinh(p.re * q.re + p.im * q.im), 2 * atan2(p.im, q.re));
}

CX_DEVICE zdouble z_asinh(zdouble x)
{
	return z_over_i(z_asin(z_times_i(x)));
}

CX_DEVICE zdouble z_atanh(zdouble x)
{
	const double a = fabs(x.re), b = x.im;

	if (a > 1e150 || fabs(b) > 1e150)
		return z_make(copysign(0., x.re), copysign(0.5 * KERN_PI, b));

	return z_make(copysign(0.25 * log1p(4 * a / ((1 - a) * (1 - a) + b * b)), x.re),
	        0.5 * atan2(2 * b, (1 - a) * (1 + a) - b * b));
}

CX_DEVICE zdouble z_atan(zdouble x)
{
	return z_over_i(z_atanh(z_times_i(x)));
}

CX_DEVICE zdouble z_expm1(zdouble x)
{
	const double h = sin(x.im / 2);

	return (0 == x.im) ? z_make(expm1(x.re), x.im)
	                   : z_make(expm1(x.re) * cos(x.im) - 2 * h * h, exp(x.re) * sin(x.im));
}

CX_DEVICE zdouble z_log1p(zdouble x)
{
	const double a = x.re, b = x.im;

	if (!(fabs(a) < 0.5 && fabs(b) < 0.5))
		return z_log(z_make(1 + a, b));

	return z_make(0.5 * log1p(a * (2 + a) + b * b), atan2(b, 1 + a));
}

CX_DEVICE zdouble z_pow(zdouble x, zdouble y)
{
	if (0 == y.re && 0 == y.im)
		return z_make(1, 0);

	if (0 == x.re && 0 == x.im && y.re > 0)
		return z_make(0, 0);

	if (0 == y.im && y.re == rint(y.re) && fabs(y.re) <= 64) { // small integer powers by products
		zdouble r = x;

		for (int k = 1; k < (int)fabs(y.re); k++)
			r = cx_mul(r, x);

		if (isfinite(r.re) && isfinite(r.im))
			return (y.re < 0) ? cx_div(z_make(1, 0), r) : r;
	}

	return z_exp(cx_mul(y, z_log(x)));
}

CX_DEVICE zdouble z_scaled(zdouble x, double a)
{
	return z_make(a * x.re, a * x.im);
}

/** The functions of one operand. */
static __device__ __attribute__((noinline)) zdouble z_function(int op, zdouble x)
{
	switch (op) {
	case OP_SQRT:
		return z_sqrt(x);
	case OP_EXP:
		return z_exp(x);
	case OP_EXP2:
		return z_exp(z_scaled(x, KERN_LN2));
	case OP_EXPM1:
		return z_expm1(x);
	case OP_LOG:
		return z_log(x);
	case OP_LOG2:
		return z_scaled(z_log(x), KERN_LOG2E);
	case OP_LOG10:
		return z_scaled(z_log(x), KERN_LOG10E);
	case OP_LOG1P:
		return z_log1p(x);
	case OP_SIN:
		return z_sin(x);
	case OP_COS:
		return z_cos(x);
	case OP_TAN:
		return z_tan(x);
	case OP_ASIN:
		return z_asin(x);
	case OP_ACOS:
		return z_acos(x);
	case OP_ATAN:
		return z_atan(x);
	case OP_SINH:
		return z_sinh(x);
	case OP_COSH:
		return z_cosh(x);
	case OP_TANH:
		return z_tanh(x);
	case OP_ASINH:
		return z_asinh(x);
	case OP_ACOSH:
		return z_acosh(x);
	default:
		return z_atanh(x);
	}
}

CX_DEVICE zdouble cx_function(int op, zdouble x)
{
	return z_function(op, x);
}

/** float32 by the short functions where they are right. */
CX_DEVICE cx<float> cx_function(int op, cx<float> x)
{
	cx<float> r;

	switch (op) {
	case OP_SQRT:
		if (!kern_clog_is_near(x.re, x.im))
			break;
		kern_csqrtf(x.re, x.im, &r.re, &r.im);
		return r;
	case OP_EXP:
	case OP_EXP2:
		if (!kern_cexp_is_near(x.re, x.im))
			break;
		kern_cexpf(x.re, x.im, (OP_EXP == op) ? 1 : KERN_LN2, &r.re, &r.im);
		return r;
	case OP_LOG:
	case OP_LOG2:
	case OP_LOG10:
		if (!kern_clog_is_near(x.re, x.im))
			break;
		kern_clogf(x.re, x.im,
		        (OP_LOG == op)    ? 1
		        : (OP_LOG2 == op) ? KERN_LOG2E
		                          : KERN_LOG10E,
		        &r.re, &r.im);
		return r;
	case OP_LOG1P:
		if (!kern_clog1p_is_near(x.re, x.im))
			break;
		kern_clog1pf(x.re, x.im, &r.re, &r.im);
		return r;
	case OP_SIN:
	case OP_COS:
		if (!kern_cexp_is_near(x.im, x.re))
			break;
		kern_csinef(x.re, x.im, OP_COS == op, &r.re, &r.im);
		return r;
	case OP_SINH:
		if (!kern_cexp_is_near(x.re, x.im))
			break;
		kern_csinef(x.im, x.re, 0, &r.im, &r.re);
		return r;
	case OP_COSH:
		if (!kern_cexp_is_near(x.re, x.im))
			break;
		kern_csinef(x.im, -x.re, 1, &r.re, &r.im);
		return r;
	default:
		break;
	}

	const zdouble z = z_function(op, z_make(x.re, x.im));

	return cx_make<float>((float)z.re, (float)z.im);
}

CX_DEVICE zdouble cx_pow(zdouble x, zdouble y)
{
	return z_pow(x, y);
}

CX_DEVICE cx<float> cx_pow(cx<float> x, cx<float> y)
{
	const bool by_products = 0 == y.im && y.re == rintf(y.re) && fabsf(y.re) <= 64;
	cx<float> r;

	if (kern_cpow_is_near(x.re, x.im, y.re, y.im) && !by_products) {
		kern_cpowf(x.re, x.im, y.re, y.im, &r.re, &r.im);

		return r;
	}

	const zdouble z = z_pow(z_make(x.re, x.im), z_make(y.re, y.im));

	return cx_make<float>((float)z.re, (float)z.im);
}

/* ---- operators ---- */

CX_DEVICE bool cx_is_test(int op)
{
	return OP_ISNAN == op || OP_ISINF == op || OP_ISFINITE == op || OP_EQ == op || OP_NE == op;
}

template <class R> CX_DEVICE bool cx_test(int op, cx<R> x, cx<R> y)
{
	switch (op) {
	case OP_ISNAN:
		return (x.re != x.re) | (x.im != x.im);
	case OP_ISINF:
		return fabs(x.re) == (R)INFINITY || fabs(x.im) == (R)INFINITY;
	case OP_ISFINITE:
		return fabs(x.re) < (R)INFINITY && fabs(x.im) < (R)INFINITY;
	case OP_EQ:
		return (x.re == y.re) & (x.im == y.im);
	default:
		return (x.re != y.re) | (x.im != y.im);
	}
}

CX_DEVICE bool cx_is_real(int op)
{
	return OP_ABS == op || OP_ABS2 == op || OP_REAL == op || OP_IMAG == op || OP_ARG == op;
}

CX_DEVICE float cx_arg(cx<float> x)
{
	return kern_atan2f(x.im, x.re);
}
CX_DEVICE double cx_arg(zdouble x)
{
	return atan2(x.im, x.re);
}

template <class R> CX_DEVICE R cx_real(int op, cx<R> x)
{
	switch (op) {
	case OP_ABS:
		return cx_abs(x);
	case OP_ABS2:
		return x.re * x.re + x.im * x.im;
	case OP_REAL:
		return x.re;
	case OP_IMAG:
		return x.im;
	default:
		return cx_arg(x);
	}
}

CX_DEVICE bool cx_below(cx<float> x, float t)
{
	const double a = x.re, b = x.im, c = t;

	return c >= 0 && a * a + b * b <= c * c;
}

CX_DEVICE bool cx_below(zdouble x, double t)
{
	return cx_abs(x) <= t;
}

template <class R> CX_DEVICE cx<R> cx_soft(cx<R> x, R t)
{
	const R a = cx_abs(x), m = a - t, s = (0 == a) ? 1 : a;

	return (m <= 0) ? cx_make<R>(0, 0) : cx_make<R>(x.re / s * m, x.im / s * m);
}

template <class R> CX_DEVICE cx<R> cx_sign(cx<R> x)
{
	const R a = cx_abs(x), s = (0 == a) ? 1 : a;

	return cx_make<R>(x.re / s, x.im / s);
}

/** Operators with complex results. */
template <class R> CX_DEVICE cx<R> cx_apply(int op, cx<R> x, cx<R> y, cx<R> z)
{
	switch (op) {
	case OP_COPY:
		return x;
	case OP_NEG:
		return cx_make<R>(-x.re, -x.im);
	case OP_SQUARE:
		return cx_mul(x, x);
	case OP_INVERT:
		return cx_div(cx_make<R>(1, 0), x);
	case OP_SIGN:
		return cx_sign(x);
	case OP_CONJ:
		return cx_conj(x);
	case OP_ADD:
		return cx_make<R>(x.re + y.re, x.im + y.im);
	case OP_SUB:
		return cx_make<R>(x.re - y.re, x.im - y.im);
	case OP_MUL:
		return cx_mul(x, y);
	case OP_MULC:
		return cx_mul(x, cx_conj(y));
	case OP_DIV:
		return cx_div(x, y);
	case OP_POW:
		return cx_pow(x, y);
	case OP_SOFT:
		return cx_soft(x, y.re);
	case OP_HARD:
		return cx_below(x, y.re) ? cx_make<R>(0, 0) : x;
	case OP_MULADD: {
		const cx<R> p = cx_mul(x, y);

		return cx_make<R>(p.re + z.re, p.im + z.im);
	}
	default:
		return cx_function(op, x);
	}
}

#endif
