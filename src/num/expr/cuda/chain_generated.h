#ifndef NUM_EXPR_CUDA_CHAIN_GENERATED_H
#define NUM_EXPR_CUDA_CHAIN_GENERATED_H

#include "num/backend/backend.h"

/** Computes a chain of operators on device arrays by a generated kernel. Returns false and does nothing if no
 * compiler is available or the chain is too small. By default, a chain needs two operators, and operators
 * times elements must reach EXPR_GPU_CHAIN_LEAST (num/expr/expr_gpu.h). The function expr_gpu_choose()
 * overrides this limit. */
extern bool gpu_chain_generated(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[]);

#endif
