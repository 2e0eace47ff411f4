#include "correct/align.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "correct/cubic.h"
#include "correct/fourier.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

static const double pi = 3.14159265358979323846;

/** Tapers the eighth of n elements at each end by half a cosine period. */
static double taper(long i, long n)
{
	const double width = 0.125 * (double)n, d = (double)((i < n - 1 - i) ? i : n - 1 - i) + 0.5;

	return (1 == n || d >= width) ? 1. : 0.5 * (1. - cos(pi * d / width));
}

/** The spectrum of a view without mean and ends, zeros around it. */
static void spectrum_of(long cols, long rows, const long dims[2], double *out, const double *x)
{
	double mean = 0.;

	for (long i = 0; i < cols * rows; i++)
		mean += x[i] / (double)(cols * rows);

	for (long i = 0; i < 2 * dims[0] * dims[1]; i++)
		out[i] = 0.;

	for (long b = 0; b < rows; b++)
		for (long a = 0; a < cols; a++)
			out[2 * (b * dims[0] + a)] =
			        (x[b * cols + a] - mean) * taper(a, cols) * taper(b, rows);

	fft(2, dims, 3, 0, DT_COMPLEX128, out, out);
}

/** w[2 n]: cos and sin of 2 pi f shift. */
static void phases(long n, double shift, double *w)
{
	for (long i = 0; i < n; i++) {
		const double p = 2. * pi * plane_frequency(i, n) * shift;

		w[2 * i] = cos(p);
		w[2 * i + 1] = sin(p);
	}
}

/** The correlation at a shift (u, v) that is no integer. work: 2 (wide + high) doubles. */
static double correlation_at(const long dims[2], const double *s, double u, double v, double *work)
{
	double *wu = work, *wv = work + 2 * dims[0], sum = 0.;

	phases(dims[0], u, wu);
	phases(dims[1], v, wv);

	for (long b = 0; b < dims[1]; b++) {
		const double *line = s + 2 * b * dims[0];
		double re = 0., im = 0.;

		for (long a = 0; a < dims[0]; a++) {
			re += line[2 * a] * wu[2 * a] - line[2 * a + 1] * wu[2 * a + 1];
			im += line[2 * a] * wu[2 * a + 1] + line[2 * a + 1] * wu[2 * a];
		}

		sum += re * wv[2 * b] - im * wv[2 * b + 1];
	}

	return sum;
}

/** Steps along u and v that grow the correlation, ever smaller ones. */
static void refine(const long dims[2], const double *s, double most, double shift[2])
{
	double *work = mem_alloc((size_t)(2 * (dims[0] + dims[1])) * sizeof *work);
	double best = correlation_at(dims, s, shift[0], shift[1], work);

	for (double step = 0.5; step > 0.002; step *= 0.5)
		for (bool better = true; better;) {
			better = false;

			for (int k = 0; k < 4; k++) {
				double at[2] = {shift[0], shift[1]};

				if (1 == dims[k / 2])
					continue;

				at[k / 2] += (k % 2) ? step : -step;

				const double c = correlation_at(dims, s, at[0], at[1], work);

				if (c > best && fabs(at[k / 2]) <= most) {
					best = c;
					shift[0] = at[0];
					shift[1] = at[1];
					better = true;
				}
			}
		}

	free(work);
}

static void find_shift(
        long cols, long rows, const double *reference, const double *view, double most, double shift[2])
{
	const long dims[2] = {
	        (1 < cols) ? fft_good_size(2 * cols) : 1, (1 < rows) ? fft_good_size(2 * rows) : 1};
	const long n = dims[0] * dims[1];
	double *r = mem_alloc((size_t)(2 * n) * sizeof *r), *s = mem_alloc((size_t)(2 * n) * sizeof *s);
	double best = -INFINITY;

	spectrum_of(cols, rows, dims, r, reference);
	spectrum_of(cols, rows, dims, s, view);

	for (long i = 0; i < n; i++) { // F[view] conj(F[reference])
		const double x = s[2 * i], y = s[2 * i + 1];

		s[2 * i] = x * r[2 * i] + y * r[2 * i + 1];
		s[2 * i + 1] = y * r[2 * i] - x * r[2 * i + 1];
	}

	fft(2, dims, 3, FFT_INVERSE, DT_COMPLEX128, r, s);
	shift[0] = shift[1] = 0.;

	for (long i = 0; i < n; i++) {
		const double u = (double)dims[0] * plane_frequency(i % dims[0], dims[0]);
		const double v = (double)dims[1] * plane_frequency(i / dims[0], dims[1]);

		if (fabs(u) <= most && fabs(v) <= most && r[2 * i] > best) {
			best = r[2 * i];
			shift[0] = u;
			shift[1] = v;
		}
	}

	refine(dims, s, most, shift);
	free(r);
	free(s);
}

/** The fading stands still where the view moves, which draws the maximum towards 0; so the view is moved back
 * and looked at again. */
void align_shift(
        long cols, long rows, const double *reference, const double *view, double most, double shift[2])
{
	enum { ROUNDS = 4 };

	double *moved = mem_alloc((size_t)(cols * rows) * sizeof *moved);

	find_shift(cols, rows, reference, view, most, shift);

	for (int k = 1; k < ROUNDS; k++) {
		double rest[2];

		align_move(cols, rows, shift, moved, view);
		find_shift(cols, rows, reference, moved, 1., rest);

		for (int d = 0; d < 2; d++)
			shift[d] = fmin(fmax(shift[d] + rest[d], -most), most);
	}

	free(moved);
}

void align_move(long cols, long rows, const double shift[2], double *out, const double *in)
{
	for (long b = 0; b < rows; b++)
		for (long a = 0; a < cols; a++)
			out[b * cols + a] =
			        cubic_at(cols, rows, in, (double)a + shift[0], (double)b + shift[1]);
}
