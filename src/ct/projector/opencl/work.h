#ifndef CT_PROJECTOR_OPENCL_WORK_H
#define CT_PROJECTOR_OPENCL_WORK_H

#include "ct/projector/model/gather.h"

/** What the general kernels work on, by value to them: C and OpenCL C. Strides are in elements. */
struct general_work {
	struct gather g;
	long first, views;    /* of the geometry; view `first` is the first in proj */
	long row, rows;       /* of the detector, in proj */
	long slice, slices;   /* in vol */
	long stride[3], step; /* of vol, and of proj from element to element */
};

/** Work-items of a group along the first two dimensions. */
enum { GENERAL_LANES = 32, GENERAL_LINES = 8 };

/** Of each view, for voxel indices (x, y, z, 1): [0..3] and [4..7] numerators of column and row, [8..11]
 * their denominator (1: parallel); [12] t times that, [13] the voxel's reach towards the detector times that;
 * rate k is (place - [14 + k]) [16] + [36 + k]; the way is [17] voxel - [18..20]; [21..23] u, [24..26] v;
 * [27..35] the rows of `to`; [38] the dominant axis of a parallel beam. Terms of gather.h. */
enum { GENERAL_NEAR = 40 };

#endif
