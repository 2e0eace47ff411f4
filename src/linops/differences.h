#ifndef LINOPS_DIFFERENCES_H
#define LINOPS_DIFFERENCES_H

#include "linops/linop.h"

/** Second differences and symmetrised derivatives. The gradient is in linop.h. `h` has the voxel size along
 * each dim [mm]. Voxel sizes must be positive. */

/**
 * Creates the Laplacian along the dims in flags. The result for a voxel is:
 *
 *     sum over d of (x[i+1] - 2 x[i] + x[i-1]) / h[d]^2
 *
 * The boundaries are explained at enum grad_boundary (linop.h). GRAD_ONE_SIDED is an error(). The Laplacian
 * is self-adjoint. With GRAD_REPLICATE or GRAD_PERIODIC, the Laplacian equals -G'G, where G is the gradient
 * with the same boundary. The gradient must have forward or backward differences.
 */
extern struct linop *linop_laplacian_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_boundary boundary);

/**
 * Creates the symmetrised Jacobian e_ab = 1/2 (d_a v_b + d_b v_a) of a vector field v. Second-order total
 * generalised variation uses this operator [1].
 *
 * The first D dims of v are dims[], and dim D contains P components. The components belong to the dims in
 * flags, in ascending order. The result has P (P + 1) / 2 components along the last dim:
 *
 *     e_00, e_11, ...; sqrt(2) e_01, sqrt(2) e_02, ..., sqrt(2) e_12, ...
 *
 * With the factor sqrt(2), the sum of squares of the components is the squared Frobenius norm. The adjoint is
 * the exact transpose. Inner products have no weights.
 *
 * Schemes and boundaries are explained at linop_gradient_create(). If the gradient has forward differences,
 * the symmetrised Jacobian usually has backward differences.
 *
 * [1] K. Bredies, K. Kunisch and T. Pock, Total generalized variation, SIAM J. Imaging Sci. 3, 2010.
 */
extern struct linop *linop_symmetric_gradient_create(enum dtype type, int D, const long dims[],
        unsigned long flags, const double h[], enum grad_scheme scheme, enum grad_boundary boundary);

#endif
