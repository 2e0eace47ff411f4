#ifndef ITER_ALGORITHM_KRYLOV_H
#define ITER_ALGORITHM_KRYLOV_H

#include "misc/dtype.h"

/** What Golub and Kahan's bidiagonalisation is made of (iter/algorithm/krylov.c). */

/** u /= |u|, of n elements; returns |u|, 0 leaving u alone. */
extern double krylov_normalise(enum dtype t, long n, void *u);

/** The numbers of LSQR: the residual with damping is phibar^2 + lost. */
struct lsqr_numbers {
	double rhobar, phibar, lost;
};

/** The next row, of alpha and beta, rotated in, that of the damping lambda before: the step along w, and
 * *ratio in w = v - ratio w. */
extern double lsqr_rotate(struct lsqr_numbers *q, double lambda, double alpha, double beta, double *ratio);

#endif
