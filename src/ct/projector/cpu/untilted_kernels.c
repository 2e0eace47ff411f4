/** The kernels of untilted.h from one source: plain C, AVX2, and AVX-512, where a register holds 16 rows or
 * voxels and two of them hold all cells of 16 boxes. */

#include <math.h>
#include <string.h>

#include "ct/projector/cpu/untilted.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline))
#define SIMD   _Pragma("omp simd")

enum { LANES = 16, PAD = UNTILTED_PAD, COLUMN_ROOM = UNTILTED_GUARD + UNTILTED_ROWS + LANES + PAD };

/** Widths up to which 16 boxes lie within 32 cells, or within 64 and each of them in 4. */
#define WIDEST (28. / 15.)
#define WIDER  3.
#define UNROLL _Pragma("GCC unroll 8")

#define SIMD_RANGE  _Pragma("omp simd reduction(min : least, first) reduction(max : most, off, end, taps)")
#define SIMD_STEPS  _Pragma("omp simd reduction(min : least) reduction(max : most)")
#define SIMD_ENDS   _Pragma("omp simd reduction(min : low) reduction(max : high)")
#define SIMD_VOXELS _Pragma("omp simd reduction(min : low, least) reduction(max : high, most)")
#define SIMD_MOST   _Pragma("omp simd reduction(max : most)")

/** Boxes in 2 cells at most, in 2 or 3, in up to 4, and others. */
enum kind { NARROW, WIDE, FAR, ANY };

enum { FAR_CELLS = 4, GROUPS = UNTILTED_ROWS / LANES };

/** One line of voxels and the columns that it meets. */
struct line {
	const float *part; // of each column, UNTILTED_EDGE apart
	float *voxel;
	float *column; // line of the first of them
	float away2;   // square of the distance from the source across z [mm^2]
	int lane;      // number among those that go together
	int row;       // of the first voxel, where voxels stand on rows
};

/** Boxes of the same width over cells, of lines that go together, in groups of 16. */
struct boxes {
	_Alignas(64) double start[UNTILTED_LINES], step[UNTILTED_LINES];
	_Alignas(64) float at[GROUPS][UNTILTED_LINES]; // where the first one of a group begins, in a cell
	_Alignas(64) int cell[GROUPS][UNTILTED_LINES];
	_Alignas(64) float width[UNTILTED_LINES], coarse[UNTILTED_LINES], fine[UNTILTED_LINES]; // struct step
	int first, end;                                                                         // boxes
	int from, to; // cells under them, as far as there are any: whole groups of 16, but for the last one
	enum kind kind;
};

/** What rows of lines share: the detector in the directions of its columns and rows. */
struct frame {
	double cols, top;      // columns, and the number of the last row
	double inv_pitch;      // of columns [1/mm]
	double rise, inv_rise; // rows per voxel where it touches the detector
	double inv_far;        // of the source from it [1/mm]
	bool down;
};

/** Where the ray through a voxel meets the detector; coordinates along its columns' direction and its normal,
 * in the middle, as those of sf_bend(). */
struct hit {
	double ray[2];      // the voxel from the source, or the beam
	double c[2];        // direction of columns there
	double before, inv; // the ray along the normal, and 1 / before
	double scale, back; // of footprints over voxels, and 1 / scale
	double place, row;  // along the columns' direction [mm]; along them, from the middle
	int seen;           // before the source
};

/** The bounds of a line's first voxel [pixels]: along the columns' direction a box of width wide blurred by
 * one of width soft; rows per voxel, and voxels per row. */
struct place {
	double column, row, wide, soft, rise, step;
};

/** Where the rays of lines meet a curved detector: as in struct hit, and sf_arc(). */
struct meeting {
	_Alignas(64) double ray[2][UNTILTED_EDGE], c[2][UNTILTED_EDGE], t[UNTILTED_EDGE], arc[UNTILTED_EDGE];
};

/** A whole number not above x (0 or above), or the nearest one of lo..hi. */
INLINE int within(double x, int lo, int hi)
{
	return (x <= lo) ? lo : (x < hi) ? (int)x : hi;
}

/** Those of lines [first, first + count) that meet the window. */
INLINE int find_lines(
        struct line *l, const struct untilted_job *j, const struct untilted_row *r, int first, int count)
{
	const struct untilted_window *w = j->w;
	int n = 0;

	for (int i = first; i < first + count; i++) {
		const long column = r->first[i] + j->from - w->column;

		l[n] = (struct line){.part = j->part[0] + i,
		        .voxel = j->voxel + i * j->stride,
		        .column = w->lines + column * w->pitch,
		        .away2 = r->away2[i],
		        .lane = i - first,
		        .row = j->unit ? (int)rint(r->at[i] - w->first) : 0};
		n += column < w->columns && r->end[i] > w->column && column + w->guard > 0 &&
		     r->amount[i] != 0.f;
	}

	return n;
}

/** Of voxel k from the source [mm]. */
INLINE float distance(const struct untilted_job *j, float away2, int k)
{
	return sqrtf(away2 + j->along2[k]);
}

/** Up to |x| = 0.2 as exact as float64. */
INLINE double arctan_near_0(double x)
{
	const double y = -x * x;
	double sum = y / 19.;

	sum = y * (sum + 1. / 17.);
	sum = y * (sum + 1. / 15.);
	sum = y * (sum + 1. / 13.);
	sum = y * (sum + 1. / 11.);
	sum = y * (sum + 1. / 9.);
	sum = y * (sum + 1. / 7.);
	sum = y * (sum + 1. / 5.);
	sum = y * (sum + 1. / 3.);
	return x + x * sum;
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

/** Box l, the first one at `at` in [0, 1). */
INLINE float collect_box(const float *p, float at, struct step s, int l, enum kind kind)
{
	const float x = s.coarse * (float)l;
	const int whole = (int)x;
	const float y = ((x - (float)whole) + s.fine * (float)l) + at;
	const int more = (int)y;
	const float f = y - (float)more, rest = 1.f - f;
	const float *q = p + (whole + more);

	if (kind == NARROW) {
		const float w = smaller(rest, s.width);

		return w * q[0] + (s.width - w) * q[1];
	}

	if (kind == WIDE) {
		const float over = f + (s.width - 1.f), w = smaller(over, 1.f);

		return (rest * q[0] + w * q[1]) + (over - w) * q[2];
	}

	const float over = f + s.width;
	float sum = smaller(rest, s.width) * q[0];

	for (int t = 1; t < FAR_CELLS; t++)
		sum += smaller(above_zero(over - (float)t), 1.f) * q[t];

	return sum;
}

#define NAME(f) f##_plain
#define ATTRIBUTES
#define WIDTH 4

typedef float few __attribute__((vector_size(WIDTH * sizeof(float))));

INLINE few boxes_plain(const float *p, float at, struct step s, int part, enum kind kind)
{
	few out;

	SIMD for (int l = 0; l < WIDTH; l++) out[l] = collect_box(p, at, s, part * WIDTH + l, kind);

	return out;
}

#include "ct/projector/cpu/untilted_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { HALF = LANES / 2, QUARTER = HALF / 2 };

/** Cells of 8 boxes, each p[k] or, of the upper 4, p[jump + k], k in 0..7 or, where far, in 0..15. */
AVX2 INLINE __m256 look_up256(const float *p, int jump, __m256i k, __m256 second, bool far)
{
	const __m256 near = _mm256_blend_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(p), k),
	        _mm256_permutevar8x32_ps(_mm256_loadu_ps(p + jump), k), 0xf0);

	if (!far)
		return near;

	return _mm256_blendv_ps(near,
	        _mm256_blend_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(p + HALF), k),
	                _mm256_permutevar8x32_ps(_mm256_loadu_ps(p + jump + HALF), k), 0xf0),
	        second);
}

/** Boxes 8 h .. 8 h + 7 of resample(): the same sums in the same order. */
AVX2 INLINE __m256 boxes_avx2(const float *p, float at, struct step s, int h, enum kind kind)
{
	const __m256 lane =
	        _mm256_add_ps(_mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_ps((float)(h * HALF)));
	const __m256 one = _mm256_set1_ps(1.f), width = _mm256_set1_ps(s.width);
	const __m256 x = _mm256_mul_ps(_mm256_set1_ps(s.coarse), lane);
	const __m256i whole = _mm256_cvttps_epi32(x);
	const __m256 beyond = _mm256_add_ps(
	        _mm256_sub_ps(x, _mm256_cvtepi32_ps(whole)), _mm256_mul_ps(_mm256_set1_ps(s.fine), lane));
	const int before = (int)(s.coarse * (float)(h * HALF)), // cells
	        jump = (int)(s.coarse * (float)(h * HALF + QUARTER)) - before;
	const __m256i start = _mm256_add_epi32(
	        _mm256_set1_epi32(before), _mm256_setr_epi32(0, 0, 0, 0, jump, jump, jump, jump));
	const __m256 y = _mm256_add_ps(beyond, _mm256_set1_ps(at));
	const __m256i more = _mm256_cvttps_epi32(y),
	              k = _mm256_add_epi32(_mm256_sub_epi32(whole, start), more);
	const __m256 f = _mm256_sub_ps(y, _mm256_cvtepi32_ps(more)), rest = _mm256_sub_ps(one, f),
	             second = _mm256_castsi256_ps(_mm256_slli_epi32(k, 28));
	const bool far = (kind == FAR);

	p += before;

	const __m256 c0 = look_up256(p, jump, k, second, far), c1 = look_up256(p + 1, jump, k, second, far);

	if (kind == NARROW) {
		const __m256 w = _mm256_min_ps(rest, width);

		return _mm256_add_ps(_mm256_mul_ps(w, c0), _mm256_mul_ps(_mm256_sub_ps(width, w), c1));
	}

	const __m256 c2 = look_up256(p + 2, jump, k, second, far);

	if (kind == WIDE) {
		const __m256 over = _mm256_add_ps(f, _mm256_sub_ps(width, one)), w = _mm256_min_ps(over, one);

		return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(rest, c0), _mm256_mul_ps(w, c1)),
		        _mm256_mul_ps(_mm256_sub_ps(over, w), c2));
	}

	const __m256 c[FAR_CELLS] = {c0, c1, c2, look_up256(p + 3, jump, k, second, far)},
	             over = _mm256_add_ps(f, width);
	__m256 sum = _mm256_mul_ps(_mm256_min_ps(rest, width), c0);

	UNROLL for (int t = 1; t < FAR_CELLS; t++)
	{
		const __m256 w =
		        _mm256_max_ps(_mm256_sub_ps(over, _mm256_set1_ps((float)t)), _mm256_setzero_ps());

		sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_min_ps(w, one), c[t]));
	}

	return sum;
}

#define NAME(f)    f##_avx2
#define ATTRIBUTES AVX2
#define WIDTH      8
#include "ct/projector/cpu/untilted_impl.inc"

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/** p[k] for k in 0..31, or 0..63 where far. */
AVX512 INLINE __m512 look_up(const float *p, __m512i k, bool far)
{
	const __m512 near = _mm512_permutex2var_ps(_mm512_loadu_ps(p), k, _mm512_loadu_ps(p + LANES));

	if (!far)
		return near;

	return _mm512_mask_mov_ps(near, _mm512_cmpgt_epi32_mask(k, _mm512_set1_epi32(2 * LANES - 1)),
	        _mm512_permutex2var_ps(_mm512_loadu_ps(p + 2 * LANES), k, _mm512_loadu_ps(p + 3 * LANES)));
}

/** The same sums in the same order. */
AVX512 INLINE __m512 boxes_avx512(const float *p, float at, struct step s, int part, enum kind kind)
{
	(void)part; // all
	const __m512 lane = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512 one = _mm512_set1_ps(1.f), width = _mm512_set1_ps(s.width);
	const __m512 x = _mm512_mul_ps(_mm512_set1_ps(s.coarse), lane);
	const __m512i whole = _mm512_cvttps_epi32(x);
	const __m512 y = _mm512_add_ps(_mm512_add_ps(_mm512_sub_ps(x, _mm512_cvtepi32_ps(whole)),
	                                       _mm512_mul_ps(_mm512_set1_ps(s.fine), lane)),
	        _mm512_set1_ps(at));
	const __m512i more = _mm512_cvttps_epi32(y), k = _mm512_add_epi32(whole, more);
	const __m512 f = _mm512_sub_ps(y, _mm512_cvtepi32_ps(more)), rest = _mm512_sub_ps(one, f);
	__m512 c[FAR_CELLS], sum;

	UNROLL for (int t = 0; t < FAR_CELLS; t++) c[t] =
	        look_up(p, _mm512_add_epi32(k, _mm512_set1_epi32(t)), kind == FAR);

	if (kind == NARROW) {
		const __m512 w = _mm512_min_ps(rest, width);

		sum = _mm512_add_ps(_mm512_mul_ps(w, c[0]), _mm512_mul_ps(_mm512_sub_ps(width, w), c[1]));
	} else if (kind == WIDE) {
		const __m512 over = _mm512_add_ps(f, _mm512_sub_ps(width, one)), w = _mm512_min_ps(over, one);

		sum = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(rest, c[0]), _mm512_mul_ps(w, c[1])),
		        _mm512_mul_ps(_mm512_sub_ps(over, w), c[2]));
	} else {
		const __m512 over = _mm512_add_ps(f, width);

		sum = _mm512_mul_ps(_mm512_min_ps(rest, width), c[0]);

		UNROLL for (int t = 1; t < FAR_CELLS; t++)
		{
			const __m512 w = _mm512_max_ps(
			        _mm512_sub_ps(over, _mm512_set1_ps((float)t)), _mm512_setzero_ps());

			sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_min_ps(w, one), c[t]));
		}
	}

	return sum;
}

#define NAME(f)    f##_avx512
#define ATTRIBUTES AVX512
#define WIDTH      16
#include "ct/projector/cpu/untilted_impl.inc"
#endif

const struct untilted_kernels *untilted_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
