/** The kernels of sf_lines.h from one source: plain C, AVX2, and AVX-512, where pixels and voxels are looked
 * up in registers. */

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ct/projector/cpu/sf_lines.h"
#include "num/kern/compress.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE    static inline __attribute__((always_inline))
#define SIMD      _Pragma("omp simd")
#define UNROLL    _Pragma("GCC unroll 8")
#define EACH_LANE SIMD for (int i = 0; i < SF_LANES; i++)

/** Whole groups of voxels of a line, one by one. */
#define EACH_VOXEL(i, n)                                                                                     \
	for (int k_##i = 0; k_##i < (n); k_##i += SF_LANES)                                                  \
	SIMD for (int i = k_##i; i < k_##i + SF_LANES; i++)

enum { GROUPS = SF_EDGE / SF_LANES, FRONT = 32 };

/** The footprints of a line of voxels. Along direction d a box of width wide blurred by one of width blur
 * reaches out = (wide + blur) / 2 to both sides; whole: part_to() there. */
struct footprints {
	// from the lower edge of the first pixel, and from the upper one of line low
	_Alignas(64) float place[2][SF_EDGE];
	_Alignas(64) float out[2][SF_EDGE], blur[2][SF_EDGE], whole[2][SF_EDGE];
	_Alignas(64) float amount[SF_EDGE]; // for parts as they are
	_Alignas(64) float part[SF_FAST][SF_EDGE];
	_Alignas(64) int first[SF_EDGE + SF_LANES]; // pixel of the window
	int low[GROUPS], high[GROUPS];              // lines of pixels of groups, high past
	int seen[GROUPS];                           // are all of them in the window?
};

/** What is known of voxels on the way to their footprints. */
struct sight {
	_Alignas(64) float q[2][SF_EDGE];  // slopes of rays
	_Alignas(64) float half[SF_EDGE];  // of the magnification
	_Alignas(64) float thick[SF_EDGE]; // amounts, times the widths of both boxes
};

/** What the lines of a brick share. */
struct brick_look {
	_Alignas(64) float lane[SF_EDGE]; // of voxels from the middles of their groups; past the end the last
	float depth, mm;                  // per voxel
	float edge[2][3],
	        lean[2][3]; // of the voxel along each direction, the largest first where it is known
	float far, amount;  // of struct sf_lines
};

/** The boxes of a footprint along a direction. */
enum shape {
	ANY,   // any edge may be the largest
	KNOWN, // the first one is
	PLAIN  // the first one alone counts
};

/** Lines beside each other, and where the middles of their groups of 16 voxels stand. */
struct row {
	_Alignas(64) double margin[SF_EDGE];          // above 0: the window sees it
	_Alignas(64) float before[GROUPS][SF_EDGE];   // from the source's plane [mm]
	_Alignas(64) float inv[GROUPS][SF_EDGE];      // 1 / before
	_Alignas(64) float q[2][GROUPS][SF_EDGE];     // slopes of rays
	_Alignas(64) float half[GROUPS][SF_EDGE];     // of the magnification
	_Alignas(64) float turn[2][GROUPS][SF_EDGE];  // of slopes per voxel, times `before`
	_Alignas(64) float pace[2][GROUPS][SF_EDGE];  // of footprints
	_Alignas(64) float place[2][GROUPS][SF_EDGE]; // of the footprint, as in struct footprints
	_Alignas(64) float thick[4][GROUPS][SF_EDGE]; // a polynomial
	_Alignas(64) int base[2][GROUPS][SF_EDGE];
	_Alignas(64) int low[GROUPS][SF_EDGE], high[GROUPS][SF_EDGE],
	        seen[GROUPS][SF_EDGE];       // as in struct footprints
	_Alignas(64) float across2[SF_EDGE]; // from the source across the line, squared
	float away[GROUPS];                  // and along it [mm]
};

typedef void look_fn(
        struct footprints *l, const struct brick_look *g, const struct row *row, int j, int count);

INLINE double dot4(const double a[4], const double at[3])
{
	return a[0] * at[0] + a[1] * at[1] + a[2] * at[2] + a[3];
}

/** Component i of a vector, or 0 where only rounding makes it differ from 0: squares of such are denormal
 * numbers, which take a processor a hundred times as long. */
INLINE double not_tiny(const double a[3], int i)
{
	const double size = fabs(a[0]) + fabs(a[1]) + fabs(a[2]);

	return (fabs(a[i]) > 1e-12 * size) ? a[i] : 0.;
}

INLINE float least(float a, float b)
{
	return (a < b) ? a : b;
}

INLINE float largest(float a, float b)
{
	return (a > b) ? a : b;
}

/** No wider than the other box, and not 0. */
INLINE float blur_of(float wide, float soft)
{
	return least(largest(soft, 1e-12f), wide);
}

/** a b + c, rounded once: by the instruction for it, or in float64, whose last bit tells then that there was
 * more, so that the second rounding does not see a tie where there is none (Boldo & Melquiond 2008). */
INLINE float fused(bool native, float a, float b, float c)
{
	if (native)
		return __builtin_fmaf(a, b, c);

	const double product = (double)a * b, sum = product + c, there = sum - product,
	             rest = (product - (sum - there)) + (c - there);
	union {
		double value;
		uint64_t bits;
	} odd = {sum};

	if (rest != 0. && (odd.bits & 1) == 0)
		odd.bits += ((rest > 0.) == (sum > 0.)) ? 1 : -1;

	return (float)odd.value;
}

#define FUSED(a, b, c) fused(NATIVE, a, b, c)

/** A box by halves of its widths. */
INLINE void set_box(struct footprints *l, int d, int i, float wide, float blur)
{
	const float out = wide + blur, both = 2.f * blur;

	l->out[d][i] = out;
	l->blur[d][i] = both;
	l->whole[d][i] = both * (2.f * out - both);
}

/** sf_part() times the width and twice the width of the blur, by which amounts are divided once and for all:
 * up to x pixels from the middle. What is missing at the edge is taken off the whole, so that no part is
 * negative, and none is left in the middle: a residue would have the sign of a 0. */
INLINE float part_to(bool native, const struct footprints *l, int d, int i, float x)
{
	const float e = largest(l->out[d][i] - fabsf(x), 0.f), c = least(e, l->blur[d][i]),
	            twice = native ? __builtin_fmaf(2.f, e, -c) : 2.f * e - c; // 2 e is exact

	return copysignf(l->whole[d][i] - c * twice, x);
}

/** For each voxel to be divided by the areas of its boxes' halves. */
INLINE float amount_of(const struct sf_lines *s)
{
	return (float)(s->amount / (s->slice ? 4. : 16.));
}

/** The voxels of the next line: bricks are larger than the nearest caches. */
INLINE void fetch(const float *f, int count)
{
	for (int k = 0; k < count; k += SF_LANES)
		__builtin_prefetch(f + k);
}

/** Voxels k .. *end - 1 of those before `end` go together: their first pixels follow each other, and all fit
 * two vectors. */
INLINE int together(const int first[SF_LANES], int k, int end, int taps, bool ordered)
{
	if (!ordered)
		return k + 1;

	while (end - k > 1 && first[end - 1] - first[k] + taps > 2 * SF_LANES)
		end = k + (end - k + 1) / 2;

	return end;
}

/** Some voxels of a group, and what is known of their pixels. */
struct flock_plain {
	int k, end;
};

INLINE bool ordered_plain(const int first[SF_LANES], int n)
{
	bool ordered = true;

	for (int i = 1; i < n; i++)
		ordered &= (first[i] >= first[i - 1]);

	return ordered;
}

INLINE void gather_flock_plain(struct flock_plain *o, const int first[SF_LANES], int k, int end, int taps)
{
	(void)first;
	(void)taps;
	o->k = k;
	o->end = end;
}

/** Their shares of a line of pixels: those of voxels of one first pixel are added up first. */
INLINE void spread_plain(float *p, const struct flock_plain *o, const struct footprints *l, int group,
        const float share[SF_LANES], int taps)
{
	const int *first = l->first + group, from = first[o->k];
	float sum[2 * SF_LANES] = {0.f};

	for (int t = 0; t < taps; t++)
		for (int i = o->k; i < o->end;) {
			float *to = sum + (first[i] - from + t), run = l->part[t][group + i] * share[i];

			for (i++; i < o->end && first[i] == first[i - 1]; i++)
				run += l->part[t][group + i] * share[i];

			*to += run;
		}

	for (int q = 0; q < first[o->end - 1] - from + taps; q++)
		p[from + q] += sum[q];
}

/** No group is steady to this instruction set: none is given to so many lines of pixels. */
enum { STEADY_plain = 0, STEADY_SLICES_plain = 0 };

INLINE bool give_steady_plain(float *line, const struct sf_lines *s, const struct footprints *l,
        const float y[SF_LANES], int k, int lines, int taps, bool sure)
{
	(void)line;
	(void)s;
	(void)l;
	(void)y;
	(void)k;
	(void)lines;
	(void)taps;
	(void)sure;
	return false;
}

/** The shares of so many lines of pixels, from the lowest on, times y, of voxels k .. k + 15. */
INLINE void steady_shares(
        float share[][SF_LANES], const struct footprints *l, const float y[SF_LANES], int k, int lines)
{
	if (lines > 3) {
		_Alignas(64) float last[SF_LANES];

		EACH_LANE last[i] = -l->whole[1][k + i];

		for (int r = 0; r < lines - 1; r++)
			EACH_LANE
			{
				const float h = part_to(true, l, 1, k + i, (float)r - l->place[1][k + i]);

				share[r][i] = (h - last[i]) * y[i];
				last[i] = h;
			}

		EACH_LANE share[lines - 1][i] = (l->whole[1][k + i] - last[i]) * y[i];
	} else if (lines > 2)
		EACH_LANE
		{
			const float place = l->place[1][k + i], whole = l->whole[1][k + i],
			            a = part_to(true, l, 1, k + i, 0.f - place),
			            b = part_to(true, l, 1, k + i, 1.f - place);

			share[0][i] = (a + whole) * y[i];
			share[1][i] = (b - a) * y[i];
			share[2][i] = (whole - b) * y[i];
		}
	else
		EACH_LANE
		{
			const float whole = l->whole[1][k + i],
			            a = part_to(true, l, 1, k + i, 0.f - l->place[1][k + i]);

			share[0][i] = (a + whole) * y[i];
			share[1][i] = (whole - a) * y[i];
		}
}

/** Nothing is known of where 16 voxels look up their pixels. */
struct near_plain {
	int pixels;
};

INLINE void aim_plain(struct near_plain *o, const int first[SF_LANES], int pixels, int taps)
{
	(void)first;
	(void)taps;
	o->pixels = pixels;
}

INLINE void pick_up_plain(float sum[SF_LANES], const float *p, const struct near_plain *o,
        const struct footprints *l, int group, const float share[SF_LANES], int taps)
{
	for (int i = 0; i < SF_LANES; i++) {
		float all = 0.f;

		for (int t = 0; t < taps; t++) {
			const long pixel = (long)l->first[group + i] + t;
			const float here = (pixel >= 0 && pixel < o->pixels) ? p[pixel] : 0.f;

			all += l->part[t][group + i] * here;
		}

		sum[i] += all * share[i];
	}
}

/** Dense lines laid out as pixels: what the t-th taps of all voxels add to them, the first voxel's first
 * pixel being number FRONT. */
struct layout {
	_Alignas(64) float sum[SF_DENSE][FRONT + SF_EDGE + 3 * SF_LANES];
	int pixel, n; // that pixel, and how many are the first one of a voxel; none: 0
};

INLINE void lay_out_plain(
        struct layout *o, const struct footprints *l, const float y[SF_EDGE], int count, int taps)
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

#define ISA(f)  f##_plain
#define NAME(f) f##_plain
#define ATTRIBUTES
#ifdef __FP_FAST_FMAF
#define NATIVE true
#else
#define NATIVE false
#endif
#include "ct/projector/cpu/sf_lines_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma,popcnt")))

enum { HALF = SF_LANES / 2 };

/** Where 16 voxels look up their pixels: each half in one or two vectors from pixel `from` on, or, without
 * such vectors, in memory. */
struct near_avx2 {
	__m256i at[2];
	int from[2], pixels;
	int vectors[2];
};

AVX2 INLINE void aim_avx2(struct near_avx2 *o, const int first[SF_LANES], int pixels, int taps)
{
	(void)taps;
	o->pixels = pixels;

	for (int h = 0; h < 2; h++, first += HALF) {
		const int one = first[0], other = first[HALF - 1], from = (one < other) ? one : other;
		const __m256i pixel = _mm256_load_si256((const __m256i *)first),
		              at = _mm256_sub_epi32(pixel, _mm256_set1_epi32(from));

		o->vectors[h] = _mm256_testz_si256(at, _mm256_set1_epi32(~(HALF - 1)))       ? 1
		                : _mm256_testz_si256(at, _mm256_set1_epi32(~(2 * HALF - 1))) ? 2
		                                                                             : 0;
		o->at[h] = o->vectors[h] ? at : pixel;
		o->from[h] = (from + 2 * SF_LANES <= 0 || from >= pixels) ? -2 * SF_LANES
		                                                          : from; // nothing is there
	}
}

AVX2 INLINE void pick_up_avx2(float sum[SF_LANES], const float *p, const struct near_avx2 *o,
        const struct footprints *l, int group, const float share[SF_LANES], int taps)
{
	for (int h = 0, i = 0; h < 2; h++, i += HALF) {
		const __m256i at = o->at[h];
		const __m256 second = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28));
		__m256 all = _mm256_setzero_ps();

		UNROLL for (int t = 0; t < taps; t++)
		{
			const float *from = p + o->from[h] + t;
			__m256 here;

			if (o->vectors[h]) {
				here = _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), at);

				if (o->vectors[h] == 2)
					here = _mm256_blendv_ps(here,
					        _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + HALF), at),
					        second);
			} else {
				const __m256i pixel = _mm256_add_epi32(at, _mm256_set1_epi32(t));

				here = _mm256_i32gather_ps(p,
				        _mm256_max_epi32(_mm256_set1_epi32(-1),
				                _mm256_min_epi32(pixel, _mm256_set1_epi32(o->pixels))),
				        sizeof(float));
			}

			all = _mm256_add_ps(all, _mm256_mul_ps(_mm256_load_ps(l->part[t] + group + i), here));
		}

		_mm256_store_ps(sum + i, _mm256_add_ps(_mm256_load_ps(sum + i),
		                                 _mm256_mul_ps(all, _mm256_load_ps(share + i))));
	}
}

AVX2 INLINE bool ordered_avx2(const int first[SF_LANES], int n)
{
	unsigned falls = 0;

	UNROLL for (int h = 0; h < 2; h++)
	{
		const __m256i here = _mm256_load_si256((const __m256i *)(first + h * HALF)),
		              next = _mm256_loadu_si256((const __m256i *)(first + h * HALF + 1));

		falls |= (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(here, next)))
		         << (h * HALF);
	}

	return (falls & ((1u << (n - 1)) - 1u)) == 0;
}

/** Two registers of eight, as one of 16. */
struct pair_avx2 {
	__m256 half[2];
};

/** Lanes n, n + 1, ... of two vectors one after the other; n: 1 or 2. */
#define LATER(a, b, n)                                                                                       \
	_mm256_castsi256_ps(_mm256_alignr_epi8(                                                              \
	        _mm256_castps_si256(_mm256_permute2f128_ps(a, b, 0x21)), _mm256_castps_si256(a), 4 * (n)))

enum { FLOCK_PARTS = 2 * SF_LANES / HALF };

/** As in struct flock_avx512, in parts of eight pixels: lane i mod 8 of the first or the second half, whose
 * sign bit is set, of voxels; and all bits where there is such a voxel. */
struct flock_avx2 {
	__m256i at[SF_FAST][FLOCK_PARTS];
	__m256 has[SF_FAST][FLOCK_PARTS];
	struct pair_avx2 same[SF_LANES]; // with the next voxel, the next two, ...
	int runs;                        // how many of them there are
	int from, parts;
};

/** All bits in the lanes whose bits are set. */
AVX2 INLINE __m256 lanes_of_avx2(unsigned bits)
{
	const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

	return _mm256_castsi256_ps(
	        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane));
}

AVX2 INLINE void gather_flock_avx2(struct flock_avx2 *o, const int first[SF_LANES], int k, int end, int taps)
{
	enum { NONE = 0x40 };
	const unsigned in = (1u << end) - (1u << k);
	const int span = first[end - 1] - first[k] + 1;
	_Alignas(32) int8_t voxel[2 * SF_LANES + 2 * SF_LANES];
	int8_t *at = voxel + SF_LANES;
	unsigned same = 0;

	UNROLL for (int h = 0; h < 2; h++)
	{
		const __m256i here = _mm256_load_si256((const __m256i *)(first + h * HALF)),
		              next = _mm256_loadu_si256((const __m256i *)(first + h * HALF + 1));

		same |= (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(here, next)))
		        << (h * HALF);
	}

	same &= in & in >> 1;

	const unsigned starts = in & ~(same << 1);

	for (int i = 0; i < 4 * SF_LANES; i += 32)
		_mm256_store_si256((__m256i *)(voxel + i), _mm256_set1_epi8(NONE));

	if (__builtin_popcount(starts) == span) { // no pixel between them is left out
		const uint64_t none = 0x0101010101010101 * NONE, low = compress_lanes[starts & 0xff],
		               high = compress_lanes[starts >> HALF] + 0x0101010101010101 * HALF;
		int8_t *past = at + __builtin_popcount(starts & 0xff);

		memcpy(at, &low, sizeof low);
		memcpy(past, &high, sizeof high);
		memcpy(at + span, &none, sizeof none);
	} else {
		for (int i = end - 1; i >= k; i--)
			at[first[i] - first[k]] = (int8_t)i;
	}

	o->from = first[k];
	o->parts = (first[end - 1] - first[k] + taps + HALF - 1) / HALF;

	for (o->runs = 0; o->runs == 0 || same; same &= same >> 1, o->runs++)
		for (int h = 0; h < 2; h++)
			o->same[o->runs].half[h] = lanes_of_avx2(same >> (h * HALF));

	for (int q = 0; q < o->parts; q++)
		UNROLL for (int t = 0; t < taps; t++)
		{
			const __m256i lane =
			        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(at + q * HALF - t)));

			o->at[t][q] = _mm256_or_si256(lane, _mm256_slli_epi32(lane, 28));
			o->has[t][q] = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(NONE), lane));
		}
}

AVX2 INLINE void spread_avx2(float *p, const struct flock_avx2 *o, const struct footprints *l, int group,
        const float share[SF_LANES], int taps)
{
	const __m256 factor0 = _mm256_load_ps(share), factor1 = _mm256_load_ps(share + HALF),
	             zero = _mm256_setzero_ps();
	struct pair_avx2 run[SF_FAST];

	p += o->from;

	UNROLL for (int t = 0; t < taps; t++)
	{
		__m256 a = _mm256_mul_ps(_mm256_load_ps(l->part[t] + group), factor0),
		       b = _mm256_mul_ps(_mm256_load_ps(l->part[t] + group + HALF), factor1), sum_a = a,
		       sum_b = b;
		int i = 0;

		do {
			a = LATER(a, b, 1);
			b = LATER(b, zero, 1);
			sum_a = _mm256_add_ps(sum_a, _mm256_and_ps(a, o->same[i].half[0]));
			sum_b = _mm256_add_ps(sum_b, _mm256_and_ps(b, o->same[i].half[1]));
		} while (++i < o->runs);

		run[t] = (struct pair_avx2){{sum_a, sum_b}};
	}

	for (int q = 0; q < o->parts; q++, p += HALF) {
		__m256 sum = zero;

		UNROLL for (int t = 0; t < taps; t++)
		{
			const __m256i at = o->at[t][q];
			const __m256 here = _mm256_blendv_ps(_mm256_permutevar8x32_ps(run[t].half[0], at),
			        _mm256_permutevar8x32_ps(run[t].half[1], at), _mm256_castsi256_ps(at));

			sum = _mm256_add_ps(sum, _mm256_and_ps(here, o->has[t][q]));
		}

		_mm256_storeu_ps(p, _mm256_add_ps(_mm256_loadu_ps(p), sum));
	}
}

/** As lay_out_avx512(). */
AVX2 INLINE void lay_out_avx2(
        struct layout *o, const struct footprints *l, const float y[SF_EDGE], int count, int taps)
{
	const __m256 zero = _mm256_setzero_ps();
	__m256 now[SF_DENSE];
	unsigned last = 1; // begins the next voxel a pixel?
	int n = 0;

	UNROLL for (int t = 0; t < taps; t++)
	{
		for (int k = 0; k < FRONT; k += HALF)
			_mm256_store_ps(o->sum[t] + k, zero);

		now[t] = _mm256_mul_ps(_mm256_load_ps(l->part[t]), _mm256_load_ps(y));
	}

	for (int k = 0; k < count; k += HALF) {
		const bool more = (k + HALF < count);
		const __m256i here = _mm256_load_si256((const __m256i *)(l->first + k));
		const __m256 one = _mm256_castsi256_ps(_mm256_cmpeq_epi32(
		                     here, _mm256_loadu_si256((const __m256i *)(l->first + k + 1)))),
		             two = _mm256_castsi256_ps(_mm256_cmpeq_epi32(
		                     here, _mm256_loadu_si256((const __m256i *)(l->first + k + 2))));
		const unsigned same = (unsigned)_mm256_movemask_ps(one),
		               begins = (~(same << 1) & 0xfe) | last;
		const __m256i at = compress256(begins);
		const bool triples = (_mm256_movemask_ps(two) != 0);

		last = ~(same >> (HALF - 1)) & 1;

		UNROLL for (int t = 0; t < taps; t++)
		{
			const __m256 next = more ? _mm256_mul_ps(_mm256_load_ps(l->part[t] + k + HALF),
			                                   _mm256_load_ps(y + k + HALF))
			                         : zero;
			__m256 s = _mm256_add_ps(now[t], _mm256_and_ps(one, LATER(now[t], next, 1)));

			if (triples)
				s = _mm256_add_ps(s, _mm256_and_ps(two, LATER(now[t], next, 2)));

			_mm256_storeu_ps(o->sum[t] + FRONT + n, _mm256_permutevar8x32_ps(s, at));
			now[t] = next;
		}

		n += __builtin_popcount(begins);
	}

	UNROLL for (int t = 0; t < taps; t++) for (int k = 0; k < 2 * SF_LANES; k += HALF)
	        _mm256_storeu_ps(o->sum[t] + FRONT + n + k, zero);

	o->pixel = l->first[0];
	o->n = n;
}

/** Lines of pixels that a steady group touches, and pixels of a line that a voxel does, at most; elements of
 * a stream of pixels. */
enum { STEADY_avx2 = 6, STEADY_SLICES_avx2 = 1, STEADY_TAPS = 3, STREAM = 64 };

/** A steady group, in halves of 8 voxels: those that begin a pixel go to the pixels from `to` on, 8 of them
 * or, with gaps between them, 16. */
struct steady_avx2 {
	__m256 same[2], two[2]; // voxels with whose first pixel the next one begins, or the next two
	__m256i at[2][2];       // the voxel whose sum a pixel takes
	__m256 has[2][2];       // pixels that take one
	int to[2];
	bool pairs, triples, gaps;
};

AVX2 INLINE unsigned bits_avx2(__m256i lanes)
{
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

/** Pixels without gaps: what begins a pixel, in order. */
AVX2 INLINE void pack_avx2(struct steady_avx2 *o, unsigned same)
{
	const unsigned begins = ~(same << 1) & 0xffff;

	o->to[0] = 0;
	o->to[1] = __builtin_popcount(begins & 0xff);

	UNROLL for (int h = 0; h < 2; h++)
	{
		const unsigned here = begins >> (h * HALF) & 0xff;

		o->at[h][0] = compress256(here);
		o->has[h][0] = lanes_of_avx2((1u << __builtin_popcount(here)) - 1u);
	}
}

/** Each voxel begins a pixel of its own, and the next one begins the pixel after it or the second after it.
 */
AVX2 INLINE void unpack_avx2(struct steady_avx2 *o, const int pixel[SF_LANES])
{
	UNROLL for (int h = 0; h < 2; h++)
	{
		const int first = pixel[h * HALF];
		__m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1),
		        _mm256_sub_epi32(_mm256_load_si256((const __m256i *)(pixel + h * HALF)),
		                _mm256_set1_epi32(first)));

		bits = _mm256_or_si256(bits, _mm256_permute2x128_si256(bits, bits, 1));
		bits = _mm256_or_si256(bits, _mm256_shuffle_epi32(bits, 0x4e));
		bits = _mm256_or_si256(bits, _mm256_shuffle_epi32(bits, 0xb1));

		const unsigned all = (unsigned)_mm_cvtsi128_si32(_mm256_castsi256_si128(bits)),
		               low = all & 0xff, high = all >> HALF & 0xff;

		o->to[h] = first - pixel[0];
		o->at[h][0] = expand256(low);
		o->at[h][1] = _mm256_add_epi32(expand256(high), _mm256_set1_epi32(__builtin_popcount(low)));
		o->has[h][0] = lanes_of_avx2(low);
		o->has[h][1] = lanes_of_avx2(high);
	}
}

/** False if the group is not steady, which may be sure to be so. */
AVX2 INLINE bool arrange_avx2(
        struct steady_avx2 *o, const int pixel[SF_LANES], enum sf_steps steps, bool sure)
{
	const __m256i one = _mm256_set1_epi32(1);
	unsigned same = 0, apart = 0, far = 0;

	UNROLL for (int h = 0; h < 2; h++)
	{
		const __m256i here = _mm256_load_si256((const __m256i *)(pixel + h * HALF)),
		              by = _mm256_sub_epi32(
		                      _mm256_loadu_si256((const __m256i *)(pixel + h * HALF + 1)), here);
		const __m256i none = _mm256_cmpeq_epi32(by, _mm256_setzero_si256());

		o->same[h] = _mm256_castsi256_ps(none);
		same |= bits_avx2(none) << (h * HALF);

		if (!sure) {
			apart |= bits_avx2(_mm256_cmpgt_epi32(by, one)) << (h * HALF);
			far |= bits_avx2(_mm256_or_si256(by, _mm256_cmpgt_epi32(by, _mm256_set1_epi32(2))))
			       << (h * HALF);
		}
	}

	const __m256 all_but_last = _mm256_castsi256_ps(_mm256_setr_epi32(-1, -1, -1, -1, -1, -1, -1, 0));

	o->same[1] = _mm256_and_ps(o->same[1], all_but_last);
	same &= 0x7fff;

	const unsigned two = (steps == PAIRS) ? 0 : same & same >> 1;

	o->pairs = (same != 0);
	o->triples = (two != 0);
	o->gaps = ((apart & 0x7fff) != 0);

	if ((far & 0x7fff) || (o->gaps && o->pairs) || (two & two >> 1))
		return false;

	if (o->triples)
		UNROLL for (int h = 0; h < 2; h++) o->two[h] = lanes_of_avx2(two >> (h * HALF));

	if (o->gaps)
		unpack_avx2(o, pixel);
	else
		pack_avx2(o, same);

	return true;
}

/** What voxels of one first pixel give together goes to that pixel of a stream, which begins after 8 zeros.
 */
AVX2 INLINE void stream_avx2(
        float stream[STREAM], const struct steady_avx2 *o, const float part[SF_LANES], const __m256 factor[2])
{
	const __m256 zero = _mm256_setzero_ps(),
	             one[2] = {_mm256_mul_ps(_mm256_load_ps(part), factor[0]),
	                     _mm256_mul_ps(_mm256_load_ps(part + HALF), factor[1])};
	__m256 run[2] = {one[0], one[1]};
	float *to = stream + HALF;

	if (o->pairs) {
		run[0] = _mm256_add_ps(run[0], _mm256_and_ps(o->same[0], LATER(one[0], one[1], 1)));
		run[1] = _mm256_add_ps(run[1], _mm256_and_ps(o->same[1], LATER(one[1], zero, 1)));
	}

	if (o->triples) {
		run[0] = _mm256_add_ps(run[0], _mm256_and_ps(o->two[0], LATER(one[0], one[1], 2)));
		run[1] = _mm256_add_ps(run[1], _mm256_and_ps(o->two[1], LATER(one[1], zero, 2)));
	}

	_mm256_storeu_ps(stream, zero);

	UNROLL for (int h = 0; h < 2; h++)
	{
		float *p = to + o->to[h];

		_mm256_storeu_ps(
		        p, _mm256_and_ps(_mm256_permutevar8x32_ps(run[h], o->at[h][0]), o->has[h][0]));

		if (o->gaps)
			_mm256_storeu_ps(p + HALF,
			        _mm256_and_ps(_mm256_permutevar8x32_ps(run[h], o->at[h][1]), o->has[h][1]));
		else if (h == 1)
			_mm256_storeu_ps(p + HALF, zero);

		if (h == 1) // up to 8 pixels behind the last one, and as many as it reaches, are read
			_mm256_storeu_ps(p + 2 * HALF, zero);
	}
}

/** As give_steady_avx512(), also where pixels between them are left out, unless together() would divide the
 * group: sums of its parts are rounded another way. What was written is not read at once: all lines are
 * first. */
AVX2 INLINE bool give_steady_avx2(float *line, const struct sf_lines *s, const struct footprints *l,
        const float y[SF_LANES], int k, int lines, int taps, bool sure)
{
	const int *pixel = l->first + k, from = pixel[0], pixels = pixel[SF_LANES - 1] + taps - from;
	_Alignas(64) float share[STEADY_avx2][SF_LANES], stream[STEADY_avx2][STEADY_TAPS][STREAM];
	struct steady_avx2 o;

	if (pixels > 2 * SF_LANES || !arrange_avx2(&o, pixel, s->steps, sure))
		return false;

	if (from >= s->pixels || pixel[SF_LANES - 1] + taps <= 0)
		return true;

	if (s->slice)
		memcpy(share[0], y, sizeof share[0]);
	else
		steady_shares(share, l, y, k, lines);

	for (int r = 0; r < lines; r++) {
		const __m256 factor[2] = {_mm256_load_ps(share[r]), _mm256_load_ps(share[r] + HALF)};

		UNROLL for (int t = 0; t < taps; t++) stream_avx2(stream[r][t], &o, l->part[t] + k, factor);
	}

	for (int r = 0; r < lines; r++, line += s->pitch)
		for (int q = 0; q < pixels; q += HALF) {
			__m256 sum = _mm256_load_ps(stream[r][0] + HALF + q);

			UNROLL for (int t = 1; t < taps; t++) sum =
			        _mm256_add_ps(sum, _mm256_loadu_ps(stream[r][t] + HALF + q - t));

			_mm256_storeu_ps(
			        line + from + q, _mm256_add_ps(_mm256_loadu_ps(line + from + q), sum));
		}

	return true;
}

#undef LATER

#define ISA(f)     f##_avx2
#define NAME(f)    f##_avx2
#define ATTRIBUTES AVX2
#define NATIVE     true
#include "ct/projector/cpu/sf_lines_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,popcnt,fma")))

AVX512 INLINE __m512i lanes_avx512(void)
{
	return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

AVX512 INLINE bool ordered_avx512(const int pixel[SF_LANES], int n)
{
	const __m512i first = _mm512_load_si512(pixel), before = _mm512_alignr_epi32(first, first, 15);

	return (_mm512_cmplt_epi32_mask(first, before) & ((1u << n) - 2u)) == 0;
}

/** As in struct flock_plain. Pixel q gets what is in lane at[t][q / 16][q mod 16] of the parts t, if bit q of
 * `has` shifted by t is set. */
struct flock_avx512 {
	__m512i at[SF_FAST][2];
	unsigned has;
	unsigned same; // a bit for each voxel whose first pixel is the next one's
	int from;
	bool two; // vectors of pixels
};

AVX512 INLINE void gather_flock_avx512(
        struct flock_avx512 *o, const int pixel[SF_LANES], int k, int end, int taps)
{
	const __m512i first = _mm512_load_si512(pixel), before = _mm512_alignr_epi32(first, first, 15),
	              lane = lanes_avx512();
	const unsigned in = (1u << end) - (1u << k),
	               starts = (_mm512_cmpneq_epi32_mask(first, before) & in) | 1u << k;
	const __m512i which = _mm512_maskz_compress_epi32((__mmask16)starts, lane);
	const int all = __builtin_popcount(starts), span = pixel[end - 1] - pixel[k] + 1;

	o->from = pixel[k];
	o->same = ~(starts >> 1) & in & (in >> 1);
	o->two = span + taps - 1 > SF_LANES;
	o->has = (1u << all) - 1u;

	if (all != span)
		o->has = (unsigned)_mm512_reduce_or_epi32(_mm512_maskz_sllv_epi32((__mmask16)starts,
		        _mm512_set1_epi32(1), _mm512_sub_epi32(first, _mm512_set1_epi32(pixel[k]))));

	UNROLL for (int t = 0; t < taps; t++)
	{
		const unsigned has = o->has << t;

		o->at[t][0] = _mm512_maskz_expand_epi32((__mmask16)has, which);

		if (o->two) {
			const int under = __builtin_popcount(has & 0xffff);
			const __m512i rest = _mm512_permutexvar_epi32(
			        _mm512_add_epi32(lane, _mm512_set1_epi32(under)), which);

			o->at[t][1] = _mm512_maskz_expand_epi32((__mmask16)(has >> 16), rest);
		}
	}
}

/** What voxels of one first pixel give is added up first. */
AVX512 INLINE void spread_avx512(float *p, const struct flock_avx512 *o, const struct footprints *l,
        int group, const float share[SF_LANES], int taps)
{
	const __m512 factor = _mm512_load_ps(share);
	__m512 low = _mm512_setzero_ps(), high = _mm512_setzero_ps();

	p += o->from;

	UNROLL for (int t = 0; t < taps; t++)
	{
		const unsigned has = o->has << t;
		const __m512 one = _mm512_mul_ps(_mm512_load_ps(l->part[t] + group), factor);
		__m512i next = lanes_avx512();
		__m512 run = one;

		for (unsigned same = o->same; same; same &= same >> 1) {
			next = _mm512_add_epi32(next, _mm512_set1_epi32(1));
			run = _mm512_mask_add_ps(run, (__mmask16)same, run, _mm512_permutexvar_ps(next, one));
		}

		low = _mm512_add_ps(low, _mm512_maskz_permutexvar_ps((__mmask16)has, o->at[t][0], run));

		if (o->two)
			high = _mm512_add_ps(
			        high, _mm512_maskz_permutexvar_ps((__mmask16)(has >> 16), o->at[t][1], run));
	}

	_mm512_storeu_ps(p, _mm512_add_ps(_mm512_loadu_ps(p), low));

	if (o->two)
		_mm512_storeu_ps(p + SF_LANES, _mm512_add_ps(_mm512_loadu_ps(p + SF_LANES), high));
}

/** Lines of pixels that a steady group touches, at most; none of a slice is. */
enum { STEADY_avx512 = 3, STEADY_SLICES_avx512 = 0 };

/** A group whose first pixels follow each other without gaps. */
struct steady {
	__m512i at[3];       // the voxel whose sum pixel q takes, of each tap
	__mmask16 same, two; // voxels with whose first pixel the next one begins, or the next two
	unsigned has;        // a bit for each first pixel
};

/** Its shares of a line of pixels; more: three voxels may have one first pixel, or pixels need a second
 * vector. */
AVX512 INLINE void spread_steady(float *p, const struct steady *o, const struct footprints *l, int k,
        __m512 factor, bool more, int taps)
{
	__m512 low = _mm512_setzero_ps(), high = _mm512_setzero_ps();

	UNROLL for (int t = 0; t < taps; t++)
	{
		const __m512 one = _mm512_mul_ps(_mm512_load_ps(l->part[t] + k), factor);
		const __m512i bits = _mm512_castps_si512(one);
		__m512 run = _mm512_mask_add_ps(
		        one, o->same, one, _mm512_castsi512_ps(_mm512_alignr_epi32(bits, bits, 1)));

		if (more)
			run = _mm512_mask_add_ps(
			        run, o->two, run, _mm512_castsi512_ps(_mm512_alignr_epi32(bits, bits, 2)));

		const __m512 here = _mm512_maskz_permutexvar_ps((__mmask16)(o->has << t), o->at[t], run);

		low = (t > 0) ? _mm512_add_ps(low, here) : here;

		if (more && t > 0) { // first pixels are in one vector
			const __m512 there =
			        _mm512_maskz_permutexvar_ps((__mmask16)(o->has << t >> 16), o->at[t], run);

			high = (t > 1) ? _mm512_add_ps(high, there) : there;
		}
	}

	_mm512_storeu_ps(p, _mm512_add_ps(_mm512_loadu_ps(p), low));

	if (more)
		_mm512_storeu_ps(p + SF_LANES, _mm512_add_ps(_mm512_loadu_ps(p + SF_LANES), high));
}

/** Bits as a number; compilers would move them between registers of masks and others at every step. */
INLINE unsigned number(unsigned bits)
{
	__asm__("" : "+r"(bits));
	return bits;
}

/** Voxels k .. k + 15 give y to so many lines of pixels, `line` the first one, if every pixel from the first
 * to the last one is the first one of a voxel, and of three at most, which may be sure: the sums of
 * spread_avx512() without loops and branches that depend on where footprints are. False if not. taps: two or
 * three. */
AVX512 INLINE bool give_steady_avx512(float *line, const struct sf_lines *s, const struct footprints *l,
        const float y[SF_LANES], int k, int lines, int taps, bool sure)
{
	const __m512i first = _mm512_load_si512(l->first + k), next = _mm512_alignr_epi32(first, first, 1);
	const __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(0x7fff, first, next);
	const unsigned same = number(equal), two = (s->steps == PAIRS) ? 0 : number(same & same >> 1);
	const int from = l->first[k], pixels = SF_LANES - __builtin_popcount(same);
	_Alignas(64) float share[STEADY_avx512][SF_LANES];

	if (!sure && ((two & two >> 1) || _mm512_mask_cmpgt_epu32_mask(0x7fff, _mm512_sub_epi32(next, first),
	                                          _mm512_set1_epi32(1))))
		return false;

	if (from >= s->pixels || l->first[k + SF_LANES - 1] + taps <= 0)
		return true;

	const __m512i which = _mm512_maskz_compress_epi32((__mmask16)number(~(same << 1)), lanes_avx512());
	const struct steady o = {
	        {which, _mm512_alignr_epi32(which, which, 15), _mm512_alignr_epi32(which, which, 14)}, equal,
	        (__mmask16)two, (1u << pixels) - 1u};
	const bool more = two || pixels + taps - 1 > SF_LANES;

	steady_shares(share, l, y, k, lines);

	UNROLL for (int r = 0; r < STEADY_avx512; r++)
	{
		if (r >= lines)
			break;

		float *p = line + (long)r * s->pitch + from;
		const __m512 factor = _mm512_load_ps(share[r]);

		if (more)
			spread_steady(p, &o, l, k, factor, true, taps);
		else
			spread_steady(p, &o, l, k, factor, false, taps);
	}

	return true;
}

/** Where 16 voxels look up their pixels: in two vectors from pixel `from` on, or in memory. */
struct near_avx512 {
	__m512i at;
	int from, pixels;
	bool near;
};

AVX512 INLINE void aim_avx512(struct near_avx512 *o, const int first[SF_LANES], int pixels, int taps)
{
	const int one = first[0], other = first[SF_LANES - 1], from = (one < other) ? one : other;
	const __m512i pixel = _mm512_load_si512(first), at = _mm512_sub_epi32(pixel, _mm512_set1_epi32(from));

	o->pixels = pixels;
	o->from = from;
	o->near = (_mm512_cmplt_epu32_mask(at, _mm512_set1_epi32(2 * SF_LANES - taps + 1)) == 0xffff);
	o->at = o->near ? at : pixel;

	if (!o->near || from + 2 * SF_LANES <= 0 || from >= pixels)
		o->from = -2 * SF_LANES; // nothing is there
}

AVX512 INLINE void pick_up_avx512(float sum[SF_LANES], const float *p, const struct near_avx512 *o,
        const struct footprints *l, int group, const float share[SF_LANES], int taps)
{
	const __m512 low = _mm512_loadu_ps(p + o->from), high = _mm512_loadu_ps(p + o->from + SF_LANES);
	__m512 all = _mm512_setzero_ps();

	UNROLL for (int t = 0; t < taps; t++)
	{
		const __m512i pixel = _mm512_add_epi32(o->at, _mm512_set1_epi32(t));
		const __m512 here =
		        o->near ? _mm512_permutex2var_ps(low, pixel, high)
		                : _mm512_i32gather_ps(
		                          _mm512_max_epi32(_mm512_set1_epi32(-1),
		                                  _mm512_min_epi32(pixel, _mm512_set1_epi32(o->pixels))),
		                          p, sizeof(float));

		all = _mm512_add_ps(all, _mm512_mul_ps(_mm512_load_ps(l->part[t] + group), here));
	}

	_mm512_store_ps(sum, _mm512_add_ps(_mm512_load_ps(sum), _mm512_mul_ps(all, _mm512_load_ps(share))));
}

/** As lay_out_plain(): each voxel collects those after it with the same first pixel, of which there are two
 * at most, and the first one of each pixel stays. */
AVX512 INLINE void lay_out_avx512(
        struct layout *o, const struct footprints *l, const float y[SF_EDGE], int count, int taps)
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

#define ISA(f)     f##_avx512
#define NAME(f)    f##_avx512
#define ATTRIBUTES AVX512
#define NATIVE     true
#include "ct/projector/cpu/sf_lines_impl.inc"
#endif

const struct sf_lines_kernels *sf_lines_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
