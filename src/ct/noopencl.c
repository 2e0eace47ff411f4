/** Builds without OpenCL (OPENCL=0): no path. */

#include "ct/fbp/fbp_internal.h"
#include "ct/projector/projector.h"
#include "ct/projector/xray_backend.h"
#include "num/device/absent.h"

const struct projector_list projectors_opencl = {.device = "OpenCL device"};
const struct xray_backend xray_backend_opencl = {.name = "OpenCL"};

ABSENT_VOID(xray_opencl_free, (struct xray_opencl * p));
REFUSED(void, fbp_opencl_backproject,
        (const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, long step, const void *q,
                long first, long n, const long slices[2]));
