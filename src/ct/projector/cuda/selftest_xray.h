#ifndef CT_PROJECTOR_CUDA_SELFTEST_XRAY_H
#define CT_PROJECTOR_CUDA_SELFTEST_XRAY_H

#include "num/device/cuda/selftest.h"

/** Self-tests of the kernels for columns parallel to z, for tilted detectors, and for any geometry: forward
 * and adjoint of small scans. */
GPU_SELFTEST_DECLARE(untilted);
GPU_SELFTEST_DECLARE(any_orientation);
GPU_SELFTEST_DECLARE(general);

#endif
