/* The table of primitives of the GPU, counted under --profile. A call returns before its work is done, so
 * that the seconds counted are those of asking; what waits for the device (copies to the host, reductions to
 * a number) counts the rest. */

#include "num/backend/backend.h"
#include "num/device/profile.h"

PROFILE_TABLE("md-gpu", BACKEND_PRIMITIVES, struct backend, backend_gpu)

struct backend *backend_device(void)
{
	return profiled(&backend_gpu);
}
