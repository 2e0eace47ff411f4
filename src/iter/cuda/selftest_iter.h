#ifndef ITER_CUDA_SELFTEST_ITER_H
#define ITER_CUDA_SELFTEST_ITER_H

#include "num/device/cuda/selftest.h"

/** The GPU self-test of the vector operations of iterative algorithms and functionals. */
GPU_SELFTEST_DECLARE(vectors);

#endif
