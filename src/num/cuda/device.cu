/* The GPUs of this machine, asked from the CUDA runtime. No context is created: a count and properties need
 * none. */

#include <cuda_runtime.h>
#include <stdio.h>

extern "C" {
#include "num/device.h"
}

static int count(cudaError_t *why)
{
	int n = 0;

	*why = cudaGetDeviceCount(&n);

	return (cudaSuccess == *why) ? n : 0;
}

extern "C" int device_count(void)
{
	cudaError_t why;

	return count(&why);
}

extern "C" const char *device_name(int id)
{
	static cudaDeviceProp prop;

	if (cudaSuccess != cudaGetDeviceProperties(&prop, id))
		return "";

	return prop.name;
}

extern "C" long device_memory(int id)
{
	cudaDeviceProp prop;

	if (cudaSuccess != cudaGetDeviceProperties(&prop, id))
		return 0;

	return (long)prop.totalGlobalMem;
}

extern "C" const char *device_none_reason(void)
{
	cudaError_t why;

	if (0 < count(&why))
		return "";

	return (cudaSuccess == why) ? "no GPU found" : cudaGetErrorString(why);
}
