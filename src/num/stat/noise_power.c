#include "num/stat/noise_power.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft/fft.h"
#include "num/kern/convert.h"

struct tiling {
	struct cfl *f;
	const struct region *region;
	const char *data;
	long nx, ny, size;
	unsigned char *held;  // [nx ny] of a slice
	double *slice;        // [nx ny]
	complex double *tile; // [size size tiles of a slice at most]
};

static bool is_held(const struct tiling *t, long i, long j)
{
	for (long b = 0; b < t->size; b++)
		for (long a = 0; a < t->size; a++)
			if (!t->held[(j + b) * t->nx + i + a])
				return false;

	return true;
}

/* Subtracts the trend; returns the tile's mean. */
static double detrend(complex double *tile, long n, enum detrend how)
{
	double sum = 0., by_x = 0., by_y = 0., squares = 0.;
	const double middle = 0.5 * (double)(n - 1), count = (double)(n * n);

	for (long k = 0; k < n * n; k++) {
		double x = (double)(k % n) - middle, y = (double)(k / n) - middle;

		sum += creal(tile[k]);
		by_x += x * creal(tile[k]);
		by_y += y * creal(tile[k]);
		squares += x * x;
	}

	double mean = DETREND_NONE == how ? 0. : sum / count;
	double slope = DETREND_PLANE == how ? 1. / squares : 0.;

	for (long k = 0; k < n * n; k++)
		tile[k] -= mean +
		           slope * (by_x * ((double)(k % n) - middle) + by_y * ((double)(k / n) - middle));

	return sum / count;
}

/* Tiles of slice z, detrended, one behind the other; how many. Adds their means to *means. */
static long cut_tiles(struct tiling *t, long z, enum detrend how, double *means)
{
	const long n = t->size, count = t->nx * t->ny;
	const struct hdr *h = &t->f->hdr;
	long tiles = 0;

	convert(DT_FLOAT64, t->slice, h->type, t->data + z * count * (long)dtype_size(h->type), count,
	        NARROW_SATURATE);

	for (long k = 0; k < count; k++)
		t->held[k] = 1;

	if (t->region != NULL)
		region_fill(t->region, h, z * count, count, t->held);

	for (long j = 0; j + n <= t->ny; j += n / 2)
		for (long i = 0; i + n <= t->nx; i += n / 2) {
			complex double *tile = t->tile + tiles * n * n;

			if (!is_held(t, i, j))
				continue;

			for (long k = 0; k < n * n; k++) {
				double v = t->slice[(j + k / n) * t->nx + i + k % n];

				if (!isfinite(v))
					error("%s: the value at %ld, %ld, %ld is NaN or infinite, expected "
					      "finite values",
					        t->f->name, i + k % n, j + k / n, z);

				tile[k] = v;
			}

			*means += detrend(tile, n, how);
			tiles++;
		}

	return tiles;
}

static void average_rings(struct noise_power *s)
{
	const long n = s->size;
	const double width = fmax(s->df[0], s->df[1]);
	double *weight;

	s->radial = (long)floor((double)(n / 2) * fmin(s->df[0], s->df[1]) / width + 0.5);
	s->frequency = mem_calloc((size_t)s->radial, sizeof(double));
	s->value = mem_calloc((size_t)s->radial, sizeof(double));
	weight = mem_calloc((size_t)s->radial, sizeof(double));

	for (long k = 0; k < n * n; k++) {
		double f = hypot((double)(k % n - n / 2) * s->df[0], (double)(k / n - n / 2) * s->df[1]);
		long ring = (long)floor(f / width + 0.5);

		if (ring >= s->radial)
			continue;

		weight[ring] += 1.;
		s->frequency[ring] += f;
		s->value[ring] += s->plane[k];
	}

	for (long r = 0; r < s->radial; r++) {
		s->frequency[r] /= weight[r];
		s->value[r] /= weight[r];
	}

	free(weight);
}

void noise_power(struct noise_power *out, struct cfl *f, const struct region *region, long first, long step,
        long n, long size, enum detrend how)
{
	const struct hdr *h = &f->hdr;
	const double dx = fabs(h->spacing[0]), dy = fabs(h->spacing[1]);
	struct tiling t = {.f = f,
	        .region = region,
	        .data = cfl_map(f),
	        .nx = h->dims[0],
	        .ny = h->dims[1],
	        .size = size};

	if (t.nx < size || t.ny < size)
		error("%s is %s, expected slices of at least %ld x %ld, the size of a tile", f->name,
		        hdr_shape(h), size, size);

	long most = ((t.nx - size) / (size / 2) + 1) * ((t.ny - size) / (size / 2) + 1);

	t.held = mem_alloc((size_t)(t.nx * t.ny));
	t.slice = mem_alloc((size_t)(t.nx * t.ny) * sizeof(double));
	t.tile = mem_alloc((size_t)(most * size * size) * sizeof(complex double));
	*out = (struct noise_power){.size = size,
	        .plane = mem_calloc((size_t)(size * size), sizeof(double)),
	        .df = {1. / ((double)size * dx), 1. / ((double)size * dy)}};

	for (long z = 0; z < n; z++) {
		long tiles = cut_tiles(&t, first + z * step, how, &out->mean);

		if (tiles > 0)
			fft(3, (long[]){size, size, tiles}, 3, FFT_CENTRED, DT_COMPLEX128, t.tile, t.tile);

		for (long k = 0; k < tiles * size * size; k++)
			out->plane[k % (size * size)] +=
			        creal(t.tile[k]) * creal(t.tile[k]) + cimag(t.tile[k]) * cimag(t.tile[k]);

		out->tiles += tiles;
	}

	free(t.held);
	free(t.slice);
	free(t.tile);

	if (0 == out->tiles)
		error("%s: no tile of %ld x %ld pixels lies inside %s", f->name, size, size,
		        region != NULL ? region->text : "the slice");

	out->mean /= (double)out->tiles;

	for (long k = 0; k < size * size; k++) {
		out->plane[k] *= dx * dy / (double)(size * size) / (double)out->tiles;
		out->variance += out->plane[k] * out->df[0] * out->df[1];
	}

	average_rings(out);
}

void noise_power_free(struct noise_power *s)
{
	free(s->plane);
	free(s->frequency);
	free(s->value);
}
