#ifndef CT_PROJECTOR_OPENCL_WORK_H
#define CT_PROJECTOR_OPENCL_WORK_H

#include "ct/projector/model/gather.h"

/** The argument of the general kernels that describes a call, passed by value; C and OpenCL C. Strides are in
 * elements. */
struct general_work {
	struct gather g;
	long first, views;    /* of the geometry; view `first` is the first in proj */
	long row, rows;       /* rows of the detector that proj contains */
	long slice, slices;   /* slices that vol contains */
	long stride[3], step; /* of vol, and of proj from element to element */
};

/** Work-items of a group along the first two dimensions. */
enum { GENERAL_LANES = 32, GENERAL_LINES = 8 };

/** Numbers of each view; terms as in gather.h. Linear in the voxel indices (x, y, z, 1): [0..3] and [4..7]
 * the numerators of column and row, [8..11] their denominator (parallel: 1). [12] t times the denominator,
 * [13] the extent of a voxel towards the detector times the denominator; rate k is (position - [14 + k]) [16]
 * + [36 + k]; the vector from the source is [17] voxel - [18..20]; [21..23] u, [24..26] v; [27..35] the rows
 * of `to`; [38] the dominant axis of a parallel beam. */
enum { GENERAL_NEAR = 40 };

#endif
