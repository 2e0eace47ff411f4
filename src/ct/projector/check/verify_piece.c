#include "ct/projector/check/verify_piece.h"

#include <math.h>

#include "ct/projector/check/verify.h"
#include "misc/minmax.h"
#include "num/md/rand.h"

static long clamp(double x, long most)
{
	return (x > 0.) ? (x < most ? (long)x : most) : 0;
}

static long pick(unsigned long seed, long i, long n)
{
	return min_long((long)(rand_uniform(seed, i) * n), n - 1);
}

/** A point of the ray at fraction `at` (0..1) of its path in the volume; false if the ray misses. */
static bool inside(
        double p[3], const struct geom *g, const struct grid *grid, long view, long a, long b, double at)
{
	double s[3], d[3], t[2] = {g->parallel ? -INFINITY : 0., INFINITY};

	geom_ray(g, view, a, b, s, d);

	for (int i = 0; i < 3; i++) {
		const double lo = grid->origin[i] - grid->spacing[i] / 2.,
		             hi = lo + grid->size[i] * grid->spacing[i];
		const double x = (lo - s[i]) / d[i], y = (hi - s[i]) / d[i];

		if (d[i] == 0. && (s[i] < lo || s[i] > hi))
			return false;

		if (d[i] != 0.) {
			t[0] = fmax(t[0], fmin(x, y));
			t[1] = fmin(t[1], fmax(x, y));
		}
	}

	for (int i = 0; i < 3; i++)
		p[i] = s[i] + (t[0] + at * (t[1] - t[0])) * d[i];

	return t[0] < t[1];
}

/** Number of the first of n2 neighbours among n, around `middle`. */
static long first_of(double middle, long n, long n2)
{
	return clamp(rint(middle - (n2 - 1) / 2.), n - n2);
}

/** The view with the part of the detector around the pixel that sees p, or, where none does, the middle. */
static void crop(struct geom *out, long k, const struct geom *g, long view, const double p[3])
{
	struct geom_view moved = g->view[view];
	struct geom one = *g;
	double a, b;

	if (!verify_pixel(g, view, p, &a, &b)) {
		a = (g->cols - 1) / 2.;
		b = (g->rows - 1) / 2.;
	}

	one.views = 1;
	one.view = &moved;
	geom_shift(&one, first_of(a, g->cols, out->cols) + (out->cols - 1) / 2. - (g->cols - 1) / 2.,
	        first_of(b, g->rows, out->rows) + (out->rows - 1) / 2. - (g->rows - 1) / 2.);
	out->view[k] = moved;
}

struct geom *verify_piece(struct grid *piece, const struct geom *g, const struct grid *grid, long views,
        long most, unsigned long seed)
{
	enum { TRIES = 100000 };
	double p[3];
	long i = 0, view = 0;

	for (; i < TRIES; i++) {
		view = pick(seed, 4 * i, g->views);

		if (inside(p, g, grid, view, pick(seed, 4 * i + 1, g->cols), pick(seed, 4 * i + 2, g->rows),
		            rand_uniform(seed, 4 * i + 3)))
			break;
	}

	if (i == TRIES)
		return NULL;

	for (int d = 0; d < 3; d++) {
		piece->size[d] = min_long(grid->size[d], most);
		piece->spacing[d] = grid->spacing[d];
		piece->origin[d] = grid->origin[d] +
		                   grid->spacing[d] * first_of((p[d] - grid->origin[d]) / grid->spacing[d],
		                                              grid->size[d], piece->size[d]);
		p[d] = piece->origin[d] + (piece->size[d] - 1) / 2. * piece->spacing[d];
	}

	struct geom *out = geom_create(min_long(g->views, views), min_long(g->cols, 2 * most),
	        min_long(g->rows, 2 * most), g->parallel);

	out->radius = g->radius;
	out->stack = g->stack;

	for (long k = 0; k < out->views; k++)
		crop(out, k, g, (k == 0) ? view : pick(seed + 1, k, g->views), p);

	return out;
}
