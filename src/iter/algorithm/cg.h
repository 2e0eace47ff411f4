#ifndef ITER_ALGORITHM_CG_H
#define ITER_ALGORITHM_CG_H

#include "iter/iter.h"

/**
 * Solves (A'WA + lambda) x = A'W y by conjugate gradients. The method is CGLS [1], which updates the residual
 * y - A x. Vectors have the type of A, and inner products are float64. Complex vectors have the inner product
 * Re <a, b>.
 *
 * With weights, the method uses the diagonal preconditioner of iter/step/mean_weight.h. The preconditioner
 * does not change the minimiser. With constant weights, the preconditioner has no effect.
 *
 * An iteration makes one forward and one adjoint projection. A given starting point costs one more forward
 * projection. A tolerance costs one more adjoint projection. Weights cost two more adjoint projections at the
 * start.
 *
 * The memory is 2 vectors of the domain and 2 of the codomain. Weights need one more vector of the domain.
 *
 * The vector x has linop_domain_size(A) elements. On entry x is the starting point if conf->warm is true. On
 * return x is the result.
 *
 * [1] A. Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, section 7.4.1; M. R. Hestenes, E.
 * Stiefel, Methods of conjugate gradients for solving linear systems, J. Res. Nat. Bur. Standards 49, 1952.
 */
extern struct iter_result cg(const struct iter_problem *p, const struct iter_conf *conf, void *x);

#endif
