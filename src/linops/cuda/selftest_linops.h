#ifndef LINOPS_CUDA_SELFTEST_LINOPS_H
#define LINOPS_CUDA_SELFTEST_LINOPS_H

#include "num/device/cuda/selftest.h"

/** Declares the self-tests of the GPU kernels for gradients, Laplacians and wavelet transforms. */
GPU_SELFTEST_DECLARE(differences);
GPU_SELFTEST_DECLARE(wavelets);

#endif
