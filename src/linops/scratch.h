#ifndef LINOPS_SCRATCH_H
#define LINOPS_SCRATCH_H

#include <stddef.h>

#include "misc/dtype.h"

/** Memory that an operator keeps between applications. Zero-initialise. */
struct scratch {
	void *p;
	long bytes;
};

/** Uninitialised memory for at least n elements where ref resides. The memory of the previous call is reused
 * if it is large enough. */
extern void *scratch_get(struct scratch *s, enum dtype type, long n, const void *ref);
extern void scratch_free(struct scratch *s);

/** Permanent data of an operator: `here` (on the host) if ref resides on the host, else a copy of it on the
 * device of ref, made by the first call. */
extern const void *scratch_near(struct scratch *s, const void *here, size_t bytes, const void *ref);

#endif
