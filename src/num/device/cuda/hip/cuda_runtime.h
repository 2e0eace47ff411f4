#ifndef NUM_DEVICE_CUDA_HIP_CUDA_RUNTIME_H
#define NUM_DEVICE_CUDA_HIP_CUDA_RUNTIME_H

/** Maps names of the CUDA runtime to HIP's names. With HIP=1, the .cu files thus compile unchanged for AMD's
 * GPUs. The Makefile includes this file before every .cu file. */

#include <hip/hip_runtime.h>
#include <stdint.h>
#include <string.h>

#define __CUDACC__

/* ---- types, constants, calls ---- */

#define cudaError_t                                 hipError_t
#define cudaSuccess                                 hipSuccess
#define cudaStream_t                                hipStream_t
#define cudaEvent_t                                 hipEvent_t
#define cudaDeviceProp                              hipDeviceProp_t
#define cudaMemcpyKind                              hipMemcpyKind
#define cudaMemPool_t                               hipMemPool_t
#define cudaMemPoolAttrUsedMemCurrent               hipMemPoolAttrUsedMemCurrent
#define cudaMemPoolAttrReservedMemCurrent           hipMemPoolAttrReservedMemCurrent
#define cudaMemPoolAttrReleaseThreshold             hipMemPoolAttrReleaseThreshold
#define cudaDevAttrMemoryPoolsSupported             hipDeviceAttributeMemoryPoolsSupported
#define cudaMemoryTypeHost                          hipMemoryTypeHost
#define cudaMemcpyHostToDevice                      hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost                      hipMemcpyDeviceToHost
#define cudaMemcpyDeviceToDevice                    hipMemcpyDeviceToDevice
#define cudaEventDisableTiming                      hipEventDisableTiming
#define cudaStreamNonBlocking                       hipStreamNonBlocking
#define cudaHostAllocPortable                       hipHostMallocPortable
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaErrorMemoryAllocation                   hipErrorOutOfMemory
#define cudaErrorInsufficientDriver                 hipErrorInsufficientDriver
#define cudaErrorNoDevice                           hipErrorNoDevice
#define cudaErrorInvalidValue                       hipErrorInvalidValue
#define cudaErrorLaunchFailure                      hipErrorLaunchFailure
#define cudaErrorIllegalAddress                     hipErrorIllegalAddress
#define cudaErrorECCUncorrectable                   hipErrorECCNotCorrectable
#define cudaErrorNoKernelImageForDevice             hipErrorNoBinaryForGpu
#define cudaErrorSystemNotReady                     hipErrorUnknown
#define cudaErrorSystemDriverMismatch               hipErrorInvalidSource
#define cudaErrorDevicesUnavailable                 hipErrorInvalidContext
#define cudaGetErrorString                          hipGetErrorString
#define cudaMalloc                                  hipMalloc
#define cudaFree                                    hipFree
#define cudaMallocAsync                             hipMallocAsync
#define cudaFreeAsync                               hipFreeAsync
#define cudaHostAlloc                               hipHostMalloc
#define cudaHostRegister                            hipHostRegister
#define cudaMemcpyAsync                             hipMemcpyAsync
#define cudaMemcpy2DAsync                           hipMemcpy2DAsync
#define cudaMemsetAsync                             hipMemsetAsync
#define cudaMemGetInfo                              hipMemGetInfo
#define cudaStreamCreateWithFlags                   hipStreamCreateWithFlags
#define cudaStreamSynchronize                       hipStreamSynchronize
#define cudaStreamWaitEvent(s, e, ...)              hipStreamWaitEvent(s, e, 0)
#define cudaEventCreateWithFlags                    hipEventCreateWithFlags
#define cudaEventDestroy                            hipEventDestroy
#define cudaEventRecord                             hipEventRecord
#define cudaEventSynchronize                        hipEventSynchronize
#define cudaDeviceSynchronize                       hipDeviceSynchronize
#define cudaDeviceGetDefaultMemPool                 hipDeviceGetDefaultMemPool
#define cudaDeviceGetAttribute                      hipDeviceGetAttribute
#define cudaMemPoolTrimTo                           hipMemPoolTrimTo
#define cudaMemPoolGetAttribute                     hipMemPoolGetAttribute
#define cudaMemPoolSetAttribute                     hipMemPoolSetAttribute
#define cudaSetDevice                               hipSetDevice
#define cudaGetDeviceCount                          hipGetDeviceCount
#define cudaGetDeviceProperties                     hipGetDeviceProperties
#define cudaDriverGetVersion                        hipDriverGetVersion
#define cudaFuncSetAttribute(f, ...)                hipFuncSetAttribute((const void *)(f), __VA_ARGS__)

/** This is a function, not a macro, because callers may ignore the result. HIP does not allow callers to
 * ignore hipGetLastError(). */
static inline hipError_t cudaGetLastError(void)
{
	return hipGetLastError();
}

struct cudaPointerAttributes {
	hipMemoryType type;
};

static inline hipError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
	hipPointerAttribute_t is;
	const hipError_t e = hipPointerGetAttributes(&is, p);

	a->type = is.memoryType;

	return e;
}

/* ---- the language ---- */

#define CUDART_VERSION         12000 // CUDA version that .cu files expect
#define sharedMemPerBlockOptin sharedMemPerBlock
#define __grid_constant__
#define __cvta_generic_to_shared(p) ((size_t)(p))
#define __trap()                    __builtin_trap()
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif

/* A warp has 32 lanes, even on GPUs with waves of 64 lanes. Shuffles stay within half a wave. Callers name
 * all lanes of their warp, so the mask is not needed. */
#define __shfl_sync(mask, v, lane, ...)      __shfl((v), (lane), 32)
#define __shfl_up_sync(mask, v, by, ...)     __shfl_up((v), (by), 32)
#define __shfl_down_sync(mask, v, by, ...)   __shfl_down((v), (by), 32)
#define __shfl_xor_sync(mask, v, lanes, ...) __shfl_xor((v), (lanes), 32)
#define __syncwarp(...)                      vendor_syncwarp()

static __device__ __forceinline__ void vendor_syncwarp(void)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
	__builtin_amdgcn_wave_barrier();
}

static __device__ __forceinline__ unsigned __ballot_sync(unsigned, int yes)
{
	const unsigned long long all = __ballot(yes);

	return (__lane_id() & 32) ? (unsigned)(all >> 32) : (unsigned)all;
}

static __device__ __forceinline__ int __any_sync(unsigned mask, int yes)
{
	return 0 != (__ballot_sync(mask, yes) & mask);
}

template <class T> static __device__ __forceinline__ T __ldcs(const T *p)
{
	return *p;
}

template <class T> static __device__ __forceinline__ void __stcs(T *p, T v)
{
	*p = v;
}

/** Returns a + b rounded towards minus infinity. AMD's GPUs have no instruction for this rounding. The
 * rounding error of the sum is computed in float64 (Knuth). */
static __device__ __forceinline__ float __fadd_rd(float a, float b)
{
	const double s = (double)a + (double)b, t = s - (double)a;
	const double lost = ((double)a - (s - t)) + ((double)b - t);
	const float f = (float)s;

	return ((double)f > s || ((double)f == s && lost < 0.)) ? nextafterf(f, -INFINITY) : f;
}

#endif
