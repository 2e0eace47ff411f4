#ifndef NUM_STAT_QR_H
#define NUM_STAT_QR_H

#include "num/array/array.h"

/**
 * Computes the QR decomposition A = Q R in place. The m x n matrix a has any float or complex type and any
 * strides. The first k = min(m, n) columns become the orthonormal matrix Q, and further columns are
 * unchanged. The k x n matrix r becomes upper triangular with a real diagonal >= 0. The type of r must hold
 * the numbers. Computation is in float64, and results are rounded to the types of a and r. Elements of a that
 * are not finite are an error().
 *
 * If available, LAPACK is used, and needs memory for a float64 copy of A. Otherwise every column is
 * orthogonalised twice by the Gram-Schmidt method [1]. If a column of A depends linearly on earlier columns,
 * the diagonal element of R is 0. The column of Q is then any unit vector orthogonal to earlier columns. The
 * other elements from both methods agree within `100 cond(A)` roundings.
 *
 * [1] L. Giraud, J. Langou, M. Rozloznik, The loss of orthogonality in the Gram-Schmidt orthogonalization
 * process, Computers and Mathematics with Applications 50, 2005.
 */
extern void array_qr(struct array *a, struct array *r);

#endif
