/* Which table of primitives serves an address. */

#include "num/backend.h"
#include "num/device.h"
#include "num/profile.h"

PROFILE_TABLE("md", BACKEND_PRIMITIVES, struct backend, backend_cpu)

struct backend *backend_of(const void *p)
{
	return device_holds(p) ? backend_device() : profiled(&backend_cpu);
}
