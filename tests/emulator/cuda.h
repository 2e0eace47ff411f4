#ifndef MINIMAL_CUDA_CUDA_H
#define MINIMAL_CUDA_CUDA_H

/** The only type of the driver's interface that Gantry uses. */

#include "cuda_runtime.h"

enum { EMULATED_TENSOR_DIMS = 5 };

/** A tensor map: an array in device memory, and the box that one copy transfers. */
typedef struct __attribute__((aligned(64))) CUtensorMap_st {
	const char *base;
	uint64_t dims[EMULATED_TENSOR_DIMS];  // [elements]
	uint64_t steps[EMULATED_TENSOR_DIMS]; // [bytes]
	uint32_t box[EMULATED_TENSOR_DIMS];   // [elements]
	uint32_t size;                        // of an element [bytes]
	uint32_t rank;
} CUtensorMap;

/** Makes the checks of the driver's cuTensorMapEncodeTiled() for float32; returns an error code or success.
 */
extern cudaError_t emulated_tensor_map(CUtensorMap *map, int rank, const float *base, const uint64_t dims[],
        const uint64_t steps[], const uint32_t box[]);

#endif
