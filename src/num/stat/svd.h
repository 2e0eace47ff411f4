#ifndef NUM_STAT_SVD_H
#define NUM_STAT_SVD_H

#include <complex.h>

/**
 * Singular values of M (r x n, column-major) by one-sided Jacobi rotations [1]: M becomes U S, with
 * orthogonal columns of norms sigma[n], which are not sorted. V (n x n) is unitary, and the original M is U S
 * V'. Results are bit-identical for any number of threads.
 *
 * [1] J. Demmel, K. Veselic, Jacobi's method is more accurate than QR, SIAM Journal on Matrix Analysis and
 * Applications 13, 1992.
 */
extern void svd_jacobi(long r, long n, double complex *M, double complex *V, double *sigma);

#endif
