/* Strong stripes: wide ones whose response is not a constant, and columns that do not respond or fluctuate;
 * algorithms 4, 5 and 6 of correct/rings/rings.h [2]. */

#include "correct/rings/rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correct/rings/running_median.h"
#include "misc/mem.h"
#include "num/md/select.h"

static int ascending(const void *a, const void *b)
{
	const double *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

/** The line through the middle half of v[n], at its ends. */
static void fit_line(long n, const double v[], double *first, double *last)
{
	const long drop = n / 4, m = n - 2 * drop;
	double mean = 0., slope = 0., square = 0.;

	for (long i = 0; i < m; i++)
		mean += v[drop + i] / (double)m;

	for (long i = 0; i < m; i++) {
		const double t = (double)i - 0.5 * (double)(m - 1);

		slope += t * (v[drop + i] - mean);
		square += t * t;
	}

	slope = (square > 0.) ? slope / square : 0.;
	*first = mean - slope * 0.5 * (double)(n - 1);
	*last = mean + slope * 0.5 * (double)(n - 1);
}

void rings_detect(double snr, long n, const double values[], unsigned char mark[])
{
	double *v = mem_alloc((size_t)n * sizeof *v), lo, hi;

	memcpy(v, values, (size_t)n * sizeof *v);
	memset(mark, 0, (size_t)n);
	qsort(v, (size_t)n, sizeof *v, ascending);
	fit_line(n, v, &lo, &hi);

	const double noise = hi - lo;
	const double upper = (v[n - 1] - hi > snr * noise) ? hi + 0.5 * snr * noise : INFINITY;
	const double lower = (lo - v[0] > snr * noise) ? lo - 0.5 * snr * noise : -INFINITY;

	for (long i = 0; i < n; i++)
		mark[i] = values[i] > upper || values[i] < lower;

	free(v);
}

/** Neighbours of what is marked are marked too. */
static void widen(long n, unsigned char mark[])
{
	unsigned char before = 0;

	for (long i = 0; i < n; i++) {
		const unsigned char here = mark[i];

		mark[i] |= before | (i + 1 < n ? mark[i + 1] : 0);
		before = here;
	}
}

/** Means over the middle ranks of how far a column stands out of its neighbours; the ends, which hold what
 * few views see, are left out. */
static void stand_out(long cols, long views, const double *sorted, const double *smooth, double out[])
{
	const long drop = views / 20;

	memset(out, 0, (size_t)cols * sizeof *out);

	for (long k = drop; k < views - drop; k++)
		for (long a = 0; a < cols; a++)
			out[a] += (sorted[k * cols + a] - smooth[k * cols + a]) / (double)(views - 2 * drop);
}

/** What is no more than five times as far out as usual is noise, and becomes 0. */
static void keep_striking(long cols, double out[])
{
	double *size = mem_alloc((size_t)cols * sizeof *size);

	for (long a = 0; a < cols; a++)
		size[a] = fabs(out[a]);

	const double usual = select_median(cols, size);

	for (long a = 0; a < cols; a++)
		out[a] = (fabs(out[a]) > 5. * usual) ? out[a] : 0.;

	free(size);
}

void rings_large(double snr, long size, long cols, long views, double *x)
{
	const size_t n = (size_t)(cols * views);
	double *sorted = mem_alloc(n * sizeof *sorted), *smooth = mem_alloc(n * sizeof *smooth);
	double *out = mem_alloc((size_t)cols * sizeof *out);
	unsigned char *mark = mem_alloc((size_t)cols);
	int *order = mem_alloc(n * sizeof *order);

	rings_sort(cols, views, order, sorted, x);
	rings_smooth(size, cols, views, smooth, sorted);
	stand_out(cols, views, sorted, smooth, out);
	rings_detect(snr, cols, out, mark);
	widen(cols, mark);
	keep_striking(cols, out);

	for (long a = 0; a < cols; a++)
		for (long k = 0; k < views; k++) {
			double *at = x + order[a * views + k] * cols + a;

			*at = mark[a] ? smooth[k * cols + a] : *at - out[a];
		}

	free(sorted);
	free(smooth);
	free(out);
	free(mark);
	free(order);
}

/** Mean over the views of how far values lie from their running mean along the views: little where a column
 * is dead, much where it fluctuates. */
static void roughness(long cols, long views, const double *x, double rough[])
{
	enum { REACH = 5 };

	memset(rough, 0, (size_t)cols * sizeof *rough);

	for (long k = 0; k < views; k++)
		for (long a = 0; a < cols; a++) {
			double mean = 0.;

			for (long j = k - REACH; j <= k + REACH; j++)
				mean += x[mirrored(j, views) * cols + a];

			rough[a] += fabs(x[k * cols + a] - mean / (2 * REACH + 1)) / (double)views;
		}
}

/** Wide runs are left alone: that much cannot be bridged, and where there is no noise the air is like that.
 */
static void only_narrow(long most, long n, unsigned char mark[])
{
	for (long i = 0, run; i < n; i += run + 1) {
		for (run = 0; i + run < n && mark[i + run]; run++)
			;

		if (run > most)
			memset(mark + i, 0, (size_t)run);
	}
}

/** The values of marked columns in every view, linear between the next good ones on both sides. */
static void bridge(long cols, long views, const unsigned char mark[], double *x)
{
	for (long a = 0; a < cols; a++) {
		if (!mark[a])
			continue;

		long lo = a - 1, hi = a + 1;

		while (lo >= 0 && mark[lo])
			lo--;

		while (hi < cols && mark[hi])
			hi++;

		if (lo < 0 && hi == cols)
			return;

		lo = (lo < 0) ? hi : lo;
		hi = (hi == cols) ? lo : hi;

		const double w = (hi > lo) ? (double)(a - lo) / (double)(hi - lo) : 0.;

		for (long k = 0; k < views; k++)
			x[k * cols + a] = (1. - w) * x[k * cols + lo] + w * x[k * cols + hi];
	}
}

void rings_dead(double snr, long size, long cols, long views, double *x)
{
	double *rough = mem_alloc((size_t)(2 * cols + size) * sizeof *rough), *usual = rough + cols;
	unsigned char *mark = mem_alloc((size_t)cols);

	roughness(cols, views, x, rough);
	running_median(cols, size, 1, usual, rough, usual + cols);

	for (long a = 0; a < cols; a++)
		rough[a] = (usual[a] > 0.) ? rough[a] / usual[a] : 1.;

	rings_detect(snr, cols, rough, mark);
	only_narrow(size / 8, cols, mark);
	widen(cols, mark);
	bridge(cols, views, mark, x);
	free(rough);
	free(mark);
}
