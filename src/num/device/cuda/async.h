#ifndef NUM_DEVICE_CUDA_ASYNC_H
#define NUM_DEVICE_CUDA_ASYNC_H

#include <cuda.h>

#include "num/device/cuda/gpu.h"

/**
 * These functions copy to shared memory asynchronously, and wait for the copies. Only gpu_has_tma(),
 * gpu_tensor3() and gpu_tensor2() are host functions.
 *
 * Compute capability 9.0 is needed for gpu_tma_*, gpu_bulk_load() and gpu_bar_*, except gpu_bar_named(). On
 * an older GPU, a call stops the kernel. Below compute capability 8.0, gpu_cp_async*() copies are
 * synchronous. The emulator copies immediately.
 */

/** Returns whether the device in use has compute capability 9.0 or higher. */
static inline bool gpu_has_tma(void)
{
	return 90 <= gpu_capability();
}

/**
 * Creates a tensor map of a float32 array in device memory, for gpu_tma_load3() or gpu_tma_load2(). If the
 * driver refuses the map, error() is called. Kernels receive maps by value, as `const __grid_constant__
 * CUtensorMap`.
 * - `base`: The array. The address must be a multiple of 16.
 * - `dims`: The shape of the array [elements]. Dim 0 is contiguous.
 * - `steps`: Steps of dims 1 and 2 [bytes], multiples of 16 below 2^40.
 * - `box`: The shape of the copied block [elements]. Lengths are at most 256, and box[0] is a multiple of 4.
 */
extern void gpu_tensor3(
        CUtensorMap *map, const float *base, const long dims[3], const long steps[2], const int box[3]);
extern void gpu_tensor2(
        CUtensorMap *map, const float *base, const long dims[2], const long steps[1], const int box[2]);

#ifdef GANTRY_EMULATE

/** The emulator's barrier uses 8 bytes. */
struct emulated_bar {
	int32_t bytes; // bytes expected but not yet copied
	uint16_t missing;
	uint16_t count : 12, phase : 1;
};

static inline void emulated_bar_check(struct emulated_bar *b)
{
	if (0 == b->missing && 0 == b->bytes) {
		b->missing = b->count;
		b->phase ^= 1;
		emulated_happened();
	}
}

static inline void gpu_bar_init(uint64_t *bar, int count)
{
	struct emulated_bar *b = (struct emulated_bar *)bar;

	b->bytes = 0;
	b->missing = (uint16_t)count;
	b->count = (uint16_t)(count & 0xfff);
	b->phase = 0;
}

static inline void gpu_bar_fence(void)
{
}

static inline void gpu_bar_expect(uint64_t *bar, uint32_t bytes)
{
	struct emulated_bar *b = (struct emulated_bar *)bar;

	b->bytes += (int32_t)bytes;
	b->missing--;
	emulated_bar_check(b);
}

static inline void gpu_bar_arrive(uint64_t *bar)
{
	gpu_bar_expect(bar, 0);
}

static inline void emulated_bar_bytes(uint64_t *bar, uint32_t bytes)
{
	struct emulated_bar *b = (struct emulated_bar *)bar;

	b->bytes -= (int32_t)bytes;
	emulated_bar_check(b);
}

static inline bool gpu_bar_done(const uint64_t *bar, uint32_t parity)
{
	return ((const struct emulated_bar *)bar)->phase != (parity & 1u);
}

static inline void gpu_bar_wait(uint64_t *bar, uint32_t parity)
{
	while (!gpu_bar_done(bar, parity))
		emulated_wait();
}

/** Copies a box. Returns the number of bytes. */
extern uint32_t emulated_tensor_load(void *to, const CUtensorMap *map, int x, int y, int z);

static inline void gpu_tma_load3(void *to, const CUtensorMap *map, uint64_t *bar, int x, int y, int z)
{
	emulated_bar_bytes(bar, emulated_tensor_load(to, map, x, y, z));
}

static inline void gpu_tma_load2(void *to, const CUtensorMap *map, uint64_t *bar, int x, int y)
{
	emulated_bar_bytes(bar, emulated_tensor_load(to, map, x, y, 0));
}

static inline void gpu_bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
	memcpy(to, from, bytes);
	emulated_bar_bytes(bar, bytes);
}

template <int N> static inline void gpu_registers_less(void)
{
}

template <int N> static inline void gpu_registers_more(void)
{
}

static inline void gpu_bar_named(int id, int threads)
{
	emulated_barrier(id, threads, false);
}

static inline void gpu_cp_async16(void *to, const void *from)
{
	memcpy(to, from, 16);
}

static inline void gpu_cp_async16_zero(void *to, const void *from, bool inside)
{
	if (inside)
		memcpy(to, from, 16);
	else
		memset(to, 0, 16);
}

static inline void gpu_cp_async4_zero(void *to, const void *from, bool inside)
{
	if (inside)
		memcpy(to, from, 4);
	else
		memset(to, 0, 4);
}

static inline void gpu_cp_async_commit(void)
{
}

template <int N> static inline void gpu_cp_async_wait(void)
{
}

#else

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
#define GPU_SM90(code) code
#else
#define GPU_SM90(code) __trap()
#endif

static __device__ __forceinline__ uint32_t gpu_shared_address(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/** Initialises a barrier in 8 aligned bytes of shared memory. A phase ends after `count` arrivals and the
 * copy of all expected bytes. The calling thread must then call gpu_bar_fence(). Other threads may use the
 * barrier after __syncthreads(). */
static __device__ __forceinline__ void gpu_bar_init(uint64_t *bar, int count)
{
	GPU_SM90(asm volatile(
	        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gpu_shared_address(bar)), "r"(count)
	        : "memory"));
}

static __device__ __forceinline__ void gpu_bar_fence(void)
{
	GPU_SM90(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"));
}

static __device__ __forceinline__ void gpu_bar_arrive(uint64_t *bar)
{
	GPU_SM90(asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(gpu_shared_address(bar))
	                      : "memory"));
}

/** Arrives at the barrier, and adds `bytes` to the bytes expected in this phase. */
static __device__ __forceinline__ void gpu_bar_expect(uint64_t *bar, uint32_t bytes)
{
	GPU_SM90(asm volatile(
	        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gpu_shared_address(bar)),
	        "r"(bytes)
	        : "memory"));
}

/** Returns whether the phase with parity `parity` has ended. The first phase has parity 0. */
static __device__ __forceinline__ bool gpu_bar_done(uint64_t *bar, uint32_t parity)
{
	uint32_t done = 0;

	GPU_SM90(asm volatile("{\n.reg .pred p;\n"
	                      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
	                      "selp.u32 %0, 1, 0, p;\n}"
	                      : "=r"(done)
	                      : "r"(gpu_shared_address(bar)), "r"(parity)
	                      : "memory"));

	return 0 != done;
}

static __device__ __forceinline__ void gpu_bar_wait(uint64_t *bar, uint32_t parity)
{
	GPU_SM90(asm volatile("{\n.reg .pred p;\n"
	                      "again:\n"
	                      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
	                      "@p bra done;\n"
	                      "bra again;\n"
	                      "done:\n}" ::"r"(gpu_shared_address(bar)),
	                      "r"(parity)
	                      : "memory"));
}

/** Copies the box at element (x, y, z) of the mapped array to `to`. Elements outside the array become 0. `x`
 * must be a multiple of 4, otherwise the GPU reports an illegal instruction. `to` is shared memory, aligned
 * to 128 bytes. The barrier `bar` counts the copied bytes. Only one thread calls the function. */
static __device__ __forceinline__ void gpu_tma_load3(
        void *to, const CUtensorMap *map, uint64_t *bar, int x, int y, int z)
{
	GPU_SM90(asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
	                      "[%0], [%1, {%3, %4, %5}], "
	                      "[%2];" ::"r"(gpu_shared_address(to)),
	                      "l"(map), "r"(gpu_shared_address(bar)), "r"(x), "r"(y), "r"(z)
	                      : "memory"));
}

static __device__ __forceinline__ void gpu_tma_load2(
        void *to, const CUtensorMap *map, uint64_t *bar, int x, int y)
{
	GPU_SM90(asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
	                      "[%0], [%1, {%3, %4}], "
	                      "[%2];" ::"r"(gpu_shared_address(to)),
	                      "l"(map), "r"(gpu_shared_address(bar)), "r"(x), "r"(y)
	                      : "memory"));
}

/** Copies contiguous bytes to shared memory. Addresses and `bytes` must be multiples of 16. The barrier `bar`
 * counts the copied bytes. */
static __device__ __forceinline__ void gpu_bulk_load(
        void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
	GPU_SM90(asm volatile(
	        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
	                "r"(gpu_shared_address(to)),
	        "l"(from), "r"(bytes), "r"(gpu_shared_address(bar))
	        : "memory"));
}

/** These functions change the number of registers to N per thread. All 4 warps of a warp group must call the
 * function. In code that is not built for 9.0a, the functions do nothing. */
template <int N> static __device__ __forceinline__ void gpu_registers_less(void)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
#endif
}

template <int N> static __device__ __forceinline__ void gpu_registers_more(void)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
#endif
}

/** Waits until `threads` threads of the block have called the function with the same `id`, 1 to 15. `threads`
 * is a multiple of 32. Threads of a warp may diverge. */
static __device__ __forceinline__ void gpu_bar_named(int id, int threads)
{
	asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/** Copies 16 bytes to shared memory. Addresses must be multiples of 16. */
static __device__ __forceinline__ void gpu_cp_async16(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(gpu_shared_address(to)), "l"(from)
	             : "memory");
#else
	*(int4 *)to = *(const int4 *)from;
#endif
}

/** Like gpu_cp_async16(), but writes zeros if `inside` is false. `from` must always be a valid address. */
static __device__ __forceinline__ void gpu_cp_async16_zero(void *to, const void *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(gpu_shared_address(to)), "l"(from),
	             "r"(inside ? 16 : 0)
	             : "memory");
#else
	*(int4 *)to = inside ? *(const int4 *)from : make_int4(0, 0, 0, 0);
#endif
}

/** Like gpu_cp_async16_zero(), but copies 4 bytes. */
static __device__ __forceinline__ void gpu_cp_async4_zero(void *to, const void *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(gpu_shared_address(to)), "l"(from),
	             "r"(inside ? 4 : 0)
	             : "memory");
#else
	*(int *)to = inside ? *(const int *)from : 0;
#endif
}

/**
 * These functions wait for copies that the calling thread started with gpu_cp_async*():
 * - gpu_cp_async_commit(): Ends a group of copies.
 * - gpu_cp_async_wait(): Waits until at most N groups are incomplete.
 */
static __device__ __forceinline__ void gpu_cp_async_commit(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int N> static __device__ __forceinline__ void gpu_cp_async_wait(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

#endif

#endif
