#ifndef VOLUME_MASK_ROWS_H
#define VOLUME_MASK_ROWS_H

#include <stdbool.h>

#include "volume/parts.h"
#include "volume/voxels.h"

/** The voxels of a volume that belong to an object: voxels that are not 0, or voxels greater than a level. */
struct mask_rows {
	const struct voxels *in;
	bool by_level;
	double level;
	bool invert; // selects the other voxels
};

/** The function `rows` for struct parts_volume; ctx is a struct mask_rows. NaN is an error() if by_level is
 * false, and outside the object if it is true. */
extern parts_rows mask_rows;

#endif
