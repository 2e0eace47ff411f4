/** Builds without CUDA: no ray is on a device. */

#include "nlops/transmit.h"

const struct transmit_rays transmit_gpu = {0};
