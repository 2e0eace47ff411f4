#ifndef LINOPS_SCRATCH_H
#define LINOPS_SCRATCH_H

#include <stddef.h>

#include "misc/dtype.h"

/** Memory that an operator keeps between calls. Initialise the struct with {0}. */
struct scratch {
	void *p;
	long bytes;
};

/** Returns uninitialised memory for n elements on the host or device that holds `ref`. Each call with the
 * same `s` invalidates the memory of the call before. */
extern void *scratch_get(struct scratch *s, enum dtype type, long n, const void *ref);
/** Frees the memory, and sets *s to {0}. */
extern void scratch_free(struct scratch *s);

/** Returns constant data of an operator on the host or device that holds `ref`. `here` points to the data on
 * the host. If ref is on a device, the first call copies the data to this device. */
extern const void *scratch_near(struct scratch *s, const void *here, size_t bytes, const void *ref);

#endif
