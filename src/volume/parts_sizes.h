#ifndef VOLUME_PARTS_SIZES_H
#define VOLUME_PARTS_SIZES_H

#include "volume/parts.h"

/** For `k >= 1`, sets `voxels[k]` to the number of voxels of component k. Element voxels[0] is not changed.
 */
extern void parts_sizes(const struct parts *p, long voxels[]);

#endif
