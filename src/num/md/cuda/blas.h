#ifndef NUM_MD_CUDA_BLAS_H
#define NUM_MD_CUDA_BLAS_H

#include "num/md/cuda/md.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Matrix products by cuBLAS, opened on first use, if the steps describe column-major matrices and out has
 * the type of the operands. In other cases, without the library, or with GANTRY_CUBLAS=none in the
 * environment, returns false and does nothing. Sums run in the type of the elements. */
extern bool gpu_blas_gemm(const struct gemm_job *j, const struct loop_pointers *p);

/** y += a x by the library, for benchmarks; false if it is not available. */
extern bool gpu_blas_saxpy(long n, float a, const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
