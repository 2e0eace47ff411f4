#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iter/recon/recon_internal.h"

#include "ct/geometry/plausible.h"
#include "iter/functional/functionals.h"
#include "iter/monitor/values.h"
#include "iter/recon/recon_back.h"
#include "iter/recon/recon_data.h"
#include "iter/recon/recon_device.h"
#include "iter/recon/recon_dictionary.h"
#include "misc/error.h"
#include "misc/file/warn_grid.h"
#include "misc/looping/looping.h"
#include "misc/mem.h"
#include "misc/ranks/ranks.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/kern/convert.h"
#include "num/md/distributed.h"
#include "num/md/flpmath.h"
#include "num/md/multind.h"
#include "num/shape/spill.h"

/* The element type of the whole computation. */
static enum dtype choose_type(const struct recon_opts *o, const struct cfl *proj, bool statistical)
{
	enum dtype t = dtype_compute(proj->hdr.type);

	if (o->type < 0)
		return t;

	if (dtype_compute((enum dtype)o->type) != (enum dtype)o->type)
		usage_error(
		        "--type %s: a reconstruction computes in float32, float64, complex64 or complex128",
		        dtype_name((enum dtype)o->type));

	if (dtype_is_complex(t) && !dtype_is_complex((enum dtype)o->type))
		usage_error("--type %s cannot hold %s, which is %s (use complex64 or complex128)",
		        dtype_name((enum dtype)o->type), proj->name, dtype_name(proj->hdr.type));

	if (statistical && dtype_is_complex((enum dtype)o->type))
		usage_error(
		        "--type %s: a statistical model needs a real type", dtype_name((enum dtype)o->type));

	return (enum dtype)o->type;
}

static void volume_header(struct hdr *h, const struct recon *r, const struct grid *grid)
{
	const struct hdr *p = &r->proj->hdr;

	hdr_init(h);
	h->type = r->type;
	h->quantity = Q_ATTENUATION;
	strcpy(h->unit, "1/mm");

	for (int d = SPACE; d < DIMS; d++) {
		h->dims[d] = p->dims[d];
		h->spacing[d] = p->spacing[d];
		h->origin[d] = p->origin[d];
	}

	grid_to_header(grid, h);
}

static void check_grid(const struct cfl *f, const char *option, const struct hdr *vol)
{
	for (int d = 0; d < DIMS; d++)
		if (f->hdr.dims[d] != vol->dims[d])
			error("%s %s is %s, expected %s like the volume (or use --like %s)", option, f->name,
			        hdr_shape(&f->hdr), hdr_shape(vol), f->name);

	cfl_warn_grid(f, vol, "the volume");
}

static void check_weights(const struct cfl *w, const struct cfl *proj)
{
	cfl_expect(w, 1u << Q_WEIGHTS | 1u << Q_MASK | 1u << Q_TRANSMISSION | 1u << Q_COUNTS,
	        "weights are a transmission, counts or a mask");
	cfl_expect_real(w);

	for (int d = 0; d < DIMS; d++)
		if (w->hdr.dims[d] != proj->hdr.dims[d] && w->hdr.dims[d] != 1)
			error("--weights %s is %s and %s is %s, expected equal dimensions (or 1 where the "
			      "weights are repeated)",
			        w->name, hdr_shape(&w->hdr), proj->name, hdr_shape(&proj->hdr));
}

static void open_inputs(struct recon *r)
{
	const struct recon_opts *o = r->opts;

	r->geom = cfl_open(o->geom);
	r->proj = cfl_open(o->proj);
	r->data = recon_data_of(o->data, r->proj->hdr.quantity == Q_COUNTS);

	if (recon_data_is_counts(r->data, r->alg->algorithm))
		cfl_expect(r->proj, 1u << Q_COUNTS | 1u << Q_LINE_INTEGRAL,
		        "this measure of the data is for counts");
	else
		views_expect_line_integrals(r->proj);

	if (r->alg->weights == RECON_STATISTICAL)
		cfl_expect_real(r->proj);

	r->spectrum = recon_spectrum_create(&o->spectrum, o->data);

	if (o->init != NULL)
		r->init = cfl_open(o->init);

	if (o->prior != NULL)
		r->prior = cfl_open(o->prior);

	if (o->weights != NULL) {
		r->weights = cfl_open(o->weights);
		check_weights(r->weights, r->proj);
	}
}

struct recon_unknown recon_unknown(const struct recon *r, const struct grid *grid, long channels, long times)
{
	struct recon_unknown x = {.type = r->type, .D = r->rank};

	for (int d = 0; d < DIMS; d++) {
		x.dims[d] = d < SPACE ? grid->size[d] : 1;
		x.spacing[d] = d < SPACE ? grid->spacing[d] : r->header->spacing[d];
	}

	x.dims[SPACE] = channels;
	x.dims[SPACE + 1] = times;

	return x;
}

void recon_set_factor(struct recon *r, double value)
{
	const struct recon_opts *o = r->opts;
	const struct recon_unknown x = recon_unknown(r, &r->grid, r->scan.channels, r->scan.times);

	if (r->terms.term != NULL)
		recon_terms_free(&r->terms);

	recon_terms_create(&r->terms, &o->terms, r->alg->algorithm,
	        &(struct recon_terms_files){.prior = r->prior,
	                .denoiser = o->denoiser,
	                .grid = r->header,
	                .automatic = value,
	                .unit = isnan(r->unit.sigma) ? NULL : &r->unit},
	        &x);
}

/* Views of each frame have to be those of PROJ, and what knows one frame only cannot be asked for. */
static void check_frames(const struct recon *r, const long own[FRAMES])
{
	static const char *const names[FRAMES] = {"channels", "times"};
	const struct recon_opts *o = r->opts;

	for (int i = 0; i < FRAMES; i++)
		if (own[i] != 1 && own[i] != r->proj->hdr.dims[SPACE + i])
			error("%s has views for %ld %s, but %s has %ld %s (expected the same number, or a "
			      "single set of views)",
			        r->geom->name, own[i], names[i], r->proj->name, r->proj->hdr.dims[SPACE + i],
			        names[i]);

	if (own[0] * own[1] == 1)
		return;

	const char *option = o->back >= 0            ? "--back-model"
	                     : o->dictionary != NULL ? "--dictionary"
	                     : r->spectrum != NULL   ? "--spectrum"
	                                             : NULL;

	if (option != NULL)
		usage_error("%s needs a single set of views, but %s has one set for each channel or time "
		            "(reconstruct each set separately)",
		        option, r->geom->name);
}

/* The views of each frame that has its own; which of them, in r->at. */
static void choose_views(struct recon *r, long own[FRAMES])
{
	const struct recon_opts *o = r->opts;

	r->g = geom_load_frames(r->geom, NULL, r->proj, own);
	geom_check_proj(r->g[0], r->geom, r->proj);
	check_frames(r, own);
	grid_choose(&r->grid, &o->grid, r->g[0]);
	plausible_warn(r->g[0], &r->grid, o->geom, PLAUSIBLE_RECONSTRUCTS);

	for (long i = 0; i < own[0] * own[1]; i++) {
		struct geom *all = r->g[i];

		free(r->at);
		r->g[i] = views_geometry(o->views, all, o->geom, &r->at);
		geom_free(all);
	}

	r->views = r->g[0]->views;
}

/* Operator and output header, recorded in full in the history. */
static void choose(struct recon *r, struct hdr *h)
{
	const struct recon_opts *o = r->opts;
	struct grid *grid = &r->grid;
	long own[FRAMES];

	r->type = choose_type(o, r->proj, r->alg->weights == RECON_STATISTICAL);
	choose_views(r, own);
	volume_header(h, r, grid);

	if (r->init != NULL)
		check_grid(r->init, "--init", h);

	if (r->prior != NULL)
		cfl_warn_grid(r->prior, h, "the volume");

	recon_spectrum_place(r->spectrum, r->type, grid);
	r->mask = mask_create(o->mask, grid);
	r->header = h;

	const bool couple = recon_terms_couple(&o->terms, r->alg->algorithm, h->dims) || own[0] * own[1] > 1;

	r->rank = couple ? SPACE + FRAMES : SPACE;
	r->scan = (struct recon_scan){.g = r->g,
	        .own = {own[0], own[1]},
	        .grid = grid,
	        .model = (enum xray_model)o->model,
	        .type = r->type,
	        .channels = couple ? h->dims[SPACE] : 1,
	        .times = couple ? h->dims[SPACE + 1] : 1,
	        .mask = r->mask};
	r->A = recon_scan_operator(&r->scan, 1, 0);
	r->back = recon_back_create(o->back, r->g[0], grid, r->type, r->mask, o->geom);
	r->dictionary = recon_dictionary_create(o->dictionary, r->type, grid->size, false);
	r->m = linop_codomain_size(r->A);

	recon_set_factor(r, 0.);
	r->subsets = recon_subsets_create(r->alg->algorithm, o->subsets, &r->scan);
	r->n = linop_domain_size(r->A);
	r->problems = r->proj->count / (r->m / r->views * r->proj->hdr.dims[SPACE - 1]);
	r->channels = r->proj->hdr.dims[SPACE];

	tool_record("iterations", "%ld", o->iterations);
	tool_record("lambda", "%.17g", o->lambda);
	tool_record("tolerance", "%.17g", o->tolerance);
}

/* The views chosen are neighbours in their order. */
static bool are_neighbours(const struct recon *r)
{
	for (long k = 1; r->at != NULL && k < r->views; k++)
		if (r->at[k] != r->at[k - 1] + 1)
			return false;

	return true;
}

bool recon_is_in_file(const struct recon *r)
{
	return r->type == r->proj->hdr.type && are_neighbours(r) &&
	       (r->at == NULL || r->problems * recon_scan_frames(&r->scan) == 1);
}

static void convert_all(enum dtype dt, void *dst, enum dtype st, const void *src, long n)
{
	enum { BLOCK = 1 << 16 };
	long to = (long)dtype_size(dt);
	long from = (long)dtype_size(st);

#pragma omp parallel for schedule(static) num_threads(threads_for((double)n))
	for (long i = 0; i < n; i += BLOCK)
		convert(dt, (char *)dst + i * to, st, (const char *)src + i * from,
		        n - i < BLOCK ? n - i : BLOCK, NARROW_SATURATE);
}

/* y in the compute type: the mapping itself where that will do. */
static void load_data(struct recon *r)
{
	const struct hdr *h = &r->proj->hdr;
	const long size = (long)dtype_size(h->type), to = (long)dtype_size(r->type),
	           view = r->g[0]->cols * r->g[0]->rows;
	const long frames = r->problems * recon_scan_frames(&r->scan);
	const char *all = cfl_map(r->proj);

	if (recon_is_in_file(r)) {
		r->y = all + (r->at != NULL ? r->at[0] * view * size : 0);
	} else {
		r->y = r->copy = md_alloc(2, (const long[]){r->m, r->problems}, (size_t)to);

		for (long i = 0; i < frames * r->views; i++) {
			const long k = i % r->views,
			           at = i / r->views * h->dims[SPACE - 1] + (r->at != NULL ? r->at[k] : k);

			convert_all(r->type, (char *)r->copy + i * view * to, h->type, all + at * view * size,
			        view);
		}
	}

	const struct values v = (r->at == NULL) ? values_expect_finite(r->proj)
	                                        : values_scan(r->type, r->problems * r->m, r->y);

	if (v.nonfinite > 0)
		error("%s: %ld values of the chosen views are NaN or infinite, expected finite values",
		        r->proj->name, v.nonfinite);

	if (v.negative > 0 && recon_data_is_counts(r->data, r->alg->algorithm))
		error("%s: %ld values are negative, the lowest is %g, expected counts", r->proj->name,
		        v.negative, v.min);

	r->ymin = v.min;
}

static void check_start(const struct recon *r)
{
	if (r->init == NULL)
		return;

	enum dtype t = r->init->hdr.type;

	if (dtype_is_complex(t) && !dtype_is_complex(r->type))
		error("--init %s is %s, expected a real type like the volume", r->init->name, dtype_name(t));

	values_expect_finite(r->init);
}

/* x of problem k. */
static void load_start(struct recon *r, long k, void *x)
{
	if (r->init == NULL)
		return;

	const enum dtype t = r->init->hdr.type;

	convert_all(r->type, x, t, (const char *)cfl_map(r->init) + k * r->n * (long)dtype_size(t), r->n);
	mask_volumes(r->mask, r->type, r->n, x);
}

/* Weights of the views chosen, frame after frame, of those at w. */
static const char *choose_weights(struct recon *r, const char *w, long frames)
{
	const struct hdr *h = &r->weights->hdr;
	const size_t view = (size_t)(h->dims[0] * h->dims[1]) * dtype_size(h->type);

	if (are_neighbours(r) && frames == 1)
		return w + (size_t)r->at[0] * view;

	if (r->chosen == NULL)
		r->chosen = md_alloc(2, (const long[]){r->views, frames}, view);

	for (long k = 0; k < r->views * frames; k++)
		memcpy(r->chosen + (size_t)k * view,
		        w + (size_t)(k / r->views * h->dims[SPACE - 1] + r->at[k % r->views]) * view, view);

	return r->chosen;
}

/* W of problem k, or NULL. */
static struct weights *problem_weights(struct recon *r, long k)
{
	if (r->alg->weights == RECON_UNWEIGHTED)
		return NULL;

	if (r->weights == NULL)
		return weights_create_exp(
		        r->type, (const char *)r->y + k * r->m * (long)dtype_size(r->type), r->ymin);

	const struct hdr *h = &r->weights->hdr;
	const bool chosen = r->at != NULL && h->dims[SPACE - 1] > 1;
	long dims[DIMS], wdims[DIMS];
	long at = 0, step = 1, frames = 1;

	for (int d = 0; d < DIMS; d++) {
		dims[d] = d < r->rank ? linop_codomain(r->A)[d] : 1;
		wdims[d] = d < r->rank ? chosen && d == SPACE - 1 ? r->views : h->dims[d] : 1;

		if (d >= r->rank) {
			at += h->dims[d] > 1 ? step * (k % r->proj->hdr.dims[d]) : 0;
			k /= r->proj->hdr.dims[d];
		} else if (d >= SPACE) {
			frames *= h->dims[d];
		}

		step *= h->dims[d];
	}

	const char *w = (const char *)cfl_map(r->weights) + at * (long)dtype_size(h->type);

	return weights_create_array(dims, wdims, h->type, chosen ? choose_weights(r, w, frames) : w);
}

/* With terms or a penalty the minimum is what is asked for; without them iterations are stopped before the
 * noise comes in. */
static bool wants_minimum(const struct recon *r)
{
	bool asked = r->opts->lambda > 0. || r->opts->until > 0.;

	for (int i = 0; i < r->terms.n; i++)
		asked = asked || strcmp(functional_name(r->terms.term[i].g), "box") != 0;

	return asked;
}

static bool is_unfinished(const struct recon *r, const struct iter_result *res)
{
	const double enough = r->opts->until > 0. ? r->opts->until : 0.01;

	return wants_minimum(r) && (isnan(res->excess) ? res->fell : res->excess) > enough;
}

static void tell_unfinished(const struct recon *r, const char *where, const struct iter_result *res)
{
	char *more = mem_printf(
	        "use -i %ld%s", 4 * res->iterations, r->opts->until > 0. ? "" : ", or --until 0.1%");

	if (isnan(res->excess))
		info("%sthe objective still fell by %.2g %% in the last tenth of %ld iterations: not "
		     "converged (%s)",
		        where, 100. * res->lately, res->iterations, more);
	else
		info("%sthe objective is about %.2g %% above its minimum after %ld iterations: not converged "
		     "(%s)",
		        where, 100. * res->excess, res->iterations, more);

	free(more);
}

/* Gradients of subsets do not vanish at the minimum, so steps of a fixed size go on around it. */
static void tell_subsets(const struct recon *r, const char *where)
{
	const struct algorithm *a = r->alg->algorithm;
	const int n = r->subsets ? recon_subsets_count(r->subsets) : 1;

	if (n > 1 && wants_minimum(r) && a->gap == NULL && !(a->takes & DESCENDS))
		info("%s%s with %d subsets ends near the minimum of the objective, not at it (--subsets 1 "
		     "converges)",
		        where, a->name, n);
}

static void tell(const struct recon *r, long k, struct iter_result res)
{
	char where[64] = "";

	if (r->problems > 1)
		snprintf(where, sizeof where, "channel %ld, time %ld: ", k % r->channels, k / r->channels);

	if (res.end == ITER_NOISE)
		info("%sresidual %g reached after %ld iterations", where, res.residual, res.iterations);
	else if (res.end == ITER_CHANGE)
		info("%sconverged (small change of x) after %ld iterations", where, res.iterations);
	else if (res.end == ITER_TIME)
		info("%stime limit reached after %ld iterations", where, res.iterations);
	else if (res.end == ITER_TOLERANCE)
		info("%stolerance %g reached after %ld iterations", where, r->opts->tolerance,
		        res.iterations);
	else if (res.end == ITER_CONVERGED && !isnan(res.excess))
		info("%sthe objective is about %.2g %% above its minimum after %ld iterations", where,
		        100. * res.excess, res.iterations);
	else if (res.end == ITER_CONVERGED)
		info("%sconverged: the objective changed by at most %g %% in the last half of %ld iterations",
		        where, 100. * r->opts->until, res.iterations);
	else if (res.end == ITER_ALL && is_unfinished(r, &res))
		tell_unfinished(r, where, &res);
	else if (res.end == ITER_MINIMUM && (r->alg->algorithm->takes & DESCENDS))
		info("%sdone after %ld iterations: the constraint on the data is met, and the steps of data "
		     "and terms cancel",
		        where, res.iterations);
	else if (res.end == ITER_MINIMUM)
		info("%sminimum reached after %ld iteration%s: the gradient is zero within rounding", where,
		        res.iterations, (1 == res.iterations) ? "" : "s");

	if (res.end == ITER_ALL || res.end == ITER_CONVERGED)
		tell_subsets(r, where);
}

/* Values too large for their type are no volume. */
static void expect_finite(const struct recon *r, const void *x)
{
	const long n = vec_count_nonfinite(r->type, r->n, x);

	if (0 < n)
		error("%s: %ld of %ld values are NaN or infinite, so no volume is written (use smaller "
		      "factors, a smaller --step or --keep-best)",
		        r->opts->vol, n, r->n);
}

/* Each problem has a file of its own; NULL: none is wanted. */
static char *checkpoint_name(const struct recon *r, long k)
{
	const char *name = r->opts->checkpoint;

	if (name == NULL)
		return NULL;

	return r->problems > 1 ? mem_printf("%s.%ld", name, k) : mem_strdup(name);
}

void recon_measure_unit(struct recon *r, const void *y, const struct weights *W)
{
	struct recon_data *data = recon_data_create(r->data, r->alg->algorithm, r->A, y, W, r->spectrum);

	r->unit = recon_unit_of(
	        r->A, y, W, recon_data_knows_noise(r->data) ? recon_data_functional(data) : NULL);
	recon_data_free(data);
}

/* Factors in units of the noise become those of problem k. */
static void choose_unit(struct recon *r, long k, const void *y, const struct weights *W)
{
	if (!r->terms.relative)
		return;

	recon_measure_unit(r, y, W);

	if (!(r->unit.sigma > 0. && r->unit.sensitivity > 0.))
		error("%s: the noise of channel %ld, time %ld cannot be estimated (give a factor that does "
		      "not end in n)",
		        r->proj->name, k % r->channels, k / r->channels);

	verbose("noise: standard deviation %.4g of a line integral%s", r->unit.sigma,
	        NULL == W ? "" : " of weight 1");
	recon_set_factor(r, 0.);
}

/* By the rule, into the problem; the final run is that of this number typed in. */
static void choose_lambda(struct recon *r, struct iter_problem *p, const struct iter_conf *conf, long k,
        const struct weights *W)
{
	const double lambda = recon_rule_choose(r->rule, r, k, p->y, W, conf);

	const bool term = r->terms.automatic >= 0;

	if (!term)
		p->lambda = lambda;

	recon_set_factor(r, term ? lambda : 0.);
	p->term = r->terms.term;
}

/* x of problem k before the first iteration: of distributed vectors, this rank's part of the file. */
static void begin_volume(struct recon *r, long k, void *x)
{
	long first, end;

	distributed_part(r->n, &first, &end);

	if (r->distributed)
		cfl_write_through(r->vol, k * r->n + first, end - first);

	load_start(r, k, x);
	distributed_release(r->n, dtype_size(r->type), x, 0, r->n);
}

/* Voxels that no ray sees behind the mask are what the terms, or the start, make of them. */
static void end_volume(struct recon *r, long k, void *x)
{
	long first, end;

	distributed_part(r->n, &first, &end);
	mask_part(r->mask, r->type, first, end, x);

	if (r->distributed)
		cfl_write_own(r->vol, k * r->n + first, end - first);
}

/* As they were before the first problem: what iterative proximal operators start from is forgotten. */
static void renew_terms(struct recon *r)
{
	r->unit = (struct recon_unit){NAN, NAN};
	recon_set_factor(r, 0.);
}

static void solve(struct recon *r, struct monitor *mon, long k, void *x)
{
	long size = (long)dtype_size(r->type);
	struct weights *W = problem_weights(r, k);
	const void *y = (const char *)r->y + k * r->m * size;
	char *checkpoint = checkpoint_name(r, k), *identity = checkpoint ? recon_identity(r) : NULL;
	struct recon_data *data = recon_data_create(r->data, r->alg->algorithm, r->A, y, W, r->spectrum);

	if (k > 0)
		renew_terms(r);

	choose_unit(r, k, y, W);

	struct iter_problem p = {.A = r->A,
	        .y = y,
	        .W = recon_data_takes_weights(data) ? NULL : W,
	        .lambda = r->opts->lambda,
	        .back = r->back,
	        .dictionary = r->dictionary,
	        .dictionary_text = r->opts->dictionary,
	        .terms = r->terms.n,
	        .term = r->terms.term};
	const struct iter_conf conf = {.iterations = r->opts->iterations,
	        .newton = r->opts->newton,
	        .tolerance = r->opts->tolerance,
	        .warm = r->init != NULL,
	        .monitor = mon,
	        .basis = r->opts->basis,
	        .step = r->opts->step,
	        .steps = recon_steps(r->opts),
	        .relaxation = r->opts->relaxation,
	        .noise = r->opts->noise,
	        .change = r->opts->change,
	        .seconds = r->opts->seconds,
	        .until = r->opts->until,
	        .keep = r->opts->keep,
	        .order = (enum sampler)(r->opts->order + 1),
	        .seed = (uint64_t)r->opts->seed,
	        .descent = r->opts->descent,
	        .checkpoint = checkpoint,
	        .every = r->opts->every,
	        .identity = identity,
	        .resume =
	                r->opts->resume && checkpoint != NULL && ranks_decide(access(checkpoint, F_OK) == 0)};
	enum dtype rtype = DT_FLOAT32;
	const char *ref = NULL;

	if (r->reference != NULL) {
		rtype = r->reference->hdr.type;
		ref = (const char *)cfl_map(r->reference) + k * r->n * (long)dtype_size(rtype);
	}

	recon_data_into(data, &p);

	if (r->rule != NULL)
		choose_lambda(r, &p, &conf, k, W);

	recon_subsets_fill(r->subsets, &p, r->alg->algorithm, r->data, W);
	monitor_begin(mon, k % r->channels, k / r->channels, rtype, r->n, ref);

	if (r->distributed)
		distributed_begin();

	begin_volume(r, k, x);

	void *start = x;
	struct recon_device *there = recon_device_begin(r, &p, &conf, &start);

	const struct iter_result res = algorithm_solve(r->alg->algorithm, &p, &conf, start);

	recon_device_end(there);
	tell(r, k, res);

	if (r->mask != NULL || ITER_DIVERGED == res.end)
		cfl_map_out(r->vol); // an array in memory may be on the device only

	if (ITER_DIVERGED == res.end)
		expect_finite(r, x);

	end_volume(r, k, x);
	distributed_end();

	free(checkpoint);
	free(identity);
	recon_data_free(data);
	weights_free(W);
}

/* Opened after the output was made, so that it does not enter the history: it cannot change the result. */
static void open_reference(struct recon *r)
{
	if (r->opts->reference == NULL)
		return;

	r->reference = cfl_open(r->opts->reference);
	check_grid(r->reference, "--reference", &r->vol->hdr);
}

/* Where iterates go: VOL-{iteration}, before an extension; channel and time where there are more. */
static char *save_pattern(const struct recon *r)
{
	const struct recon_opts *o = r->opts;

	if (o->save_as != NULL)
		return mem_strdup(o->save_as);

	const char *slash = strrchr(o->vol, '/'), *dot = strrchr(slash != NULL ? slash : o->vol, '.');
	const bool extension = dot != NULL && (strcmp(dot, ".npy") == 0 || strcmp(dot, ".ra") == 0 ||
	                                              strcmp(dot, ".cfl") == 0 || strcmp(dot, ".hdr") == 0);
	const char *end = extension ? dot : o->vol + strlen(o->vol);

	return mem_printf("%.*s-{iteration}%s%s", (int)(end - o->vol), o->vol,
	        r->problems > 1 ? "-{channel}-{time}" : "", end);
}

static void check_save(const struct recon_opts *o)
{
	if (o->save_as != NULL) {
		if (o->save_every == 0)
			usage_error("--save-as needs --save-every K");

		monitor_check_pattern(o->save_as, "--save-as");
	} else if (o->save_every > 0 && strcmp(o->vol, "-") == 0) {
		usage_error(
		        "--save-every %ld needs --save-as NAME when the volume is written to standard output",
		        o->save_every);
	}

	if (o->save_every > 0 && looping_active())
		usage_error("--save-every and --loop exclude each other");
}

static void close_all(struct recon *r)
{
	struct cfl *const inputs[] = {r->geom, r->proj, r->init, r->weights, r->prior, r->reference};

	linop_free(r->A);

	for (long i = 0; i < r->scan.own[0] * r->scan.own[1]; i++)
		geom_free(r->g[i]);

	free(r->g);
	linop_free(r->back);
	linop_free(r->dictionary);
	recon_terms_free(&r->terms);
	recon_subsets_free(r->subsets);
	mask_free(r->mask);
	recon_spectrum_free(r->spectrum);
	free(r->data);
	md_free(r->copy);
	md_free(r->chosen);
	free(r->at);

	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
		if (inputs[i] != NULL)
			cfl_close(inputs[i]);

	cfl_close(r->vol);
}

/* Bytes of volume and data, and operations of A and A' in every iteration. */
static void choose_place(const struct recon *r)
{
	const double size = (double)dtype_size(r->type), extent = cbrt((double)r->n);
	const double once = 20. * (double)r->m * extent;

	device_worth(size * (double)(r->n + r->m) * (double)r->problems,
	        once * (double)r->problems * (double)r->opts->iterations);
}

/* The terms of a command line that says nothing of them; complex volumes have no bounds. */
static void take_terms(struct recon_opts *o, const struct recon_algorithm *alg, enum dtype type)
{
	static const char *words[] = {"tv:auto", "nonneg"};
	const bool complex_ = dtype_is_complex(0 <= o->type ? (enum dtype)o->type : type);

	if (!o->by_itself)
		return;

	o->terms = (struct opt_list){complex_ ? 1 : 2, words};

	for (int i = 0; i < o->terms.n; i++)
		tool_record_more("regularise", words[i]);

	info("chosen: -R tv:auto%s, %s, %s%ld iterations%s (plain least squares: -a lsqr)",
	        complex_ ? "" : " -R nonneg", alg->algorithm->name, (0. < o->until) ? "at most " : "",
	        o->iterations, (NULL == o->weights) ? "" : ", weighted by --weights");
}

/* Rows of subsets are vectors of their own, which a checkpoint would not find. */
bool recon_can_distribute(const struct recon *r)
{
	double lo, hi;

	for (int i = 0; i < r->terms.n; i++)
		if (r->terms.term[i].B != NULL || !functional_is_bounds(r->terms.term[i].g, &lo, &hi))
			return false;

	const bool plain = r->rule == NULL && r->back == NULL && r->dictionary == NULL && r->spectrum == NULL;
	const bool same_views = 1 == r->scan.own[0] * r->scan.own[1];

	return !looping_active() && r->alg->algorithm->distributed && plain && same_views &&
	       (r->subsets == NULL || r->opts->checkpoint == NULL) && !dtype_is_complex(r->type);
}

void recon_run(const struct recon_opts *given, const struct recon_algorithm *alg)
{
	struct recon_opts own = *given;
	const struct recon_opts *o = &own;
	struct recon r = {.opts = o, .alg = alg, .unit = {NAN, NAN}};
	struct hdr h;

	open_inputs(&r);
	take_terms(&own, alg, r.proj->hdr.type);
	check_save(o);
	choose(&r, &h);
	r.rule = recon_rule_create(&r);
	recon_plan(&r);
	r.distributed = ranks_shared() && recon_can_distribute(&r);
	spill_limit(tool_memory() * (r.distributed ? ranks_count() : 1));
	choose_place(&r);
	r.vol = cfl_create(o->vol, &h);
	open_reference(&r);
	load_data(&r);

	if (r.weights != NULL)
		values_expect_nonnegative(r.weights);

	check_start(&r);

	if (r.distributed)
		cfl_in_parts(r.vol);

	char *x = cfl_map_out(r.vol);

	struct monitor *mon = monitor_create(o->iterations, r.problems, o->log);
	char *pattern = save_pattern(&r);
	struct hdr one;

	hdr_copy(&one, &h);

	for (int d = r.rank; d < DIMS; d++)
		one.dims[d] = 1;

	monitor_save(mon, o->save_every, pattern, &one, r.mask);

	for (long k = 0; k < r.problems; k++)
		solve(&r, mon, k, x + k * r.n * (long)dtype_size(r.type));

	monitor_close(mon);
	recon_rule_close(r.rule, &r);
	close_all(&r);
	free(pattern);
	hdr_free(&one);
	hdr_free(&h);
}
