/** The kernels of sf_lines.h from one source: plain C, AVX2, and AVX-512, where pixels and voxels are looked
 * up in registers. */

#include <limits.h>
#include <math.h>
#include <string.h>

#include "linops/xray/sf_lines.h"
#include "num/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE    static inline __attribute__((always_inline))
#define SIMD      _Pragma("omp simd")
#define UNROLL    _Pragma("GCC unroll 8")
#define SIMD_MOST _Pragma("omp simd reduction(min : lo) reduction(max : hi, taps, reach)")

/** Whole groups of voxels, one by one. */
#define EACH_VOXEL(i, n)                                                                                     \
	for (int k_##i = 0; k_##i < (n); k_##i += SF_LANES)                                                  \
	SIMD for (int i = k_##i; i < k_##i + SF_LANES; i++)

enum { ROOM = SF_EDGE + SF_PAD, GROUPS = SF_EDGE / SF_LANES, FRONT = 32 };

/** The shadows of a line of voxels. Along direction d a box of width wide blurred by one of width soft is
 * described by out = (wide + soft) / 2, flat = (wide - soft) / 2 and bend = 1 / (2 soft). */
struct line {
	_Alignas(64) float place[2][SF_EDGE]; // 0: from the first pixel; 1: from the base
	_Alignas(64) float out[2][SF_EDGE], flat[2][SF_EDGE], bend[2][SF_EDGE];
	_Alignas(64) float amount[SF_EDGE]; // over the widths of both boxes
	_Alignas(64) int taps[SF_EDGE], lo[SF_EDGE], hi[SF_EDGE], base[SF_EDGE];
	_Alignas(64) int first[ROOM];                                 // pixel of the window
	_Alignas(64) float part[SF_FAST][ROOM], share[SF_SLOW][ROOM]; // times both widths
	float reach;                                                  // largest out[0]
	int most;                                                     // taps along the fast direction
	int row, rows;                                                // lines of pixels that any touches
};

/** Where the voxels of a line stand, as seen from the middle of each group of 16. */
struct groups {
	float before[GROUPS];                    // from the source's plane [mm]
	float r[2][GROUPS];                      // from the source along both directions [pixels]
	float place[2][GROUPS], pace[2][GROUPS]; // of the shadow from its base; per voxel, times `before`
	float from[GROUPS];                      // from the source along the line [mm]
	int base[2][GROUPS];
	float across2;          // from the source across the line, squared
	float depth, dr[2], mm; // per voxel
	float edge[2][3],
	        lean[2][3]; // of the voxel along each direction, the largest first where it is known
	float far, amount;  // of struct sf_lines
};

/** The boxes of a shadow along a direction. */
enum shape {
	ANY,   // any edge may be the largest
	KNOWN, // the first one is
	PLAIN  // the first one alone counts
};

/** Lines beside each other: their first voxels. */
struct row {
	_Alignas(64) double before[SF_EDGE], r[2][SF_EDGE], across2[SF_EDGE];
	_Alignas(64) double margin[SF_EDGE]; // above 0: the window sees it
};

/** The voxel whose shadow is x pixels from the first one's: number x c1 / (c2 - x c3). */
struct sight {
	float c1, c2, c3, first; // the first one's: first pixels from the base
	int base;
	int seen; // voxels that a pixel sees, at most
	int span; // that 16 pixels see
};

/** The largest whole number not above x. */
INLINE int below(float x)
{
	return (int)floorf(x);
}

INLINE double dot4(const double a[4], const double at[3])
{
	return a[0] * at[0] + a[1] * at[1] + a[2] * at[2] + a[3];
}

/** The largest of three squares, and the sum of the others. */
INLINE float largest_of(float a, float b, float c, float *rest)
{
	const float more = (a > b) ? a : b, less = (a > b) ? b : a;
	const float most = (more > c) ? more : c, third = (more > c) ? c : more;

	*rest = less + third;
	return most;
}

/** Voxel i of a group, from its middle, or the last one of the line. */
INLINE float lane_of(int i, float last)
{
	const float lane = (float)(i - SF_LANES / 2);

	return (lane < last) ? lane : last;
}

/** No wider than the other box, and not 0. */
INLINE float blur_of(float wide, float soft)
{
	const float least = (soft > 1e-12f) ? soft : 1e-12f;

	return (least < wide) ? least : wide;
}

INLINE void set_boxes(struct line *l, int d, int i, float place, float wide, float blur, float bend)
{
	l->place[d][i] = place;
	l->out[d][i] = 0.5f * (wide + blur);
	l->flat[d][i] = 0.5f * (wide - blur);
	l->bend[d][i] = bend;
}

/** sf_part() times the width: of all on one side, and up to x pixels from the middle. */
INLINE float whole_part(const struct line *l, int d, int i)
{
	const float q = l->out[d][i] - l->flat[d][i];

	return l->out[d][i] - q * (q * l->bend[d][i]);
}

INLINE float part_to(const struct line *l, int d, int i, float x)
{
	const float far = fabsf(x), p = (far < l->out[d][i]) ? far : l->out[d][i], more = p - l->flat[d][i];
	const float q = (more > 0.f) ? more : 0.f;

	return copysignf(p - q * (q * l->bend[d][i]), x);
}

/** The voxels of the next line: bricks are larger than the nearest caches. */
INLINE void fetch(const float *f, int count)
{
	for (int k = 0; k < count; k += SF_LANES)
		__builtin_prefetch(f + k);
}

/** Nothing behind the voxels of lines. */
INLINE void pad(struct line *l, int count)
{
	const int end = (count + SF_LANES - 1) / SF_LANES * SF_LANES;

	memset(l->first + end, 0, (ROOM - end) * sizeof(int));

	for (int t = 0; t < SF_FAST; t++)
		memset(l->part[t] + end, 0, (ROOM - end) * sizeof(float));

	for (int t = 0; t < SF_SLOW; t++)
		memset(l->share[t] + end, 0, (ROOM - end) * sizeof(float));
}

/** Voxel by voxel. */
static void scatter(float *window, const struct sf_lines *s, const struct line *l, int lo, int hi)
{
	for (int i = 0; i < s->count; i++)
		for (int t = 0; t < l->most; t++) {
			const long pixel = (long)l->first[i] + t;

			for (int a = lo; a < hi && pixel >= 0 && pixel < s->pixels; a++)
				window[a * s->pitch + pixel] += l->part[t][i] * l->share[a][i];
		}
}

/** The first pixel that the line touches, and past the last one. */
INLINE void pixels_of(const struct sf_lines *s, const struct line *l, int *first, int *end)
{
	const int past = l->first[s->count - 1] + l->most;

	*first = (l->first[0] > 0) ? l->first[0] : 0;
	*end = (past < s->pixels) ? past : s->pixels;
}

/** The first voxel that pixel number `pixel` may see, or the line's end. */
INLINE int first_seen(const struct sight *o, float reach, int count, int pixel)
{
	const float x = ((float)(pixel - o->base) - o->first) - (0.5f + reach);
	float k = x * o->c1 / (o->c2 - x * o->c3) + 0.99f;

	k = (k > 0.f) ? k : 0.f;
	k = (k < (float)count) ? k : (float)count;
	return (int)k;
}

INLINE void collect_plain(
        float *window, const struct sf_lines *s, const struct line *l, const struct sight *o, int lo, int hi)
{
	int row, end;

	for (pixels_of(s, l, &row, &end); row < end; row += SF_LANES)
		for (int a = lo; a < hi; a++) {
			float sum[SF_LANES] = {0.f};

			for (int i = 0; i < SF_LANES; i++) {
				const int k = first_seen(o, l->reach, s->count, row + i);

				for (int j = 0; j < o->seen; j++) {
					const unsigned tap = (unsigned)(row + i - l->first[k + j]);
					const float part =
					        (tap < (unsigned)l->most) ? l->part[tap][k + j] : 0.f;

					sum[i] += part * l->share[a][k + j];
				}
			}

			SIMD for (int i = 0; i < SF_LANES; i++) window[a * s->pitch + row + i] += sum[i];
		}
}

INLINE void pick_up_plain(float sum[SF_LANES], const float *window, const struct sf_lines *s,
        const struct line *l, int k, int lo, int hi)
{
	for (int a = lo; a < hi; a++) {
		const float *p = window + a * s->pitch;

		for (int i = k; i < k + SF_LANES; i++) {
			float all = 0.f;

			for (int t = 0; t < l->most; t++) {
				const long pixel = (long)l->first[i] + t;
				const float here = (pixel >= 0 && pixel < s->pixels) ? p[pixel] : 0.f;

				all += l->part[t][i] * here;
			}

			sum[i - k] += all * l->share[a][i];
		}
	}
}

/** Dense lines laid out as pixels: what the t-th taps of all voxels add to them, the first voxel's first
 * pixel being number FRONT. */
struct layout {
	_Alignas(64) float sum[SF_DENSE][FRONT + SF_EDGE + 3 * SF_LANES];
	int pixel, n; // that pixel, and how many are the first one of a voxel; none: 0
};

INLINE void lay_out_plain(struct layout *o, const struct line *l, const float y[SF_EDGE], int count, int taps)
{
	memset(o->sum, 0, sizeof o->sum);
	o->pixel = l->first[0];
	o->n = l->first[count - 1] + 1 - o->pixel;

	for (int t = 0; t < taps; t++)
		for (int i = 0; i < count; i++)
			o->sum[t][FRONT + l->first[i] - o->pixel] += l->part[t][i] * y[i];
}

/** To the window's pixels. */
INLINE void add_layout(float *window, const struct layout *o, int pixels, int taps)
{
	const int past = o->pixel + o->n + taps - 1, end = (past < pixels) ? past : pixels;

	if (o->n == 0)
		return;

	for (int p = ((o->pixel > 0) ? o->pixel : 0) & -SF_LANES; p < end; p += SF_LANES) {
		const int at = FRONT + p - o->pixel;
		float sum[SF_LANES];

		SIMD for (int i = 0; i < SF_LANES; i++) sum[i] = o->sum[0][at + i];

		for (int t = 1; t < taps; t++)
			SIMD for (int i = 0; i < SF_LANES; i++) sum[i] += o->sum[t][at + i - t];

		SIMD for (int i = 0; i < SF_LANES; i++) window[p + i] += sum[i];
	}
}

#define NAME(f) f##_plain
#define ATTRIBUTES
#define LAY_OUT lay_out_plain
#define COLLECT collect_plain
#define PICK_UP pick_up_plain
#include "linops/xray/sf_lines_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)    f##_avx2
#define ATTRIBUTES __attribute__((target("avx2")))
#define LAY_OUT    lay_out_plain
#define COLLECT    collect_plain
#define PICK_UP    pick_up_plain
#include "linops/xray/sf_lines_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/** p[k] for k in 0..31, or 0..63 where wide. */
AVX512 INLINE __m512 look_up(const float *p, __m512i k, bool wide)
{
	const __m512 near = _mm512_permutex2var_ps(_mm512_loadu_ps(p), k, _mm512_loadu_ps(p + 16));

	if (!wide)
		return near;

	return _mm512_mask_mov_ps(near, _mm512_cmpgt_epi32_mask(k, _mm512_set1_epi32(31)),
	        _mm512_permutex2var_ps(_mm512_loadu_ps(p + 32), k, _mm512_loadu_ps(p + 48)));
}

AVX512 INLINE __m512i look_up_numbers(const int *p, __m512i k, bool wide)
{
	return _mm512_castps_si512(look_up((const float *)p, k, wide));
}

/** As collect_plain(), where seen and most are these numbers. */
AVX512 INLINE void collect512(float *window, const struct sf_lines *s, const struct line *l,
        const struct sight *o, int lo, int hi, int seen, int most, bool wide)
{
	const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512 first = _mm512_set1_ps(o->first), reach = _mm512_set1_ps(0.5f + l->reach),
	             c1 = _mm512_set1_ps(o->c1), c2 = _mm512_set1_ps(o->c2), c3 = _mm512_set1_ps(o->c3);
	int row, end;

	for (pixels_of(s, l, &row, &end); row < end; row += SF_LANES) {
		const __m512i pixel = _mm512_add_epi32(_mm512_set1_epi32(row), lane);
		const __m512 x = _mm512_sub_ps(
		        _mm512_sub_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(pixel, _mm512_set1_epi32(o->base))),
		                first),
		        reach);
		__m512 number = _mm512_add_ps(
		        _mm512_div_ps(_mm512_mul_ps(x, c1), _mm512_sub_ps(c2, _mm512_mul_ps(x, c3))),
		        _mm512_set1_ps(0.99f));

		number = _mm512_max_ps(number, _mm512_setzero_ps());
		number = _mm512_min_ps(number, _mm512_set1_ps((float)s->count));

		const __m512i k = _mm512_cvttps_epi32(number);
		const int from = _mm_cvtsi128_si32(_mm512_castsi512_si128(k));
		__m512i at[SF_SEEN];
		__m512 part[SF_SEEN];

		UNROLL for (int j = 0; j < seen; j++)
		{
			at[j] = _mm512_add_epi32(k, _mm512_set1_epi32(j - from));

			const __m512i tap =
			        _mm512_sub_epi32(pixel, look_up_numbers(l->first + from, at[j], wide));

			part[j] = _mm512_setzero_ps();

			UNROLL for (int t = 0; t < most; t++) part[j] = _mm512_mask_mov_ps(part[j],
			        _mm512_cmpeq_epi32_mask(tap, _mm512_set1_epi32(t)),
			        look_up(l->part[t] + from, at[j], wide));
		}

		for (int a = lo; a < hi; a++) {
			float *p = window + (long)a * s->pitch + row;
			__m512 sum = _mm512_setzero_ps();

			UNROLL for (int j = 0; j < seen; j++) sum = _mm512_add_ps(
			        sum, _mm512_mul_ps(part[j], look_up(l->share[a] + from, at[j], wide)));

			_mm512_storeu_ps(p, _mm512_add_ps(_mm512_loadu_ps(p), sum));
		}
	}
}

/** The usual numbers are known to the compiler. */
AVX512 INLINE void collect_avx512(
        float *window, const struct sf_lines *s, const struct line *l, const struct sight *o, int lo, int hi)
{
	const bool wide = o->span > 32;

	if (!wide && o->seen <= 3 && l->most == 2)
		collect512(window, s, l, o, lo, hi, 3, 2, false);
	else if (!wide && o->seen <= 4 && l->most == 2)
		collect512(window, s, l, o, lo, hi, 4, 2, false);
	else if (!wide && o->seen <= 3 && l->most == 3)
		collect512(window, s, l, o, lo, hi, 3, 3, false);
	else if (!wide && o->seen <= 4 && l->most == 3)
		collect512(window, s, l, o, lo, hi, 4, 3, false);
	else if (wide && o->seen <= 4 && l->most == 2)
		collect512(window, s, l, o, lo, hi, 4, 2, true);
	else if (wide && o->seen <= 6 && l->most == 2)
		collect512(window, s, l, o, lo, hi, 6, 2, true);
	else
		collect512(window, s, l, o, lo, hi, o->seen, l->most, true);
}

/** As pick_up_plain(), in registers or from memory. */
AVX512 INLINE void pick_up512(float sum[SF_LANES], const float *window, const struct sf_lines *s,
        const struct line *l, int k, int lo, int hi, int from, __m512i at, int most, bool near)
{
	__m512 voxels = _mm512_loadu_ps(sum);

	for (int a = lo; a < hi; a++) {
		const float *p = window + (long)a * s->pitch;
		__m512 all = _mm512_setzero_ps();

		UNROLL for (int t = 0; t < most; t++)
		{
			const __m512i pixel = _mm512_add_epi32(at, _mm512_set1_epi32(t));
			const __m512 here =
			        near ? look_up(p + from, pixel, false)
			             : _mm512_i32gather_ps(
			                       _mm512_max_epi32(_mm512_set1_epi32(-1),
			                               _mm512_min_epi32(pixel, _mm512_set1_epi32(s->pixels))),
			                       p, sizeof(float));

			all = _mm512_add_ps(all, _mm512_mul_ps(_mm512_loadu_ps(l->part[t] + k), here));
		}

		voxels = _mm512_add_ps(voxels, _mm512_mul_ps(all, _mm512_loadu_ps(l->share[a] + k)));
	}

	_mm512_storeu_ps(sum, voxels);
}

AVX512 INLINE void pick_up_avx512(float sum[SF_LANES], const float *window, const struct sf_lines *s,
        const struct line *l, int k, int lo, int hi)
{
	const int one = l->first[k], other = l->first[k + SF_LANES - 1], from = (one < other) ? one : other,
	          to = ((one < other) ? other : one) + l->most;
	const __m512i pixel = _mm512_load_si512(l->first + k),
	              at = _mm512_sub_epi32(pixel, _mm512_set1_epi32(from));

	if (to <= 32 + from - 1 &&
	        _mm512_cmplt_epu32_mask(at, _mm512_set1_epi32(32 - l->most + 1)) == 0xffff) {
		if (to <= 0 || from >= s->pixels)
			return;

		if (l->most == 2)
			pick_up512(sum, window, s, l, k, lo, hi, from, at, 2, true);
		else if (l->most == 3)
			pick_up512(sum, window, s, l, k, lo, hi, from, at, 3, true);
		else
			pick_up512(sum, window, s, l, k, lo, hi, from, at, l->most, true);
	} else {
		pick_up512(sum, window, s, l, k, lo, hi, from, pixel, l->most, false);
	}
}

/** As lay_out_plain(): each voxel collects those after it with the same first pixel, of which there are two
 * at most, and the first one of each pixel stays. */
AVX512 INLINE void lay_out512(
        struct layout *o, const struct line *l, const float y[SF_EDGE], int count, int taps)
{
	const __m512 zero = _mm512_setzero_ps();
	__m512 now[SF_DENSE], next[SF_DENSE];
	unsigned last = 1; // begins the next voxel a pixel?
	int n = 0;

	UNROLL for (int t = 0; t < taps; t++)
	{
		for (int k = 0; k < FRONT; k += SF_LANES)
			_mm512_store_ps(o->sum[t] + k, zero);

		now[t] = _mm512_mul_ps(_mm512_load_ps(l->part[t]), _mm512_load_ps(y));
	}

	for (int k = 0; k < count; k += SF_LANES) {
		const bool more = (k + SF_LANES < count);
		const __m512i here = _mm512_load_si512(l->first + k);
		const __mmask16 one = _mm512_cmpeq_epi32_mask(here, _mm512_loadu_si512(l->first + k + 1)),
		                two = _mm512_cmpeq_epi32_mask(here, _mm512_loadu_si512(l->first + k + 2));
		const unsigned begins = ~((unsigned)one << 1) & 0xfffe;
		const __mmask16 first = (__mmask16)(begins | last);

		last = ~((unsigned)one >> 15) & 1;

		UNROLL for (int t = 0; t < taps; t++)
		{
			next[t] = more ? _mm512_mul_ps(_mm512_load_ps(l->part[t] + k + SF_LANES),
			                         _mm512_load_ps(y + k + SF_LANES))
			               : zero;

			const __m512i a = _mm512_castps_si512(now[t]), b = _mm512_castps_si512(next[t]);
			__m512 s = now[t];

			s = _mm512_mask_add_ps(s, one, s, _mm512_castsi512_ps(_mm512_alignr_epi32(b, a, 1)));
			s = _mm512_mask_add_ps(s, two, s, _mm512_castsi512_ps(_mm512_alignr_epi32(b, a, 2)));
			_mm512_storeu_ps(o->sum[t] + FRONT + n, _mm512_maskz_compress_ps(first, s));
			now[t] = next[t];
		}

		n += __builtin_popcount(first);
	}

	UNROLL for (int t = 0; t < taps; t++)
	{
		_mm512_storeu_ps(o->sum[t] + FRONT + n, zero);
		_mm512_storeu_ps(o->sum[t] + FRONT + n + SF_LANES, zero);
	}

	o->pixel = l->first[0];
	o->n = n;
}

#define NAME(f)    f##_avx512
#define ATTRIBUTES AVX512
#define LAY_OUT    lay_out512
#define COLLECT    collect_avx512
#define PICK_UP    pick_up_avx512
#include "linops/xray/sf_lines_impl.inc"
#endif

const struct sf_lines_kernels *sf_lines_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
