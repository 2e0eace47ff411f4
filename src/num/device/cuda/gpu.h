#ifndef NUM_DEVICE_CUDA_GPU_H
#define NUM_DEVICE_CUDA_GPU_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "misc/error.h"
#include "num/device/device.h"
#ifdef __cplusplus
}
#endif

/** Declares launches, checks and streams for .cu files. */

/** Calls error() if a call of the CUDA runtime failed, for example GPU_CHECK(cudaMemcpyAsync(...)). */
#define GPU_CHECK(call) gpu_check((call), #call)

extern void gpu_check(cudaError_t e, const char *call);

/** Selects the calling thread's GPU for the CUDA runtime, and returns the number of the GPU. The GPU depends
 * on device_use() and gpu_worker_use(). Call gpu_enter() or gpu_stream() before any direct call of the CUDA
 * runtime. */
extern int gpu_enter(void);

/** Returns the stream for kernels, and for all work that must run in order with kernels. */
extern cudaStream_t gpu_stream(void);

/** Returns the properties of the GPU in use. */
extern const cudaDeviceProp *gpu_properties(void);

/** Returns the compute capability of the GPU in use as `10 major + minor`, e.g. 90. */
extern int gpu_capability(void);

/** Returns `per` blocks times the number of multiprocessors. */
extern unsigned gpu_blocks(int per);

/** Returns `n / by`, rounded up. */
static inline __host__ __device__ long gpu_divide_up(long n, long by)
{
	return (n + by - 1) / by;
}

static inline dim3 gpu_dim3(long n)
{
	if (n < 1 || n > 0x7fffffffL)
		error("a GPU kernel of %ld blocks or threads, expected 1 to 2147483647", n);

	return dim3((unsigned)n);
}

static inline dim3 gpu_dim3(dim3 d)
{
	return d;
}

extern void gpu_launched(const char *kernel, dim3 grid, dim3 block, size_t shared);
extern void gpu_room(const void *kernel, const char *name, size_t shared);

/**
 * GPU_LAUNCH(kernel, grid, block, shared bytes, stream, arguments...) launches a kernel and checks the
 * launch. `grid` and `block` are numbers or dim3. Kernels with template arguments need parentheses, for
 * example GPU_LAUNCH((fill<float, 4>), ...).
 *
 * GPU_SHARED(type, name) declares a pointer to the dynamic shared memory of the block, aligned to 1024 bytes.
 */
#ifdef GANTRY_EMULATE
#define GPU_START(kernel, grid, block, shared, stream, ...)                                                  \
	((void)(stream), emulated_launch((kernel), (grid), (block), (shared), ##__VA_ARGS__))
#define GPU_SHARED(type, name) type *name = (type *)emulated_shared()
#else
#define GPU_START(kernel, grid, block, shared, stream, ...)                                                  \
	kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)
#define GPU_SHARED(type, name)                                                                               \
	extern __shared__ __align__(1024) unsigned char gpu_shared_bytes[];                                  \
	type *name = (type *)gpu_shared_bytes
#endif

#define GPU_LAUNCH(kernel, grid, block, shared, stream, ...)                                                 \
	do {                                                                                                 \
		const dim3 gpu_grid_ = gpu_dim3(grid), gpu_block_ = gpu_dim3(block);                         \
		const size_t gpu_shared_ = (shared);                                                         \
                                                                                                             \
		if (gpu_shared_ > (48 << 10))                                                                \
			gpu_room((const void *)(kernel), #kernel, gpu_shared_);                              \
		GPU_START(kernel, gpu_grid_, gpu_block_, gpu_shared_, stream, ##__VA_ARGS__);                \
		gpu_launched(#kernel, gpu_grid_, gpu_block_, gpu_shared_);                                   \
	} while (0)

#endif
