/** Builds without CUDA: no view is on a device. */

#include "correct/outliers_kernels.h"
#include "correct/view_kernels.h"

const struct outliers_kernels outliers_kernels_gpu = {0};
const struct view_kernels view_kernels_gpu = {0};
