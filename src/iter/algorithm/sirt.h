#ifndef ITER_ALGORITHM_SIRT_H
#define ITER_ALGORITHM_SIRT_H

#include "iter/algorithm/algorithm.h"

/** What SIRT, SART and methods that are made of them share: of the run, these volumes and projections. */
enum { SIRT_STEP, SIRT_COLUMNS, SIRT_VOLUMES };
enum { SIRT_RESIDUAL, SIRT_ROWS, SIRT_PROJECTIONS };

/** Before the others: sums of the rows of all subsets; r->residual. */
extern void sirt_begin(struct run *r);

/** w[SIRT_RESIDUAL] = y - A x; returns its norm squared. */
extern double sirt_residual(struct run *r, const struct linop *A, const void *y);

/**
 * x += relaxation C A_s' R (y - A_s x) for each subset s in turn, R and C dividing by the sums of its rows
 * and columns; the term with a proximal operator follows each; for algorithms with KEEPS_SUMS. Returns the
 * sum of the squared residuals met on the way; moved: of the lengths of the steps.
 */
extern double sirt_pass(struct run *r, double relaxation, double *moved);

#endif
