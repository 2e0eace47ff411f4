#ifndef NUM_EXPR_CUDA_CHAIN_GENERATED_H
#define NUM_EXPR_CUDA_CHAIN_GENERATED_H

#include "num/backend/backend.h"

/**
 * Computes a chain of operators on arrays on the device by a generated kernel, as for expressions
 * (num/expr/expr_gpu.h). The generated kernel is used if there are several operators and enough elements to
 * justify the lookup of the kernel, or if expr_gpu_choose() selects it. Returns false and does nothing for
 * other chains, and if no compiler is available.
 */
extern bool gpu_chain_generated(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[]);

#endif
