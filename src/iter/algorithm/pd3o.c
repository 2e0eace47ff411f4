/*
 * PD3O, the primal-dual three-operator splitting for f(x) + sum_i g_i(B_i x), where f is the differentiable
 * part: steps up to 2 / L for any terms, while Condat and Vu's method divides this between them. M. Yan, A
 * new primal-dual algorithm for minimizing the sum of three functions with a linear operator, J. Sci. Comput.
 * 76, 2018.
 */

#include <math.h>

#include "iter/algorithm/primal_dual.h"
#include "iter/step/diagonal.h"
#include "num/md/flpmath.h"

enum { SLOPE = PD_VOLUMES, VOLUMES };

/* Parts of the largest steps: 2 / L of x, and of the duals what that leaves. */
static const double part = 0.9;

/** slope = the gradient of f at x; asks for the values there. */
static struct pd_asked ask_gradient(struct run *r, void *slope)
{
	linop_forward(r->p->A, r->w[PD_AX], r->x);

	const struct pd_asked value = pd_ask_evaluate(r);

	vec_copy(r->type, r->m, r->w[PD_WORK], r->w[PD_AX]);
	run_slope_at(r, slope, r->w[PD_WORK], r->x);

	return value;
}

/** tau sum sigma_i |B_i|^2 <= 1. */
static void choose_alike(struct run *r)
{
	const double L = pd_curvature(r), step = r->conf->step;
	const int blocks = pd_blocks(r);

	pd_term_norms(r);
	r->minimum = 0. == L && 0 == r->p->terms;
	r->s[PD_TAU] = (step > 0.) ? step : (L > 0.) ? part * 2. / L : 1.;
	r->s[PD_SIGMA] = 0.99 / (r->s[PD_TAU] * ((blocks > 0) ? blocks : 1));
}

static void pd3o_begin(struct run *r)
{
	if (pd_is_diagonal(r))
		pd_choose_by_gradient(r, 0.5 / part);
	else
		choose_alike(r);

	const struct pd_asked value = ask_gradient(r, r->v[SLOPE]);

	run_fetch(r);
	pd_told_evaluate(r, &value);
	vec_copy(r->type, r->n, r->v[PD_BAR], r->x);
}

/** x bar += step (last slope - slope), this being in v[PD_TMP]. */
static void extrapolate(struct run *r)
{
	if (!pd_is_diagonal(r)) {
		vec_axpy(r->type, r->n, r->v[PD_BAR], r->s[PD_TAU], r->v[SLOPE]);
		vec_axpy(r->type, r->n, r->v[PD_BAR], -r->s[PD_TAU], r->v[PD_TMP]);
		return;
	}

	const enum dtype t = diagonal_type(r);
	struct md_chain f = {0};
	const int bar = chain_operand(&f, t), step = chain_operand(&f, t), last = chain_operand(&f, t),
	          slope = chain_operand(&f, t);

	chain_op2(&f, OP_ADD, bar, chain_op2(&f, OP_MUL, step, chain_op2(&f, OP_SUB, last, slope)));
	diagonal_pass(r, &f, r->n, r->v[PD_BAR],
	        (const void *const[]){r->v[PD_BAR], r->v[PD_STEP], r->v[SLOPE], r->v[PD_TMP]});
}

static void pd3o_iterate(struct run *r)
{
	const int dual = pd_ask_term_steps(r);

	vec_copy(r->type, r->n, r->v[PD_SUM], r->v[SLOPE]);
	pd_add_terms(r);

	const int primal = pd_ask_primal_step(r, 0.);

	// x bar = 2 x - last x + tau (last slope - slope)
	const struct pd_asked value = ask_gradient(r, r->v[PD_TMP]);

	extrapolate(r);
	pd_swap(&r->v[SLOPE], &r->v[PD_TMP]);
	run_fetch(r);
	pd_told_evaluate(r, &value);
	pd_settle_gradient(r, primal, dual);
}

const struct algorithm algorithm_pd3o = {
        .name = "pd3o",
        .about = "the primal-dual three-operator splitting, with gradients of the differentiable terms and "
                 "longer steps (Yan 2018)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_STEPS | TAKES_WEIGHTS | TAKES_LAMBDA | TAKES_DATA |
                 TAKES_SMOOTH | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = VOLUMES,
        .projections = PD_PROJECTIONS,
        .terms = PD_TERMS,
        .distributed = true,
        .begin = pd3o_begin,
        .iterate = pd3o_iterate,
        .unwritten = pd_unwritten,
};
