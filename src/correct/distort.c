#include "correct/distort.h"

#include <math.h>

/** Keys's kernel with a = -1/2 at the four places around w in [0, 1). */
static void cubic_weights(double w, double c[4])
{
	c[0] = ((-0.5 * w + 1.) * w - 0.5) * w;
	c[1] = (1.5 * w - 2.5) * w * w + 1.;
	c[2] = ((-1.5 * w + 2.) * w + 0.5) * w;
	c[3] = (0.5 * w - 0.5) * w * w;
}

static long inside(long i, long n)
{
	return (i < 0) ? 0 : (i < n) ? i : n - 1;
}

double cubic_at(long cols, long rows, const double *in, double u, double v)
{
	// far out every neighbour is the last pixel; the bounds keep the conversion to integers defined
	u = fmin(fmax(u, -4.), (double)cols + 4.);
	v = fmin(fmax(v, -4.), (double)rows + 4.);

	const long i = (long)floor(u), j = (long)floor(v);
	double cu[4], cv[4], sum = 0.;

	cubic_weights(u - (double)i, cu);
	cubic_weights(v - (double)j, cv);

	for (long b = 0; b < 4; b++) {
		const double *line = in + inside(j + b - 1, rows) * cols;
		double x = 0.;

		for (long a = 0; a < 4; a++)
			x += cu[a] * line[inside(i + a - 1, cols)];

		sum += cv[b] * x;
	}

	return sum;
}

void distort_view(const struct distort *d, double *out, const double *in)
{
	for (long b = 0; b < d->rows; b++)
		for (long a = 0; a < d->cols; a++) {
			const double u = (double)a - d->centre[0], v = (double)b - d->centre[1];
			const double r = hypot(u, v);
			double factor = 0.;

			for (int k = d->terms - 1; k >= 0; k--)
				factor = factor * r + d->k[k];

			out[b * d->cols + a] = cubic_at(
			        d->cols, d->rows, in, d->centre[0] + factor * u, d->centre[1] + factor * v);
		}
}
