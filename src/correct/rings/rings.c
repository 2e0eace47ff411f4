#include "correct/rings/rings.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "correct/rings/running_median.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/md/select.h"

const char ring_method_names[] = "combined|sorting|filtering|fitting|large|dead|regularised|wavelet|median";

/* Windows and scales grow with the detector, since a small detector has fewer columns per structure of the
 * object.
 */
static long chosen_size(long cols)
{
	return (cols < 256) ? 11 : (cols < 512) ? 13 : (cols < 1024) ? 15 : 21;
}

static long chosen_large(long cols)
{
	const long size = cols / 32 | 1;

	return (size < 21) ? 21 : (size > 51) ? 51 : size;
}

static long chosen_levels(long cols)
{
	return (cols < 256) ? 1 : (cols < 512) ? 3 : 4;
}

void rings_defaults(struct rings *r, long cols)
{
	static const double sigma[] = {
	        [RINGS_FILTERING] = 3., [RINGS_FITTING] = 1., [RINGS_WAVELET] = 2., [RINGS_MEDIAN] = 0.};

	r->size = r->size ? r->size : chosen_size(cols);
	r->large = r->large ? r->large : chosen_large(cols);
	r->order = r->order ? r->order : 2;
	r->levels = r->levels ? r->levels : chosen_levels(cols);
	r->blocks = r->blocks ? r->blocks : 1;

	r->snr = (r->snr > 0.) ? r->snr : 3.;
	r->alpha = (r->alpha > 0.) ? r->alpha : 0.5;

	if (!(r->sigma > 0.))
		r->sigma = sigma[r->method];
}

/** Blocks of views, each for itself. */
static void regularised(const struct rings *r, long cols, long views, double *x)
{
	const long blocks = (r->blocks < views) ? r->blocks : views;

	for (long b = 0; b < blocks; b++) {
		const long first = b * views / blocks, n = (b + 1) * views / blocks - first;

		rings_regularised(r->alpha, cols, n, x + first * cols);
	}
}

/** One method by itself. */
static void take_off(const struct rings *r, int method, long cols, long views, double *x)
{
	switch (method) {
	case RINGS_SORTING:
		rings_sorting(r->size, cols, views, x);
		break;
	case RINGS_FILTERING:
		rings_filtering(r->sigma, r->size, cols, views, x);
		break;
	case RINGS_FITTING:
		rings_fitting(r->order, r->sigma, cols, views, x);
		break;
	case RINGS_LARGE:
		rings_large(r->snr, r->large, cols, views, x);
		break;
	case RINGS_WAVELET:
		rings_wavelet(r->sigma, r->levels, cols, views, x);
		break;
	case RINGS_MEDIAN:
		rings_median(r->size, cols, views, x);
		break;
	default:
		regularised(r, cols, views, x);
	}
}

/** steady(u, view): medians of off along the views, over `window` of them. */
static void medians_along(long window, long cols, long views, double *steady, const double *off)
{
	double *work = mem_alloc((size_t)window * sizeof *work);

	for (long a = 0; a < cols; a++)
		running_median(views, window, cols, steady + a, off + a, work);

	free(work);
}

/** The median over all views of every column. */
static void whole_medians(long cols, long views, double median[], const double *off)
{
	double *work = mem_alloc((size_t)views * sizeof *work);

	for (long a = 0; a < cols; a++) {
		for (long k = 0; k < views; k++)
			work[k] = off[k * cols + a];

		median[a] = select_median(views, work);
	}

	free(work);
}

/** Columns whose stripe does not last: how far the medians over a part of the scan lie from that of the whole
 * stands out of what is usual in a wide neighbourhood, where only the object and noise change, and of the
 * columns right beside it, which an edge of the object reaches as well. */
static void detect_changes(
        double snr, long cols, long views, const double *part, const double median[], unsigned char mark[])
{
	enum { WIDE = 51, BESIDE = 5 };
	double *change = mem_calloc((size_t)(3 * cols + WIDE), sizeof *change);
	double *usual = change + cols, *beside = usual + cols, *work = beside + cols;

	for (long k = 0; k < views; k++)
		for (long a = 0; a < cols; a++)
			change[a] += fabs(part[k * cols + a] - median[a]) / (double)views;

	running_median(cols, WIDE, 1, usual, change, work);
	running_median(cols, BESIDE, 1, beside, change, work);

	for (long a = 0; a < cols; a++) {
		const double most = fmax(usual[a], beside[a]);

		beside[a] = (most > 0.) ? change[a] / most : 1.;
	}

	rings_detect(2. * snr, cols, beside, mark);

	for (long a = 0; a < cols; a++) // where nothing changes, there is nothing to compare with
		mark[a] = mark[a] && usual[a] > 0. && change[a] > snr * usual[a];

	free(change);
}

/** off(u, view) becomes its medians along the views: over r->steady of them, or where that is 0 over all, but
 * over a third of them in columns whose stripe does not last. */
static void keep_steady(const struct rings *r, long cols, long views, double *off)
{
	const bool all = r->steady >= views;
	const long window = (0 < r->steady && !all) ? r->steady : (views / 3) | 1;
	double *steady = mem_alloc((size_t)(cols * views) * sizeof *steady);
	double *median = mem_alloc((size_t)cols * sizeof *median);
	unsigned char *mark = mem_calloc((size_t)cols, 1);

	medians_along(window, cols, views, steady, off);
	whole_medians(cols, views, median, off);

	if (0 == r->steady)
		detect_changes(r->snr, cols, views, steady, median, mark);

	for (long k = 0; k < views; k++)
		for (long a = 0; a < cols; a++)
			off[k * cols + a] =
			        ((0 < r->steady && !all) || mark[a]) ? steady[k * cols + a] : median[a];

	free(steady);
	free(median);
	free(mark);
}

/** A stripe lasts; what a method takes off an edge of the object, which moves on from view to view, does not:
 * medians along the views keep the one and give the other back. */
static void take_off_steady(const struct rings *r, int method, long cols, long views, double *x)
{
	const long n = cols * views;

	if (1 == r->steady) {
		take_off(r, method, cols, views, x);
		return;
	}

	double *off = mem_alloc((size_t)(2 * n) * sizeof *off), *before = off + n;

	memcpy(before, x, (size_t)n * sizeof *x);
	take_off(r, method, cols, views, x);

	for (long i = 0; i < n; i++)
		off[i] = before[i] - x[i];

	keep_steady(r, cols, views, off);

	for (long i = 0; i < n; i++)
		x[i] = before[i] - off[i];

	free(off);
}

/** Arrays of the size of a sinogram that a method needs by itself [bytes]. */
static long method_memory(const struct rings *r, long cols, long views)
{
	const long n = cols * views, real = (long)sizeof(double), sort = n * (2 * real + (long)sizeof(int));

	switch (r->method) {
	case RINGS_COMBINED:
	case RINGS_SORTING:
	case RINGS_LARGE:
		return sort;
	case RINGS_FILTERING:
		return sort + n * real;
	case RINGS_WAVELET:
		return rings_wavelet_memory(r->levels, cols, views);
	case RINGS_MEDIAN:
		return n * real;
	default:
		return 0;
	}
}

long rings_memory(const struct rings *r, long cols, long views)
{
	const long one = cols * views * (long)sizeof(double), method = method_memory(r, cols, views);

	if (1 == r->steady || RINGS_DEAD == r->method)
		return method;

	return 2 * one + max_long(method, one); // take_off_steady(), keep_steady()
}

void rings_correct(const struct rings *r, long cols, long views, double *x)
{
	const bool combined = RINGS_COMBINED == r->method;

	if (combined || RINGS_DEAD == r->method)
		rings_dead(r->snr, r->large, cols, views, x);

	if (RINGS_DEAD != r->method)
		take_off_steady(r, combined ? RINGS_SORTING : r->method, cols, views, x);
}
