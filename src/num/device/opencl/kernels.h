#ifndef NUM_DEVICE_OPENCL_KERNELS_H
#define NUM_DEVICE_OPENCL_KERNELS_H

#include "num/device/opencl/api.h"

/** Work-items of a group at most. */
enum { OPENCL_GROUP = 256 };

/** A buffer that holds an address, and the place in it [bytes]; NULL: none does. */
extern cl_memory opencl_memory_of(const void *p, long *at);

/** At the end of the command. */
extern void opencl_release_kernels(void);

#endif
