#ifndef CT_FBP_OPENCL_WORK_H
#define CT_FBP_OPENCL_WORK_H

/** The argument of the kernel for the back projection of filtered views, passed by value; C and OpenCL C. */
struct spread_work {
	long cols, rows;   /* of a view */
	long first, views; /* of the scan; view `first` is the first in q */
	long nx, ny, slice, slices,
	        step;                 /* vol holds slices [slice, slice + slices), an element every `step` */
	double origin[3], spacing[3]; /* [mm] */
};

#endif
