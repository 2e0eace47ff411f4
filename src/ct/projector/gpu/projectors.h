#ifndef CT_PROJECTOR_GPU_PROJECTORS_H
#define CT_PROJECTOR_GPU_PROJECTORS_H

#include "ct/projector/projector.h"

/**
 * These functions create the data of two implementations of the X-ray transform on the GPU:
 * - gpu_plan_untilted(): returns a struct gpu_untilted, for detector columns parallel to z.
 * - gpu_plan_any_orientation(): returns a struct gpu_any_orientation, for flat detectors of any
 *   orientation.
 *
 * `open[k]` is false if other implementations compute view k in both directions. Only
 * gpu_plan_any_orientation() uses `open`.
 */
extern void *gpu_plan_untilted(const struct xray *x, const bool *open);
extern void *gpu_plan_any_orientation(const struct xray *x, const bool *open);

/**
 * These functions tell which implementations compute the views, for one data type and direction:
 * - gpu_all_untilted(): tells whether all views use the data from gpu_plan_untilted().
 * - gpu_uses_any_orientation(): tells whether any view uses the data from gpu_plan_any_orientation().
 */
extern bool gpu_all_untilted(const struct projectors *p, enum dtype type, bool forward);
extern bool gpu_uses_any_orientation(const struct projectors *p, enum dtype type, bool forward);

#endif
