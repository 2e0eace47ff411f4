#ifndef NUM_SHAPE_SHAPING_H
#define NUM_SHAPE_SHAPING_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/**
 * Copies the elements of a file or stream into an output of another shape: cut, pad, flip, stride, wrap,
 * repeat, exchange dims. Any element type is supported, without conversion. Private memory is a few slabs,
 * for arrays of any size.
 */

/** The source of the elements of an output. Along output dim d, [at, at + n) of the `size` elements are
 * copied: the k-th of these is element start + k * step of input dim src. The other elements along the dim
 * are zero. With `wrap`, the step is 1, at is 0, n is size, and the input continues periodically. */
struct shaping {
	struct shaping_dim {
		int src;          // each input dim exactly once
		long start, step; // in the input
		long at, n;       // in the output
		long size;        // of the output
		bool wrap;
	} dim[DIMS];
};

/** Opens an input. Returns a header for the output, which the caller changes, and the identity shaping.
 */
extern struct cfl *shaping_open(struct shaping *s, struct hdr *h, const char *in);

/** Reorders the grids of a header: dim d gets the grid of dim order[d]. The axes in a section "# Direction"
 * are exchanged, and the origin, a position in world coordinates, is kept. The section is removed with a
 * warning if one of the first three dims comes from a later dim. */
extern void shaping_permute_grid(struct hdr *h, const int order[DIMS]);

/** Like shaping_permute_grid(), for exchanging two dims. */
extern void shaping_exchange_grid(struct hdr *h, int a, int b);

/** Output dim d becomes the previous dim order[d], with its grid; order contains each dim once. Sets the
 * dims of the header. */
extern void shaping_permute(struct shaping *s, struct hdr *h, const int order[DIMS]);

/** Along dim d, which must be unchanged so far, the output has `size` elements of the periodic continuation
 * of the input, beginning with number `start` (any integer, also negative). */
extern void shaping_wrap(struct shaping *s, int d, long start, long size);

/** Sets the dims of a header to those of the output. */
extern void shaping_dims(const struct shaping *s, struct hdr *h);

/**
 * Writes the output with header h, releases h, and closes input and output. `dims` are the dims that the
 * command changes (shaping_touched()); `what` is for the progress line. If the order of the elements allows
 * it, input and output are processed slab by slab, so that output begins before an input stream has ended;
 * else the stream is spooled. An input stream is always read to its end.
 */
extern void shaping_write(const struct shaping *s, struct hdr *h, unsigned long dims, struct cfl *in,
        const char *out, const char *what);

/** The dim that word k of "DIM VALUE [DIM VALUE].." names; usage_error() if an earlier pair (recorded in
 * *seen) has the same dim. */
extern int shaping_pair(const struct opt_list *pairs, int k, unsigned long *seen);

/** Like hdr_subrange(); for a geometry, which has no grid, only dims[d] is set. */
extern void shaping_subrange(struct hdr *h, int d, long start, long step, long n);

/** Records that an operation has changed the given dims of the array: an array (4, 4, view) whose dims 0 or 1
 * are changed is no longer a geometry. */
extern void shaping_touched(struct hdr *h, unsigned long dims);

/** Copies the elements of one file or stream into another with as many elements, in order. */
extern void shaping_straight(struct cfl *out, struct cfl *in, const char *what);

/** Changes the dims of a header; number and order of the elements stay the same. Dims that are not split or
 * joined keep their grid, also at another position; the other dims get no grid. */
extern void shaping_reshape(struct hdr *h, const long dims[DIMS]);

/** Joins arrays along dim d; types and other dims are equal, and the length of out along d is the sum. The
 * inputs are read once, one after the other. */
extern void shaping_join(struct cfl *out, int d, int n, struct cfl *const in[], const char *what);

#endif
