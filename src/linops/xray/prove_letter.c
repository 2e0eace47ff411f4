/** A letter F, not to be taken for its mirror images or for itself upside down, against its exact line
 * integrals. */

#include <math.h>
#include <stdlib.h>

#include "linops/xray/prove.h"
#include "linops/xray/shapes.h"

enum { PARTS = 4, WAYS = 8, THIN = 16 };

/** Boxes, centre and half axes, in halves of the volume's size: a stem, two arms, and a foot that is higher
 * in z than the rest. */
static const double parts[PARTS][2][3] = {
        {{-.35, 0., -.15}, {.12, .62, .35}},
        {{.07, .5, -.15}, {.3, .12, .35}},
        {{0., .05, -.15}, {.23, .12, .35}},
        {{-.35, -.5, .45}, {.12, .12, .25}},
};

/** The letter in the volume, mirrored along axis d where bit d is set; in a thin volume its slices are alike.
 */
static void make_letter(struct shapes *o, const struct grid *grid, int mirrored)
{
	static const double upright[3] = {0., 0., 0.};

	for (int i = 0; i < PARTS; i++) {
		double c[3], h[3];

		for (int d = 0; d < 3; d++) {
			const double half = grid->size[d] * grid->spacing[d] / 2.;
			const bool thin = (d == 2 && grid->size[d] < THIN);

			c[d] = grid->origin[d] + (grid->size[d] - 1) / 2. * grid->spacing[d] +
			       (thin ? 0. : (mirrored >> d & 1 ? -1. : 1.) * parts[i][0][d] * half);
			h[d] = thin ? half : parts[i][1][d] * half;
		}

		if (i < PARTS - 1 || grid->size[2] >= THIN)
			shapes_add(o, SHAPE_BOX, 1., c, h, upright);
	}
}

static float *draw(const struct grid *grid)
{
	const long *n = grid->size;
	struct shapes o = {0};
	float *vol = mem_alloc(n[0] * n[1] * n[2] * sizeof(float));

	make_letter(&o, grid, 0);

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

/** Distance of the projections to the exact ones of a letter, relative to these; 0 where it is not seen. */
static double distance(const struct geom *g, const struct grid *grid, int mirrored, const float *proj)
{
	const long n = g->cols * g->rows;
	double *exact = mem_alloc(n * sizeof(double)), diff = 0., size = 0.;
	struct shapes o = {0};

	make_letter(&o, grid, mirrored);

	for (long k = 0; k < g->views; k++) {
		shapes_view(&o, g, k, exact);

		for (long i = 0; i < n; i++) {
			const double e = proj[k * n + i] - exact[i];

			diff += e * e;
			size += exact[i] * exact[i];
		}
	}

	shapes_free(&o);
	free(exact);
	return (size > 0.) ? sqrt(diff / size) : 0.;
}

bool prove_letter(const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	const int ways = (grid->size[2] < THIN) ? WAYS / 2 : WAYS;
	const double limit = 0.25;
	struct xray *x = xray_create(g, grid, model);
	float *vol = draw(grid), *proj = mem_alloc(g->cols * g->rows * g->views * sizeof(float));
	double best = INFINITY;

	xray_forward(x, DT_FLOAT32, proj, vol, 0, g->views);

	const double own = distance(g, grid, 0, proj);

	for (int i = 1; i < ways; i++)
		best = fmin(best, distance(g, grid, i, proj));

	free(vol);
	free(proj);
	xray_free(x);

	if (grid->size[0] < THIN || grid->size[1] < THIN) {
		str_printf(said, "a volume too small for a letter: nothing to compare");
		return true;
	}

	str_printf(said,
	        "a letter F is %.1f %% from its exact line integrals (limit %.0f %%), its nearest mirror "
	        "image %.0f %%",
	        100. * own, 100. * limit, 100. * best);
	return own <= limit && own <= best;
}
