#ifndef NUM_EXPR_CUDA_EXPR_KERNEL_H
#define NUM_EXPR_CUDA_EXPR_KERNEL_H

/** Generated kernels use these macros and functions. The threads of a block work in phases. Phases exchange
 * data only through shared memory of the block. On a GPU, a phase ends at a barrier. In plain C++, a phase
 * is a loop over the threads. */

#include "num/expr/cuda/expr_fn.h"
#include "num/expr/cuda/expr_fold.h"

#ifdef __CUDACC__

#define DEVICE_ONLY static __device__ __forceinline__
#define EXPR_ENTRY(A)                                                                                        \
	extern "C" __global__ void __launch_bounds__(EXPR_THREADS) gantry_expr(const __grid_constant__ A args)
#define EXPR_BLOCK_ID      blockIdx.x
#define EXPR_SHARED        __shared__
#define EXPR_KEEP(T, name) T name[1]
#define EXPR_KEPT(name, t) name[0]
#define EACH_THREAD(t)     const unsigned t = threadIdx.x;
#define EXPR_BARRIER       __syncthreads()
#define EXPR_UNROLL        _Pragma("unroll")

DEVICE_ONLY void count_up(u64 *counter, u64 n)
{
	if (0 != n)
		atomicAdd(counter, n);
}

#else

#define DEVICE_ONLY        DEVICE_FN
#define EXPR_ENTRY(A)      extern "C" void gantry_expr(const A &args, unsigned expr_block)
#define EXPR_BLOCK_ID      expr_block
#define EXPR_SHARED        static thread_local
#define EXPR_KEEP(T, name) static thread_local T name[EXPR_THREADS]
#define EXPR_KEPT(name, t) name[t]
#define EACH_THREAD(t)     for (unsigned t = 0; t < EXPR_THREADS; t++)
#define EXPR_BARRIER       (void)0
#define EXPR_UNROLL

DEVICE_ONLY void count_up(u64 *counter, u64 n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

#endif

/** Reads or writes N bytes (1, 2, 4, 8 or 16) in one access. */
template <int N> struct chunk;

#ifdef __CUDACC__
#define CHUNK(N, T)                                                                                          \
	template <> struct chunk<N> {                                                                        \
		static __device__ __forceinline__ void load(void *to, const void *from)                      \
		{                                                                                            \
			const T v = __ldcs((const T *)from);                                                 \
                                                                                                             \
			memcpy(to, &v, N);                                                                   \
		}                                                                                            \
		static __device__ __forceinline__ void store(void *to, const void *from)                     \
		{                                                                                            \
			T v;                                                                                 \
                                                                                                             \
			memcpy(&v, from, N);                                                                 \
			__stcs((T *)to, v);                                                                  \
		}                                                                                            \
	};
#else
#define CHUNK(N, T)                                                                                          \
	template <> struct chunk<N> {                                                                        \
		DEVICE_FN void load(void *to, const void *from)                                              \
		{                                                                                            \
			memcpy(to, from, N);                                                                 \
		}                                                                                            \
		DEVICE_FN void store(void *to, const void *from)                                             \
		{                                                                                            \
			memcpy(to, from, N);                                                                 \
		}                                                                                            \
	};
#endif

CHUNK(1, unsigned char)
CHUNK(2, unsigned short)
CHUNK(4, unsigned)
CHUNK(8, uint2)
CHUNK(16, uint4)

template <class T> DEVICE_ONLY T element_at(const char *p)
{
	return *(const T *)p;
}

/** Reads a value at an unaligned address. */
template <class T> DEVICE_ONLY T bytes_at(const char *p)
{
	T x;

	memcpy(&x, p, sizeof x);

	return x;
}

template <class T> DEVICE_ONLY void set_element(char *p, T x)
{
	*(T *)p = x;
}

template <class T> DEVICE_ONLY void set_bytes(char *p, T x)
{
	memcpy(p, &x, sizeof x);
}

/** Combines the accumulators of a block into `shared[0]`. */
#define EXPR_FOLD(shared, kept, how)                                                                         \
	{                                                                                                    \
		{                                                                                            \
			EACH_THREAD(t)                                                                       \
			{                                                                                    \
				shared[t] = EXPR_KEPT(kept, t);                                              \
			}                                                                                    \
		}                                                                                            \
		EXPR_BARRIER;                                                                                \
		for (unsigned w = EXPR_THREADS / 2; w > 0; w /= 2) {                                         \
			{                                                                                    \
				EACH_THREAD(t)                                                               \
				{                                                                            \
					if (t < w)                                                           \
						fold_into(shared[t], shared[t + w], how);                    \
				}                                                                            \
			}                                                                                    \
			EXPR_BARRIER;                                                                        \
		}                                                                                            \
	}

/** Reads a scalar from the argument words. */
template <class T> DEVICE_ONLY T value_at(const i64 *words)
{
	T x;

	memcpy(&x, words, sizeof x);

	return x;
}

DEVICE_ONLY char *address_of(i64 word)
{
	return (char *)(size_t)word;
}

#endif
