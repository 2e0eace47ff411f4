#ifndef CT_PROJECTOR_CHECK_VERIFY_PIECE_H
#define CT_PROJECTOR_CHECK_VERIFY_PIECE_H

#include "ct/geometry/geom.h"

/**
 * A piece of the user's case that is verified in seconds, with its own voxels, pixels and views: a block of
 * at most `most` voxels along an axis around a random ray, and in a few views the part of the detector around
 * its footprint. NULL if none of many rays meets the volume.
 */
extern struct geom *verify_piece(struct grid *piece, const struct geom *g, const struct grid *grid,
        long views, long most, unsigned long seed);

#endif
