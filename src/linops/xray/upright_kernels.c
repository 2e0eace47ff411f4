/** The kernels of upright.h from one source: plain C, AVX2, and AVX-512, where a register holds 16 rows or
 * voxels and two of them hold all cells of 16 boxes. */

#include <math.h>
#include <string.h>

#include "linops/xray/upright.h"
#include "num/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline))
#define SIMD   _Pragma("omp simd")

enum { LANES = 16, PAD = 48, LINE_ROOM = UPRIGHT_GUARD + UPRIGHT_ROWS + 3 * LANES + UPRIGHT_GUARD };

/** Boxes up to which 16 of them lie within 32 cells, or 8 of them, which reach into 5 cells at most. */
#define WIDEST (28. / 15.)
#define WIDER  (26. / 7.)
#define UNROLL _Pragma("GCC unroll 8")

#define SIMD_RANGE _Pragma("omp simd reduction(min : least, first) reduction(max : most, off, end, taps)")

enum { WIDE_TAPS = 5 };

struct range {
	int first, end;
};

/** 16 numbers anywhere. */
typedef float lanes __attribute__((vector_size(64), aligned(4), may_alias));

/** Rows of the window that the line's shadow touches. */
INLINE struct range shadow_rows_of(const struct upright_job *j, const struct upright_line *l)
{
	const double from = l->at - 0.5 * l->rise + 0.5, to = l->at + (j->depth - 0.5) * l->rise + 1.5;

	const int rows = j->rows;

	return (struct range){(from <= 0.)    ? 0
	                      : (from < rows) ? (int)from
	                                      : rows,
	        (to >= rows) ? rows
	        : (to > 0.)  ? (int)to
	                     : 0};
}

/** Of voxel k from the source [mm]. */
INLINE float distance(const struct upright_job *j, float away2, int k)
{
	const float dz = ((float)k - j->from) * j->spacing;

	return sqrtf(away2 + dz * dz);
}

INLINE float smaller(float a, float b)
{
	return (a < b) ? a : b;
}

INLINE float above_zero(float a)
{
	return (a > 0.f) ? a : 0.f;
}

/** The steps of boxes: a part whose multiples are exact in float32, and the small rest, not negative. */
struct step {
	float width, coarse, fine;
};

INLINE struct step split(double step)
{
	const double unit = 1 << 18, coarse = floor(step * unit) / unit;

	return (struct step){(float)step, (float)coarse, (float)(step - coarse)};
}

/** Box l, the first one at `at` in [0, 1), collects from the cells it reaches into, the first TAPS ones. */
INLINE float collect_box(const float *p, float at, struct step s, int l, int taps)
{
	const float x = s.coarse * (float)l;
	const int whole = (int)x;
	const float y = (x - (float)whole) + (at + s.fine * (float)l);
	const int more = (int)y;
	const float f = y - (float)more, over = f + s.width;
	const float *q = p + (whole + more);
	float sum = smaller(1.f - f, s.width) * q[0];

	for (int t = 1; t < taps; t++)
		sum += smaller(above_zero(over - (float)t), 1.f) * q[t];

	return sum;
}

INLINE void resample(float out[LANES], const float *p, float at, struct step s, double step)
{
	if (step <= 1.) {
		SIMD for (int l = 0; l < LANES; l++) out[l] = collect_box(p, at, s, l, 2);
	} else {
		SIMD for (int l = 0; l < LANES; l++) out[l] = collect_box(p, at, s, l, 3);
	}
}

/** Of cells [0, n); nothing where all boxes of a half are elsewhere. */
INLINE void resample_wide(float out[LANES], const float *cell, int n, double at, double step)
{
	const struct step s = split(step);

	for (int half = 0; half < LANES; half += LANES / 2) {
		const double from = at + half * step, base = floor(from);
		const float first = (float)(from - base);

		if (!(from < n && from + LANES / 2 * step > 0.)) {
			memset(out + half, 0, LANES / 2 * sizeof(float));
			continue;
		}

		const float *p = cell + (int)base;

		SIMD for (int l = 0; l < LANES / 2; l++) out[half + l] =
		        collect_box(p, first, s, l, WIDE_TAPS);
	}
}

#define NAME(f) f##_plain
#define ATTRIBUTES
#define RESAMPLE      resample
#define RESAMPLE_WIDE resample_wide
#include "linops/xray/upright_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)       f##_avx2
#define ATTRIBUTES    __attribute__((target("avx2")))
#define RESAMPLE      resample
#define RESAMPLE_WIDE resample_wide
#include "linops/xray/upright_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/** The same sums in the same order: boxes of width step from at on, the cells of all of them within 32. */
AVX512 INLINE __m512 collect512(const float *p, float at, struct step s, int taps)
{
	const __m512 lane = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512 one = _mm512_set1_ps(1.f), width = _mm512_set1_ps(s.width);
	const __m512 x = _mm512_mul_ps(_mm512_set1_ps(s.coarse), lane);
	const __m512i whole = _mm512_cvttps_epi32(x);
	const __m512 y = _mm512_add_ps(_mm512_sub_ps(x, _mm512_cvtepi32_ps(whole)),
	        _mm512_add_ps(_mm512_set1_ps(at), _mm512_mul_ps(_mm512_set1_ps(s.fine), lane)));
	const __m512i more = _mm512_cvttps_epi32(y), k = _mm512_add_epi32(whole, more);
	const __m512 f = _mm512_sub_ps(y, _mm512_cvtepi32_ps(more)), over = _mm512_add_ps(f, width);
	const __m512 p0 = _mm512_loadu_ps(p), p1 = _mm512_loadu_ps(p + LANES);
	__m512 sum =
	        _mm512_mul_ps(_mm512_min_ps(_mm512_sub_ps(one, f), width), _mm512_permutex2var_ps(p0, k, p1));

	UNROLL for (int t = 1; t < taps; t++)
	{
		const __m512 c = _mm512_permutex2var_ps(p0, _mm512_add_epi32(k, _mm512_set1_epi32(t)), p1);
		const __m512 w =
		        _mm512_max_ps(_mm512_sub_ps(over, _mm512_set1_ps((float)t)), _mm512_setzero_ps());

		sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_min_ps(w, one), c));
	}

	return sum;
}

AVX512 INLINE void resample512(float out[LANES], const float *p, float at, struct step s, double step)
{
	_mm512_storeu_ps(out, (step <= 1.) ? collect512(p, at, s, 2) : collect512(p, at, s, 3));
}

AVX512 INLINE void resample_wide512(float out[LANES], const float *cell, int n, double at, double step)
{
	const struct step s = split(step);

	for (int half = 0; half < LANES; half += LANES / 2) {
		const double from = at + half * step, base = floor(from);

		__m512 some = _mm512_setzero_ps();

		if (from < n && from + LANES / 2 * step > 0.)
			some = collect512(cell + (int)base, (float)(from - base), s, WIDE_TAPS);

		_mm512_mask_storeu_ps(out + half, 0xff, some);
	}
}

#define NAME(f)       f##_avx512
#define ATTRIBUTES    AVX512
#define RESAMPLE      resample512
#define RESAMPLE_WIDE resample_wide512
#include "linops/xray/upright_impl.inc"
#endif

const struct upright_kernels *upright_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
