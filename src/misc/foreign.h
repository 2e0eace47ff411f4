#ifndef MISC_FOREIGN_H
#define MISC_FOREIGN_H

#include "misc/hdr.h"

/** Reverses the bytes of each of `units` units of `unit` bytes (1, 2, 4 or 8), in place. */
extern void foreign_swap(void *data, long units, size_t unit);

/** out (first dim fastest) = in (last dim fastest), elements of `size` bytes. */
extern void foreign_reorder(void *out, const void *in, const long dims[DIMS], size_t size);

#endif
