/* Memory and time of a reconstruction, before it begins. */

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_internal.h"

#include "ct/projector/xray.h"
#include "iter/recon/recon_data.h"
#include "iter/recon/recon_dictionary.h"
#include "linops/norm.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "num/md/flpmath.h"

enum {
	TINY_SIDE = 12, // of the problem whose projections are counted
	TINY_ITERATIONS = 4,
	TINY_FRAMES = 2, // channels, and times
	SIDE = 112,      // of those that are timed
	SIDE_FLAT = 512,
	VIEWS = 12,
	TRIED = 4 // memory of a trial is at most this part of what is allowed
};

/* ---- memory -------------------------------------------------------------- */

static bool has_smooth_operator(const struct recon *r)
{
	for (int i = 0; i < r->terms.n; i++)
		if (r->alg->algorithm->takes & TAKES_SMOOTH && functional_is_smooth(r->terms.term[i].g) &&
		        NULL != r->terms.term[i].B)
			return true;

	return false;
}

/* Vectors of the volume and of the projections, and bytes of the terms'. */
struct needs {
	double volumes, projections, terms;
	bool subsets; // only subsets are projected
};

static struct unwritten unwritten(const struct recon *r)
{
	const struct iter_problem p = {.terms = r->terms.n,
	        .term = r->terms.term,
	        .subsets = r->subsets ? recon_subsets_count(r->subsets) : 0};
	const struct iter_conf conf = {.step = r->opts->step, .steps = recon_steps(r->opts)};

	return algorithm_unwritten(r->alg->algorithm, &p, &conf, r->type, r->n, r->m);
}

static struct needs count(const struct recon *r)
{
	const struct recon_opts *o = r->opts;
	const char *data = r->data;
	const struct unwritten u = unwritten(r);
	struct needs v = {(double)r->alg->volumes - u.volumes, (double)r->alg->projections - u.projections,
	        (double)r->terms.bytes - u.terms * (double)dtype_size(r->type), u.subsets};

	// the norm of A is estimated before the algorithm writes to its vectors
	if (r->alg->algorithm->takes & TAKES_STEP && !(o->step > 0.))
		v.volumes = fmax(v.volumes, NORM_VOLUMES);

	v.volumes += (o->keep ? 1 : 0) + (o->change > 0. ? 1 : 0) + (has_smooth_operator(r) ? 1 : 0);

	for (int i = 0; i < r->terms.n; i++) { // vectors of the algorithm, and one for values
		const struct functional *g = r->terms.term[i].g;

		v.terms += (double)functional_size(g) * (r->alg->algorithm->terms + 1.) *
		                   (double)dtype_size(r->type) +
		           (double)functional_memory(g);
	}

	if (r->subsets != NULL)
		v.volumes += algorithm_keeps(
		        r->alg->algorithm, recon_subsets_count(r->subsets), r->type, r->n, r->m);

	if (r->subsets != NULL) // sorted by subset
		v.projections += r->alg->weights == RECON_UNWEIGHTED ? 1 : 2;

	if (data != NULL && strncmp(data, "poisson", 7) == 0) // counts
		v.projections++;

	if (recon_data_is_nonlinear(data)) // counts and their weights
		v.projections += 2;

	v.volumes += recon_spectrum_volumes(r->spectrum);
	v.projections += recon_spectrum_projections(r->spectrum);

	if (r->rule != NULL) { // what it tries, and views left out or a probe
		v.volumes += 2;
		v.projections += 3;
	}

	if (recon_rule_has_probe(r->rule)) {
		v.volumes += r->alg->volumes;
		v.projections += r->alg->projections;
	}

	if (!recon_is_in_file(r))
		v.projections += r->problems;

	return v;
}

static void print_vectors(const struct recon *r, const struct needs *v, double bytes, double allowed)
{
	const double size = (double)dtype_size(r->type);

	printf("vectors: %.3g of the volume (%s each), %.3g of the projections (%s each)", v->volumes,
	        human_bytes(size * (double)r->n), v->projections, human_bytes(size * (double)r->m));

	if (v->terms > 0.)
		printf(", %s of the terms", human_bytes(v->terms));

	printf("; %s\n",
	        bytes <= allowed ? "all in memory" : "what does not fit into memory in temporary files");
}

/* ---- time ---------------------------------------------------------------- */

static long less(long n, long most)
{
	return n < most ? n : most;
}

static struct geom *small_geometry(const struct geom *g, long side, long views)
{
	struct geom *s =
	        geom_create(less(g->views, views), less(g->cols, side), less(g->rows, side), g->parallel);

	s->radius = g->radius;
	s->stack = g->stack;

	for (long k = 0; k < s->views; k++) {
		s->view[k] = g->view[k * g->views / s->views];

		for (int i = 0; i < 3; i++) {
			s->view[k].u[i] *= (double)g->cols / (double)s->cols;
			s->view[k].v[i] *= (double)g->rows / (double)s->rows;
		}
	}

	return s;
}

static struct grid small_grid(const struct grid *g, long side)
{
	struct grid s = *g;

	for (int d = 0; d < SPACE; d++) {
		s.size[d] = less(g->size[d], side);
		s.spacing[d] *= (double)g->size[d] / (double)s.size[d];
		s.origin[d] += 0.5 * (s.spacing[d] - g->spacing[d]);
	}

	return s;
}

/* Rays of a view times planes: what its projection costs. */
static double recon_plan_work(const struct geom *g, const struct grid *v)
{
	long planes = 1;

	for (int d = 0; d < SPACE; d++)
		planes = v->size[d] > planes ? v->size[d] : planes;

	return (double)g->cols * (double)g->rows * (double)planes;
}

/* Projections that an algorithm makes, in units of one of all views; a subset's is a part of one. */
struct counted {
	const struct linop *A;
	double share, *calls;
};

static void counted_forward(const void *self, void *dst, const void *src)
{
	const struct counted *c = self;

	*c->calls += c->share;
	linop_forward(c->A, dst, src);
}

static void counted_adjoint(const void *self, void *dst, const void *src)
{
	const struct counted *c = self;

	*c->calls += c->share;
	linop_adjoint(c->A, dst, src);
}

static struct linop *count_calls(const struct linop *A, long m, double *calls)
{
	static const struct linop_ops ops = {.name = "counted",
	        .forward = counted_forward,
	        .adjoint = counted_adjoint,
	        .destroy = free,
	        .nonnegative = true};
	struct counted *c = NEW(struct counted);

	*c = (struct counted){A, (double)linop_codomain_size(A) / (double)m, calls};

	return linop_create(&ops, c, linop_type(A), linop_codomain_rank(A), linop_codomain(A),
	        linop_domain_rank(A), linop_domain(A));
}

/* A small version of the problem with data 1. */
struct small {
	struct linop *A;
	long n, m;
	char *x, *y;
	struct geom *g;
	struct grid v;
	long channels, times;
};

static struct recon_scan small_scan(const struct recon *r, const struct small *s)
{
	struct recon_scan scan = r->scan;

	scan.g = &s->g;
	scan.own[0] = scan.own[1] = 1;
	scan.grid = &s->v;
	scan.mask = NULL;
	scan.channels = s->channels;
	scan.times = s->times;

	return scan;
}

/* frames: channels, and times, at most. */
static struct small small_create(const struct recon *r, long side, long views, long frames)
{
	struct small s = {.g = small_geometry(r->g[0], side, views),
	        .v = small_grid(&r->grid, side),
	        .channels = less(r->scan.channels, frames),
	        .times = less(r->scan.times, frames)};
	const struct recon_scan scan = small_scan(r, &s);

	s.A = recon_scan_operator(&scan, 1, 0);
	s.n = linop_domain_size(s.A);
	s.m = linop_codomain_size(s.A);
	s.x = md_calloc(1, &s.n, dtype_size(r->type));
	s.y = md_alloc(1, &s.m, dtype_size(r->type));
	run_fill(dtype_real(r->type), dtype_is_complex(r->type) ? 2 * s.m : s.m, s.y, 1.);

	return s;
}

static void small_free(struct small *s)
{
	linop_free(s->A);
	geom_free(s->g);
	md_free(s->x);
	md_free(s->y);
}

static double calls_of(const struct recon *r, const struct small *s, long iterations)
{
	double calls = 0.;
	struct weights *W =
	        r->alg->weights == RECON_STATISTICAL ? weights_create_exp(r->type, s->y, 1.) : NULL;
	struct linop *A = count_calls(s->A, s->m, &calls);
	struct recon_terms terms = {0};
	struct recon_subsets *subsets = NULL;
	struct recon_data *data = recon_data_create(r->data, r->alg->algorithm, A, s->y, W, r->spectrum);
	struct iter_problem p = {
	        .A = A, .y = s->y, .W = recon_data_takes_weights(data) ? NULL : W, .lambda = r->opts->lambda};
	struct linop *dictionary = recon_dictionary_create(r->opts->dictionary, r->type, s->v.size, true);
	const struct recon_unknown x = recon_unknown(r, &s->v, s->channels, s->times);
	const struct recon_scan scan = small_scan(r, s);
	const struct iter_conf conf = {.iterations = iterations,
	        .step = r->opts->step,
	        .steps = recon_steps(r->opts),
	        .basis = r->opts->basis,
	        .newton = r->opts->newton};

	recon_data_into(data, &p);

	recon_terms_create(&terms, &r->opts->terms, r->alg->algorithm,
	        &(struct recon_terms_files){
	                .prior = r->prior, .denoiser = r->opts->denoiser, .dry_run = true},
	        &x);
	subsets = recon_subsets_create(r->alg->algorithm, less(r->opts->subsets, s->g->views), &scan);
	recon_subsets_fill(subsets, &p, r->alg->algorithm, r->data, W);
	p.dictionary = dictionary;
	p.terms = terms.n;
	p.term = terms.term;

	struct iter_subset *part = mem_calloc((size_t)p.subsets + 1, sizeof *part);

	for (int i = 0; i < p.subsets; i++) {
		part[i] = p.subset[i];
		part[i].A = count_calls(p.subset[i].A, s->m, &calls);
	}

	p.subset = part;
	algorithm_solve(r->alg->algorithm, &p, &conf, s->x);

	for (int i = 0; i < p.subsets; i++)
		linop_free(part[i].A);

	free(part);

	recon_terms_free(&terms);
	recon_subsets_free(subsets);
	recon_data_free(data);
	weights_free(W);
	linop_free(dictionary);
	linop_free(A);

	return calls;
}

/* Projections and back projections of the whole run, counted on a tiny version of the problem. */
static double count_projections(const struct recon *r)
{
	if (r->alg->algorithm->projections_of != NULL)
		return r->alg->algorithm->projections_of(r->n, r->opts->iterations);

	struct small s = small_create(r, TINY_SIDE, TINY_SIDE, TINY_FRAMES);
	const int talk = log_level;

	log_level = -1; // what happens to that problem is of no interest

	const double first = calls_of(r, &s, 1), all = calls_of(r, &s, 1 + TINY_ITERATIONS);

	log_level = talk;
	small_free(&s);

	return first + fmax(0., all - first) / TINY_ITERATIONS * fmax(0., (double)(r->opts->iterations - 1));
}

/* Seconds of a projection or back projection, the mean of both; the least of a few: others may be at work. */
static double seconds_of(struct small *s)
{
	double least = INFINITY;

	for (int k = 0; k < 3; k++) {
		const double begun = now();

		linop_forward(s->A, s->y, s->x);
		linop_adjoint(s->A, s->x, s->y);
		least = fmin(least, 0.5 * (now() - begun));
	}

	return least;
}

/* Some time for the volume, and some for each view, from a few views and from more. */
static double seconds_of_projection(const struct recon *r)
{
	const long side = r->grid.size[2] == 1 ? SIDE_FLAT : SIDE;
	struct small few = small_create(r, side, VIEWS / 3, 1), more = small_create(r, side, VIEWS, 1);
	const double a = seconds_of(&few), b = seconds_of(&more);
	const long gap = more.g->views - few.g->views;
	const double view = gap > 0 && b > a ? (b - a) / (double)gap : a / (double)few.g->views;
	const double volume = fmax(0., b - view * (double)more.g->views);
	const double seconds = volume * (double)r->n / (double)more.n +
	                       view * (double)r->g[0]->views * recon_plan_work(r->g[0], &r->grid) /
	                               recon_plan_work(more.g, &more.v);

	small_free(&few);
	small_free(&more);

	return seconds;
}

/* What vectors and terms take beside is less than that for most algorithms, and left out. */
static double estimate(const struct recon *r, double projections)
{
	const double seconds = projections * (double)recon_scan_frames(&r->scan), most = r->opts->seconds;

	return (most > 0. ? fmin(seconds, most) : seconds) * (double)r->problems *
	       (1. + recon_rule_runs(r->rule));
}

/* Buffers of a projection of all views or of a subset, while it runs. */
static long projector_memory(const struct recon *r, bool subset)
{
	const long views = r->g[0]->views, n = subset ? recon_subsets_count(r->subsets) : 1;
	struct geom *g = small_geometry(r->g[0], LONG_MAX, (views + n - 1) / n);
	struct xray *x = xray_create(g, &r->grid, r->scan.model);
	const long bytes = xray_memory(x, r->type);

	xray_free(x);
	geom_free(g);
	return bytes;
}

/* Whether the first iterations can be a trial: they are those of the solution, and only numbers go out. */
static bool may_try(const struct recon *r)
{
	const struct recon_opts *o = r->opts;

	return r->rule == NULL && o->denoiser == NULL && o->seconds <= 0. &&
	       (o->log == NULL || strcmp(o->log, "-") != 0);
}

void recon_plan(const struct recon *r)
{
	const double size = (double)dtype_size(r->type), allowed = (double)tool_memory();
	const struct needs v = count(r);
	const double bytes = size * (v.volumes * (double)r->n + v.projections * (double)r->m) + v.terms;
	const double kept = bytes < allowed ? bytes : allowed;

	tool_needs_files((long)(bytes - kept));

	if (!tool_plan()) {
		tool_needs((long)kept, 0.);
		return;
	}

	print_vectors(r, &v, bytes, allowed);

	const double begun = now(), calls = count_projections(r), seconds = seconds_of_projection(r);

	tool_needs((long)kept + projector_memory(r, v.subsets), estimate(r, calls * seconds));
	recon_plan_ranks(r, &(const struct recon_plan_work){.volumes = v.volumes,
	                            .projections = v.projections,
	                            .terms = v.terms,
	                            .calls = calls,
	                            .seconds = seconds});
	tool_exclude(now() - begun);

	if (may_try(r) && bytes < allowed / TRIED)
		tool_needs_trial();
}
