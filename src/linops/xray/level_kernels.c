/** The kernels of level.h from one source: plain C, AVX2 and AVX-512. */

#include <math.h>
#include <string.h>

#include "linops/xray/columns.h"
#include "linops/xray/level.h"
#include "num/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline))
#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 4")

enum { ACROSS = 16 }; // voxels along y whose columns are looked up together

/** Pairs of neighbouring lines that a line collects from: weights and element of the first. */
struct taps {
	_Alignas(64) float near[COLUMN_PLANES], far[COLUMN_PLANES];
	_Alignas(64) int at[COLUMN_PLANES];
};

/** The same for neighbours along y. */
struct pairs {
	_Alignas(64) float near[LEVEL_PAIRS][ACROSS], far[LEVEL_PAIRS][ACROSS];
	_Alignas(64) int at[LEVEL_PAIRS][ACROSS];
};

/** Two lists of pairs of lines; neighbours in a list stand `step` apart. */
struct list {
	const float *near, *far;
	const int *at;
};

#define NAME(f)         f##_plain
#define WIDTH           4
#define ADD_TO(s, w, x) ((s) + (w) * (x))
#define ATTRIBUTES
#include "linops/xray/level_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)         f##_avx2
#define WIDTH           8
#define ADD_TO(s, w, x) ((s) + (w) * (x))
#define ATTRIBUTES      __attribute__((target("avx2")))
#include "linops/xray/level_impl.inc"

#define NAME(f)         f##_avx512
#define WIDTH           16
#define ADD_TO(s, w, x) ((lanes_avx512)_mm512_fmadd_ps((__m512)(w), (__m512)(x), (__m512)(s)))
#define ATTRIBUTES      __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#include "linops/xray/level_impl.inc"
#endif

const struct level_kernels *level_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
