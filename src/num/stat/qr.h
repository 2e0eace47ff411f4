#ifndef NUM_STAT_QR_H
#define NUM_STAT_QR_H

#include "num/array/array.h"

/**
 * A = Q R in place by Gram-Schmidt with views: a (m x n, any float or complex type, any strides) becomes Q in
 * its first k = min(m, n) columns, which are orthonormal; columns beyond are as they were. r (k x n, any type
 * that can hold the numbers) becomes upper triangular with a real diagonal >= 0. Each column is
 * orthogonalised twice against those before it, which is enough for orthogonality to rounding [1], in float64
 * until it is stored; one that depends on them is replaced by a unit vector orthogonal to them, 0 on the
 * diagonal. error() where A is not finite.
 *
 * [1] L. Giraud, J. Langou, M. Rozloznik, The loss of orthogonality in the Gram-Schmidt orthogonalization
 * process, Computers and Mathematics with Applications 50, 2005.
 */
extern void array_qr(struct array *a, struct array *r);

#endif
