/* The X-ray transform by Siddon's method: dot test, single elements, float64 reference, splits, for every
 * kind of scan. */

#include <omp.h>

#include "xray_scans.h"

/* Half-lines begin in the slab of their source, in every direction; columns of untilted detectors too. */
static void test_inside(bool untilted)
{
	const char *name = untilted ? "sources inside, untilted" : "sources inside";
	const struct grid grid = {{20, 17, 23}, {1., 1.3, 0.8}, {-8., -9., -11.}};
	struct geom *g = scan(RANDOM, 20., 12, 23, 21);

	for (long k = 0; k < g->views; k++)
		for (int i = 0; i < 3; i++) {
			g->view[k].s[i] = 10. * uniform(3000 + 3 * k + i);
			g->view[k].d[i] =
			        (i == k % 3) ? (k % 2 ? 40. : -40.) : 4. * uniform(4000 + 3 * k + i);
			g->view[k].u[i] = (i == (k + 1) % 3) ? 1. : 0.1;
			g->view[k].v[i] = (i == (k + 2) % 3) ? 1. : -0.1;
		}

	for (long k = 0; k < g->views && untilted; k++) {
		struct geom_view *w = g->view + k;
		const double turn = 0.3 + M_PI / 6. * (double)k;

		w->d[0] = 40. * cos(turn);
		w->d[1] = 40. * sin(turn);
		w->d[2] = 0.;
		w->u[0] = -sin(turn);
		w->u[1] = cos(turn);
		w->u[2] = w->v[0] = w->v[1] = 0.;
		w->v[2] = 1.;
	}

	exact(XRAY_SIDDON, name, g, &grid);
	proof_of(XRAY_SIDDON, verify_reference, g, &grid, "reference", name);
	geom_free(g);
}

/* Rays in the outer halves of the voxels at the faces, at small angles. */
static void test_faces(void)
{
	const struct grid grid = centred(20, 17, 23, 1., 1., 1.);
	struct geom *g = scan(ANY_ORIENTATION_PARALLEL, 20., 12, 23, 21);

	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;
		const int along = (int)k % 3, p = (along + 1) % 3, q = (along + 2) % 3;
		const double side = (k / 3 % 2) ? 1. : -1.;

		*w = (struct geom_view){.s = {0., 0., 0.}};
		w->s[along] = 1.;
		w->s[p] = (k < 6) ? 0.02 : -0.02;
		w->s[q] = 0.013;
		w->d[p] = side * 0.5 * (double)grid.size[p];
		w->u[p] = 0.05;
		w->v[q] = 1.;
	}

	exact(XRAY_SIDDON, "rays along faces", g, &grid);
	geom_free(g);
}

int main(void)
{
	omp_set_num_threads(2);
	test_model(XRAY_SIDDON);
	test_inside(false);
	test_inside(true);
	test_faces();
	return checks_failed ? 1 : 0;
}
