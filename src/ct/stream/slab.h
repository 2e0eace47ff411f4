#ifndef CT_STREAM_SLAB_H
#define CT_STREAM_SLAB_H

#include "ct/projector/bricks.h"

/** A slab of the volume: some rows of bricks along x, and the voxels that they cover. A slab is either some
 * complete layers of bricks, or a part of one layer. */
struct slab {
	long row, rows; // of bricks
	long y[2], z[2];
};

/** The slab of at most `rows` rows that begins with `row`. If the slab has a layer or more, `row` must be the
 * first row of a layer. */
extern struct slab slab_at(const struct xray *x, long row, long rows);

/** The first slab of rows [row, end) that has at most `most` rows: whole layers, or rows of one layer. The
 * slab is empty if row = end. */
extern struct slab slab_of(const struct xray *x, long row, long end, long most);

/** Calls fn(ctx, first, n) for runs of neighbouring voxels of the slab, in order. The runs cover only the
 * fraction [from, to) of the slab's lines along x, 0 <= from <= to <= 1. Consecutive fractions cover each
 * line once. */
extern void slab_runs(const struct xray *x, const struct slab *s, double from, double to,
        void (*fn)(void *ctx, long first, long n), void *ctx);

/** Computes the detector rows [lo[k], hi[k]) of view first + k, k < n, whose rays (for footprints, whose
 * pixels) may meet the slab. lo[k] = hi[k] = 0 if there are no such rows. */
extern void slab_footprint(
        const struct xray *x, const struct slab *s, long first, long n, long lo[], long hi[]);

#endif
