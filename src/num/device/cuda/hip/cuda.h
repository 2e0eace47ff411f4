#ifndef NUM_DEVICE_CUDA_HIP_CUDA_H
#define NUM_DEVICE_CUDA_HIP_CUDA_H

/** Maps names of CUDA's driver API in .cu files to HIP's names. HIP has no tensor maps. */

#include "cuda_runtime.h"

typedef struct {
	char bytes[128];
} CUtensorMap;

#define CUmodule            hipModule_t
#define CUfunction          hipFunction_t
#define CUresult            hipError_t
#define CUstream            hipStream_t
#define CUDA_SUCCESS        hipSuccess
#define cuModuleLoadData    hipModuleLoadData
#define cuModuleGetFunction hipModuleGetFunction
#define cuLaunchKernel      hipModuleLaunchKernel

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
#define cudaEnableDefault 0

/** Sets *p to the HIP function that replaces function `name` of CUDA's driver, or to NULL. */
static inline hipError_t cudaGetDriverEntryPointByVersion(
        const char *name, void **p, int, int, enum cudaDriverEntryPointQueryResult *found)
{
	static const struct {
		const char *name;
		void *fn;
	} known[] = {{"cuModuleLoadData", (void *)hipModuleLoadData},
	        {"cuModuleGetFunction", (void *)hipModuleGetFunction},
	        {"cuLaunchKernel", (void *)hipModuleLaunchKernel}};

	*p = NULL;
	*found = cudaDriverEntryPointSuccess;

	for (const auto &k : known)
		if (0 == strcmp(k.name, name))
			*p = k.fn;

	return hipSuccess;
}

#endif
