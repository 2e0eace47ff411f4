/*
 * The alternating direction method of multipliers for 1/2 |A x - y|^2_W + lambda/2 |x|^2 + sum_i g_i(B_i x),
 * z_i = B_i x: the least-squares problem of x by a few steps of conjugate gradients from the last x, or by
 * one gradient step (linearised); rho is balanced by the residuals. S. Boyd et al., Distributed optimization
 * and statistical learning via the alternating direction method of multipliers, Found. Trends Mach. Learn.
 * 3(1), 2011.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "misc/error.h"
#include "num/flpmath.h"

enum { AY, RESIDUAL, DIRECTION, HESSIAN, BACK };
enum { Z, U };
enum { RHO, L };
enum { INNER = 8 }; // steps of conjugate gradients

static void *of_term(const struct run *r, int vector, int term)
{
	return r->z[vector * r->p->terms + term];
}

static void *spare(const struct run *r, int term)
{
	return r->z[r->alg->terms * r->p->terms + term];
}

static void apply(const struct iter_term *t, enum dtype type, void *dst, const void *x)
{
	if (NULL == t->B)
		vec_copy(type, functional_size(t->g), dst, x);
	else
		linop_forward(t->B, dst, x);
}

/** out += a B_i' z. */
static void add_back(struct run *r, int i, void *out, double a, const void *z)
{
	if (NULL != r->p->term[i].B) {
		linop_adjoint(r->p->term[i].B, r->v[BACK], z);
		z = r->v[BACK];
	}

	vec_axpy(r->type, r->n, out, a, z);
}

/** out = (A'WA + lambda + rho sum B_i'B_i) x; returns <x, out>. */
static double hessian(struct run *r, void *out, const void *x)
{
	const struct iter_problem *p = r->p;

	linop_forward(p->A, r->w[0], x);

	if (NULL != p->W)
		weights_apply(p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(p->A, out, r->w[0]);

	if (p->lambda > 0.)
		vec_axpy(r->type, r->n, out, p->lambda, x);

	for (int i = 0; i < p->terms; i++) {
		apply(&p->term[i], r->type, spare(r, i), x);
		add_back(r, i, out, r->s[RHO], spare(r, i));
	}

	return vec_dot(r->type, r->n, x, out);
}

/** v[RESIDUAL] = A'Wy + rho sum B_i'(z_i - u_i) - H x. */
static void slope(struct run *r)
{
	hessian(r, r->v[HESSIAN], r->x);
	vec_axpby(r->type, r->n, r->v[RESIDUAL], 1., r->v[AY], -1., r->v[HESSIAN]);

	for (int i = 0; i < r->p->terms; i++) {
		vec_axpby(r->type, functional_size(r->p->term[i].g), spare(r, i), 1., of_term(r, Z, i), -1.,
		        of_term(r, U, i));
		add_back(r, i, r->v[RESIDUAL], r->s[RHO], spare(r, i));
	}
}

/** x: a few steps of conjugate gradients. */
static void solve(struct run *r)
{
	slope(r);
	vec_copy(r->type, r->n, r->v[DIRECTION], r->v[RESIDUAL]);

	double gamma = vec_dot(r->type, r->n, r->v[RESIDUAL], r->v[RESIDUAL]);
	const double first = gamma;

	for (int k = 0; k < INNER && gamma > 1e-12 * first; k++) {
		const double curved = hessian(r, r->v[HESSIAN], r->v[DIRECTION]);

		if (!(curved > 0.))
			break;

		vec_axpy(r->type, r->n, r->x, gamma / curved, r->v[DIRECTION]);
		vec_axpy(r->type, r->n, r->v[RESIDUAL], -gamma / curved, r->v[HESSIAN]);

		const double next = vec_dot(r->type, r->n, r->v[RESIDUAL], r->v[RESIDUAL]);

		vec_axpby(r->type, r->n, r->v[DIRECTION], 1., r->v[RESIDUAL], next / gamma, r->v[DIRECTION]);
		gamma = next;
	}
}

/** z_i = prox(B_i x + u_i), u_i += B_i x - z_i; adds the squared residuals |B x - z| and |z - last z|. */
static void split(struct run *r, int i, double *primal, double *dual)
{
	const struct iter_term *t = &r->p->term[i];
	const long n = functional_size(t->g);
	void *z = of_term(r, Z, i), *u = of_term(r, U, i), *v = spare(r, i);

	apply(t, r->type, v, r->x);
	vec_axpy(r->type, n, u, 1., v);
	vec_copy(r->type, n, v, z); // the last one
	functional_prox(t->g, 1. / r->s[RHO], z, u);
	vec_axpy(r->type, n, v, -1., z);
	*dual += vec_dot(r->type, n, v, v);
	apply(t, r->type, v, r->x);
	vec_axpy(r->type, n, u, -1., z);
	vec_axpy(r->type, n, v, -1., z);
	*primal += vec_dot(r->type, n, v, v);
}

static void evaluate(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	r->objective = run_data(r, r->w[0], r->w[0]) + run_penalty(r, r->x) + run_terms(r, r->x, false);
}

static void begin(struct run *r)
{
	const struct iter_problem *p = r->p;
	const double a = operator_norm(p->A);
	double norms = 0;

	for (int i = 0; i < p->terms; i++) {
		const double b = operator_norm(p->term[i].B);

		norms += b * b;
		apply(&p->term[i], r->type, of_term(r, Z, i), r->x);
	}

	r->s[RHO] = (r->conf->step > 0.) ? r->conf->step : (norms > 0. && a > 0.) ? 0.05 * a * a / norms : 1.;
	r->minimum = 0. == a && 0. == norms;
	vec_copy(r->type, r->m, r->w[0], p->y);

	if (NULL != p->W)
		weights_apply(p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(p->A, r->v[AY], r->w[0]);
	evaluate(r);
}

/** rho grows where z is far from B x, and shrinks where z moves. */
static void balance(struct run *r, double primal, double dual)
{
	if (r->conf->step > 0. || r->k > 50)
		return;

	const double factor = (primal > 10. * dual) ? 2. : (dual > 10. * primal) ? 0.5 : 1.;

	if (1. == factor)
		return;

	r->s[RHO] *= factor;

	for (int i = 0; i < r->p->terms; i++)
		vec_scale(r->type, functional_size(r->p->term[i].g), of_term(r, U, i), 1. / factor);
}

static void iterate(struct run *r)
{
	double primal = 0, dual = 0;

	solve(r);

	for (int i = 0; i < r->p->terms; i++)
		split(r, i, &primal, &dual);

	evaluate(r);
	r->gradient = r->s[RHO] * sqrt(primal + dual);
	r->step = r->s[RHO];
	balance(r, sqrt(primal), sqrt(dual));
}

const struct algorithm algorithm_admm = {
        .name = "admm",
        .about = "alternating directions: conjugate gradients for the data, proximal operators for the terms "
                 "(Boyd 2011)",
        .takes = TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = 5,
        .projections = 1,
        .terms = 2,
        .begin = begin,
        .iterate = iterate,
};

static void begin_linear(struct run *r)
{
	begin(r);
	r->s[L] = run_lipschitz(r, r->v[RESIDUAL], r->w[0]);

	for (int i = 0; i < r->p->terms; i++) {
		const double b = operator_norm(r->p->term[i].B);

		r->s[L + 1] += b * b;
	}
}

static void iterate_linear(struct run *r)
{
	double primal = 0, dual = 0;

	slope(r);
	r->step = 1. / (r->s[L] + r->s[RHO] * r->s[L + 1]);
	vec_axpy(r->type, r->n, r->x, r->step, r->v[RESIDUAL]);

	for (int i = 0; i < r->p->terms; i++)
		split(r, i, &primal, &dual);

	evaluate(r);
	r->gradient = r->s[RHO] * sqrt(primal + dual) + vec_norm(r->type, r->n, r->v[RESIDUAL]);
	balance(r, sqrt(primal), sqrt(dual));
}

const struct algorithm algorithm_ladmm = {
        .name = "ladmm",
        .about = "alternating directions with one gradient step for the data and the splitting (linearised "
                 "ADMM)",
        .takes = TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = 5,
        .projections = 1,
        .terms = 2,
        .begin = begin_linear,
        .iterate = iterate_linear,
};
