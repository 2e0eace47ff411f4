#ifndef NUM_SHAPE_SPILL_H
#define NUM_SHAPE_SPILL_H

#include <stddef.h>

/**
 * Vectors of the CPU back end (md_alloc() and functions based on it) that spill over: up to a limit they are
 * in private memory, the others in unlinked, mapped files in GANTRY_TMPDIR. Results do not depend on where
 * they are. Algorithms use such vectors repeatedly and in any order, so that no driver of passes
 * (num/shape/slabs.h, ct/stream/view_batches.h) can know the next access: the kernel moves the pages. Vectors
 * below SPILL_SMALL bytes stay in memory and are not counted.
 */
enum { SPILL_SMALL = 1 << 16 };

/** From now on at most so many bytes of vectors in private memory, not counting existing ones; -1 (as at the
 * start): no limit. */
extern void spill_limit(long bytes);

/** For the back end. */
extern void *spill_alloc(size_t bytes);
extern void spill_free(void *p);

#endif
