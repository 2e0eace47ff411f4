#ifndef CT_PROJECTOR_OPENCL_GENERAL_H
#define CT_PROJECTOR_OPENCL_GENERAL_H

#include "ct/projector/cuda/untilted.h"
#include "ct/projector/xray.h"

/** The plans of the general paths of OpenCL, one per model, for any view and type; each returns a struct
 * opencl_general. A model without a general path causes an error at link time. */
#define OPENCL_GENERAL(name, NAME) extern void *opencl_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(OPENCL_GENERAL, )

struct opencl_general;
extern void opencl_general_free(struct opencl_general *g);

/** Memory that a call needs besides its operands [bytes]; arguments as in cuda/general.h. */
extern double opencl_general_memory(
        const struct opencl_general *g, bool wide, bool forward, const struct gpu_tile *part);
extern void opencl_general_forward(const struct opencl_general *g, bool wide, long step, void *proj,
        const void *vol, const struct gpu_tile *part);
extern void opencl_general_adjoint(const struct opencl_general *g, bool wide, long step, void *vol,
        const void *proj, const struct gpu_tile *part);

/** Sets elements of `size` bytes (a multiple of 4) to 0 where `inside` is 0. */
extern void opencl_general_hide(void *vol, long size, const unsigned char *inside, long n);

#endif
