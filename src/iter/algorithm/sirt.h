#ifndef ITER_ALGORITHM_SIRT_H
#define ITER_ALGORITHM_SIRT_H

#include "iter/algorithm/algorithm.h"

/** Vectors of the domain that SIRT, SART and related methods need. */
enum { SIRT_STEP, SIRT_COLUMNS, SIRT_VOLUMES };
/** Vectors of the codomain that SIRT, SART and related methods need. */
enum { SIRT_RESIDUAL, SIRT_ROWS, SIRT_PROJECTIONS };

/** Computes the row sums of A for all subsets, and r->residual. Call sirt_begin() before sirt_pass(). */
extern void sirt_begin(struct run *r);

/** Computes w[SIRT_RESIDUAL] = y - A x. Returns the squared norm of y - A x. */
extern double sirt_residual(struct run *r, const struct linop *A, const void *y);

/**
 * Computes one iteration of SART over all subsets. For each subset s, x becomes
 *
 *     x + relaxation C A_s' R (y - A_s x)
 *
 * R is 1 / (row sums of A_s), and C is 1 / (column sums of A_s). After each subset, the proximal operator of
 * the term is applied to x. The algorithm must have the flag KEEPS_SUMS.
 *
 * Returns the sum over all s of |y - A_s x|^2 before the update by subset s. Writes the sum over all s of |C
 * A_s' R (y - A_s x)| to *moved.
 */
extern double sirt_pass(struct run *r, double relaxation, double *moved);

#endif
