#ifndef TESTS_UNIT_XRAY_SCANS_H
#define TESTS_UNIT_XRAY_SCANS_H

#include <math.h>

#include "check.h"
#include "linops/xray/orbit.h"
#include "linops/xray/prove.h"
#include "misc/mem.h"
#include "num/rand.h"

/** Scans of every kind, and what the programs that test the X-ray transform share. */

#define UNUSED __attribute__((unused))

enum kind {
	PARALLEL,
	TILTED_PARALLEL,
	CURVED_PARALLEL,
	FAN,
	CONE,
	CURVED,
	TILTED_CURVED,
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
	        .parallel = (kind == PARALLEL || kind == TILTED_PARALLEL || kind == CURVED_PARALLEL),
	        .sod = 2 * n,
	        .sdd = 3 * n,
	        .pitch = {1.5 * n / cols, 1.5 * n / (rows > 1 ? rows : cols)}};
	double *angle = mem_alloc(views * sizeof(double));

	for (long k = 0; k < views; k++)
		angle[k] = 3. + 360. * k / views;

	if (kind == TILTED_PARALLEL)
		o.tilt = 25.;
	if (kind == LAMINOGRAPHY)
		o.tilt = 60.;
	if (kind == CURVED || kind == TILTED_CURVED || kind == CURVED_HELIX)
		o.radius = o.sdd;
	if (kind == CURVED_PARALLEL)
		o.radius = 2 * n;
	if (kind == TILTED_CURVED)
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

UNUSED static const char *const model_name[XRAY_MODELS] = {"joseph", "siddon", "sf"};

UNUSED static void proof_of(enum xray_model m, prove_fn *fn, const struct geom *g, const struct grid *grid,
        const char *what, const char *name)
{
	struct str said = {0};
	const bool good = fn(g, grid, m, &said);

	check(good, "%s, %s, %s: %s", model_name[m], name, what, said.data);
	free(said.data);
}

/* Of every model. */
UNUSED static void proof(
        prove_fn *fn, const struct geom *g, const struct grid *grid, const char *what, const char *name)
{
	for (int m = 0; m < XRAY_MODELS; m++)
		proof_of(m, fn, g, grid, what, name);
}

#endif
