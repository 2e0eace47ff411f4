#ifndef ITER_ALGORITHM_KRYLOV_H
#define ITER_ALGORITHM_KRYLOV_H

#include "misc/dtype.h"

/** Functions shared by LSQR, LSMR and other methods based on Golub-Kahan bidiagonalisation. */

/** Divides the vector u of n elements by |u|. Returns |u|. If |u| is 0, u is not changed. */
extern double krylov_normalise(enum dtype t, long n, void *u);

/** The state of LSQR. The squared norm of the damped residual is phibar^2 + lost. */
struct lsqr_numbers {
	double rhobar, phibar, lost;
};

/** Applies the Givens rotations of one LSQR iteration. The damping is lambda. `alpha` and `beta` are the next
 * elements of the bidiagonal matrix. Returns the step size along the search direction w. The next direction
 * is v - ratio w. */
extern double lsqr_rotate(struct lsqr_numbers *q, double lambda, double alpha, double beta, double *ratio);

#endif
