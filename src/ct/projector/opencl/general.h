#ifndef CT_PROJECTOR_OPENCL_GENERAL_H
#define CT_PROJECTOR_OPENCL_GENERAL_H

#include "ct/projector/cuda/untilted.h"
#include "ct/projector/xray.h"

/** The general paths of OpenCL: a struct opencl_general for every model, for any view and type. A model
 * without does not link. */
#define OPENCL_GENERAL(name, NAME) extern void *opencl_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(OPENCL_GENERAL, )

struct opencl_general;
extern void opencl_general_free(struct opencl_general *g);

/** Memory that a call takes beside its operands [bytes]; arguments as of general.h of CUDA. */
extern double opencl_general_memory(
        const struct opencl_general *g, bool wide, bool forward, const struct gpu_tile *part);
extern void opencl_general_forward(const struct opencl_general *g, bool wide, long step, void *proj,
        const void *vol, const struct gpu_tile *part);
extern void opencl_general_adjoint(const struct opencl_general *g, bool wide, long step, void *vol,
        const void *proj, const struct gpu_tile *part);

/** Elements of `size` bytes (a multiple of 4) become 0 where `inside` is 0. */
extern void opencl_general_hide(void *vol, long size, const unsigned char *inside, long n);

#endif
