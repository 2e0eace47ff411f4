#ifndef NUM_MD_BLAS_H
#define NUM_MD_BLAS_H

#include "misc/dtype.h"

/**
 * OpenBLAS, opened on first use and set to one thread, since callers divide the work between threads.
 * Matrices are column-major, with leading dimensions in elements. C (m x n) = alpha op(A) (m x k) op(B) (k x
 * n) + beta C; trans: 'N', 'T', 'C' (conjugate transpose) or 'R' (conjugate). type float32, float64,
 * complex64, complex128. Without the library (or with GANTRY_BLAS=none, for tests), kernels of Gantry are
 * used, with sums in float64.
 */
extern void blas_gemm(enum dtype type, char transa, char transb, long m, long n, long k, double alpha,
        const void *A, long lda, const void *B, long ldb, double beta, void *C, long ldc);

/** Whether the library is available. */
extern bool blas_available(void);

/** The function of the library with this symbol (OpenBLAS contains LAPACK), or NULL. */
extern void *blas_function(const char *name);

#endif
