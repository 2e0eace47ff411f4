#ifndef NUM_MD_CUDA_COMPLEX_FORMULAS_H
#define NUM_MD_CUDA_COMPLEX_FORMULAS_H

/**
 * Functions of complex numbers in float64, for kernels. The type Z is any struct {double re, im}. Formulas of
 * Kahan [1] replace the functions of the C library. Every generated source contains the text of this file.
 *
 * [1] W. Kahan, Branch cuts for complex elementary functions, The State of the Art in Numerical Analysis,
 * 1987
 */

#include "num/kern/kern_math.h"

/* These functions are not inlined, to shorten the compilation. */
#ifdef __CUDACC__
#define LONG_FN static __host__ __device__ __attribute__((noinline, unused))
#else
#define LONG_FN DEVICE_FN
#endif

template <class Z> DEVICE_FN Z z_of(double re, double im)
{
	Z z;

	z.re = re;
	z.im = im;

	return z;
}

DEVICE_FN bool is_infinite(double x)
{
	return fabs(x) == (double)INFINITY;
}

/** These functions return i x and -i x. */
template <class Z> DEVICE_FN Z z_left(Z x)
{
	return z_of<Z>(-x.im, x.re);
}

template <class Z> DEVICE_FN Z z_right(Z x)
{
	return z_of<Z>(x.im, -x.re);
}

template <class Z> DEVICE_FN Z z_scaled(Z x, double a)
{
	return z_of<Z>(a * x.re, a * x.im);
}

template <class Z> DEVICE_FN Z z_mul(Z x, Z y)
{
	return z_of<Z>(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}

/** Divides by Smith's method, without intermediate overflow. For y = 0, each part of x is divided by 0. */
template <class Z> DEVICE_FN Z z_div(Z x, Z y)
{
	const bool wide = fabs(y.re) >= fabs(y.im);
	const double large = wide ? y.re : y.im, small = wide ? y.im : y.re;
	const double q = (0 == large) ? 0 : small / large, s = 1 / (large + small * q);

	return z_of<Z>((wide ? x.re + x.im * q : x.re * q + x.im) * s,
	        (wide ? x.im - x.re * q : x.im * q - x.re) * s);
}

/** Returns exp(x), also where exp(x.re) alone overflows. */
template <class Z> LONG_FN Z z_exp(Z x)
{
	if (x.re == -(double)INFINITY || 0 == x.im)
		return z_of<Z>(kern_exp(x.re), (0 == x.im) ? x.im : 0);

	const double part = (x.re > 700) ? 700 : 0, e = kern_exp(x.re - part), f = kern_exp(part);

	return z_of<Z>(e * cos(x.im) * f, e * sin(x.im) * f);
}

/** Returns log(x), accurate also near |x| = 1. */
template <class Z> LONG_FN Z z_log(Z x)
{
	const double p = fabs(x.re), q = fabs(x.im), high = (p > q) ? p : q, low = (p > q) ? q : p;
	const double h = kern_hypot(p, q);
	const bool near = 0.7 < h && h < 1.4;

	return z_of<Z>(
	        near ? 0.5 * log1p((high - 1) * (high + 1) + low * low) : kern_log(h), atan2(x.im, x.re));
}

template <class Z> LONG_FN Z z_sqrt(Z x)
{
	const double a = fabs(x.re), b = fabs(x.im);

	if (is_infinite(b))
		return z_of<Z>((double)INFINITY, x.im);

	if (is_infinite(a))
		return (x.re > 0) ? z_of<Z>(x.re, (x.im == x.im) ? copysign(0., x.im) : x.im)
		                  : z_of<Z>((x.im == x.im) ? 0 : x.im, copysign((double)INFINITY, x.im));

	if (0 == a && 0 == b)
		return z_of<Z>(0, x.im);

	// scaled by 1/4 against overflow, by 2^54 against loss of bits
	const bool large = a > 1e300 || b > 1e300, small = a < 1e-290 && b < 1e-290;
	const double s = large ? 0.25 : small ? 0x1p54 : 1, r = large ? 2 : small ? 0x1p-27 : 1;
	const double t = sqrt(0.5 * (kern_hypot(s * a, s * b) + s * a)), u = s * b / (2 * t);

	return (x.re >= 0) ? z_of<Z>(r * t, copysign(r * u, x.im)) : z_of<Z>(r * u, copysign(r * t, x.im));
}

template <class Z> LONG_FN Z z_sinh(Z x)
{
	if (0 == x.im)
		return z_of<Z>(sinh(x.re), x.im);

	return z_of<Z>(sinh(x.re) * cos(x.im), cosh(x.re) * sin(x.im));
}

template <class Z> LONG_FN Z z_cosh(Z x)
{
	if (0 == x.im)
		return z_of<Z>(cosh(x.re), x.re * x.im);

	return z_of<Z>(cosh(x.re) * cos(x.im), sinh(x.re) * sin(x.im));
}

template <class Z> LONG_FN Z z_tanh(Z x)
{
	if (fabs(x.re) > 22)
		return z_of<Z>(
		        copysign(1., x.re), (fabs(x.im) < (double)INFINITY)
		                                    ? 4 * sin(x.im) * cos(x.im) * kern_exp(-2 * fabs(x.re))
		                                    : copysign(0., x.im));

	const double t = tan(x.im), beta = 1 + t * t, s = sinh(x.re), rho = sqrt(1 + s * s);

	if (is_infinite(t))
		return z_of<Z>(rho / s, 1 / t);

	return z_of<Z>(beta * rho * s / (1 + beta * s * s), t / (1 + beta * s * s));
}

template <class Z> DEVICE_FN Z z_sin(Z x)
{
	return z_right(z_sinh(z_left(x)));
}

template <class Z> DEVICE_FN Z z_cos(Z x)
{
	return z_cosh(z_left(x));
}

template <class Z> DEVICE_FN Z z_tan(Z x)
{
	return z_right(z_tanh(z_left(x)));
}

template <class Z> LONG_FN Z z_asin(Z x)
{
	const Z p = z_sqrt(z_of<Z>(1 - x.re, -x.im)), q = z_sqrt(z_of<Z>(1 + x.re, x.im));

	return z_of<Z>(atan2(x.re, p.re * q.re - p.im * q.im), asinh(p.re * q.im - p.im * q.re));
}

template <class Z> LONG_FN Z z_acos(Z x)
{
	const Z p = z_sqrt(z_of<Z>(1 - x.re, -x.im)), q = z_sqrt(z_of<Z>(1 + x.re, x.im));

	return z_of<Z>(2 * atan2(p.re, q.re), asinh(q.re * p.im - q.im * p.re));
}

template <class Z> LONG_FN Z z_acosh(Z x)
{
	const Z p = z_sqrt(z_of<Z>(x.re - 1, x.im)), q = z_sqrt(z_of<Z>(x.re + 1, x.im));

	return z_of<Z>(asinh(p.re * q.re + p.im * q.im), 2 * atan2(p.im, q.re));
}

template <class Z> DEVICE_FN Z z_asinh(Z x)
{
	return z_right(z_asin(z_left(x)));
}

template <class Z> LONG_FN Z z_atanh(Z x)
{
	const double a = fabs(x.re), b = x.im;

	if (a > 1e150 || fabs(b) > 1e150)
		return z_of<Z>(copysign(0., x.re), copysign(0.5 * KERN_PI, b));

	return z_of<Z>(copysign(0.25 * log1p(4 * a / ((1 - a) * (1 - a) + b * b)), x.re),
	        0.5 * atan2(2 * b, (1 - a) * (1 + a) - b * b));
}

template <class Z> DEVICE_FN Z z_atan(Z x)
{
	return z_right(z_atanh(z_left(x)));
}

template <class Z> LONG_FN Z z_expm1(Z x)
{
	const double h = sin(x.im / 2);

	return (0 == x.im) ? z_of<Z>(expm1(x.re), x.im)
	                   : z_of<Z>(expm1(x.re) * cos(x.im) - 2 * h * h, kern_exp(x.re) * sin(x.im));
}

template <class Z> LONG_FN Z z_log1p(Z x)
{
	if (!(fabs(x.re) < 0.5 && fabs(x.im) < 0.5))
		return z_log(z_of<Z>(1 + x.re, x.im));

	return z_of<Z>(0.5 * log1p(x.re * (2 + x.re) + x.im * x.im), atan2(x.im, 1 + x.re));
}

/** Returns x^y. Integer powers up to 64 are products, other powers are exp(y log(x)). The power x^0 is 1 for
 * all x. */
template <class Z> LONG_FN Z z_pow(Z x, Z y)
{
	if (0 == y.re && 0 == y.im)
		return z_of<Z>(1, 0);

	if (0 == x.re && 0 == x.im && y.re > 0)
		return z_of<Z>(0, 0);

	if (0 == y.im && y.re == rint(y.re) && fabs(y.re) <= 64) {
		Z r = x;

		for (int k = 1; k < (int)fabs(y.re); k++)
			r = z_mul(r, x);

		if (fabs(r.re) < (double)INFINITY && fabs(r.im) < (double)INFINITY)
			return (y.re < 0) ? z_div(z_of<Z>(1, 0), r) : r;
	}

	return z_exp(z_mul(y, z_log(x)));
}

#endif
