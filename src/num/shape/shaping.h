#ifndef NUM_SHAPE_SHAPING_H
#define NUM_SHAPE_SHAPING_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/** These functions copy a file or stream into an output of another shape. Dims can be cut, padded, flipped,
 * strided, wrapped, repeated and exchanged. Elements keep their type. Private memory is a few slabs, for
 * arrays of any size. */

/** Describes where the elements of an output come from. Along output dim d, elements [at, at + n) are copied.
 * Other elements are 0. Output element `at + k` is element `start + k * step` along input dim src. With
 * `wrap`, the input continues periodically; `step = 1`, `at = 0` and `n = size`. */
struct shaping {
	struct shaping_dim {
		int src;          // input dim; every input dim is used once
		long start, step; // in the input
		long at, n;       // in the output
		long size;        // length of the output
		bool wrap;
	} dim[DIMS];
};

/** Opens an input and copies the header to h. The caller may change h. Sets s to copy all elements unchanged.
 */
extern struct cfl *shaping_open(struct shaping *s, struct hdr *h, const char *in);

/** Sets spacing and origin of dim d of the header to those of dim order[d]. With a section "# Direction", the
 * axes are exchanged and the origin is kept. The section is removed with a warning if dim 0, 1 or 2 comes
 * from a later dim. */
extern void shaping_permute_grid(struct hdr *h, const int order[DIMS]);

/** Works like shaping_permute_grid() for an exchange of dims a and b. */
extern void shaping_exchange_grid(struct hdr *h, int a, int b);

/** Permutes dims: output dim d gets elements, spacing and origin of dim order[d]. `order` contains every dim
 * once. Sets the dims of h. */
extern void shaping_permute(struct shaping *s, struct hdr *h, const int order[DIMS]);

/** Along dim d, takes `size` elements of the periodic continuation of the input. The first element is number
 * `start`, which may be negative. Dim d must be unchanged before the call. */
extern void shaping_wrap(struct shaping *s, int d, long start, long size);

/** Sets the dims of the header to those of the output. */
extern void shaping_dims(const struct shaping *s, struct hdr *h);

/** Writes the output with header h, then releases h and closes input and output. `dims` are the dims that the
 * command changes, as in shaping_touched(). If the order of elements allows it, output begins before an input
 * stream has ended. Otherwise the stream is spooled. An input stream is always read to the end. */
extern void shaping_write(const struct shaping *s, struct hdr *h, unsigned long dims, struct cfl *in,
        const char *out, const char *what);

/** Reads the dim in word k of "DIM VALUE [DIM VALUE]..", and adds the dim to *seen. A dim already in *seen is
 * a usage_error(). */
extern int shaping_pair(const struct opt_list *pairs, int k, unsigned long *seen);

/** Works like hdr_subrange(). For a geometry, only dims[d] is set. */
extern void shaping_subrange(struct hdr *h, int d, long start, long step, long n);

/** Records that an operation has changed the given dims. A change of dim 0 or 1 removes the detector and the
 * quantity `geometry`. */
extern void shaping_touched(struct hdr *h, unsigned long dims);

/** Copies the elements of one file or stream in order into another with equally many elements. */
extern void shaping_straight(struct cfl *out, struct cfl *in, const char *what);

/** Changes the dims of a header for the same elements in the same order. A dim that is neither split nor
 * joined keeps spacing and origin, even if renumbered. Other dims get spacing 1 and no origin. */
extern void shaping_reshape(struct hdr *h, const long dims[DIMS]);

/** Joins arrays of equal type along dim d. The other dims are equal. The length of `out` along dim d is the
 * sum of lengths. Every input is read once, from start to end. */
extern void shaping_join(struct cfl *out, int d, int n, struct cfl *const in[], const char *what);

#endif
