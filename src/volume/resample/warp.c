#include "volume/resample/warp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/kern/kern.h"

struct warp {
	long n[3];          // of the field
	const float *u;     // (x, y, z, 3) [mm]
	float *converted;   // or NULL
	double field[3][4]; // output voxel to voxel of the field, and of the input without displacement
	double at[3][4];
	double voxels[3][3]; // displacement [mm] to voxels of the input
};

static const float *load_field(struct warp *w, struct cfl *f)
{
	const void *data = cfl_map(f);

	if (DT_FLOAT32 == f->hdr.type)
		return data;

	w->converted = mem_alloc((size_t)f->count * sizeof *w->converted);
	convert(DT_FLOAT32, w->converted, f->hdr.type, data, f->count, NARROW_SATURATE);

	return w->converted;
}

static void displace(const struct warp *w, const double u[3], double v[3])
{
	for (int d = 0; d < 3; d++)
		v[d] = w->voxels[d][0] * u[0] + w->voxels[d][1] * u[1] + w->voxels[d][2] * u[2];
}

/** The range of displacements in voxels. */
static void measure(struct warp *w, struct resample *r, const struct cfl *f)
{
	const long n = w->n[0] * w->n[1] * w->n[2];
	double low[3], high[3];

	for (int d = 0; d < 3; d++) {
		low[d] = INFINITY;
		high[d] = -INFINITY;
	}

	for (long i = 0; i < n; i++) {
		const double u[3] = {w->u[i], w->u[i + n], w->u[i + 2 * n]};
		double v[3];

		displace(w, u, v);

		for (int d = 0; d < 3; d++) {
			if (!isfinite(v[d]))
				error("%s contains NaN or infinite displacements", f->name);

			low[d] = fmin(low[d], v[d]);
			high[d] = fmax(high[d], v[d]);
		}
	}

	for (int d = 0; d < 3; d++) {
		r->reach[d][0] = low[d] - 1e-6;
		r->reach[d][1] = high[d] + 1e-6;
	}
}

struct warp *warp_create(
        struct resample *r, struct cfl *field, const struct space *in, const struct space *out)
{
	struct warp *w = NEW(struct warp);
	struct space grid;
	struct affine same, to;

	cfl_expect_real(field);

	if (3 != field->hdr.dims[3] ||
	        field->count != 3 * field->hdr.dims[0] * field->hdr.dims[1] * field->hdr.dims[2])
		error("%s is %s, expected displacements (x, y, z, 3)", field->name, hdr_shape(&field->hdr));

	space_from_header(&grid, &field->hdr, field->name);
	memcpy(w->n, grid.n, sizeof w->n);
	affine_identity(&same);
	space_map(w->field, &grid, out, &same);
	space_map(w->at, in, out, &same);
	space_to_voxels(&to, in);
	memcpy(w->voxels, to.a, sizeof w->voxels);
	memcpy(r->at, w->at, sizeof r->at);
	w->u = load_field(w, field);
	measure(w, r, field);

	return w;
}

void warp_free(struct warp *w)
{
	if (!w)
		return;

	free(w->converted);
	free(w);
}

/** Displacement at a place in voxels of the field. */
static void interpolate(const struct warp *w, const double p[3], double u[3])
{
	const long n = w->n[0] * w->n[1] * w->n[2];
	long i[3], step[3] = {1, w->n[0], w->n[0] * w->n[1]};
	double f[3];

	for (int d = 0; d < 3; d++) {
		const double x = fmin(fmax(p[d], 0.), (double)(w->n[d] - 1));

		i[d] = min_long((long)x, max_long(0, w->n[d] - 2));
		f[d] = x - (double)i[d];
		step[d] = (1 == w->n[d]) ? 0 : step[d];
	}

	const long first = i[0] + w->n[0] * (i[1] + w->n[1] * i[2]);

	for (int c = 0; c < 3; c++) {
		double row[4];

		for (int k = 0; k < 4; k++) {
			const float *q = w->u + c * n + first + (k & 1) * step[1] + (k >> 1) * step[2];

			row[k] = (double)q[0] + f[0] * ((double)q[step[0]] - (double)q[0]);
		}

		const double a = row[0] + f[1] * (row[1] - row[0]), b = row[2] + f[1] * (row[3] - row[2]);

		u[c] = a + f[2] * (b - a);
	}
}

static double place(const double m[4], long i, long j, long k)
{
	return m[0] * (double)i + m[1] * (double)j + m[2] * (double)k + m[3];
}

void warp_positions(void *ctx, long first, long n, long j, long k, double *x, double *y, double *z)
{
	const struct warp *w = ctx;
	double *const out[3] = {x, y, z};

	for (long l = 0; l < n; l++) {
		double p[3], u[3], v[3];

		for (int d = 0; d < 3; d++)
			p[d] = place(w->field[d], first + l, j, k);

		interpolate(w, p, u);
		displace(w, u, v);

		for (int d = 0; d < 3; d++)
			out[d][l] = place(w->at[d], first + l, j, k) + v[d];
	}
}
