/* Shared by primal-dual methods. */

#include <math.h>

#include "iter/algorithm/primal_dual.h"
#include "iter/step/diagonal.h"

#include "misc/error.h"
#include "linops/norm.h"
#include "num/md/flpmath.h"

/* Steps of the duals of terms, as a part of the mean of C, of methods that take gradients. */
static const double share = 0.1;

void **pd_of_term(const struct run *r, int vector, int i)
{
	return &r->z[vector * r->p->terms + i];
}

static bool by_gradient(const struct run *r, int i)
{
	return (r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(r->p->term[i].g);
}

bool pd_is_diagonal(const struct run *r)
{
	if (STEPS_PLAIN == r->conf->steps || r->conf->step > 0.)
		return false;

	for (int i = 0; i < r->p->terms; i++)
		if (!functional_has_value(r->p->term[i].g) && !by_gradient(r, i))
			return false;

	return true;
}

int pd_primal_term(const struct run *r)
{
	if (pd_is_diagonal(r))
		return diagonal_primal_term(r);

	for (int i = 0; i < r->p->terms; i++)
		if (NULL == r->p->term[i].B && !by_gradient(r, i))
			return i;

	return -1;
}

bool pd_is_dual(const struct run *r, int i)
{
	return i != pd_primal_term(r) && !by_gradient(r, i);
}

int pd_blocks(const struct run *r)
{
	int blocks = 0;

	for (int i = 0; i < r->p->terms; i++)
		blocks += pd_is_dual(r, i);

	return blocks;
}

struct unwritten pd_unwritten(const struct run *r)
{
	struct unwritten u = {.volumes = pd_is_diagonal(r) ? 0. : 2.};

	for (int i = 0; i < r->p->terms; i++) {
		const struct iter_term *t = &r->p->term[i];

		if (!pd_is_dual(r, i)) // work space of values needs an operator
			u.terms += (double)functional_size(t->g) * (PD_TERMS + (NULL == t->B ? 1. : 0.));
	}

	return u;
}

void pd_term_norms(struct run *r)
{
	if (r->p->terms >= RUN_NUMBERS - PD_NORMS)
		error("%s supports up to %d terms, found %d", r->alg->name, RUN_NUMBERS - PD_NORMS - 1,
		        r->p->terms);

	for (int i = 0; i < r->p->terms; i++) {
		const double b = linop_norm(r->p->term[i].B);

		r->s[PD_NORMS + 1 + i] = (b > 0.) ? b * b : 1.;
	}
}

int pd_ask_moved(struct run *r, long n, void *a, const void *b)
{
	vec_axpby(r->type, n, a, 1., a, -1., b);

	return run_ask_dot(r, n, a, a);
}

void pd_swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

int pd_ask_term_step(struct run *r, int i, double sigma)
{
	const struct iter_term *t = &r->p->term[i];
	const long n = functional_size(t->g);
	void **q = pd_of_term(r, PD_DUAL, i), **next = pd_of_term(r, PD_NEXT, i);
	void *tmp = r->z[r->alg->terms * r->p->terms + i];

	sigma /= r->s[PD_NORMS + 1 + i];

	if (NULL == t->B)
		vec_copy(r->type, n, tmp, r->v[PD_BAR]);
	else
		linop_forward(t->B, tmp, r->v[PD_BAR]);

	vec_axpby(r->type, n, tmp, sigma, tmp, 1., *q);
	functional_prox_conjugate(t->g, sigma, *next, tmp);

	const int place = pd_ask_moved(r, n, *q, *next);

	pd_swap(q, next);

	return place;
}

double pd_told_term_step(const struct run *r, int i, int place)
{
	return run_told(r, place) * r->s[PD_NORMS + 1 + i];
}

int pd_ask_term_steps(struct run *r)
{
	int first = -1;

	for (int i = 0; i < r->p->terms; i++)
		if (pd_is_dual(r, i)) {
			const int place = pd_ask_term_step(r, i, r->s[PD_SIGMA]);

			first = (first < 0) ? place : first;
		}

	return first;
}

double pd_told_term_steps(const struct run *r, int place)
{
	double sum = 0.;

	for (int i = 0; i < r->p->terms; i++)
		if (pd_is_dual(r, i))
			sum += pd_told_term_step(r, i, place++);

	return sum;
}

void pd_add_terms(struct run *r)
{
	for (int i = 0; i < r->p->terms; i++) {
		if (!pd_is_dual(r, i))
			continue;

		const void *q = *pd_of_term(r, PD_DUAL, i);

		if (NULL != r->p->term[i].B) {
			linop_adjoint(r->p->term[i].B, r->v[PD_TMP], q);
			q = r->v[PD_TMP];
		}

		vec_axpy(r->type, r->n, r->v[PD_SUM], 1., q);
	}
}

/** x = prox of tau (lambda/2 |x|^2 + the term of x) at x - tau v[PD_SUM]. */
static void step_alike(struct run *r, double lambda)
{
	const int i = pd_primal_term(r);
	const double tau = r->s[PD_TAU], shrink = 1. / (1. + tau * lambda);

	vec_axpby(r->type, r->n, r->v[PD_BAR], 1., r->x, -tau, r->v[PD_SUM]);

	if (lambda > 0.)
		vec_scale(r->type, r->n, r->v[PD_BAR], shrink);

	if (i < 0)
		vec_copy(r->type, r->n, r->x, r->v[PD_BAR]);
	else
		functional_prox(r->p->term[i].g, tau * shrink, r->x, r->v[PD_BAR]);
}

int pd_ask_primal_step(struct run *r, double lambda)
{
	const bool diagonal = pd_is_diagonal(r);

	vec_copy(r->type, r->n, r->v[PD_LAST], r->x);

	if (diagonal)
		diagonal_step_voxels(r, r->v[PD_STEP], r->v[PD_SUM], lambda, r->v[PD_TMP]);
	else
		step_alike(r, lambda);

	vec_axpby(r->type, r->n, r->v[PD_BAR], 2., r->x, -1., r->v[PD_LAST]);

	const int place = pd_ask_moved(r, r->n, r->v[PD_LAST], r->x);

	if (diagonal) {
		struct md_chain f = {0};

		chain_op2(
		        &f, OP_MUL, chain_operand(&f, diagonal_type(r)), chain_operand(&f, diagonal_type(r)));
		diagonal_pass(
		        r, &f, r->n, r->v[PD_TMP], (const void *const[]){r->v[PD_LAST], r->v[PD_COVER]});
		run_ask_dot(r, r->n, r->v[PD_LAST], r->v[PD_TMP]);
	}

	return place;
}

double pd_data_curvature(
        const struct run *r, const struct functional *data, long m, void *p, void *slope, void *more)
{
	const double step = 0.01;

	if (NULL == data || !functional_is_smooth(data))
		return 1.;

	const double L = functional_lipschitz(data), size = vec_dot(r->type, m, p, p);

	if (isfinite(L))
		return (L > 0.) ? L : 1.;

	functional_gradient(data, slope, p);
	vec_axpby(r->type, m, more, 1. + step, p, 0., p);
	functional_gradient(data, more, more);
	vec_axpy(r->type, m, more, -1., slope);

	const double curved = vec_dot(r->type, m, more, p) / (step * size);

	return (isfinite(curved) && curved > 0.) ? curved : 1.;
}

struct pd_asked pd_ask_evaluate(struct run *r)
{
	struct pd_asked a;

	if (NULL != r->p->data) {
		a.smooth.data = run_ask_value(r, r->p->data, r->w[PD_AX]);
	} else {
		vec_axpby(r->type, r->m, r->w[PD_WORK], 1., r->w[PD_AX], -1., r->p->y);
		a.smooth.data = run_ask_weighted(r, r->p->W, r->m, r->w[PD_WORK]);
	}

	a.smooth.penalty = run_ask_penalty(r, r->x);
	a.smooth.terms = run_ask_terms(r, r->x, true);
	a.terms = run_ask_terms(r, r->x, false);
	a.size = run_ask_size(r);

	return a;
}

void pd_told_evaluate(struct run *r, const struct pd_asked *a)
{
	double d = run_told(r, a->smooth.data);

	if (NULL != r->p->data) {
		d = isinf(d) ? NAN : d; // allowed in the limit only
	} else {
		d = 0.5 * d;
		r->residual = sqrt(2. * d);
	}

	r->objective = d + run_told_penalty(r, a->smooth.penalty) + run_told_terms(r, a->smooth.terms, true) +
	               run_told_terms(r, a->terms, false);
	run_told_size(r, a->size);
}

void pd_evaluate(struct run *r)
{
	const struct pd_asked a = pd_ask_evaluate(r);

	run_fetch(r);
	pd_told_evaluate(r, &a);
}

void pd_settle(struct run *r, double primal, double dual)
{
	const double tau = r->s[PD_TAU], sigma = r->s[PD_SIGMA];

	r->step = tau;
	r->gradient = sqrt(primal / (tau * tau) + dual / (sigma * sigma));
	r->minimum = 0. == r->gradient;
}

double pd_cover(struct run *r, const void *w, double more)
{
	const enum dtype t = diagonal_type(r);
	const double most = diagonal_cover(r, w, r->v[PD_COVER], r->v[PD_BAR], r->v[PD_TMP], r->w[PD_WORK]);
	struct md_chain f = {0};

	if (more > 0.) {
		const int c = chain_operand(&f, t), above = chain_constant(&f, t, more);

		chain_op2(&f, OP_ADD, c, above);
		diagonal_pass(r, &f, r->n, r->v[PD_COVER], (const void *const[]){r->v[PD_COVER]});
	}

	r->s[PD_MEAN] = diagonal_mean(r, r->v[PD_COVER]);

	return most + more;
}

void pd_choose_steps(struct run *r)
{
	const double kappa = r->s[PD_KAPPA], all = pd_blocks(r) * r->s[PD_SIGMA];

	diagonal_voxel_steps(r, r->v[PD_STEP], r->v[PD_COVER], kappa, all);
	r->s[PD_TAU] = 0.99 / (kappa * r->s[PD_MEAN] + all);
}

/** What a step is multiplied with where a dual moved so far, squared, and x: less and less, so that steps
 * settle. */
static double grow(const struct run *r, double dual, double primal)
{
	const double still = pow(0.97, (double)r->k), most = 1.15;

	if (0. == dual && 0. == primal)
		return 1.;

	return pow(fmin(fmax(pow(dual / primal, 0.25), 1. / most), most), still);
}

void pd_settle_each(struct run *r, int primal, double rays, double terms)
{
	const double plain = run_told(r, primal), covered = run_told(r, primal + 1);

	r->step = r->s[PD_TAU];
	r->gradient = sqrt(
	        (r->s[PD_KAPPA] * covered + pd_blocks(r) * r->s[PD_SIGMA] * plain) / 0.99 + rays + terms);
	r->minimum = 0. == r->gradient;
}

double pd_balance(struct run *r, int primal, double rays, double terms)
{
	const double plain = run_told(r, primal), covered = run_told(r, primal + 1);
	const double factor = isnan(rays) ? 1. : grow(r, rays, r->s[PD_KAPPA] * covered);

	r->s[PD_KAPPA] *= factor;
	r->s[PD_SIGMA] *= grow(r, terms, pd_blocks(r) * r->s[PD_SIGMA] * plain);
	pd_choose_steps(r);

	return factor;
}

double pd_curvature(struct run *r)
{
	const double L = run_lipschitz(r, r->v[PD_BAR], r->w[PD_WORK]);

	if (isfinite(L))
		return L;

	if (!(r->conf->step > 0.))
		run_expect_bound(r, L);

	return 0.;
}

void pd_settle_gradient(struct run *r, int primal, int dual)
{
	const double moved = pd_told_term_steps(r, dual);

	if (!pd_is_diagonal(r)) {
		pd_settle(r, run_told(r, primal), moved);
		return;
	}

	pd_settle_each(r, primal, 0., moved / r->s[PD_SIGMA]);
	pd_balance(r, primal, NAN, moved / r->s[PD_SIGMA]);
}

void pd_choose_by_gradient(struct run *r, double part)
{
	const struct functional *data = r->p->data;
	const double more = run_lipschitz_terms(r), L = (NULL == data) ? 1. : functional_lipschitz(data);

	pd_term_norms(r);
	run_expect_bound(r, L + more);
	diagonal_fill(r, r->m, r->w[PD_AX], L);
	weights_apply(r->p->W, r->type, r->m, r->w[PD_AX], r->w[PD_AX]);

	const double most = pd_cover(r, r->w[PD_AX], more);

	r->minimum = 0. == most && 0 == r->p->terms;
	r->s[PD_KAPPA] = part;
	r->s[PD_SIGMA] = share * r->s[PD_MEAN];
	pd_choose_steps(r);
}
