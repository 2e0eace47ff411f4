#ifndef NUM_EXPR_CUDA_CHAIN_GENERATED_H
#define NUM_EXPR_CUDA_CHAIN_GENERATED_H

#include "num/backend/backend.h"

/**
 * A chain of operators on arrays on the device by a generated kernel, as expressions have them
 * (num/expr/expr_gpu.h): for several operators on so many elements that looking for the kernel repays itself,
 * or as expr_gpu_choose() says. False, and nothing done, for others, and where there is no compiler.
 */
extern bool gpu_chain_generated(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[]);

#endif
