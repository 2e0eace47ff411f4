#include "correct/normalize_device.h"

#include <math.h>
#include <stdlib.h>

#include "correct/eigen_flats.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/kern/convert.h"

/** Computes the mean over the frames of a dark or flat, and repeats it to cols * rows elements. */
static double *mean_frame(struct cfl *f, long cols, long rows)
{
	const long *d = f->hdr.dims;
	long size = d[0] * d[1], frames = f->count / size;
	bool fits = (d[0] == cols || 1 == d[0]) && (d[1] == rows || 1 == d[1]) && size * d[2] == f->count;

	if (!fits)
		error("%s has dimensions %s, expected frames of %ld x %ld", f->name, hdr_shape(&f->hdr), cols,
		        rows);

	double *x = mem_alloc((size_t)size * sizeof *x), *sum = mem_calloc((size_t)size, sizeof *sum);
	const char *all = cfl_map(f);

	for (long k = 0; k < frames; k++) {
		convert(DT_FLOAT64, x, f->hdr.type, all + k * size * (long)dtype_size(f->hdr.type), size,
		        NARROW_SATURATE);

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
	*z = (struct normalizer){.cols = cols, .rows = rows, .air_rows = rows, .log = true};

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
	free(z->image);
	free(z->at);
	device_free(z->there);
	device_free(z->gain_there);
}

/** All frames of a flat, of the detector's size, as float64. */
static double *read_frames(struct cfl *f, long size, long cols, long *frames)
{
	*frames = f->count / size;

	if (f->hdr.dims[0] != cols || f->hdr.dims[0] * f->hdr.dims[1] != size ||
	        size * f->hdr.dims[2] != f->count)
		error("%s has dimensions %s, expected frames of %ld x %ld", f->name, hdr_shape(&f->hdr), cols,
		        size / cols);

	double *x = mem_alloc((size_t)f->count * sizeof *x);

	convert(DT_FLOAT64, x, f->hdr.type, cfl_map(f), f->count, NARROW_SATURATE);

	for (long i = 0; i < f->count; i++)
		if (!isfinite(x[i]))
			error("%s: element %ld of frame %ld is not finite; run gantry outliers first",
			        f->name, i % size, i / size);

	return x;
}

void normalizer_flats_at(struct normalizer *z, struct cfl *flat, long n, const long at[])
{
	const long size = z->cols * z->rows;
	long frames, k = 0;

	z->image = read_frames(flat, size, z->cols, &frames);
	z->at = mem_alloc((size_t)n * sizeof *z->at);

	if (frames != n)
		error("%s has %ld frames, expected %ld (one for each view of --flat-views)", flat->name,
		        frames, n);

	for (long first = 0, same; first < n; first += same, k++) {
		for (same = 1; first + same < n && at[first + same] == at[first]; same++)
			;

		z->at[k] = (double)at[first];

		for (long i = 0; i < size; i++) {
			double sum = 0.;

			for (long m = first; m < first + same; m++)
				sum += z->image[m * size + i];

			z->image[k * size + i] = sum / (double)same;
		}
	}

	z->images = k;
}

void normalizer_eigen_flats(struct normalizer *z, struct cfl *flat, long n)
{
	const long size = z->cols * z->rows;
	long frames;
	double *x = read_frames(flat, size, z->cols, &frames);

	if (frames <= n)
		error("%s has %ld frames, expected more than the number of components, %ld", flat->name,
		        frames, n);

	z->images = n + 1;
	z->image = mem_alloc((size_t)mul_checked(n + 1, size, flat->name) * sizeof *x);
	eigen_flats(frames, size, x, n, z->image);
	free(x);
}

double normalizer_level(const struct normalizer *z, long i)
{
	const long images = z->at ? z->images : 1;
	double flat = z->dark ? -z->dark[i] : 0.;

	if (0 == z->images)
		return (NULL != z->gain && z->gain[i] > 0.) ? 1. / z->gain[i] : 0.;

	for (long m = 0; m < images; m++)
		flat += z->image[m * z->cols * z->rows + i] / (double)images;

	return flat;
}

long normalizer_unlit(const struct normalizer *z)
{
	long unlit = 0;

	for (long i = 0; i < z->cols * z->rows; i++)
		unlit += (NULL != z->gain || 0 != z->images) && !(normalizer_level(z, i) > 0.);

	return unlit;
}

/** Weights c of the images in the flat of a view x. */
static void weights_of(const struct normalizer *z, const double *x, long view, double c[])
{
	if (NULL == z->at) {
		eigen_flats_weights(z->cols, z->rows, z->images - 1, z->image, z->dark, x, c);
		return;
	}

	long k = 0;

	for (long m = 0; m < z->images; m++)
		c[m] = 0.;

	while (k + 1 < z->images && z->at[k + 1] <= (double)view)
		k++;

	const bool between = k + 1 < z->images && (double)view > z->at[k];

	c[k] = 1.;

	if (between) {
		c[k + 1] = ((double)view - z->at[k]) / (z->at[k + 1] - z->at[k]);
		c[k] -= c[k + 1];
	}
}

double normalizer_gain(const struct normalizer *z, long i, const double c[])
{
	if (0 == z->images)
		return z->gain[i];

	double open = z->dark ? -z->dark[i] : 0.;

	for (long m = 0; m < z->images; m++)
		open += c[m] * z->image[m * z->cols * z->rows + i];

	return (open > 0.) ? 1. / open : 0.;
}

/** Transmission of a detector row; a value without one becomes NaN. *sum and *count: of the good ones in the
 * air columns. */
static void flatten(
        const struct normalizer *z, double *x, long row, const double c[], double *sum, long *count)
{
	const double *dark = z->dark ? z->dark + row * z->cols : NULL;
	const bool flat = NULL != z->gain || 0 != z->images;
	const bool air = row >= z->air_row && row < z->air_row + z->air_rows;

	for (long a = 0; a < z->cols; a++) {
		double t = x[a] - (dark ? dark[a] : 0.);

		if (flat) {
			const double gain = normalizer_gain(z, row * z->cols + a, c);

			t = (gain > 0.) ? t * gain : NAN;
		}

		x[a] = isfinite(t) ? t : NAN;
	}

	*sum = 0.;
	*count = 0;

	for (int r = 0; air && r < z->airs; r++)
		for (long a = z->air[r].first; a < z->air[r].first + z->air[r].count; a++)
			if (!isnan(x[a])) {
				*sum += x[a];
				++*count;
			}
}

double normalize_air_factor(const struct normalizer *z, double sum, long count, long view, const char *name)
{
	const double air = sum / (double)count;

	if (air > 0.)
		return 1. / air;

	struct str s = {0};

	for (int r = 0; r < z->airs; r++)
		str_printf(&s, "%s%ld:%ld", r ? "," : "", z->air[r].first, z->air[r].first + z->air[r].count);

	error("%s: view %ld: the air columns %s have the mean transmission %g, expected a positive value",
	        name, view, s.data, count ? air : 0.);
}

/** Factor of a view: 1 / air. */
static double air_factor(
        const struct normalizer *z, const double *sum, const long *count, long view, const char *name)
{
	double total = 0.;
	long n = 0;

	if (0 == z->airs)
		return 1.;

	for (long b = 0; b < z->rows; b++) {
		total += sum[b];
		n += count[b];
	}

	return normalize_air_factor(z, total, n, view, name);
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

double *normalizer_shares(const struct normalizer *z, const double *x, long first, long n)
{
	double *c = mem_alloc((size_t)(n * z->images + 1) * sizeof *c);

	if (0 < z->images) {
#pragma omp parallel for schedule(dynamic)
		for (long k = 0; k < n; k++)
			weights_of(z, x + k * z->rows * z->cols, (first + k) % z->views, c + k * z->images);
	}

	return c;
}

void normalize_views(struct normalizer *z, double *x, long first, long n, const char *name)
{
	if (device_holds(x)) {
		normalize_views_device(z, x, first, n, name);
		return;
	}

	long lines = n * z->rows, dead = 0, clamped = 0;
	const int threads = threads_for(4. * (double)(lines * z->cols));
	double *sum = mem_alloc((size_t)lines * sizeof *sum);
	double *factor = mem_alloc((size_t)n * sizeof *factor);
	long *count = mem_alloc((size_t)lines * sizeof *count);
	double *c = normalizer_shares(z, x, first, n);

#pragma omp parallel for schedule(static) num_threads(threads)
	for (long l = 0; l < lines; l++)
		flatten(z, x + l * z->cols, l % z->rows, c + l / z->rows * z->images, sum + l, count + l);

	for (long k = 0; k < n; k++)
		factor[k] = air_factor(z, sum + k * z->rows, count + k * z->rows, first + k, name);

#pragma omp parallel for schedule(static) reduction(+ : dead, clamped) num_threads(threads)
	for (long l = 0; l < lines; l++)
		finish(z, x + l * z->cols, factor[l / z->rows], &dead, &clamped);

	z->dead += dead;
	z->clamped += clamped;
	free(c);
	free(count);
	free(factor);
	free(sum);
}
