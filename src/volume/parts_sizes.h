#ifndef VOLUME_PARTS_SIZES_H
#define VOLUME_PARTS_SIZES_H

#include "volume/parts.h"

/** voxels[number]: the number of voxels of each component, number from 1 on; voxels[0] is not changed. */
extern void parts_sizes(const struct parts *p, long voxels[]);

#endif
