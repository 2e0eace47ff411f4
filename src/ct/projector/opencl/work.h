#ifndef CT_PROJECTOR_OPENCL_WORK_H
#define CT_PROJECTOR_OPENCL_WORK_H

/** Work-items of a group along the first two dimensions. */
enum { GENERAL_LANES = 32, GENERAL_LINES = 8 };

#endif
