#ifndef NUM_DEVICE_OPENCL_KERNELS_H
#define NUM_DEVICE_OPENCL_KERNELS_H

#include "num/device/opencl/api.h"

/** Largest number of work-items in a group. */
enum { OPENCL_GROUP = 256 };

/** The buffer that contains address p; NULL if there is none. *at: the offset of p in the buffer [bytes]. */
extern cl_memory opencl_memory_of(const void *p, long *at);

/** Releases all kernels, at the end of the command. */
extern void opencl_release_kernels(void);

#endif
