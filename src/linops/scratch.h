#ifndef LINOPS_SCRATCH_H
#define LINOPS_SCRATCH_H

#include <stddef.h>

#include "misc/dtype.h"

/** Memory that an operator keeps between applications. Zero-initialise. */
struct scratch {
	void *p;
	long bytes;
};

/** At least n elements on the device of ref, uninitialised; the same memory again if it still fits. */
extern void *scratch_get(struct scratch *s, enum dtype type, long n, const void *ref);
extern void scratch_free(struct scratch *s);

/** Permanent data of an operator, where ref resides: `here`, so many bytes on the host, or a copy on the
 * device, made on first request. */
extern const void *scratch_near(struct scratch *s, const void *here, size_t bytes, const void *ref);

#endif
