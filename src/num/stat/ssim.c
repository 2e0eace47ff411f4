/* Structural similarity, slice by slice, in bands of rows: per band the five products are filtered along
 * rows, then along columns. */

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/stat/similarity.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

enum {
	WINDOW = 11,
	BAND = 32,                // rows of windows that one thread takes at a time
	ROWS = BAND + WINDOW - 1, // of the images under them
	PRODUCTS = 5              // x, y, xx, yy, xy
};

static const double sigma = 1.5;

/* An image of the pair: slices of nx x ny elements, one behind the other. */
struct side {
	enum dtype type;
	const char *data;
	bool magnitude; // one of the pair is complex
};

struct ssim {
	struct side ref, img;
	long nx, ny;
	const struct hdr *hdr; // of the array, for mask and region
	const struct cfl *mask;
	const struct region *region;
	const char *mask_data;
	long mask_strs[DIMS]; // [elements], 0 where repeated
	double c1, c2;
	double g[WINDOW];
};

/* Sums over n windows of the index and of its contrast-structure factor. */
struct sums {
	double value, contrast;
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

/* A row as real numbers: values, or magnitudes if one of the pair is complex. */
static void read_row(const struct side *s, long first, long n, double *out, complex double *tmp)
{
	const void *in = s->data + first * (long)dtype_size(s->type);

	if (!dtype_is_complex(s->type)) {
		convert(DT_FLOAT64, out, s->type, in, n, NARROW_SATURATE);

		for (long i = 0; i < n && s->magnitude; i++)
			out[i] = fabs(out[i]);
		return;
	}

	convert(DT_COMPLEX128, tmp, s->type, in, n, NARROW_SATURATE);

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

static void add_window(const struct ssim *s, const double m[PRODUCTS], struct sums *out)
{
	double vx = m[2] - m[0] * m[0];
	double vy = m[3] - m[1] * m[1];
	double cov = m[4] - m[0] * m[1];
	double contrast = (2. * cov + s->c2) / (vx + vy + s->c2);

	out->value += (2. * m[0] * m[1] + s->c1) / (m[0] * m[0] + m[1] * m[1] + s->c1) * contrast;
	out->contrast += contrast;
	out->n++;
}

static bool is_held(const struct ssim *s, long slice, long column, long row)
{
	unsigned char held = 1;

	if (s->region != NULL)
		region_fill(s->region, s->hdr, (slice * s->ny + row) * s->nx + column, 1, &held);

	if (s->mask == NULL || !held)
		return held;

	long at = column * s->mask_strs[0] + row * s->mask_strs[1];

	for (int d = 2; d < DIMS; d++) {
		at += slice % s->hdr->dims[d] * s->mask_strs[d];
		slice /= s->hdr->dims[d];
	}

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

		if (!is_held(s, slice, i + WINDOW / 2, top + WINDOW / 2))
			continue;

		for (int k = 0; k < WINDOW; k++)
			for (int p = 0; p < PRODUCTS; p++)
				m[p] += s->g[k] * rows[(k * PRODUCTS + p) * n + i];

		add_window(s, m, out);
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

		read_row(&s->ref, first, s->nx, x, tmp);
		read_row(&s->img, first, s->nx, y, tmp);
		filter_row(s, x, y, buf + r * PRODUCTS * n, n);
	}

	for (long r = 0; r < count; r++)
		sum_row(s, buf + r * PRODUCTS * n, slice, top + r, &out);

	return out;
}

static void prepare(
        struct ssim *s, struct cfl *ref, struct cfl *img, double range, long least, const char *name)
{
	const bool cplx = dtype_is_complex(ref->hdr.type) || dtype_is_complex(img->hdr.type);

	*s = (struct ssim){.ref = {ref->hdr.type, cfl_map(ref), cplx},
	        .img = {img->hdr.type, cfl_map(img), cplx},
	        .nx = ref->hdr.dims[0],
	        .ny = ref->hdr.dims[1],
	        .hdr = &ref->hdr,
	        .c1 = (0.01 * range) * (0.01 * range),
	        .c2 = (0.03 * range) * (0.03 * range)};
	make_window(s->g);

	if (s->nx < least || s->ny < least)
		error("%s is %s, expected slices of at least %ld x %ld for %s", ref->name,
		        hdr_shape(&ref->hdr), least, least, name);
}

/* Over the windows of so many slices. */
static struct sums sum_slices(const struct ssim *s, long slices)
{
	long windows = s->ny - WINDOW + 1;
	long bands = (windows + BAND - 1) / BAND;
	long tasks = bands * slices;
	struct sums *sums = mem_calloc((size_t)tasks, sizeof *sums), all = {0};

#pragma omp parallel
	{
		double *buf = mem_alloc((size_t)((ROWS * PRODUCTS + 4) * s->nx) * sizeof(double));

#pragma omp for schedule(dynamic)
		for (long t = 0; t < tasks; t++) {
			long top = t % bands * BAND;

			sums[t] =
			        sum_band(s, t / bands, top, windows - top < BAND ? windows - top : BAND, buf);
		}

		free(buf);
	}

	for (long t = 0; t < tasks; t++) {
		all.value += sums[t].value;
		all.contrast += sums[t].contrast;
		all.n += sums[t].n;
	}

	free(sums);

	return all;
}

double similarity_ssim(
        struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region, double range)
{
	struct ssim s;

	prepare(&s, ref, img, range, WINDOW, "ssim");
	s.region = region;
	s.mask = mask;

	if (mask != NULL) {
		s.mask_data = cfl_map(mask);
		md_calc_strides(DIMS, s.mask_strs, mask->hdr.dims, 1);
	}

	struct sums all = sum_slices(&s, ref->count / (s.nx * s.ny));

	if (all.n == 0)
		error("%s contains only pixels less than %d pixels from the edge of a slice, where ssim is "
		      "not defined",
		        mask != NULL ? mask->name : region->text, WINDOW / 2);

	return all.value / (double)all.n;
}

/* ---- several scales ---- */

static const double scale_power[] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

enum { SCALES = sizeof scale_power / sizeof scale_power[0], LEAST = WINDOW << (SCALES - 1) };

/* Means of 2 x 2 elements of a slice. An odd last row or column is left out. */
static void halve(const struct side *in, long nx, long ny, double *out)
{
	double *row = mem_alloc((size_t)nx * sizeof *row);
	complex double *tmp = mem_alloc((size_t)nx * sizeof *tmp);

	memset(out, 0, (size_t)((nx / 2) * (ny / 2)) * sizeof *out);

	for (long j = 0; j < ny / 2 * 2; j++) {
		read_row(in, j * nx, nx, row, tmp);

		for (long i = 0; i < nx / 2 * 2; i++)
			out[j / 2 * (nx / 2) + i / 2] += 0.25 * row[i];
	}

	free(row);
	free(tmp);
}

/* The slice that begins at `first`; half[]: room for two series of ever smaller slices. */
static double slice_msssim(const struct ssim *whole, long first, double *const half[2])
{
	struct ssim s = *whole;
	struct side *sides[2] = {&s.ref, &s.img};
	double product = 1.;

	for (int k = 0; k < 2; k++)
		sides[k]->data += first * (long)dtype_size(sides[k]->type);

	for (long scale = 0, used = 0; scale < SCALES; scale++) {
		struct sums sums = sum_slices(&s, 1);
		double mean = (scale < SCALES - 1 ? sums.contrast : sums.value) / (double)sums.n;

		product *= pow(fmax(mean, 0.), scale_power[scale]);

		for (int k = 0; k < 2 && scale < SCALES - 1; k++) {
			halve(sides[k], s.nx, s.ny, half[k] + used);
			*sides[k] = (struct side){.type = DT_FLOAT64, .data = (const char *)(half[k] + used)};
		}

		s.nx /= 2;
		s.ny /= 2;
		used += s.nx * s.ny;
	}

	return product;
}

double similarity_msssim(struct cfl *ref, struct cfl *img, double range)
{
	struct ssim s;

	prepare(&s, ref, img, range, LEAST, "ms-ssim");

	long slice = s.nx * s.ny, slices = ref->count / slice;
	double *half[2], sum = 0.;

	for (int k = 0; k < 2; k++)
		half[k] = mem_alloc((size_t)(slice / 3 + 1) * sizeof *half[k]);

	for (long z = 0; z < slices; z++)
		sum += slice_msssim(&s, z * slice, half);

	free(half[0]);
	free(half[1]);

	return sum / (double)slices;
}
