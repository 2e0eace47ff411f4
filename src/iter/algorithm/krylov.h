#ifndef ITER_ALGORITHM_KRYLOV_H
#define ITER_ALGORITHM_KRYLOV_H

#include "misc/dtype.h"

/** The parts of Golub and Kahan's bidiagonalisation (iter/algorithm/krylov.c). */

/** u /= |u|, for a vector u of n elements. Returns |u|; if |u| is 0, u is unchanged. */
extern double krylov_normalise(enum dtype t, long n, void *u);

/** The numbers of LSQR. The squared norm of the residual with damping is phibar^2 + lost. */
struct lsqr_numbers {
	double rhobar, phibar, lost;
};

/** Applies the Givens rotations for the damping lambda and for the next row (alpha, beta). Returns the step
 * along w; *ratio is the factor in w = v - ratio w. */
extern double lsqr_rotate(struct lsqr_numbers *q, double lambda, double alpha, double beta, double *ratio);

#endif
