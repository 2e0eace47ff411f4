#ifndef VOLUME_LABEL_H
#define VOLUME_LABEL_H

#include <stdio.h>

#include "volume/voxels.h"

/** Connected components of the voxels that are not 0, volume by volume. */
struct label {
	struct cfl *in;
	struct cfl *out;  // integers, 0 is the background; NULL: none
	struct cfl *mean; // volume of the same dims whose mean goes into the table; NULL: none
	FILE *table;      // NULL: none; with a table `in` has one volume
	int neighbours;   // 6, 18, 26; within slices: 4, 8
	long min_size;    // smaller components become background [voxels]
	long largest;     // number of largest components kept (equal sizes: in the order of labels); 0: all
};

/** Labels count from 1 in the order of the first voxels of the components, x fastest. The table has a line
 * per component: label, voxels, size [mm^3, for images mm^2], diameter of the ball (circle) of that size
 * [mm], centre [mm], bounding box in voxels (end excluded), mean. Returns the number of components written;
 * *found: the number of all components. error() if the type of out cannot represent the labels, or if `in`
 * contains NaN. */
extern long label_run(const struct label *l, long *found);

#endif
