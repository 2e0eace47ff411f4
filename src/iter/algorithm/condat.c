/*
 * Condat and Vu's primal-dual splitting for f(x) + sum_i g_i(B_i x), where f is the differentiable part,
 * given by its gradient. L. Condat, A primal-dual splitting method for convex optimization involving
 * Lipschitzian, proximable and linear composite terms, JOTA 158, 2013; B. C. Vu, A splitting algorithm for
 * dual monotone inclusions involving cocoercive operators, Adv. Comput. Math. 38, 2013.
 */

#include <math.h>

#include "iter/algorithm/primal_dual.h"
#include "num/md/flpmath.h"

/** 1 / tau - sum sigma_i |B_i|^2 >= L / 2. */
static void choose_alike(struct run *r)
{
	const double L = pd_curvature(r), half = (L > 0.) ? 0.5 * L : 1., step = r->conf->step;
	const int blocks = pd_blocks(r);

	pd_term_norms(r);
	r->minimum = 0. == L && 0 == r->p->terms;
	r->s[PD_SIGMA] = (blocks > 0) ? half / blocks : 1.;
	r->s[PD_TAU] = 0.99 / (half + r->s[PD_SIGMA] * blocks);

	if (step > 0.) {
		const double left = 0.99 / step - ((L > 0.) ? half : 0.);

		r->s[PD_TAU] = step;
		r->s[PD_SIGMA] = ((left > 0.) ? left : 0.01 / step) / ((blocks > 0) ? blocks : 1);
	}
}

static void condat_begin(struct run *r)
{
	if (pd_is_diagonal(r))
		pd_choose_by_gradient(r, 0.5);
	else
		choose_alike(r);

	linop_forward(r->p->A, r->w[PD_AX], r->x);
	pd_evaluate(r);
}

static void condat_iterate(struct run *r)
{
	vec_copy(r->type, r->m, r->w[PD_WORK], r->w[PD_AX]);
	run_slope_at(r, r->v[PD_SUM], r->w[PD_WORK], r->x);
	pd_add_terms(r);

	const int primal = pd_ask_primal_step(r, 0.), dual = pd_ask_term_steps(r);

	linop_forward(r->p->A, r->w[PD_AX], r->x);

	const struct pd_asked value = pd_ask_evaluate(r);

	run_fetch(r);
	pd_told_evaluate(r, &value);
	pd_settle_gradient(r, primal, dual);
}

const struct algorithm algorithm_condat = {
        .name = "condat-vu",
        .about = "the primal-dual splitting of Condat (2013) and Vu, with gradients of the differentiable "
                 "terms",
        .takes = ANYWHERE | TAKES_STEP | TAKES_STEPS | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA |
                 TAKES_SMOOTH | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = PD_VOLUMES,
        .projections = PD_PROJECTIONS,
        .terms = PD_TERMS,
        .distributed = true,
        .begin = condat_begin,
        .iterate = condat_iterate,
        .unwritten = pd_unwritten,
};
