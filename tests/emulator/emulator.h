#ifndef MINIMAL_CUDA_EMULATOR_H
#define MINIMAL_CUDA_EMULATOR_H

#include "cuda_runtime.h"

/* Between the two halves of the stand-in: kernels and runtime. */

/** Allows access to device memory; calls are counted. */
extern void emulated_open(void);
extern void emulated_close(void);

/** Remembers e for cudaGetLastError(); returns it. */
extern cudaError_t emulated_result(cudaError_t e);

#endif
