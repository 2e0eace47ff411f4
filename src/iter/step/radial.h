#ifndef ITER_STEP_RADIAL_H
#define ITER_STEP_RADIAL_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/**
 * Penalty functions of t >= 0, the distance of an element from y. `w` is the weight of the element, and
 * `delta` is the parameter of the penalty.
 * - NAME(): Returns the penalty at t, multiplied by w.
 * - NAME_shrink(): Returns the factor by which the proximal operator multiplies t. For NAME_shrink(), w is
 *   the weight times the step size gamma of the proximal operator.
 * - NAME_slope(): Returns the derivative of the penalty, divided by t.
 * - NAME_conjugate(): Returns the convex conjugate of the penalty at t. The result is INFINITY outside the
 *   domain of the conjugate.
 *
 * The domain of a conjugate is enlarged by a relative tolerance of 1e-5 for rounding errors. This file
 * compiles as C and as CUDA C.
 */

DEVICE_FN double l2sq(double delta, double w, double t)
{
	(void)delta;

	return .5 * w * t * t;
}

DEVICE_FN double l2sq_shrink(double delta, double w, double t)
{
	(void)delta;
	(void)t;

	return 1. / (1. + w);
}

DEVICE_FN double l2sq_slope(double delta, double w, double t)
{
	(void)delta;
	(void)t;

	return w;
}

DEVICE_FN double l2sq_conjugate(double delta, double w, double t)
{
	(void)delta;

	return (w > 0.) ? .5 * t * t / w : (0. == t) ? 0. : INFINITY;
}

DEVICE_FN double l1(double delta, double w, double t)
{
	(void)delta;

	return w * t;
}

/** Returns 0 for t = w = 0, where w / t is NaN. NaN elements of a vector stay NaN, since NaN times 0 is
 * NaN. */
DEVICE_FN double l1_shrink(double delta, double w, double t)
{
	const double left = 1. - w / t;

	(void)delta;

	return (left > 0.) ? left : 0.;
}

DEVICE_FN double l1_conjugate(double delta, double w, double t)
{
	(void)delta;

	return (t <= w * (1. + 1e-5)) ? 0. : INFINITY;
}

DEVICE_FN double huber(double delta, double w, double t)
{
	return w * ((t <= delta) ? .5 * t * t : delta * (t - .5 * delta));
}

DEVICE_FN double huber_shrink(double delta, double w, double t)
{
	return (t <= delta * (1. + w)) ? 1. / (1. + w) : 1. - w * delta / t;
}

DEVICE_FN double huber_slope(double delta, double w, double t)
{
	return (t <= delta) ? w : w * delta / t;
}

DEVICE_FN double huber_conjugate(double delta, double w, double t)
{
	return (t <= w * delta * (1. + 1e-5)) ? l2sq_conjugate(delta, w, t) : INFINITY;
}

DEVICE_FN double l0(double delta, double w, double t)
{
	(void)delta;

	return (0. == t) ? 0. : w;
}

DEVICE_FN double l0_shrink(double delta, double w, double t)
{
	(void)delta;

	return (t * t <= 2. * w) ? 0. : 1.;
}

DEVICE_FN double pseudo_huber(double delta, double w, double t)
{
	const double q = t / delta, s = sqrt(1. + q * q);

	return w * t * t / (s + 1.); // delta^2 (s - 1), without cancellation
}

DEVICE_FN double pseudo_huber_slope(double delta, double w, double t)
{
	const double q = t / delta;

	return w / sqrt(1. + q * q);
}

DEVICE_FN double pseudo_huber_conjugate(double delta, double w, double t)
{
	const double q = (w > 0.) ? t / (w * delta) : (0. == t) ? 0. : INFINITY;

	return (q <= 1. + 1e-5) ? w * delta * delta * (1. - sqrt(fmax(0., 1. - q * q))) : INFINITY;
}

/**
 * Returns u / t, where u solves the equation:
 *
 *     u + w u / sqrt(1 + u^2/delta^2) = t
 *
 * Newton's method starts below the solution. The left side of the equation is concave in u, so all iterates
 * stay below the solution.
 */
DEVICE_FN double pseudo_huber_shrink(double delta, double w, double t)
{
	double u = fmax(t / (1. + w), t - w * delta);

	if (!(t > 0.))
		return 1.;

	for (int i = 0; i < 60; i++) {
		const double q = u / delta, s2 = 1. + q * q, s = sqrt(s2);
		const double step = (t - u - w * u / s) / (1. + w / (s2 * s));

		u += step;

		if (fabs(step) <= 1e-15 * t)
			break;
	}

	return (t <= INFINITY) ? u / t : t;
}

#endif
