#ifndef NUM_MD_CUDA_BLAS_H
#define NUM_MD_CUDA_BLAS_H

#include "num/md/cuda/md.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Matrix products by cuBLAS, opened on first use, if the steps are those of column-major matrices and out is
 * of the operands' type. Otherwise returns false and does nothing; also without the library, and with
 * GANTRY_CUBLAS=none in the environment. Sums run in the type of the elements. */
extern bool gpu_blas_gemm(const struct gemm_job *j, const struct loop_pointers *p);

/** y += a x by the library, for benchmarks; false if it is not available. */
extern bool gpu_blas_saxpy(long n, float a, const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
