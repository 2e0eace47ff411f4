#ifndef NUM_SHAPE_SHAPING_H
#define NUM_SHAPE_SHAPING_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/**
 * Moving the elements of a file or stream into another of other shape: cut, pad, flip, stride, wrap, repeat,
 * exchange dims.
 * Any element type; no conversion. Private memory stays at a few slabs whatever the size of the arrays.
 */

/** Where the elements of an output come from: element k of the placed ones along output dim d is element
 * start + k * step of input dim src; they lie at [at, at + n) of size, the rest of the dim is zero. With
 * `wrap`, the step is 1, at is 0, n is size, and the input goes on periodically. */
struct shaping {
	struct shaping_dim {
		int src;          // each input dim exactly once
		long start, step; // in the input
		long at, n;       // in the output
		long size;        // of the output
		bool wrap;
	} dim[DIMS];
};

/** Opens an input: a header for the output, to be changed, and the shaping that makes the output its equal.
 */
extern struct cfl *shaping_open(struct shaping *s, struct hdr *h, const char *in);

/** Exchanges the grids of a header likewise: dim d gets that of dim order[d]. With a section "# Direction"
 * its axes are exchanged and the origin, a place in the world, stays; left out with a warning where one of
 * the first three dims comes from behind them. */
extern void shaping_permute_grid(struct hdr *h, const int order[DIMS]);

/** The same for two dims that change places. */
extern void shaping_exchange_grid(struct hdr *h, int a, int b);

/** Output dim d becomes what dim order[d] was, grid included; order holds each dim once. Sets the dims of the
 * header. */
extern void shaping_permute(struct shaping *s, struct hdr *h, const int order[DIMS]);

/** Along dim d, untouched so far, the output has `size` elements of the input's periodic continuation,
 * beginning with number `start` (any, also negative). */
extern void shaping_wrap(struct shaping *s, int d, long start, long size);

/** Sets the dims of a header to those of the output. */
extern void shaping_dims(const struct shaping *s, struct hdr *h);

/**
 * Writes the output, with that header (released), and closes both; `dims` are those that the command touches
 * (shaping_touched()), `what` is for the progress line. Where the order of the elements allows it both
 * advance slab by slab, so streams start before their input has ended; else a stream is spooled. A stream is
 * read to its end even where the rest is not needed.
 */
extern void shaping_write(const struct shaping *s, struct hdr *h, unsigned long dims, struct cfl *in,
        const char *out, const char *what);

/** Word k of "DIM VALUE [DIM VALUE].." as a dim; usage_error() when an earlier pair, noted in *seen, named it
 * too. */
extern int shaping_pair(const struct opt_list *pairs, int k, unsigned long *seen);

/** hdr_subrange() for arrays in space; a geometry has no grid, so there only dims[d] is set. */
extern void shaping_subrange(struct hdr *h, int d, long start, long step, long n);

/** Says that an operation has touched the given dims of the array: a geometry (4, 4, view) whose dims 0 or 1
 * changed is one no more. */
extern void shaping_touched(struct hdr *h, unsigned long dims);

/** Writes the elements of one file or stream into another of as many, in their order. */
extern void shaping_straight(struct cfl *out, struct cfl *in, const char *what);

/** Gives a header other dims of as many elements in the same order: dims that hold the same neighbours as
 * before keep their grid, wherever they are now, the others have none. */
extern void shaping_reshape(struct hdr *h, const long dims[DIMS]);

/** Joins arrays along dim d: equal types and other dims; out's dim is the sum. All are read in their order,
 * once. */
extern void shaping_join(struct cfl *out, int d, int n, struct cfl *const in[], const char *what);

#endif
