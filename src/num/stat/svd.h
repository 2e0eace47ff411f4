#ifndef NUM_STAT_SVD_H
#define NUM_STAT_SVD_H

#include <complex.h>

/**
 * Computes the singular values of the r x n matrix M by one-sided Jacobi rotations [1]. M is column-major and
 * becomes U S, with orthogonal columns. The singular values sigma[n] are the norms of the columns and are not
 * sorted. V is a unitary n x n matrix, and the original M is U S V'. Results are bit-identical for any number
 * of threads.
 *
 * [1] J. Demmel, K. Veselic, Jacobi's method is more accurate than QR, SIAM Journal on Matrix Analysis and
 * Applications 13, 1992.
 */
extern void svd_jacobi(long r, long n, double complex *M, double complex *V, double *sigma);

#endif
