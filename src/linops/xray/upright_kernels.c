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

enum { LANES = 16, PAD = 48 };

/** Boxes up to which 16 of them lie within 32 cells. */
#define WIDEST (28. / 15.)

struct range {
	int first, end;
};

/** Rows of the window that the line's shadow touches. */
static struct range shadow_rows_of(const struct upright_line *l, int rows)
{
	const double first = floor(l->at - 0.5 * l->rise + 0.5),
	             end = floor(l->at + (l->depth - 0.5) * l->rise + 0.5) + 1.;

	return (struct range){
	        (first > 0.) ? (int)fmin(first, rows) : 0, (end < rows) ? (int)fmax(end, 0.) : rows};
}

INLINE float smaller(float a, float b)
{
	return (a < b) ? a : b;
}

INLINE float above_zero(float a)
{
	return (a > 0.f) ? a : 0.f;
}

/** A box from f on within cell 0 reaches into cells 0, 1 and, where it is wider than 1, 2. */
INLINE void resample(float out[LANES], const float *p, float at, float step)
{
	if (step <= 1.f) {
		SIMD for (int l = 0; l < LANES; l++)
		{
			const float x = at + step * (float)l;
			const int k = (int)x;
			const float f = x - (float)k;

			out[l] = smaller(1.f - f, step) * p[k] + above_zero(f + step - 1.f) * p[k + 1];
		}
	} else {
		SIMD for (int l = 0; l < LANES; l++)
		{
			const float x = at + step * (float)l;
			const int k = (int)x;
			const float f = x - (float)k, over = f + step;

			out[l] = smaller(1.f - f, step) * p[k] + smaller(over - 1.f, 1.f) * p[k + 1] +
			         above_zero(over - 2.f) * p[k + 2];
		}
	}
}

#define NAME(f) f##_plain
#define ATTRIBUTES
#define RESAMPLE resample
#include "linops/xray/upright_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)    f##_avx2
#define ATTRIBUTES __attribute__((target("avx2")))
#define RESAMPLE   resample
#include "linops/xray/upright_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/** The same sums in the same order. */
AVX512 INLINE void resample512(float out[LANES], const float *p, float at, float step)
{
	const __m512 lane = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512 one = _mm512_set1_ps(1.f), zero = _mm512_setzero_ps(), width = _mm512_set1_ps(step);
	const __m512 x = _mm512_add_ps(_mm512_set1_ps(at), _mm512_mul_ps(width, lane));
	const __m512i k = _mm512_cvttps_epi32(x), k1 = _mm512_add_epi32(k, _mm512_set1_epi32(1));
	const __m512 f = _mm512_sub_ps(x, _mm512_cvtepi32_ps(k)), over = _mm512_add_ps(f, width);
	const __m512 p0 = _mm512_loadu_ps(p), p1 = _mm512_loadu_ps(p + LANES);
	const __m512 c0 = _mm512_permutex2var_ps(p0, k, p1), c1 = _mm512_permutex2var_ps(p0, k1, p1);
	__m512 s = _mm512_mul_ps(_mm512_min_ps(_mm512_sub_ps(one, f), width), c0),
	       w = _mm512_sub_ps(over, one);

	if (step <= 1.f) {
		s = _mm512_add_ps(s, _mm512_mul_ps(_mm512_max_ps(w, zero), c1));
	} else {
		const __m512 c2 = _mm512_permutex2var_ps(p0, _mm512_add_epi32(k, _mm512_set1_epi32(2)), p1);
		const __m512 v = _mm512_max_ps(_mm512_sub_ps(over, _mm512_set1_ps(2.f)), zero);

		s = _mm512_add_ps(s, _mm512_mul_ps(_mm512_min_ps(w, one), c1));
		s = _mm512_add_ps(s, _mm512_mul_ps(v, c2));
	}

	_mm512_storeu_ps(out, s);
}

#define NAME(f)    f##_avx512
#define ATTRIBUTES AVX512
#define RESAMPLE   resample512
#include "linops/xray/upright_impl.inc"
#endif

const struct upright_kernels *upright_kernels(void)
{
#ifdef __x86_64__
	if (0 == strcmp(kern_isa(), "avx512"))
		return &kernels_avx512;

	if (0 == strcmp(kern_isa(), "avx2"))
		return &kernels_avx2;
#endif
	return &kernels_plain;
}
