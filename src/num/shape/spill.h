#ifndef NUM_SHAPE_SPILL_H
#define NUM_SHAPE_SPILL_H

#include <stddef.h>

/**
 * Vectors of the CPU back end (md_alloc() and what is made of it) that spill over: up to a limit they lie in
 * private memory, what does not fit any more in unlinked files in GANTRY_TMPDIR, mapped. Which of them is
 * where changes no result. Algorithms use such vectors repeatedly and in any order, so that no driver of
 * passes (num/shape/slabs.h, ct/stream/view_batches.h) can know what comes next: the kernel moves the pages.
 * Vectors below SPILL_SMALL bytes stay in memory and are not counted.
 */
enum { SPILL_SMALL = 1 << 16 };

/** From now on at most so many bytes of vectors in private memory, those that are there already not counted;
 * -1 (as it is at the start): all of them. */
extern void spill_limit(long bytes);

/** For the back end. */
extern void *spill_alloc(size_t bytes);
extern void spill_free(void *p);

#endif
