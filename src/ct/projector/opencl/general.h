#ifndef CT_PROJECTOR_OPENCL_GENERAL_H
#define CT_PROJECTOR_OPENCL_GENERAL_H

#include "ct/projector/cuda/untilted.h"
#include "ct/projector/xray.h"
#include "num/device/selftest.h"

/** opencl_general_MODEL() creates the tables of the general OpenCL kernels for one projector model. These
 * kernels support any view of real or complex data. The result is a struct opencl_general, freed by
 * opencl_general_free(). The argument `open` is ignored. A projector model without this function is a link
 * error. */
#define OPENCL_GENERAL(name, NAME) extern void *opencl_general_##name(const struct xray *x, const bool *open);
XRAY_MODEL_LIST(OPENCL_GENERAL, )

struct opencl_general;
extern void opencl_general_free(struct opencl_general *g);

/** Returns the device memory that a call needs besides volume and projections [bytes]. The arguments of
 * these functions are explained in cuda/general.h. */
extern double opencl_general_memory(
        const struct opencl_general *g, bool wide, bool forward, const struct gpu_tile *part);
extern void opencl_general_forward(const struct opencl_general *g, bool wide, long step, void *proj,
        const void *vol, const struct gpu_tile *part);
extern void opencl_general_adjoint(const struct opencl_general *g, bool wide, long step, void *vol,
        const void *proj, const struct gpu_tile *part);

/** For i < n, sets element i of `vol` to 0 if inside[i] is 0. An element has `size` bytes, a multiple of 4.
 */
extern void opencl_general_hide(void *vol, long size, const unsigned char *inside, long n);

/** Returns the self-test of A or A' (forward or not) by a projector model for float32, or for float64 (wide).
 */
extern struct selftest *opencl_general_selftest(enum xray_model model, bool wide, bool forward);

#endif
