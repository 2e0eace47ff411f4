#ifndef NUM_DEVICE_OPENCL_KERNELS_H
#define NUM_DEVICE_OPENCL_KERNELS_H

#include "num/device/opencl/api.h"

/** Largest number of work-items in a work-group. */
enum { OPENCL_GROUP = 256 };

/** Returns the buffer that contains address p, or NULL. Sets *at to the offset of p in the buffer [bytes]. */
extern cl_memory opencl_memory_of(const void *p, long *at);

/** Releases all kernels and saves new binaries in the cache. */
extern void opencl_release_kernels(void);

#endif
