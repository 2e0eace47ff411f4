#include "iter/gauss_newton.h"

#include <math.h>

#include "misc/error.h"
#include "num/flpmath.h"

void gauss_newton_init(struct gauss_newton *g, const struct newton_problem *p, const void *ref)
{
	const enum dtype t = nlop_type(p->F);

	if (1 != nlop_ins(p->F) || 1 != nlop_outs(p->F))
		error("operator %s of %d inputs and %d outputs in a least-squares problem, expected 1 and 1",
		        nlop_name(p->F), nlop_ins(p->F), nlop_outs(p->F));

	*g = (struct gauss_newton){
	        .p = *p, .type = t, .n = nlop_in_size(p->F, 0), .m = nlop_out_size(p->F, 0)};
	g->J = nlop_derivative_create(p->F, 0, 0);
	g->r = md_alloc_sameplace(1, &g->m, dtype_size(t), ref);
	g->q = md_alloc_sameplace(1, &g->m, dtype_size(t), ref);
	g->s = md_alloc_sameplace(1, &g->n, dtype_size(t), ref);
	g->d = md_alloc_sameplace(1, &g->n, dtype_size(t), ref);
}

void gauss_newton_free(struct gauss_newton *g)
{
	linop_free(g->J);
	md_free(g->r);
	md_free(g->q);
	md_free(g->s);
	md_free(g->d);
}

double gauss_newton_move(struct gauss_newton *g, const void *x, long iteration)
{
	nlop_apply(g->p.F, g->q, x);
	vec_axpby(g->type, g->m, g->r, 1., g->p.y, -1., g->q);

	const double r2 = weights_norm2(g->p.W, g->type, g->m, g->r);

	if (isfinite(r2))
		return r2;

	if (0 == iteration)
		error("the misfit at the start is %g, expected a finite value: the data or the start are "
		      "outside the domain of %s",
		        r2, nlop_name(g->p.F));

	return INFINITY;
}

/* s = J'W r - alpha (x - reference) */
static void descent(struct gauss_newton *g, double alpha, const void *reference, const void *x)
{
	weights_apply(g->p.W, g->type, g->m, g->q, g->r);
	linop_adjoint(g->J, g->s, g->q);

	if (alpha > 0.) {
		vec_axpy(g->type, g->n, g->s, -alpha, x);

		if (NULL != reference)
			vec_axpy(g->type, g->n, g->s, alpha, reference);
	}
}

double gauss_newton_step(struct gauss_newton *g, double alpha, const void *reference,
        const struct newton_inner *inner, void *x, double *gradient)
{
	double gamma = 0., stop = 0.;

	for (long k = 0; k < inner->iterations; k++) {
		descent(g, alpha, reference, x);

		const double s2 = vec_dot(g->type, g->n, g->s, g->s);

		if (!isfinite(s2))
			error("the gradient of the linearised problem is %g, expected a finite value",
			        sqrt(s2));

		if (0 == k) {
			*gradient = sqrt(s2);
			stop = s2 * inner->tolerance * inner->tolerance;
			vec_copy(g->type, g->n, g->d, g->s);
		} else {
			vec_xpay(g->type, g->n, g->d, s2 / gamma, g->s);
		}

		if (0. == s2 || (0 < k && s2 <= stop))
			break;

		linop_forward(g->J, g->q, g->d);

		const double curvature = weights_norm2(g->p.W, g->type, g->m, g->q) +
		                         alpha * vec_dot(g->type, g->n, g->d, g->d);

		if (!(curvature > 0.))
			break;

		vec_axpy(g->type, g->n, x, s2 / curvature, g->d);
		vec_axpy(g->type, g->m, g->r, -s2 / curvature, g->q);
		gamma = s2;
	}

	return weights_norm2(g->p.W, g->type, g->m, g->r);
}

double gauss_newton_curvature(struct gauss_newton *g)
{
	descent(g, 0., NULL, NULL);

	const double s2 = vec_dot(g->type, g->n, g->s, g->s);

	linop_forward(g->J, g->q, g->s);

	return (s2 > 0.) ? weights_norm2(g->p.W, g->type, g->m, g->q) / s2 : 0.;
}
