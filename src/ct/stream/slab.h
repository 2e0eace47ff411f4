#ifndef CT_STREAM_SLAB_H
#define CT_STREAM_SLAB_H

#include "ct/projector/bricks.h"

/** A slab is a part of the volume that consists of rows of bricks along x. A layer consists of all rows of
 * bricks with the same z. A slab is a number of complete layers, or a part of one layer. `y` and `z` are
 * half-open ranges of voxels. */
struct slab {
	long row, rows; // rows of bricks
	long y[2], z[2];
};

/** Returns the slab that begins with row `row` and has at most `rows` rows. If the slab has a complete
 * layer, `row` must be the first row of a layer. */
extern struct slab slab_at(const struct xray *x, long row, long rows);

/** Returns the slab that begins at the first of rows [row, end). The slab has at most `most` rows. The slab
 * consists of complete layers, or of rows of one layer. If row = end, the slab is empty. */
extern struct slab slab_of(const struct xray *x, long row, long end, long most);

/** Calls fn(ctx, first, n) for each contiguous run of n voxels of a slab, in ascending order. The runs cover
 * the fraction [from, to) of the slab's lines along x. `from` and `to` are between 0 and 1. Successive
 * fractions cover each line once. */
extern void slab_runs(const struct xray *x, const struct slab *s, double from, double to,
        void (*fn)(void *ctx, long first, long n), void *ctx);

/** For k < n, finds the detector rows [lo[k], hi[k]) that may see the slab in view first + k. For separable
 * footprints, the whole pixel counts, not only the ray through the pixel's centre. If no row sees the slab,
 * lo[k] = hi[k] = 0. */
extern void slab_footprint(
        const struct xray *x, const struct slab *s, long first, long n, long lo[], long hi[]);

#endif
