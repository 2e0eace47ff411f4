#ifndef NUM_DEVICE_CUDA_ASYNC_H
#define NUM_DEVICE_CUDA_ASYNC_H

#include <cuda.h>

#include "num/device/cuda/gpu.h"

/** Declares copies to shared memory on AMD's GPUs. All copies are synchronous. AMD's GPUs have neither tensor
 * maps nor barriers in shared memory, so gpu_has_tma() returns false. Functions with tensor maps or barriers
 * are compiled, but a call stops the kernel. */

static inline bool gpu_has_tma(void)
{
	return false;
}

static inline void gpu_tensor3(CUtensorMap *, const float *, const long *, const long *, const int *)
{
	error("GPU: tensor maps are not available on this device");
}

static inline void gpu_tensor2(CUtensorMap *, const float *, const long *, const long *, const int *)
{
	error("GPU: tensor maps are not available on this device");
}

#define GPU_ABSENT(type, name, ...)                                                                          \
	static __device__ __forceinline__ type name(__VA_ARGS__)                                             \
	{                                                                                                    \
		__builtin_trap();                                                                            \
	}

GPU_ABSENT(void, gpu_bar_init, uint64_t *, int)
GPU_ABSENT(void, gpu_bar_fence, void)
GPU_ABSENT(void, gpu_bar_arrive, uint64_t *)
GPU_ABSENT(void, gpu_bar_expect, uint64_t *, uint32_t)
GPU_ABSENT(bool, gpu_bar_done, uint64_t *, uint32_t)
GPU_ABSENT(void, gpu_bar_wait, uint64_t *, uint32_t)
GPU_ABSENT(void, gpu_tma_load3, void *, const CUtensorMap *, uint64_t *, int, int, int)
GPU_ABSENT(void, gpu_tma_load2, void *, const CUtensorMap *, uint64_t *, int, int)
GPU_ABSENT(void, gpu_bulk_load, void *, const void *, uint32_t, uint64_t *)
GPU_ABSENT(void, gpu_bar_named, int, int)

/** These functions do nothing. The compiler chooses the number of registers. */
template <int N> static __device__ __forceinline__ void gpu_registers_less(void)
{
}

template <int N> static __device__ __forceinline__ void gpu_registers_more(void)
{
}

static __device__ __forceinline__ void gpu_cp_async16(void *to, const void *from)
{
	*(int4 *)to = *(const int4 *)from;
}

static __device__ __forceinline__ void gpu_cp_async16_zero(void *to, const void *from, bool inside)
{
	*(int4 *)to = inside ? *(const int4 *)from : make_int4(0, 0, 0, 0);
}

static __device__ __forceinline__ void gpu_cp_async4_zero(void *to, const void *from, bool inside)
{
	*(int *)to = inside ? *(const int *)from : 0;
}

static __device__ __forceinline__ void gpu_cp_async_commit(void)
{
}

template <int N> static __device__ __forceinline__ void gpu_cp_async_wait(void)
{
}

#endif
