#ifndef NUM_MD_LAPACK_H
#define NUM_MD_LAPACK_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * A = Q R by LAPACK's Householder reflections, on one thread. A is m x n, column-major, contiguous, float64
 * or complex128; Q replaces its first k = min(m, n) columns. R (k x n, the same type, contiguous) is upper
 * triangular with a real diagonal >= 0. |Q'Q - 1| and, for each column, |Q R - A| / |A| are below about 10
 * sqrt(m n) unit roundoffs (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem
 * 19.4). Returns false and does nothing if OpenBLAS (num/md/blas.h) or its LAPACK is absent or the sizes
 * exceed its integers.
 */
extern bool lapack_qr(enum dtype t, long m, long n, void *A, void *R);

#endif
