/** The X-ray transform on the GPU, for all kinds of scans: arrays reside on the GPU. The time is measured
 * from the first launch to the end of the last kernel and includes transposed copies. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ct/bench/bench_projector.h"
#include "ct/fbp/fbp.h"
#include "ct/projector/cuda/untilted.h"
#include "ct/projector/xray.h"
#include "misc/mem.h"
#include "num/bench/bench.h"
#include "num/device/device.h"

/** Views of the models beside Joseph's but for BENCH_CONE, whose rows are beside an aim, and of volumes above
 * MOST^3. Single slices
 * are WIDE times as wide, with as many views as that, but no more than WIDE MOST. */
enum { FEW = 64, MOST = 1024, LESS = 256, WIDE = 4 };

struct work {
	struct geom *g;
	struct grid grid;
	struct xray *x;
	struct fbp *f;
	struct gpu_fdk *fdk;
	float *vol, *proj;
};

static void forward(void *ctx)
{
	const struct work *w = ctx;

	xray_forward(w->x, DT_FLOAT32, w->proj, w->vol, 0, w->g->views);
}

static void adjoint(void *ctx)
{
	const struct work *w = ctx;

	xray_adjoint(w->x, DT_FLOAT32, w->vol, w->proj, 0, w->g->views);
}

static void back(void *ctx)
{
	const struct work *w = ctx;
	const struct gpu_tile all = {.views = w->g->views, .rows = w->g->rows, .slices = w->grid.size[2]};

	gpu_fdk_backproject(w->fdk, w->vol, w->proj, &all);
}

/** n numbers on the GPU, a repeated block of random ones. */
static float *device_random(double n, unsigned long seed)
{
	const long most = 1L << 24, all = (long)n, block = (all < most) ? all : most;
	float *host = bench_random(block, seed), *p = device_alloc((size_t)all * sizeof *p);

	for (long at = 0; at < all; at += block)
		device_copy(
		        p + at, at ? p : host, (size_t)((all - at < block) ? all - at : block) * sizeof *p);

	free(host);
	return p;
}

static bool is_flat(enum bench_kind kind)
{
	return kind == BENCH_FLAT_PARALLEL || kind == BENCH_FLAT_FAN;
}

static double voxels(const struct grid *g)
{
	return (double)g->size[0] * (double)g->size[1] * (double)g->size[2];
}

/** Both directions of every model. */
static void bench_models(struct bench *b, enum bench_kind kind, long n, long views, float *vol, float *proj)
{
	static char names[BENCH_KINDS][2][64]; // results refer to them
	struct work w[XRAY_MODELS];
	struct bench_contender who[XRAY_MODELS];

	for (int m = 0; m < XRAY_MODELS; m++) {
		w[m] = (struct work){
		        .g = bench_geom(kind, n,
		                (m == XRAY_JOSEPH || kind == BENCH_CONE || is_flat(kind)) ? views : FEW),
		        .grid = bench_grid(kind, n),
		        .vol = vol,
		        .proj = proj};
		w[m].x = xray_create(w[m].g, &w[m].grid, m);
	}

	for (int dir = 0; dir < 2; dir++) {
		struct bench_case c = {.name = names[kind][dir], .hand = -1, .most_rounds = 3};

		for (int m = 0; m < XRAY_MODELS; m++)
			who[m] = (struct bench_contender){.name = xray_model_name[m],
			        .run = dir ? adjoint : forward,
			        .ctx = &w[m],
			        .updates = voxels(&w[m].grid) * (double)w[m].g->views};

		snprintf(names[kind][dir], sizeof names[kind][dir], "%s %s", bench_kind_name[kind],
		        dir ? "adjoint" : "forward");
		snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld", w->grid.size[0], w->grid.size[1],
		        w->grid.size[2]);
		bench_case(b, &c, XRAY_MODELS, who);
	}

	for (int m = 0; m < XRAY_MODELS; m++) {
		xray_free(w[m].x);
		geom_free(w[m].g);
	}
}

/** The back projection of a cone beam. */
static void bench_back(struct bench *b, enum bench_kind kind, long n, long views, float *vol, float *proj)
{
	static char names[BENCH_KINDS][64];
	struct work w = {
	        .g = bench_geom(kind, n, views), .grid = bench_grid(kind, n), .vol = vol, .proj = proj};
	struct bench_case c = {.name = names[kind], .hand = -1, .most_rounds = 3};

	w.f = fbp_create(w.g, &(struct fbp_settings){0}, "bench");
	w.fdk = gpu_fdk_create(w.f, &w.grid);
	snprintf(names[kind], sizeof names[kind], "%s, filtered views back", bench_kind_name[kind]);
	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld", n, n, n);

	if (gpu_fdk_fits(w.fdk, 0) && fbp_cols(w.f) == w.g->cols)
		bench_case(b, &c, 1,
		        &(struct bench_contender){.name = "fbp",
		                .run = back,
		                .ctx = &w,
		                .updates = voxels(&w.grid) * (double)views});
	else
		bench_note("%s at %ld^3 left out: no kernel of that size on this GPU", names[kind], n);

	gpu_fdk_free(w.fdk);
	fbp_free(w.f);
	geom_free(w.g);
}

static float *host_copy(const float *device, double n)
{
	float *p = mem_alloc((size_t)n * sizeof *p);

	device_copy(p, device, (size_t)n * sizeof *p);
	return p;
}

/** Both directions of Joseph's method from ordinary memory to ordinary memory: everything crosses the bus
 * within the time. */
static void bench_host(
        struct bench *b, enum bench_kind kind, long n, long views, const float *vol, const float *proj)
{
	static char names[BENCH_KINDS][2][64];
	struct work w = {.g = bench_geom(kind, n, views), .grid = bench_grid(kind, n)};
	const double pixels = (double)w.g->cols * (double)w.g->rows * (double)views;

	w.vol = host_copy(vol, voxels(&w.grid));
	w.proj = host_copy(proj, pixels);
	w.x = xray_create(w.g, &w.grid, XRAY_JOSEPH);

	for (int dir = 0; dir < 2; dir++) {
		struct bench_case c = {.name = names[kind][dir], .hand = -1, .most_rounds = 3};

		snprintf(names[kind][dir], sizeof names[kind][dir], "%s %s, data on the host",
		        bench_kind_name[kind], dir ? "adjoint" : "forward");
		snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld", n, n, n);
		bench_case(b, &c, 1,
		        &(struct bench_contender){.name = xray_model_name[XRAY_JOSEPH],
		                .run = dir ? adjoint : forward,
		                .ctx = &w,
		                .updates = voxels(&w.grid) * (double)views});
	}

	xray_free(w.x);
	geom_free(w.g);
	free(w.vol);
	free(w.proj);
}

void bench_gpu_projector(struct bench *b, long size)
{
	const long views = (size <= MOST) ? size : LESS;
	const double n = (double)size, vol = n * n * fmax(n, WIDE * WIDE),
	             proj = n * n * fmax((double)views, FEW);
	const double copies =
	        vol + n * n * fmin((double)views, GPU_BATCH_VIEWS) * 1.1; // see gpu_untilted_memory()

	if ((vol + proj + copies) * sizeof(float) > .95 * (double)device_left()) {
		bench_note("%ld^3 left out: it does not fit into the memory of the GPU", size);
		return;
	}

	float *x = device_random(vol, 0), *y = device_random(proj, 1);

	for (int kind = 0; kind < BENCH_FAN_STACK; kind++) // which the CPU computes
		if (is_flat(kind))
			bench_models(b, kind, WIDE * size, WIDE * (size < MOST ? size : MOST), x, y);
		else
			bench_models(b, kind, size, views, x, y);

	bench_back(b, BENCH_PARALLEL, size, views, x, y);
	bench_back(b, BENCH_CONE, size, views, x, y);
	bench_back(b, BENCH_CONE_NEAR, size, views, x, y);

	if (size <= MOST &&
	        bench_fits((n * n * n + n * n * (double)views) * sizeof(float), "the host's copies")) {
		bench_host(b, BENCH_PARALLEL, size, views, x, y);
		bench_host(b, BENCH_CONE, size, views, x, y);
	}

	device_free(x);
	device_free(y);
}
