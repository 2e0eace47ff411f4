/* The table of primitives of the GPU, counted under --profile. A call returns before its work is done, so
 * that its seconds are those of the launch; functions that wait for the device (copies to the host,
 * reductions to a number) include the rest. */

#include "num/backend/backend.h"
#include "num/device/profile.h"

PROFILE_TABLE("md-gpu", BACKEND_PRIMITIVES, struct backend, backend_gpu)

struct backend *backend_device(void)
{
	return profiled(&backend_gpu);
}
