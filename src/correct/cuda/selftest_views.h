#ifndef CORRECT_CUDA_SELFTEST_VIEWS_H
#define CORRECT_CUDA_SELFTEST_VIEWS_H

#include "num/device/cuda/selftest.h"

GPU_SELFTEST_DECLARE(views);

#endif
