#ifndef CT_PROJECTOR_CUDA_SELFTEST_XRAY_H
#define CT_PROJECTOR_CUDA_SELFTEST_XRAY_H

#include "num/device/cuda/selftest.h"

/**
 * Self-tests of the GPU kernels. The tests compute A and A' of small scans.
 *
 * - untilted: Tests the kernels for detector columns parallel to z.
 * - any_orientation: Tests the kernels for tilted detectors.
 * - general: Tests the kernels for any geometry.
 */
GPU_SELFTEST_DECLARE(untilted);
GPU_SELFTEST_DECLARE(any_orientation);
GPU_SELFTEST_DECLARE(general);

#endif
