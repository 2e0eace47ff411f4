#ifndef VOLUME_MASK_ROWS_H
#define VOLUME_MASK_ROWS_H

#include <stdbool.h>

#include "volume/parts.h"
#include "volume/voxels.h"

/** Selects the object in a volume: the nonzero voxels, or the voxels greater than `level`. */
struct mask_rows {
	const struct voxels *in;
	bool by_level;
	double level;
	bool invert; // selects the background instead
};

/** Implements parts_rows; `ctx` is a struct mask_rows. With by_level, NaN is not greater than the level.
 * Without by_level, NaN is an error(). */
extern parts_rows mask_rows;

#endif
