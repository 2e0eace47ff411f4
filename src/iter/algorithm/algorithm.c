/* Functions common to all algorithms. */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/monitor/checkpoint.h"
#include "iter/monitor/gap.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/distributed.h"
#include "num/md/flpmath.h"
#include "num/shape/spill.h"

/* An objective beyond this many times the first says that iterations diverge. */
static const double beyond = 1e3;
/* How an objective falls says little before so many iterations, and that of splittings may rise at first. */
enum { UNTIL_LEAST = 10, SETTLED = 10 };
/* Rounding moves a falling objective by less than this part of its first value. */
static const double slack = 1e-6;

const struct algorithm *algorithm_find(const char *name)
{
	for (int i = 0; NULL != algorithms[i]; i++)
		if (0 == strcmp(name, algorithms[i]->name))
			return algorithms[i];

	return NULL;
}

/** Whether volumes >= 0 are asked for, and the algorithm has no others. */
static bool is_met(const struct algorithm *a, const struct iter_term *t)
{
	double lo, hi;

	return (a->takes & STAYS_NONNEGATIVE) && NULL == t->B && functional_is_bounds(t->g, &lo, &hi) &&
	       0. == lo && INFINITY == hi;
}

static const char *refuses_terms(const struct algorithm *a, const struct iter_problem *p)
{
	int single = 0;

	for (int i = 0; i < p->terms; i++) {
		const struct functional *g = p->term[i].g;

		if (is_met(a, &p->term[i]))
			continue;

		if ((a->takes & NEEDS_VALUES) && !functional_has_value(g))
			return "compares objectives and cannot use terms of unknown value, such as denoisers";

		if ((a->takes & TAKES_SMOOTH) && functional_is_smooth(g))
			continue;

		if (0 == (a->takes & (TAKES_PROX | TAKES_TERMS)))
			return (a->takes & TAKES_SMOOTH) ? "needs terms that are differentiable"
			                                 : "takes no regularisation terms";

		if (!functional_has_prox(g))
			return "needs terms with a proximal operator";

		if (0 == (a->takes & TAKES_TERMS) && NULL != p->term[i].B)
			return "takes no term of a transformed volume that is not differentiable";

		if ((a->takes & BOUNDS_ONLY) && 0 != strcmp(functional_name(g), "box"))
			return "has a step for each voxel: its only terms without a gradient are bounds "
			       "(box, nonneg); use fista, pogm or pdhg for others";

		single++;
	}

	return (single > 1 && 0 == (a->takes & TAKES_TERMS)) ? "takes one term that is not differentiable"
	                                                     : NULL;
}

static enum dtype type_of(const struct iter_problem *p)
{
	return (NULL != p->F) ? nlop_type(p->F) : linop_type(p->A);
}

const char *algorithm_refuses(const struct algorithm *a, const struct iter_problem *p)
{
	const bool data = NULL != p->data;

	if (NULL != p->W && 0 == (a->takes & TAKES_WEIGHTS))
		return "takes no weights";

	if (p->lambda > 0. && 0 == (a->takes & TAKES_LAMBDA))
		return "takes no lambda";

	if (data && !((a->takes & TAKES_DATA) && functional_is_smooth(p->data)) &&
	        !((a->takes & TAKES_DATA_PROX) && functional_has_prox(p->data)))
		return "does not minimise this measure of the data (omit --algorithm to choose one "
		       "automatically)";

	if (NULL != p->F && 0 == (a->takes & TAKES_NONLINEAR))
		return "is for linear problems";

	if (NULL != p->back && 0 == (a->takes & TAKES_BACK))
		return "supports no back projector except the transpose (remove --back-model)";

	if (NULL != p->dictionary && 0 == (a->takes & TAKES_DICTIONARY))
		return "takes no dictionary";

	if (NULL != p->dictionary && linop_codomain_size(p->dictionary) != linop_domain_size(p->A))
		return "needs a dictionary of as many atoms as there are voxels";

	if ((a->takes & NEEDS_SECOND) && (!data || !functional_has_second(p->data)))
		return "needs counts of transmission (--data poisson:I0)";

	if (p->subsets > 0 && 0 == (a->takes & TAKES_SUBSETS))
		return "takes no subsets";

	if (dtype_is_complex(type_of(p)) && 0 == (a->takes & TAKES_COMPLEX))
		return "takes real data only";

	return refuses_terms(a, p);
}

/* ---- memory ---- */

static long basis_of(const struct algorithm *a, long basis)
{
	return (0 == a->basis || basis < 1) ? a->basis : basis;
}

long algorithm_volumes(const struct algorithm *a, long basis, bool weighted)
{
	return a->volumes + ((a->takes & KEEPS_VOLUMES) ? basis_of(a, basis) : 0) +
	       ((weighted && (a->takes & WEIGHTS_VOLUME)) ? 1 : 0);
}

long algorithm_projections(const struct algorithm *a, long basis)
{
	return a->projections + ((a->takes & KEEPS_PROJECTIONS) ? basis_of(a, basis) : 0);
}

long algorithm_keeps(const struct algorithm *a, int subsets, enum dtype type, long n, long m)
{
	const double size = (double)dtype_size(type);
	const double left = (double)tool_memory() -
	                    size * ((double)a->volumes * (double)n + (double)a->projections * (double)m);
	const double most = left / 2. / size / (double)n;

	if (!(a->takes & KEEPS_SUMS) || !(most >= 1.))
		return 0;

	return ((double)subsets < most) ? subsets : (long)most;
}

/** A vector of zeros. On the host, a page takes memory when it is first written: so the vectors that the norm
 * of A needs are no memory beside those of the algorithm. */
static void *zeros(const struct run *r, long n)
{
	void *v = md_alloc_sameplace(1, &n, dtype_size(r->type), r->x);

	if (device_holds(v))
		vec_clear(r->type, n, v);
	else
		spill_clear_new(v, (size_t)n * dtype_size(r->type));

	return v;
}

static void **vectors(const struct run *r, long count, long n)
{
	void **v = mem_calloc((size_t)count + 1, sizeof *v);

	for (long i = 0; i < count; i++) {
		v[i] = zeros(r, n);
		distributed_release(n, dtype_size(r->type), v[i], 0, n);
	}

	return v;
}

static void free_vectors(void **v)
{
	for (int i = 0; NULL != v[i]; i++)
		md_free(v[i]);

	free(v);
}

static long term_size(const struct iter_term *t)
{
	return functional_size(t->g);
}

static bool is_smooth(const struct run *r, int i)
{
	return (r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(r->p->term[i].g);
}

/** Terms that only the step of x uses need no work space for values and gradients. */
static struct unwritten unwritten(const struct run *r)
{
	struct unwritten u = {0};

	for (int i = 0; 0 == r->alg->terms && i < r->p->terms; i++)
		if (NULL == r->p->term[i].B && !is_smooth(r, i))
			u.terms += (double)term_size(&r->p->term[i]);

	return u;
}

struct unwritten algorithm_unwritten(const struct algorithm *a, const struct iter_problem *p,
        const struct iter_conf *conf, enum dtype type, long n, long m)
{
	const struct run r = {.p = p, .conf = conf, .alg = a, .type = type, .n = n, .m = m};

	return (a->unwritten ? a->unwritten : unwritten)(&r);
}

/** Numbers that an iteration asks for at most: a few, and some of each term, subset and vector of a basis. */
static long run_asks(const struct run *r)
{
	return 64 + 4L * r->p->terms + 4L * r->p->subsets + 2 * r->basis;
}

static void create_numbers(struct run *r, long room)
{
	r->room = room;
	r->asked = md_alloc_sameplace(1, &room, sizeof *r->asked, r->x);
	r->told = device_holds(r->asked) ? mem_calloc((size_t)room, sizeof *r->told) : r->asked;
}

static void destroy_numbers(struct run *r)
{
	if (r->told != r->asked)
		free(r->told);

	md_free(r->asked);
}

static void create(struct run *r)
{
	const struct algorithm *a = r->alg;
	const int terms = r->p->terms;

	r->basis = basis_of(a, r->conf->basis);
	r->h = mem_calloc((size_t)((r->basis + 2) * (r->basis + 4)), sizeof *r->h);
	r->v = vectors(r, algorithm_volumes(a, r->basis, NULL != r->p->W), r->n);
	r->w = vectors(r, algorithm_projections(a, r->basis), r->m);
	r->keeps = algorithm_keeps(a, r->p->subsets, r->type, r->n, r->m);
	r->keeps = min_long(
	        r->keeps, (long)(place_left(r->x) / 2. / (double)dtype_size(r->type) / (double)r->n));
	r->kept = mem_calloc((size_t)r->keeps + 1, sizeof *r->kept);
	r->order = (0 < r->p->subsets) ? mem_calloc((size_t)r->p->subsets, sizeof *r->order) : NULL;
	// one more of each, for values and gradients
	r->z = mem_calloc((size_t)((a->terms + 1) * terms) + 1, sizeof *r->z);

	for (int i = 0; i < (a->terms + 1) * terms; i++)
		r->z[i] = zeros(r, term_size(&r->p->term[i % terms]));

	create_numbers(r, run_asks(r));

	for (int i = 0; i < terms && NULL == r->back; i++)
		if (is_smooth(r, i) && NULL != r->p->term[i].B)
			r->back = md_alloc_sameplace(1, &r->n, dtype_size(r->type), r->x);
}

static void destroy(struct run *r)
{
	md_free(r->back);
	destroy_numbers(r);
	free_vectors(r->v);
	free_vectors(r->w);
	free_vectors(r->z);
	free(r->order);

	for (long i = 0; i < r->keeps; i++)
		md_free(r->kept[i]);

	free(r->kept);
	weights_free(r->M);
	linop_free(r->J);
	nlop_free(r->F);
	free(r->h);
}

/* ---- the loop ---- */

static void report(struct run *r)
{
	monitor_step(r->conf->monitor,
	        &(struct monitor_state){.iteration = r->k,
	                .residual = r->residual,
	                .objective = r->objective,
	                .gradient = r->gradient,
	                .step = r->step,
	                .excess = r->excess},
	        r->type, r->n, r->x);
}

static bool diverged(struct run *r, struct course *c, double before)
{
	const double f = r->objective;

	// unknown; or of projections that the data allow in the limit only
	if (isnan(f) && (isnan(before) || (r->alg->takes & TAKES_TERMS)))
		return false;

	const bool monotone = 0 != (r->alg->takes & MONOTONE);

	// terms are nothing at 0, and anything on the way from there along the data
	if (r->k <= SETTLED && (r->alg->takes & TAKES_TERMS) && isfinite(f))
		c->first = fmax(c->first, f);

	if (isfinite(f) &&
	        (isnan(c->first) || f <= (monotone ? before + slack * c->first : beyond * c->first)))
		return false;

	warn("%s: stopped at iteration %ld, where the objective %s from %g to %g%s", r->alg->name, r->k,
	        isfinite(f) ? "grew" : "went", before, f,
	        (NULL != c->good) ? " (the result is the best iterate)" : " (a smaller step may help)");

	return true;
}

static bool hardly_changed(const struct run *r, const struct course *c)
{
	if (NULL == c->last)
		return false;

	vec_axpby(r->type, r->n, c->last, 1., r->x, -1., c->last);

	const double d = vec_norm(r->type, r->n, c->last), x = vec_norm(r->type, r->n, r->x);

	vec_copy(r->type, r->n, c->last, r->x);

	return d <= r->conf->change * x;
}

/** How far the objective is above its minimum, as a part of it: what the gap mostly says, or how the
 * objective fell over the last third of all iterations where that is more, but never more than the gap. NAN:
 * unknown. */
static double estimate_excess(struct run *r, const struct course *c, double *objective)
{
	if (NULL == r->alg->gap)
		return NAN;

	const double gap = r->alg->gap(r, objective) / fabs(*objective);

	return isfinite(gap) ? fmin(gap, fmax(gap / GAP_OVER, fall_over(&c->fall, 1. / 3.))) : NAN;
}

/** An estimate by a gap takes about half an iteration: it is made where the number of iterations is a
 * multiple of its eighth, rounded down to a power of 2. */
static bool is_due(const struct run *r)
{
	const long k = r->k;
	long step = 1;

	if (NULL == r->alg->gap)
		return true;

	while (16 * step <= k)
		step *= 2;

	return 0 == k % step;
}

/** By the duality gap where there is one, else by how the objective fell. */
static bool has_converged(struct run *r, const struct course *c)
{
	double objective;

	if (!(r->conf->until > 0.) || r->k < UNTIL_LEAST || !is_due(r))
		return false;

	r->excess = estimate_excess(r, c, &objective);

	return (isnan(r->excess) ? fall_over(&c->fall, 0.5) : r->excess) <= r->conf->until;
}

/** After an iteration: whether to go on. */
static bool goes_on(struct run *r, struct course *c, double before)
{
	if (diverged(r, c, before)) {
		c->res.end = ITER_DIVERGED;

		if (NULL != c->good)
			vec_copy(r->type, r->n, r->x, c->good);

		return false;
	}

	if (isnan(c->gradient))
		c->gradient = r->gradient;

	if (NULL != c->good && r->objective <= c->best) {
		c->best = r->objective;
		vec_copy(r->type, r->n, c->good, r->x);
	}

	if (r->minimum)
		c->res.end = ITER_MINIMUM;
	else if (r->met)
		c->res.end = ITER_TOLERANCE;
	else if (r->conf->tolerance > 0. && 0 == (r->alg->takes & SETS_TOLERANCE) &&
	         r->gradient <= r->conf->tolerance * c->gradient)
		c->res.end = ITER_TOLERANCE;
	else if (r->conf->noise > 0. && 0 == (r->alg->takes & SETS_RESIDUAL) && r->residual <= r->conf->noise)
		c->res.end = ITER_NOISE;
	else if (r->conf->change > 0. && !r->again && hardly_changed(r, c))
		c->res.end = ITER_CHANGE;
	else if (has_converged(r, c))
		c->res.end = ITER_CONVERGED;
	else if (r->conf->seconds > 0. && ranks_decide(now() - c->begun >= r->conf->seconds))
		c->res.end = ITER_TIME;
	else
		return true;

	return false;
}

/** Where the data are infinitely unlikely at 0, as counts of emission are: the x of equal elements whose
 * projections are nearest to them. */
static void leave_zero(struct run *r)
{
	const struct iter_problem *p = r->p;

	if (NULL == p->data || 0 == r->alg->projections || dtype_is_complex(r->type))
		return;

	vec_clear(r->type, r->m, r->w[0]);

	if (!isinf(functional_value(p->data, r->w[0])))
		return;

	run_fill(r->type, r->n, r->x, 1.);
	linop_forward(p->A, r->w[0], r->x);

	const double scale = vec_dot(r->type, r->m, r->w[0], p->y) / vec_dot(r->type, r->m, r->w[0], r->w[0]);

	vec_scale(r->type, r->n, r->x, (scale > 0.) ? scale : 0.);
	vec_clear(r->type, r->m, r->w[0]);
}

static void start(struct run *r)
{
	if (!r->conf->warm) {
		vec_clear(r->type, r->n, r->x);

		if (0. != r->alg->start)
			run_fill(r->type, r->n, r->x, r->alg->start);
		else
			leave_zero(r);
	}

	const struct functional *g = (r->alg->takes & TAKES_PROX) ? run_prox_term(r) : NULL;

	if (NULL != g && isinf(functional_value(g, r->x))) // outside a constraint
		functional_prox(g, 1., r->x, r->x);

	r->residual = r->objective = r->gradient = r->step = NAN;
	r->alg->begin(r);

	if (isinf(r->objective))
		error("%s: the objective is infinite at the start (the data are too large for their type, or "
		      "the terms do not allow the starting point)",
		        r->alg->name);

	report(r);
}

/** The sum of squares is faster than a look at each, and as telling unless it is too large itself. */
static bool is_finite(const struct run *r)
{
	return isfinite(isnan(r->size2) ? vec_dot(r->type, r->n, r->x, r->x) : r->size2) ||
	       0 == vec_count_nonfinite(r->type, r->n, r->x);
}

/** After these iterations, or the last one. */
static void save(struct run *r, const struct course *c, bool last)
{
	if (NULL != r->conf->checkpoint &&
	        (last || r->k == r->conf->iterations || 0 == r->k % r->conf->every))
		checkpoint_write(r->conf->checkpoint, r, c);
}

/** No step was made: what is known is that of the x before. */
static void stay(struct run *r, struct course *c)
{
	r->residual = r->before.residual;
	r->objective = r->before.objective;
	c->res.end = r->stay;
	save(r, c, true);
}

/** What is to settle must be known; data that are allowed in the limit only have no value at first. */
static void expect_objective(const struct run *r, const struct course *c)
{
	if (r->conf->until > 0. && UNTIL_LEAST <= r->k && c->fall.n < 2)
		error("%s: --until needs the objective, which is not available (use --change or --tolerance)",
		        r->alg->name);
}

/** What is to become small must be known. */
static void expect_residual(const struct run *r)
{
	if (r->conf->noise > 0. && 0 == (r->alg->takes & SETS_RESIDUAL) && isnan(r->residual) &&
	        !isinf(r->objective))
		error("%s: the residual, which --noise needs, is not available%s (use %s--change or "
		      "--tolerance)",
		        r->alg->name,
		        (r->conf->warm && r->p->lambda > 0.) ? " with both --init and --lambda" : "",
		        (NULL == r->p->data && NULL == r->p->F && 0 == r->p->terms) ? "cg, or " : "");
}

static void algorithm_iterate(struct run *r, struct course *c)
{
	c->res.end = r->minimum ? ITER_MINIMUM : ITER_ALL;

	while (!r->minimum && r->k < r->conf->iterations) {
		r->before = (struct run_values){r->residual, r->objective, r->gradient, r->step};
		r->objective = r->residual = r->gradient = r->step = r->size2 = NAN;
		r->again = false;
		r->alg->iterate(r);

		if (ITER_ALL != r->stay) {
			stay(r, c);
			break;
		}

		r->k++;

		if (!is_finite(r))
			r->objective = INFINITY;

		report(r);
		fall_add(&c->fall, r->k, r->objective);
		expect_objective(r, c);
		expect_residual(r);

		const bool on = goes_on(r, c, r->before.objective);

		save(r, c, !on);

		if (!on)
			break;
	}
}

/* ---- from run to run ---- */

void run_state_free(struct run_state *s)
{
	if (NULL != s->run)
		destroy(s->run);

	free(s->run);
	s->run = NULL;
}

/** The vectors of the last run, if there is one to go on from. */
static bool take_over(struct run *r)
{
	struct run_state *s = r->conf->state;

	if (NULL == s || NULL == s->run)
		return false;

	struct run last = *s->run;

	free(s->run);
	s->run = NULL;
	last.p = r->p;
	last.conf = r->conf;
	last.x = r->x;
	last.k = 0;
	*r = last;

	return true;
}

static void hand_on(struct run *r)
{
	struct run_state *s = r->conf->state;

	if (NULL == s || 0 == (r->alg->takes & CARRIES_ON)) {
		destroy(r);
		return;
	}

	s->run = NEW(struct run);
	*s->run = *r;
}

struct iter_result algorithm_solve(
        const struct algorithm *a, const struct iter_problem *p, const struct iter_conf *conf, void *x)
{
	const char *refusal = algorithm_refuses(a, p);

	if (NULL != refusal)
		error("%s %s", a->name, refusal);

	if (NULL != p->F && (1 != nlop_ins(p->F) || 1 != nlop_outs(p->F)))
		error("operator %s has %d inputs and %d outputs, but a least-squares problem needs one "
		      "input and one output",
		        nlop_name(p->F), nlop_ins(p->F), nlop_outs(p->F));

	struct run r = {.p = p, .conf = conf, .alg = a, .type = type_of(p), .x = x, .excess = NAN};
	struct course c = {.begun = now(), .gradient = NAN};

	r.n = (NULL != p->F) ? nlop_in_size(p->F, 0) : linop_domain_size(p->A);
	r.m = (NULL != p->F) ? nlop_out_size(p->F, 0) : linop_codomain_size(p->A);

	const bool goes_on = take_over(&r);

	if (!goes_on)
		create(&r);

	if (conf->keep)
		c.good = md_alloc_sameplace(1, &r.n, dtype_size(r.type), x);

	if (conf->change > 0.)
		c.last = md_alloc_sameplace(1, &r.n, dtype_size(r.type), x);

	if (conf->resume) {
		checkpoint_read(conf->checkpoint, &r, &c);
	} else {
		if (goes_on) {
			// the objective of x with the new factors is unknown
			c.first = NAN;
			c.best = INFINITY;
		} else {
			start(&r);
			c.first = c.best = r.objective;
			fall_add(&c.fall, 0, r.objective);
			c.gradient = r.gradient;
		}

		if (NULL != c.good)
			vec_copy(r.type, r.n, c.good, x);

		if (NULL != c.last)
			vec_copy(r.type, r.n, c.last, x);
	}

	if (ITER_ALL == c.res.end)
		algorithm_iterate(&r, &c);

	if (NULL != a->end && ITER_DIVERGED != c.res.end)
		a->end(&r);

	c.res.iterations = r.k;
	c.res.residual = r.residual;
	c.res.objective = r.objective;
	c.res.gradient = r.gradient;
	c.res.fell = fall_over(&c.fall, 1. / 3.);
	c.res.lately = fall_over(&c.fall, 0.1);
	c.res.excess = r.excess;

	if (ITER_ALL == c.res.end && NULL != conf->monitor)
		c.res.excess = estimate_excess(&r, &c, &c.res.objective);

	hand_on(&r);
	md_free(c.good);
	md_free(c.last);

	return c.res;
}

/* ---- what algorithms are made of ---- */

void run_fill(enum dtype type, long n, void *x, double value)
{
	long first, end;

	distributed_part(n, &first, &end);
	n = end - first;

	if (DT_FLOAT32 == type)
		md_fill(1, &n, (float *)x + first, &(const float){(float)value}, sizeof(float));
	else
		md_fill(1, &n, (double *)x + first, &value, sizeof value);
}

bool run_is_count(double number, long most)
{
	return number >= 0. && number <= (double)most && number == rint(number);
}

double run_rounding(const struct run *r)
{
	return (8 == dtype_unit(r->type)) ? 1e-15 : 3e-7;
}

double run_relaxation(const struct run *r)
{
	return (0. == r->conf->relaxation) ? 1. : r->conf->relaxation;
}

int run_subsets(const struct run *r)
{
	return (0 < r->p->subsets) ? r->p->subsets : 1;
}

enum sampler run_order(const struct run *r)
{
	return (SAMPLER_DEFAULT != r->conf->order) ? r->conf->order : r->alg->order;
}

struct iter_subset run_subset_at(const struct run *r, int number)
{
	const struct iter_problem *p = r->p;

	return (0 == p->subsets) ? (struct iter_subset){p->A, p->y, p->W, p->data} : p->subset[number];
}

int run_subset_number(const struct run *r, int i)
{
	return (0 == r->p->subsets) ? 0 : r->order[i];
}

void *run_subset_rows(const struct run *r, void *w, int number)
{
	long at = 0;

	for (int i = 0; i < number; i++)
		at += linop_codomain_size(run_subset_at(r, i).A);

	return (char *)w + at * (long)dtype_size(r->type);
}

struct iter_subset run_subset(const struct run *r, int i)
{
	const struct iter_problem *p = r->p;

	if (0 < p->subsets && 0 == i)
		sampler_order(run_order(r), r->conf->seed, p->subsets, r->k, r->order);

	return run_subset_at(r, run_subset_number(r, i));
}

/* ---- numbers ---- */

double *run_ask_some(struct run *r, int count, int *place)
{
	if (r->fetched)
		r->numbers = 0;

	r->fetched = false;
	assert(r->numbers + count <= r->room);
	*place = r->numbers;
	r->numbers += count;

	return r->asked + *place;
}

double *run_ask(struct run *r, int *place)
{
	return run_ask_some(r, 1, place);
}

void run_ask_up_to(struct run *r, long numbers)
{
	assert(r->fetched || 0 == r->numbers);

	if (numbers <= r->room)
		return;

	destroy_numbers(r);
	create_numbers(r, numbers);
}

const double *run_look(const struct run *r, int place)
{
	return (r->told == r->asked) ? r->asked + place : NULL;
}

int run_ask_dot(struct run *r, long n, const void *x, const void *y)
{
	int place;

	vec_dot_to(r->type, n, run_ask(r, &place), x, y);

	return place;
}

int run_ask_norm(struct run *r, long n, const void *x)
{
	int place;

	vec_norm_to(r->type, n, run_ask(r, &place), x);

	return place;
}

int run_ask_weighted(struct run *r, const struct weights *W, long n, const void *x)
{
	int place;

	weights_norm2_to(W, r->type, n, run_ask(r, &place), x);

	return place;
}

int run_ask_value(struct run *r, const struct functional *g, const void *x)
{
	int place;

	functional_value_to(g, run_ask(r, &place), x);

	return place;
}

void run_fetch(struct run *r)
{
	if (r->told != r->asked && r->numbers > 0)
		device_copy(r->told, r->asked, (size_t)r->numbers * sizeof *r->told);

	r->fetched = true;
}

double run_told(const struct run *r, int place)
{
	assert(r->fetched && 0 <= place && place < r->numbers);

	return r->told[place];
}

void run_mix(const struct run *r, long n, void *y, struct update_factor a, const void *x,
        struct update_factor b, double *squares)
{
	iter_updates_of(y)->mix(
	        dtype_real(r->type), dtype_is_complex(r->type) ? 2 * n : n, y, &a, x, &b, squares);
}

int run_ask_size(struct run *r)
{
	return run_ask_dot(r, r->n, r->x, r->x);
}

void run_told_size(struct run *r, int place)
{
	r->size2 = run_told(r, place);
}

void run_told_bound(struct run *r, double bound)
{
	if (bound < ((8 == dtype_unit(r->type)) ? 1e150 : 1e37))
		r->size2 = bound * bound;
}

int run_ask_data(struct run *r, void *slope, const void *Ax)
{
	const struct iter_problem *p = r->p;

	if (NULL != p->data) {
		const int place = run_ask_value(r, p->data, Ax);

		functional_gradient(p->data, slope, Ax);

		return place;
	}

	vec_axpby(r->type, r->m, slope, 1., Ax, -1., p->y);

	const int place = run_ask_weighted(r, p->W, r->m, slope);

	if (NULL != p->W)
		weights_apply(p->W, r->type, r->m, slope, slope);

	return place;
}

double run_told_data(struct run *r, int place)
{
	const double value = run_told(r, place);

	if (NULL != r->p->data)
		return value;

	r->residual = sqrt(value);

	return 0.5 * value;
}

double run_data(struct run *r, void *slope, const void *Ax)
{
	const int place = run_ask_data(r, slope, Ax);

	run_fetch(r);

	return run_told_data(r, place);
}

double run_smooth(struct run *r, void *slope, void *Ax, const void *x)
{
	linop_forward(r->p->A, Ax, x);

	return run_smooth_at(r, slope, Ax, x);
}

/** B_i x: x itself without an operator. */
static const void *argument(struct run *r, int i, const void *x)
{
	void *z = r->z[r->alg->terms * r->p->terms + i];

	if (NULL == r->p->term[i].B)
		return x;

	linop_forward(r->p->term[i].B, z, x);

	return z;
}

int run_ask_terms(struct run *r, const void *x, bool smooth)
{
	int first = -1;

	for (int i = 0; i < r->p->terms; i++)
		if (smooth == is_smooth(r, i)) {
			const int place = run_ask_value(r, r->p->term[i].g, argument(r, i, x));

			first = (first < 0) ? place : first;
		}

	return first;
}

double run_told_terms(const struct run *r, int place, bool smooth)
{
	double sum = 0;

	for (int i = 0; i < r->p->terms; i++)
		if (smooth == is_smooth(r, i)) {
			const double value = run_told(r, place++);

			sum += (isinf(value) && (r->alg->takes & TAKES_TERMS)) ? 0. : value;
		}

	return sum;
}

double run_terms(struct run *r, const void *x, bool smooth)
{
	const int place = run_ask_terms(r, x, smooth);

	run_fetch(r);

	return run_told_terms(r, place, smooth);
}

int run_ask_penalty(struct run *r, const void *x)
{
	return (r->p->lambda > 0.) ? run_ask_dot(r, r->n, x, x) : -1;
}

double run_told_penalty(const struct run *r, int place)
{
	return (place < 0) ? 0. : 0.5 * r->p->lambda * run_told(r, place);
}

double run_penalty(struct run *r, const void *x)
{
	const int place = run_ask_penalty(r, x);

	run_fetch(r);

	return run_told_penalty(r, place);
}

void run_penalty_slope(struct run *r, void *slope, const void *x)
{
	if (r->p->lambda > 0.)
		vec_axpy(r->type, r->n, slope, r->p->lambda, x);

	for (int i = 0; i < r->p->terms; i++) {
		const struct iter_term *t = &r->p->term[i];
		void *z = r->z[r->alg->terms * r->p->terms + i];

		if (!is_smooth(r, i))
			continue;

		functional_gradient(t->g, z, argument(r, i, x));

		if (NULL == t->B) {
			vec_axpy(r->type, r->n, slope, 1., z);
			continue;
		}

		linop_adjoint(t->B, r->back, z);
		vec_axpy(r->type, r->n, slope, 1., r->back);
	}
}

struct run_asked run_ask_smooth_at(struct run *r, void *slope, void *Ax, const void *x)
{
	struct run_asked a = {.data = run_ask_data(r, Ax, Ax)};

	linop_adjoint(r->p->A, slope, Ax);
	run_penalty_slope(r, slope, x);
	a.penalty = run_ask_penalty(r, x);
	a.terms = run_ask_terms(r, x, true);

	return a;
}

double run_told_smooth(struct run *r, const struct run_asked *a)
{
	return run_told_data(r, a->data) + run_told_penalty(r, a->penalty) +
	       run_told_terms(r, a->terms, true);
}

double run_smooth_at(struct run *r, void *slope, void *Ax, const void *x)
{
	const struct run_asked a = run_ask_smooth_at(r, slope, Ax, x);

	run_fetch(r);

	return run_told_smooth(r, &a);
}

void run_slope_at(struct run *r, void *slope, void *Ax, const void *x)
{
	const struct iter_problem *p = r->p;

	if (NULL != p->data) {
		functional_gradient(p->data, Ax, Ax);
	} else {
		vec_axpby(r->type, r->m, Ax, 1., Ax, -1., p->y);

		if (NULL != p->W)
			weights_apply(p->W, r->type, r->m, Ax, Ax);
	}

	linop_adjoint(p->A, slope, Ax);
	run_penalty_slope(r, slope, x);
}

const struct functional *run_prox_term(const struct run *r)
{
	for (int i = 0; i < r->p->terms; i++)
		if (!is_smooth(r, i))
			return r->p->term[i].g;

	return NULL;
}

int run_ask_prox(struct run *r, double gamma, void *dst, const void *src)
{
	const struct functional *g = run_prox_term(r);

	if (NULL != g) {
		functional_prox(g, gamma, dst, src);

		return run_ask_value(r, g, dst);
	}

	if (dst != src)
		vec_copy(r->type, r->n, dst, src);

	return -1;
}

double run_told_prox(const struct run *r, int place)
{
	return (place < 0) ? 0. : run_told(r, place);
}

double run_prox(struct run *r, double gamma, void *dst, const void *src)
{
	const int place = run_ask_prox(r, gamma, dst, src);

	run_fetch(r);

	return run_told_prox(r, place);
}
