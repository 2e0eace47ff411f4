/*
 * The primal-dual hybrid gradient method for d(A x) + lambda/2 |x|^2 + sum_i g_i(B_i x), which knows d by the
 * proximal operator of its conjugate. A. Chambolle and T. Pock, A first-order primal-dual algorithm for
 * convex problems with applications to imaging, J. Math. Imaging Vis. 40, 2011.
 */

#include <float.h>
#include <math.h>

#include "iter/algorithm/primal_dual.h"
#include "iter/step/diagonal.h"
#include "linops/norm.h"
#include "num/md/flpmath.h"

enum { LAST_AX = PD_PROJECTIONS, DUAL, NEXT, RAYS, PROJECTIONS }; // RAYS: diagonal steps of the dual

/* Step of the dual of least squares, unless the step of x is given: the conjugate is curved by 1, and rays
 * and voxels are then about equally fast (tried on noisy and on few views). */
static const double DATA_STEP = 0.1;
/* The first kappa of diagonal steps, and theta of terms: they step by theta kappa mean(C). */
static const double KAPPA = 0.2, THETA = 0.3;

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

/** The same with a step of each ray; asks for how far, in units of these. */
static int ask_data_step_each(struct run *r)
{
	const struct iter_subset all = run_subset_at(r, 0);
	const enum dtype t = diagonal_type(r);
	struct md_chain f = {0};
	const int moved = chain_operand(&f, t), step = chain_operand(&f, t);

	diagonal_step_rays(r, &all, r->s[PD_KAPPA], r->w[RAYS], r->w[DUAL], r->w[PD_WORK], r->w[NEXT]);
	vec_axpy(r->type, r->m, r->w[DUAL], 1., r->w[NEXT]);
	chain_op2(&f, OP_DIV, moved, chain_op2(&f, OP_MAX, step, chain_constant(&f, t, FLT_MIN)));
	diagonal_pass(r, &f, r->m, r->w[PD_WORK], (const void *const[]){r->w[NEXT], r->w[RAYS]});

	return run_ask_dot(r, r->m, r->w[NEXT], r->w[PD_WORK]);
}

/** tau sum sigma_i |B_i|^2 < 1, all blocks alike. */
static void choose_alike(struct run *r)
{
	const int blocks = 1 + pd_blocks(r);
	const double a = linop_norm(r->p->A);

	r->s[PD_NORMS] = (a > 0.) ? a * a : 1.;
	r->minimum = 0. == a && 0 == r->p->terms;

	const double data =
	        DATA_STEP * pd_data_curvature(r, r->p->data, r->m, r->w[PD_AX], r->w[PD_WORK], r->w[NEXT]);

	r->s[PD_TAU] = (r->conf->step > 0.) ? r->conf->step : 0.98 / (blocks * data * r->s[PD_NORMS]);
	r->s[PD_SIGMA] = 0.98 / (blocks * r->s[PD_TAU]);
}

static void choose_each(struct run *r)
{
	diagonal_weigh(r, r->w[RAYS]);

	const double most = pd_cover(r, r->w[RAYS], 0.);

	r->minimum = 0. == most && 0 == r->p->terms;
	r->s[PD_KAPPA] = KAPPA;
	r->s[PD_SIGMA] = THETA * KAPPA * r->s[PD_MEAN];
	vec_scale(r->type, r->m, r->w[RAYS], KAPPA);
	pd_choose_steps(r);
}

static void pdhg_begin(struct run *r)
{
	pd_term_norms(r);

	if (pd_is_diagonal(r))
		choose_each(r);

	linop_forward(r->p->A, r->w[PD_AX], r->x);
	pd_evaluate(r);

	if (!pd_is_diagonal(r))
		choose_alike(r);
}

/** Steps of x, and of the duals from w[PD_WORK] on. */
static void settle(struct run *r, int primal, int data, int terms)
{
	const double moved = pd_told_term_steps(r, terms), rays = run_told(r, data);

	if (!pd_is_diagonal(r)) {
		pd_settle(r, run_told(r, primal), rays * r->s[PD_NORMS] + moved);
		return;
	}

	pd_settle_each(r, primal, rays, moved / r->s[PD_SIGMA]);
	vec_scale(r->type, r->m, r->w[RAYS], pd_balance(r, primal, rays, moved / r->s[PD_SIGMA]));
}

static void pdhg_iterate(struct run *r)
{
	const int primal = pd_ask_primal_step(r, r->p->lambda);

	pd_swap(&r->w[PD_AX], &r->w[LAST_AX]);
	linop_forward(r->p->A, r->w[PD_AX], r->x);

	const struct pd_asked value = pd_ask_evaluate(r);

	vec_axpby(r->type, r->m, r->w[PD_WORK], 2., r->w[PD_AX], -1., r->w[LAST_AX]);

	const int data = pd_is_diagonal(r) ? ask_data_step_each(r) : ask_data_step(r),
	          terms = pd_ask_term_steps(r);

	linop_adjoint(r->p->A, r->v[PD_SUM], r->w[DUAL]);
	pd_add_terms(r);
	run_fetch(r);
	pd_told_evaluate(r, &value);
	settle(r, primal, data, terms);
}

/** Also the steps of rays, and the work space for B_i'q_i. */
static struct unwritten pdhg_unwritten(const struct run *r)
{
	struct unwritten u = pd_unwritten(r);

	if (!pd_is_diagonal(r)) {
		u.projections += 1.;
		u.volumes += (0 == pd_blocks(r)) ? 1. : 0.;
	}

	return u;
}

const struct algorithm algorithm_pdhg = {
        .name = "pdhg",
        .about = "the primal-dual hybrid gradient method (Chambolle and Pock 2011)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_STEPS | TAKES_LAMBDA | TAKES_DATA_PROX | TAKES_TERMS |
                 TAKES_COMPLEX,
        .volumes = PD_VOLUMES,
        .projections = PROJECTIONS,
        .terms = PD_TERMS,
        .distributed = true,
        .begin = pdhg_begin,
        .iterate = pdhg_iterate,
        .unwritten = pdhg_unwritten,
};
