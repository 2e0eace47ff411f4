/** Builds without CUDA: no view lies on a device. */

#include "correct/outliers_kernels.h"

const struct outliers_kernels outliers_kernels_gpu = {0};
