#include "iter/monitor/noise_level.h"

#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "num/kern/convert.h"

enum { SAMPLES = 1 << 18 };

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double noise_level(enum dtype type, const long dims[DIMS], int dim, const void *data, const struct weights *W)
{
	const long size = (long)dtype_size(type), n = dims[dim];
	long inner = 1, all = 1, count = 0;

	for (int d = 0; d < DIMS; all *= dims[d++])
		inner *= (d < dim) ? dims[d] : 1;

	if (n < 3)
		return NAN;

	// places are spread over the array
	const long places = all / n * (n - 2), most = (places < SAMPLES) ? places : SAMPLES;
	double *v = mem_alloc(sizeof *v * (size_t)most);

	for (long k = 0; k < most; k++) {
		const long place = (long)((double)k / (double)most * (double)places);
		const long line = place / (n - 2), i = 1 + place % (n - 2);
		const long at = line % inner + line / inner * inner * n + i * inner;
		double e[3], w = 1.;

		for (int j = -1; j <= 1; j++)
			convert(DT_FLOAT64, &e[j + 1], type, (const char *)data + (at + j * inner) * size, 1,
			        NARROW_SATURATE);

		if (NULL != W)
			weights_block(W, DT_FLOAT64, at, 1, &w);

		if (w > 0.)
			v[count++] = sqrt(w) * fabs(e[0] - 2. * e[1] + e[2]);
	}

	qsort(v, (size_t)count, sizeof *v, ascending);

	const double median = (0 < count) ? v[count / 2] : NAN;

	free(v);

	return median / (.67448975 * sqrt(6.));
}
