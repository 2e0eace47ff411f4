/*
 * The stochastic primal-dual hybrid gradient method for sum_s d_s(A_s x) + lambda/2 |x|^2 + sum_i g_i(B_i x):
 * each step uses every term and one of n subsets of the views, all of them in turn in the chosen order. A.
 * Chambolle, M. J. Ehrhardt, P. Richtarik, C.-B. Schoenlieb, Stochastic primal-dual hybrid gradient algorithm
 * with arbitrary sampling and imaging applications, SIAM J. Optim. 28(4), 2018, algorithm 1; terms are blocks
 * of probability 1.
 *
 * Steps are diagonal (T. Pock, A. Chambolle, Diagonal preconditioning for first order primal-dual algorithms,
 * ICCV 2011) and known without norms of A: w being what d is curved by at each ray and C = n max_s A_s'(w A_s
 * 1), rays step by kappa w, terms by c / |B_i|^2 with c = theta kappa mean(C), and voxels by 0.99 / (kappa C
 * + sum_i c). kappa has no unit, so that one value serves all data.
 */

#include <math.h>

#include "iter/algorithm/primal_dual.h"
#include "iter/monitor/gap.h"
#include "iter/step/diagonal.h"
#include "iter/step/tv_step.h"
#include "linops/norm.h"
#include "misc/error.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

/* z = A'p; it with what terms add, extrapolated; steps of x; x of before; how z moves. */
enum { SUM, AHEAD, STEP, LAST, TMP, VOLUMES };
enum { DUAL, RAYS, AX, NEXT, PROJECTIONS }; // subset after subset; RAYS: steps of the dual
enum { KAPPA, MEAN, TERMS }; // numbers: kappa; the mean step of voxels; from TERMS on the steps of terms

/* kappa where subsets have several views, or one: measured on sparse views, low counts, limited angles and a
 * measured scan, as theta is. */
static const double several = 0.15, single = 0.1, theta = 0.15;

static void *rows(const struct run *r, int vector, int subset)
{
	return run_subset_rows(r, r->w[vector], subset);
}

static int count_duals(const struct run *r)
{
	return r->p->terms - ((0 <= diagonal_primal_term(r)) ? 1 : 0);
}

/* ---- how large steps are ---- */

/** Whether every subset is one view. */
static bool by_view(const struct run *r)
{
	for (int s = 0; s < run_subsets(r); s++)
		if (1 < linop_codomain(run_subset_at(r, s).A)[2])
			return false;

	return true;
}

/** Steps of voxels, rays and terms. With --step, that of all voxels is given, and kappa as large as it
 * allows. */
static void choose_steps(struct run *r)
{
	const int duals = count_duals(r);
	const double most = diagonal_cover(r, r->w[RAYS], r->v[STEP], r->v[LAST], r->v[TMP], r->w[AX]);
	const double mean = diagonal_mean(r, r->v[STEP]), given = r->conf->step;

	r->minimum = 0. == most && 0 == duals && 0. == r->p->lambda;

	const double kappa = (given > 0.) ? 0.99 / (given * (fmax(most, mean) + duals * theta * mean))
	                     : by_view(r) ? single
	                                  : several;
	const double each = theta * kappa * mean;

	for (int i = 0; i < r->p->terms; i++) {
		const double norm = linop_norm(r->p->term[i].B);

		r->s[TERMS + i] = each / ((norm > 0.) ? norm * norm : 1.);
	}

	r->s[KAPPA] = kappa;
	vec_scale(r->type, r->m, r->w[RAYS], kappa);

	if (given > 0.)
		diagonal_fill(r, r->n, r->v[STEP], given);
	else
		diagonal_voxel_steps(r, r->v[STEP], r->v[STEP], kappa, duals * each);

	r->s[MEAN] = diagonal_mean(r, r->v[STEP]);
}

/* ---- steps ---- */

/** w[AX] = A_s x; asks for d_s of it. */
static int ask_project(struct run *r, const struct iter_subset *s)
{
	const long m = linop_codomain_size(s->A);

	linop_forward(s->A, r->w[AX], r->x);

	if (NULL != s->data)
		return run_ask_value(r, s->data, r->w[AX]);

	vec_axpby(r->type, m, r->w[NEXT], 1., r->w[AX], -1., s->y);

	return run_ask_weighted(r, s->W, m, r->w[NEXT]);
}

static double told_project(const struct run *r, const struct iter_subset *s, int place)
{
	const double d = run_told(r, place);

	return (NULL == s->data) ? 0.5 * d : isinf(d) ? NAN : d; // allowed in the limit only
}

/** A step of the dual of the i-th subset of this iteration; v[TMP] = how z moves with it. Asks for the value
 * of its data. */
static int ask_data_step(struct run *r, int i)
{
	const struct iter_subset s = run_subset(r, i);
	const int number = run_subset_number(r, i), place = ask_project(r, &s);
	const long m = linop_codomain_size(s.A);
	void *dual = rows(r, DUAL, number);

	diagonal_step_rays(r, &s, r->s[KAPPA], rows(r, RAYS, number), dual, r->w[AX], r->w[NEXT]);
	vec_axpy(r->type, m, dual, 1., r->w[NEXT]);
	linop_adjoint(s.A, r->v[TMP], r->w[NEXT]);

	return place;
}

/** How x and the duals of terms step. */
struct plan {
	int primal; // the term that the step of x takes; -1: none
	int swept;  // that whose dual steps in one pass with x; -1: none
	bool fused; // x steps in that pass
	bool more;  // other terms have duals
	struct tv_step step;
};

/** On the host, but where x takes a term with a step of each voxel. */
static struct plan choose_plan(const struct run *r)
{
	struct plan p = {.primal = diagonal_primal_term(r), .swept = -1};
	const struct functional *g = (p.primal < 0) ? NULL : r->p->term[p.primal].g;

	tv_step_of_numbers(&p.step, diagonal_type(r), diagonal_numbers(r, r->n));
	p.fused = !device_holds(r->x) && (NULL == g || functional_takes_any_step(g));

	for (int i = 0; p.fused && p.swept < 0 && i < r->p->terms; i++)
		if (i != p.primal && tv_step_of_term(&p.step, &r->p->term[i]))
			p.swept = i;

	for (int i = 0; i < r->p->terms; i++)
		p.more = p.more || (i != p.primal && i != p.swept);

	p.step.sigma = (p.swept < 0) ? 0. : r->s[TERMS + p.swept];
	p.step.ahead = run_subsets(r) + 1.;
	p.step.lambda = r->p->lambda;

	if (NULL != g && functional_is_bounds(g, &p.step.lo, &p.step.hi))
		p.primal = -1; // the pass takes them

	return p;
}

/** next = the prox of the conjugate of g at q: of sums of magnitudes without what roundings leave outside, so
 * that their conjugate is finite there. */
static void project(const struct run *r, const struct functional *g, double sigma, void *next, const void *q)
{
	const enum dtype t = r->type;
	struct functional_lengths l;
	struct md_chain f = {0};

	if (dtype_is_complex(t) || !functional_is_lengths(g, &l) || !l.apart) {
		functional_prox_conjugate(g, sigma, next, q);
		return;
	}

	const int x = chain_operand(&f, t), lo = chain_constant(&f, t, -l.factor),
	          hi = chain_constant(&f, t, l.factor);

	chain_op3(&f, OP_CLAMP, x, lo, hi);
	diagonal_pass(r, &f, functional_size(g), next, (const void *const[]){q});
}

/** v[AHEAD] += B'(2 q' - q) of a term, q being its dual before the step and q' after it. */
static void step_term(struct run *r, int i)
{
	const struct iter_term *t = &r->p->term[i];
	const long n = functional_size(t->g);
	const double sigma = r->s[TERMS + i];
	void **q = pd_of_term(r, PD_DUAL, i), **next = pd_of_term(r, PD_NEXT, i);
	void *tmp = r->z[r->alg->terms * r->p->terms + i];

	if (NULL != t->B)
		linop_forward(t->B, tmp, r->x);

	vec_axpby(r->type, n, tmp, 1., *q, sigma, (NULL == t->B) ? r->x : tmp);
	project(r, t->g, sigma, *next, tmp);
	vec_axpby(r->type, n, *q, 2., *next, -1., *q);

	if (NULL != t->B)
		linop_adjoint(t->B, r->v[TMP], *q);

	vec_axpy(r->type, r->n, r->v[AHEAD], 1., (NULL == t->B) ? *q : r->v[TMP]);
	pd_swap(q, next);
}

/** v[AHEAD] = z + (n + 1) v[TMP] + what the terms say, and z += v[TMP]. */
static void look_ahead(struct run *r, const struct plan *p)
{
	vec_axpby(r->type, r->n, r->v[AHEAD], 1., r->v[SUM], p->step.ahead, r->v[TMP]);
	vec_axpy(r->type, r->n, r->v[SUM], 1., r->v[TMP]);

	for (int i = 0; i < r->p->terms; i++)
		if (i != diagonal_primal_term(r) && i != p->swept)
			step_term(r, i);
}

/** Steps of the duals of terms, and of x along z + n v[TMP] and what terms add, v[TMP] being how z moves. */
static void step_voxels(struct run *r, const struct plan *p)
{
	const bool swept = 0 <= p->swept, ahead = p->more || !p->fused;

	if (ahead)
		look_ahead(r, p);

	if (!p->fused) {
		diagonal_step_voxels(r, r->v[STEP], r->v[AHEAD], r->p->lambda, r->v[TMP]);
		return;
	}

	tv_step(&p->step, r->x, ahead ? r->v[AHEAD] : r->v[SUM], ahead ? NULL : r->v[TMP], r->v[STEP],
	        swept ? *pd_of_term(r, PD_DUAL, p->swept) : NULL,
	        swept ? r->z[r->alg->terms * r->p->terms + p->swept] : NULL);

	if (0 <= p->primal)
		functional_prox(r->p->term[p->primal].g, 1., r->x, r->x);
}

/* ---- values ---- */

struct asked {
	int penalty, terms, size;
};

static struct asked ask_evaluate(struct run *r)
{
	struct asked a = {.penalty = run_ask_penalty(r, r->x)};

	a.terms = run_ask_terms(r, r->x, false);
	a.size = run_ask_size(r);

	return a;
}

static void told_evaluate(struct run *r, const struct asked *a, double data)
{
	r->objective = data + run_told_penalty(r, a->penalty) + run_told_terms(r, a->terms, false);
	r->residual = (NULL == r->p->data) ? sqrt(2. * data) : NAN;
	r->step = r->s[MEAN];
	run_told_size(r, a->size);
}

/** Of x as it is: one projection. */
static void evaluate(struct run *r)
{
	double data = 0.;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset_at(r, i);
		const int place = ask_project(r, &s);

		run_fetch(r);
		data += told_project(r, &s, place);
	}

	const struct asked value = ask_evaluate(r);

	run_fetch(r);
	told_evaluate(r, &value, data);
}

/** The conjugates of the data and of the terms with duals. */
static double conjugates(const struct run *r)
{
	const int primal = diagonal_primal_term(r);
	double sum = 0.;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset_at(r, i);
		const void *p = rows(r, DUAL, i);

		sum += (NULL != s.data) ? functional_conjugate(s.data, p)
		                        : gap_of_squares(r, linop_codomain_size(s.A), p, s.y,
		                                  rows(r, RAYS, i), r->s[KAPPA]);
	}

	for (int i = 0; i < r->p->terms; i++)
		if (i != primal)
			sum += functional_conjugate(r->p->term[i].g, *pd_of_term(r, PD_DUAL, i));

	return sum;
}

/** v[TMP] = A'p + sum B_i'q_i. */
static void collect(struct run *r)
{
	vec_copy(r->type, r->n, r->v[TMP], r->v[SUM]);

	for (int i = 0; i < r->p->terms; i++) {
		const struct linop *B = r->p->term[i].B;
		const void *q = *pd_of_term(r, PD_DUAL, i);

		if (i == diagonal_primal_term(r))
			continue;

		if (NULL != B)
			linop_adjoint(B, r->v[AHEAD], q);

		vec_axpy(r->type, r->n, r->v[TMP], 1., (NULL != B) ? r->v[AHEAD] : q);
	}
}

/** Unknown where x takes a term that is not bounds. */
static double gap(struct run *r, double *objective)
{
	const struct run_values met = {r->residual, r->objective, r->gradient, r->step};
	const int primal = diagonal_primal_term(r);
	double lo = -INFINITY, hi = INFINITY;

	evaluate(r);
	*objective = r->objective;
	r->residual = met.residual;
	r->objective = met.objective;

	if (0 <= primal && !functional_is_bounds(r->p->term[primal].g, &lo, &hi))
		return NAN;

	collect(r);

	return *objective + conjugates(r) - gap_near(r, lo, hi, r->x, r->v[TMP]);
}

static void spdhg_begin(struct run *r)
{
	if (r->p->terms > RUN_NUMBERS - TERMS)
		error("%s supports up to %d terms, found %d", r->alg->name, RUN_NUMBERS - TERMS, r->p->terms);

	diagonal_weigh(r, r->w[RAYS]);
	choose_steps(r);
	evaluate(r);
}

/** The data's part of the objective is what the steps met on their way. */
static void spdhg_iterate(struct run *r)
{
	const struct plan plan = choose_plan(r);
	const int n = run_subsets(r);
	double data = 0.;
	int place = -1;

	run_ask_up_to(r, n + 4 + r->p->terms);
	vec_copy(r->type, r->n, r->v[LAST], r->x);

	for (int s = 0; s < n; s++) {
		const int asked = ask_data_step(r, s);

		place = (place < 0) ? asked : place;
		step_voxels(r, &plan);
	}

	const struct asked value = ask_evaluate(r);
	const int moved = pd_ask_moved(r, r->n, r->v[LAST], r->x);

	run_fetch(r);

	for (int s = 0; s < n; s++) { // in the order in which they were asked for
		const struct iter_subset part = run_subset_at(r, run_subset_number(r, s));

		data += told_project(r, &part, place++);
	}

	told_evaluate(r, &value, data);
	r->gradient = sqrt(run_told(r, moved)) / r->s[MEAN];
}

/** w[AX] and w[NEXT] contain one subset at a time. The primal term has no dual, and that which steps in one
 * pass with x has no other after the step. */
static struct unwritten spdhg_unwritten(const struct run *r)
{
	const int primal = diagonal_primal_term(r), swept = choose_plan(r).swept, n = run_subsets(r);
	struct unwritten u = {.projections = 2. * (1. - 1. / n), .subsets = 1 < n};

	for (int i = 0; i < r->p->terms; i++)
		if (i == primal || i == swept)
			u.terms +=
			        (double)functional_size(r->p->term[i].g) * (i == primal ? PD_TERMS + 1. : 1.);

	return u;
}

const struct algorithm algorithm_spdhg = {
        .name = "spdhg",
        .about = "the stochastic primal-dual hybrid gradient method: a subset of the views at a time "
                 "(Chambolle "
                 "et al. 2018)",
        .takes = ANYWHERE | CARRIES_ON | TAKES_STEP | TAKES_LAMBDA | TAKES_WEIGHTS | TAKES_DATA_PROX |
                 TAKES_TERMS | TAKES_SUBSETS | TAKES_COMPLEX,
        .volumes = VOLUMES,
        .projections = PROJECTIONS,
        .terms = PD_TERMS,
        .iterations = 50,
        .subsets = 30,
        .least_subsets = 10,
        .order = SAMPLER_SHUFFLE,
        .begin = spdhg_begin,
        .iterate = spdhg_iterate,
        .unwritten = spdhg_unwritten,
        .gap = gap,
};
