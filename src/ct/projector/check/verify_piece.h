#ifndef CT_PROJECTOR_CHECK_VERIFY_PIECE_H
#define CT_PROJECTOR_CHECK_VERIFY_PIECE_H

#include "ct/geometry/geom.h"

/**
 * A part of the user's scan that is verified in seconds, with voxels and pixels of the original size. The
 * part consists of a block of at most `most` voxels along an axis around a random ray, and of the part of the
 * detector around the footprint of the block, in a few views. NULL if none of many random rays meets the
 * volume.
 */
extern struct geom *verify_piece(struct grid *piece, const struct geom *g, const struct grid *grid,
        long views, long most, unsigned long seed);

#endif
