#ifndef CT_PROJECTOR_CHECK_VERIFY_PIECE_H
#define CT_PROJECTOR_CHECK_VERIFY_PIECE_H

#include "ct/geometry/geom.h"

/**
 * Returns a small part of the user's scan, which can be checked in seconds. Voxels and pixels keep the
 * original size. The grid *piece becomes a block of at most `most` voxels along each axis. The block
 * contains a random point of a random ray. The returned geometry has at most `views` random views. A view
 * has at most 2 * most columns and rows, around the projection of the block's centre. Returns NULL if no ray
 * was found that meets the volume. Release the result by geom_free().
 */
extern struct geom *verify_piece(struct grid *piece, const struct geom *g, const struct grid *grid,
        long views, long most, unsigned long seed);

#endif
