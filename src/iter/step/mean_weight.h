#ifndef ITER_STEP_MEAN_WEIGHT_H
#define ITER_STEP_MEAN_WEIGHT_H

#include "iter/iter.h"

/**
 * A diagonal preconditioner for weighted least squares: M = A'1 / A'W1, the inverse of the mean weight of the
 * rays through each voxel. Where few or faint rays pass, the curvature is low and M makes the steps longer.
 * The largest element of M is at most 100 times the smallest one. Constant weights give a constant M, which
 * has no effect. M is positive, in the real type of A's type. Computing M costs two adjoint projections.
 *
 * out: linop_domain_size(A) real elements. `a` and `b` (domain) and `r` (codomain) are vectors of A's type
 * and are overwritten.
 */
extern void mean_weight_inverse(void *out, const struct iter_problem *p, void *a, void *b, void *r);

#endif
