#ifndef ITER_CUDA_SELFTEST_ITER_H
#define ITER_CUDA_SELFTEST_ITER_H

#include "num/device/cuda/selftest.h"

/** Self-tests of the passes over vectors of algorithms, functionals and fields. */
GPU_SELFTEST_DECLARE(vectors);

#endif
