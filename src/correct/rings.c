#include "correct/rings.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "correct/running_median.h"
#include "misc/mem.h"
#include "num/select.h"

const char ring_method_names[] = "combined|sorting|filtering|fitting|large|dead|regularised|wavelet|median";

void rings_defaults(struct rings *r)
{
	static const double sigma[] = {
	        [RINGS_FILTERING] = 3., [RINGS_FITTING] = 1., [RINGS_WAVELET] = 2., [RINGS_MEDIAN] = 0.};

	r->size = r->size ? r->size : 11;
	r->large = r->large ? r->large : 51;
	r->order = r->order ? r->order : 2;
	r->levels = r->levels ? r->levels : 2;
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

/** off(u, view) becomes its medians along the views: over all of them where window is 0. */
static void keep_steady(long window, long cols, long views, double *off)
{
	double *steady = mem_alloc((size_t)(cols * views) * sizeof *steady);
	double *work = mem_alloc((size_t)(window + views) * sizeof *work);

	for (long a = 0; a < cols; a++) {
		if (0 < window && window < views) {
			running_median(views, window, cols, steady + a, off + a, work);
			continue;
		}

		for (long k = 0; k < views; k++)
			work[k] = off[k * cols + a];

		const double median = select_median(views, work);

		for (long k = 0; k < views; k++)
			steady[k * cols + a] = median;
	}

	memcpy(off, steady, (size_t)(cols * views) * sizeof *off);
	free(steady);
	free(work);
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

	keep_steady(r->steady, cols, views, off);

	for (long i = 0; i < n; i++)
		x[i] = before[i] - off[i];

	free(off);
}

void rings_correct(const struct rings *r, long cols, long views, double *x)
{
	const bool combined = RINGS_COMBINED == r->method;

	if (combined || RINGS_DEAD == r->method)
		rings_dead(r->snr, r->large, cols, views, x);

	if (RINGS_DEAD != r->method)
		take_off_steady(r, combined ? RINGS_SORTING : r->method, cols, views, x);
}
