#ifndef MINIMAL_CUDA_CUDA_RUNTIME_H
#define MINIMAL_CUDA_CUDA_RUNTIME_H

/**
 * An emulator of the CUDA toolkit: the parts of the kernel language and of the runtime that Gantry uses, run
 * by the CPU. Kernels can thus be built and tested without a GPU (make CUDA=emulate). This header is included
 * before all others. The threads of a block are fibers: one runs until it ends, or until it waits for others
 * at a barrier, a shuffle or a copy. Blocks are distributed over CPU threads. If all threads of a kernel
 * wait, the process ends with a message. Only kernels and copies can access memory of the "device"; an access
 * by the host is a segmentation fault.
 *
 * Environment: GANTRY_EMULATED_CC, compute capability (9.0); GANTRY_EMULATED_MEM, size of device memory (8
 * GiB); GANTRY_EMULATED_GPUS, number of devices (1).
 */

#define __CUDACC__     1
#define GANTRY_EMULATE 1

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tuple>
#include <type_traits>

#include "vector_types.h"

/* ---- the kernel language ---- */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__   static thread_local // a block stays on the processor thread that runs it

extern __thread struct emulated_index threadIdx, blockIdx;
extern __thread struct emulated_index blockDim, gridDim;
enum { warpSize = 32 };

/** Dynamic shared memory of the block. */
extern void *emulated_shared(void);

enum emulated_exchange {
	EXCHANGE_SYNC,
	EXCHANGE_SHUFFLE,
	EXCHANGE_BALLOT,
	EXCHANGE_MATCH,
	EXCHANGE_ADD,
	EXCHANGE_MIN,
	EXCHANGE_MAX,
	EXCHANGE_UMIN,
	EXCHANGE_UMAX,
	EXCHANGE_AND,
	EXCHANGE_OR,
	EXCHANGE_XOR
};

/** Waits for the lanes of the mask, then returns the result of the operation on their values; for a shuffle
 * the value of lane `from`. */
extern uint64_t emulated_warp(enum emulated_exchange what, unsigned mask, uint64_t value, int from);
/** Waits for `count` threads of the block at barrier id (count 0: all remaining threads); returns how many of
 * them passed `yes`. */
extern int emulated_barrier(int id, int count, bool yes);
/** Lets other threads run; called in a loop until the awaited change has happened. */
extern void emulated_wait(void);
/** Signals a change for which other threads may wait. */
extern void emulated_happened(void);
extern unsigned emulated_active(void);

static inline void __syncthreads(void)
{
	emulated_barrier(0, 0, false);
}

static inline int __syncthreads_count(int yes)
{
	return emulated_barrier(0, 0, yes);
}

static inline int __syncthreads_or(int yes)
{
	return 0 < emulated_barrier(0, 0, yes);
}

static inline int __syncthreads_and(int yes)
{
	return 0 == emulated_barrier(0, 0, !yes);
}

static inline void __syncwarp(unsigned mask = ~0u)
{
	emulated_warp(EXCHANGE_SYNC, mask, 0, 0);
}

static inline unsigned __activemask(void)
{
	return emulated_active();
}

static inline int emulated_lane(void)
{
	return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u);
}

template <class T> static inline T emulated_shuffle(unsigned mask, T value, int from)
{
	static_assert(sizeof(T) <= 8, "a shuffle moves 4 or 8 bytes");
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof value);
	bits = emulated_warp(EXCHANGE_SHUFFLE, mask, bits, from);
	memcpy(&value, &bits, sizeof value);

	return value;
}

template <class T> static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32)
{
	int lane = emulated_lane();

	return emulated_shuffle(mask, value, (lane & ~(width - 1)) | (from & (width - 1)));
}

template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)
{
	int lane = emulated_lane(), from = lane - (int)by;

	return emulated_shuffle(mask, value, (from < (lane & ~(width - 1))) ? lane : from);
}

template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)
{
	int lane = emulated_lane(), from = lane + (int)by;

	return emulated_shuffle(mask, value, (from > (lane | (width - 1))) ? lane : from);
}

template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32)
{
	int lane = emulated_lane(), from = lane ^ with;

	return emulated_shuffle(mask, value, (from > (lane | (width - 1))) ? lane : from);
}

static inline unsigned __ballot_sync(unsigned mask, int yes)
{
	return (unsigned)emulated_warp(EXCHANGE_BALLOT, mask, 0 != yes, 0);
}

static inline int __any_sync(unsigned mask, int yes)
{
	return 0 != __ballot_sync(mask, yes);
}

static inline int __all_sync(unsigned mask, int yes)
{
	return 0 == __ballot_sync(mask, !yes);
}

template <class T> static inline unsigned __match_any_sync(unsigned mask, T value)
{
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof value);

	return (unsigned)emulated_warp(EXCHANGE_MATCH, mask, bits, 0);
}

#define EMULATED_REDUCE(name, type, what)                                                                    \
	static inline type name(unsigned mask, type value)                                                   \
	{                                                                                                    \
		return (type)emulated_warp(what, mask, (uint64_t)(int64_t)value, 0);                         \
	}
EMULATED_REDUCE(__reduce_add_sync, unsigned, EXCHANGE_ADD)
EMULATED_REDUCE(__reduce_add_sync, int, EXCHANGE_ADD)
EMULATED_REDUCE(__reduce_min_sync, unsigned, EXCHANGE_UMIN)
EMULATED_REDUCE(__reduce_min_sync, int, EXCHANGE_MIN)
EMULATED_REDUCE(__reduce_max_sync, unsigned, EXCHANGE_UMAX)
EMULATED_REDUCE(__reduce_max_sync, int, EXCHANGE_MAX)
EMULATED_REDUCE(__reduce_and_sync, unsigned, EXCHANGE_AND)
EMULATED_REDUCE(__reduce_or_sync, unsigned, EXCHANGE_OR)
EMULATED_REDUCE(__reduce_xor_sync, unsigned, EXCHANGE_XOR)
#undef EMULATED_REDUCE

static inline void __threadfence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_block(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_system(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __nanosleep(unsigned)
{
	emulated_wait();
}

[[noreturn]] static inline void __trap(void)
{
	__builtin_trap();
}

#include "device_functions.h"

/* ---- kernels ---- */

struct dim3 {
	unsigned x, y, z;

	dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
	{
	}
	dim3(const struct emulated_index &i) : x(i.x), y(i.y), z(i.z)
	{
	}
};

typedef struct emulated_stream *cudaStream_t;

/** Runs thread(ctx) for every thread of the grid. */
extern void emulated_grid(dim3 grid, dim3 block, size_t shared, void (*thread)(void *ctx), void *ctx);

template <class... P> struct emulated_call {
	void (*kernel)(P...);
	std::tuple<std::decay_t<P>...> arguments;
};

template <class... P, class... A>
static inline void emulated_launch(
        void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, A &&...arguments)
{
	emulated_call<P...> call = {kernel, {static_cast<std::decay_t<P>>(arguments)...}};

	emulated_grid(
	        grid, block, shared,
	        [](void *ctx) {
		        auto *c = static_cast<emulated_call<P...> *>(ctx);

		        std::apply(c->kernel, c->arguments);
	        },
	        &call);
}

/* ---- the runtime ---- */

enum cudaError_t {
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInitializationError = 3,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInsufficientDriver = 35,
	cudaErrorDevicesUnavailable = 46,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorECCUncorrectable = 214,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchTimeout = 702,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorLaunchFailure = 719,
	cudaErrorNotSupported = 801,
	cudaErrorSystemNotReady = 802,
	cudaErrorSystemDriverMismatch = 803,
	cudaErrorUnknown = 999
};

enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault
};

enum {
	cudaStreamDefault = 0,
	cudaStreamNonBlocking = 1,
	cudaEventDefault = 0,
	cudaEventBlockingSync = 1,
	cudaEventDisableTiming = 2,
	cudaHostAllocDefault = 0,
	cudaHostAllocPortable = 1,
	cudaHostAllocMapped = 2,
	cudaHostAllocWriteCombined = 4,
	cudaHostRegisterDefault = 0,
	cudaHostRegisterPortable = 1,
	cudaHostRegisterReadOnly = 8,
	cudaOccupancyDefault = 0
};

enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaDeviceAttr {
	cudaDevAttrMaxSharedMemoryPerBlock = 8,
	cudaDevAttrMultiProcessorCount = 16,
	cudaDevAttrL2CacheSize = 38,
	cudaDevAttrMaxThreadsPerMultiProcessor = 39,
	cudaDevAttrComputeCapabilityMajor = 75,
	cudaDevAttrComputeCapabilityMinor = 76,
	cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
	cudaDevAttrMemoryPoolsSupported = 115
};

enum cudaMemPoolAttr {
	cudaMemPoolAttrReleaseThreshold = 4,
	cudaMemPoolAttrReservedMemCurrent = 5,
	cudaMemPoolAttrUsedMemCurrent = 7
};

typedef struct CUuuid_st {
	char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
	char name[256];
	cudaUUID_t uuid;
	size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor,
	        totalConstMem;
	int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
	int regsPerBlock, regsPerMultiprocessor, l2CacheSize, memoryBusWidth, ECCEnabled, integrated;
	int asyncEngineCount, concurrentKernels, unifiedAddressing, pciBusID, pciDeviceID, pciDomainID;
	int maxGridSize[3], maxThreadsDim[3];
	int memoryPoolsSupported, persistingL2CacheMaxSize;
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};

enum cudaMemoryType {
	cudaMemoryTypeUnregistered,
	cudaMemoryTypeHost,
	cudaMemoryTypeDevice,
	cudaMemoryTypeManaged
};

struct cudaPointerAttributes {
	cudaMemoryType type;
	int device;
	void *devicePointer, *hostPointer;
};

typedef struct emulated_event *cudaEvent_t;
typedef struct emulated_pool *cudaMemPool_t;
typedef void (*cudaHostFn_t)(void *);

extern const char *cudaGetErrorString(cudaError_t e);
extern const char *cudaGetErrorName(cudaError_t e);
extern cudaError_t cudaGetLastError(void);
extern cudaError_t cudaPeekAtLastError(void);
extern cudaError_t cudaGetDeviceCount(int *n);
extern cudaError_t cudaGetDevice(int *id);
extern cudaError_t cudaSetDevice(int id);
extern cudaError_t cudaDeviceReset(void);
extern cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int id);
extern cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int id);
extern cudaError_t cudaDriverGetVersion(int *version);
extern cudaError_t cudaRuntimeGetVersion(int *version);
extern cudaError_t cudaDeviceSynchronize(void);
extern cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
extern cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p);
extern cudaError_t cudaFree(void *p);
extern cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
extern cudaError_t cudaFreeHost(void *p);
extern cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags);
extern cudaError_t cudaHostUnregister(void *p);
extern cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int id);
extern cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what, void *value);
extern cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what, void *value);
extern cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
extern cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind);
extern cudaError_t cudaMemcpyAsync(
        void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s = 0);
extern cudaError_t cudaMemcpy2DAsync(void *to, size_t to_step, const void *from, size_t from_step,
        size_t width, size_t rows, cudaMemcpyKind kind, cudaStream_t s = 0);
extern cudaError_t cudaMemset(void *to, int value, size_t n);
extern cudaError_t cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t s = 0);
extern cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
extern cudaError_t cudaStreamCreate(cudaStream_t *s);
extern cudaError_t cudaStreamDestroy(cudaStream_t s);
extern cudaError_t cudaStreamSynchronize(cudaStream_t s);
extern cudaError_t cudaStreamQuery(cudaStream_t s);
extern cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags = 0);
extern cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *ctx);
extern cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
extern cudaError_t cudaEventCreate(cudaEvent_t *e);
extern cudaError_t cudaEventDestroy(cudaEvent_t e);
extern cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0);
extern cudaError_t cudaEventSynchronize(cudaEvent_t e);
extern cudaError_t cudaEventQuery(cudaEvent_t e);
extern cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

extern cudaError_t emulated_alloc(void **p, size_t n);
extern cudaError_t emulated_alloc_host(void **p, size_t n);
extern cudaError_t emulated_shared_most(size_t n);

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n)
{
	return emulated_alloc((void **)p, n);
}

template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t)
{
	return emulated_alloc((void **)p, n);
}

template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n, unsigned = 0)
{
	return emulated_alloc_host((void **)p, n);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned)
{
	return emulated_alloc_host((void **)p, n);
}

template <class T> static inline cudaError_t cudaFuncSetAttribute(T *, cudaFuncAttribute what, int value)
{
	return (cudaFuncAttributeMaxDynamicSharedMemorySize == what) ? emulated_shared_most((size_t)value)
	                                                             : cudaSuccess;
}

template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, T *)
{
	memset(a, 0, sizeof *a);
	a->maxThreadsPerBlock = 1024;
	a->numRegs = 64;

	return cudaSuccess;
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, T *, int threads, size_t)
{
	*n = (threads > 1024) ? 1 : 2048 / threads;

	return cudaSuccess;
}

/** Device variables are ordinary variables in the emulator. */
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(
        T &symbol, const void *from, size_t n, size_t at, cudaMemcpyKind, cudaStream_t)
{
	memcpy((char *)&symbol + at, from, n);

	return cudaSuccess;
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(
        T &symbol, const void *from, size_t n, size_t at = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return cudaMemcpyToSymbolAsync(symbol, from, n, at, kind, 0);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(
        void *to, const T &symbol, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
	memcpy(to, (const char *)&symbol + at, n);

	return cudaSuccess;
}

#endif
