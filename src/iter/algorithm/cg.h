#ifndef ITER_ALGORITHM_CG_H
#define ITER_ALGORITHM_CG_H

#include "iter/iter.h"

/**
 * Conjugate gradients on the normal equations (A'WA + lambda) x = A'W y, in the form that updates the
 * residual y - A x (CGLS [1]). An iteration makes one forward and one adjoint projection. A warm start needs
 * one more forward projection, and a tolerance needs one more adjoint projection. Iterations allocate no
 * memory. Vectors are in A's type, inner products in float64; complex operators are treated as real-linear,
 * with inner products Re <a, b>.
 *
 * With weights the sequence is preconditioned by the diagonal of iter/step/mean_weight.h, which costs two
 * adjoint projections before the first iteration. Preconditioning does not change the minimiser; constant
 * weights have no effect.
 *
 * x: linop_domain_size(A) elements, in and out. Memory: 2 vectors of the domain and 2 of the codomain; with
 * weights 1 more of the domain.
 */
extern struct iter_result cg(const struct iter_problem *p, const struct iter_conf *conf, void *x);

#endif
