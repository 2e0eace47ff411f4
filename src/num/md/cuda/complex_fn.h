#ifndef NUM_MD_CUDA_COMPLEX_FN_H
#define NUM_MD_CUDA_COMPLEX_FN_H

/** Complex functions for GPU kernels, as in num/kern/kern_complex.inc for the CPU. Functions of float32 use
 * num/kern/kern_math.h where it is accurate. Otherwise num/md/cuda/complex_formulas.h is used, in float64. */

#include "num/md/cuda/complex_formulas.h"
#include "num/md/cuda/md.h"

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

template <class R> CX_DEVICE cx<R> cx_mul(cx<R> x, cx<R> y)
{
	return cx_make<R>(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}

template <class R> CX_DEVICE cx<R> cx_conj(cx<R> x)
{
	return cx_make<R>(x.re, -x.im);
}

template <class R> CX_DEVICE cx<R> cx_div(cx<R> x, cx<R> y)
{
	const zdouble q = z_div(z_make(x.re, x.im), z_make(y.re, y.im));

	return cx_make<R>((R)q.re, (R)q.im);
}

CX_DEVICE float cx_abs(cx<float> x)
{
	return kern_hypotf(x.re, x.im);
}
CX_DEVICE double cx_abs(zdouble x)
{
	return kern_hypot(x.re, x.im);
}

/** Computes a function of one float64 operand. */
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

/** Computes a function of one float32 operand. */
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

/** Applies an operator with a complex result. */
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
