/* Least squares with quadratic penalties of the splitting methods, by conjugate gradients. */

#include "iter/step/quadratic.h"

#include "linops/norm.h"
#include "num/md/flpmath.h"

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

/** out = (A'WA + lambda + sum rho_i B_i'B_i) x. */
static void hessian(struct run *r, const struct quadratic *q, void *out, const void *x)
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

/** One step, after which numbers on a device go on to the next; false: known to have been without effect. */
static bool inner_step(struct run *r, const struct quadratic *q, void *x, double *n, int place)
{
	void *slope = r->v[QUADRATIC_SLOPE], *along = r->v[QUADRATIC_DIRECTION], *H = r->v[QUADRATIC_HESSIAN];
	const struct update_factor by = factor_times(1., n + CG_STEP), back = factor_times(-1., n + CG_STEP);
	const double *step = run_look(r, place + CG_STEP);

	hessian(r, q, H, along);
	vec_dot_to(r->type, r->n, n + CG_CURVED, along, H);
	iter_updates_of(n)->numbers(NUMBERS_STEP, &(const struct numbers_given){0}, n);

	if (NULL != step && 0. == *step)
		return false;

	run_mix(r, r->n, x, by, along, factor_of(1.), NULL);
	run_mix(r, r->n, slope, back, H, factor_of(1.), n + CG_NEXT);
	iter_updates_of(n)->numbers(NUMBERS_NEXT, &(const struct numbers_given){0}, n);
	run_mix(r, r->n, along, factor_times(1., n + CG_A), slope, factor_times(1., n + CG_B), NULL);

	return NULL == step || n[CG_GAMMA] > 1e-12 * n[CG_FIRST];
}

void quadratic_solve(struct run *r, const struct quadratic *q, void *x)
{
	void *slope = r->v[QUADRATIC_SLOPE];
	int place;
	double *n = run_ask_some(r, CG_NUMBERS, &place);
	const double *gamma = run_look(r, place + CG_GAMMA);

	quadratic_slope(r, q, x);
	vec_copy(r->type, r->n, r->v[QUADRATIC_DIRECTION], slope);
	vec_dot_to(r->type, r->n, n + CG_GAMMA, slope, slope);
	vec_dot_to(r->type, r->n, n + CG_FIRST, slope, slope);

	if (NULL != gamma && !(*gamma > 0.))
		return;

	for (int k = 0; k < INNER && inner_step(r, q, x, n, place); k++)
		;
}

bool quadratic_is_plain(const struct run *r)
{
	for (int i = 0; i < r->p->terms; i++)
		if (!functional_has_value(r->p->term[i].g))
			return true;

	return STEPS_PLAIN == r->conf->steps || r->conf->step > 0.;
}

double quadratic_curvature(struct run *r)
{
	const double a = linop_norm(r->p->A);

	return quadratic_is_plain(r) ? a * a : run_lipschitz_squares(r, r->v[QUADRATIC_SLOPE], r->w[0]);
}

void quadratic_begin(struct run *r)
{
	vec_copy(r->type, r->m, r->w[0], r->p->y);

	if (NULL != r->p->W)
		weights_apply(r->p->W, r->type, r->m, r->w[0], r->w[0]);

	linop_adjoint(r->p->A, r->v[QUADRATIC_AY], r->w[0]);
}

struct quadratic_asked quadratic_ask(struct run *r, const void *x)
{
	struct quadratic_asked a;

	linop_forward(r->p->A, r->w[0], x);
	a.data = run_ask_data(r, r->w[0], r->w[0]);
	a.penalty = run_ask_penalty(r, x);
	a.terms = run_ask_terms(r, x, false);
	a.size = run_ask_size(r);

	return a;
}

void quadratic_told(struct run *r, const struct quadratic_asked *a)
{
	r->objective = run_told_data(r, a->data) + run_told_penalty(r, a->penalty) +
	               run_told_terms(r, a->terms, false);
	run_told_size(r, a->size);
}

void quadratic_evaluate(struct run *r, const void *x)
{
	const struct quadratic_asked a = quadratic_ask(r, x);

	run_fetch(r);
	quadratic_told(r, &a);
}
