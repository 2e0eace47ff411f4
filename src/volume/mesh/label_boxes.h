#ifndef VOLUME_MESH_LABEL_BOXES_H
#define VOLUME_MESH_LABEL_BOXES_H

#include <stdint.h>

#include "misc/dtype.h"

/** The bounding box [lo, hi) of the elements of one label. */
struct label_box {
	int64_t label;
	long count;
	long lo[3], hi[3];
};

/** Returns the boxes of all labels except 0, sorted by label. The caller frees the array of *n boxes. The
 * volume has an integer type other than uint64. A negative label is an error() naming `name`. */
extern struct label_box *label_boxes(
        const void *data, enum dtype type, const long dims[3], long *n, const char *name);

#endif
