/* What primal-dual methods share. */

#include <math.h>

#include "iter/primal_dual.h"

#include "misc/error.h"
#include "linops/norm.h"
#include "num/flpmath.h"

void **pd_of_term(const struct run *r, int vector, int i)
{
	return &r->z[vector * r->p->terms + i];
}

static bool by_gradient(const struct run *r, int i)
{
	return (r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(r->p->term[i].g);
}

int pd_primal_term(const struct run *r)
{
	for (int i = 0; i < r->p->terms; i++)
		if (NULL == r->p->term[i].B && !by_gradient(r, i))
			return i;

	return -1;
}

bool pd_is_dual(const struct run *r, int i)
{
	return i != pd_primal_term(r) && !by_gradient(r, i);
}

int pd_term_norms(struct run *r)
{
	int blocks = 0;

	if (r->p->terms >= RUN_NUMBERS - PD_NORMS)
		error("%s takes up to %d terms, found %d", r->alg->name, RUN_NUMBERS - PD_NORMS - 1,
		        r->p->terms);

	for (int i = 0; i < r->p->terms; i++)
		if (pd_is_dual(r, i)) {
			const double b = linop_norm(r->p->term[i].B);

			r->s[PD_NORMS + 1 + i] = (b > 0.) ? b * b : 1.;
			blocks++;
		}

	return blocks;
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

int pd_ask_primal_step(struct run *r, double tau, double lambda)
{
	const int i = pd_primal_term(r);
	const double shrink = 1. / (1. + tau * lambda);

	vec_copy(r->type, r->n, r->v[PD_LAST], r->x);

	if (lambda > 0.)
		vec_scale(r->type, r->n, r->v[PD_BAR], shrink);

	if (i < 0)
		vec_copy(r->type, r->n, r->x, r->v[PD_BAR]);
	else
		functional_prox(r->p->term[i].g, tau * shrink, r->x, r->v[PD_BAR]);

	vec_axpby(r->type, r->n, r->v[PD_BAR], 2., r->x, -1., r->v[PD_LAST]);

	return pd_ask_moved(r, r->n, r->v[PD_LAST], r->x);
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

double pd_curvature(struct run *r)
{
	const double L = run_lipschitz(r, r->v[PD_BAR], r->w[PD_WORK]);

	if (isfinite(L))
		return L;

	if (!(r->conf->step > 0.))
		run_expect_bound(r, L);

	return 0.;
}
