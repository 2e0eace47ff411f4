/* Sixteen rays at a time, for each instruction set from the same source: only the look-up of neighbours
 * differs. */

#include "ct/projector/cpu/ray_packet.h"

#include <math.h>

#include "num/kern/kern.h"

#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 6")

typedef float f32x16 __attribute__((vector_size(64), may_alias));
typedef int i32x16 __attribute__((vector_size(64), may_alias));
typedef float f32x8 __attribute__((vector_size(32), may_alias));
typedef int i32x8 __attribute__((vector_size(32), may_alias));
typedef float f32x4 __attribute__((vector_size(16), may_alias));
typedef int i32x4 __attribute__((vector_size(16), may_alias));
typedef float loose4 __attribute__((vector_size(16), may_alias, aligned(4)));
typedef float loose8 __attribute__((vector_size(32), may_alias, aligned(4)));
typedef float loose16 __attribute__((vector_size(64), may_alias, aligned(4)));

#define F(p) (*(f32x16 *)(p))
#define N(p) (*(i32x16 *)(p))

/** The h-th register at p. */
#define PART(type, p, h) (((type *)(p))[h])

#define PICK(mask, a, b) ((DOUBLES)(((mask) & (LONGS)(a)) | (~(mask) & (LONGS)(b))))

#define COUNT_16                                                                                             \
	{                                                                                                    \
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15                                         \
	}

static const _Alignas(64) double numbers[RAYS] = COUNT_16;
static const _Alignas(64) float lanes[RAYS] = COUNT_16;
static const _Alignas(64) int steps[RAYS] = COUNT_16;

#define FN1 static inline __attribute__((always_inline))

FN1 f32x4 look_up_plain(const float *p, i32x4 k)
{
	return (f32x4){p[k[0] & 31], p[k[1] & 31], p[k[2] & 31], p[k[3] & 31]};
}

FN1 f32x4 shuffle_plain(const f32x16 *c, i32x4 k)
{
	const float *p = (const float *)c;

	return (f32x4){p[k[0] & 15], p[k[1] & 15], p[k[2] & 15], p[k[3] & 15]};
}

FN1 f32x4 positive_plain(f32x4 x)
{
	return (f32x4)((i32x4)x & ~((i32x4)x >> 31));
}

#define TARGET
#define WIDTH                    4
#define WHOLE                    i32x4
#define FLOATS                   f32x4
#define LOOSE                    loose4
#define NAME(x)                  x##_plain
#define NEAREST(k, jump)         ((void)(jump), 0)
#define LOOK_UP(p, k, jump)      look_up_plain(p, k)
#define LOOK_UP_NEXT(p, k, jump) look_up_plain(p, (k) + 1)
#define SHUFFLE(c, k)            shuffle_plain(&(c), k)
#define POSITIVE(x)              positive_plain(x)
#include "ct/projector/cpu/ray_packet_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define FN2    TARGET static inline __attribute__((always_inline))

/** y[k[l] mod 16] of eight lanes. */
FN2 f32x8 pick_avx2(const float *y, i32x8 k)
{
	return (f32x8)_mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(y), (__m256i)k),
	        _mm256_permutevar8x32_ps(_mm256_loadu_ps(y + 8), (__m256i)k),
	        _mm256_castsi256_ps(_mm256_slli_epi32((__m256i)k, 28)));
}

/** Four rays lie among 8 voxels: the first of those of the lower ones, from which k counts then; *jump: from
 * there to the first of those of the upper ones, from which theirs count. */
FN2 int nearest_avx2(i32x8 *k, int *jump)
{
	__m256i least = (__m256i)*k;

	least = _mm256_min_epi32(least, _mm256_shuffle_epi32(least, 0x4e));
	least = _mm256_min_epi32(least, _mm256_shuffle_epi32(least, 0xb1));
	*k -= (i32x8)least;

	const int low = _mm_cvtsi128_si32(_mm256_castsi256_si128(least));

	*jump = _mm_cvtsi128_si32(_mm256_extracti128_si256(least, 1)) - low;
	return low;
}

FN2 f32x8 look_up_avx2(const float *p, i32x8 k, int jump)
{
	return (f32x8)_mm256_blend_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(p), (__m256i)k),
	        _mm256_permutevar8x32_ps(_mm256_loadu_ps(p + jump), (__m256i)k), 0xf0);
}

#define WIDTH                    8
#define WHOLE                    i32x8
#define FLOATS                   f32x8
#define LOOSE                    loose8
#define NAME(x)                  x##_avx2
#define NEAREST(k, jump)         nearest_avx2(k, jump)
#define LOOK_UP(p, k, jump)      look_up_avx2(p, k, jump)
#define LOOK_UP_NEXT(p, k, jump) look_up_avx2((p) + 1, k, jump)
#define SHUFFLE(c, k)            pick_avx2((const float *)&(c), k)
#define POSITIVE(x)              ((f32x8)_mm256_max_ps((__m256)(x), _mm256_setzero_ps()))
#include "ct/projector/cpu/ray_packet_impl.inc"

#define TARGET           __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define WIDTH            16
#define WHOLE            i32x16
#define FLOATS           f32x16
#define LOOSE            loose16
#define NAME(x)          x##_avx512
#define NEAREST(k, jump) ((void)(jump), 0)
#define LOOK_UP(p, k, jump)                                                                                  \
	((f32x16)_mm512_permutex2var_ps(_mm512_loadu_ps(p), (__m512i)(k), _mm512_loadu_ps((p) + 16)))
#define LOOK_UP_NEXT(p, k, jump) LOOK_UP(p, (k) + 1, jump)
#define SHUFFLE(c, k)            ((f32x16)_mm512_permutexvar_ps((__m512i)(k), (__m512)(c)))
#define POSITIVE(x)              ((f32x16)_mm512_max_ps((__m512)(x), _mm512_setzero_ps()))
#include "ct/projector/cpu/ray_packet_impl.inc"
#endif

const struct ray_kernels *ray_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
