#ifndef NUM_SHAPE_REDUCE_DIMS_DEVICE_H
#define NUM_SHAPE_REDUCE_DIMS_DEVICE_H

#include "num/shape/reduce_dims.h"

/**
 * Reductions of num/shape/reduce_dims.h on the GPU: floats, of arrays that fit there together. dims: of the
 * operands together. The results, elements of type `value` (float or complex), go to host memory in the order
 * of dims; NULL, and nothing done, where the CPU is to do it (with a warning where the user asked for the
 * GPU). free().
 */
extern void *reduce_dims_on_device(const struct reduce_dims *r, const long dims[], enum dtype value);

#endif
