/* The naive projector that gantry bench projector measures beside: the same numbers as the library's. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ct/bench/bench_projector.h"
#include "ct/geometry/vec3.h"
#include "ct/projector/xray.h"
#include "misc/mem.h"
#include "num/bench/bench_fma.h"
#include "num/md/rand.h"

static float *deviates(long n, unsigned long seed)
{
	float *x = mem_alloc(n * sizeof(float));

	for (long i = 0; i < n; i++)
		x[i] = (float)(rand_uniform(seed, i) - 0.5);

	return x;
}

/* Largest difference, relative to the largest value. */
static double differ(long n, const float *a, const float *b)
{
	double worst = 0., most = 0.;

	for (long i = 0; i < n; i++) {
		worst = fmax(worst, fabs((double)a[i] - b[i]));
		most = fmax(most, fabs(b[i]));
	}

	return (most > 0.) ? worst / most : INFINITY;
}

static void test_kind(enum bench_kind kind)
{
	enum { N = 24, VIEWS = 3 };
	struct geom *g = bench_geom(kind, N, VIEWS);
	const struct grid grid = bench_grid(kind, N);
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
	const long n = grid.size[0] * grid.size[1] * grid.size[2], m = g->cols * g->rows * g->views;
	float *vol = deviates(n, 1), *y = deviates(m, 2), *proj = mem_calloc(m, sizeof(float)),
	      *naive = mem_calloc(m, sizeof(float)), *back = mem_calloc(n, sizeof(float)),
	      *naive_back = mem_calloc(n, sizeof(float));

	xray_forward(x, DT_FLOAT32, proj, vol, 0, VIEWS);
	bench_naive_forward(g, &grid, naive, vol, VIEWS);
	xray_adjoint(x, DT_FLOAT32, back, y, 0, VIEWS);
	bench_naive_adjoint(g, &grid, naive_back, y, VIEWS);

	const double forward = differ(m, naive, proj), adjoint = differ(n, naive_back, back);

	check(forward < 2e-5 && adjoint < 2e-5, "%s: naive loop and library: %.1e, %.1e",
	        bench_kind_name[kind], forward, adjoint);
	free(vol);
	free(y);
	free(proj);
	free(naive);
	free(back);
	free(naive_back);
	xray_free(x);
	geom_free(g);
}

/* What the header says of a scan: its grid and detector, distances, arc and pitch. */
static void test_scan(enum bench_kind kind)
{
	enum { N = 24, VIEWS = 7 };
	const bool flat = kind == BENCH_FLAT_PARALLEL || kind == BENCH_FLAT_FAN,
	           parallel = kind == BENCH_PARALLEL || kind == BENCH_FLAT_PARALLEL,
	           vectors = kind == BENCH_VECTORS || kind == BENCH_VECTORS_NEAR,
	           still = kind == BENCH_TOMOSYNTHESIS,
	           near = kind == BENCH_CONE_NEAR || kind == BENCH_CURVED || kind == BENCH_VECTORS_NEAR ||
	                  kind == BENCH_LAMINOGRAPHY || still || kind == BENCH_FAN_STACK;
	const double arc = still      ? 50.
	                   : parallel ? 180.
	                              : 360.,
	             pitch = parallel ? 1.
	                     : near   ? 1.5
	                              : 2.4,
	             rise = (kind == BENCH_HELIX) ? 0.5 * N / VIEWS : 0.;
	const struct grid grid = bench_grid(kind, N);
	struct geom *g = bench_geom(kind, N, VIEWS);
	const struct geom_view *v = g->view, *w = g->view + 1;
	const char *name = bench_kind_name[kind];
	double across[3];

	for (int i = 0; i < 3; i++)
		check(grid.size[i] == (flat && i == 2 ? 1 : N) && grid.spacing[i] == 1. &&
		                grid.origin[i] == -0.5 * (double)(grid.size[i] - 1),
		        "%s: voxels of 1 mm around the axis, along %c", name, "xyz"[i]);

	check(g->views == VIEWS && g->cols == N && g->rows == (flat ? 1 : N), "%s: views and pixels", name);
	check(g->parallel == parallel && g->radius == (kind == BENCH_CURVED ? 3. * N : 0.), "%s: beam", name);
	check(fabs(norm3(v->u) - pitch) < 1e-12 && fabs(norm3(v->v) - (g->stack ? 1. : pitch)) < 1e-12,
	        "%s: pixels of %g mm, expected %g", name, norm3(v->u), pitch);

	const double turn =
	        remainder((geom_angle(g, 1) - geom_angle(g, 0)) * 180. / M_PI - arc / VIEWS, 360.);

	check(fabs(turn) < 1e-9, "%s: %g degrees off the arc", name, turn);
	check(still == (0 == memcmp(v->u, w->u, sizeof v->u)), "%s: whether the detector stays", name);
	check(vectors == (fabs(w->u[2]) > 1e-3), "%s: whether rows lean", name);
	check(vectors || fabs(w->s[2] - v->s[2] - rise) < 1e-9, "%s: %g mm along z from view to view", name,
	        w->s[2] - v->s[2]);
	check(kind != BENCH_LAMINOGRAPHY || fabs(fabs(v->s[2]) - 2. * N * sin(M_PI / 6.)) < 1e-9,
	        "%s: inclined by 30 degrees", name);
	sub3(across, v->d, v->s);
	check(parallel || vectors || still || kind == BENCH_HELIX ||
	                (fabs(norm3(v->s) - 2. * N) < 1e-9 && fabs(norm3(across) - 3. * N) < 1e-9),
	        "%s: the source at %g mm, the detector %g away", name, norm3(v->s), norm3(across));
	geom_free(g);
}

int main(void)
{
	for (int kind = 0; kind < BENCH_KINDS; kind++)
		test_scan(kind);

	for (int kind = 0; kind < BENCH_KINDS; kind++)
		test_kind(kind);

	check(isfinite(bench_fma_run()) && bench_fma_flops() > 0., "multiply-adds in registers");
	return checks_failed ? 1 : 0;
}
