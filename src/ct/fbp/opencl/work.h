#ifndef CT_FBP_OPENCL_WORK_H
#define CT_FBP_OPENCL_WORK_H

/** The argument of the OpenCL kernel for back projection, passed by value. This header is valid C and OpenCL
 * C. */
struct spread_work {
	long cols, rows;   /* size of a filtered view */
	long first, views; /* views [first, first + views) of the scan; q begins with view `first` */
	long nx, ny, slice, slices,
	        step; /* vol contains slices [slice, slice + slices); voxels are `step` elements apart */
	double origin[3], spacing[3]; /* [mm] */
};

#endif
