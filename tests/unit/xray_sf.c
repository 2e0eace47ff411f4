/* The X-ray transform by separable footprints: dot test, single elements, float64 reference, splits, for
 * every kind of scan. */

#include <omp.h>

#include "num/kern/kern.h"
#include "other_isa.h"
#include "xray_scans.h"

/* Largest difference of float32 values, relative to the largest one. */
static double off(const float *a, const double *b, long n)
{
	double diff = 0., most = 0.;

	for (long i = 0; i < n; i++) {
		diff = fmax(diff, fabs(a[i] - b[i]));
		most = fmax(most, fabs(b[i]));
	}
	return (most > 0.) ? diff / most : INFINITY;
}

/* float32 beside float64, all pixels and voxels. */
static void test_float(const struct geom *g, const struct grid *grid, const char *what, const char *name)
{
	struct xray *x = xray_create(g, grid, XRAY_SF);
	const long n = volume_size(grid), m = proj_size(g);
	double *vol = deviates(n, 1), *proj = mem_alloc(m * sizeof(double)), *y = deviates(m, 2),
	       *back = mem_calloc(n, sizeof(double));
	float *vol32 = mem_alloc(n * sizeof(float)), *proj32 = mem_alloc(m * sizeof(float)),
	      *y32 = mem_alloc(m * sizeof(float)), *back32 = mem_calloc(n, sizeof(float));

	for (long i = 0; i < n; i++)
		vol[i] = vol32[i] = (float)vol[i];
	for (long i = 0; i < m; i++)
		y[i] = y32[i] = (float)y[i];

	xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);
	xray_adjoint(x, DT_FLOAT64, back, y, 0, g->views);
	xray_forward(x, DT_FLOAT32, proj32, vol32, 0, g->views);
	xray_adjoint(x, DT_FLOAT32, back32, y32, 0, g->views);

	const double e = off(proj32, proj, m), f = off(back32, back, n);

	check(e <= 1e-5, "sf, %s, %s: float32 forward, %.1e", what, name, e);
	check(f <= 1e-5, "sf, %s, %s: float32 adjoint, %.1e", what, name, f);
	free(vol);
	free(proj);
	free(y);
	free(back);
	free(vol32);
	free(proj32);
	free(y32);
	free(back32);
	xray_free(x);
}

/* What is not negative has no negative footprint: shares are differences of numbers that never fall. Scans of
 * which parts measured from the middles of footprints, not from their edges, break this. */
static void test_sign(void)
{
	static const double scans[][3] = {{120., 0.77, 85.}, {160., 0.22, 45.}, {437., 1.37, 45.},
	        {305., 0.74, 70.}, {103., 0.29, 45.}, {178., 1.56, 70.}}; // source, pitch, tilt
	static const double angle[] = {3., 44., 80., 200., 301.};
	const struct grid grid = centred(17, 16, 15, 1., 1., 1.);
	const long n = volume_size(&grid);
	float *vol = mem_alloc(n * sizeof(float));

	for (long i = 0; i < n; i++)
		vol[i] = (rand_uniform(5, i) < 0.1) ? (float)rand_uniform(6, i) : 0.f;

	for (int i = 0; i < 6; i++) {
		const struct orbit o = {.sod = scans[i][0],
		        .sdd = 1.5 * scans[i][0],
		        .tilt = scans[i][2],
		        .pitch = {scans[i][1], scans[i][1]}};
		struct geom *g = orbit_geom(&o, 5, angle, 40, 37);
		struct xray *x = xray_create(g, &grid, XRAY_SF);
		const long m = proj_size(g);
		float *proj = mem_alloc(m * sizeof(float)), least = 0.f;

		xray_forward(x, DT_FLOAT32, proj, vol, 0, g->views);

		for (long k = 0; k < m; k++)
			least = fminf(least, proj[k]);

		check(least == 0.f, "sf, source at %g: nothing negative, %.1e", o.sod, least);
		free(proj);
		xray_free(x);
		geom_free(g);
	}

	free(vol);
}

/* A slice before many rows, whose untilted columns the fast path of volumes does not take. */
static void test_slices(void)
{
	for (int kind = 0; kind < KINDS; kind += short_tests() ? 2 : 1) {
		struct geom *g = scan(kind, 70., 4, 44, 41);
		struct grid slice = centred(37, 70, 1, 1., 1., 1.);

		test_float(g, &slice, "slice", kind_name[kind]);
		slice.origin[2] = 20.;
		if (kind != FAN)
			test_float(g, &slice, "slice off the middle", kind_name[kind]);
		geom_free(g);
	}
}

/* Parallel beams whose rows lie on voxels, one by one, with wide and narrow columns, some of them mirrored;
 * views that see voxels on one side only. */
static void test_level(void)
{
	static const double pitch[][2] = {{1., 1.}, {0.55, 1.}, {-0.8, -1.}, {2.3, 1.}};
	const double angle[] = {0., 17., 86., 126., 178.};
	const struct grid grid = centred(37, 70, 69, 1., 1., 1.);

	for (int i = 0; i < (short_tests() ? 2 : 4); i++) {
		const struct orbit o = {.parallel = true,
		        .sdd = 1.,
		        .pitch = {pitch[i][0], pitch[i][1]},
		        .offset = {(i == 2) ? 30. : 0., 0.}};
		struct geom *g = orbit_geom(&o, 5, angle, 44, 41);

		test_float(g, &grid, "rows on voxels", "parallel");
		geom_free(g);
	}
}

/* Distant sources, some as near as a distant one may be, and coarse pixels, in which two or three voxels
 * begin; larger than the detector, too. */
static void test_distant(void)
{
	static const struct {
		double sod, pitch, tilt;
		long cols, rows;
		const char *name;
	} scans[] = {{400., 2.4, 3., 52, 41, "whole"}, {400., 3.3, 3., 25, 13, "cut"},
	        {310., 2.4, 30., 60, 61, "tilted"}, {310., 2.7, 70., 60, 61, "steep"}};
	static const double angle[] = {3., 44., 80., 200., 301.};
	const struct grid grid = centred(70, 69, 37, 1., 1., 1.);

	for (int i = 0; i < 4; i += short_tests() ? 3 : 1) {
		const struct orbit o = {.sod = scans[i].sod,
		        .sdd = 1.5 * scans[i].sod,
		        .tilt = scans[i].tilt,
		        .pitch = {scans[i].pitch, scans[i].pitch}};
		struct geom *g = orbit_geom(&o, 5, angle, scans[i].cols, scans[i].rows);

		test_float(g, &grid, "distant source", scans[i].name);
		geom_free(g);
	}
}

int main(int argc, char *argv[])
{
	omp_set_num_threads(2);

	if (argc < 2 && 0 == strcmp(kern_isa(), "avx512"))
		test_isa(argv[0], "avx2");

	test_model(XRAY_SF);

	if (argc > 1)
		return checks_failed ? 1 : 0;

	test_slices();
	test_level();
	test_distant();
	test_sign();
	return checks_failed ? 1 : 0;
}
