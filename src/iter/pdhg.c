/*
 * The primal-dual hybrid gradient method for d(A x) + lambda/2 |x|^2 + sum_i g_i(B_i x), which knows d by the
 * proximal operator of its conjugate. A. Chambolle and T. Pock, A first-order primal-dual algorithm for
 * convex problems with applications to imaging, J. Math. Imaging Vis. 40, 2011.
 */

#include <math.h>

#include "iter/primal_dual.h"
#include "linops/norm.h"
#include "num/flpmath.h"

enum { LAST_AX = PD_PROJECTIONS, DUAL, NEXT, PROJECTIONS };

/* Step of the dual of least squares, unless the step of x is given: the conjugate is curved by 1, and rays
 * and voxels are then about equally fast (tried on noisy and on few views). */
static const double DATA_STEP = 0.1;

/** The dual of the data after a step along w[PD_WORK] = A x bar: (p + sigma (A x bar - y)) / (1 + sigma) for
 * least squares. */
static int ask_data_step(struct run *r)
{
	const double sigma = r->s[PD_SIGMA] / r->s[PD_NORMS];

	vec_axpby(r->type, r->m, r->w[PD_WORK], sigma, r->w[PD_WORK], 1., r->w[DUAL]);

	if (NULL != r->p->data) {
		functional_prox_conjugate(r->p->data, sigma, r->w[NEXT], r->w[PD_WORK]);
		pd_swap(&r->w[PD_WORK], &r->w[NEXT]);
	} else {
		vec_axpy(r->type, r->m, r->w[PD_WORK], -sigma, r->p->y);
		vec_scale(r->type, r->m, r->w[PD_WORK], 1. / (1. + sigma));
	}

	const int place = pd_ask_moved(r, r->m, r->w[DUAL], r->w[PD_WORK]);

	pd_swap(&r->w[DUAL], &r->w[PD_WORK]);

	return place;
}

static void begin(struct run *r)
{
	const double a = linop_norm(r->p->A);
	const int blocks = 1 + pd_term_norms(r);

	r->s[PD_NORMS] = (a > 0.) ? a * a : 1.;
	linop_forward(r->p->A, r->w[PD_AX], r->x);
	pd_evaluate(r);
	r->minimum = 0. == a && 1 == blocks && r->p->terms == 0;

	// tau sum sigma_i |B_i|^2 < 1, all blocks alike
	const double data =
	        DATA_STEP * pd_data_curvature(r, r->p->data, r->m, r->w[PD_AX], r->w[PD_WORK], r->w[NEXT]);

	r->s[PD_TAU] = (r->conf->step > 0.) ? r->conf->step : 0.98 / (blocks * data * r->s[PD_NORMS]);
	r->s[PD_SIGMA] = 0.98 / (blocks * r->s[PD_TAU]);
}

static void iterate(struct run *r)
{
	const double tau = r->s[PD_TAU];

	vec_axpby(r->type, r->n, r->v[PD_BAR], 1., r->x, -tau, r->v[PD_SUM]);

	const int primal = pd_ask_primal_step(r, tau, r->p->lambda);

	pd_swap(&r->w[PD_AX], &r->w[LAST_AX]);
	linop_forward(r->p->A, r->w[PD_AX], r->x);

	const struct pd_asked value = pd_ask_evaluate(r);

	vec_axpby(r->type, r->m, r->w[PD_WORK], 2., r->w[PD_AX], -1., r->w[LAST_AX]);

	const int data = ask_data_step(r), terms = pd_ask_term_steps(r);

	linop_adjoint(r->p->A, r->v[PD_SUM], r->w[DUAL]);
	pd_add_terms(r);
	run_fetch(r);
	pd_told_evaluate(r, &value);
	pd_settle(r, run_told(r, primal), run_told(r, data) * r->s[PD_NORMS] + pd_told_term_steps(r, terms));
}

const struct algorithm algorithm_pdhg = {
        .name = "pdhg",
        .about = "the primal-dual hybrid gradient method (Chambolle and Pock 2011)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_LAMBDA | TAKES_DATA_PROX | TAKES_TERMS | TAKES_COMPLEX,
        .volumes = PD_VOLUMES,
        .projections = PROJECTIONS,
        .terms = PD_TERMS,
        .begin = begin,
        .iterate = iterate,
};
