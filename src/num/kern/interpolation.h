#ifndef NUM_KERN_INTERPOLATION_H
#define NUM_KERN_INTERPOLATION_H

#include <math.h>

/** Interpolation between samples at integer positions, shared by operators on grids and expressions. */

/** The sample nearest to a position; ties go up, and positions within rounding of a tie count as ties. */
static inline double interpolation_nearest(double x)
{
	return __builtin_floor(x + 0.5 + 1e-7);
}

/** Weights of cubic B-splines [1] for the four coefficients around a position. f: the distance of the
 * position from the second coefficient, 0 <= f <= 1. T: the type of the arithmetic.
 *
 * [1] M. Unser, Splines: a perfect fit for signal and image processing, IEEE Signal Processing Magazine
 *     16(6):22-38, 1999. */
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

/** Coefficients are the samples filtered by the inverse of (1 4 1)/6. interpolation_spline_tap() is the value
 * of the inverse filter at distance k [1]. The filter is truncated where its values are below the unit
 * roundoff of float32 or float64. */
enum { INTERPOLATION_SPLINE_RADIUS = 14, INTERPOLATION_SPLINE_RADIUS_WIDE = 28 };

static inline double interpolation_spline_tap(long k)
{
	return sqrt(3.) * pow(sqrt(3.) - 2., (double)k);
}

#endif
