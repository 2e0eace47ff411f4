#include "correct/outliers.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/select.h"

long outliers_reach(const struct outliers *o)
{
	return (o->dims & 4ul) ? o->radius : 0;
}

static bool is_bad(const struct outliers *o, long at)
{
	return NULL != o->bad && 0 != o->bad[at];
}

/** Collects good values in a box around (a, b), at most `reach` away along `dims`; returns their number.
 */
static long collect(const struct outliers *o, const struct single_view *v, unsigned long dims, long reach,
        long a, long b, double *values)
{
	const long ru = (dims & 1ul) ? reach : 0, rv = (dims & 2ul) ? reach : 0;
	const long before = (dims & 4ul) ? v->before : 0, after = (dims & 4ul) ? v->after : 0;
	const long a0 = (a < ru) ? 0 : a - ru, a1 = (a + ru < o->cols) ? a + ru : o->cols - 1;
	const long b0 = (b < rv) ? 0 : b - rv, b1 = (b + rv < o->rows) ? b + rv : o->rows - 1;
	long n = 0;

	for (long k = -before; k <= after; k++)
		for (long j = b0; j <= b1; j++)
			for (long i = a0; i <= a1; i++) {
				const double x = v->in[k * v->size + j * o->cols + i];

				if (isfinite(x) && !is_bad(o, j * o->cols + i))
					values[n++] = x + 0.; // of the two zeros one
			}

	return n;
}

/** The median of the good values around a pixel; where there are none, of a larger square of the view. NAN
 * when the whole view has none that near. */
static double around(const struct outliers *o, const struct single_view *v, long a, long b, double *values)
{
	long n = collect(o, v, o->dims, o->radius, a, b, values);

	for (long r = 1; 0 == n && (2 * r + 1) * (2 * r + 1) <= OUTLIERS_WINDOW; r++)
		n = collect(o, v, 3ul, r, a, b, values);

	return n ? select_median(n, values) : NAN;
}

static double noise_unit(const struct outliers *o, double median)
{
	return o->counts ? sqrt(median > 1. ? median : 1.) : 1.;
}

/** The bound of |x - m| / noise_unit(m), from the medians of a view. */
static double bound(
        const struct outliers *o, const struct single_view *v, const double *medians, double *work)
{
	long n = 0;

	for (long i = 0; i < v->size; i++)
		if (isfinite(v->in[i]) && !is_bad(o, i))
			work[n++] = fabs(v->in[i] - medians[i]) / noise_unit(o, medians[i]);

	if (0 == n)
		return 0.;

	double mean = 0.; // for values of which most are alike, as without noise

	for (long i = 0; i < n; i++)
		mean += work[i] / (double)n;

	const double median = select_median(n, work);

	return o->sigmas * (median > 0. ? 1.4826 * median : 1.2533 * mean);
}

void outliers_view(void *ctx, const struct single_view *v)
{
	struct outliers *o = ctx;
	double *values = mem_alloc(OUTLIERS_WINDOW * sizeof *values), *work = NULL;
	long found = 0, lost = 0, empty = 0;
	double limit = o->threshold;

	for (long b = 0; b < o->rows; b++)
		for (long a = 0; a < o->cols; a++)
			v->out[b * o->cols + a] = around(o, v, a, b, values);

	if (isnan(limit)) {
		work = mem_alloc((size_t)v->size * sizeof *work);
		limit = bound(o, v, v->out, work);
	}

	for (long i = 0; i < v->size; i++) {
		const double x = v->in[i], m = v->out[i];
		const double d = isnan(o->threshold) ? (x - m) / noise_unit(o, m) : x - m;
		const bool gone = !isfinite(x) || is_bad(o, i);
		const bool far = !gone && ((o->bright && d > limit) || (o->dark && -d > limit));

		lost += gone;
		empty += isnan(m);
		found += far;
		v->out[i] = (gone || far) ? m : x;
	}

	free(values);
	free(work);

#pragma omp atomic
	o->found += found;
#pragma omp atomic
	o->lost += lost;
#pragma omp atomic
	o->empty += empty;
}

/** Mean and variance over the frames of f. */
static void mean_and_variance(struct cfl *f, long size, double *mean, double *variance)
{
	const long frames = f->count / size;
	double *x = mem_alloc((size_t)size * sizeof *x);

	for (long k = 0; k < frames; k++) {
		convert(DT_FLOAT64, x, f->hdr.type, cfl_next(f, size), size, NARROW_SATURATE);

		for (long i = 0; i < size; i++) { // Welford's recurrence
			const double d = x[i] - mean[i];

			mean[i] += d / (double)(k + 1);
			variance[i] += d * (x[i] - mean[i]);
		}
	}

	free(x);
}

long outliers_find_pixels(struct cfl *f, double sigmas, long cols, long rows, unsigned char *bad)
{
	const long size = cols * rows, frames = f->count / size;

	if (f->hdr.dims[0] != cols || f->hdr.dims[1] != rows)
		error("%s has dimensions %s, expected frames of %ld x %ld", f->name, hdr_shape(&f->hdr), cols,
		        rows);

	double *mean = mem_calloc((size_t)size, sizeof *mean),
	       *variance = mem_calloc((size_t)size, sizeof *mean);
	double *out = mem_alloc((size_t)size * sizeof *out), *work = mem_alloc((size_t)size * sizeof *work);
	long flat = 0, marked = 0;

	mean_and_variance(f, size, mean, variance);

	for (long i = 0; i < size; i++)
		flat += !(variance[i] > 0.);

	for (long i = 0; i < size; i++)
		bad[i] = !isfinite(mean[i]) || (frames > 1 && 2 * flat < size && !(variance[i] > 0.));

	struct outliers o = {
	        .cols = cols, .rows = rows, .radius = 3, .dims = 3ul, .bad = bad, .sigmas = sigmas};
	const struct single_view v = {.size = size, .in = mean, .out = out};
	double *values = mem_alloc(OUTLIERS_WINDOW * sizeof *values);
	unsigned char *far = mem_alloc((size_t)size);

	for (long i = 0; i < size; i++)
		out[i] = around(&o, &v, i % cols, i / cols, values);

	const double limit = bound(&o, &v, out, work);

	for (long i = 0; i < size; i++)
		far[i] = bad[i] || fabs(mean[i] - out[i]) > limit;

	for (long i = 0; i < size; i++)
		marked += bad[i] = far[i];

	free(mean);
	free(variance);
	free(out);
	free(work);
	free(values);
	free(far);

	return marked;
}

long outliers_read_map(struct cfl *f, long cols, long rows, unsigned char *bad)
{
	const long size = cols * rows;
	long marked = 0;

	if (f->hdr.dims[0] != cols || f->hdr.dims[1] != rows || f->count != size)
		error("%s has dimensions %s, expected a map of %ld x %ld pixels", f->name, hdr_shape(&f->hdr),
		        cols, rows);

	double *x = mem_alloc((size_t)size * sizeof *x);

	convert(DT_FLOAT64, x, f->hdr.type, cfl_map(f), size, NARROW_SATURATE);

	for (long i = 0; i < size; i++)
		marked += bad[i] = !(0. == x[i]);

	free(x);

	return marked;
}
