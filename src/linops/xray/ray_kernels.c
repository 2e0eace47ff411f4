/* Sixteen rays at a time, for each instruction set from the same source: only how neighbours are looked up
 * differs. Vectors of 64 bytes everywhere: a compiler splits them where registers are shorter. */

#include "linops/xray/rays.h"

#include <math.h>
#include <string.h>

#include "num/kern.h"

#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 6")

typedef double f64x8 __attribute__((vector_size(64), may_alias));
typedef long i64x8 __attribute__((vector_size(64), may_alias));
typedef float f32x16 __attribute__((vector_size(64), may_alias));
typedef int i32x16 __attribute__((vector_size(64), may_alias));
typedef unsigned u32x16 __attribute__((vector_size(64), may_alias));
typedef float f32x8 __attribute__((vector_size(32), may_alias));
typedef int i32x8 __attribute__((vector_size(32), may_alias));
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

#define LOOK_UP_PLAIN(c0, c1, p, k)                                                                          \
	for (int l = 0; l < RAYS; l++) {                                                                     \
		(c0)[l] = (p)[(k)[l] & 31];                                                                  \
		(c1)[l] = (p)[((k)[l] + 1) & 31];                                                            \
	}
#define SHUFFLE_PLAIN(c, y, k)                                                                               \
	for (int lane = 0; lane < RAYS; lane++)                                                              \
		(c)[lane] = (y)[(k)[lane] & 15];
#define POSITIVE_PLAIN(x) ((f32x16)((i32x16)(x) & ((x) > 0.f)))

#define TARGET
#define NAME(x)               x##_plain
#define LOOK_UP(c0, c1, p, k) LOOK_UP_PLAIN(c0, c1, p, k)
#define SHUFFLE(c, y, k)      SHUFFLE_PLAIN(c, y, k)
#define POSITIVE(x)           POSITIVE_PLAIN(x)
#include "linops/xray/rays_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define TARGET                __attribute__((target("avx2")))
#define NAME(x)               x##_avx2
#define LOOK_UP(c0, c1, p, k) LOOK_UP_PLAIN(c0, c1, p, k)
#define SHUFFLE(c, y, k)      SHUFFLE_PLAIN(c, y, k)
#define POSITIVE(x)           POSITIVE_PLAIN(x)
#include "linops/xray/rays_impl.inc"

#define TARGET  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define NAME(x) x##_avx512
#define LOOK_UP(c0, c1, p, k)                                                                                \
	do {                                                                                                 \
		const __m512 low = _mm512_loadu_ps(p), high = _mm512_loadu_ps((p) + 16);                     \
                                                                                                             \
		c0 = _mm512_permutex2var_ps(low, (__m512i)(k), high);                                        \
		c1 = _mm512_permutex2var_ps(low, (__m512i)((k) + 1), high);                                  \
	} while (0)
#define SHUFFLE(c, y, k) ((c) = _mm512_permutexvar_ps((__m512i)(k), y))
#define POSITIVE(x)      _mm512_max_ps(x, _mm512_setzero_ps())
#include "linops/xray/rays_impl.inc"
#endif

const struct ray_kernels *ray_kernels(void)
{
#ifdef __x86_64__
	if (0 == strcmp(kern_isa(), "avx512"))
		return &kernels_avx512;

	if (0 == strcmp(kern_isa(), "avx2"))
		return &kernels_avx2;
#endif
	return &kernels_plain;
}
