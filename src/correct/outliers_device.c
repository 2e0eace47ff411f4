/* Outliers of views on a device. */

#include <math.h>
#include <stdlib.h>

#include "correct/outliers.h"
#include "correct/outliers_kernels.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"

/** For views of which most values are as their neighbours say: the mean of the distances, added up as on the
 * CPU. */
static double mean_of(const double *distance, long size, long count)
{
	double *d = place_take(distance, (size_t)size * sizeof *d), mean = 0.;

	for (long i = 0; i < size; i++)
		if (!(d[i] < 0.))
			mean += d[i] / (double)count;

	place_done(d, distance);

	return mean;
}

/** The bounds of all views, as bound() of each. */
static void find_bounds(
        const struct outliers *o, const struct outliers_batch *b, const double *medians, double limit[])
{
	const long size = b->cols * b->rows;
	const size_t bytes = (size_t)b->n * sizeof(double);
	double *distance = device_alloc((size_t)(b->n * size) * sizeof *distance);
	double *lower = mem_alloc(bytes), *upper = mem_alloc(bytes);
	long *count = mem_alloc((size_t)b->n * sizeof *count);

	outliers_kernels_gpu.distances(b, medians, distance);
	outliers_kernels_gpu.middle(b, distance, count, lower, upper);

	for (long v = 0; v < b->n; v++) {
		const double median = (count[v] % 2) ? upper[v] : 0.5 * (lower[v] + upper[v]);

		if (0 == count[v])
			limit[v] = 0.;
		else if (median > 0.)
			limit[v] = o->sigmas * (1.4826 * median);
		else
			limit[v] = o->sigmas * (1.2533 * mean_of(distance + v * size, size, count[v]));
	}

	device_free(distance);
	free(lower);
	free(upper);
	free(count);
}

void outliers_views(void *ctx, const struct view_batch *p)
{
	struct outliers *o = ctx;

	if (NULL != o->bad && NULL == o->bad_there)
		o->bad_there = place_bring(o->bad, (size_t)(o->cols * o->rows));

	const struct outliers_batch b = {.cols = o->cols,
	        .rows = o->rows,
	        .radius = o->radius,
	        .reach = outliers_reach(o),
	        .dims = o->dims,
	        .first = p->first,
	        .n = p->n,
	        .base = p->base,
	        .views = o->views,
	        .in = p->in[0],
	        .bad = o->bad_there,
	        .counts = o->counts};
	const struct outliers_choice c = {o->bright, o->dark, isnan(o->threshold)};
	double *limit = mem_alloc((size_t)p->n * sizeof *limit);
	struct outliers_found found = {0};

	outliers_kernels_gpu.around(&b, p->out);

	for (long v = 0; v < p->n; v++)
		limit[v] = o->threshold;

	if (isnan(o->threshold))
		find_bounds(o, &b, p->out, limit);

	outliers_kernels_gpu.replace(&b, &c, limit, p->out, &found);
	o->found += (long)found.found;
	o->lost += (long)found.lost;
	o->empty += (long)found.empty;
	free(limit);
}
