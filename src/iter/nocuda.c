/** Builds without CUDA: no vector is on a device. */

#include "iter/denoise/denoise_passes.h"
#include "iter/step/passes.h"
#include "iter/step/updates.h"

const struct iter_passes iter_passes_gpu = {0};
const struct iter_updates iter_updates_gpu = {0};
const struct denoise_passes denoise_passes_gpu = {0};
