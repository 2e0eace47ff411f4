#ifndef NUM_MD_CUDA_BLAS_H
#define NUM_MD_CUDA_BLAS_H

#include "num/md/cuda/md.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds a matrix product to the output with cuBLAS. Sums have the type of the elements. Matrices must be
 * column-major, and the output must have the type of the operands. Returns false and does nothing if cuBLAS
 * cannot compute the product. GANTRY_CUBLAS=none in the environment disables cuBLAS. */
extern bool gpu_blas_gemm(const struct gemm_job *j, const struct loop_pointers *p);

/** Computes y += a x with cuBLAS, for benchmarks. Returns false if cuBLAS is not available. */
extern bool gpu_blas_saxpy(long n, float a, const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
