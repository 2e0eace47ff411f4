/* The naive projector that gantry bench projector measures beside: the same numbers as the library's. */

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "linops/xray/bench_projector.h"
#include "linops/xray/xray.h"
#include "misc/mem.h"
#include "num/bench_fma.h"
#include "num/rand.h"

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

int main(void)
{
	for (int kind = 0; kind < BENCH_KINDS; kind++)
		test_kind(kind);

	check(isfinite(bench_fma_run()) && bench_fma_flops() > 0., "multiply-adds in registers");
	return checks_failed ? 1 : 0;
}
