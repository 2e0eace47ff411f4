/** Builds without CUDA: arrays never reside on a device, so these functions are never called. */

#include "linops/grad_parts.h"
#include "linops/wavelet/wavelet_lines.h"

const struct grad_kernels grad_kernels_gpu = {0};
const struct wavelet_kernels wavelet_kernels_gpu = {0};
