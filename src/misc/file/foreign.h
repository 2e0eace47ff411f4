#ifndef MISC_FILE_FOREIGN_H
#define MISC_FILE_FOREIGN_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/** Reverses the byte order of `units` values of `unit` bytes each (1, 2, 4 or 8), in place. */
extern void foreign_swap(void *data, long units, size_t unit);

/** Copies elements of `size` bytes (1, 2, 4, 8 or 16) with any steps [bytes], without conversion. */
extern void foreign_copy(const long dims[DIMS], const long ostrs[DIMS], void *out, const long istrs[DIMS],
        const void *in, size_t size);

/** Steps [bytes] of an array without gaps, first dim or last dim fastest; 0 where the length is 1. */
extern void foreign_steps(const long dims[DIMS], bool last_first, size_t size, long strs[DIMS]);

#endif
