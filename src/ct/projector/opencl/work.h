#ifndef CT_PROJECTOR_OPENCL_WORK_H
#define CT_PROJECTOR_OPENCL_WORK_H

/** Work-items of a group along the first two dimensions. */
enum { GENERAL_LANES = 32, GENERAL_LINES = 8 };

/** Numbers of each view; terms as in gather.h. Linear in the voxel indices (x, y, z, 1): [0..3] and [4..7]
 * the numerators of column and row, [8..11] their denominator (parallel: 1). [12] t times the denominator,
 * [13] the extent of a voxel towards the detector times the denominator; rate k is (position - [14 + k]) [16]
 * + [36 + k]; the vector from the source is [17] voxel - [18..20]; [21..23] u, [24..26] v; [27..35] the rows
 * of `to`; [38] the dominant axis of a parallel beam. */
enum { GENERAL_NEAR = 40 };

#endif
