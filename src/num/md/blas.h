#ifndef NUM_MD_BLAS_H
#define NUM_MD_BLAS_H

#include "misc/dtype.h"

/**
 * Computes C = alpha op(A) op(B) + beta C, where C is m x n. The matrix op(A) is m x k, and op(B) is k x n.
 * Matrices are column-major, with leading dimensions in elements. `transa` and `transb` are 'N' (none), 'T'
 * (transpose), 'C' (conjugate transpose) or 'R' (conjugate). Types other than float32, float64, complex64 and
 * complex128 are an error().
 *
 * OpenBLAS runs on one thread. Without OpenBLAS, or with GANTRY_BLAS=none, Gantry's kernels are used, with
 * sums in float64.
 */
extern void blas_gemm(enum dtype type, char transa, char transb, long m, long n, long k, double alpha,
        const void *A, long lda, const void *B, long ldb, double beta, void *C, long ldc);

/** Returns whether OpenBLAS is available. */
extern bool blas_available(void);

/** Returns the address of an OpenBLAS function, or NULL. OpenBLAS contains LAPACK. */
extern void *blas_function(const char *name);

#endif
