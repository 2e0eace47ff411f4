/* Which table of primitives is used for an address. */

#include "num/backend/backend.h"
#include "num/device/device.h"
#include "num/device/profile.h"

PROFILE_TABLE("md", BACKEND_PRIMITIVES, struct backend, backend_cpu)

struct backend *backend_of(const void *p)
{
	return device_holds(p) ? backend_device() : profiled(&backend_cpu);
}
