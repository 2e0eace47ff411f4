/* Stripe removal by sorting: in a row of values of the same rank, instead of the same view, the object varies
 * slowly along u and a stripe does not; algorithms 1, 2 and 3 of correct/rings/rings.h [2]. */

#include "correct/rings/rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correct/rings/running_median.h"
#include "misc/dtype.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

struct ranked {
	double value;
	int view;
};

/** By value, then by view: the order does not depend on the sorting algorithm. */
static int by_value(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;

	if (p->value != q->value)
		return (p->value < q->value) ? -1 : 1;

	return (p->view > q->view) - (p->view < q->view);
}

void rings_sort(long cols, long views, int *order, double *sorted, const double *x)
{
	struct ranked *r = mem_alloc((size_t)views * sizeof *r);

	for (long a = 0; a < cols; a++) {
		for (long k = 0; k < views; k++)
			r[k] = (struct ranked){x[k * cols + a], (int)k};

		qsort(r, (size_t)views, sizeof *r, by_value);

		for (long k = 0; k < views; k++) {
			sorted[k * cols + a] = r[k].value;
			order[a * views + k] = r[k].view;
		}
	}

	free(r);
}

void rings_smooth(long size, long cols, long views, double *y, const double *x)
{
	double *work = mem_alloc((size_t)size * sizeof *work);

	for (long k = 0; k < views; k++)
		running_median(cols, size, 1, y + k * cols, x + k * cols, work);

	free(work);
}

void rings_sorting(long size, long cols, long views, double *x)
{
	const size_t n = (size_t)(cols * views);
	double *sorted = mem_alloc(n * sizeof *sorted), *smooth = mem_alloc(n * sizeof *smooth);
	int *order = mem_alloc(n * sizeof *order);

	rings_sort(cols, views, order, sorted, x);
	rings_smooth(size, cols, views, smooth, sorted);

	for (long a = 0; a < cols; a++)
		for (long k = 0; k < views; k++)
			x[order[a * views + k] * cols + a] = smooth[k * cols + a];

	free(sorted);
	free(smooth);
	free(order);
}

/** n values, mirrored at both ends, times exp(-(f / sigma)^2 / 2) at f cycles per n values. line: 2 n, freq:
 * 2 n + 2 doubles. */
static void low_pass(
        double sigma, long n, long step, double *out, const double *in, double *line, double *freq)
{
	for (long i = 0; i < n; i++)
		line[i] = line[2 * n - 1 - i] = in[i * step];

	fft_r2c(2 * n, 1, DT_FLOAT64, freq, line);

	for (long m = 0; m <= n; m++) {
		const double f = 0.5 * (double)m / sigma, w = exp(-0.5 * f * f) / (double)(2 * n);

		freq[2 * m] *= w;
		freq[2 * m + 1] *= w;
	}

	fft_c2r(2 * n, 1, DT_FLOAT64, line, freq);

	for (long i = 0; i < n; i++)
		out[i * step] = line[i];
}

void rings_filtering(double sigma, long size, long cols, long views, double *x)
{
	const long n = cols * views;
	double *slow = mem_alloc((size_t)n * sizeof *slow);
	double *work = mem_alloc((size_t)(4 * views + 2) * sizeof *work);

	for (long a = 0; a < cols; a++)
		low_pass(sigma, views, cols, slow + a, x + a, work, work + 2 * views);

	for (long i = 0; i < n; i++)
		x[i] -= slow[i];

	rings_sorting(size, cols, views, slow);

	for (long i = 0; i < n; i++)
		x[i] += slow[i];

	free(slow);
	free(work);
}

/** Polynomials in the view, orthonormal over the views, of degrees 0..order: p[degree * views + k]. */
static void polynomials(long order, long views, double *p)
{
	for (long d = 0; d <= order; d++) {
		double *q = p + d * views;

		for (long k = 0; k < views; k++) {
			const double t = (views > 1) ? 2. * (double)k / (double)(views - 1) - 1. : 0.;

			q[k] = d ? t * q[k - views] : 1.;
		}

		for (int pass = 0; pass < 2; pass++) // twice is enough for full precision
			for (long e = 0; e < d; e++) {
				double dot = 0.;

				for (long k = 0; k < views; k++)
					dot += q[k] * p[e * views + k];

				for (long k = 0; k < views; k++)
					q[k] -= dot * p[e * views + k];
			}

		double square = 0.;

		for (long k = 0; k < views; k++)
			square += q[k] * q[k];

		for (long k = 0; k < views; k++)
			q[k] /= sqrt(square);
	}
}

/** The coefficients c(u) of a polynomial's degree lose what does not vary smoothly along u: a stripe. */
void rings_fitting(long order, double sigma, long cols, long views, double *x)
{
	order = (order < views) ? order : views - 1;

	double *p = mem_alloc((size_t)((order + 1) * views) * sizeof *p);
	double *c = mem_alloc((size_t)(2 * cols) * sizeof *c), *smooth = c + cols;
	double *work = mem_alloc((size_t)(4 * cols + 2) * sizeof *work);
	const double pi = 3.14159265358979323846, cycles = (double)cols / (2. * pi * sigma);

	polynomials(order, views, p);

	for (long d = 0; d <= order; d++) {
		const double *q = p + d * views;

		memset(c, 0, (size_t)cols * sizeof *c);

		for (long k = 0; k < views; k++)
			for (long a = 0; a < cols; a++)
				c[a] += q[k] * x[k * cols + a];

		low_pass(cycles, cols, 1, smooth, c, work, work + 2 * cols);

		for (long k = 0; k < views; k++)
			for (long a = 0; a < cols; a++)
				x[k * cols + a] += q[k] * (smooth[a] - c[a]);
	}

	free(p);
	free(c);
	free(work);
}
