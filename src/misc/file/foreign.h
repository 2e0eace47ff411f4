#ifndef MISC_FILE_FOREIGN_H
#define MISC_FILE_FOREIGN_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/** Reverses the bytes of every number in `data`. The array `data` contains `units` numbers of `unit` bytes
 * (1, 2, 4 or 8). */
extern void foreign_swap(void *data, long units, size_t unit);

/** Copies elements of `size` bytes (1, 2, 4, 8 or 16) from `in` to `out`. The distance of neighbours along
 * dim d is `istrs[d]` bytes (input) or `ostrs[d]` bytes (output). */
extern void foreign_copy(const long dims[DIMS], const long ostrs[DIMS], void *out, const long istrs[DIMS],
        const void *in, size_t size);

/** Sets strs[d] to the distance in bytes between neighbours along dim d. The array has no gaps. If dims[d] is
 * 1, strs[d] is 0. The last dim varies fastest if `last_first` is true; otherwise dim 0 varies fastest. */
extern void foreign_steps(const long dims[DIMS], bool last_first, size_t size, long strs[DIMS]);

#endif
