#ifndef NUM_DEVICE_CUDA_SELFTEST_H
#define NUM_DEVICE_CUDA_SELFTEST_H

#include "num/device/selftest.h"

/**
 * These self-tests compare GPU kernels with the CPU (num/device/selftest.h):
 *
 *     GPU_SELFTEST(name, function); in any module
 *     GPU_SELFTEST_DECLARE(name); gpu_selftest(&gpu_selftest_name); before the first use of the kernels
 */
#ifdef __cplusplus
#define GPU_SELFTEST_C extern "C"
extern "C" {
#else
#define GPU_SELFTEST_C extern
#endif

#define GPU_SELFTEST_DECLARE(name_) GPU_SELFTEST_C struct selftest gpu_selftest_##name_
#define GPU_SELFTEST_OF(name_, function, compiles_)                                                          \
	GPU_SELFTEST_DECLARE(name_);                                                                         \
	SELFTEST(SELFTEST_GPU, gpu, name_, function, compiles_, false)
#define GPU_SELFTEST(name_, function) GPU_SELFTEST_OF(name_, function, false)

extern void gpu_selftest(struct selftest *t);

/** Inputs of a test have SELFTEST_NUMBERS float32 values. Results have `4 SELFTEST_NUMBERS` values. */
enum { SELFTEST_NUMBERS = 1 << 12 };

/** Returns whether work() gives the same result on the host and on the device. Differences may be up to
 * `tolerance` times the largest result. With `tolerance` 0, all bits must agree. `out` has 4 SELFTEST_NUMBERS
 * elements, initially 0. `x` and `y` contain values between -1/2 and 1/2. */
extern bool gpu_selftest_same(char *why, size_t room, const char *what,
        void (*work)(float *out, const float *x, const float *y), double tolerance);

#ifdef __cplusplus
}
#endif

GPU_SELFTEST_DECLARE(device);
GPU_SELFTEST_DECLARE(operators);
GPU_SELFTEST_DECLARE(reductions);
GPU_SELFTEST_DECLARE(integers);
GPU_SELFTEST_DECLARE(copies);
GPU_SELFTEST_DECLARE(expressions);
GPU_SELFTEST_DECLARE(generated);
GPU_SELFTEST_DECLARE(fft);
GPU_SELFTEST_DECLARE(blas);

#endif
