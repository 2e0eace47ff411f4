#include "iter/algorithm/gauss_newton.h"

#include <math.h>

#include "misc/error.h"
#include "num/md/flpmath.h"

/** F and its derivative. A run resumed from a checkpoint must set the point of linearisation again. */
static const struct nlop *operator_of(struct run *r, bool at_x)
{
	if (NULL != r->F)
		return r->F;

	r->F = (NULL != r->p->F) ? nlop_ref(r->p->F) : nlop_from_linop(r->p->A);
	r->J = nlop_derivative_create(r->F, 0, 0);

	if (at_x)
		nlop_apply(r->F, r->w[NEWTON_Q], r->x);

	return r->F;
}

struct iter_problem newton_problem_of(const struct newton_problem *p)
{
	return (struct iter_problem){.F = p->F, .y = p->y, .W = p->W};
}

void newton_begin(struct run *r)
{
	const struct newton_inner *inner = &r->conf->newton.inner;

	if (inner->iterations < 0)
		error("the number of inner iterations is %ld, expected at least 1", inner->iterations);

	operator_of(r, false);
}

void newton_tell(struct run *r, double r2)
{
	r->residual = sqrt(r2);
	r->objective = 0.5 * r2;
}

int newton_ask_move(struct run *r)
{
	nlop_apply(operator_of(r, false), r->w[NEWTON_Q], r->x);
	vec_axpby(r->type, r->m, r->w[NEWTON_R], 1., r->p->y, -1., r->w[NEWTON_Q]);

	return run_ask_weighted(r, r->p->W, r->m, r->w[NEWTON_R]);
}

double newton_told_move(struct run *r, int place, bool start)
{
	const double r2 = run_told(r, place);

	if (isfinite(r2))
		return r2;

	if (start)
		error("the misfit at the start is %g, expected a finite value (the data or the start are "
		      "outside the domain of %s)",
		        r2, nlop_name(r->F));

	return INFINITY;
}

/* s = J'W r - alpha (x - reference); asks for |s|^2 */
static int ask_descent(struct run *r, double alpha, const void *reference)
{
	void *s = r->v[NEWTON_S];

	weights_apply(r->p->W, r->type, r->m, r->w[NEWTON_Q], r->w[NEWTON_R]);
	linop_adjoint(r->J, s, r->w[NEWTON_Q]);

	if (alpha > 0.) {
		vec_axpy(r->type, r->n, s, -alpha, r->x);

		if (NULL != reference)
			vec_axpy(r->type, r->n, s, alpha, reference);
	}

	return run_ask_dot(r, r->n, s, s);
}

static double told_descent(const struct run *r, int place)
{
	const double s2 = run_told(r, place);

	if (!isfinite(s2))
		error("the gradient of the linearised problem is %g, expected a finite value", sqrt(s2));

	return s2;
}

/* Along d: a step of no effect where the curvature, which is asked for, is not above 0. */
static int ask_along(struct run *r, double alpha, double s2)
{
	void *d = r->v[NEWTON_D], *q = r->w[NEWTON_Q];

	linop_forward(r->J, q, d);

	const int curvature = run_ask_weighted(r, r->p->W, r->m, q), d2 = run_ask_dot(r, r->n, d, d);

	vec_axpy(DT_FLOAT64, 1, r->asked + curvature, alpha, r->asked + d2);
	run_mix(r, r->n, r->x, factor_over(s2, r->asked + curvature), d, factor_of(1.), NULL);
	run_mix(r, r->m, r->w[NEWTON_R], factor_over(-s2, r->asked + curvature), q, factor_of(1.), NULL);

	return curvature;
}

void newton_step(struct run *r, double alpha, const void *reference)
{
	const struct newton_inner *inner = &r->conf->newton.inner;
	const long most = (0 == inner->iterations) ? NEWTON_INNER : inner->iterations;

	operator_of(r, true);

	const int start = ask_descent(r, alpha, reference);

	run_fetch(r);

	double s2 = told_descent(r, start);
	const double stop = s2 * inner->tolerance * inner->tolerance;

	r->gradient = sqrt(s2);
	vec_copy(r->type, r->n, r->v[NEWTON_D], r->v[NEWTON_S]);

	for (long k = 0; k < most && 0. != s2 && (0 == k || s2 > stop); k++) {
		const int curvature = ask_along(r, alpha, s2);
		const double before = s2;

		if (k + 1 == most)
			break;

		const int next = ask_descent(r, alpha, reference);

		run_fetch(r);

		if (!(run_told(r, curvature) > 0.))
			break;

		s2 = told_descent(r, next);
		vec_xpay(r->type, r->n, r->v[NEWTON_D], s2 / before, r->v[NEWTON_S]);
	}
}

double newton_curvature(struct run *r)
{
	void *s = r->v[NEWTON_S];

	operator_of(r, true);

	const int place = ask_descent(r, 0., NULL);

	linop_forward(r->J, r->w[NEWTON_Q], s);

	const int along = run_ask_weighted(r, r->p->W, r->m, r->w[NEWTON_Q]);

	run_fetch(r);

	const double s2 = run_told(r, place);

	return (s2 > 0.) ? run_told(r, along) / s2 : 0.;
}
