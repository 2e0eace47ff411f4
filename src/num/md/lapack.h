#ifndef NUM_MD_LAPACK_H
#define NUM_MD_LAPACK_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Computes A = Q R with LAPACK, on one thread. A is m x n, column-major, contiguous, and float64 or
 * complex128. Q replaces the first k columns of A, with k = min(m, n). R is k x n, contiguous and of the same
 * type. R is upper triangular with a real diagonal >= 0. The error |Q'Q - 1| is below about `10 sqrt(m n)`
 * unit roundoffs [1]. The error |Q R - A| / |A| of each column has the same bound. Returns false and does
 * nothing if OpenBLAS lacks LAPACK, or if the sizes exceed LAPACK's integers.
 *
 * [1] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem 19.4
 */
extern bool lapack_qr(enum dtype t, long m, long n, void *A, void *R);

#endif
