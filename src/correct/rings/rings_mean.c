/* One number per column and block of views: correct/rings/rings.h [1]; and medians. */

#include "correct/rings/rings.h"

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"

/** The stripe s that minimises |D (p - s)|^2 + alpha |s|^2, p being the mean over the views and D differences
 * along u: (alpha + D'D) s = D'D p, a tridiagonal system whose closed solution is the formula of [1]. */
void rings_regularised(double alpha, long cols, long views, double *x)
{
	double *p = mem_calloc((size_t)(3 * cols), sizeof *p), *s = p + cols, *upper = s + cols;

	for (long k = 0; k < views; k++)
		for (long a = 0; a < cols; a++)
			p[a] += x[k * cols + a] / (double)views;

	for (long a = 0; a < cols; a++) { // forward elimination
		const double left = (a > 0), right = (a + 1 < cols);
		const double rhs = (left ? p[a] - p[a - 1] : 0.) + (right ? p[a] - p[a + 1] : 0.);
		const double pivot = alpha + left + right + (left ? upper[a - 1] : 0.);

		upper[a] = -right / pivot;
		s[a] = (rhs + (left ? s[a - 1] : 0.)) / pivot;
	}

	for (long a = cols - 2; a >= 0; a--)
		s[a] -= upper[a] * s[a + 1];

	for (long k = 0; k < views; k++)
		for (long a = 0; a < cols; a++)
			x[k * cols + a] -= s[a];

	free(p);
}

void rings_median(long size, long cols, long views, double *x)
{
	double *smooth = mem_alloc((size_t)(cols * views) * sizeof *smooth);

	rings_smooth(size, cols, views, smooth, x);
	memcpy(x, smooth, (size_t)(cols * views) * sizeof *x);
	free(smooth);
}
