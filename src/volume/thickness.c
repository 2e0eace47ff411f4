/* Balls are painted from the largest to the smallest, so that each voxel gets its value once: rows of a ball
 * skip what has been painted (union-find along x). Blocks of slices are painted by several threads. Before
 * that, balls whose voxels are all in the ball of a neighbour are removed. */

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "volume/distance.h"
#include "volume/mask_rows.h"
#include "volume/measure.h"

enum { BLOCK_SLICES = 16 };

/** A ball around a voxel: |k|^2 < square, in the unit of h. */
struct ball {
	float square;
	long at;
};

struct painting {
	long nx, ny, nz;
	double h[3], scale; // distance of neighbours in the unit of squares; that unit [mm]
	bool exact;         // squares are integers; else rounded down, so that no ball holds background
	float *square;      // of the distance to the background
	float *out;         // thickness [mm]
	float *cover[4];    // of isotropic voxels, by steps to a neighbour and square of an integer: the
	                    // smallest square of the neighbour's ball that holds all voxels; or NULL
	struct ball *ball;
	long balls;
};

/* ---- squared distances ---- */

static void keep_square(void *ctx, long x, long y, long z, long count, const double square[])
{
	const struct painting *p = ctx;
	float *to = p->square + (z * p->ny + y) * p->nx + x;

	for (long i = 0; i < count; i++)
		to[i] = p->exact ? (float)square[i] : nextafterf((float)square[i], 0.f);
}

static void find_squares(struct painting *p, const struct voxels *in, bool invert)
{
	struct mask_rows object = {.in = in, .invert = invert};
	struct distance d = {.nx = p->nx, .ny = p->ny, .nz = p->nz, .rows = mask_rows, .ctx = &object};

	if (p->nx > DISTANCE_MAX || p->ny > DISTANCE_MAX)
		error("%s has %ld x %ld voxels, expected at most %d along x and y", in->file->name, p->nx,
		        p->ny, DISTANCE_MAX);

	memcpy(d.h, p->h, sizeof d.h);
	progress_start("measuring distances", 2 * in->each);

	if (!distance_slices(&d, 0, p->nz, p->square, sizeof *p->square))
		error("%s: no voxel is %s, expected at least one", in->file->name,
		        invert ? "object" : "background");

	distance_columns(&d, 0, p->nz, p->square, sizeof *p->square, 0, p->nz, keep_square, p);
	progress_end();
}

/* ---- balls that are needed ---- */

/** cover[n][s]: of all k with |k|^2 < s, the largest |k + e|^2, plus 1; e is a step to a neighbour along n
 * axes. */
static void find_covers(struct painting *p, long most)
{
	const long r = (long)sqrt((double)most) + 1;

	for (int n = 1; n <= 3; n++) {
		float *c = p->cover[n] = mem_calloc((size_t)most + 2, sizeof *c);

		for (long z = 0; z <= r; z++)
			for (long y = 0; y <= r; y++)
				for (long x = 0; x <= r; x++) {
					const long s = x * x + y * y + z * z;
					const long to = s + 2 * (x + (n > 1 ? y : 0) + (n > 2 ? z : 0)) + n;

					if (s <= most && (float)(to + 1) > c[s + 1])
						c[s + 1] = (float)(to + 1);
				}

		for (long s = 1; s <= most + 1; s++)
			c[s] = c[s] > c[s - 1] ? c[s] : c[s - 1];
	}
}

/** Whether the ball of a voxel is within that of a neighbour at (dx, dy, dz), with this square. */
static bool covers(const struct painting *p, float own, float other, long dx, long dy, long dz)
{
	if (p->cover[1])
		return other >= p->cover[labs(dx) + labs(dy) + labs(dz)][(long)own];

	const double x = p->h[0] * (double)dx, y = p->h[1] * (double)dy, z = p->h[2] * (double)dz;

	return sqrt(other) >= sqrt(own) + sqrt(x * x + y * y + z * z);
}

static bool is_needed(const struct painting *p, long x, long y, long z)
{
	const long at = (z * p->ny + y) * p->nx + x;
	const float own = p->square[at];

	for (long dz = -1; dz <= 1; dz++)
		for (long dy = -1; dy <= 1; dy++)
			for (long dx = -1; dx <= 1; dx++) {
				const long i = x + dx, j = y + dy, k = z + dz;

				if (i < 0 || j < 0 || k < 0 || i >= p->nx || j >= p->ny || k >= p->nz)
					continue;

				const float other = p->square[(k * p->ny + j) * p->nx + i];

				if (other > own && covers(p, own, other, dx, dy, dz))
					return false;
			}

	return true;
}

static int largest_first(const void *a, const void *b)
{
	const struct ball *x = a, *y = b;

	if (x->square != y->square)
		return x->square < y->square ? 1 : -1;

	return (x->at > y->at) - (x->at < y->at);
}

/** Balls of one slice, appended where `to` is not NULL. Returns how many. */
static long slice_balls(const struct painting *p, long z, struct ball *to)
{
	long n = 0;

	for (long y = 0; y < p->ny; y++)
		for (long x = 0; x < p->nx; x++) {
			const long at = (z * p->ny + y) * p->nx + x;

			if (!(p->square[at] > 0.f) || !is_needed(p, x, y, z))
				continue;

			if (to)
				to[n] = (struct ball){p->square[at], at};

			n++;
		}

	return n;
}

static void find_balls(struct painting *p)
{
	long *first = mem_calloc((size_t)p->nz + 1, sizeof *first);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(50. * (double)(p->nx * p->ny * p->nz)))
	for (long z = 0; z < p->nz; z++)
		first[z + 1] = slice_balls(p, z, NULL);

	for (long z = 0; z < p->nz; z++)
		first[z + 1] += first[z];

	p->balls = first[p->nz];
	p->ball = mem_alloc((size_t)(p->balls + 1) * sizeof *p->ball);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(50. * (double)(p->nx * p->ny * p->nz)))
	for (long z = 0; z < p->nz; z++)
		slice_balls(p, z, p->ball + first[z]);

	qsort(p->ball, (size_t)p->balls, sizeof *p->ball, largest_first);
	free(first);
}

/* ---- painting ---- */

/** The first element from i on that is not painted. */
static uint32_t unpainted(uint32_t *next, uint32_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}

	return i;
}

/** Largest k with (h k)^2 < left; -1: none. */
static long half_chord(double h, double left)
{
	long k = left > 0. ? (long)(sqrt(left) / h) : -1;

	while (k >= 0 && !(h * h * ((double)k * (double)k) < left))
		k--;

	return k;
}

static void paint_row(const struct painting *p, uint32_t *next, float *out, long x, long half, float value)
{
	const long end = (x + half < p->nx) ? x + half + 1 : p->nx;

	for (uint32_t i = unpainted(next, (uint32_t)(x > half ? x - half : 0)); (long)i < end;
	        i = unpainted(next, i)) {
		out[i] = value;
		next[i] = i + 1;
	}
}

static void paint_slice(
        const struct painting *p, const struct ball *b, uint32_t *next, long dz, float *out, float value)
{
	const long x = b->at % p->nx, y = b->at / p->nx % p->ny;
	const double z2 = p->h[2] * p->h[2] * ((double)dz * (double)dz);
	const long ry = half_chord(p->h[1], (double)b->square - z2);

	for (long j = (y > ry) ? y - ry : 0; ry >= 0 && j <= y + ry && j < p->ny; j++) {
		const double dy = p->h[1] * (double)(j - y);
		const long half = half_chord(p->h[0], (double)b->square - z2 - dy * dy);

		if (half >= 0)
			paint_row(p, next + j * (p->nx + 1), out + j * p->nx, x, half, value);
	}
}

/** Slices [from, to). */
static void paint_block(const struct painting *p, long from, long to)
{
	const long row = p->nx + 1, slice = p->nx * p->ny;
	uint32_t *next = mem_alloc((size_t)((to - from) * p->ny * row) * sizeof *next);

	for (long i = 0; i < (to - from) * p->ny * row; i++)
		next[i] = (uint32_t)(i % row);

	for (long k = 0; k < p->balls; k++) {
		const struct ball *b = &p->ball[k];
		const long z = b->at / slice, rz = half_chord(p->h[2], (double)b->square);
		const float value = (float)(2. * p->scale * sqrt((double)b->square));
		const long last = (z + rz < to) ? z + rz + 1 : to;

		for (long s = (z - rz > from) ? z - rz : from; s < last; s++)
			paint_slice(p, b, next + (s - from) * p->ny * row, s - z, p->out + s * slice, value);
	}

	free(next);
}

static void paint(const struct painting *p)
{
	progress_start("painting balls", p->nz);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(50. * (double)(p->nx * p->ny * p->nz)))
	for (long z = 0; z < p->nz; z += BLOCK_SLICES) {
		const long end = (p->nz - z < BLOCK_SLICES) ? p->nz : z + BLOCK_SLICES;

		paint_block(p, z, end);
		progress_add(end - z);
	}

	progress_end();
}

static void summarise(struct thickness *s, const float *v, long n)
{
	double sum = 0., squares = 0.;

	*s = (struct thickness){.min = INFINITY};

	for (long i = 0; i < n; i++) {
		if (!(v[i] > 0.f))
			continue;

		s->voxels++;
		sum += (double)v[i];
		s->min = fmin(s->min, (double)v[i]);
		s->max = fmax(s->max, (double)v[i]);
	}

	s->mean = sum / (double)s->voxels;

	for (long i = 0; i < n; i++)
		squares += v[i] > 0.f ? ((double)v[i] - s->mean) * ((double)v[i] - s->mean) : 0.;

	s->std = sqrt(squares / (double)s->voxels);
}

/** Voxels as the unit of squares where they are as long along all dimensions that there are. */
static void set_unit(struct painting *p, const struct hdr *h)
{
	const unsigned axes = voxels_axes(h);
	const double unit = fabs(h->spacing[__builtin_ctz(axes)]);
	bool same = true;

	for (int d = 0; d < 3; d++)
		same = same && (!(axes & 1u << d) || fabs(h->spacing[d]) == unit);

	p->exact = same;
	p->scale = same ? unit : 1.;

	for (int d = 0; d < 3; d++)
		p->h[d] = same ? 1. : fabs(h->spacing[d]);
}

long measure_thickness_memory(const struct cfl *in, bool out)
{
	return in->count * (out ? 4 : 8);
}

void measure_thickness(struct thickness *s, struct cfl *out, struct cfl *in, bool invert)
{
	struct voxels v;

	voxels_open(&v, in);

	struct painting p = {.nx = v.nx, .ny = v.ny, .nz = v.nz};
	const size_t bytes = (size_t)v.each * sizeof(float);
	float most = 0.f;

	p.square = mem_alloc(bytes);
	set_unit(&p, &in->hdr);
	find_squares(&p, &v, invert);

	for (long i = 0; i < v.each; i++)
		most = p.square[i] > most ? p.square[i] : most;

	if (!(most > 0.f))
		error("%s: no voxel is %s, expected at least one", in->name,
		        invert ? "background" : "object");

	if (p.exact)
		find_covers(&p, (long)most);

	find_balls(&p);
	p.out = out ? cfl_map_out(out) : mem_calloc((size_t)v.each, sizeof *p.out);
	paint(&p);
	summarise(s, p.out, v.each);

	for (int n = 1; n <= 3; n++)
		free(p.cover[n]);

	free(p.ball);
	free(p.square);

	if (!out)
		free(p.out);
}
