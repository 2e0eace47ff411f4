/* The X-ray transform by Joseph's method: dot test, single elements, float64 reference, splits, for every
 * kind of scan; scans with tilted detectors, whose rays are traced together. */

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

/* A random number in [a, b). */
static double between(long *i, double a, double b)
{
	return a + (b - a) * rand_uniform(17, (*i)++);
}

/* A scan with a detector of any tilt, roll and offset: rows much closer, or farther apart, than voxels. In a
 * third of the scans, few rows far apart: what the next rows would be does not matter. */
static struct geom *tilted_scan(long k)
{
	long i = 100 * k;
	const bool few = (k % 3 == 1);
	struct orbit o = {.parallel = (k % 4 == 0), .sod = 80. * exp(between(&i, -0.3, few ? 0.6 : 2.))};
	const double angle[2] = {(k % 5 == 0) ? 45. : between(&i, 0., 360.), between(&i, 0., 360.)};

	o.sdd = o.sod * between(&i, 1.1, 2.5);
	o.tilt = between(&i, -60., 60.) * ((k % 2) ? 1. : 0.05);
	o.pitch[0] = exp(between(&i, -1.2, 1.6));
	o.pitch[1] = exp(between(&i, few ? 1. : -1.2, 1.6)) * ((k % 3) ? 1. : -1.);
	o.radius = (k % 8 == 7) ? o.sdd : 0.;

	struct geom *g =
	        orbit_geom(&o, 2, angle, (long)between(&i, 1., 40.), (long)between(&i, 4., few ? 9. : 100.));

	for (int view = 0; view < 2; view++) {
		struct geom_view *w = g->view + view;
		const double roll = between(&i, -1., 1.) * ((k % 3) ? 0.06 : 1.), c = cos(roll),
		             s = sin(roll), ratio = o.pitch[0] / fabs(o.pitch[1]);

		for (int a = 0; a < 3; a++) {
			const double u = w->u[a], v = w->v[a];

			w->u[a] = c * u + s * v * ratio;
			w->v[a] = c * v - s * u / ratio;
			w->d[a] += between(&i, -10., 10.);
		}
	}

	return g;
}

/* A scan whose detector columns are almost across the lines of voxels along z, with rows close to each other:
 * hardly a row is at another position along the lines. */
static struct geom *rolled_scan(long k)
{
	const struct orbit o = {.parallel = (k % 2), .sod = 200., .sdd = 300., .pitch = {1.2, 0.5}};
	const double angle[2] = {20. + 70. * k, 35. - 50. * k}, off = (k ? pow(10., -4. * k) : 0.);
	struct geom *g = orbit_geom(&o, 2, angle, 30, 80);

	for (int view = 0; view < 2; view++) {
		struct geom_view *w = g->view + view;
		const double c = cos(M_PI / 2. - off), s = sin(M_PI / 2. - off),
		             ratio = o.pitch[0] / o.pitch[1];

		for (int a = 0; a < 3; a++) {
			const double u = w->u[a], v = w->v[a];

			w->u[a] = c * u + s * v * ratio;
			w->v[a] = c * v - s * u / ratio;
		}
	}

	return g;
}

/* All elements of float32 against float64. Frees the scan. */
static void test_tilted(struct geom *g, const char *name, long k)
{
	const struct grid grid = centred(30 + 7 * k % 31, 60 - 11 * k % 29, 2 + 13 * k % 75, 1., 1.1, 0.9);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
	const long size[2] = {volume_size(&grid), proj_size(g)};
	double *in[2] = {deviates(size[0], 2 * k), deviates(size[1], 2 * k + 1)},
	       *out[2] = {mem_calloc(size[0], sizeof(double)), mem_calloc(size[1], sizeof(double))};
	float *in32[2], *out32[2];

	for (int e = 0; e < 2; e++) {
		in32[e] = mem_calloc(size[e], sizeof(float));
		out32[e] = mem_calloc(size[e], sizeof(float));

		for (long i = 0; i < size[e]; i++)
			in[e][i] = in32[e][i] = (float)in[e][i];
	}

	xray_forward(x, DT_FLOAT64, out[1], in[0], 0, g->views);
	xray_adjoint(x, DT_FLOAT64, out[0], in[1], 0, g->views);
	xray_forward(x, DT_FLOAT32, out32[1], in32[0], 0, g->views);
	xray_adjoint(x, DT_FLOAT32, out32[0], in32[1], 0, g->views);

	for (int e = 0; e < 2; e++) {
		double worst = 0., most = 0.;

		for (long i = 0; i < size[e]; i++) {
			worst = fmax(worst, fabs(out32[e][i] - out[e][i]));
			most = fmax(most, fabs(out[e][i]));
		}

		check(worst <= 6e-6 * most, "%s scan %ld, %s: %.1e of %.1e from float64", name, k,
		        e ? "forward" : "adjoint", worst, most);
		free(in[e]);
		free(out[e]);
		free(in32[e]);
		free(out32[e]);
	}

	xray_free(x);
	geom_free(g);
}

int main(void)
{
	omp_set_num_threads(2);
	test_model(XRAY_JOSEPH);
	test_edges();

	for (long k = 0; k < fewer(45); k++)
		test_tilted(tilted_scan(k), "tilted", k);

	for (long k = 0; k < 5; k++)
		test_tilted(rolled_scan(k), "rolled", k);

	return checks_failed ? 1 : 0;
}
