#ifndef VOLUME_MESH_LABEL_BOXES_H
#define VOLUME_MESH_LABEL_BOXES_H

#include <stdint.h>

#include "misc/dtype.h"

/** The bounding box of the elements of one label: [lo, hi). */
struct label_box {
	int64_t label;
	long count;
	long lo[3], hi[3];
};

/** The boxes of all labels except 0, in the order of the labels: malloc'd, *n boxes. The volume has an
 * integer type other than uint64. error() naming `name` if a label is negative. */
extern struct label_box *label_boxes(
        const void *data, enum dtype type, const long dims[3], long *n, const char *name);

#endif
