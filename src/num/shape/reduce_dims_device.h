#ifndef NUM_SHAPE_REDUCE_DIMS_DEVICE_H
#define NUM_SHAPE_REDUCE_DIMS_DEVICE_H

#include "num/shape/reduce_dims.h"

/** Computes the results of reduce_dims() on the GPU. `dims` are the common dims of the operands. Returns the
 * results in host memory, as elements of type `value`. The caller frees the results. Returns NULL and does
 * nothing if the CPU is to be used. Warns if the arrays do not fit into GPU memory. */
extern void *reduce_dims_on_device(const struct reduce_dims *r, const long dims[], enum dtype value);

#endif
