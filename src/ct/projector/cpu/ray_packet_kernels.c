/* Sixteen rays at a time, for each instruction set from the same source: only the look-up of neighbours
 * differs. Vectors of 64 bytes everywhere: a compiler splits them where registers are shorter. */

#include "ct/projector/cpu/ray_packet.h"

#include <math.h>

#include "num/kern/kern.h"

#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 6")

typedef double f64x8 __attribute__((vector_size(64), may_alias));
typedef long i64x8 __attribute__((vector_size(64), may_alias));
typedef float f32x16 __attribute__((vector_size(64), may_alias));
typedef int i32x16 __attribute__((vector_size(64), may_alias));
typedef unsigned u32x16 __attribute__((vector_size(64), may_alias));
typedef float f32x8 __attribute__((vector_size(32), may_alias));
typedef int i32x8 __attribute__((vector_size(32), may_alias));
typedef float f32x4 __attribute__((vector_size(16), may_alias));
typedef int i32x4 __attribute__((vector_size(16), may_alias));
typedef float loose16 __attribute__((vector_size(64), may_alias, aligned(4)));

#define D(p)  (*(f64x8 *)(p))
#define F(p)  (*(f32x16 *)(p))
#define N(p)  (*(i32x16 *)(p))
#define F8(p) (*(f32x8 *)(p))
#define I8(p) (*(i32x8 *)(p))
#define U(p)  (*(loose16 *)(p))

#define PICK(mask, a, b)   ((f64x8)(((mask) & (i64x8)(a)) | (~(mask) & (i64x8)(b))))
#define PICK_F(mask, a, b) ((f32x16)(((mask) & (i32x16)(a)) | (~(mask) & (i32x16)(b))))
#define PICK_I(mask, a, b) ((i32x16)(((mask) & (a)) | (~(mask) & (b))))

#define COUNT_16                                                                                             \
	{                                                                                                    \
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15                                         \
	}

static const _Alignas(64) double numbers[RAYS] = COUNT_16;
static const _Alignas(64) float lanes[RAYS] = COUNT_16;
static const _Alignas(64) int steps[RAYS] = COUNT_16;

/** Where sixteen rays lie among the voxels of a plane's window. */
struct window {
	i32x16 k;
	i32x16 near; // as k, from the first voxel of eight
	int from[2]; // which is this one
};

/** By the sign alone: comparisons of vectors that are longer than the registers come out in scalars. */
#define POSITIVE_PLAIN(x) ((f32x16)((i32x16)(x) & ~((i32x16)(x) >> 31)))

#define LOOK_UP_PLAIN(c0, c1, p, w)                                                                          \
	for (int l = 0; l < RAYS; l++) {                                                                     \
		(c0)[l] = (p)[(w).k[l] & 31];                                                                \
		(c1)[l] = (p)[((w).k[l] + 1) & 31];                                                          \
	}
#define SHUFFLE_PLAIN(c, y, k)                                                                               \
	for (int lane = 0; lane < RAYS; lane++)                                                              \
		(c)[lane] = (y)[(k)[lane] & 15];

#define TARGET
#define WIDTH                 4
#define WHOLE                 i32x4
#define FLOATS                f32x4
#define NAME(x)               x##_plain
#define PREPARE(w)            (void)0
#define LOOK_UP(c0, c1, p, w) LOOK_UP_PLAIN(c0, c1, p, w)
#define SHUFFLE(c, y, k)      SHUFFLE_PLAIN(c, y, k)
#define POSITIVE(x)           POSITIVE_PLAIN(x)
#include "ct/projector/cpu/ray_packet_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define FN2    TARGET static inline __attribute__((always_inline))

/** y[k[l] mod 16] of eight lanes. */
FN2 __m256 pick_avx2(const float *y, __m256i k)
{
	return _mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(y), k),
	        _mm256_permutevar8x32_ps(_mm256_loadu_ps(y + 8), k),
	        _mm256_castsi256_ps(_mm256_slli_epi32(k, 28)));
}

/** Eight rays and their neighbours lie among sixteen voxels: where these begin, and the rays from there. */
FN2 void prepare_avx2(struct window *w)
{
	for (int h = 0; h < 2; h++) {
		const __m256i k = _mm256_load_si256((const __m256i *)&w->k + h);
		__m128i least = _mm_min_epi32(_mm256_castsi256_si128(k), _mm256_extracti128_si256(k, 1));

		least = _mm_min_epi32(least, _mm_shuffle_epi32(least, 0x4e));
		least = _mm_min_epi32(least, _mm_shuffle_epi32(least, 0xb1));
		w->from[h] = _mm_cvtsi128_si32(least);
		_mm256_store_si256(
		        (__m256i *)&w->near + h, _mm256_sub_epi32(k, _mm256_set1_epi32(w->from[h])));
	}
}

FN2 void look_up_avx2(f32x16 *c0, f32x16 *c1, const float *p, const struct window *w)
{
	for (int h = 0; h < 2; h++) {
		const __m256i k = _mm256_load_si256((const __m256i *)&w->near + h);

		_mm256_store_ps((float *)c0 + 8 * h, pick_avx2(p + w->from[h], k));
		_mm256_store_ps((float *)c1 + 8 * h,
		        pick_avx2(p + w->from[h], _mm256_add_epi32(k, _mm256_set1_epi32(1))));
	}
}

FN2 void shuffle_avx2(f32x16 *c, const f32x16 *y, const i32x16 *k)
{
	for (int h = 0; h < 2; h++)
		_mm256_store_ps((float *)c + 8 * h,
		        pick_avx2((const float *)y, _mm256_load_si256((const __m256i *)k + h)));
}

#define WIDTH                 8
#define WHOLE                 i32x8
#define FLOATS                f32x8
#define NAME(x)               x##_avx2
#define PREPARE(w)            prepare_avx2(&(w))
#define LOOK_UP(c0, c1, p, w) look_up_avx2(&(c0), &(c1), p, &(w))
#define SHUFFLE(c, y, k)      shuffle_avx2(&(c), &(y), &(k))
#define POSITIVE(x)           POSITIVE_PLAIN(x)
#include "ct/projector/cpu/ray_packet_impl.inc"

#define TARGET     __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define WIDTH      16
#define WHOLE      i32x16
#define FLOATS     f32x16
#define NAME(x)    x##_avx512
#define PREPARE(w) (void)0
#define LOOK_UP(c0, c1, p, w)                                                                                \
	do {                                                                                                 \
		const __m512 low = _mm512_loadu_ps(p), high = _mm512_loadu_ps((p) + 16);                     \
                                                                                                             \
		c0 = _mm512_permutex2var_ps(low, (__m512i)(w).k, high);                                      \
		c1 = _mm512_permutex2var_ps(low, (__m512i)((w).k + 1), high);                                \
	} while (0)
#define SHUFFLE(c, y, k) ((c) = _mm512_permutexvar_ps((__m512i)(k), y))
#define POSITIVE(x)      _mm512_max_ps(x, _mm512_setzero_ps())
#include "ct/projector/cpu/ray_packet_impl.inc"
#endif

const struct ray_kernels *ray_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
