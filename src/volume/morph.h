#ifndef VOLUME_MORPH_H
#define VOLUME_MORPH_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Erosion and dilation by balls and boxes, opening and closing, of masks and of values; filling of holes. */

enum morph_op { MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_FILL };

struct morph {
	struct cfl *in, *out; // out: bool of masks, else the type of in
	enum morph_op op;
	bool binary;      // in is a mask: true where not 0
	bool ball;        // else a box
	double radius;    // of the ball: offsets k with sum (k h)^2 <= radius^2
	double h[3];      // distance of neighbours in the unit of radius
	long box[3];      // half the width of the box, minus half a voxel [voxels]
	bool has_outside; // the outside has a value; else it is ignored
	double outside;
	int neighbours; // 6, 18, 26: connectivity of the background, for holes
};

/** Processes volume by volume. Trailing dimensions of length 1 have no outside: an image is processed within
 * its plane. error() on NaN. The cost per voxel is proportional to radius^2 for balls, and to log2 of the
 * width for boxes. For balls on masks, 64 voxels are processed at once, and above a radius of 32 voxels, a
 * distance transform is used. */
extern void morph_run(const struct morph *m);

/** Private memory [bytes], for tool_needs(). */
extern long morph_memory(const struct morph *m, const struct hdr *in);

#endif
