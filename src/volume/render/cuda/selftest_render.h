#ifndef VOLUME_RENDER_CUDA_SELFTEST_RENDER_H
#define VOLUME_RENDER_CUDA_SELFTEST_RENDER_H

#include "num/device/cuda/selftest.h"

GPU_SELFTEST_DECLARE(render);

#endif
