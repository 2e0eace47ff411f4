#ifndef NUM_SHAPE_SHAPING_H
#define NUM_SHAPE_SHAPING_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/**
 * Moves the elements of a file or stream into another of other shape: cut, pad, flip, stride, wrap, repeat,
 * exchange dims. Any element type; no conversion. Private memory is a few slabs, whatever the size of the
 * arrays.
 */

/** The source of the elements of an output: element k of those placed along output dim d is element start + k
 * * step of input dim src; they are at [at, at + n) of size, the rest of the dim is zero. With `wrap`, the
 * step is 1, at is 0, n is size, and the input continues periodically. */
struct shaping {
	struct shaping_dim {
		int src;          // each input dim exactly once
		long start, step; // in the input
		long at, n;       // in the output
		long size;        // of the output
		bool wrap;
	} dim[DIMS];
};

/** Opens an input: gives a header for the output, to be changed, and the identity shaping.
 */
extern struct cfl *shaping_open(struct shaping *s, struct hdr *h, const char *in);

/** Reorders the grids of a header likewise: dim d gets that of dim order[d]. A section "# Direction" gets its
 * axes exchanged, and the origin, a position in the world, is kept. It is dropped with a warning if one of
 * the first three dims comes from a later one. */
extern void shaping_permute_grid(struct hdr *h, const int order[DIMS]);

/** The same for exchanging two dims. */
extern void shaping_exchange_grid(struct hdr *h, int a, int b);

/** Output dim d becomes the former dim order[d], including its grid; order contains each dim once. Sets the
 * dims of the header. */
extern void shaping_permute(struct shaping *s, struct hdr *h, const int order[DIMS]);

/** Along dim d, not changed so far, the output has `size` elements of the input's periodic continuation,
 * beginning with number `start` (any, also negative). */
extern void shaping_wrap(struct shaping *s, int d, long start, long size);

/** Sets the dims of a header to those of the output. */
extern void shaping_dims(const struct shaping *s, struct hdr *h);

/**
 * Writes the output, with that header (released), and closes both; `dims` are those that the command changes
 * (shaping_touched()), `what` is for the progress line. If the order of the elements allows it both advance
 * slab by slab, so that output begins before a stream has ended; else a stream is spooled. A stream is read
 * to its end even if the rest is not needed.
 */
extern void shaping_write(const struct shaping *s, struct hdr *h, unsigned long dims, struct cfl *in,
        const char *out, const char *what);

/** Word k of "DIM VALUE [DIM VALUE].." as a dim; usage_error() if an earlier pair, recorded in *seen, named
 * it too. */
extern int shaping_pair(const struct opt_list *pairs, int k, unsigned long *seen);

/** hdr_subrange() for arrays in space; a geometry has no grid, so only dims[d] is set. */
extern void shaping_subrange(struct hdr *h, int d, long start, long step, long n);

/** Records that an operation has changed the given dims of the array: a geometry (4, 4, view) with changed
 * dims 0 or 1 is no longer one. */
extern void shaping_touched(struct hdr *h, unsigned long dims);

/** Copies the elements of one file or stream into another with as many elements, in order. */
extern void shaping_straight(struct cfl *out, struct cfl *in, const char *what);

/** Gives a header other dims with as many elements in the same order. Dims with the same neighbours as before
 * keep their grid, wherever they are now; the others have none. */
extern void shaping_reshape(struct hdr *h, const long dims[DIMS]);

/** Joins arrays along dim d: equal types and other dims; out's dim is the sum. All are read in their order,
 * once. */
extern void shaping_join(struct cfl *out, int d, int n, struct cfl *const in[], const char *what);

#endif
