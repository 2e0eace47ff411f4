/* The X-ray transform of sizes beside powers of two: rays and voxels against the float64 reference. */

#include <omp.h>

#include "xray_scans.h"

static void test_sizes(enum xray_model m)
{
	static const long wide[] = {2047, 2049, 4097};

	const int first = short_tests(), end = short_tests() ? 2 : 3;

	for (int i = first; i < end; i++) {
		char name[64];
		struct geom *g = scan(CONE, 40., 3, wide[i], 2);
		struct grid grid = centred(40, 40, 3, 1., 1., 20.);

		snprintf(name, sizeof name, "%ld columns", wide[i]);
		exact(m, name, g, &grid);
		geom_free(g);

		g = scan(PARALLEL, 40., wide[i], 5, 2);
		snprintf(name, sizeof name, "%ld views", wide[i]);
		exact(m, name, g, &grid);
		geom_free(g);

		g = scan(CONE, 40., 3, 2, wide[i]);
		grid = centred(7, 5, wide[i], 6., 8., 40. / wide[i]);
		snprintf(name, sizeof name, "%ld rows and slices", wide[i]);
		exact(m, name, g, &grid);
		geom_free(g);

		g = scan(PARALLEL, 40., 5, 33, 1);
		grid = centred(wide[i], 3, 1, 40. / wide[i], 13., 1.);
		snprintf(name, sizeof name, "%ld x 3 image", wide[i]);
		exact(m, name, g, &grid);
		grid = centred(3, wide[i], 1, 13., 40. / wide[i], 1.);
		snprintf(name, sizeof name, "3 x %ld image", wide[i]);
		exact(m, name, g, &grid);
		geom_free(g);
	}
}

int main(void)
{
	omp_set_num_threads(2);
	for (int m = 0; m < XRAY_MODELS; m++)
		test_sizes(m);
	return checks_failed ? 1 : 0;
}
