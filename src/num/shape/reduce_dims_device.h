#ifndef NUM_SHAPE_REDUCE_DIMS_DEVICE_H
#define NUM_SHAPE_REDUCE_DIMS_DEVICE_H

#include "num/shape/reduce_dims.h"

/**
 * Reductions of num/shape/reduce_dims.h on the GPU: for floats, if all arrays fit into its memory. dims:
 * common dims of the operands. The results, elements of type `value` (float or complex), are copied to host
 * memory in the order of dims. Returns NULL and does nothing if the CPU is to be used (with a warning if the
 * user requested the GPU). The caller frees the result.
 */
extern void *reduce_dims_on_device(const struct reduce_dims *r, const long dims[], enum dtype value);

#endif
