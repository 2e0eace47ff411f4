#include "iter/gauss_newton.h"

#include <math.h>

#include "misc/error.h"
#include "num/flpmath.h"

/** F and its derivative; a run that goes on from a file has to find the point again. */
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
		error("%ld inner iterations, expected at least 1", inner->iterations);

	operator_of(r, false);
}

void newton_tell(struct run *r, double r2)
{
	r->residual = sqrt(r2);
	r->objective = 0.5 * r2;
}

double newton_move(struct run *r, bool start)
{
	const struct nlop *F = operator_of(r, false);

	nlop_apply(F, r->w[NEWTON_Q], r->x);
	vec_axpby(r->type, r->m, r->w[NEWTON_R], 1., r->p->y, -1., r->w[NEWTON_Q]);

	const double r2 = weights_norm2(r->p->W, r->type, r->m, r->w[NEWTON_R]);

	if (isfinite(r2))
		return r2;

	if (start)
		error("the misfit at the start is %g, expected a finite value: the data or the start are "
		      "outside the domain of %s",
		        r2, nlop_name(F));

	return INFINITY;
}

/* s = J'W r - alpha (x - reference) */
static void descent(struct run *r, double alpha, const void *reference)
{
	void *s = r->v[NEWTON_S];

	weights_apply(r->p->W, r->type, r->m, r->w[NEWTON_Q], r->w[NEWTON_R]);
	linop_adjoint(r->J, s, r->w[NEWTON_Q]);

	if (alpha > 0.) {
		vec_axpy(r->type, r->n, s, -alpha, r->x);

		if (NULL != reference)
			vec_axpy(r->type, r->n, s, alpha, reference);
	}
}

double newton_step(struct run *r, double alpha, const void *reference)
{
	const struct newton_inner *inner = &r->conf->newton.inner;
	const long most = (0 == inner->iterations) ? NEWTON_INNER : inner->iterations;
	void *s = r->v[NEWTON_S], *d = r->v[NEWTON_D], *q = r->w[NEWTON_Q];
	double gamma = 0., stop = 0.;

	operator_of(r, true);

	for (long k = 0; k < most; k++) {
		descent(r, alpha, reference);

		const double s2 = vec_dot(r->type, r->n, s, s);

		if (!isfinite(s2))
			error("the gradient of the linearised problem is %g, expected a finite value",
			        sqrt(s2));

		if (0 == k) {
			r->gradient = sqrt(s2);
			stop = s2 * inner->tolerance * inner->tolerance;
			vec_copy(r->type, r->n, d, s);
		} else {
			vec_xpay(r->type, r->n, d, s2 / gamma, s);
		}

		if (0. == s2 || (0 < k && s2 <= stop))
			break;

		linop_forward(r->J, q, d);

		const double curvature =
		        weights_norm2(r->p->W, r->type, r->m, q) + alpha * vec_dot(r->type, r->n, d, d);

		if (!(curvature > 0.))
			break;

		vec_axpy(r->type, r->n, r->x, s2 / curvature, d);
		vec_axpy(r->type, r->m, r->w[NEWTON_R], -s2 / curvature, q);
		gamma = s2;
	}

	return weights_norm2(r->p->W, r->type, r->m, r->w[NEWTON_R]);
}

double newton_curvature(struct run *r)
{
	void *s = r->v[NEWTON_S];

	operator_of(r, true);
	descent(r, 0., NULL);

	const double s2 = vec_dot(r->type, r->n, s, s);

	linop_forward(r->J, r->w[NEWTON_Q], s);

	return (s2 > 0.) ? weights_norm2(r->p->W, r->type, r->m, r->w[NEWTON_Q]) / s2 : 0.;
}
