/** The kernels of fan_kernels.h from one source: plain C, AVX2 and AVX-512. */

#include "ct/projector/stack/fan_kernels.h"

#include <math.h>
#include <string.h>

#include "ct/projector/model/siddon.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline))
#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 8")

enum { PLANES = 2 * FAN_RING + 16 };

/** Elements that weigh something move together; returns how many they are. */
INLINE int drop_zeros(int *index, float *weight, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		const float w = weight[i];
		const int at = index[i];

		index[kept] = at;
		weight[kept] = w;
		kept += (w > 0.f);
	}

	return kept;
}

#define NAME(f)         f##_plain
#define WIDTH           4
#define SUMS            4
#define ADD_TO(s, w, x) ((s) + (w) * (x))
#define ATTRIBUTES
#include "ct/projector/stack/fan_kernels_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)         f##_avx2
#define WIDTH           8
#define SUMS            8
#define ADD_TO(s, w, x) ((lanes_avx2)_mm256_fmadd_ps((__m256)(w), (__m256)(x), (__m256)(s)))
#define ATTRIBUTES      __attribute__((target("avx2,fma")))
#include "ct/projector/stack/fan_kernels_impl.inc"

#define NAME(f)         f##_avx512
#define WIDTH           16
#define SUMS            8
#define ADD_TO(s, w, x) ((lanes_avx512)_mm512_fmadd_ps((__m512)(w), (__m512)(x), (__m512)(s)))
#define ATTRIBUTES      __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,fma")))
#include "ct/projector/stack/fan_kernels_impl.inc"
#endif

const struct fan_kernels *fan_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
