#ifndef ITER_STEP_MEAN_WEIGHT_H
#define ITER_STEP_MEAN_WEIGHT_H

#include "iter/iter.h"

/**
 * Computes a diagonal preconditioner M for weighted least squares:
 *
 *     M = A'1 / A'W1
 *
 * M is the inverse of the mean weight of the rays through each voxel. Where the mean weight is small, the
 * curvature is small, and M makes the steps longer. The largest element of M is at most 100 times the
 * smallest. If all weights are equal, M is constant and has no effect.
 *
 * `out` receives one positive real number per voxel, in the precision of the other vectors. The vectors a, b
 * and r are work space. The vectors a and b belong to the domain, and r belongs to the codomain. The function
 * computes two back projections. A mean weight that overflows the type is an error().
 */
extern void mean_weight_inverse(void *out, const struct iter_problem *p, void *a, void *b, void *r);

#endif
