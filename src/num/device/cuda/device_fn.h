#ifndef NUM_DEVICE_CUDA_DEVICE_FN_H
#define NUM_DEVICE_CUDA_DEVICE_FN_H

/** C and CUDA C share functions declared with DEVICE_FN. `DEVICE_FMAF` is 1 if fmaf() is an instruction, else
 * 0. */
#ifdef __CUDACC__
#define DEVICE_FN static inline __host__ __device__
#else
#define DEVICE_FN static inline __attribute__((always_inline))
#endif

#if defined __CUDACC__ || defined __FMA__ || defined __AVX512F__ || defined __FP_FAST_FMAF
#define DEVICE_FMAF 1
#else
#define DEVICE_FMAF 0
#endif

#endif
