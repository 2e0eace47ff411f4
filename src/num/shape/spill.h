#ifndef NUM_SHAPE_SPILL_H
#define NUM_SHAPE_SPILL_H

#include <stddef.h>

/** These functions allocate vectors of the CPU back end, for md_alloc(). Up to a limit, vectors are in
 * private memory. Further vectors are in mapped temporary files in GANTRY_TMPDIR. Vectors below SPILL_SMALL
 * bytes stay in memory and are not counted. */
enum { SPILL_SMALL = 1 << 16 };

/** Limits the private memory of vectors allocated after the call. The default -1 means no limit. */
extern void spill_limit(long bytes);

/** These functions allocate and free vectors of the back end. */
extern void *spill_alloc(size_t bytes);
extern void spill_free(void *p);

/** Sets a vector from spill_alloc() to 0 before its first use. A page takes memory when it is first written.
 */
extern void spill_clear_new(void *p, size_t bytes);

#endif
