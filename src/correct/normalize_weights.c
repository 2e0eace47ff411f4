#include "correct/normalize_weights.h"

#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "misc/threads.h"
#include "num/kern/convert.h"

/* The median of the square of a standard normal number. */
static const double median_square = 0.45493642;

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double mean(const double *x, long n)
{
	double sum = 0.;

	for (long i = 0; i < n; i++)
		sum += x[i];

	return sum / (double)n;
}

/** The level above the dark of pixel i of a frame, which may be repeated over the detector. */
static double level_of(const struct normalizer *z, const struct cfl *flat, long i)
{
	const long cols = flat->hdr.dims[0];

	return normalizer_level(z, i / cols * z->cols + i % cols);
}

/** The variance of a pixel, from differences of successive frames; z NULL: as it is, else over the pixel's
 * level, the frames scaled to the same brightness. NAN: a single frame. */
static double spread(struct cfl *f, const struct normalizer *z)
{
	const long size = f->hdr.dims[0] * f->hdr.dims[1], frames = f->count / size;
	double *x = mem_alloc((size_t)f->count * sizeof *x), *v = mem_alloc((size_t)f->count * sizeof *v);
	long n = 0;

	convert(DT_FLOAT64, x, f->hdr.type, cfl_map(f), f->count, NARROW_SATURATE);

	for (long k = 0; k + 1 < frames; k++) {
		const double *a = x + k * size, *b = a + size;
		const double by = (NULL != z) ? mean(a, size) / mean(b, size) : 1.;

		for (long i = 0; i < size; i++) {
			const double d = a[i] - by * b[i], over = (NULL != z) ? level_of(z, f, i) : 1.;

			if (over > 0. && isfinite(d))
				v[n++] = 0.5 * d * d / over;
		}
	}

	qsort(v, (size_t)n, sizeof *v, ascending);

	const double m = (0 < n) ? v[n / 2] / median_square : NAN;

	free(x);
	free(v);

	return m;
}

/** The variance of a count without light, over the median level of the flat. */
static double share_of_read(double read, const struct normalizer *z, const struct cfl *flat)
{
	const long size = flat->hdr.dims[0] * flat->hdr.dims[1];
	double *level = mem_alloc((size_t)size * sizeof *level);

	for (long i = 0; i < size; i++)
		level[i] = level_of(z, flat, i);

	qsort(level, (size_t)size, sizeof *level, ascending);

	const double median = level[size / 2];

	free(level);

	return (median > 0.) ? read / median : 0.;
}

void normalize_noise_measure(
        struct normalize_noise *v, const struct normalizer *z, struct cfl *dark, struct cfl *flat)
{
	const double read = (NULL != dark) ? spread(dark, NULL) : NAN;

	v->gain = 1.;
	v->read = isnan(read) ? 0. : read;
	v->frames = 0;

	if (NULL == flat)
		return;

	const double gain = spread(flat, z) - share_of_read(v->read, z, flat);

	v->frames = flat->count / (flat->hdr.dims[0] * flat->hdr.dims[1]);

	if (gain > 0.)
		v->gain = gain;
}

/** Of a detector row with shares c of the images of its flat. */
static long weigh(const struct normalizer *z, const struct normalize_noise *v, double *w, const double *x,
        long row, const double c[])
{
	long saturated = 0;

	for (long a = 0; a < z->cols; a++) {
		const long i = row * z->cols + a;
		const double n = x[a] - (z->dark ? z->dark[i] : 0.);
		const double open = (0 < v->frames) ? normalizer_gain(z, i, c) : 0.;
		double variance = (v->gain * n + v->read) / (n * n);

		if (0 < v->frames)
			variance += (v->gain + v->read * open) * open / (double)v->frames;

		const bool full = x[a] >= v->saturation, dead = 0 < v->frames && !(open > 0.);

		saturated += full;
		w[a] = (n > 0. && isfinite(n) && !dead && !full) ? 1. / variance : 0.;
	}

	return saturated;
}

void normalize_weights(
        const struct normalizer *z, struct normalize_noise *v, double *w, const double *x, long first, long n)
{
	const long lines = n * z->rows;
	double *c = normalizer_shares(z, x, first, n);
	long saturated = 0;

#pragma omp parallel for schedule(static) reduction(+ : saturated) num_threads(threads_for(8. * (double)(lines * z->cols)))
	for (long l = 0; l < lines; l++)
		saturated += weigh(
		        z, v, w + l * z->cols, x + l * z->cols, l % z->rows, c + l / z->rows * z->images);

	v->saturated += saturated;
	free(c);
}
