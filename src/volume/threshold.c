#include "volume/threshold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/shape/slabs.h"
#include "volume/mask_rows.h"
#include "volume/parts_mask.h"

/* ---- levels ---- */

struct levels {
	int n;
	const double *level;
	bool invert;
	long nans;
};

static void levels_block(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct levels *l = ctx;
	const double *x = in[0];
	unsigned char *y = out;
	const long nans = voxels_count_nan(DT_FLOAT64, n, x);

	(void)first;

	for (long i = 0; i < n; i++) {
		unsigned char above = 0;

		for (int k = 0; k < l->n; k++)
			above = (unsigned char)(above + (x[i] > l->level[k]));

		y[i] = l->invert ? x[i] <= l->level[0] : above;
	}

#pragma omp atomic
	l->nans += nans;
}

static void report_nans(const struct cfl *in, long nans)
{
	if (nans > 0)
		warn("%s: %ld of %ld elements are NaN and count as background", in->name, nans, in->count);
}

void threshold_levels(struct cfl *out, struct cfl *in, int levels, const double level[], bool invert)
{
	struct levels l = {levels, level, invert, 0};

	slabs_run(out, out->hdr.type, 1, (struct cfl *[]){in}, (enum dtype[]){DT_FLOAT64}, levels_block, &l,
	        "thresholding");

	report_nans(in, l.nans);
}

/* ---- hysteresis ---- */

void threshold_hysteresis(struct cfl *out, struct cfl *in, double low, double high, int neighbours)
{
	struct voxels v;
	struct voxels_out o;

	long nans = 0;

	voxels_open(&v, in);
	voxels_create(&o, out);

	for (long k = 0; k < v.volumes; k++) {
		struct mask_rows object = {.in = &v, .by_level = true, .level = low};
		const struct parts_volume volume = {.nx = v.nx,
		        .ny = v.ny,
		        .nz = v.nz,
		        .neighbours = neighbours,
		        .rows = mask_rows,
		        .ctx = &object,
		        .what = "finding components"};

		voxels_select(&v, k);

		struct parts *p = parts_find(&volume);
		bool *chosen = mem_calloc((size_t)parts_count(p) + 1, sizeof *chosen);

		nans += parts_above(p, &volume, chosen, &v, high);
		parts_mask(p, &volume, chosen, &o, k * v.each, 0);
		free(chosen);
		parts_free(p);
	}

	report_nans(in, nans);
}

/* ---- adaptive ---- */

struct adaptive {
	const struct voxels *in;
	const long *radius;
	double offset;
	bool invert;
	double *slice, *along; // of one slice: values, then sums along x and y; sums along x
	double *sum;           // over the slices of the window
};

/** Of n elements, how many are within r of i. */
static long window(long i, long r, long n)
{
	const long lo = (i - r > 0) ? i - r : 0, hi = (i < n - 1 - r) ? i + r : n - 1;

	return hi - lo + 1;
}

/** Sums of the rows of a slice over the window along x. */
static void sum_rows(const struct adaptive *a, long z)
{
	const struct voxels *v = a->in;
	const long nx = v->nx, r = a->radius[0];

#pragma omp parallel for schedule(static) num_threads(threads_for(4. * (double)(nx * v->ny)))
	for (long y = 0; y < v->ny; y++) {
		double *buffer = mem_alloc((size_t)nx * 24), *to = a->along + y * nx, sum = 0.;
		const double *x = voxels_get_as(v, DT_FLOAT64, (z * v->ny + y) * nx, nx, buffer, buffer + nx);

		for (long i = 0; i < nx; i++)
			if (!isfinite(x[i]))
				error("%s: contains NaN or infinite elements, expected finite ones",
				        v->file->name);

		for (long i = 0; i < nx && i < r; i++)
			sum += x[i];

		for (long i = 0; i < nx; i++) {
			sum += (i < nx - r) ? x[i + r] : 0.;
			to[i] = sum;
			sum -= (i >= r) ? x[i - r] : 0.;
		}

		free(buffer);
	}
}

/** Those sums over the window along y, for columns [x0, x1). */
static void sum_columns(const struct adaptive *a, long x0, long x1, double *sum)
{
	const long nx = a->in->nx, ny = a->in->ny, r = a->radius[1];

	for (long i = x0; i < x1; i++)
		sum[i] = 0.;

	for (long y = -r; y < ny; y++) {
		if (y < ny - r)
			for (long i = x0; i < x1; i++)
				sum[i] += a->along[(y + r) * nx + i];

		for (long i = x0; y >= 0 && i < x1; i++)
			a->slice[y * nx + i] = sum[i];

		if (y >= r)
			for (long i = x0; i < x1; i++)
				sum[i] -= a->along[(y - r) * nx + i];
	}
}

/** Adds slice z, or with a sign of -1 takes it away, to the sums over the window along z. */
static void sum_slice(const struct adaptive *a, long z, double sign)
{
	enum { STRIP = 256 };
	const long nx = a->in->nx, ny = a->in->ny;

	if (z < 0 || z >= a->in->nz)
		return;

	sum_rows(a, z);

#pragma omp parallel num_threads(threads_for(4. * (double)(nx * ny)))
	{
		double *sum = mem_alloc((size_t)nx * sizeof *sum);

#pragma omp for schedule(static)
		for (long x = 0; x < nx; x += STRIP)
			sum_columns(a, x, (nx - x < STRIP) ? nx : x + STRIP, sum);

#pragma omp for schedule(static)
		for (long i = 0; i < nx * ny; i++)
			a->sum[i] += sign * a->slice[i];

		free(sum);
	}
}

static void compare_slice(const struct adaptive *a, long z, unsigned char *out)
{
	const struct voxels *v = a->in;
	const long nx = v->nx, nz = window(z, a->radius[2], v->nz);

#pragma omp parallel for schedule(static) num_threads(threads_for(4. * (double)(nx * v->ny)))
	for (long y = 0; y < v->ny; y++) {
		double *buffer = mem_alloc((size_t)nx * 24);
		const double *x = voxels_get_as(v, DT_FLOAT64, (z * v->ny + y) * nx, nx, buffer, buffer + nx);
		const long nyz = nz * window(y, a->radius[1], v->ny);

		for (long i = 0; i < nx; i++) {
			const double n = (double)(nyz * window(i, a->radius[0], nx));

			out[y * nx + i] = (x[i] > a->sum[y * nx + i] / n - a->offset) != a->invert;
		}

		free(buffer);
	}
}

static void adaptive_volume(const struct adaptive *a, const struct voxels_out *o, long at)
{
	const struct voxels *v = a->in;
	const long pixels = v->nx * v->ny, r = a->radius[2];
	unsigned char *out = mem_alloc((size_t)pixels);

	memset(a->sum, 0, (size_t)pixels * sizeof *a->sum);

	for (long z = 0; z < r && z < v->nz; z++)
		sum_slice(a, z, 1.);

	for (long z = 0; z < v->nz; z++) {
		if (z < v->nz - r)
			sum_slice(a, z + r, 1.);

		compare_slice(a, z, out);
		voxels_put(o, at + z * pixels, pixels, out);
		sum_slice(a, z - r, -1.);
		progress_add(1);
	}

	free(out);
}

void threshold_adaptive(struct cfl *out, struct cfl *in, const long radius[3], double offset, bool invert)
{
	struct voxels v;
	struct voxels_out o;

	voxels_open(&v, in);
	voxels_create(&o, out);

	const size_t pixels = (size_t)(v.nx * v.ny);
	const long reach[3] = {
	        min_long(radius[0], v.nx), min_long(radius[1], v.ny), min_long(radius[2], v.nz)};
	struct adaptive a = {.in = &v,
	        .radius = reach,
	        .offset = offset,
	        .invert = invert,
	        .slice = mem_alloc(pixels * sizeof(double)),
	        .along = mem_alloc(pixels * sizeof(double)),
	        .sum = mem_alloc(pixels * sizeof(double))};

	progress_start("thresholding", v.nz * v.volumes);

	for (long k = 0; k < v.volumes; k++) {
		voxels_select(&v, k);
		adaptive_volume(&a, &o, k * v.each);
	}

	progress_end();
	free(a.slice);
	free(a.along);
	free(a.sum);
}
