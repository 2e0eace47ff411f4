#ifndef ITER_ALGORITHM_APG_H
#define ITER_ALGORITHM_APG_H

#include "iter/iter.h"

/**
 * Minimises the f(x) of iter/iter.h over x >= 0 by accelerated projected gradient steps [1] with adaptive
 * restart [2]. Each voxel has its own step 1/d_i, where d = A'W A 1 + lambda bounds the curvature (a
 * separable quadratic surrogate [3]). A must have no negative elements, which holds for every X-ray
 * transform. Each iteration makes one forward and one adjoint projection. One forward and one adjoint
 * projection precede the first iteration. A warm start needs one more forward projection, and a tolerance
 * needs one more adjoint projection. f never increases, and x converges to a minimiser; at the minimum
 * gradient_i = 0 where x_i > 0 and gradient_i >= 0 where x_i = 0. Stops when |d (z - x)| <= tolerance |A'W
 * y|, where the last step went from z to x. Real types only. A warm start is projected onto x >= 0. Voxels
 * that no ray of positive weight meets keep their starting value.
 *
 * x: linop_domain_size(A) elements, in and out. Memory: 3 vectors of the domain and 3 of the codomain.
 */
extern struct iter_result apg(const struct iter_problem *p, const struct iter_conf *conf, void *x);

#endif
