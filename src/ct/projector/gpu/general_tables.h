#ifndef CT_PROJECTOR_GPU_GENERAL_TABLES_H
#define CT_PROJECTOR_GPU_GENERAL_TABLES_H

#include "ct/projector/cuda/general.h"
#include "ct/projector/xray.h"

/** The general paths of the GPU: a struct general per model, for any view and type. A model without one does
 * not link. */
#define GPU_GENERAL(name, NAME) extern void *gpu_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(GPU_GENERAL, )

#endif
