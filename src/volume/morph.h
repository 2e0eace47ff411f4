#ifndef VOLUME_MORPH_H
#define VOLUME_MORPH_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Morphology of masks and values: erosion, dilation, opening and closing by balls or boxes, and filling of
 * holes. */

enum morph_op { MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_FILL };

struct morph {
	struct cfl *in, *out; // out has the type of in, or bool for masks
	enum morph_op op;
	bool binary;      // in is a mask
	bool ball;        // otherwise a box
	double radius;    // the ball has the offsets k with sum (k h)^2 <= radius^2
	double h[3];      // voxel spacing in the unit of radius
	long box[3];      // the box is 2 box[d] + 1 voxels wide along dim d
	bool has_outside; // voxels outside have the value `outside`; otherwise, they are ignored
	double outside;
	int neighbours; // connectivity of the background for MORPH_FILL: 6, 18 or 26
};

/** Processes each volume. Axes of length 1 have no outside. An image is therefore processed
 * within its plane. NaN is an error(). The cost per voxel grows with `radius^2` for balls and with
 * `log2(width)` for boxes. */
extern void morph_run(const struct morph *m);

/** Returns how many bytes morph_run() allocates. */
extern long morph_memory(const struct morph *m, const struct hdr *in);

#endif
