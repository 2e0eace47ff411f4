/* Groups of 16 slices: the rows to which they are projected are within a window, which is interpolated from
 * the two columns. The values of the slices are looked up in this window. With AVX2, one or two registers
 * hold the halves of a group; with AVX-512, they hold a group. The sums of several groups stay in other
 * registers while views are added. */

#include "ct/fbp/fdk_line.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define SIMD _Pragma("omp simd")

enum { WINDOW = 34 };

/** A line in one view: row 0 of both columns, their weights, where slice 0 is seen and the next from there.
 */
struct line {
	const void *p, *next;
	double left, right, row, rise;
};

#define REAL    double
#define NAME(x) x##_double
#define ATTRIBUTES
#include "ct/fbp/fdk_line_impl.inc"

#define REAL    float
#define NAME(x) x##_plain
#define ATTRIBUTES
#include "ct/fbp/fdk_line_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define AVX2   __attribute__((target("avx2,fma")))

/** 8 rows of both columns, mixed. */
AVX2 INLINE __m256 mix256(const float *p, const float *q, __m256 left, __m256 right)
{
	return _mm256_fmadd_ps(left, _mm256_loadu_ps(p), _mm256_mul_ps(right, _mm256_loadu_ps(q)));
}

/** Element i of two registers. */
AVX2 INLINE __m256 pick256(__m256 m0, __m256 m1, __m256i i)
{
	return _mm256_blendv_ps(_mm256_permutevar8x32_ps(m0, i), _mm256_permutevar8x32_ps(m1, i),
	        _mm256_castsi256_ps(_mm256_slli_epi32(i, 28))); // bit 3
}

/** 8 slices, the first of which is seen at `at`. */
AVX2 INLINE void half256(const struct line *l, double at, float *sum)
{
	const double reach = 7. * l->rise, base = floor((reach < 0.) ? at + reach : at);
	const float *p = (const float *)l->p + (long)base, *q = (const float *)l->next + (long)base;
	const __m256 left = _mm256_set1_ps((float)l->left), right = _mm256_set1_ps((float)l->right),
	             lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7),
	             steps = _mm256_mul_ps(lane, _mm256_set1_ps((float)l->rise)),
	             b = _mm256_add_ps(_mm256_set1_ps((float)(at - base)), steps),
	             m0 = mix256(p, q, left, right);
	const __m256i i = _mm256_cvttps_epi32(b), j = _mm256_add_epi32(i, _mm256_set1_epi32(1));
	const __m256 f = _mm256_sub_ps(b, _mm256_cvtepi32_ps(i));
	__m256 here, there;

	if (fabs(reach) <= 5.9) { // neighbours in one register
		here = _mm256_permutevar8x32_ps(m0, i);
		there = _mm256_permutevar8x32_ps(m0, j);
	} else {
		const __m256 m1 = mix256(p + 8, q + 8, left, right);

		here = pick256(m0, m1, i);
		there = pick256(m0, m1, j);
	}

	_mm256_storeu_ps(sum,
	        _mm256_add_ps(_mm256_loadu_ps(sum), _mm256_fmadd_ps(f, _mm256_sub_ps(there, here), here)));
}

/** The group of fdk_line_impl.inc: its 16 slices rise by less than WINDOW - 4 rows, 8 by half of it. */
AVX2 INLINE void group_avx2(const struct line *l, double at, float *sum)
{
	half256(l, at, sum);
	half256(l, at + 8. * l->rise, sum + 8);
}

#define REAL       float
#define NAME(x)    x##_avx2
#define ATTRIBUTES AVX2
#define OWN_GROUP
#include "ct/fbp/fdk_line_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define UNROLL _Pragma("GCC unroll 4")

/** Groups whose sums stay in registers from view to view, groups whose places are found at once, views at
 * most. */
enum { TOGETHER = 4, RUN = 8, VIEWS = 8 };

/** Rows from the first to the last slice of a group whose neighbours lie in one register, in two. */
static const double ONE_REGISTER = 13.9, TWO_REGISTERS = 29.9;

/** 16 rows of both columns, mixed. */
AVX512 INLINE __m512 mix512(const float *p, const float *q, __m512 left, __m512 right)
{
	return _mm512_fmadd_ps(left, _mm512_loadu_ps(p), _mm512_mul_ps(right, _mm512_loadu_ps(q)));
}

/** One view of a run of groups: where each begins, on the row below its lowest slice. */
struct starts {
	const float *p, *next; // row 0 of both columns
	long row[RUN];
	float behind[RUN]; // of its first slice, from that row
	float left, right, rise;
	unsigned meet; // bit g: group g meets the rows
	bool wide;     // two registers of rows
};

/** Of slices from `slice` on. Groups that meet no row begin behind the last. */
AVX512 INLINE void starts512(const struct fdk_view *v, long i, long rows, double slice, struct starts *s)
{
	const double reach = (FDK_LANES - 1) * v->rise[i], low = (reach < 0.) ? reach : 0.,
	             high = reach - low,
	             margin = 0.015625; // no rounding takes a slice below its group's row
	const __m512d k = _mm512_add_pd(
	                      _mm512_set1_pd(slice), _mm512_setr_pd(0, 16, 32, 48, 64, 80, 96, 112)),
	              at = _mm512_add_pd(
	                      _mm512_set1_pd(v->row[i]), _mm512_mul_pd(_mm512_set1_pd(v->rise[i]), k)),
	              lowest = _mm512_add_pd(at, _mm512_set1_pd(low)),
	              highest = _mm512_add_pd(at, _mm512_set1_pd(high)),
	              base = _mm512_floor_pd(_mm512_sub_pd(lowest, _mm512_set1_pd(margin))),
	              end = _mm512_set1_pd((double)rows);
	const __mmask8 meet = _mm512_cmp_pd_mask(highest, _mm512_set1_pd(-1.), _CMP_GT_OQ) &
	                      _mm512_cmp_pd_mask(lowest, end, _CMP_LT_OQ);

	_mm512_storeu_si512(s->row, _mm512_cvttpd_epi64(_mm512_mask_mov_pd(end, meet, base)));
	_mm256_storeu_ps(s->behind, _mm512_maskz_cvtpd_ps(meet, _mm512_sub_pd(at, base)));
	s->p = (const float *)v->frame + v->column[i] * v->pitch;
	s->next = s->p + v->pitch;
	s->left = ((const float *)v->left)[i];
	s->right = ((const float *)v->right)[i];
	s->rise = (float)v->rise[i];
	s->meet = meet;
	s->wide = high - low > ONE_REGISTER;
}

/** What a group takes of a view: f between the rows below and above its slices. */
AVX512 INLINE __m512 group512(const float *p, const float *q, __m512 at, __m512 left, __m512 right, bool wide)
{
	const __m512 whole = _mm512_set1_ps(12582912.f); // 1.5 * 2^23: a sum's last bits are an integer
	const __m512 below = _mm512_add_round_ps(at, whole, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
	             f = _mm512_sub_ps(at, _mm512_sub_ps(below, whole)), m0 = mix512(p, q, left, right);
	const __m512i i = _mm512_castps_si512(below), j = _mm512_add_epi32(i, _mm512_set1_epi32(1));
	__m512 here, there;

	if (wide) {
		const __m512 m1 = mix512(p + FDK_LANES, q + FDK_LANES, left, right);

		here = _mm512_permutex2var_ps(m0, i, m1);
		there = _mm512_permutex2var_ps(m0, j, m1);
	} else {
		here = _mm512_permutexvar_ps(i, m0);
		there = _mm512_permutexvar_ps(j, m0);
	}

	return _mm512_fmadd_ps(f, _mm512_sub_ps(there, here), here);
}

/** Adds a view to `groups` groups in registers, from number g of the run. */
AVX512 INLINE void view512(const struct starts *s, int g, int groups, bool wide, __m512 *x)
{
	const __m512 lane = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
	             steps = _mm512_mul_ps(lane, _mm512_set1_ps(s->rise)), left = _mm512_set1_ps(s->left),
	             right = _mm512_set1_ps(s->right);
	const float *p = s->p, *q = s->next;

	UNROLL for (int i = 0; i < groups; i++) x[i] = _mm512_add_ps(
	        x[i], group512(p + s->row[g + i], q + s->row[g + i],
	                      _mm512_add_ps(_mm512_set1_ps(s->behind[g + i]), steps), left, right, wide));
}

/** Adds n views to `groups` groups. */
AVX512 INLINE void groups512(const struct starts *s, int n, int g, int groups, float *sum)
{
	__m512 x[TOGETHER];

	UNROLL for (int i = 0; i < groups; i++) x[i] = _mm512_loadu_ps(sum + i * FDK_LANES);

	for (int v = 0; v < n; v++) {
		if (!(s[v].meet >> g & ((1u << groups) - 1)))
			continue;

		if (s[v].wide)
			view512(s + v, g, groups, true, x);
		else
			view512(s + v, g, groups, false, x);
	}

	UNROLL for (int i = 0; i < groups; i++) _mm512_storeu_ps(sum + i * FDK_LANES, x[i]);
}

/** n views of line i. */
AVX512 static void views512(
        const struct fdk_view *view, int n, long i, long rows, long first, long nz, float *line)
{
	const long groups = (nz + FDK_LANES - 1) / FDK_LANES;
	struct starts s[VIEWS];

	for (long k = 0; k < groups; k += RUN) {
		const int run = (groups - k < RUN) ? (int)(groups - k) : RUN;
		float *sum = line + k * FDK_LANES;
		int g = 0, m = 0;

		for (int v = 0; v < n; v++)
			if (view[v].column[i] >= 0)
				starts512(view + v, i, rows, (double)(first + k * FDK_LANES), s + m++);

		for (; g + TOGETHER <= run; g += TOGETHER)
			groups512(s, m, g, TOGETHER, sum + g * FDK_LANES);

		for (; g < run; g++)
			groups512(s, m, g, 1, sum + g * FDK_LANES);
	}
}

/** A line whose slices are as far apart as rows: the rows themselves, at one fraction. */
AVX512 static void unit512(const struct line *l, long rows, long first, long nz, float *sum)
{
	const double low = floor(l->row), f = l->row - low, base = low + (double)first;
	const __m512 here[2] = {_mm512_set1_ps((float)(l->left * (1. - f))),
	        _mm512_set1_ps((float)(l->right * (1. - f)))},
	             there[2] = {_mm512_set1_ps((float)(l->left * f)), _mm512_set1_ps((float)(l->right * f))};
	const long lo = -(long)base - FDK_LANES, hi = rows - (long)base; // groups that meet rows: lo < k < hi
	const float *p = (const float *)l->p + (long)base, *q = (const float *)l->next + (long)base;

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

/** Whether line i's groups fit into registers and it does not go from row to row; or is not seen. */
static bool fits(const struct fdk_view *v, long i)
{
	return v->column[i] < 0 || (1. != v->rise[i] && fabs(v->rise[i]) <= TWO_REGISTERS / (FDK_LANES - 1));
}

AVX512 static void add_avx512(
        const struct fdk_view *view, int n, long i, long rows, long first, long nz, void *sum)
{
	for (int v = 0, m; v < n; v += m) {
		for (m = 0; m < VIEWS && v + m < n && fits(view + v + m, i);)
			m++;

		if (m > 0) {
			views512(view + v, m, i, rows, first, nz, sum);
			continue;
		}

		const struct line l = line_plain(view + v, i);

		(1. == l.rise ? unit512 : add_line_plain)(&l, rows, first, nz, sum);
		m = 1;
	}
}
#endif

fdk_add_fn *fdk_add(enum dtype type)
{
	if (DT_FLOAT64 == type)
		return add_double;

	return KERN_CHOOSE(add);
}
