/* Least squares with quadratic penalties of the splitting methods, by conjugate gradients. */

#include "iter/quadratic.h"

#include "num/flpmath.h"

enum { INNER = 8 }; // steps of conjugate gradients

void *quadratic_spare(const struct run *r, int i)
{
	return r->z[r->alg->terms * r->p->terms + i];
}

void quadratic_apply(const struct run *r, int i, void *dst, const void *x)
{
	const struct iter_term *t = &r->p->term[i];

	if (NULL == t->B)
		vec_copy(r->type, functional_size(t->g), dst, x);
	else
		linop_forward(t->B, dst, x);
}

/** out += rho_i B_i' z. */
static void add_back(struct run *r, const struct quadratic *q, int i, void *out, const void *z)
{
	if (NULL != r->p->term[i].B) {
		linop_adjoint(r->p->term[i].B, r->v[QUADRATIC_BACK], z);
		z = r->v[QUADRATIC_BACK];
	}

	vec_axpy(r->type, r->n, out, q->rho * ((NULL != q->weights) ? q->weights[i] : 1.), z);
}

/** out = (A'WA + lambda + sum rho_i B_i'B_i) x; returns <x, out>. */
static double hessian(struct run *r, const struct quadratic *q, void *out, const void *x)
{
	const struct iter_problem *p = r->p;

	linop_forward(p->A, r->w[0], x);

	if (NULL != p->W)
		weights_apply(p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(p->A, out, r->w[0]);

	if (p->lambda > 0.)
		vec_axpy(r->type, r->n, out, p->lambda, x);

	for (int i = 0; i < p->terms; i++) {
		quadratic_apply(r, i, quadratic_spare(r, i), x);
		add_back(r, q, i, out, quadratic_spare(r, i));
	}

	return vec_dot(r->type, r->n, x, out);
}

void quadratic_slope(struct run *r, const struct quadratic *q, const void *x)
{
	void *slope = r->v[QUADRATIC_SLOPE];

	hessian(r, q, r->v[QUADRATIC_HESSIAN], x);
	vec_axpby(r->type, r->n, slope, 1., r->v[QUADRATIC_AY], -1., r->v[QUADRATIC_HESSIAN]);

	for (int i = 0; i < r->p->terms; i++) {
		q->target(r, i, quadratic_spare(r, i));
		add_back(r, q, i, slope, quadratic_spare(r, i));
	}
}

void quadratic_solve(struct run *r, const struct quadratic *q, void *x)
{
	void *slope = r->v[QUADRATIC_SLOPE], *along = r->v[QUADRATIC_DIRECTION];

	quadratic_slope(r, q, x);
	vec_copy(r->type, r->n, along, slope);

	double gamma = vec_dot(r->type, r->n, slope, slope);
	const double first = gamma;

	for (int k = 0; k < INNER && gamma > 1e-12 * first; k++) {
		const double curved = hessian(r, q, r->v[QUADRATIC_HESSIAN], along);

		if (!(curved > 0.))
			break;

		vec_axpy(r->type, r->n, x, gamma / curved, along);
		vec_axpy(r->type, r->n, slope, -gamma / curved, r->v[QUADRATIC_HESSIAN]);

		const double next = vec_dot(r->type, r->n, slope, slope);

		vec_axpby(r->type, r->n, along, 1., slope, next / gamma, along);
		gamma = next;
	}
}

void quadratic_begin(struct run *r)
{
	vec_copy(r->type, r->m, r->w[0], r->p->y);

	if (NULL != r->p->W)
		weights_apply(r->p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(r->p->A, r->v[QUADRATIC_AY], r->w[0]);
}

void quadratic_evaluate(struct run *r, const void *x)
{
	linop_forward(r->p->A, r->w[0], x);
	r->objective = run_data(r, r->w[0], r->w[0]) + run_penalty(r, x) + run_terms(r, x, false);
}
