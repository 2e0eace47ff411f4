#ifndef CT_PROJECTOR_GPU_GENERAL_TABLES_H
#define CT_PROJECTOR_GPU_GENERAL_TABLES_H

#include "ct/projector/cuda/general.h"
#include "ct/projector/xray.h"

/** The tables of the general kernels, CUDA's and OpenCL's, by a model; freed by general_setup_free(). */
extern void general_setup_fill(struct general_setup *s, const struct xray *x, enum xray_model model);
extern void general_setup_free(struct general_setup *s);

/** The general paths of the GPU: a struct general for every model, for any view and type. A model without
 * does not link. */
#define GPU_GENERAL(name, NAME) extern void *gpu_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(GPU_GENERAL, )

#endif
