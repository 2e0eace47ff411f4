#include "volume/distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "volume/mask_rows.h"

/** Number of columns that are processed together: a cache line of float32. */
enum { TILE = 16 };

/** No background in this row. */
static const uint16_t no_background = UINT16_MAX;

/* ---- lower envelopes ---- */

/** Room for a line of n elements, two beyond its ends included. */
struct envelope {
	long *at;      // places of the parabolas
	double *top;   // their values at 0
	double *start; // where each begins to be the lowest
	long *nearest; // [n]
	double *f;     // [n]
};

static void envelope_init(struct envelope *e, long n)
{
	e->at = mem_alloc((size_t)(n + 3) * sizeof *e->at);
	e->top = mem_alloc((size_t)(n + 3) * sizeof *e->top);
	e->start = mem_alloc((size_t)(n + 3) * sizeof *e->start);
	e->nearest = mem_alloc((size_t)n * sizeof *e->nearest);
	e->f = mem_alloc((size_t)n * sizeof *e->f);
}

static void envelope_free(struct envelope *e)
{
	free(e->at);
	free(e->top);
	free(e->start);
	free(e->nearest);
	free(e->f);
}

/** Adds the parabola f + h2 (x - q)^2 to k others. Returns how many there are now. */
static inline long envelope_add(struct envelope *e, long k, long q, double f, double h2)
{
	const double top = f + h2 * ((double)q * (double)q);
	double start = -INFINITY;

	while (k > 0) {
		start = (top - e->top[k - 1]) / (2. * h2 * (double)(q - e->at[k - 1]));

		if (start > e->start[k - 1])
			break;

		k--;
	}

	e->at[k] = q;
	e->top[k] = top;
	e->start[k] = (k > 0) ? start : -INFINITY;

	return k + 1;
}

/** nearest[x] = argmin over q of f[q] + h2 (x - q)^2 among the finite ones, f = 0 at -1 (low) and n (high).
 * Returns whether there is any. */
static bool envelope_run(struct envelope *e, long n, double h2, bool low, bool high)
{
	long k = 0;

	if (low)
		k = envelope_add(e, k, -1, 0., h2);

	for (long q = 0; q < n; q++)
		if (e->f[q] < INFINITY)
			k = envelope_add(e, k, q, e->f[q], h2);

	if (high)
		k = envelope_add(e, k, n, 0., h2);

	if (0 == k)
		return false;

	for (long x = 0, j = 0; x < n; x++) {
		while (j + 1 < k && e->start[j + 1] < (double)x)
			j++;

		e->nearest[x] = e->at[j];
	}

	return true;
}

/* ---- within slices ---- */

/** Distances [voxels] to the nearest bit of the row that is not set. Returns whether there is one within. */
static bool row_distances(uint16_t *out, long n, const uint64_t *bits, bool border)
{
	long from = border ? 0 : no_background;
	bool any = false;

	for (long x = 0; x < n; x++) {
		const bool object = bits[x / 64] >> (x % 64) & 1;

		from = !object ? 0 : (from < no_background) ? from + 1 : from;
		any = any || !object;
		out[x] = (uint16_t)from;
	}

	from = border ? 0 : no_background;

	for (long x = n - 1; x >= 0; x--) {
		from = (0 == out[x]) ? 0 : (from < no_background) ? from + 1 : from;

		if (from < out[x])
			out[x] = (uint16_t)from;
	}

	return any;
}

static uint32_t pack(uint16_t x, long y)
{
	return (uint32_t)x | (uint32_t)y << 16;
}

/** Column x of a slice; to: its first element. */
static void slice_column(
        const struct distance *d, struct envelope *e, const uint16_t *row, long x, char *to, long step)
{
	const double hx = d->h[0], hy = d->h[1];

	for (long y = 0; y < d->ny; y++) {
		const double dx = hx * (double)row[y * d->nx + x];

		e->f[y] = (row[y * d->nx + x] == no_background) ? INFINITY : dx * dx;
	}

	const bool any = envelope_run(e, d->ny, hy * hy, d->border[1], d->border[1]);

	for (long y = 0; y < d->ny; y++, to += step * d->nx) {
		uint32_t v = (uint32_t)DISTANCE_NONE;

		if (any) {
			const long q = e->nearest[y];

			v = pack((q < 0 || q >= d->ny) ? 0 : row[q * d->nx + x], labs(y - q));
		}

		memcpy(to, &v, sizeof v);
	}
}

static bool slice_near(const struct distance *d, long z, char *near, long step)
{
	const long nx = d->nx, ny = d->ny, words = bits_words(nx);
	uint16_t *row = mem_alloc((size_t)(nx * ny) * sizeof *row);
	uint64_t *bits = mem_alloc((size_t)(ny * words) * sizeof *bits);
	bool any = false;

	d->rows(d->ctx, z * ny, ny, bits);

	for (long y = 0; y < ny; y++)
		any |= row_distances(row + y * nx, nx, bits + y * words, d->border[0]);

#pragma omp parallel num_threads(threads_for(10. * (double)(nx * ny)))
	{
		struct envelope e;

		envelope_init(&e, ny);

#pragma omp for schedule(static)
		for (long x = 0; x < nx; x += TILE)
			for (long i = x; i < nx && i < x + TILE; i++)
				slice_column(d, &e, row, i, near + i * step, step);

		envelope_free(&e);
	}

	free(row);
	free(bits);

	return any;
}

bool distance_slices(const struct distance *d, long z, long n, void *near, long step)
{
	bool any = d->border[0] || d->border[1] || d->border[2];

	if (1 == n)
		return slice_near(d, z, near, step) || any;

#pragma omp parallel for schedule(dynamic) reduction(||                                                      \
                                                     : any)                                                  \
        num_threads(threads_for(10. * (double)(d->nx * d->ny) * (double)n))
	for (long k = 0; k < n; k++) {
		any = slice_near(d, z + k, (char *)near + k * d->nx * d->ny * step, step) || any;
		progress_add(d->nx * d->ny);
	}

	return any;
}

/* ---- across slices ---- */

/** Slices [z, z + n) of which [from, to) are wanted. */
struct columns {
	const struct distance *d;
	long z, n, from, to;
	const char *near;
	long step;
};

/** Squared distance within the slice. */
static double near_square(const struct distance *d, uint32_t near)
{
	const double x = d->h[0] * (double)(near & 0xffff), y = d->h[1] * (double)(near >> 16);

	return (near == (uint32_t)DISTANCE_NONE) ? INFINITY : x * x + y * y;
}

/** One of the columns of a tile; square[(z - from) TILE] is its element at z. */
static void tile_column(const struct columns *c, struct envelope *e, const uint32_t *near, double *square)
{
	const struct distance *d = c->d;
	const double hz = d->h[2];

	for (long k = 0; k < c->n; k++)
		e->f[k] = near_square(d, near[k * TILE]);

	const bool any = envelope_run(
	        e, c->n, hz * hz, d->border[2] && 0 == c->z, d->border[2] && d->nz == c->z + c->n);

	for (long k = c->from - c->z; k < c->to - c->z; k++, square += TILE) {
		const long q = e->nearest[k];
		const double dz = hz * (double)(k - q);

		if (!any)
			*square = INFINITY;
		else
			*square = (q < 0 || q >= c->n) ? dz * dz : e->f[q] + dz * dz;
	}
}

/** `count` neighbours along x from (x, y) on. */
static void tile_run(const struct columns *c, struct envelope *e, uint32_t *near, double *square, long x,
        long y, long count, distance_store *store, void *ctx)
{
	const long nx = c->d->nx, ny = c->d->ny;

	for (long k = 0; k < c->n; k++)
		for (long i = 0; i < count; i++)
			memcpy(&near[k * TILE + i], c->near + (((k * ny + y) * nx) + x + i) * c->step,
			        sizeof *near);

	for (long i = 0; i < count; i++)
		tile_column(c, e, near + i, square + i);

	for (long z = c->from; z < c->to; z++)
		store(ctx, x, y, z, count, square + (z - c->from) * TILE);
}

void distance_columns(const struct distance *d, long z, long n, const void *near, long step, long from,
        long to, distance_store *store, void *ctx)
{
	const struct columns c = {d, z, n, from, to, near, step};
	const long tiles = (d->nx + TILE - 1) / TILE;

#pragma omp parallel num_threads(threads_for(10. * (double)(d->nx * d->ny) * (double)n))
	{
		struct envelope e;
		uint32_t *tile = mem_alloc((size_t)(n * TILE) * sizeof *tile);
		double *square = mem_alloc((size_t)((to - from) * TILE) * sizeof *square);

		envelope_init(&e, n);

#pragma omp for schedule(dynamic, 8)
		for (long t = 0; t < tiles * d->ny; t++) {
			const long x = t % tiles * TILE, count = (d->nx - x < TILE) ? d->nx - x : TILE;

			tile_run(&c, &e, tile, square, x, t / tiles, count, store, ctx);
			progress_add(count * (to - from));
		}

		envelope_free(&e);
		free(tile);
		free(square);
	}
}

/* ---- maps ---- */

struct map_output {
	char *data; // of the volume
	enum dtype type;
	long nx, ny;
};

static void map_store(void *ctx, long x, long y, long z, long count, const double square[])
{
	const struct map_output *o = ctx;
	const long at = (z * o->ny + y) * o->nx + x;

	for (long i = 0; i < count; i++) {
		if (DT_FLOAT64 == o->type)
			((double *)o->data)[at + i] = sqrt(square[i]);
		else
			((float *)o->data)[at + i] = (float)sqrt(square[i]);
	}
}

static void distance_volume(const struct distance_map *m, const struct voxels *in, long volume, char *data)
{
	struct mask_rows object = {.in = in, .invert = m->invert};
	const enum dtype type = m->out->hdr.type;
	const long step = (long)dtype_size(type);
	const unsigned axes = voxels_axes(&m->in->hdr);
	struct map_output o = {data + volume * in->each * step, type, in->nx, in->ny};
	struct distance d = {.nx = in->nx, .ny = in->ny, .nz = in->nz, .rows = mask_rows, .ctx = &object};

	for (int k = 0; k < 3; k++) {
		d.h[k] = m->unit ? 1. : fabs(m->in->hdr.spacing[k]);
		d.border[k] = m->border && (axes & 1u << k);
	}

	if (!distance_slices(&d, 0, d.nz, o.data, step))
		error("%s: no voxel is %s, so distances are not defined%s", m->in->name,
		        m->invert ? "object" : "background",
		        m->border ? "" : " (--border counts the outside)");

	distance_columns(&d, 0, d.nz, o.data, step, 0, d.nz, map_store, &o);
}

void distance_run(const struct distance_map *m)
{
	struct voxels in;
	char *data = cfl_map_out(m->out);

	voxels_open(&in, m->in);

	if (in.nx > DISTANCE_MAX || in.ny > DISTANCE_MAX)
		error("%s is %s, expected at most %d voxels along x and y", m->in->name,
		        hdr_shape(&m->in->hdr), DISTANCE_MAX);

	progress_start("measuring distances", 2 * m->in->count);

	for (long k = 0; k < in.volumes; k++) {
		voxels_select(&in, k);
		distance_volume(m, &in, k, data);
	}

	progress_end();
}
