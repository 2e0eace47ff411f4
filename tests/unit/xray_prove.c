/* The proofs of check on scans of coarse pixels, thick slices and thin volumes: a transform that is right
 * passes. */

#include <omp.h>

#include "xray_scans.h"

/* What is proved, and whether there was something to compare. */
static void prove_all(const char *what, const struct geom *g, const struct grid *grid, bool ball, bool letter)
{
	static const struct {
		prove_fn *fn;
		const char *name;
	} proofs[] = {{prove_orientation, "ball"}, {prove_letter, "letter"}};
	const bool expected[] = {ball, letter};

	for (int m = 0; m < XRAY_MODELS; m++)
		for (int i = 0; i < 2; i++) {
			struct str said = {0};
			const bool good = proofs[i].fn(g, grid, m, &said),
			           compared = !strstr(said.data, "nothing to compare");

			check(good && (compared || !expected[i]), "%s, %s, %s: %s", what, model_name[m],
			        proofs[i].name, said.data);
			free(said.data);
		}
}

static struct geom *turn(struct orbit o, long cols, long rows)
{
	enum { VIEWS = 4 };
	double angle[VIEWS];

	for (int k = 0; k < VIEWS; k++)
		angle[k] = 100. * k;

	return orbit_geom(&o, VIEWS, angle, cols, rows);
}

int main(void)
{
	omp_set_num_threads(2);

	struct grid grid = centred(41, 40, 41, 1., 1., 1.);
	struct geom *g = turn((struct orbit){.parallel = true, .pitch = {1., 1.}}, 52, 51);

	prove_all("rays along the grid", g, &grid, true, true);
	geom_free(g);
	g = turn((struct orbit){.sod = 80., .sdd = 120., .radius = 120., .pitch = {3.6, 3.9}}, 29, 26);
	prove_all("pixels of two voxels", g, &grid, true, true);
	geom_free(g);
	g = turn((struct orbit){.sod = 80., .sdd = 120., .pitch = {9., 11.}}, 9, 8);
	prove_all("pixels of six voxels", g, &grid, false, false);
	geom_free(g);
	grid = centred(46, 46, 21, 1., 1., 3.);
	g = turn((struct orbit){.sod = 120., .sdd = 180., .pitch = {1.6, 1.7}}, 64, 90);
	prove_all("thick slices", g, &grid, true, true);
	geom_free(g);
	grid = centred(46, 46, 6, 1., 1., 1.);
	g = turn((struct orbit){.sod = 120., .sdd = 180., .pitch = {2., 1.}}, 52, 30);
	prove_all("few slices", g, &grid, true, true);
	geom_free(g);
	grid = centred(40, 40, 1, 1., 1., 1.);
	g = turn((struct orbit){.parallel = true, .tilt = 16., .pitch = {1., 1.}}, 52, 1);
	prove_all("a slice seen aslant", g, &grid, false, false);
	geom_free(g);
	return checks_failed ? 1 : 0;
}
