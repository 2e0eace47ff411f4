#ifndef NUM_SHAPE_SPILL_H
#define NUM_SHAPE_SPILL_H

#include <stddef.h>

/**
 * Memory for vectors of the CPU back end (md_alloc() and functions based on it). Up to a limit, vectors are
 * in private memory; further vectors are in unlinked, mapped files in GANTRY_TMPDIR. Results do not depend on
 * the kind of memory. Algorithms access vectors repeatedly and in any order, so slabs (num/shape/slabs.h,
 * ct/stream/view_batches.h) cannot be used. The operating system reads and writes the pages of the files.
 * Vectors below SPILL_SMALL bytes stay in memory and are not counted.
 */
enum { SPILL_SMALL = 1 << 16 };

/** Limits the private memory of vectors allocated after this call to `bytes` bytes; -1 (default): no limit.
 */
extern void spill_limit(long bytes);

/** Allocation functions for the back end. */
extern void *spill_alloc(size_t bytes);
extern void spill_free(void *p);

#endif
