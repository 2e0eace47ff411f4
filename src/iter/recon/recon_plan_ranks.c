/** The plan of a reconstruction by several ranks, from the formulas of doc/cluster.md. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "iter/recon/recon_internal.h"

#include "ct/geometry/vec3.h"
#include "ct/projector/cluster_model.h"
#include "misc/error.h"
#include "misc/human_bytes.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/options/plan_ranks.h"

/** Rates where the command line gives none. */
static const struct cluster_rates gpus = {.a = 1700e9,
                                          .at = 1350e9,
                                          .memory = 3e12,
                                          .network = 25e9,
                                          .inside = 150e9,
                                          .latency = 2e-6},
                                  processors = {.memory = 5e9, .network = 4e9, .latency = 5e-6};
static const double gpu_memory = 80e9; // bytes

/** Magnifications relative to the axis, from the first view. */
static void magnify(struct cluster_problem *p, const struct recon *r)
{
	const struct geom *g = r->g[0];
	const struct grid *v = &r->grid;
	const struct geom_view *w = g->view;
	double n[3], middle[3], half = 0., before[3], behind[3];

	p->magnify[0] = p->magnify[1] = 1.;
	p->rows_per_slice = v->spacing[2] / norm3(w->v);

	if (g->parallel)
		return;

	cross3(n, w->u, w->v);

	for (int d = 0; d < 3; d++) {
		middle[d] = v->origin[d] + 0.5 * v->spacing[d] * (double)(v->size[d] - 1);
		half = d < 2 ? fmax(half, 0.5 * v->spacing[d] * (double)v->size[d]) : half;
		before[d] = middle[d] - w->s[d];
		behind[d] = w->d[d] - w->s[d];
	}

	const double axis = fabs(dot3(n, before)), detector = fabs(dot3(n, behind)),
	             part = fmin(0.9, half * norm3(n) / axis);

	p->magnify[0] = 1. / (1. + part);
	p->magnify[1] = 1. / (1. - part);
	p->rows_per_slice *= detector / axis;
}

static struct cluster_problem problem(const struct recon *r, const struct recon_plan_work *w)
{
	const struct geom *g = r->g[0];
	const double frames = (double)recon_scan_frames(&r->scan);
	struct cluster_problem p = {.cols = (double)g->cols,
	        .rows = (double)g->rows,
	        .views = (double)g->views,
	        .bytes = (double)dtype_size(r->type),
	        .volumes = w->volumes * frames,
	        .projections = w->projections * frames};

	for (int d = 0; d < 3; d++)
		p.size[d] = (double)r->grid.size[d];

	magnify(&p, r);
	return p;
}

static double efficiency(const struct cluster_cost *c, double seconds)
{
	return 100. * c->computing / seconds;
}

static void print_cost(const struct cluster_cost *c, const struct cluster_rates *rates)
{
	printf("network: %.3g GB/s and %.3g us for each rank\n", rates->network * 1e-9, rates->latency * 1e6);
	printf("an iteration, each rank: %.4g s of computing; at most %.0f bytes (%s) sent", c->computing,
	        c->sent, human_bytes(c->sent));

	if (c->inside > 0.)
		printf(", and %s within its node", human_bytes(c->inside));

	printf(", in %.0f messages\n", c->messages);
	printf("efficiency: %.1f %% with overlap of computing and exchange, %.1f %% without\n",
	        efficiency(c, c->overlap), efficiency(c, c->separate));
}

/** The decomposition that commands use. */
static struct cluster_cost on_processors(const struct recon *r, const struct recon_plan_work *w,
        const struct cluster_problem *p, struct cluster_rates *rates)
{
	struct xray *x = xray_create(r->g[0], &r->grid, r->scan.model);
	const struct plan_ranks o = plan_ranks();
	const struct cluster_blocks d = {.ranks = (int)o.ranks,
	        .whole = !recon_can_distribute(r),
	        .rows = (double)xray_rows(x),
	        .piece = CLUSTER_PIECE,
	        .batch = CLUSTER_BATCH,
	        .fewest = CLUSTER_FEWEST_VIEWS};
	const long views = (r->g[0]->views + o.ranks - 1) / o.ranks,
	           rows = (xray_rows(x) + o.ranks - 1) / o.ranks;

	rates->a = rates->at =
	        p->size[0] * p->size[1] * p->size[2] * p->views / w->seconds * plan_ranks_speed();
	printf("ranks: %ld with %d threads each; at most %ld of %ld views (A) and %ld of %ld rows of bricks "
	       "(A') "
	       "of each; %s\n",
	        o.ranks, tool_threads(), views, r->g[0]->views, rows, xray_rows(x),
	        d.whole ? "every rank has whole vectors" : "vectors are distributed");
	xray_free(x);
	return cluster_of_blocks(p, &d, rates);
}

/** The decomposition that has been simulated. */
static struct cluster_cost on_gpus(const struct cluster_problem *p, const struct cluster_rates *rates)
{
	const struct plan_ranks o = plan_ranks();
	const long node = min_long(o.gpus, o.ranks);
	struct cluster_slabs d;

	if (0 != o.ranks % node)
		usage_error("plan: --ranks is %ld, expected a multiple of --node-gpus %ld", o.ranks, o.gpus);

	if (!cluster_choose_slabs(p, (int)o.ranks, (int)node, rates, &d))
		usage_error("plan: %.0f slices and %.0f views are too few for --ranks %ld on nodes of %ld "
		            "GPUs (give fewer ranks)",
		        p->size[2], p->views, o.ranks, o.gpus);

	printf("ranks: %ld GPUs as %d slabs x %d groups of views; at most %.0f x %.0f x %.0f voxels and %.0f "
	       "views "
	       "each (this decomposition has been simulated only: doc/cluster.md)\n",
	        o.ranks, d.slabs, d.groups, p->size[0], p->size[1], ceil(p->size[2] / d.slabs),
	        ceil(p->views / d.groups));
	printf("assumed: %.0f and %.0f GUPS (A, A'), %.3g TB/s of memory, %.3g GB/s within a node\n",
	        rates->a * 1e-9, rates->at * 1e-9, rates->memory * 1e-12, rates->inside * 1e-9);
	return cluster_of_slabs(p, &d, rates);
}

static double allowed_on_gpu(void)
{
	const char *limit = getenv("GANTRY_GPU_MEM");

	return (limit && *limit) ? (double)parse_bytes(limit, "GANTRY_GPU_MEM") : gpu_memory;
}

void recon_plan_ranks(const struct recon *r, const struct recon_plan_work *w)
{
	const struct plan_ranks o = plan_ranks();
	const struct cluster_problem p = problem(r, w);
	struct cluster_rates rates = (o.gpus > 0) ? gpus : processors;

	if (0 == o.ranks)
		return;

	if (o.network > 0.) {
		rates.network = o.network;
		rates.latency = o.latency;
	}

	const struct cluster_cost c = o.gpus > 0 ? on_gpus(&p, &rates) : on_processors(r, w, &p, &rates);
	const double iterations = 0.5 * w->calls * (double)recon_scan_frames(&r->scan) * (double)r->problems;

	print_cost(&c, &rates);
	plan_ranks_set(&(const struct plan_of_rank){.share = c.overlap / (2. * w->seconds),
	        .seconds = o.gpus > 0 ? iterations * c.overlap : 0.,
	        .bytes = c.memory + w->terms,
	        .allowed = o.gpus > 0 ? allowed_on_gpu() : plan_ranks_memory()});
}
