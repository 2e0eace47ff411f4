/*
 * Krylov methods for least squares, |A x - y|^2 + lambda |x|^2: LSQR [1], LSMR [2], CGNE (Craig's method: the
 * solution of least norm of a consistent system [3]).
 * [1] C. C. Paige and M. A. Saunders, LSQR: an algorithm for sparse linear equations and sparse least
 * squares, ACM TOMS 8(1), 1982. [2] D. C.-L. Fong and M. Saunders, LSMR: an iterative algorithm for sparse
 * least-squares problems, SIAM J. Sci. Comput. 33(5), 2011. [3] A. Bjorck, Numerical Methods for Least
 * Squares Problems, SIAM 1996, 7.4.2.
 */

#include <math.h>

#include "iter/krylov.h"

#include "iter/algorithm.h"
#include "num/flpmath.h"

enum { V, W, H }; // vectors of the domain; U is w[0]
enum { ALPHA, BETA, PHIBAR, RHOBAR, ZETABAR, ALPHABAR, RHO, RHOBAR2, CBAR, SBAR, DAMPED, START };

double krylov_normalise(enum dtype t, long n, void *u)
{
	const double norm = vec_norm(t, n, u);

	if (norm > 0.)
		vec_scale(t, n, u, 1. / norm);

	return norm;
}

double lsqr_rotate(struct lsqr_numbers *q, double lambda, double alpha, double beta, double *ratio)
{
	const double damped = hypot(q->rhobar, sqrt(lambda)), psi = sqrt(lambda) / damped * q->phibar;
	const double rho = hypot(damped, beta), c = damped / rho, s = beta / rho;

	q->lost += psi * psi;
	q->phibar *= q->rhobar / damped;

	const double step = c * q->phibar / rho;

	q->phibar *= s;
	q->rhobar = -c * alpha;
	*ratio = s * alpha / rho;

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
}

/** The next beta u = A v - alpha u, alpha v = A' u - beta v. */
static void go_on(struct run *r, void *Av, void *Au)
{
	linop_forward(r->p->A, Av, r->v[V]);
	vec_axpby(r->type, r->m, r->w[0], 1., Av, -r->s[ALPHA], r->w[0]);
	r->s[BETA] = krylov_normalise(r->type, r->m, r->w[0]);
	linop_adjoint(r->p->A, Au, r->w[0]);
	vec_axpby(r->type, r->n, r->v[V], 1., Au, -r->s[BETA], r->v[V]);
	r->s[ALPHA] = krylov_normalise(r->type, r->n, r->v[V]);
}

static void begin_lsqr(struct run *r)
{
	bidiagonalise(r);
	vec_copy(r->type, r->n, r->v[W], r->v[V]);
	r->s[PHIBAR] = r->s[BETA];
	r->s[RHOBAR] = r->s[ALPHA];
	r->s[DAMPED] = 0.;
}

static void lsqr(struct run *r)
{
	struct lsqr_numbers q = {r->s[RHOBAR], r->s[PHIBAR], r->s[DAMPED]};
	double ratio;

	go_on(r, r->w[1], r->v[2]);
	r->step = lsqr_rotate(&q, r->p->lambda, r->s[ALPHA], r->s[BETA], &ratio);
	r->s[RHOBAR] = q.rhobar;
	r->s[PHIBAR] = q.phibar;
	r->s[DAMPED] = q.lost;
	vec_axpy(r->type, r->n, r->x, r->step, r->v[W]);
	vec_axpby(r->type, r->n, r->v[W], 1., r->v[V], -ratio, r->v[W]);
	r->objective = 0.5 * (q.phibar * q.phibar + q.lost);
	r->residual = (0. == r->p->lambda) ? q.phibar : NAN;
	r->gradient = fabs(q.phibar * q.rhobar);
	r->minimum = 0. == r->s[ALPHA] || 0. == r->gradient;
}

const struct algorithm algorithm_lsqr = {
        .name = "lsqr",
        .about = "LSQR (Paige and Saunders 1982): conjugate gradients by bidiagonalisation. From a starting "
                 "point x0 "
                 "the penalty is lambda/2 |x - x0|^2",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_COMPLEX | MONOTONE,
        .volumes = 3,
        .projections = 2,
        .begin = begin_lsqr,
        .iterate = lsqr,
};

static void begin_lsmr(struct run *r)
{
	bidiagonalise(r);
	vec_copy(r->type, r->n, r->v[H], r->v[V]);
	vec_clear(r->type, r->n, r->v[W]); // hbar
	r->s[ALPHABAR] = r->s[ALPHA];
	r->s[ZETABAR] = r->s[ALPHA] * r->s[BETA];
	r->s[RHO] = r->s[RHOBAR2] = r->s[CBAR] = 1.;
	r->s[SBAR] = 0.;
	r->objective = NAN; // the steps do not know it
}

static void lsmr(struct run *r)
{
	const double damp = sqrt(r->p->lambda);

	go_on(r, r->w[1], r->v[3]);

	const double alphahat = hypot(r->s[ALPHABAR], damp);
	const double last = r->s[RHO], lastbar = r->s[RHOBAR2];
	const double rho = hypot(alphahat, r->s[BETA]), c = alphahat / rho, s = r->s[BETA] / rho;
	const double theta = s * r->s[ALPHA], thetabar = r->s[SBAR] * rho;
	const double rhobar = hypot(r->s[CBAR] * rho, theta);

	r->s[ALPHABAR] = c * r->s[ALPHA];
	r->s[CBAR] *= rho / rhobar;
	r->s[SBAR] = theta / rhobar;

	const double zeta = r->s[CBAR] * r->s[ZETABAR];

	r->s[ZETABAR] *= -r->s[SBAR];
	r->s[RHO] = rho;
	r->s[RHOBAR2] = rhobar;

	vec_axpby(r->type, r->n, r->v[W], 1., r->v[H], -thetabar * rho / (last * lastbar), r->v[W]);
	r->step = zeta / (rho * rhobar);
	vec_axpy(r->type, r->n, r->x, r->step, r->v[W]);
	vec_axpby(r->type, r->n, r->v[H], 1., r->v[V], -theta / rho, r->v[H]);
	r->gradient = fabs(r->s[ZETABAR]);
	r->minimum = 0. == r->s[ALPHA] || 0. == r->gradient;
}

const struct algorithm algorithm_lsmr = {
        .name = "lsmr",
        .about = "LSMR (Fong and Saunders 2011): the gradient falls in every step. From a starting point x0 "
                 "the penalty "
                 "is lambda/2 |x - x0|^2",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_COMPLEX,
        .volumes = 4,
        .projections = 2,
        .begin = begin_lsmr,
        .iterate = lsmr,
};

enum { P = 0 };
enum { GAMMA, LEAST };

static void begin_cgne(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);
	linop_adjoint(r->p->A, r->v[P], r->w[0]);
	r->s[GAMMA] = vec_dot(r->type, r->m, r->w[0], r->w[0]);
	r->s[LEAST] = r->s[GAMMA] * ((8 == dtype_unit(r->type)) ? 1e-30 : 1e-13); // roundings are left
	r->residual = sqrt(r->s[GAMMA]);
	r->minimum = 0. == r->s[GAMMA];
}

static void cgne(struct run *r)
{
	const double p2 = vec_dot(r->type, r->n, r->v[P], r->v[P]);

	if (0. == p2) {
		r->minimum = true;
		r->residual = sqrt(r->s[GAMMA]);
		return;
	}

	const double alpha = r->s[GAMMA] / p2, before = r->s[GAMMA];

	vec_axpy(r->type, r->n, r->x, alpha, r->v[P]);
	linop_forward(r->p->A, r->w[1], r->v[P]);
	vec_axpy(r->type, r->m, r->w[0], -alpha, r->w[1]);
	r->s[GAMMA] = vec_dot(r->type, r->m, r->w[0], r->w[0]);
	linop_adjoint(r->p->A, r->v[1], r->w[0]);
	vec_axpby(r->type, r->n, r->v[P], 1., r->v[1], r->s[GAMMA] / before, r->v[P]);
	r->step = alpha;
	r->residual = sqrt(r->s[GAMMA]);
	r->gradient = vec_norm(r->type, r->n, r->v[1]);
	r->minimum = 0. == r->gradient || r->s[GAMMA] <= r->s[LEAST];
}

const struct algorithm algorithm_cgne = {
        .name = "cgne",
        .about = "Craig's method: the solution nearest to the start of equations that have one; noisy "
                 "projections have "
                 "none, and the residual then does not settle",
        .takes = ANYWHERE | TAKES_COMPLEX,
        .volumes = 2,
        .projections = 2,
        .begin = begin_cgne,
        .iterate = cgne,
};
