/** Builds without CUDA: no vector lies on a device. */

#include "iter/passes.h"

const struct iter_passes iter_passes_gpu = {0};
