#ifndef CT_PROJECTOR_CHECK_VERIFY_PIECE_H
#define CT_PROJECTOR_CHECK_VERIFY_PIECE_H

#include "ct/geometry/geom.h"

/**
 * A part of the user's scan that is verified in seconds; voxels and pixels have the original size. `piece` is
 * a block of at most `most` voxels along each axis around a random point of a random ray. The returned
 * geometry has at most `views` views of at most 2 `most` columns and rows around the projection of the
 * block's centre. Returns NULL if no ray is found that meets the volume.
 */
extern struct geom *verify_piece(struct grid *piece, const struct geom *g, const struct grid *grid,
        long views, long most, unsigned long seed);

#endif
