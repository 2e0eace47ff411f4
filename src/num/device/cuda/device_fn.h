#ifndef NUM_DEVICE_CUDA_DEVICE_FN_H
#define NUM_DEVICE_CUDA_DEVICE_FN_H

/** Mathematics shared by C and CUDA C: DEVICE_FN precedes its functions. DEVICE_FMAF: fmaf() is an
 * instruction. */
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
