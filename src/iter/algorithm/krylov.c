/*
 * Krylov methods for least squares, |A x - y|^2 + lambda |x|^2: LSQR [1], LSMR [2], CGNE (Craig's method: the
 * solution of least norm of a consistent system [3]).
 * [1] C. C. Paige and M. A. Saunders, LSQR: an algorithm for sparse linear equations and sparse least
 * squares, ACM TOMS 8(1), 1982. [2] D. C.-L. Fong and M. Saunders, LSMR: an iterative algorithm for sparse
 * least-squares problems, SIAM J. Sci. Comput. 33(5), 2011. [3] A. Bjorck, Numerical Methods for Least
 * Squares Problems, SIAM 1996, 7.4.2.
 */

#include <math.h>

#include "iter/algorithm/krylov.h"

#include "iter/algorithm/algorithm.h"
#include "misc/error.h"
#include "num/md/flpmath.h"

enum { V, W, H };                                // vectors of the domain; U is w[0]
enum { ALPHA, BETA, LEAST, NORM, FIRST, STATE }; // NORM: a lower bound of |A|; FIRST: the first residual

/** The gradient is what roundings leave of the one at the start, or make of a residual of this norm. */
static bool is_rounding(struct run *r, double residual)
{
	r->s[NORM] = fmax(r->s[NORM], hypot(r->s[ALPHA], r->s[BETA]));

	return r->gradient <= fmax(r->s[LEAST], run_rounding(r) * r->s[NORM] * residual);
}

double krylov_normalise(enum dtype t, long n, void *u)
{
	const double norm = vec_norm(t, n, u);

	if (norm > 0.)
		vec_scale(t, n, u, 1. / norm);

	return norm;
}

double lsqr_rotate(struct lsqr_numbers *q, double lambda, double alpha, double beta, double *ratio)
{
	double n[LSQR_NUMBERS] = {
	        [LSQR_RHOBAR] = q->rhobar, [LSQR_PHIBAR] = q->phibar, [LSQR_LOST] = q->lost};
	double step;

	lsqr_rotation(n, lambda, alpha, beta, n, &step, ratio);
	*q = (struct lsqr_numbers){n[LSQR_RHOBAR], n[LSQR_PHIBAR], n[LSQR_LOST]};

	return step;
}

/** beta u = y - A x, alpha v = A' u: what both methods begin with. Steps are added to x. */
static void bidiagonalise(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);
	r->s[BETA] = krylov_normalise(r->type, r->m, r->w[0]);
	linop_adjoint(r->p->A, r->v[V], r->w[0]);
	r->s[ALPHA] = krylov_normalise(r->type, r->n, r->v[V]);
	r->minimum = 0. == r->s[ALPHA] * r->s[BETA];
	r->residual = r->s[BETA];
	r->objective = 0.5 * r->s[BETA] * r->s[BETA];
	r->gradient = r->s[ALPHA] * r->s[BETA];
	r->s[LEAST] = run_rounding(r) * r->gradient;
	r->s[NORM] = r->s[ALPHA];
	r->s[FIRST] = r->s[BETA];
}

/** u /= |u|, of which the square is known. */
static void normalise(const struct run *r, long n, void *u, const double *squares)
{
	run_mix(r, n, u, factor_of(0.), NULL, factor_over_root(1., squares), NULL);
}

/** The next beta u = A v - alpha u, alpha v = A' u - beta v; asks for GK_STATE and more numbers, of which
 * those of the next steps follow. */
static double *go_on(struct run *r, enum numbers_rule rule, int state, void *Av, void *Au, int *place)
{
	double *n = run_ask_some(r, GK_STATE + state, place);
	struct numbers_given given = {.lambda = r->p->lambda};

	for (int i = 0; i < state; i++)
		given.state[i] = r->s[STATE + i];

	linop_forward(r->p->A, Av, r->v[V]);
	run_mix(r, r->m, r->w[0], factor_of(1.), Av, factor_of(-r->s[ALPHA]), n + GK_BETA2);
	normalise(r, r->m, r->w[0], n + GK_BETA2);
	linop_adjoint(r->p->A, Au, r->w[0]);
	run_mix(r, r->n, r->v[V], factor_of(1.), Au, factor_times_root(-1., n + GK_BETA2), n + GK_ALPHA2);
	normalise(r, r->n, r->v[V], n + GK_ALPHA2);
	iter_updates_of(n)->numbers(rule, &given, n);

	return n;
}

/** x += step along, and everything that was asked for is here. */
static void step_along(struct run *r, int state, const void *along, const double *n, int place)
{
	int size;
	double *squares = run_ask(r, &size);

	run_mix(r, r->n, r->x, factor_times(1., n + GK_STEP), along, factor_of(1.), squares);
	run_fetch(r);
	run_told_size(r, size);
	r->s[ALPHA] = sqrt(run_told(r, place + GK_ALPHA2));
	r->s[BETA] = sqrt(run_told(r, place + GK_BETA2));
	r->step = run_told(r, place + GK_STEP);

	for (int i = 0; i < state; i++)
		r->s[STATE + i] = run_told(r, place + GK_STATE + i);
}

static void begin_lsqr(struct run *r)
{
	bidiagonalise(r);
	vec_copy(r->type, r->n, r->v[W], r->v[V]);
	r->s[STATE + LSQR_PHIBAR] = r->s[BETA];
	r->s[STATE + LSQR_RHOBAR] = r->s[ALPHA];
	r->s[STATE + LSQR_LOST] = 0.;
}

static void lsqr(struct run *r)
{
	const double *q = &r->s[STATE];
	int place;
	double *n = go_on(r, NUMBERS_LSQR, LSQR_NUMBERS, r->w[1], r->v[2], &place);

	step_along(r, LSQR_NUMBERS, r->v[W], n, place);
	run_mix(r, r->n, r->v[W], factor_of(1.), r->v[V], factor_of(-run_told(r, place + GK_BY)), NULL);

	const double both = q[LSQR_PHIBAR] * q[LSQR_PHIBAR] + q[LSQR_LOST];

	r->objective = 0.5 * both;

	if (0. == r->p->lambda)
		r->residual = fabs(q[LSQR_PHIBAR]);
	else if (!r->conf->warm) // else |x - x0| is unknown
		r->residual = sqrt(fmax(0., both - r->p->lambda * r->size2));

	r->gradient = fabs(q[LSQR_PHIBAR] * q[LSQR_RHOBAR]);
	r->minimum = is_rounding(r, sqrt(both)) || 0. == r->s[ALPHA];
}

const struct algorithm algorithm_lsqr = {
        .name = "lsqr",
        .about = "LSQR (Paige and Saunders 1982): conjugate gradients by bidiagonalisation. From a starting "
                 "point x0 "
                 "the penalty is lambda/2 |x - x0|^2",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_COMPLEX | MONOTONE,
        .volumes = 3,
        .projections = 2,
        .distributed = true,
        .begin = begin_lsqr,
        .iterate = lsqr,
};

static void begin_lsmr(struct run *r)
{
	double *q = &r->s[STATE];

	bidiagonalise(r);
	vec_copy(r->type, r->n, r->v[H], r->v[V]);
	vec_clear(r->type, r->n, r->v[W]); // hbar
	q[LSMR_ALPHABAR] = r->s[ALPHA];
	q[LSMR_ZETABAR] = r->s[ALPHA] * r->s[BETA];
	q[LSMR_RHO] = q[LSMR_RHOBAR] = q[LSMR_CBAR] = 1.;
	q[LSMR_SBAR] = 0.;
	r->objective = NAN; // the steps do not know it
}

static void lsmr(struct run *r)
{
	int place;
	double *n = go_on(r, NUMBERS_LSMR, LSMR_NUMBERS, r->w[1], r->v[3], &place);

	run_mix(r, r->n, r->v[W], factor_of(1.), r->v[H], factor_times(-1., n + GK_BAR_BY), NULL);
	step_along(r, LSMR_NUMBERS, r->v[W], n, place);
	run_mix(r, r->n, r->v[H], factor_of(1.), r->v[V], factor_of(-run_told(r, place + GK_BY)), NULL);
	r->gradient = fabs(r->s[STATE + LSMR_ZETABAR]);
	r->minimum = is_rounding(r, r->s[FIRST]) || 0. == r->s[ALPHA]; // residuals do not grow
}

const struct algorithm algorithm_lsmr = {
        .name = "lsmr",
        .about = "LSMR (Fong and Saunders 2011): the gradient falls in every step. From a starting point x0 "
                 "the penalty "
                 "is lambda/2 |x - x0|^2",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_COMPLEX,
        .volumes = 4,
        .projections = 2,
        .distributed = true,
        .begin = begin_lsmr,
        .iterate = lsmr,
};

enum { P = 0 };
enum { GAMMA, ROUNDINGS, START }; // ROUNDINGS: the square of a residual within rounding; START: the first

static void begin_cgne(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);
	linop_adjoint(r->p->A, r->v[P], r->w[0]);
	r->s[GAMMA] = vec_dot(r->type, r->m, r->w[0], r->w[0]);
	r->s[ROUNDINGS] =
	        vec_dot(r->type, r->m, r->p->y, r->p->y) * ((8 == dtype_unit(r->type)) ? 1e-30 : 1e-13);
	r->residual = r->s[START] = sqrt(r->s[GAMMA]);
	r->minimum = 0. == r->s[GAMMA];
}

static void cgne(struct run *r)
{
	const double before = r->s[GAMMA];
	int p2, size, gamma;
	double *along = run_ask(r, &p2), *x2 = run_ask(r, &size), *next = run_ask(r, &gamma);

	vec_dot_to(r->type, r->n, along, r->v[P], r->v[P]);
	run_mix(r, r->n, r->x, factor_over(before, along), r->v[P], factor_of(1.), x2);
	linop_forward(r->p->A, r->w[1], r->v[P]);
	run_mix(r, r->m, r->w[0], factor_over(-before, along), r->w[1], factor_of(1.), next);
	linop_adjoint(r->p->A, r->v[1], r->w[0]);
	run_mix(r, r->n, r->v[P], factor_of(1.), r->v[1], factor_times(1. / before, next), NULL);

	const int slope = run_ask_norm(r, r->n, r->v[1]);

	run_fetch(r);
	run_told_size(r, size);
	r->s[GAMMA] = run_told(r, gamma);
	r->residual = sqrt(r->s[GAMMA]);
	r->minimum = 0. == run_told(r, p2); // which moved nothing

	if (r->minimum)
		return;

	r->step = before / run_told(r, p2);
	r->gradient = run_told(r, slope);
	r->minimum = 0. == r->gradient || r->s[GAMMA] <= r->s[ROUNDINGS];
}

/** A residual beyond that at the start is a sign that the equations have no solution, but no proof. */
static void end_cgne(struct run *r)
{
	const double within = 100. * r->s[ROUNDINGS]; // of sums of the operator

	if (NULL != r->conf->monitor && r->residual > r->s[START] && r->s[GAMMA] > within)
		warn("cgne: the residual grew from %g to %g in %ld iteration%s: the projections may not be "
		     "those of any volume (use lsqr)",
		        r->s[START], r->residual, r->k, (1 == r->k) ? "" : "s");
}

const struct algorithm algorithm_cgne = {
        .name = "cgne",
        .about = "Craig's method: for equations that have a solution, the solution nearest to the start; "
                 "noisy projections have none, and the residual then does not settle",
        .takes = ANYWHERE | TAKES_COMPLEX,
        .volumes = 2,
        .projections = 2,
        .distributed = true,
        .begin = begin_cgne,
        .iterate = cgne,
        .end = end_cgne,
};
