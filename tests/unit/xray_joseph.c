/* The X-ray transform by Joseph's method: dot test, single elements, float64 reference, splits, for every
 * kind of scan. */

#include <omp.h>

#include "xray_scans.h"

/* Rays that leave a brick exactly where its ring of zeros ends: the checks of memory see what they touch. */
static void test_edges(void)
{
	struct orbit o = {.parallel = true, .tilt = 40., .pitch = {1., 1.}};
	double angle[9];

	for (int k = 0; k < 9; k++)
		angle[k] = 20. * k;

	struct geom *g = orbit_geom(&o, 9, angle, 40, 24);
	const struct grid grid = centred(40, 40, 24, 1., 1., 1.);
	struct linop *A = linop_xray_create(g, &grid, XRAY_JOSEPH, DT_FLOAT32, 1, 1);
	const double e = linop_dot_test(A, 1);

	check(e < 3e-7, "rays along the edges of bricks: dot test %g", e);
	linop_free(A);
	geom_free(g);
}

int main(void)
{
	omp_set_num_threads(2);
	test_model(XRAY_JOSEPH);
	test_edges();
	return checks_failed ? 1 : 0;
}
