#ifndef CT_PROJECTOR_OPENCL_WORK_H
#define CT_PROJECTOR_OPENCL_WORK_H

/** Number of work-items of a work-group along the first and the second dimension. */
enum { GENERAL_LANES = 32, GENERAL_LINES = 8 };

#endif
