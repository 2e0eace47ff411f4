/* The table of primitives of the GPU. */

#include "num/backend.h"
#include "num/device.h"

static void *gpu_alloc(size_t bytes)
{
	return device_alloc(bytes);
}

static void gpu_release(void *p)
{
	device_free(p);
}

struct backend backend_gpu = {.name = "gpu", .alloc = gpu_alloc, .release = gpu_release};
