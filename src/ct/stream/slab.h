#ifndef CT_STREAM_SLAB_H
#define CT_STREAM_SLAB_H

#include "ct/projector/bricks.h"

/** A slab of the volume: rows of bricks, and the voxels they cover, whole along x. Either layers of bricks,
 * whole along y too, or a part of one layer. */
struct slab {
	long row, rows; // of bricks
	long y[2], z[2];
};

/** The slab of at most that many rows that begins with this one; if it is more than a layer, it begins at a
 * layer. */
extern struct slab slab_at(const struct xray *x, long row, long rows);

/** Calls fn(ctx, first, n) for runs of neighbouring voxels of the slab, in order: those of a part [from, to)
 * of them, 0 <= from <= to <= 1. Consecutive parts cover everything once. */
extern void slab_runs(const struct xray *x, const struct slab *s, double from, double to,
        void (*fn)(void *ctx, long first, long n), void *ctx);

/** Detector rows [lo[k], hi[k]) whose rays (for footprints: whose pixels) may meet the slab in view first +
 * k, k < n; lo = hi = 0: none. */
extern void slab_footprint(
        const struct xray *x, const struct slab *s, long first, long n, long lo[], long hi[]);

#endif
