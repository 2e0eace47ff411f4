#ifndef CORRECT_CUBIC_H
#define CORRECT_CUBIC_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/**
 * Interpolates images by cubic convolution [1].
 *
 * [1] R. G. Keys, Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29, 1153
 * (1981).
 */

/** Computes the weights of Keys's kernel with a = -1/2. Interpolation at `i + w` multiplies sample
 * `i + k - 1` by `c[k]`. The fraction w is at least 0 and less than 1. */
DEVICE_FN void cubic_weights(double w, double c[4])
{
	c[0] = ((-0.5 * w + 1.) * w - 0.5) * w;
	c[1] = (1.5 * w - 2.5) * w * w + 1.;
	c[2] = ((-1.5 * w + 2.) * w + 0.5) * w;
	c[3] = (0.5 * w - 0.5) * w * w;
}

/** Clamps the index i to 0 .. n - 1. */
DEVICE_FN long cubic_inside(long i, long n)
{
	return (i < 0) ? 0 : (i < n) ? i : n - 1;
}

/** Interpolates the image `in` at column u and row v, which may be fractions. Outside the image, values
 * are those of the nearest edge pixel. */
DEVICE_FN double cubic_at(long cols, long rows, const double *in, double u, double v)
{
	// keeps the conversion to integers defined
	u = fmin(fmax(u, -4.), (double)cols + 4.);
	v = fmin(fmax(v, -4.), (double)rows + 4.);

	const long i = (long)floor(u), j = (long)floor(v);
	double cu[4], cv[4], sum = 0.;

	cubic_weights(u - (double)i, cu);
	cubic_weights(v - (double)j, cv);

	for (long b = 0; b < 4; b++) {
		const double *line = in + cubic_inside(j + b - 1, rows) * cols;
		double x = 0.;

		for (long a = 0; a < 4; a++)
			x += cu[a] * line[cubic_inside(i + a - 1, cols)];

		sum += cv[b] * x;
	}

	return sum;
}

/** Computes pixel (a, b) of the view `in` after the distortion correction of correct/distort.h. The array
 * `coefficients` contains the values k0, k1 and so on; `terms` is their number. */
DEVICE_FN double distort_at(long cols, long rows, const double centre[2], int terms,
        const double *coefficients, const double *in, long a, long b)
{
	const double u = (double)a - centre[0], v = (double)b - centre[1], r = hypot(u, v);
	double factor = 0.;

	for (int k = terms - 1; k >= 0; k--)
		factor = factor * r + coefficients[k];

	return cubic_at(cols, rows, in, centre[0] + factor * u, centre[1] + factor * v);
}

#endif
