/* The noise of projections. */

#include "ct/calibration/axis_internal.h"

#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"

enum { BLOCK = 16 }; // columns

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Second difference along columns of that along views. */
static double difference(const double *p, long next)
{
	const double *a = p - next, *b = p, *c = p + next;

	return (a[-1] - 2. * a[0] + a[1]) - 2. * (b[-1] - 2. * b[0] + b[1]) + (c[-1] - 2. * c[0] + c[1]);
}

/** Median of the sizes of differences in some columns. */
static double median(const double *row, long first, long last, long next, long views, double *list)
{
	long n = 0;

	for (long k = 1; k + 1 < views; k++)
		for (long a = first; a < last; a++)
			list[n++] = fabs(difference(row + k * next + a, next));

	qsort(list, (size_t)n, sizeof *list, ascending);

	return list[n / 2];
}

double axis_noise(const double *p, long cols, long rows, long views)
{
	const double *row = p + rows / 2 * cols;
	double sum = 0.;
	long blocks = 0;

	if (cols < 3 || views < 3)
		return 0.;

	double *list = mem_alloc((size_t)(BLOCK * views) * sizeof *list);

	for (long a = 1; a < cols - 1; a += BLOCK, blocks++) {
		const long last = (a + BLOCK < cols - 1) ? a + BLOCK : cols - 1;
		const double m = median(row, a, last, cols * rows, views, list) / 0.6745 / 6.;

		sum += m * m;
	}

	free(list);
	return sqrt(sum / (double)blocks);
}
