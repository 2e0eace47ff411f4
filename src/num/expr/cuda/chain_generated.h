#ifndef NUM_EXPR_CUDA_CHAIN_GENERATED_H
#define NUM_EXPR_CUDA_CHAIN_GENERATED_H

#include "num/backend/backend.h"

/**
 * A chain of operators on arrays on the device by a generated kernel, as for expressions
 * (num/expr/expr_gpu.h): for several operators on enough elements to justify the lookup of the kernel, or as
 * expr_gpu_choose() selects. Returns false and does nothing for others, and if there is no compiler.
 */
extern bool gpu_chain_generated(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[]);

#endif
