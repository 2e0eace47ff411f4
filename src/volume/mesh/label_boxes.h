#ifndef VOLUME_MESH_LABEL_BOXES_H
#define VOLUME_MESH_LABEL_BOXES_H

#include <stdint.h>

#include "misc/dtype.h"

/** Where the elements of one label are: the box [lo, hi). */
struct label_box {
	int64_t label;
	long count;
	long lo[3], hi[3];
};

/** The boxes of all labels but 0 of a volume of an integer type (int64 at most), in the order of the labels:
 * malloc'd, *n of them. error() naming `name` when there is a negative one. */
extern struct label_box *label_boxes(
        const void *data, enum dtype type, const long dims[3], long *n, const char *name);

#endif
