#ifndef LINOPS_SCRATCH_H
#define LINOPS_SCRATCH_H

#include <stddef.h>

#include "misc/dtype.h"

/** Memory that an operator keeps between applications. Zero-initialise. */
struct scratch {
	void *p;
	long bytes;
};

/** At least n elements on the device of ref, uninitialised; the same memory again where it is still fit. */
extern void *scratch_get(struct scratch *s, enum dtype type, long n, const void *ref);
extern void scratch_free(struct scratch *s);

/** What an operator holds for good, where ref lies: `here`, so many bytes on the host, or a copy of it on the
 * device, made when it is first asked for. */
extern const void *scratch_near(struct scratch *s, const void *here, size_t bytes, const void *ref);

#endif
