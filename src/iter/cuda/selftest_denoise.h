#ifndef ITER_CUDA_SELFTEST_DENOISE_H
#define ITER_CUDA_SELFTEST_DENOISE_H

#include "num/device/cuda/selftest.h"

GPU_SELFTEST_DECLARE(denoisers);

#endif
