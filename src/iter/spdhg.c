/*
 * The stochastic primal-dual hybrid gradient method for sum_j d_j(A_j x) + lambda/2 |x|^2 + sum_i g_i(B_i x):
 * each step looks at one subset of the views or at one term. An iteration uses as many subsets as there are,
 * in the order asked for; terms come in between, half of all steps. A. Chambolle, M. J. Ehrhardt, P.
 * Richtarik, C.-B. Schoenlieb, Stochastic primal-dual hybrid gradient algorithm with arbitrary sampling and
 * imaging applications, SIAM J. Optim. 28(4), 2018, algorithm 1.
 */

#include <math.h>

#include "iter/primal_dual.h"
#include "linops/norm.h"
#include "num/flpmath.h"

enum { AHEAD = PD_VOLUMES, VOLUMES };   // v[PD_SUM] + the last change over its probability
enum { DUAL, WORK, NEXT, PROJECTIONS }; // DUAL: subset after subset

/* As in pdhg: the step of the dual of least squares, curved by 1. */
static const double DATA_STEP = 0.1;

static int dual_terms(const struct run *r)
{
	int n = 0;

	for (int i = 0; i < r->p->terms; i++)
		n += pd_is_dual(r, i) ? 1 : 0;

	return n;
}

/** Number k of those that have duals. */
static int dual_term(const struct run *r, int k)
{
	int i = 0;

	for (; !pd_is_dual(r, i) || k-- > 0; i++)
		;

	return i;
}

/** Probabilities that a step takes the terms, or this subset. */
static double term_share(const struct run *r)
{
	return (dual_terms(r) > 0) ? 0.5 : 0.;
}

static double subset_share(const struct run *r)
{
	return (1. - term_share(r)) / run_subsets(r);
}

/** Where the dual of the subset begins that this step uses. */
static void *dual_of(const struct run *r, int i)
{
	size_t at = 0;

	for (int j = 0; 0 < r->p->subsets && j < r->order[i]; j++)
		at += (size_t)linop_codomain_size(r->p->subset[j].A);

	return (char *)r->w[DUAL] + at * dtype_size(r->type);
}

/** v[PD_SUM] less v[PD_TMP], which a step with this probability changed. */
static void change(struct run *r, double probability)
{
	vec_axpy(r->type, r->n, r->v[PD_SUM], -1., r->v[PD_TMP]);
	vec_axpby(r->type, r->n, r->v[AHEAD], 1., r->v[PD_SUM], -1. / probability, r->v[PD_TMP]);
}

/** w[WORK] = A_j x of this subset; asks for d_j of it. */
static int ask_project(struct run *r, const struct iter_subset *s)
{
	const long m = linop_codomain_size(s->A);

	linop_forward(s->A, r->w[WORK], r->x);

	if (NULL != s->data)
		return run_ask_value(r, s->data, r->w[WORK]);

	vec_axpby(r->type, m, r->w[NEXT], 1., r->w[WORK], -1., s->y);

	return run_ask_dot(r, m, r->w[NEXT], r->w[NEXT]);
}

static double told_project(const struct run *r, const struct iter_subset *s, int place)
{
	const double d = run_told(r, place);

	return (NULL == s->data) ? 0.5 * d : isinf(d) ? NAN : d; // allowed in the limit only
}

/** The dual of subset i after a step along A_i x; asks for d_i(A_i x) and, behind it, for how far it moved,
 * squared, in units of its step. */
static int ask_data_step(struct run *r, int i)
{
	const struct iter_subset s = run_subset(r, i);
	const long m = linop_codomain_size(s.A);
	const double sigma = 0.98 * subset_share(r) / (r->s[PD_TAU] * r->s[PD_NORMS]);
	void *dual = dual_of(r, i);

	const int project = ask_project(r, &s);

	vec_axpby(r->type, m, r->w[WORK], sigma, r->w[WORK], 1., dual);

	if (NULL != s.data) {
		functional_prox_conjugate(s.data, sigma, r->w[NEXT], r->w[WORK]);
	} else {
		vec_axpby(r->type, m, r->w[NEXT], 1. / (1. + sigma), r->w[WORK], -sigma / (1. + sigma), s.y);
	}

	pd_ask_moved(r, m, dual, r->w[NEXT]);
	linop_adjoint(s.A, r->v[PD_TMP], dual);
	vec_copy(r->type, m, dual, r->w[NEXT]);
	change(r, subset_share(r));

	return project;
}

/** The same for term i, without a value. */
static int ask_term_step(struct run *r, int i)
{
	const double share = term_share(r) / dual_terms(r);

	vec_copy(r->type, r->n, r->v[PD_BAR], r->x);

	const int moved = pd_ask_term_step(r, i, r->s[PD_SIGMA]);

	if (NULL == r->p->term[i].B)
		vec_copy(r->type, r->n, r->v[PD_TMP], *pd_of_term(r, PD_NEXT, i));
	else
		linop_adjoint(r->p->term[i].B, r->v[PD_TMP], *pd_of_term(r, PD_NEXT, i));

	change(r, share);

	return moved;
}

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
	run_told_size(r, a->size);
}

static void begin(struct run *r)
{
	double data = 0., curved = 0.;

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = (r->p->subsets > 0) ? r->p->subset[i] : run_subset(r, i);
		const double a = linop_norm(s.A);

		r->s[PD_NORMS] = fmax(r->s[PD_NORMS], a * a);

		const int place = ask_project(r, &s);

		run_fetch(r);
		data += told_project(r, &s, place);
		curved = fmax(curved, pd_data_curvature(r, s.data, linop_codomain_size(s.A), r->w[WORK],
		                              r->w[NEXT], r->w[DUAL]));
	}

	vec_clear(r->type, r->m, r->w[DUAL]);

	const int terms = pd_term_norms(r);

	r->minimum = 0. == r->s[PD_NORMS] && 0 == r->p->terms;
	r->s[PD_NORMS] = (r->s[PD_NORMS] > 0.) ? r->s[PD_NORMS] : 1.;

	// tau sigma_j |A_j|^2 < the probability of j
	r->s[PD_TAU] = (r->conf->step > 0.) ? r->conf->step
	                                    : 0.98 * subset_share(r) / (DATA_STEP * curved * r->s[PD_NORMS]);
	r->s[PD_SIGMA] = 0.98 * ((terms > 0) ? term_share(r) / terms : 1.) / r->s[PD_TAU];

	const struct asked value = ask_evaluate(r);

	run_fetch(r);
	told_evaluate(r, &value, data);
}

/** What step number `draw` of this iteration takes: a term, or -1 for the next subset. */
static int drawn(const struct run *r, long draw)
{
	const double coin = sampler_coin(r->conf->seed, r->k, draw), share = term_share(r);
	const int n = dual_terms(r);

	return (coin < share) ? dual_term(r, (int)(coin / share * n)) : -1;
}

/** Steps until every subset had its turn. */
static long draws(const struct run *r)
{
	long n = 0;

	for (int left = run_subsets(r); left > 0; n++)
		left -= drawn(r, n) < 0;

	return n;
}

/** The data's part of the objective is what the steps met on their way. */
static void iterate(struct run *r)
{
	const double tau = r->s[PD_TAU];
	const long steps = draws(r);
	double primal = 0., dual = 0., data = 0.;
	int subset = 0, place = -1;

	run_ask_up_to(r, 3 * steps + 2 + r->p->terms);

	for (long k = 0; k < steps; k++) {
		const int term = drawn(r, k);

		vec_axpby(r->type, r->n, r->v[PD_BAR], 1., r->x, -tau, r->v[AHEAD]);

		const int moved = pd_ask_primal_step(r, tau, r->p->lambda);

		place = (place < 0) ? moved : place;

		if (term < 0)
			ask_data_step(r, subset++);
		else
			ask_term_step(r, term);
	}

	const struct asked value = ask_evaluate(r);

	run_fetch(r);
	subset = 0;

	for (long k = 0; k < steps; k++) { // numbers in the order in which they were asked for
		const int term = drawn(r, k);

		primal += run_told(r, place++);

		if (term < 0) {
			const struct iter_subset s = run_subset_at(r, run_subset_number(r, subset++));

			data += told_project(r, &s, place++);
			dual += run_told(r, place++) * r->s[PD_NORMS];
		} else {
			dual += pd_told_term_step(r, term, place++);
		}
	}

	told_evaluate(r, &value, data);
	pd_settle(r, primal, dual);
	r->minimum = false; // what was not drawn may move yet
}

const struct algorithm algorithm_spdhg = {
        .name = "spdhg",
        .about = "the stochastic primal-dual hybrid gradient method: a subset of the views or a term at a "
                 "time "
                 "(Chambolle et al. 2018)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_LAMBDA | TAKES_DATA_PROX | TAKES_TERMS | TAKES_SUBSETS |
                 TAKES_COMPLEX,
        .volumes = VOLUMES,
        .projections = PROJECTIONS,
        .terms = PD_TERMS,
        .order = SAMPLER_SHUFFLE,
        .begin = begin,
        .iterate = iterate,
};
