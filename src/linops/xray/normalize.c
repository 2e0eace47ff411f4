#include "linops/xray/normalize.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/convert.h"

/** Mean over the frames of a dark or flat, repeated to cols * rows. */
static double *mean_frame(struct cfl *f, long cols, long rows)
{
	const long *d = f->hdr.dims;
	long size = d[0] * d[1], frames = f->count / size;
	bool fits = (d[0] == cols || 1 == d[0]) && (d[1] == rows || 1 == d[1]) && size * d[2] == f->count;

	if (!fits)
		error("%s: %s, expected frames of %ld x %ld", f->name, hdr_shape(&f->hdr), cols, rows);

	double *x = mem_alloc((size_t)size * sizeof *x), *sum = mem_calloc((size_t)size, sizeof *sum);

	for (long k = 0; k < frames; k++) {
		convert(DT_FLOAT64, x, f->hdr.type, cfl_next(f, size), size, NARROW_SATURATE);

		for (long i = 0; i < size; i++)
			sum[i] += x[i] / (double)frames;
	}

	free(x);

	double *out = mem_alloc((size_t)mul_checked(cols, rows, "the detector") * sizeof *out);

	for (long b = 0; b < rows; b++)
		for (long a = 0; a < cols; a++)
			out[b * cols + a] = sum[(b % d[1]) * d[0] + a % d[0]];

	free(sum);

	return out;
}

void normalizer_init(struct normalizer *z, long cols, long rows, struct cfl *dark, struct cfl *flat)
{
	*z = (struct normalizer){.cols = cols, .rows = rows, .log = true};

	if (dark)
		z->dark = mean_frame(dark, cols, rows);

	if (!flat)
		return;

	z->gain = mean_frame(flat, cols, rows);

	for (long i = 0; i < cols * rows; i++) {
		double open = z->gain[i] - (z->dark ? z->dark[i] : 0.);

		z->gain[i] = (open > 0. && isfinite(open)) ? 1. / open : 0.;
	}
}

void normalizer_free(struct normalizer *z)
{
	free(z->dark);
	free(z->gain);
}

/** Transmission of a detector row; a value without one becomes NaN. *sum and *count: of the good ones in the
 * air columns. */
static void flatten(const struct normalizer *z, double *x, long row, double *sum, long *count)
{
	const double *dark = z->dark ? z->dark + row * z->cols : NULL;
	const double *gain = z->gain ? z->gain + row * z->cols : NULL;

	for (long a = 0; a < z->cols; a++) {
		double t = x[a] - (dark ? dark[a] : 0.);

		if (gain)
			t = (gain[a] > 0.) ? t * gain[a] : NAN;

		x[a] = isfinite(t) ? t : NAN;
	}

	*sum = 0.;
	*count = 0;

	for (long a = z->air_first; a < z->air_first + z->air_count; a++)
		if (!isnan(x[a])) {
			*sum += x[a];
			++*count;
		}
}

/** Factor of a view: 1 / air. */
static double air_factor(
        const struct normalizer *z, const double *sum, const long *count, long view, const char *name)
{
	double total = 0.;
	long n = 0;

	if (0 == z->air_count)
		return 1.;

	for (long b = 0; b < z->rows; b++) {
		total += sum[b];
		n += count[b];
	}

	double air = total / (double)n;

	if (!(air > 0.))
		error("%s: view %ld: the air columns %ld:%ld have the mean %g, expected transmission above 0",
		        name, view, z->air_first, z->air_first + z->air_count, n ? air : 0.);

	return 1. / air;
}

/** A row's values: factor, floor, logarithm. */
static void finish(const struct normalizer *z, double *x, double factor, long *dead, long *clamped)
{
	for (long a = 0; a < z->cols; a++) {
		double t = x[a] * factor;

		if (isnan(t)) {
			t = 1.;
			++*dead;
		}

		if (z->log && !(t >= NORMALIZE_FLOOR)) {
			t = NORMALIZE_FLOOR;
			++*clamped;
		}

		x[a] = z->log ? 0. - log(t) : t;
	}
}

void normalize_views(struct normalizer *z, double *x, long first, long n, const char *name)
{
	long lines = n * z->rows, dead = 0, clamped = 0;
	double *sum = mem_alloc((size_t)lines * sizeof *sum);
	double *factor = mem_alloc((size_t)n * sizeof *factor);
	long *count = mem_alloc((size_t)lines * sizeof *count);

#pragma omp parallel for schedule(static)
	for (long l = 0; l < lines; l++)
		flatten(z, x + l * z->cols, l % z->rows, sum + l, count + l);

	for (long k = 0; k < n; k++)
		factor[k] = air_factor(z, sum + k * z->rows, count + k * z->rows, first + k, name);

#pragma omp parallel for schedule(static) reduction(+ : dead, clamped)
	for (long l = 0; l < lines; l++)
		finish(z, x + l * z->cols, factor[l / z->rows], &dead, &clamped);

	z->dead += dead;
	z->clamped += clamped;
	free(count);
	free(factor);
	free(sum);
}
