/* Sixteen rays at a time, for each instruction set from the same source: only the look-up of neighbours
 * differs. */

#include "ct/projector/cpu/ray_packet.h"

#include <math.h>
#include <string.h>

#include "ct/projector/tilted/tilted.h"
#include "ct/projector/model/column_lines.h"
#include "num/kern/kern.h"

typedef float f32x16 __attribute__((vector_size(64), may_alias));
typedef int i32x16 __attribute__((vector_size(64), may_alias));
typedef unsigned u32x16 __attribute__((vector_size(64), may_alias));
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
static const float count[JOSEPH_RUN] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
        20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/** The pixels of a job, for column_lines.h. */
static inline struct column_job tilted_pixels(const struct tilted_job *j)
{
	return (struct column_job){.columns = j->columns,
	        .rows = j->rows,
	        .first = j->first,
	        .next = j->next,
	        .step = j->step,
	        .done = (1u << j->columns) - 1};
}

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

/** Element k[l] of an array of up to 16. */
FN1 f32x4 pick_ray_plain(const f32x4 *c, i32x4 k)
{
	const float *p = (const float *)c;

	return (f32x4){p[k[0] & 15], p[k[1] & 15], p[k[2] & 15], p[k[3] & 15]};
}

/** Counts *k from its first lane, which is returned. */
FN1 int first_of_plain(i32x4 *k)
{
	const int first = (*k)[0];

	*k -= first;
	return first;
}

FN1 f32x4 positive_plain(f32x4 x)
{
	return (f32x4)((i32x4)x & ~((i32x4)x >> 31));
}

/** x from 0 to 1. */
FN1 f32x4 unit_plain(f32x4 x)
{
	const f32x4 y = positive_plain(x);
	const i32x4 less = y < 1.f;

	return (f32x4)((less & (i32x4)y) | (~less & (i32x4)(y * 0.f + 1.f)));
}

/** A bit for each lane that is not 0; those are -1. */
FN1 unsigned bits_plain(i32x4 x)
{
	return (unsigned)((x[0] & 1) | (x[1] & 2) | (x[2] & 4) | (x[3] & 8));
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
#define PICK_RAY(c, k, n)        pick_ray_plain(c, k)
#define FIRST_OF(k)              first_of_plain(k)
#define POSITIVE(x)              positive_plain(x)
#define UNIT(x)                  unit_plain(x)
#define BITS(x)                  bits_plain(x)
#define UP_TO(x, n)              (((x) >= 0) & ((x) <= (n)))
#define GET_LINES                get_lines
#define ADD_LINES                add_lines
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

/** Element k[l] of n registers, n = 1, 2 or 4. */
FN2 f32x8 pick_ray_avx2(const f32x8 *c, i32x8 k, int n)
{
	const __m256i l = (__m256i)k;
	const __m256 a = _mm256_permutevar8x32_ps((__m256)c[0], l);

	if (n == 1)
		return (f32x8)a;

	const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(l, 28)),
	             low = _mm256_blendv_ps(a, _mm256_permutevar8x32_ps((__m256)c[1], l), upper);

	if (n == 2)
		return (f32x8)low;

	const __m256 high = _mm256_blendv_ps(
	        _mm256_permutevar8x32_ps((__m256)c[2], l), _mm256_permutevar8x32_ps((__m256)c[3], l), upper);

	return (f32x8)_mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(l, 27)));
}

/** Counts *k from its first lane, which is returned. */
FN2 int first_of_avx2(i32x8 *k)
{
	const int first = _mm_cvtsi128_si32(_mm256_castsi256_si128((__m256i)*k));

	*k -= first;
	return first;
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
#define PICK_RAY(c, k, n)        pick_ray_avx2(c, k, n)
#define FIRST_OF(k)              first_of_avx2(k)
#define POSITIVE(x)              ((f32x8)_mm256_max_ps((__m256)(x), _mm256_setzero_ps()))
#define UNIT(x)                  ((f32x8)_mm256_min_ps((__m256)POSITIVE(x), _mm256_set1_ps(1.f)))
#define BITS(x)                  ((unsigned)_mm256_movemask_ps((__m256)(x)))
#define UP_TO(x, n)              (((x) >= 0) & ((x) <= (n)))
#define GET_LINES                get_lines256
#define ADD_LINES                add_lines256
#include "ct/projector/cpu/ray_packet_impl.inc"

#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/** Element k[l] of n registers, n = 1, 2 or 4. */
TARGET static inline __attribute__((always_inline)) f32x16 pick_ray_avx512(const f32x16 *c, i32x16 k, int n)
{
	const __m512i l = (__m512i)k;

	if (n == 1)
		return (f32x16)_mm512_permutexvar_ps(l, (__m512)c[0]);

	const __m512 low = _mm512_permutex2var_ps((__m512)c[0], l, (__m512)c[1]);

	if (n == 2)
		return (f32x16)low;

	return (f32x16)_mm512_mask_blend_ps(_mm512_test_epi32_mask(l, _mm512_set1_epi32(32)), low,
	        _mm512_permutex2var_ps((__m512)c[2], l, (__m512)c[3]));
}

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
#define PICK_RAY(c, k, n)        pick_ray_avx512(c, k, n)
#define FIRST_OF(k)              0
#define POSITIVE(x)              ((f32x16)_mm512_max_ps((__m512)(x), _mm512_setzero_ps()))
#define UNIT(x)                  ((f32x16)_mm512_min_ps((__m512)POSITIVE(x), _mm512_set1_ps(1.f)))
#define BITS(x)                  ((unsigned)_mm512_movepi32_mask((__m512i)(x)))
#define UP_TO(x, n)              ((i32x16)((u32x16)(x) <= (unsigned)(n)))
#define GET_LINES                get_lines512
#define ADD_LINES                add_lines512
#include "ct/projector/cpu/ray_packet_impl.inc"
#endif

const struct ray_kernels *ray_kernels(void)
{
	return KERN_CHOOSE(kernels);
}

const struct tilted_kernels *tilted_kernels(void)
{
	return KERN_CHOOSE(tilted_kernels);
}
