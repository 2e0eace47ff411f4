#ifndef VOLUME_MORPH_TILES_H
#define VOLUME_MORPH_TILES_H

#include "volume/morph_passes.h"

/** Erosion and dilation by balls, in tiles of rows. The ball is a set of chords along x, one for each offset
 * (dy, dz). */

/** A chord of the ball: offsets (dx, dy, dz) with `|dx| <= length`. */
struct chord {
	long length, dy, dz;
};

struct chords {
	long n, ry, rz, longest; // number of chords, largest |dy|, |dz| and length
	struct chord *chord;     // sorted by length, shortest first
};

extern void chords_init(struct chords *c, const struct morph_pass *p);

/** A tile has the output rows [y0, y1) of slices [z0, z1). The tile needs the input rows [ya, yb) of slices
 * [za, zb). */
struct tile {
	long y0, y1, z0, z1, ya, yb, za, zb;
};

/**
 * These functions divide a volume into tiles of `side` x `side` rows:
 *
 * - tiles_count(): returns the number of tiles.
 * - tiles_get(): returns tile k.
 */
extern long tiles_count(const struct morph_pass *p, long side);
extern struct tile tiles_get(const struct morph_pass *p, const struct chords *c, long side, long k);

/** Returns the index of input row (y, z) in a tile, counted from 0. */
static inline long tile_row(const struct tile *t, long y, long z)
{
	return (z - t->za) * (t->yb - t->ya) + y - t->ya;
}

static inline long tile_rows(const struct tile *t)
{
	return (t->zb - t->za) * (t->yb - t->ya);
}

/** Returns whether row (y, z) is outside the volume. */
static inline bool row_outside(const struct morph_pass *p, long y, long z)
{
	return y < 0 || z < 0 || y >= p->in->ny || z >= p->in->nz;
}

#endif
