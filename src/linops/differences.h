#ifndef LINOPS_DIFFERENCES_H
#define LINOPS_DIFFERENCES_H

#include "linops/linop.h"

/** Second differences and symmetrised derivatives; the gradient is in linop.h. h: voxel size [mm], > 0. */

/** The Laplacian: sum over the dims in flags of (x[i+1] - 2 x[i] + x[i-1]) / h[d]^2. Values beyond an end are
 * the last element, zero or periodic; GRAD_ONE_SIDED is not supported. Self-adjoint. For the boundaries
 * replicate and periodic, the Laplacian equals -D'D, where D is linop_gradient_create() with forward (or
 * backward) differences and the same boundary. */
extern struct linop *linop_laplacian_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_boundary boundary);

/**
 * The symmetrised Jacobian e_ab = 1/2 (d_a v_b + d_b v_a) of a vector field v, for second-order total
 * generalised variation [1]. v has the shape of a gradient along the dims in flags: dims[0..D-1], then P
 * components in ascending order of their dims. The result has P (P + 1) / 2 components along dim D: e_00,
 * e_11, ... first, then sqrt(2) e_ab for (a, b) = (0, 1), (0, 2), ..., (1, 2) and so on. Due to the factor
 * sqrt(2), the sum of squares over the components is the squared Frobenius norm of the tensor. The adjoint is
 * the exact transpose with plain sums as inner products. Schemes and boundaries are those of
 * linop_gradient_create(); if the gradient uses forward differences, the symmetrised Jacobian usually uses
 * backward differences.
 *
 * [1] K. Bredies, K. Kunisch and T. Pock, Total generalized variation, SIAM J. Imaging Sci. 3, 2010.
 */
extern struct linop *linop_symmetric_gradient_create(enum dtype type, int D, const long dims[],
        unsigned long flags, const double h[], enum grad_scheme scheme, enum grad_boundary boundary);

#endif
