#ifndef VOLUME_MORPH_TILES_H
#define VOLUME_MORPH_TILES_H

#include "volume/morph_passes.h"

/** Erosion and dilation by balls, as chords along x. Tiles of rows are read with the neighbouring rows that
 * the balls reach. Chords grow voxel by voxel. Each offset (dy, dz) is applied when the chords are as long as
 * the chord of the ball at this offset. */

/** Offsets (dy, dz), sorted by the length of the chord, shortest first. */
struct chord {
	long length, dy, dz;
};

struct chords {
	long n, ry, rz, longest; // largest offsets; longest chord
	struct chord *chord;
};

extern void chords_init(struct chords *c, const struct morph_pass *p);

/** Rows [y0, y1) of slices [z0, z1); with the neighbouring rows: rows [ya, yb) of slices [za, zb). */
struct tile {
	long y0, y1, z0, z1, ya, yb, za, zb;
};

/** The number of tiles of `side` rows and slices, and tile number k. */
extern long tiles_count(const struct morph_pass *p, long side);
extern struct tile tiles_get(const struct morph_pass *p, const struct chords *c, long side, long k);

/** Index of row (y, z) among the rows of a tile and its neighbouring rows, from 0. */
static inline long tile_row(const struct tile *t, long y, long z)
{
	return (z - t->za) * (t->yb - t->ya) + y - t->ya;
}

static inline long tile_rows(const struct tile *t)
{
	return (t->zb - t->za) * (t->yb - t->ya);
}

/** Whether row (y, z) is outside the volume. */
static inline bool row_outside(const struct morph_pass *p, long y, long z)
{
	return y < 0 || z < 0 || y >= p->in->ny || z >= p->in->nz;
}

#endif
