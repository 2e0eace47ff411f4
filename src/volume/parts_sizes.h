#ifndef VOLUME_PARTS_SIZES_H
#define VOLUME_PARTS_SIZES_H

#include "volume/parts.h"

/** voxels[number]: how many voxels each component has, number from 1 on; voxels[0] is left alone. */
extern void parts_sizes(const struct parts *p, long voxels[]);

#endif
