#ifndef NUM_KERN_INTERPOLATION_H
#define NUM_KERN_INTERPOLATION_H

#include <math.h>

/** Interpolation between samples at integer positions. */

/** Returns the integer position nearest to x. Ties are rounded up, with a tolerance of 1e-7. */
static inline double interpolation_nearest(double x)
{
	return __builtin_floor(x + 0.5 + 1e-7);
}

/** Weights of the four cubic B-spline coefficients around a position [1]. The position is at distance f
 * from the second coefficient, 0 <= f <= 1. T is the type of the arithmetic.
 *
 * [1] M. Unser, Splines: a perfect fit for signal and image processing, IEEE Signal Processing Magazine
 *     16(6):22-38, 1999 */
#define INTERPOLATION_CUBIC(T, w0, w1, w2, w3, f)                                                            \
	do {                                                                                                 \
		const T third_ = (T)(2. / 3.), sixth_ = (T)(1. / 6.), half_ = (T)0.5;                        \
		const T a_ = (f), c_ = 1 - a_;                                                               \
                                                                                                             \
		w0 = c_ * c_ * c_ * sixth_;                                                                  \
		w1 = third_ - half_ * a_ * a_ * (2 - a_);                                                    \
		w2 = third_ - half_ * c_ * c_ * (2 - c_);                                                    \
		w3 = a_ * a_ * a_ * sixth_;                                                                  \
	} while (0)

/** Radii of the filter that turns samples into spline coefficients, for float32 and float64. The filter is
 * the inverse of (1 4 1)/6 [1]. Beyond the radii, the filter is below the unit roundoff. The value of the
 * filter at distance k is interpolation_spline_tap(k). */
enum { INTERPOLATION_SPLINE_RADIUS = 14, INTERPOLATION_SPLINE_RADIUS_WIDE = 28 };

static inline double interpolation_spline_tap(long k)
{
	return sqrt(3.) * pow(sqrt(3.) - 2., (double)k);
}

#endif
