#ifndef CT_PROJECTOR_GPU_GENERAL_TABLES_H
#define CT_PROJECTOR_GPU_GENERAL_TABLES_H

#include "ct/projector/cuda/general.h"
#include "ct/projector/xray.h"

/** Fills the tables of the general CUDA and OpenCL kernels for a model; general_setup_free() frees them. */
extern void general_setup_fill(struct general_setup *s, const struct xray *x, enum xray_model model);
extern void general_setup_free(struct general_setup *s);

/** The plans of the general paths of the GPU, one per model, for any view and type; each returns a struct
 * general. A model without a general path causes an error at link time. */
#define GPU_GENERAL(name, NAME) extern void *gpu_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(GPU_GENERAL, )

#endif
