#ifndef MINIMAL_CUDA_CUDA_H
#define MINIMAL_CUDA_CUDA_H

/** The one type of the driver's interface that Gantry names. */

#include "cuda_runtime.h"

enum { EMULATED_TENSOR_DIMS = 5 };

/** A tensor map: an array in device memory and the box that one copy brings. */
typedef struct __attribute__((aligned(64))) CUtensorMap_st {
	const char *base;
	uint64_t dims[EMULATED_TENSOR_DIMS];  // [elements]
	uint64_t steps[EMULATED_TENSOR_DIMS]; // [bytes]
	uint32_t box[EMULATED_TENSOR_DIMS];   // [elements]
	uint32_t size;                        // of an element [bytes]
	uint32_t rank;
} CUtensorMap;

/** What the driver's cuTensorMapEncodeTiled() checks, for float32; error code or success. */
extern cudaError_t emulated_tensor_map(CUtensorMap *map, int rank, const float *base, const uint64_t dims[],
        const uint64_t steps[], const uint32_t box[]);

#endif
