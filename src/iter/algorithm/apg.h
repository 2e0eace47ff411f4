#ifndef ITER_ALGORITHM_APG_H
#define ITER_ALGORITHM_APG_H

#include "iter/iter.h"

/**
 * Minimises the f(x) of iter/iter.h over x >= 0 by accelerated projected gradient steps [1] with adaptive
 * restart [2]. Voxel i has the step size 1/d_i, where d = A'W A 1 + lambda. The vector d is an upper bound of
 * the curvature (a separable quadratic surrogate [3]). A must have a real type and no negative elements.
 *
 * The objective f never increases, and x converges to a minimiser. At the minimum gradient_i = 0 where x_i >
 * 0, and gradient_i >= 0 where x_i = 0. Voxels with d_i = 0 keep their starting value. A starting point is
 * projected onto x >= 0. The tolerance is met when |d (z - x)| <= tolerance |A'W y|. The last projected
 * step went from z to x.
 *
 * An iteration makes one forward and one adjoint projection. The start makes one forward and one adjoint
 * projection. A given starting point costs one more forward projection. A tolerance costs one more adjoint
 * projection. The memory is 3 vectors of the domain and 3 of the codomain.
 *
 * The vector x has linop_domain_size(A) elements. On entry x is the starting point if conf->warm is true. On
 * return x is the result.
 *
 * [1] A. Beck, M. Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems,
 * SIAM Journal on Imaging Sciences 2(1), 2009; Fast gradient-based algorithms for constrained total variation
 * image denoising and deblurring problems, IEEE TIP 18(11), 2009. [2] B. O'Donoghue, E. Candes, Adaptive
 * restart for accelerated gradient schemes, Found. Comput. Math. 15, 2015. [3] H. Erdogan, J. A. Fessler,
 * Ordered subsets algorithms for transmission tomography, Phys. Med. Biol. 44, 1999.
 */
extern struct iter_result apg(const struct iter_problem *p, const struct iter_conf *conf, void *x);

#endif
