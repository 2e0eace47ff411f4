/* Groups of 16 slices: the rows they fall on lie within a window, which is mixed from the two columns and
 * looked up; with AVX-512 in one or two registers. */

#include "linops/xray/fdk_line.h"

#include <math.h>
#include <string.h>

#include "num/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define SIMD _Pragma("omp simd")

enum { WINDOW = 34 };

#define REAL    double
#define NAME(x) x##_double
#define ATTRIBUTES
#include "linops/xray/fdk_line_impl.inc"

#define REAL    float
#define NAME(x) x##_plain
#define ATTRIBUTES
#include "linops/xray/fdk_line_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define REAL       float
#define NAME(x)    x##_avx2
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#include "linops/xray/fdk_line_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define INLINE static inline __attribute__((always_inline))

/** 16 rows of both columns, mixed. */
AVX512 INLINE __m512 mix512(const float *p, const float *q, __m512 left, __m512 right)
{
	return _mm512_fmadd_ps(left, _mm512_loadu_ps(p), _mm512_mul_ps(right, _mm512_loadu_ps(q)));
}

/** Slices of a line whose groups span at most `registers` of 16 rows. */
AVX512 INLINE void line512(const struct fdk_line *l, long rows, long first, long nz, int registers)
{
	const __m512 left = _mm512_set1_ps((float)l->left), right = _mm512_set1_ps((float)l->right),
	             lane = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
	             steps = _mm512_mul_ps(lane, _mm512_set1_ps((float)l->rise));
	const __m512i one = _mm512_set1_epi32(1);
	const double reach = (FDK_LANES - 1) * l->rise, low = (reach < 0.) ? reach : 0., span = fabs(reach);
	float *sum = l->sum;

	for (long k = 0; k < nz; k += FDK_LANES) {
		const double at = l->row + l->rise * (double)(first + k), lowest = at + low;

		if (!(lowest + span > -1. && lowest < (double)rows))
			continue;

		const double base = floor(lowest);
		const float *p = (const float *)l->p + (long)base, *q = (const float *)l->next + (long)base;
		const __m512 b = _mm512_add_ps(_mm512_set1_ps((float)(at - base)), steps);
		const __m512i i = _mm512_cvttps_epi32(b), j = _mm512_add_epi32(i, one);
		const __m512 f = _mm512_sub_ps(b, _mm512_cvtepi32_ps(i)), m0 = mix512(p, q, left, right);
		__m512 here, there;

		if (1 == registers) {
			here = _mm512_permutexvar_ps(i, m0);
			there = _mm512_permutexvar_ps(j, m0);
		} else {
			const __m512 m1 = mix512(p + FDK_LANES, q + FDK_LANES, left, right);

			here = _mm512_permutex2var_ps(m0, i, m1);
			there = _mm512_permutex2var_ps(m0, j, m1);
		}

		_mm512_storeu_ps(sum + k, _mm512_add_ps(_mm512_loadu_ps(sum + k),
		                                  _mm512_fmadd_ps(f, _mm512_sub_ps(there, here), here)));
	}
}

/** The same where slices are as far apart as rows: the rows themselves, at one fraction. */
AVX512 static void unit512(const struct fdk_line *l, long rows, long first, long nz)
{
	const double low = floor(l->row), f = l->row - low, base = low + (double)first;
	const __m512 here[2] = {_mm512_set1_ps((float)(l->left * (1. - f))),
	        _mm512_set1_ps((float)(l->right * (1. - f)))},
	             there[2] = {_mm512_set1_ps((float)(l->left * f)), _mm512_set1_ps((float)(l->right * f))};
	const long lo = -(long)base - FDK_LANES, hi = rows - (long)base; // groups that meet rows: lo < k < hi
	const float *p = (const float *)l->p + (long)base, *q = (const float *)l->next + (long)base;
	float *sum = l->sum;

	for (long k = (lo < 0) ? 0 : (lo + 1 + FDK_LANES - 1) / FDK_LANES * FDK_LANES; k < nz && k < hi;
	        k += FDK_LANES) {
		__m512 x = _mm512_loadu_ps(sum + k);

		x = _mm512_fmadd_ps(here[0], _mm512_loadu_ps(p + k), x);
		x = _mm512_fmadd_ps(here[1], _mm512_loadu_ps(q + k), x);

		if (f > 0.) {
			x = _mm512_fmadd_ps(there[0], _mm512_loadu_ps(p + k + 1), x);
			x = _mm512_fmadd_ps(there[1], _mm512_loadu_ps(q + k + 1), x);
		}

		_mm512_storeu_ps(sum + k, x);
	}
}

AVX512 static void add_avx512(const struct fdk_line *line, int n, long rows, long first, long nz)
{
	const double one = 13.9 / (FDK_LANES - 1), two = 29.9 / (FDK_LANES - 1); // rises

	for (int i = 0; i < n; i++) {
		const double rise = fabs(line[i].rise);

		if (1. == line[i].rise)
			unit512(line + i, rows, first, nz);
		else if (rise <= one)
			line512(line + i, rows, first, nz, 1);
		else if (rise <= two)
			line512(line + i, rows, first, nz, 2);
		else
			add_plain(line + i, 1, rows, first, nz);
	}
}
#endif

fdk_add_fn *fdk_add(enum dtype type)
{
	if (DT_FLOAT64 == type)
		return add_double;

	return KERN_CHOOSE(add);
}
