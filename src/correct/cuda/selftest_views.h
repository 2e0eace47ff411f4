#ifndef CORRECT_CUDA_SELFTEST_VIEWS_H
#define CORRECT_CUDA_SELFTEST_VIEWS_H

#include "num/cuda/selftest.h"

GPU_SELFTEST_DECLARE(views);

#endif
