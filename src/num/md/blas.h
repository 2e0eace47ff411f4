#ifndef NUM_MD_BLAS_H
#define NUM_MD_BLAS_H

#include "misc/dtype.h"

/**
 * OpenBLAS, opened on first use and set to one thread (our own partition is outside). Column-major matrices,
 * leading dimensions in elements. C (m x n) = alpha op(A) (m x k) op(B) (k x n) + beta C; trans: 'N', 'T',
 * 'C' (conjugate transpose) or 'R' (conjugate). type float32, float64, complex64, complex128. Without the
 * library (or with GANTRY_BLAS=none, for tests) own kernels are used, with sums in float64.
 */
extern void blas_gemm(enum dtype type, char transa, char transb, long m, long n, long k, double alpha,
        const void *A, long lda, const void *B, long ldb, double beta, void *C, long ldc);

/** Whether the library is available. */
extern bool blas_available(void);

/** A function of the library by its symbol (OpenBLAS contains LAPACK); NULL without it. */
extern void *blas_function(const char *name);

#endif
