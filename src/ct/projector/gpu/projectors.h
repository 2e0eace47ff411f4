#ifndef CT_PROJECTOR_GPU_PROJECTORS_H
#define CT_PROJECTOR_GPU_PROJECTORS_H

#include "ct/projector/projector.h"

/** Plans of GPU paths that other modules need: a struct gpu_untilted and a struct gpu_any_orientation.
 */
extern void *gpu_plan_untilted(const struct xray *x, const bool *open);
extern void *gpu_plan_any_orientation(const struct xray *x, const bool *open);

/** gpu_all_untilted(): whether gpu_untilted alone computes all views. gpu_uses_any_orientation(): whether
 * gpu_any_orientation computes any view. */
extern bool gpu_all_untilted(const struct projectors *p, enum dtype type, bool forward);
extern bool gpu_uses_any_orientation(const struct projectors *p, enum dtype type, bool forward);

#endif
