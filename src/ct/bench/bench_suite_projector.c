/** The X-ray transform for every model and kind of scan, compared with a naive loop and the machine's limits.
 */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/bench/bench_projector.h"
#include "ct/projector/xray_backend.h"
#include "misc/mem.h"
#include "num/bench/bench.h"
#include "num/bench/bench_fma.h"
#include "num/device/opencl.h"

/** Views over the scan, as many for every model: moving the volume counts for the less the more there are. */
enum { VIEWS = 64, FLAT = 4 }; // single slices: more views, and so many times as wide

/** A model at work, or the naive loop. */
struct work {
	struct geom *g;
	struct grid grid;
	struct xray *x;
	float *vol, *proj;
};

static struct xray_tile all_of(const struct work *w)
{
	return (struct xray_tile){.views = w->g->views, .rows = xray_rows(w->x)};
}

#define DIRECTIONS(device)                                                                                   \
	static void forward_##device(void *ctx)                                                              \
	{                                                                                                    \
		const struct work *w = ctx;                                                                  \
		const struct xray_tile all = all_of(w);                                                      \
                                                                                                             \
		xray_backend_##device.forward(w->x, DT_FLOAT32, w->proj, w->vol, &all, false);               \
	}                                                                                                    \
                                                                                                             \
	static void adjoint_##device(void *ctx)                                                              \
	{                                                                                                    \
		const struct work *w = ctx;                                                                  \
		const struct xray_tile all = all_of(w);                                                      \
                                                                                                             \
		xray_backend_##device.adjoint(w->x, DT_FLOAT32, w->vol, w->proj, &all);                      \
	}
DIRECTIONS(cpu)
DIRECTIONS(opencl)

#define BY_OPENCL(name, NAME) #name ", by OpenCL",
static const char *const by_opencl[XRAY_MODELS] = {XRAY_MODEL_LIST(BY_OPENCL, )};

static void naive_forward(void *ctx)
{
	const struct work *w = ctx;

	bench_naive_forward(w->g, &w->grid, w->proj, w->vol, w->g->views);
}

static void naive_adjoint(void *ctx)
{
	const struct work *w = ctx;

	bench_naive_adjoint(w->g, &w->grid, w->vol, w->proj, w->g->views);
}

static void run_fma(void *ctx)
{
	*(volatile float *)ctx = bench_fma_run();
}

static void bench_ceiling(struct bench *b)
{
	static float sum;
	const struct bench_case c = {.name = "ceiling",
	        .shape = "multiply-adds in registers, triad",
	        .hand = -1,
	        .flops = bench_fma_flops() * omp_get_max_threads()};

	bench_case(b, &c, 1, &(struct bench_contender){.name = "float32 FMA", .run = run_fma, .ctx = &sum});
}

static bool is_flat(const struct work *w)
{
	return w->grid.size[2] == 1;
}

static void start_model(struct work *w, enum bench_kind kind, enum xray_model model)
{
	w->g = bench_geom(kind, w->grid.size[0], is_flat(w) ? 2 * VIEWS : VIEWS);
	w->x = xray_create(w->g, &w->grid, model);
}

/** Which path takes the scan in every model. */
static void note_paths(enum bench_kind kind, bool forward, const struct work w[XRAY_MODELS])
{
	struct str s = {0};

	for (int m = 0; m < XRAY_MODELS; m++) {
		char *names = xray_paths(w[m].x, DT_FLOAT32, forward);

		str_printf(&s, "%s%s by %s", m ? ", " : "", xray_model_name[m], names);
		free(names);
	}

	bench_note("%s %s: %s", bench_kind_name[kind], forward ? "forward" : "adjoint", s.data);
	free(s.data);
}

/** Both directions of all models. */
static void bench_scan(struct bench *b, enum bench_kind kind, long n)
{
	static char names[BENCH_KINDS][2][64]; // results refer to them

	for (int back = 0; back < 2; back++)
		snprintf(names[kind][back], sizeof names[kind][back], "%s %s", bench_kind_name[kind],
		        back ? "adjoint" : "forward");

	if (!bench_wants(b, names[kind][0]) && !bench_wants(b, names[kind][1]))
		return;

	struct work w[XRAY_MODELS + 1], *naive = w + XRAY_MODELS;
	struct bench_contender who[2 * XRAY_MODELS + 1];
	const struct grid grid = bench_grid(kind, n);
	const double voxels = (double)grid.size[0] * (double)grid.size[1] * (double)grid.size[2];
	float *vol = bench_random((long)voxels, 0),
	      *proj = bench_random(n * (grid.size[2] == 1 ? 2 * VIEWS : n * VIEWS), 1);

	for (int m = 0; m <= XRAY_MODELS; m++)
		w[m] = (struct work){.grid = grid, .vol = vol, .proj = proj};

	for (int m = 0; m < XRAY_MODELS; m++)
		start_model(&w[m], kind, m);

	naive->g = bench_geom(kind, n, is_flat(naive) ? 8 : 1);

	for (int back = 0; back < 2; back++) {
		const double updates = voxels * (double)w->g->views;
		struct bench_case c = {.name = names[kind][back], .most_rounds = 3};
		int all = 0;

		for (int m = 0; m < XRAY_MODELS; m++)
			who[all++] = (struct bench_contender){.name = xray_model_name[m],
			        .run = back ? adjoint_cpu : forward_cpu,
			        .ctx = &w[m],
			        .updates = updates};

		for (int m = 0; m < XRAY_MODELS && opencl_used() && !w->g->stack; m++)
			who[all++] = (struct bench_contender){.name = by_opencl[m],
			        .run = back ? adjoint_opencl : forward_opencl,
			        .ctx = &w[m],
			        .updates = updates};

		c.hand = all;
		who[all++] = (struct bench_contender){.name = "naive loop (joseph)",
		        .run = back ? naive_adjoint : naive_forward,
		        .ctx = naive,
		        .updates = voxels * (double)naive->g->views};
		snprintf(
		        c.shape, sizeof c.shape, "%ld x %ld x %ld", grid.size[0], grid.size[1], grid.size[2]);
		note_paths(kind, !back, w);
		bench_case(b, &c, all, who);
	}

	for (int m = 0; m <= XRAY_MODELS; m++) {
		xray_free(w[m].x);
		geom_free(w[m].g);
	}

	free(vol);
	free(proj);
}

static void bench_projector_run(struct bench *b, long size)
{
	const long triad = size * size * size;
	char what[32];

	snprintf(what, sizeof what, "%ld^3", size);

	if (!bench_fits(4. * (double)size * (double)size * (5. * (double)size + VIEWS), what))
		return;

	float *x = bench_random(triad, 0), *y = bench_random(triad, 1), *z = bench_random(triad, 2);

	bench_triad(b, triad, z, x, y);
	bench_ceiling(b);

	for (int kind = 0; kind < BENCH_KINDS; kind++)
		bench_scan(b, kind,
		        (kind == BENCH_FLAT_PARALLEL || kind == BENCH_FLAT_FAN) ? FLAT * size : size);

	free(x);
	free(y);
	free(z);
}

const struct bench_suite bench_suite_projector = {
        .name = "projector",
        .about = "the X-ray transform and its transpose for all models and kinds of scans, compared with "
                 "a naive loop. The unit GUP/s is 1e9 voxels times views per second",
        .sizes = {128},
        .run = bench_projector_run,
        .run_gpu = bench_gpu_projector,
        .gpu_sizes = {256, 512, 1024, 2048},
};
