#ifndef ITER_STEP_COUNTS_H
#define ITER_STEP_COUNTS_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/**
 * Negative log-likelihoods of a Poisson count y: for emission with mean x + b, for transmission with mean
 * blank exp(-x) + b. The file compiles as C and as CUDA C.
 */

/** m - y + y log(y / m): 0 if the mean m equals the count y, INFINITY if that count is impossible. */
DEVICE_FN double counts_divergence(double y, double m)
{
	if (m < 0. || (0. == m && y > 0.))
		return INFINITY;

	return (0. == y) ? m : m - y + y * log(y / m);
}

/** Returns m - b, where m >= 0 solves m^2 - (x + b - gamma) m - gamma y = 0; computed without cancellation.
 */
DEVICE_FN double emission_prox(double y, double b, double gamma, double x)
{
	const double c = x + b - gamma;
	const double root = sqrt(c * c + 4. * gamma * y);
	const double below = (c < 0. && root > 0.) ? 2. * gamma * y / (root - c) : .5 * (c + root);

	return below - b;
}

DEVICE_FN double emission_slope(double y, double b, double x)
{
	return (0. == y) ? 1. : 1. - y / (x + b);
}

/** The convex conjugate of the divergence of y from x + b at a slope s; INFINITY for s > 1 (beyond rounding
 * errors). */
DEVICE_FN double emission_conjugate(double y, double b, double s)
{
	if (!(s <= 1. + 1e-5))
		return INFINITY;

	return -s * b - ((0. == y) ? 0. : y * log(fmax(1. - s, 1e-7)));
}

DEVICE_FN double transmission_value_at(double y, double blank, double b, double x)
{
	return counts_divergence(y, blank * exp(-x) + b);
}

DEVICE_FN double transmission_slope_of(double y, double open, double b)
{
	return open * ((0. == y) ? -1. : y / (open + b) - 1.);
}

DEVICE_FN double transmission_slope_at(double y, double blank, double b, double x)
{
	return (0. == b) ? y - blank * exp(-x) : transmission_slope_of(y, blank * exp(-x), b);
}

/** The convex conjugate of transmission without background at a slope s, where the transmitted mean is y - s.
 * Returns INFINITY if y - s is negative, up to rounding. */
DEVICE_FN double transmission_conjugate_at(double y, double blank, double s)
{
	const double m = fmax(y - s, 0.);

	if (!(blank > 0.))
		return 0.;

	if (!(y - s >= -1e-5 * fmax(y, 1.)))
		return INFINITY;

	return s + s * log(blank) + ((m > 0.) ? m * log(m) : 0.) - ((y > 0.) ? y * log(y) : 0.);
}

/** Curvature of the parabola that agrees with the term in value and slope at x, and in value at 0 [1]. For x
 * = 0, the curvature of the term. [1] as in iter/functional/functionals.h. */
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

DEVICE_FN double transmission_second_at(double y, double blank, double b, double x)
{
	const double open = blank * exp(-x), m = open + b;
	const double c = (m > 0.) ? open * (1. - y * b / (m * m)) : 0.;

	return (c > 0.) ? c : 0.;
}

/** Solves t exp(t) = exp(s) (Lambert's W of exp(s)) by Newton's method for t + log t = s, from below: the
 * left side is concave, so the iteration does not overshoot. */
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

/** Solves u + gamma (y - blank exp(-u)) = x for u: with t = u - (x - gamma y), t exp(t) = gamma blank
 * exp(gamma y - x). */
DEVICE_FN double transmission_prox_at(double y, double blank, double gamma, double x)
{
	const double at = x - gamma * y;

	return (0. == blank) ? at : at + lambert_exp(log(gamma * blank) - at);
}

#endif
