#ifndef NUM_MD_DISTRIBUTED_H
#define NUM_MD_DISTRIBUTED_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/ranks/ranks.h"

/**
 * Distributed vectors: each rank (misc/ranks/ranks.h) has the elements of its own part. Every rank allocates
 * the whole vector, but touches only its own part, so that the other parts take no memory. Copies of other
 * parts exist only during operations that need them. While vectors are distributed, vec_*() and fold()
 * compute their own parts. Sums are gathered block by block and added in the order of the blocks, so the
 * results are bit-identical to those of one process.
 *
 * The parts depend only on the numbers of elements and ranks. No block of any sum is divided between parts.
 * All ranks call these functions in the same order.
 */
enum {
	DISTRIBUTED_BLOCK = 4096,   // elements of a block of fold()
	DISTRIBUTED_CHUNKS = 1024,  // sums of fold(), at most
	DISTRIBUTED_PART = 1 << 16, // elements of a part of a long reduction
};

/** From now on vectors are distributed, if several ranks share the work. */
extern void distributed_begin(void);
extern void distributed_end(void);
extern bool distributed(void);

/** fold() computes one sum per chunk of a vector of n elements. Returns the number of elements of a chunk. */
extern long distributed_chunk(long n);

/** The part [*first, *end) of n elements that belongs to this rank (_of: to rank k); all elements if vectors
 * are not distributed. */
extern void distributed_part(long n, long *first, long *end);
extern void distributed_part_of(int k, long n, long *first, long *end);

/** The maximum of `here` over all ranks. */
extern double distributed_max(double here);

/** x: n elements of `size` bytes. Copies the elements of the runs from their owners to all ranks. The copies
 * exist after distributed_fetch_end(); until then the runs must not change. */
struct distributed_fetch;
extern struct distributed_fetch *distributed_fetch_begin(
        long n, size_t size, void *x, const struct ranks_run run[], long runs);
/** Like distributed_fetch_begin(), but rank k gets only run[start[k]] .. run[start[k + 1] - 1]. */
extern struct distributed_fetch *distributed_fetch_for_begin(
        long n, size_t size, void *x, const struct ranks_run run[], const long start[]);
extern void distributed_fetch_end(struct distributed_fetch *f);

/** Copies all elements from their owners to all ranks. */
extern void distributed_gather(long n, size_t size, void *x);

/** Rank k has computed run[start[k]] .. run[start[k + 1] - 1]: copies these elements to their owners. */
extern void distributed_settle(
        long n, size_t size, void *x, const struct ranks_run run[], const long start[]);

/** Returns to the system the memory of elements in [first, end) that belong to other ranks. x is private
 * memory. Must also be called for all elements of a new vector. */
extern void distributed_release(long n, size_t size, void *x, long first, long end);

#endif
