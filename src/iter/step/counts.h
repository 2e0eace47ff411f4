#ifndef ITER_STEP_COUNTS_H
#define ITER_STEP_COUNTS_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/** Functions of the negative log-likelihood of a Poisson count y. The mean is `m = x + b` for emission and
 * `m = blank exp(-x) + b` for transmission. The background is b. This header compiles as C and as CUDA C. */

/** Returns `m - y + y log(y / m)`, the divergence of a count y from a mean m. The divergence is 0 if m equals
 * y, and INFINITY if the count is impossible. */
DEVICE_FN double counts_divergence(double y, double m)
{
	if (m < 0. || (0. == m && y > 0.))
		return INFINITY;

	return (0. == y) ? m : m - y + y * log(y / m);
}

/** Returns the prox for emission. The prox is m - b, where m >= 0 solves m^2 - (x + b - gamma) m - gamma y =
 * 0. */
DEVICE_FN double emission_prox(double y, double b, double gamma, double x)
{
	const double c = x + b - gamma;
	const double root = sqrt(c * c + 4. * gamma * y);
	const double below = (c < 0. && root > 0.) ? 2. * gamma * y / (root - c) : .5 * (c + root);

	return below - b;
}

/** Returns the derivative of the negative log-likelihood for emission at x. */
DEVICE_FN double emission_slope(double y, double b, double x)
{
	return (0. == y) ? 1. : 1. - y / (x + b);
}

/** Returns the convex conjugate of the negative log-likelihood for emission at a slope s. The conjugate is
 * INFINITY if s exceeds 1 by more than rounding errors. */
DEVICE_FN double emission_conjugate(double y, double b, double s)
{
	if (!(s <= 1. + 1e-5))
		return INFINITY;

	return -s * b - ((0. == y) ? 0. : y * log(fmax(1. - s, 1e-7)));
}

/** Returns the negative log-likelihood for transmission at x, minus its minimum. */
DEVICE_FN double transmission_value_at(double y, double blank, double b, double x)
{
	return counts_divergence(y, blank * exp(-x) + b);
}

/** Returns the derivative of the negative log-likelihood for transmission, where `open = blank exp(-x)`. */
DEVICE_FN double transmission_slope_of(double y, double open, double b)
{
	return open * ((0. == y) ? -1. : y / (open + b) - 1.);
}

/** Returns the derivative of the negative log-likelihood for transmission at x. */
DEVICE_FN double transmission_slope_at(double y, double blank, double b, double x)
{
	return (0. == b) ? y - blank * exp(-x) : transmission_slope_of(y, blank * exp(-x), b);
}

/** For b = 0, returns the convex conjugate of the negative log-likelihood for transmission at a slope s. The
 * mean at this slope is y - s. The conjugate is INFINITY if y - s is negative beyond rounding errors. */
DEVICE_FN double transmission_conjugate_at(double y, double blank, double s)
{
	const double m = fmax(y - s, 0.);

	if (!(blank > 0.))
		return 0.;

	if (!(y - s >= -1e-5 * fmax(y, 1.)))
		return INFINITY;

	return s + s * log(blank) + ((m > 0.) ? m * log(m) : 0.) - ((y > 0.) ? y * log(y) : 0.);
}

/**
 * Returns the curvature of a parabola that replaces the negative log-likelihood L for transmission [1]. The
 * parabola has the value and slope of L at x, and the value of L at 0. For x = 0, the curvature of L is
 * returned.
 *
 * [1] H. Erdogan, J. A. Fessler, Ordered subsets algorithms for transmission tomography, Physics in Medicine
 * and Biology 44, 1999.
 */
DEVICE_FN double transmission_surrogate(double y, double blank, double b, double x)
{
	const double m0 = blank + b;
	const double most = (m0 > 0.) ? blank * (1. - y * b / (m0 * m0)) : 0.;

	if (!(x > 1e-4))
		return fmax(most, 0.);

	const double open = blank * exp(-x), m = open + b;
	const double rise = (0. == y) ? m0 - m : m0 - m - y * log(m0 / m);
	const double c = 2. * (rise + transmission_slope_of(y, open, b) * x) / (x * x);

	return (c > 0.) ? c : 0.;
}

/** Returns the second derivative of the negative log-likelihood for transmission at x, or 0 if negative. */
DEVICE_FN double transmission_second_at(double y, double blank, double b, double x)
{
	const double open = blank * exp(-x), m = open + b;
	const double c = (m > 0.) ? open * (1. - y * b / (m * m)) : 0.;

	return (c > 0.) ? c : 0.;
}

/** Returns the solution t of `t exp(t) = exp(s)`, which is Lambert's W of `exp(s)`. Newton's method solves t
 * + log t = s from below. The left side is concave, so no step overshoots the solution. */
DEVICE_FN double lambert_exp(double s)
{
	if (s != s || s < -700.)
		return exp(s);

	double t = (s > 1.) ? s - log(s) : exp(s - exp(fmin(s, 0.)));

	for (int i = 0; i < 60; i++) {
		const double step = t * (s - t - log(t)) / (1. + t);

		t += step;

		if (fabs(step) <= 1e-15 * t)
			break;
	}

	return t;
}

/** Returns the prox for transmission without background: the solution u of
 * `u + gamma (y - blank exp(-u)) = x`. With `t = u - (x - gamma y)`, the equation is
 * `t exp(t) = gamma blank exp(gamma y - x)`. */
DEVICE_FN double transmission_prox_at(double y, double blank, double gamma, double x)
{
	const double at = x - gamma * y;

	return (0. == blank) ? at : at + lambert_exp(log(gamma * blank) - at);
}

#endif
