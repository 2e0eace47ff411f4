/** Builds without CUDA: the CPU draws all pictures. */

#include "volume/render/render_device.h"

const struct render_kernels render_kernels_gpu = {0};
