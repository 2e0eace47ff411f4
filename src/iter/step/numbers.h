#ifndef ITER_STEP_NUMBERS_H
#define ITER_STEP_NUMBERS_H

#include <math.h>
#include <stdbool.h>

#include "num/device/cuda/device_fn.h"

/** Numbers of an iteration, computed on the device of its vectors. The device can then continue the iteration
 * before the host has received these numbers (iter/algorithm/algorithm.h). */

/** Rules that compute numbers of an iteration, on the device of the vectors. Their inputs are n[] on this
 * device and struct numbers_given, which the host knows when the iteration starts. Brackets after a rule
 * contain the numbers that it writes, or the updates that use these numbers. */
enum numbers_rule {
	// a step of conjugate gradients and what follows it, until |slope|^2 <= 1e-12 first or curved <= 0
	NUMBERS_STEP, // [step]
	NUMBERS_NEXT, // [along = a slope + b along, gamma]
	NUMBERS_LSQR, // [x += step w, w = v - ratio w]
	NUMBERS_LSMR  // [hbar = h - hbar_by hbar, x += step hbar, h = v - h_by h]
};

enum { CG_GAMMA, CG_FIRST, CG_CURVED, CG_NEXT, CG_STEP, CG_A, CG_B, CG_NUMBERS };
enum { GK_ALPHA2, GK_BETA2, GK_STEP, GK_BY, GK_BAR_BY, GK_STATE }; // GK_STATE: the new numbers, as given
enum { LSQR_RHOBAR, LSQR_PHIBAR, LSQR_LOST, LSQR_NUMBERS };
enum { LSMR_ALPHABAR, LSMR_ZETABAR, LSMR_RHO, LSMR_RHOBAR, LSMR_CBAR, LSMR_SBAR, LSMR_NUMBERS };
enum { NUMBERS_MOST = GK_STATE + LSMR_NUMBERS };

struct numbers_given {
	double lambda, state[LSMR_NUMBERS];
};

/** A step of 0 ends conjugate gradients: from then on nothing changes. */
DEVICE_FN void numbers_next(double *n)
{
	const bool moves = 0. != n[CG_STEP];

	n[CG_A] = moves ? 1. : 0.;
	n[CG_B] = moves ? n[CG_NEXT] / n[CG_GAMMA] : 1.;
	n[CG_GAMMA] = moves ? n[CG_NEXT] : n[CG_GAMMA];
}

/** Applies the Givens rotations for the damping and for the next row (alpha, beta) of the bidiagonal matrix:
 * C. C. Paige and M. A. Saunders, LSQR, ACM Trans. Math. Softw. 8(1), 1982. old and next have LSQR_NUMBERS
 * elements each and may be the same array. */
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

/** The rotations of LSMR: D. C.-L. Fong and M. A. Saunders, SIAM J. Sci. Comput. 33(5), 2011, section 5. */
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
