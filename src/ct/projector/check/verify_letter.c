/** A letter F, which differs from its mirror images and its upside-down image, compared with its exact line
 * integrals. */

#include <math.h>
#include <stdlib.h>

#include "ct/geometry/vec3.h"
#include "ct/phantom/shapes.h"
#include "ct/projector/check/verify.h"

enum { PARTS = 4, WAYS = 8, THIN = 16 };

/** Boxes, centre and half axes, in halves of the volume's size: a stem, two arms, and a foot that is higher
 * in z than the rest. */
static const double parts[PARTS][2][3] = {
        {{-.35, 0., -.15}, {.12, .62, .35}},
        {{.07, .5, -.15}, {.3, .12, .35}},
        {{0., .05, -.15}, {.23, .12, .35}},
        {{-.35, -.5, .45}, {.12, .12, .25}},
};

/** The letter in the volume, mirrored along axis d where bit d is set and shifted [mm]; in a thin volume its
 * slices are alike. */
static void make_letter(struct shapes *o, const struct grid *grid, int mirrored, const double shift[3])
{
	static const double untilted[3] = {0., 0., 0.};

	for (int i = 0; i < PARTS; i++) {
		double c[3], h[3];

		for (int d = 0; d < 3; d++) {
			const double half = grid->size[d] * grid->spacing[d] / 2.;
			const bool thin = (d == 2 && grid->size[d] < THIN);

			c[d] = grid->origin[d] + (grid->size[d] - 1) / 2. * grid->spacing[d] + shift[d] +
			       (thin ? 0. : (mirrored >> d & 1 ? -1. : 1.) * parts[i][0][d] * half);
			h[d] = thin ? half : parts[i][1][d] * half;
		}

		if (i < PARTS - 1 || grid->size[2] >= THIN)
			shapes_add(o, SHAPE_BOX, 1., c, h, untilted);
	}
}

static const double here[3] = {0., 0., 0.};

static float *draw(const struct grid *grid)
{
	const long *n = grid->size;
	struct shapes o = {0};
	float *vol = mem_alloc(n[0] * n[1] * n[2] * sizeof(float));

	make_letter(&o, grid, 0, here);

#pragma omp parallel for
	for (long line = 0; line < n[1] * n[2]; line++) {
		double *row = mem_alloc(n[0] * sizeof(double));

		shapes_row(&o, grid, 3, line % n[1], line / n[1], row);

		for (long i = 0; i < n[0]; i++)
			vol[line * n[0] + i] = (float)row[i];

		free(row);
	}

	shapes_free(&o);
	return vol;
}

/** The exact projections of a letter. */
static double *exact(const struct geom *g, const struct grid *grid, int mirrored, const double shift[3])
{
	const long n = g->cols * g->rows;
	double *out = mem_alloc(n * g->views * sizeof(double));
	struct shapes o = {0};

	make_letter(&o, grid, mirrored, shift);

	for (long k = 0; k < g->views; k++)
		shapes_view(&o, g, k, out + k * n);

	shapes_free(&o);
	return out;
}

/** Distance of projections to the exact ones of a letter, relative to these; 0 where it is not seen. */
static double distance(const struct geom *g, const double *want, const double *proj)
{
	double diff = 0., size = 0.;

	for (long i = 0; i < g->cols * g->rows * g->views; i++) {
		diff += (proj[i] - want[i]) * (proj[i] - want[i]);
		size += want[i] * want[i];
	}

	return (size > 0.) ? sqrt(diff / size) : 0.;
}

/** Half of a voxel, by which a grid may misplace an edge along axis d; by footprints, whose values are means
 * over pixels, half of a pixel where that is more [mm]. */
static double misplaced(const struct geom *g, const struct grid *grid, enum xray_model model, int d)
{
	double half = grid->spacing[d] / 2.;

	for (long k = 0; k < g->views && xray_model_averages(model); k++) {
		const struct geom_view *w = g->view + k;
		double ray[3], m = 1.;

		sub3(ray, w->s, w->d);

		if (!g->parallel && !(g->stack && d == 2))
			m = norm3(ray) / norm3(w->s); // on the axis

		half = fmax(half, norm3((d == 2) ? w->v : w->u) / m / 2.);
	}

	return half;
}

/** What this grid and detector may make of the letter: all its edges misplaced, along one axis and another.
 */
static double resolution(
        const struct geom *g, const struct grid *grid, enum xray_model model, const double *want)
{
	double sum = 0.;

	for (int d = 0; d < ((grid->size[2] < THIN) ? 2 : 3); d++) {
		double shift[3] = {0., 0., 0.};

		shift[d] = misplaced(g, grid, model, d);

		double *moved = exact(g, grid, 0, shift);
		const double e = distance(g, want, moved);

		sum += e * e;
		free(moved);
	}

	return sqrt(sum);
}

bool verify_letter(const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	const int ways = (grid->size[2] < THIN) ? WAYS / 2 : WAYS;
	const long n = g->cols * g->rows * g->views;
	struct xray *x = xray_create(g, grid, model);
	float *vol = draw(grid), *narrow = mem_alloc(n * sizeof(float));
	double *proj = mem_alloc(n * sizeof(double)), best = INFINITY;

	xray_forward(x, DT_FLOAT32, narrow, vol, 0, g->views);

	for (long i = 0; i < n; i++)
		proj[i] = narrow[i];

	double *want = exact(g, grid, 0, here);
	const double own = distance(g, want, proj), limit = fmax(0.25, resolution(g, grid, model, want));

	for (int i = 1; i < ways; i++) {
		double *other = exact(g, grid, i, here);

		best = fmin(best, distance(g, other, proj));
		free(other);
	}

	free(vol);
	free(narrow);
	free(proj);
	free(want);
	xray_free(x);

	if (grid->size[0] < THIN || grid->size[1] < THIN) {
		str_printf(said, "a volume too small for a letter: nothing to compare");
		return true;
	}

	if (limit >= best) {
		str_printf(said, "voxels or pixels too large for a letter: nothing to compare");
		return true;
	}

	str_printf(said,
	        "a letter F differs by %.1f %% from its exact line integrals (limit %.0f %%), its nearest "
	        "mirror image by %.0f %%",
	        100. * own, 100. * limit, 100. * best);
	return own <= limit;
}
