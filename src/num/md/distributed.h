#ifndef NUM_MD_DISTRIBUTED_H
#define NUM_MD_DISTRIBUTED_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/ranks/ranks.h"

/**
 * Distributed vectors are divided between the ranks of misc/ranks/ranks.h. Every rank allocates the whole
 * vector, but uses only the memory of its own part. On each rank, vec_*() and fold() compute only the part of
 * that rank. Results are bit-identical to those of one process.
 *
 * The parts depend only on the numbers of elements and ranks. The owner of an element is the rank whose part
 * contains the element. All ranks call these functions in the same order.
 */
enum {
	DISTRIBUTED_BLOCK = 4096,   // elements per block of fold()
	DISTRIBUTED_CHUNKS = 1024,  // largest number of sums of fold()
	DISTRIBUTED_PART = 1 << 16, // elements per part of a long reduction
};

/** Makes vectors distributed until distributed_end(), if several ranks share the work. */
extern void distributed_begin(void);
extern void distributed_end(void);
extern bool distributed(void);

/** Returns the number of elements of a chunk in a vector of n elements. The function fold() computes one sum
 * per chunk. */
extern long distributed_chunk(long n);

/** Computes the part [*first, *end) of this rank in a vector of n elements. The function
 * distributed_part_of() computes the part of rank k. If vectors are not distributed, the part has all
 * elements. */
extern void distributed_part(long n, long *first, long *end);
extern void distributed_part_of(int k, long n, long *first, long *end);

/** Returns the maximum of `here` over all ranks. */
extern double distributed_max(double here);

/** Starts to copy the elements of the runs from their owners to all ranks. The vector x has n elements of
 * `size` bytes. The copies are complete after distributed_fetch_end(). The elements of the runs must not
 * change before that call. */
struct distributed_fetch;
extern struct distributed_fetch *distributed_fetch_begin(
        long n, size_t size, void *x, const struct ranks_run run[], long runs);
/** Works like distributed_fetch_begin(), but rank k gets only runs [start[k], start[k + 1]). */
extern struct distributed_fetch *distributed_fetch_for_begin(
        long n, size_t size, void *x, const struct ranks_run run[], const long start[]);
extern void distributed_fetch_end(struct distributed_fetch *f);

/** Copies all elements from their owners to all ranks. */
extern void distributed_gather(long n, size_t size, void *x);

/** Copies elements to their owners. Rank k has computed runs [start[k], start[k + 1]). */
extern void distributed_settle(
        long n, size_t size, void *x, const struct ranks_run run[], const long start[]);

/** Frees the memory of elements in [first, end) that belong to other ranks. The memory of x must be private.
 * After a vector is allocated, call this function for all elements. */
extern void distributed_release(long n, size_t size, void *x, long first, long end);

#endif
