#ifndef CT_PROJECTOR_GPU_PROJECTORS_H
#define CT_PROJECTOR_GPU_PROJECTORS_H

#include "ct/projector/projector.h"

/** Plans of GPU paths that other modules need: a struct gpu_untilted and a struct gpu_any_orientation.
 */
extern void *gpu_plan_untilted(const struct xray *x, const bool *open);
extern void *gpu_plan_any_orientation(const struct xray *x, const bool *open);

/** Do these paths alone compute the views, or does any view use such a path? */
extern bool gpu_all_untilted(const struct projectors *p, enum dtype type, bool forward);
extern bool gpu_uses_any_orientation(const struct projectors *p, enum dtype type, bool forward);

#endif
