#ifndef TESTS_UNIT_XRAY_SCANS_H
#define TESTS_UNIT_XRAY_SCANS_H

#include <math.h>

#include "check.h"
#include "ct/geometry/orbit.h"
#include "ct/projector/check/verify.h"
#include "misc/mem.h"
#include "num/md/rand.h"

/** Shared by the programs that test the X-ray transform: scans of every kind and common functions. */

#define UNUSED __attribute__((unused))

enum kind {
	PARALLEL,
	ANY_ORIENTATION_PARALLEL,
	CURVED_PARALLEL,
	FAN,
	CONE,
	CURVED,
	ANY_ORIENTATION_CURVED,
	HELIX,
	CURVED_HELIX,
	LAMINOGRAPHY,
	OFFSET,
	WOBBLE,
	RANDOM,
	KINDS
};

UNUSED static const char *const kind_name[KINDS] = {"parallel", "tilted parallel", "curved parallel", "fan",
        "cone", "curved", "tilted curved", "helix", "curved helix", "laminography", "offset", "wobble",
        "random vectors"};

static double uniform(long i)
{
	return rand_uniform(99, i) - 0.5;
}

/* Sources at random places, some inside the volume, detectors skewed and somewhere behind the origin. */
UNUSED static void random_views(struct geom *g, double n)
{
	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;
		double r = n * (0.3 + 2. * rand_uniform(7, k)), at[3], size = 0.;

		for (int i = 0; i < 3; i++) {
			at[i] = rand_normal(8, 3 * k + i);
			size += at[i] * at[i];
		}

		for (int i = 0; i < 3; i++) {
			at[i] /= sqrt(size);
			w->s[i] = r * at[i];
			w->d[i] = -1.2 * n * at[i] + 0.2 * n * uniform(100 + 3 * k + i);
			w->u[i] = 3. * uniform(1000 + 3 * k + i);
			w->v[i] = 3. * uniform(2000 + 3 * k + i);
		}
	}
}

/* A scan of an object of n mm; every view of a wobbling one has its own detector. */
UNUSED static struct geom *scan(enum kind kind, double n, long views, long cols, long rows)
{
	struct orbit o = {
	        .parallel = (kind == PARALLEL || kind == ANY_ORIENTATION_PARALLEL || kind == CURVED_PARALLEL),
	        .sod = 2 * n,
	        .sdd = 3 * n,
	        .pitch = {1.5 * n / cols, 1.5 * n / (rows > 1 ? rows : cols)}};
	double *angle = mem_alloc(views * sizeof(double));

	for (long k = 0; k < views; k++)
		angle[k] = 3. + 360. * k / views;

	if (kind == ANY_ORIENTATION_PARALLEL)
		o.tilt = 25.;
	if (kind == LAMINOGRAPHY)
		o.tilt = 60.;
	if (kind == CURVED || kind == ANY_ORIENTATION_CURVED || kind == CURVED_HELIX)
		o.radius = o.sdd;
	if (kind == CURVED_PARALLEL)
		o.radius = 2 * n;
	if (kind == ANY_ORIENTATION_CURVED)
		o.tilt = 20.;
	if (kind == FAN)
		rows = 1;
	if (kind == HELIX || kind == CURVED_HELIX)
		o.helix = n / 2;
	if (kind == OFFSET)
		o.offset[0] = n / 2, o.offset[1] = n / 5;

	struct geom *g = orbit_geom(&o, views, angle, cols, rows);

	for (long k = 0; k < views && kind == WOBBLE; k++)
		for (int i = 0; i < 3; i++) {
			g->view[k].s[i] += 3. * uniform(9 * k + i);
			g->view[k].d[i] += 3. * uniform(9 * k + 3 + i);
			g->view[k].u[i] += 0.1 * uniform(9 * k + 6 + i);
		}
	if (kind == RANDOM)
		random_views(g, n);

	free(angle);
	return g;
}

UNUSED static struct grid centred(long nx, long ny, long nz, double sx, double sy, double sz)
{
	return (struct grid){
	        {nx, ny, nz}, {sx, sy, sz}, {-(nx - 1) / 2. * sx, -(ny - 1) / 2. * sy, -(nz - 1) / 2. * sz}};
}

UNUSED static long volume_size(const struct grid *g)
{
	return g->size[0] * g->size[1] * g->size[2];
}

UNUSED static long proj_size(const struct geom *g)
{
	return g->cols * g->rows * g->views;
}

UNUSED static double *deviates(long n, unsigned long seed)
{
	double *x = mem_alloc(n * sizeof(double));

	for (long i = 0; i < n; i++)
		x[i] = rand_uniform(seed, i) - 0.5;
	return x;
}

UNUSED static void proof_of(enum xray_model m, verify_fn *fn, const struct geom *g, const struct grid *grid,
        const char *what, const char *name)
{
	struct str said = {0};
	const bool good = fn(g, grid, m, &said);

	check(good, "%s, %s, %s: %s", xray_model_name[m], name, what, said.data);
	free(said.data);
}

/* Largest difference to the reference over everything, relative to the largest value. */
UNUSED static void exact(enum xray_model m, const char *name, const struct geom *g, const struct grid *grid)
{
	struct xray *x = xray_create(g, grid, m);
	const long n = volume_size(grid), size = proj_size(g);
	double *vol = deviates(n, 1), *proj = mem_alloc(size * sizeof(double)), *y = deviates(size, 2),
	       *back = mem_calloc(n, sizeof(double));
	double worst = 0., most = 0., worst_back = 0., most_back = 0.;

	xray_forward(x, DT_FLOAT64, proj, vol, 0, g->views);
	xray_adjoint(x, DT_FLOAT64, back, y, 0, g->views);

	// the reference of footprints goes over all that there is
	const long rays = (m == XRAY_SF) ? 16 : fewer(1000), step = size / rays + 1,
	           back_step = n / ((m == XRAY_SF) ? (short_tests() ? 2 : 3) : 8) + 1;

	for (long i = 0; i < size; i += step) {
		const double want = xray_reference_pixel(
		        x, vol, i % g->cols, i / g->cols % g->rows, i / g->cols / g->rows);

		worst = fmax(worst, fabs(proj[i] - want));
		most = fmax(most, fabs(want));
	}
	for (long i = 0; i < n; i += back_step) {
		const double want = xray_reference_voxel(x, y, i % grid->size[0],
		        i / grid->size[0] % grid->size[1], i / grid->size[0] / grid->size[1]);

		worst_back = fmax(worst_back, fabs(back[i] - want));
		most_back = fmax(most_back, fabs(want));
	}
	check(worst <= 1e-11 * most && most > 0., "%s, %s: float64 forward, %.1e of %.1e", xray_model_name[m],
	        name, worst, most);
	check(worst_back <= 1e-11 * most_back && most_back > 0., "%s, %s: float64 adjoint, %.1e of %.1e",
	        xray_model_name[m], name, worst_back, most_back);
	free(vol);
	free(proj);
	free(y);
	free(back);
	xray_free(x);
}

/* What holds for every kind of scan. */
UNUSED static void test_model(enum xray_model m)
{
	const long n = short_tests() ? 50 : 64; // beyond a brick of 48

	for (int kind = 0; kind < KINDS; kind++) {
		struct geom *g = scan(kind, n, 3, n + 1, n - 1);
		struct grid grid = centred(n, n + 1, (kind == FAN) ? 1 : n + 2, 1., 1., 1.);

		proof_of(m, verify_dot, g, &grid, "dot test", kind_name[kind]);
		proof_of(m, verify_split, g, &grid, "splits", kind_name[kind]);
		if ((kind == CONE || kind == CURVED || kind == PARALLEL) && !short_tests())
			proof_of(m, verify_reference, g, &grid, "reference", kind_name[kind]);
		geom_free(g);

		if (short_tests() && kind % 4 > 0)
			continue;

		g = scan(kind, 20., 5, 23, 21);
		grid = (struct grid){
		        {20, 17, 23}, {1., 1.3, 0.8}, {-8., -9., -11.}}; // not cubic, not centred
		proof_of(m, verify_reference, g, &grid, "reference, other voxels", kind_name[kind]);
		proof_of(m, verify_elements, g, &grid, "elements", kind_name[kind]);
		geom_free(g);
	}
}

#endif
