/* Combined wavelet and Fourier filtering, correct/rings/rings.h [3]: a stripe is in the details along u that
 * are coarse along the views, and there at low frequencies of the view. */

#include "correct/rings/rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correct/rings/running_median.h"
#include "linops/wavelet/wavelet.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

/** Columns [first, first + n) of c(u, view), of which `views` count: times 1 - exp(-(f / sigma)^2 / 2) at f
 * cycles over them. */
static void damp(double sigma, long cols, long first, long n, long views, double *c)
{
	double *line = mem_alloc((size_t)(2 * views + 2) * sizeof *line), *freq = line + views;

	for (long a = first; a < first + n; a++) {
		for (long k = 0; k < views; k++)
			line[k] = c[k * cols + a];

		fft_r2c(views, 1, DT_FLOAT64, freq, line);

		for (long m = 0; m <= views / 2; m++) {
			const double f = (double)m / sigma, w = -expm1(-0.5 * f * f) / (double)views;

			freq[2 * m] *= w;
			freq[2 * m + 1] *= w;
		}

		fft_c2r(views, 1, DT_FLOAT64, line, freq);

		for (long k = 0; k < views; k++)
			c[k * cols + a] = line[k];
	}

	free(line);
}

/** n values and their mirror image, so that nothing wraps round, padded for the levels. */
static long padded(long n, long levels)
{
	const long unit = 1L << levels;

	return (2 * n + unit - 1) / unit * unit;
}

long rings_wavelet_memory(long levels, long cols, long views)
{
	return 2 * padded(cols, levels) * padded(views, levels) * (long)sizeof(double);
}

void rings_wavelet(double sigma, long levels, long cols, long views, double *x)
{
	const long wide = padded(cols, levels), high = padded(views, levels), dims[] = {wide, high};
	double *c = mem_alloc((size_t)(wide * high) * sizeof *c);
	double *d = mem_alloc((size_t)(wide * high) * sizeof *d);
	struct linop *W = linop_wavelet_create(DT_FLOAT64, 2, dims, 3, WAVELET_DB4, WAVELET_PERIODIC, levels);
	struct linop *V =
	        linop_wavelet_inverse_create(DT_FLOAT64, 2, dims, 3, WAVELET_DB4, WAVELET_PERIODIC, levels);

	for (long k = 0; k < high; k++)
		for (long a = 0; a < wide; a++)
			c[k * wide + a] = x[mirrored(k, views) * cols + mirrored(a, cols)];

	linop_forward(W, d, c);

	for (long l = 1; l <= levels; l++)
		damp(2. * sigma, wide, wide >> l, wide >> l, high >> l, d);

	linop_forward(V, c, d);

	for (long k = 0; k < views; k++)
		memcpy(x + k * cols, c + k * wide, (size_t)cols * sizeof *x);

	linop_free(W);
	linop_free(V);
	free(c);
	free(d);
}
