#ifndef MISC_RANKS_SHARING_H
#define MISC_RANKS_SHARING_H

#include <stdbool.h>

#include "misc/ranks/ranks.h"

/**
 * Arrays of which each rank (misc/ranks/ranks.h) computes a part. An array has the dims [inner][n][outer],
 * fastest first, and is cut along n by ranks_part(n, block). `inner` is in bytes. All ranks call these
 * functions in the same order; they do nothing if the work is not shared.
 */
struct sharing {
	size_t inner;
	long n, block, outer;
};

/** Sends the parts of all ranks, so that every rank has the whole array. */
extern void sharing_gather(const struct sharing *s, void *data);

/** Exchanges positions, so that each rank also has up to `halo` positions beyond the ends of its part. If
 * `wrap` is true, the array is periodic. */
extern void sharing_halo(const struct sharing *s, long halo, bool wrap, void *data);

/** Runs of bytes of all ranks, one rank after the other, for ranks_share() and ranks_exchange(). The runs of
 * rank k begin at start[k], which the caller sets. */
struct sharing_runs {
	struct ranks_run *run;
	long *start, n, room;
};
extern struct sharing_runs sharing_runs_create(void);
extern void sharing_runs_add(struct sharing_runs *r, size_t first, size_t bytes);
extern void sharing_runs_free(struct sharing_runs *r);

/** Describes an array of D dims, with elements of `size` bytes, that is cut along dim d at multiples of
 * `block`. */
extern struct sharing sharing_along(int D, const long dims[], size_t size, int d, long block);

/** The dim along which an array is cut: the last dim longer than 1 that is not in the mask `whole`, or -1 if
 * there is none. */
extern int sharing_dim(int D, const long dims[], unsigned long whole);

/** Calls write() for each run of bytes of this rank's part of the array: `bytes` bytes from byte `first` on.
 */
extern void sharing_own(
        const struct sharing *s, void (*write)(void *ctx, size_t first, size_t bytes), void *ctx);

#endif
