#ifndef ITER_RADIAL_H
#define ITER_RADIAL_H

#include "num/cuda/device_fn.h"

/**
 * Functions of the distance t >= 0 of an element from y, w being its weight (in a prox times gamma) and delta
 * a parameter: NAME the value, NAME_shrink the factor of the distance in the prox, NAME_slope the slope
 * divided by the distance. C and CUDA C.
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

DEVICE_FN double l1(double delta, double w, double t)
{
	(void)delta;

	return w * t;
}

DEVICE_FN double l1_shrink(double delta, double w, double t)
{
	const double left = 1. - w / t;

	(void)delta;

	return (left > 0.) ? left : 0.;
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

#endif
