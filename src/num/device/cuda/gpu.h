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

/**
 * Functions used by every .cu file: launches, checks, streams. CUDA C++ only.
 */

/** Ends the command with an error if a call of the runtime failed: GPU_CHECK(cudaMemcpyAsync(...)). */
#define GPU_CHECK(call) gpu_check((call), #call)

extern void gpu_check(cudaError_t e, const char *call);

/** Sets the device of the calling thread to the device in use (device_use(), gpu_worker_use()); returns its
 * number. All functions that call the CUDA runtime directly call gpu_enter() or gpu_stream() first. */
extern int gpu_enter(void);

/** The compute stream of the device: for kernels, and for all work that must run in order with kernels. */
extern cudaStream_t gpu_stream(void);

/** The properties of the device, queried once. */
extern const cudaDeviceProp *gpu_properties(void);

/** The compute capability of the device as 10 major + minor, e.g. 90. */
extern int gpu_capability(void);

/** Number of blocks for a grid with `per` blocks on each multiprocessor. */
extern unsigned gpu_blocks(int per);

/** n / by, rounded up. */
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
 * GPU_LAUNCH(kernel, grid, block, shared bytes, stream, arguments...): launches and checks; grid and block
 * are numbers or dim3. A kernel with template arguments is put in parentheses: GPU_LAUNCH((fill<float, 4>),
 * ...). More than 48 KiB of shared memory is requested automatically.
 *
 * GPU_SHARED(type, name): the block's dynamic shared memory, aligned to 1024 bytes.
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
