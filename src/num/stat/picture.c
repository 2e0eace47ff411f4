#include "num/stat/picture.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/kern/convert.h"

/* Finds the first n dims larger than 1, except `cut`; returns their number. */
static int choose(const struct hdr *h, int cut, int n, int dims[])
{
	int found = 0;

	for (int d = 0; d < DIMS && found < n; d++)
		if (d != cut && h->dims[d] > 1)
			dims[found++] = d;

	return found;
}

static void choose_axes(struct picture *p, const struct hdr *h, int cut)
{
	int dims[3];
	int n = choose(h, cut, cut < 0 ? 3 : 2, dims);

	if (cut >= 0) { // the view along a named dim does not depend on what is thin
		p->across = 0 == cut ? 1 : 0;
		p->down = cut <= 1 ? 2 : 1;
	} else if (n < 2) {
		p->across = 1 == n && dims[0] > 1 ? dims[0] : 0;
		p->down = p->across + 1 < DIMS ? p->across + 1 : 0;
	} else {
		p->across = dims[0];
		p->down = dims[1];
	}

	p->cut = cut >= 0 ? cut : (3 == n ? dims[2] : -1);
}

void picture_init(struct picture *p, const struct hdr *h, int cut, enum picture_part part, const void *data)
{
	long str[DIMS];
	long step = (long)dtype_size(h->type);

	*p = (struct picture){.type = h->type, .part = part, .data = data};
	choose_axes(p, h, cut);

	for (int d = 0; d < DIMS; d++) {
		str[d] = step;
		step *= h->dims[d];
		p->rest += h->dims[d] > 1 && d != p->across && d != p->down && d != p->cut;
	}

	p->width = h->dims[p->across];
	p->height = h->dims[p->down];
	p->count = p->cut >= 0 ? h->dims[p->cut] : 1;
	p->xstr = str[p->across];
	p->ystr = str[p->down];
	p->fstr = p->cut >= 0 ? str[p->cut] : 0;
}

static double part_of(complex double z, enum picture_part part)
{
	switch (part) {
	case PART_PHASE:
		return carg(z);
	case PART_REAL:
		return creal(z);
	case PART_IMAGINARY:
		return cimag(z);
	default:
		return cabs(z);
	}
}

void picture_line(const struct picture *p, long f, long y, double *values, void *tmp)
{
	const char *src = p->data + f * p->fstr + y * p->ystr;
	size_t size = dtype_size(p->type);
	bool complex_type = dtype_is_complex(p->type);

	for (long x = 0; x < p->width; x++) {
		char element[16];
		complex double z;

		if (!complex_type) {
			memcpy((char *)tmp + x * (long)size, src + x * p->xstr, size);
			continue;
		}

		memcpy(element, src + x * p->xstr, size);
		convert(DT_COMPLEX128, &z, p->type, element, 1, NARROW_SATURATE);
		values[x] = part_of(z, p->part);
	}

	if (!complex_type)
		convert(DT_FLOAT64, values, p->type, tmp, p->width, NARROW_SATURATE);
}

/* Lines of all pictures asked for, counted through. */
static void nth_line(const struct picture *p, long first, long step, long i, double *values, void *tmp)
{
	picture_line(p, first + i / p->height * step, i % p->height, values, tmp);
}

long picture_extent(const struct picture *p, long first, long step, long n, double *lo, double *hi)
{
	double least = INFINITY, most = -INFINITY;
	long bad = 0;

#pragma omp parallel reduction(min : least) reduction(max : most) reduction(+ : bad)
	{
		double *v = mem_alloc((size_t)p->width * sizeof *v);
		void *tmp = mem_alloc((size_t)p->width * 16);

#pragma omp for
		for (long i = 0; i < n * p->height; i++) {
			nth_line(p, first, step, i, v, tmp);

			for (long x = 0; x < p->width; x++) {
				if (!isfinite(v[x])) {
					bad++;
					continue;
				}

				least = v[x] < least ? v[x] : least;
				most = v[x] > most ? v[x] : most;
			}
		}

		free(v);
		free(tmp);
	}

	*lo = least <= most ? least : 0.;
	*hi = least <= most ? most : 1.;

	return bad;
}

/* Bits of a float in an order that is that of the numbers. */
static uint32_t key_of(double v)
{
	float f = v > FLT_MAX ? FLT_MAX : (v < -FLT_MAX ? -FLT_MAX : (float)v);
	uint32_t u;

	memcpy(&u, &f, sizeof u);

	return u >> 31 ? ~u : u | 0x80000000u;
}

static double value_of(uint32_t key)
{
	uint32_t u = key >> 31 ? key & 0x7fffffffu : ~key;
	float f;

	memcpy(&f, &u, sizeof f);

	return f;
}

enum { BINS = 1 << 16 };

/* Counts the upper halves of all keys (prefix < 0), or the lower halves of those with this upper half.
 * Returns how many. */
static long histogram(const struct picture *p, long first, long step, long n, long prefix, long bins[BINS])
{
	long total = 0;

	memset(bins, 0, BINS * sizeof bins[0]);

#pragma omp parallel
	{
		double *v = mem_alloc((size_t)p->width * sizeof *v);
		void *tmp = mem_alloc((size_t)p->width * 16);
		long *own = mem_calloc(BINS, sizeof *own);

#pragma omp for
		for (long i = 0; i < n * p->height; i++) {
			nth_line(p, first, step, i, v, tmp);

			for (long x = 0; x < p->width; x++) {
				uint32_t key = key_of(v[x]);

				if (isfinite(v[x]) && (prefix < 0 || key >> 16 == prefix))
					own[prefix < 0 ? key >> 16 : key & 0xffff]++;
			}
		}

#pragma omp critical
		for (int b = 0; b < BINS; b++)
			bins[b] += own[b];

		free(v);
		free(tmp);
		free(own);
	}

	for (int b = 0; b < BINS; b++)
		total += bins[b];

	return total;
}

/* The bin in which the element of that rank lies; *rank becomes its rank there. */
static int find_bin(const long bins[BINS], long *rank)
{
	int b = 0;

	for (; b < BINS - 1 && *rank >= bins[b]; b++)
		*rank -= bins[b];

	return b;
}

double picture_percentile(const struct picture *p, long first, long step, long n, double percent)
{
	long *bins = mem_alloc(BINS * sizeof *bins);
	long total = histogram(p, first, step, n, -1, bins);
	double value = 0.;

	if (total > 0) {
		long rank = (long)(percent / 100. * (double)(total - 1) + 0.5);
		int high = find_bin(bins, &rank);

		histogram(p, first, step, n, high, bins);
		value = value_of((uint32_t)high << 16 | (uint32_t)find_bin(bins, &rank));
	}

	free(bins);

	return value;
}

void picture_of_values(struct picture *p, const struct picture *like, const double *values)
{
	*p = *like;
	p->count = 1;
	p->xstr = (long)sizeof *values;
	p->ystr = p->xstr * p->width;
	p->fstr = 0;
	p->type = DT_FLOAT64;
	p->data = (const char *)values;
}

/* One line of the projection; seen: how many values went into each element. */
static void project_line(const struct picture *p, long y, long first, long step, long n,
        enum picture_projection how, double *out, double *v, double *seen, void *tmp)
{
	for (long x = 0; x < p->width; x++)
		out[x] = seen[x] = 0.;

	for (long k = 0; k < n; k++) {
		picture_line(p, first + k * step, y, v, tmp);

		for (long x = 0; x < p->width; x++) {
			if (!isfinite(v[x]))
				continue;

			if (PROJECTION_MEAN == how)
				out[x] += v[x];
			else if (seen[x] == 0. || (PROJECTION_MAX == how ? v[x] > out[x] : v[x] < out[x]))
				out[x] = v[x];

			seen[x]++;
		}
	}

	for (long x = 0; x < p->width; x++)
		out[x] = seen[x] == 0. ? NAN : (PROJECTION_MEAN == how ? out[x] / seen[x] : out[x]);
}

void picture_project(
        const struct picture *p, long first, long step, long n, enum picture_projection how, double *values)
{
#pragma omp parallel
	{
		double *v = mem_alloc((size_t)p->width * 2 * sizeof *v);
		void *tmp = mem_alloc((size_t)p->width * 16);

#pragma omp for
		for (long y = 0; y < p->height; y++)
			project_line(p, y, first, step, n, how, values + y * p->width, v, v + p->width, tmp);

		free(v);
		free(tmp);
	}
}
