/*
 * Primal-dual methods for d(A x) + lambda/2 |x|^2 + sum_i g_i(B_i x). A term without an operator is taken by
 * the step of x itself; every other block has a dual vector. PDHG [1] knows d by the proximal operator of its
 * conjugate too; Condat and Vu's method [2] takes the gradient of all that is differentiable.
 * [1] A. Chambolle and T. Pock, A first-order primal-dual algorithm for convex problems with applications to
 * imaging, J. Math. Imaging Vis. 40, 2011. [2] L. Condat, A primal-dual splitting method for convex
 * optimization involving Lipschitzian, proximable and linear composite terms, JOTA 158, 2013.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "misc/error.h"
#include "num/flpmath.h"

enum { BAR, SUM, LAST, TMP }; // of the domain: 2 x - last x; what the duals give; last x
enum { AX, LAST_AX, WORK, DUAL };
enum { TERM_DUAL, TERM_WORK };
enum { TAU, SIGMA, NORMS }; // steps; squared norms of A and of the terms' operators

/* Step of the dual of least squares, unless the step of x is given: the conjugate is curved by 1, and rays
 * and voxels are then about equally fast (tried on noisy and on few views). */
static const double DATA_STEP = 0.1;

static void **of_term(const struct run *r, int vector, int term)
{
	return &r->z[vector * r->p->terms + term];
}

static bool by_gradient(const struct run *r, int i)
{
	return (r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(r->p->term[i].g);
}

/** The term that the step of x takes; -1: none. */
static int primal_term(const struct run *r)
{
	for (int i = 0; i < r->p->terms; i++)
		if (NULL == r->p->term[i].B && !by_gradient(r, i))
			return i;

	return -1;
}

static bool is_dual(const struct run *r, int i)
{
	return i != primal_term(r) && !by_gradient(r, i);
}

/** Squared norms of the operators that have duals, into s[NORMS + 1 + term]; returns how many there are. */
static int term_norms(struct run *r)
{
	int blocks = 0;

	if (r->p->terms >= RUN_NUMBERS - NORMS)
		error("%s takes up to %d terms, found %d", r->alg->name, RUN_NUMBERS - NORMS - 1,
		        r->p->terms);

	for (int i = 0; i < r->p->terms; i++)
		if (is_dual(r, i)) {
			const double b = operator_norm(r->p->term[i].B);

			r->s[NORMS + 1 + i] = (b > 0.) ? b * b : 1.;
			blocks++;
		}

	return blocks;
}

/** |a - b|^2, in a. */
static double moved(enum dtype t, long n, void *a, const void *b)
{
	vec_axpby(t, n, a, 1., a, -1., b);

	return vec_dot(t, n, a, a);
}

static void swap(void **a, void **b)
{
	void *t = *a;

	*a = *b;
	*b = t;
}

/** The dual of term i after a step along B x bar; returns how far it moved, squared, in units of its step.
 * Each block's step is sigma / |B|^2: operators count as if all had norm 1 (T. Pock and A. Chambolle,
 * Diagonal preconditioning for first order primal-dual algorithms, ICCV 2011). */
static double term_step(struct run *r, int i)
{
	const struct iter_term *t = &r->p->term[i];
	const double norm2 = r->s[NORMS + 1 + i], sigma = r->s[SIGMA] / norm2;
	const long n = functional_size(t->g);
	void **q = of_term(r, TERM_DUAL, i), **z = of_term(r, TERM_WORK, i);
	void *tmp = r->z[r->alg->terms * r->p->terms + i];

	if (NULL == t->B)
		vec_copy(r->type, n, tmp, r->v[BAR]);
	else
		linop_forward(t->B, tmp, r->v[BAR]);

	vec_axpby(r->type, n, tmp, sigma, tmp, 1., *q);
	functional_prox_conjugate(t->g, sigma, *z, tmp);

	const double d = moved(r->type, n, *q, *z);

	swap(q, z);

	return d * norm2;
}

/** The same for the data, along w[WORK] = A x bar: (p + sigma (A x bar - y)) / (1 + sigma) for least squares.
 */
static double data_step(struct run *r)
{
	const double norm2 = r->s[NORMS], sigma = r->s[SIGMA] / norm2;

	vec_axpby(r->type, r->m, r->w[WORK], sigma, r->w[WORK], 1., r->w[DUAL]);

	if (NULL != r->p->data) {
		functional_prox_conjugate(r->p->data, sigma, r->w[DUAL + 1], r->w[WORK]);
		swap(&r->w[WORK], &r->w[DUAL + 1]);
	} else {
		vec_axpy(r->type, r->m, r->w[WORK], -sigma, r->p->y);
		vec_scale(r->type, r->m, r->w[WORK], 1. / (1. + sigma));
	}

	const double d = moved(r->type, r->m, r->w[DUAL], r->w[WORK]);

	swap(&r->w[DUAL], &r->w[WORK]);

	return d * norm2;
}

/** v[SUM] += B_i' q_i of the terms. */
static void add_terms(struct run *r)
{
	for (int i = 0; i < r->p->terms; i++) {
		if (!is_dual(r, i))
			continue;

		const void *q = *of_term(r, TERM_DUAL, i);

		if (NULL != r->p->term[i].B) {
			linop_adjoint(r->p->term[i].B, r->v[TMP], q);
			q = r->v[TMP];
		}

		vec_axpy(r->type, r->n, r->v[SUM], 1., q);
	}
}

/** x = prox of tau (penalty + g) at v[BAR], v[BAR] = 2 x - last x; returns how far x moved, squared. */
static double primal_step(struct run *r, double tau, double lambda)
{
	const int i = primal_term(r);
	const double shrink = 1. / (1. + tau * lambda);

	vec_copy(r->type, r->n, r->v[LAST], r->x);

	if (lambda > 0.)
		vec_scale(r->type, r->n, r->v[BAR], shrink);

	if (i < 0)
		vec_copy(r->type, r->n, r->x, r->v[BAR]);
	else
		functional_prox(r->p->term[i].g, tau * shrink, r->x, r->v[BAR]);

	vec_axpby(r->type, r->n, r->v[BAR], 2., r->x, -1., r->v[LAST]);
	swap(&r->w[AX], &r->w[LAST_AX]);
	linop_forward(r->p->A, r->w[AX], r->x);

	return moved(r->type, r->n, r->v[LAST], r->x);
}

/** What x is worth; w[WORK] is used. */
static void evaluate(struct run *r)
{
	double d;

	if (NULL != r->p->data) {
		d = functional_value(r->p->data, r->w[AX]);
	} else {
		vec_axpby(r->type, r->m, r->w[WORK], 1., r->w[AX], -1., r->p->y);
		d = 0.5 * weights_norm2(r->p->W, r->type, r->m, r->w[WORK]);
		r->residual = sqrt(2. * d);
	}

	r->objective = d + run_penalty(r, r->x) + run_terms(r, r->x, true) + run_terms(r, r->x, false);
}

static void begin_pdhg(struct run *r)
{
	const double a = operator_norm(r->p->A);
	const int blocks = 1 + term_norms(r);

	r->s[NORMS] = (a > 0.) ? a * a : 1.;
	linop_forward(r->p->A, r->w[AX], r->x);
	evaluate(r);
	r->minimum = 0. == a && 1 == blocks && r->p->terms == 0;

	// tau sum sigma_i |B_i|^2 < 1, all blocks alike
	const double curved = (NULL != r->p->data && functional_is_smooth(r->p->data))
	                              ? functional_lipschitz(r->p->data)
	                              : 1.;
	const double data = DATA_STEP * ((isfinite(curved) && curved > 0.) ? curved : 1.);

	r->s[TAU] = (r->conf->step > 0.) ? r->conf->step : 0.98 / (blocks * data * r->s[NORMS]);
	r->s[SIGMA] = 0.98 / (blocks * r->s[TAU]);
}

static void pdhg(struct run *r)
{
	const double tau = r->s[TAU], sigma = r->s[SIGMA];

	vec_axpby(r->type, r->n, r->v[BAR], 1., r->x, -tau, r->v[SUM]);

	const double primal = primal_step(r, tau, r->p->lambda);
	double dual = 0;

	evaluate(r);
	vec_axpby(r->type, r->m, r->w[WORK], 2., r->w[AX], -1., r->w[LAST_AX]);
	dual += data_step(r);

	for (int i = 0; i < r->p->terms; i++)
		if (is_dual(r, i))
			dual += term_step(r, i);

	linop_adjoint(r->p->A, r->v[SUM], r->w[DUAL]);
	add_terms(r);
	r->step = tau;
	r->gradient = sqrt(primal / (tau * tau) + dual / (sigma * sigma));
	r->minimum = 0. == r->gradient;
}

const struct algorithm algorithm_pdhg = {
        .name = "pdhg",
        .about = "the primal-dual hybrid gradient method (Chambolle and Pock 2011)",
        .takes = TAKES_LAMBDA | TAKES_DATA_PROX | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = 4,
        .projections = 5,
        .terms = 2,
        .begin = begin_pdhg,
        .iterate = pdhg,
};

static void begin_condat(struct run *r)
{
	const double L = run_lipschitz(r, r->v[BAR], r->w[WORK]);
	const int blocks = term_norms(r);

	if (!isfinite(L))
		error("%s: the curvature of the objective has no known bound: give a step", r->alg->name);

	linop_forward(r->p->A, r->w[AX], r->x);
	evaluate(r);
	r->minimum = 0. == L && 0 == r->p->terms;

	// 1 / tau - sum sigma_i |B_i|^2 >= L / 2
	r->s[SIGMA] = (blocks > 0) ? ((L > 0.) ? 0.5 * L : 1.) / blocks : 1.;
	r->s[TAU] = 0.99 / (((L > 0.) ? 0.5 * L : 1.) + r->s[SIGMA] * blocks);
}

static void condat(struct run *r)
{
	const double tau = r->s[TAU], sigma = r->s[SIGMA];
	double dual = 0;

	vec_copy(r->type, r->m, r->w[WORK], r->w[AX]);
	run_smooth_at(r, r->v[SUM], r->w[WORK], r->x);
	add_terms(r);
	vec_axpby(r->type, r->n, r->v[BAR], 1., r->x, -tau, r->v[SUM]);

	const double primal = primal_step(r, tau, 0.);

	for (int i = 0; i < r->p->terms; i++)
		if (is_dual(r, i))
			dual += term_step(r, i);

	r->residual = NAN;
	evaluate(r);
	r->step = tau;
	r->gradient = sqrt(primal / (tau * tau) + dual / (sigma * sigma));
	r->minimum = 0. == r->gradient;
}

const struct algorithm algorithm_condat = {
        .name = "condat-vu",
        .about = "the primal-dual splitting of Condat (2013) and Vu: gradients of what is differentiable",
        .takes = TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA | TAKES_SMOOTH | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = 4,
        .projections = 3,
        .terms = 2,
        .begin = begin_condat,
        .iterate = condat,
};
