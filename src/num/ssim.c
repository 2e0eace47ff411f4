/* Structural similarity, slice by slice, in bands of rows: per band the five products are filtered along
 * rows, then along columns. */

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "num/similarity.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/convert.h"
#include "num/multind.h"

enum {
	WINDOW = 11,
	BAND = 32,                // rows of windows that one thread takes at a time
	ROWS = BAND + WINDOW - 1, // of the images under them
	PRODUCTS = 5              // x, y, xx, yy, xy
};

static const double sigma = 1.5;

struct ssim {
	const struct cfl *ref, *img, *mask;
	const char *ref_data, *img_data, *mask_data;
	long nx, ny;          // of a slice
	long mask_strs[DIMS]; // [elements], 0 where repeated
	double c1, c2;
	double g[WINDOW];
};

struct sums {
	double value;
	long n;
};

static void make_window(double g[WINDOW])
{
	double sum = 0.;

	for (int i = 0; i < WINDOW; i++) {
		double t = (i - WINDOW / 2) / sigma;

		g[i] = exp(-0.5 * t * t);
		sum += g[i];
	}

	for (int i = 0; i < WINDOW; i++)
		g[i] /= sum;
}

/* A row as real numbers: values, or magnitudes of complex data. */
static void read_row(
        const struct cfl *f, const char *data, long first, long n, double *out, complex double *tmp)
{
	const void *in = data + first * (long)dtype_size(f->hdr.type);

	if (!dtype_is_complex(f->hdr.type)) {
		convert(DT_FLOAT64, out, f->hdr.type, in, n, NARROW_SATURATE);
		return;
	}

	convert(DT_COMPLEX128, tmp, f->hdr.type, in, n, NARROW_SATURATE);

	for (long i = 0; i < n; i++)
		out[i] = cabs(tmp[i]);
}

/* out[k] = the five products of a row, filtered along it: nx - 10 values each. */
static void filter_row(const struct ssim *s, const double *x, const double *y, double *out, long step)
{
	long n = s->nx - WINDOW + 1;

	for (long i = 0; i < n; i++) {
		double sum[PRODUCTS] = {0.};

		for (int k = 0; k < WINDOW; k++) {
			double a = x[i + k];
			double b = y[i + k];
			double g = s->g[k];

			sum[0] += g * a;
			sum[1] += g * b;
			sum[2] += g * a * a;
			sum[3] += g * b * b;
			sum[4] += g * a * b;
		}

		for (int p = 0; p < PRODUCTS; p++)
			out[p * step + i] = sum[p];
	}
}

static double index_of(const struct ssim *s, const double m[PRODUCTS])
{
	double vx = m[2] - m[0] * m[0];
	double vy = m[3] - m[1] * m[1];
	double cov = m[4] - m[0] * m[1];

	return (2. * m[0] * m[1] + s->c1) * (2. * cov + s->c2) /
	       ((m[0] * m[0] + m[1] * m[1] + s->c1) * (vx + vy + s->c2));
}

static bool in_mask(const struct ssim *s, long slice, long column, long row)
{
	if (s->mask == NULL)
		return true;

	long at = column * s->mask_strs[0] + row * s->mask_strs[1];

	for (int d = 2; d < DIMS; d++) {
		at += slice % s->ref->hdr.dims[d] * s->mask_strs[d];
		slice /= s->ref->hdr.dims[d];
	}

	unsigned char held;

	convert(DT_BOOL, &held, s->mask->hdr.type, s->mask_data + at * (long)dtype_size(s->mask->hdr.type), 1,
	        NARROW_SATURATE);

	return held;
}

/* Sum over one row of windows; `rows` are the filtered rows under them. */
static void sum_row(const struct ssim *s, const double *rows, long slice, long top, struct sums *out)
{
	long n = s->nx - WINDOW + 1;

	for (long i = 0; i < n; i++) {
		double m[PRODUCTS] = {0.};

		if (!in_mask(s, slice, i + WINDOW / 2, top + WINDOW / 2))
			continue;

		for (int k = 0; k < WINDOW; k++)
			for (int p = 0; p < PRODUCTS; p++)
				m[p] += s->g[k] * rows[(k * PRODUCTS + p) * n + i];

		out->value += index_of(s, m);
		out->n++;
	}
}

/* One band of windows, rows top .. top + count - 1. buf: (ROWS * PRODUCTS + 4) nx. */
static struct sums sum_band(const struct ssim *s, long slice, long top, long count, double *buf)
{
	long n = s->nx - WINDOW + 1;
	double *x = buf + ROWS * PRODUCTS * s->nx;
	double *y = x + s->nx;
	complex double *tmp = (complex double *)(y + s->nx);
	struct sums out = {0};

	for (long r = 0; r < count + WINDOW - 1; r++) {
		long first = (slice * s->ny + top + r) * s->nx;

		read_row(s->ref, s->ref_data, first, s->nx, x, tmp);
		read_row(s->img, s->img_data, first, s->nx, y, tmp);
		filter_row(s, x, y, buf + r * PRODUCTS * n, n);
	}

	for (long r = 0; r < count; r++)
		sum_row(s, buf + r * PRODUCTS * n, slice, top + r, &out);

	return out;
}

static void prepare(struct ssim *s, double range)
{
	s->nx = s->ref->hdr.dims[0];
	s->ny = s->ref->hdr.dims[1];
	s->c1 = (0.01 * range) * (0.01 * range);
	s->c2 = (0.03 * range) * (0.03 * range);
	make_window(s->g);

	if (s->nx < WINDOW || s->ny < WINDOW)
		error("%s is %s, expected slices of at least %d x %d for ssim", s->ref->name,
		        hdr_shape(&s->ref->hdr), WINDOW, WINDOW);

	if (s->mask != NULL)
		md_calc_strides(DIMS, s->mask_strs, s->mask->hdr.dims, 1);
}

double similarity_ssim(struct cfl *ref, struct cfl *img, struct cfl *mask, double range)
{
	struct ssim s = {
	        .ref = ref, .img = img, .mask = mask, .ref_data = cfl_map(ref), .img_data = cfl_map(img)};

	s.mask_data = mask != NULL ? cfl_map(mask) : NULL;
	prepare(&s, range);

	long windows = s.ny - WINDOW + 1;
	long bands = (windows + BAND - 1) / BAND;
	long tasks = bands * (ref->count / (s.nx * s.ny));
	struct sums *sums = mem_calloc((size_t)tasks, sizeof *sums);

#pragma omp parallel
	{
		double *buf = mem_alloc((size_t)((ROWS * PRODUCTS + 4) * s.nx) * sizeof(double));

#pragma omp for schedule(dynamic)
		for (long t = 0; t < tasks; t++) {
			long top = t % bands * BAND;

			sums[t] = sum_band(
			        &s, t / bands, top, windows - top < BAND ? windows - top : BAND, buf);
		}

		free(buf);
	}

	struct sums all = {0};

	for (long t = 0; t < tasks; t++) {
		all.value += sums[t].value;
		all.n += sums[t].n;
	}

	free(sums);

	if (all.n == 0)
		error("%s holds no pixel at least %d away from the edge of a slice: ssim compares nothing",
		        mask->name, WINDOW / 2);

	return all.value / (double)all.n;
}
