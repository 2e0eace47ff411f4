#ifndef MISC_RANKS_SHARING_H
#define MISC_RANKS_SHARING_H

#include <stdbool.h>

#include "misc/ranks/ranks.h"

/**
 * Describes an array of which each rank computes a part (misc/ranks/ranks.h). The array has dims
 * [inner][n][outer], where `inner` is in bytes. The function ranks_part() divides dim n into parts. All
 * ranks call these functions in the same order. If the work is not shared, the functions do nothing.
 */
struct sharing {
	size_t inner;
	long n, block, outer;
};

/** Completes the array in every rank from the parts of all ranks. */
extern void sharing_gather(const struct sharing *s, void *data);

/** Each rank receives up to `halo` positions along dim n beyond both ends of its part. If `wrap` is true,
 * dim n is periodic. */
extern void sharing_halo(const struct sharing *s, long halo, bool wrap, void *data);

/** List of byte runs for ranks_share() and ranks_exchange(), in the order of the ranks. The runs of rank k
 * begin at `run[start[k]]`; the caller sets `start`. */
struct sharing_runs {
	struct ranks_run *run;
	long *start, n, room;
};
extern struct sharing_runs sharing_runs_create(void);
extern void sharing_runs_add(struct sharing_runs *r, size_t first, size_t bytes);
extern void sharing_runs_free(struct sharing_runs *r);

/** Describes an array of D dims with elements of `size` bytes. Dim d is divided into parts at multiples of
 * `block`. */
extern struct sharing sharing_along(int D, const long dims[], size_t size, int d, long block);

/** Returns the last dim that is longer than 1 and not in the mask `whole`. Returns -1 if no dim remains. */
extern int sharing_dim(int D, const long dims[], unsigned long whole);

/** Calls write() for each run of bytes in the part of this rank. Each run has `bytes` bytes and starts at
 * byte `first`. */
extern void sharing_own(
        const struct sharing *s, void (*write)(void *ctx, size_t first, size_t bytes), void *ctx);

#endif
