#ifndef ITER_ALGORITHM_SIRT_H
#define ITER_ALGORITHM_SIRT_H

#include "iter/algorithm/algorithm.h"

/** Shared by SIRT, SART and methods based on them: the volumes and projections that a run needs. */
enum { SIRT_STEP, SIRT_COLUMNS, SIRT_VOLUMES };
enum { SIRT_RESIDUAL, SIRT_ROWS, SIRT_PROJECTIONS };

/** Computes the sums of the rows of all subsets, and r->residual. Must be called before the other
 * functions. */
extern void sirt_begin(struct run *r);

/** w[SIRT_RESIDUAL] = y - A x; returns its norm squared. */
extern double sirt_residual(struct run *r, const struct linop *A, const void *y);

/**
 * x += relaxation C A_s' R (y - A_s x) for each subset s in turn. R and C divide by the sums of rows and
 * columns. After each subset the proximal operator of the term is applied. Computes one iteration of
 * algorithms with the flag KEEPS_SUMS. Returns the sum of the squared residuals before the updates; *moved:
 * the sum of the lengths of the steps.
 */
extern double sirt_pass(struct run *r, double relaxation, double *moved);

#endif
