#ifndef CT_PROJECTOR_GPU_GENERAL_TABLES_H
#define CT_PROJECTOR_GPU_GENERAL_TABLES_H

#include "ct/projector/cuda/general.h"
#include "ct/projector/xray.h"

/** Fills `s` with the tables that the general CUDA and OpenCL kernels need for a projector model. The caller
 * frees these tables with general_setup_free(). A volume with more than 2147483632 voxels along an axis is
 * an error(). */
extern void general_setup_fill(struct general_setup *s, const struct xray *x, enum xray_model model);
extern void general_setup_free(struct general_setup *s);

/** gpu_general_MODEL() creates the tables of the general CUDA kernels for one projector model. These kernels
 * support any view of real or complex data. The result is a struct general, freed by general_free(). The
 * argument `open` is ignored. A projector model without this function is a link error. */
#define GPU_GENERAL(name, NAME) extern void *gpu_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(GPU_GENERAL, )

#endif
