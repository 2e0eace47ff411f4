#ifndef VOLUME_PARTS_SIZES_H
#define VOLUME_PARTS_SIZES_H

#include "volume/parts.h"

/** voxels[k]: the count of voxels in component k, for k = 1, 2, ...; voxels[0] is not changed. */
extern void parts_sizes(const struct parts *p, long voxels[]);

#endif
