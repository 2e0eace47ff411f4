/** Filtered back projection of a cone beam: filter and back projection, compared with the transpose. */

#include <stdio.h>
#include <stdlib.h>

#include "ct/bench/bench_projector.h"
#include "ct/fbp/fbp.h"
#include "ct/projector/xray.h"
#include "misc/mem.h"
#include "num/bench/bench.h"

enum { VIEWS = 64 };

struct work {
	struct geom *g;
	struct grid grid;
	struct fbp *f;
	struct xray *x;
	float *vol, *p, *q;
};

/** A view stays what it is: the filter's output is no input. */
static void filter(void *ctx)
{
	const struct work *w = ctx;

	for (long k = 0, n; k < VIEWS; k += n) {
		n = fbp_batch(w->f, DT_FLOAT32);
		n = (VIEWS - k < n) ? VIEWS - k : n;
		fbp_filter(w->f, DT_FLOAT32, w->q, w->p + k * w->g->cols * w->g->rows, k, n);
	}
}

static void back(void *ctx)
{
	const struct work *w = ctx;

	for (long k = 0, n; k < VIEWS; k += n) {
		n = fbp_batch(w->f, DT_FLOAT32);
		n = (VIEWS - k < n) ? VIEWS - k : n;
		fbp_backproject(
		        w->f, &w->grid, DT_FLOAT32, w->vol, 1, w->p + k * w->g->cols * w->g->rows, k, n);
	}
}

static void transpose(void *ctx)
{
	const struct work *w = ctx;

	xray_adjoint(w->x, DT_FLOAT32, w->vol, w->p, 0, VIEWS);
}

static void bench_fbp_run(struct bench *b, long n)
{
	char what[32];

	snprintf(what, sizeof what, "%ld^3", n);

	if (!bench_fits(4. * (double)n * (double)n * (2. * (double)n + 3. * VIEWS), what))
		return;

	static const struct {
		enum bench_kind kind;
		const char *name;
	} scans[] = {
	        {BENCH_PARALLEL, "parallel"}, {BENCH_CONE, "cone"}, {BENCH_CONE_NEAR, "cone, fine pixels"}};

	for (size_t i = 0; i < sizeof scans / sizeof scans[0]; i++) {
		struct work w = {
		        .g = bench_geom(scans[i].kind, n, VIEWS), .grid = bench_grid(scans[i].kind, n)};
		const double updates = (double)n * (double)n * (double)n * VIEWS;
		const long size = n * n * VIEWS;

		w.f = fbp_create(w.g, &(struct fbp_settings){.short_scan = SCAN_SILVER}, "bench");
		w.x = xray_create(w.g, &w.grid, XRAY_JOSEPH);
		w.vol = bench_random(n * n * n, 0);
		w.p = bench_random(size, 1);
		w.q = mem_alloc((size_t)size * sizeof *w.q);

		const struct bench_contender who[3] = {
		        {.name = "fbp: back projection", .run = back, .ctx = &w, .updates = updates},
		        {.name = "fbp: filter", .run = filter, .ctx = &w, .updates = updates},
		        {.name = "backproject (joseph)", .run = transpose, .ctx = &w, .updates = updates}};
		struct bench_case c = {.name = scans[i].name, .hand = 2, .most_rounds = 3};

		snprintf(c.shape, sizeof c.shape, "%ld^3, %d views of %ld x %ld", n, VIEWS, n, n);
		bench_case(b, &c, 3, who);
		xray_free(w.x);
		fbp_free(w.f);
		geom_free(w.g);
		free(w.vol);
		free(w.p);
		free(w.q);
	}
}

const struct bench_suite bench_suite_fbp = {
        .name = "fbp",
        .about = "filtering, back projection, and the exact transpose of projection, for parallel and "
                 "cone beams. The unit GUP/s is 1e9 voxels times views per second",
        .sizes = {256},
        .run = bench_fbp_run,
};
