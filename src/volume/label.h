#ifndef VOLUME_LABEL_H
#define VOLUME_LABEL_H

#include <stdio.h>

#include "volume/voxels.h"

/** Settings of label_run(). */
struct label {
	struct cfl *in;
	struct cfl *out;  // labels, 0 in the background; may be NULL
	struct cfl *mean; // averaged per component, same dims as `in`; may be NULL
	FILE *table;      // for a single volume; may be NULL
	int neighbours;   // 6, 18 or 26; within slices 4 or 8
	long min_size;    // smaller components become background [voxels]
	long largest;     // number of largest components to keep, of equal sizes the first; 0 means all
};

/** Labels the connected components of nonzero voxels in each volume. Labels count from 1 in the memory order
 * of the components' first voxels. The table has a line per component: label, voxels, size, diameter, centre
 * [mm], bounding box [voxels], mean. The size is in mm^3, or in mm^2 for images. The diameter [mm] is that of
 * a ball or circle of equal size. The end of a bounding box is excluded. Returns the number of components
 * written. Sets *found to the number of all components. NaN in `in`, or labels too large for the type of
 * `out`, are an error(). */
extern long label_run(const struct label *l, long *found);

#endif
