#ifndef NUM_STAT_QR_H
#define NUM_STAT_QR_H

#include "num/array/array.h"

/**
 * Computes A = Q R in place. a is m x n, of any float or complex type and with any strides. Its first k =
 * min(m, n) columns become Q, which is orthonormal; further columns are unchanged. r (k x n, any type that
 * can hold the numbers) becomes upper triangular with a real diagonal >= 0. Computes in float64; only stored
 * numbers are rounded to the types of a and r. If OpenBLAS contains LAPACK, LAPACK is used (num/md/lapack.h),
 * which needs memory for a copy of a in float64, R and 64 columns. Otherwise, Gram-Schmidt is used on views
 * of a: each column is orthogonalised twice against earlier columns, which suffices for orthogonality to
 * rounding [1]. A column that is linearly dependent on earlier columns, up to rounding, has 0 on the diagonal
 * of R. The corresponding column of Q is a unit vector orthogonal to the earlier ones, and differs between
 * the two methods. Other elements of Q and R agree between both methods within 100 cond(A) roundings. error()
 * if A is not finite.
 *
 * [1] L. Giraud, J. Langou, M. Rozloznik, The loss of orthogonality in the Gram-Schmidt orthogonalization
 * process, Computers and Mathematics with Applications 50, 2005.
 */
extern void array_qr(struct array *a, struct array *r);

#endif
