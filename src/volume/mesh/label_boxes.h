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

/** The boxes of all labels except 0 of a volume of an integer type (int64 at most), in the order of the
 * labels: malloc'd, *n of them. error() naming `name` if there is a negative one. */
extern struct label_box *label_boxes(
        const void *data, enum dtype type, const long dims[3], long *n, const char *name);

#endif
