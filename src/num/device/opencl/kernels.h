#ifndef NUM_DEVICE_OPENCL_KERNELS_H
#define NUM_DEVICE_OPENCL_KERNELS_H

#include "num/device/opencl/api.h"

/** Largest number of work-items in a work-group. */
enum { OPENCL_GROUP = 256 };

/** Returns the buffer that contains address p, or NULL. Sets *at to the offset of p in the buffer [bytes]. */
extern cl_memory opencl_memory_of(const void *p, long *at);

/** Saves new binaries in the cache. Called when the command ends. The process ends without releasing the
 * device: PoCL would need 0.1 s for that. */
extern void opencl_store_programs(void);

#endif
