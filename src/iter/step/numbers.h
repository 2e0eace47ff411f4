#ifndef ITER_STEP_NUMBERS_H
#define ITER_STEP_NUMBERS_H

#include <math.h>
#include <stdbool.h>

#include "num/device/cuda/device_fn.h"

/** Numbers of an iteration, such as step lengths, are computed on the device of the vectors. The device can
 * continue before the host has received these numbers (iter/algorithm/algorithm.h). */

/** Selects the numbers that numbers_apply() computes in the array n[]. The array is on the device of the
 * vectors. The comments below name the vector updates that use the numbers. */
enum numbers_rule {
	// conjugate gradients: the step length, 0 if CG_CURVED <= 0 or CG_GAMMA <= 1e-12 CG_FIRST
	NUMBERS_STEP,
	NUMBERS_NEXT, // conjugate gradients: along = a slope + b along
	NUMBERS_LSQR, // LSQR: x += step w, w = v - ratio w
	NUMBERS_LSMR  // LSMR: hbar = h - hbar_by hbar, x += step hbar, h = v - h_by h
};

enum { CG_GAMMA, CG_FIRST, CG_CURVED, CG_NEXT, CG_STEP, CG_A, CG_B, CG_NUMBERS };
enum { GK_ALPHA2, GK_BETA2, GK_STEP, GK_BY, GK_BAR_BY, GK_STATE }; // n[GK_STATE] is the first new state
enum { LSQR_RHOBAR, LSQR_PHIBAR, LSQR_LOST, LSQR_NUMBERS };
enum { LSMR_ALPHABAR, LSMR_ZETABAR, LSMR_RHO, LSMR_RHOBAR, LSMR_CBAR, LSMR_SBAR, LSMR_NUMBERS };
enum { NUMBERS_MOST = GK_STATE + LSMR_NUMBERS };

/** Input numbers of numbers_apply() that the host knows before the iteration. `lambda` is the factor of the
 * penalty lambda/2 |x|^2. `state` is the state of LSQR or LSMR after the previous iteration. */
struct numbers_given {
	double lambda, state[LSMR_NUMBERS];
};

/** Computes the numbers for the next search direction of conjugate gradients. After a step length of 0,
 * vectors and numbers no longer change. */
DEVICE_FN void numbers_next(double *n)
{
	const bool moves = 0. != n[CG_STEP];

	n[CG_A] = moves ? 1. : 0.;
	n[CG_B] = moves ? n[CG_NEXT] / n[CG_GAMMA] : 1.;
	n[CG_GAMMA] = moves ? n[CG_NEXT] : n[CG_GAMMA];
}

/**
 * Applies the Givens rotations of one LSQR iteration [1]. `alpha` and `beta` are the new entries of the
 * bidiagonal matrix. `lambda` is the factor of the penalty lambda/2 |x|^2. The arrays old and next have
 * LSQR_NUMBERS elements and may be the same array. `step` and `ratio` receive the factors of `x += step w`
 * and `w = v - ratio w`.
 *
 * [1] C. C. Paige and M. A. Saunders, LSQR: An algorithm for sparse linear equations and sparse least
 * squares, ACM Trans. Math. Softw. 8(1), 1982.
 */
DEVICE_FN void lsqr_rotation(const double *old, double lambda, double alpha, double beta, double *next,
        double *step, double *ratio)
{
	const double rhobar = old[LSQR_RHOBAR], phibar = old[LSQR_PHIBAR];
	const double damped = hypot(rhobar, sqrt(lambda)), psi = sqrt(lambda) / damped * phibar;
	const double rho = hypot(damped, beta), c = damped / rho, s = beta / rho;
	const double left = phibar * (rhobar / damped);

	next[LSQR_LOST] = old[LSQR_LOST] + psi * psi;
	next[LSQR_PHIBAR] = left * s;
	next[LSQR_RHOBAR] = -c * alpha;
	*step = c * left / rho;
	*ratio = s * alpha / rho;
}

/**
 * Applies the rotations of one LSMR iteration [1, section 5]. The parameters are those of lsqr_rotation().
 * The arrays old and next have LSMR_NUMBERS elements. The factors of the vector updates are written to
 * n[GK_STEP], n[GK_BY] and n[GK_BAR_BY].
 *
 * [1] D. C.-L. Fong and M. A. Saunders, LSMR: An iterative algorithm for sparse least-squares problems,
 * SIAM J. Sci. Comput. 33(5), 2011.
 */
DEVICE_FN void lsmr_rotation(
        const double *old, double lambda, double alpha, double beta, double *next, double *n)
{
	const double alphahat = hypot(old[LSMR_ALPHABAR], sqrt(lambda));
	const double last = old[LSMR_RHO], lastbar = old[LSMR_RHOBAR];
	const double rho = hypot(alphahat, beta), c = alphahat / rho, s = beta / rho;
	const double theta = s * alpha, thetabar = old[LSMR_SBAR] * rho;
	const double rhobar = hypot(old[LSMR_CBAR] * rho, theta), cbar = old[LSMR_CBAR] * (rho / rhobar);
	const double sbar = theta / rhobar, zeta = cbar * old[LSMR_ZETABAR];

	next[LSMR_ALPHABAR] = c * alpha;
	next[LSMR_ZETABAR] = old[LSMR_ZETABAR] * -sbar;
	next[LSMR_RHO] = rho;
	next[LSMR_RHOBAR] = rhobar;
	next[LSMR_CBAR] = cbar;
	next[LSMR_SBAR] = sbar;
	n[GK_STEP] = zeta / (rho * rhobar);
	n[GK_BY] = theta / rho;
	n[GK_BAR_BY] = thetabar * rho / (last * lastbar);
}

/** Computes the numbers that `rule` selects, with n[] and `g` as input. The results are written to n[]. */
DEVICE_FN void numbers_apply(enum numbers_rule rule, const struct numbers_given *g, double *n)
{
	switch (rule) {
	case NUMBERS_STEP:
		n[CG_STEP] = (n[CG_CURVED] > 0. && n[CG_GAMMA] > 1e-12 * n[CG_FIRST])
		                     ? n[CG_GAMMA] / n[CG_CURVED]
		                     : 0.;
		break;
	case NUMBERS_NEXT:
		numbers_next(n);
		break;
	case NUMBERS_LSQR:
		lsqr_rotation(g->state, g->lambda, sqrt(n[GK_ALPHA2]), sqrt(n[GK_BETA2]), n + GK_STATE,
		        n + GK_STEP, n + GK_BY);
		break;
	default:
		lsmr_rotation(g->state, g->lambda, sqrt(n[GK_ALPHA2]), sqrt(n[GK_BETA2]), n + GK_STATE, n);
	}
}

#endif
