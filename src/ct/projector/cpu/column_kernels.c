/* The planes of a column, float32: in plain C for any machine, and in registers of AVX2 and AVX-512, where
 * the neighbours of the rows of a register are in one register and in the one loaded one element later. */

#include <math.h>
#include <string.h>

#include "ct/projector/model/column_lines.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/** Voxel 1 of a line is at a cache line, as it is in a brick. */
enum { PAD = 32, VOXEL_0 = PAD + LANES - 1, LINE = VOXEL_0 + COLUMN_EDGE + 2 * PAD };

/** Where the samples of a column lie in each plane of a brick. */
struct planes {
	_Alignas(64) double z[COLUMN_PLANES], step[COLUMN_PLANES]; // row r stands at z + r * step
	_Alignas(64) double inv[COLUMN_PLANES];                    // 1 / step
	_Alignas(64) float up[COLUMN_PLANES];                      // weight of the second line
	_Alignas(64) int line[COLUMN_PLANES];                      // element (.., z = 0) of the first line
	_Alignas(64) int lo[COLUMN_PLANES], hi[COLUMN_PLANES];     // rows that may touch voxels
	_Alignas(64) int from[COLUMN_PLANES], to[COLUMN_PLANES]; // voxels that groups of these rows may touch
	int count;
	int next;  // elements from the first line to the second
	int depth; // voxels along z
	bool unit; // rows stand on voxels, one by one: z[0] and step 1 in every plane
};

/** Spread out so that the compiler can take several planes at a time. */
INLINE void find_planes(struct planes *t, const struct column_job *j, const struct column *c)
{
	const int along = j->x->stride[c->m], across = j->x->stride[c->p], count = c->count, first = c->first;
	const double away0 = c->away[0], away1 = c->away[1], pos = c->pos, slope = c->slope, z0 = c->z[0],
	             z1 = c->z[1], step0 = c->step[0], step1 = c->step[1], top = j->b->size[2] + 1,
	             rows = j->rows, depth = j->b->size[2];

	t->count = count;
	t->next = across;
	t->depth = j->b->size[2];
	t->unit = (step0 == 1. && step1 == 0. && z1 == 0. && z0 == (int)z0);

	SIMD for (int n = 0; n < count; n++)
	{
		const double i = first + n, at = pos + slope * i;
		const int cell = (int)at;

		t->up[n] = (float)(at - cell);
		t->line[n] = (first + n) * along + cell * across;
	}

	SIMD for (int n = 0; n < count; n++)
	{
		const double away = away0 + (first + n) * away1, z = z0 + away * z1,
		             step = step0 + away * step1, inv = 1. / step;
		double a = (0. - z) * inv, b = (top - z) * inv + 1.;

		a = (a > 0.) ? ceil(a) : 0.;
		b = (b > 0.) ? b : 0.;
		t->z[n] = z;
		t->step[n] = step;
		t->inv[n] = inv;
		t->lo[n] = (int)((a < rows) ? a : rows);
		t->hi[n] = (int)((b < rows) ? b : rows);
	}

	SIMD for (int n = 0; n < count; n++)
	{
		const int lo = t->lo[n] & -LANES, hi = (t->hi[n] + LANES - 1) & -LANES;
		double a = t->z[n] + lo * t->step[n] - 2., b = t->z[n] + hi * t->step[n] + 2.;

		a = (a > 0.) ? a : 0.;
		b = (b > 0.) ? b : 0.;
		t->from[n] = (int)((a < depth) ? a : depth) & -LANES;
		t->to[n] = (int)((b < depth) ? b : depth);
	}
}

/** Voxels of a plane, interpolated across: line[k]. */
INLINE void interpolate(float *line, const struct planes *t, int n, const float *box)
{
	const float *a = box + t->line[n] + 1, *b = a + t->next;
	const float up = t->up[n], down = 1.f - up;

	SIMD for (int k = t->from[n]; k < t->to[n]; k++) line[1 + k] = down * a[k] + up * b[k];
}

/** Adds line[1 + from..to] to both lines of voxels. */
INLINE void share(float *box, const struct planes *t, int n, const float *line, int from, int to)
{
	float *a = box + t->line[n] + 1, *b = a + t->next;
	const float up = t->up[n], down = 1.f - up;

	SIMD for (int k = from; k < to; k++) a[k] += down * line[1 + k];
	SIMD for (int k = from; k < to; k++) b[k] += up * line[1 + k];
}

/** Rows on voxels: 64 sums stay in registers through all planes. */
INLINE void collect_block(const struct planes *t, const float *box, int n_rows, float *sum)
{
	float s[4 * LANES] = {0};

	for (int n = 0; n < t->count; n++) {
		const float *a = box + t->line[n], *b = a + t->next;
		const float up = t->up[n], down = 1.f - up;

		SIMD for (int l = 0; l < n_rows; l++) s[l] += down * a[l] + up * b[l];
	}

	for (int l = 0; l < n_rows; l++)
		sum[l] += s[l];
}

INLINE void collect_unit(const struct planes *t, int rows, float *sum, const float *box)
{
	const int on = (int)t->z[0]; // the voxel of row 0
	const int lo = (on < 1) ? 1 - on : 0, end = t->depth + 1 - on, hi = (rows < end) ? rows : end;

	for (int r = lo; r < hi; r += 4 * LANES)
		if (hi - r >= 4 * LANES)
			collect_block(t, box + on + r, 4 * LANES, sum + r);
		else
			collect_block(t, box + on + r, hi - r, sum + r);
}

INLINE void spread_unit(const struct planes *t, const float *y, float *box)
{
	for (int n = 0; n < t->count; n++)
		share(box, t, n, y - (int)t->z[0], 0, t->depth);
}

/** Samples of rows [lo, hi) of plane n, at most 16 of them. */
INLINE void collect_rows(const struct planes *t, int n, int lo, int hi, float *sum, const float *line)
{
	const double z = t->z[n] + lo * t->step[n];
	const int base = (int)z - (z < 0.);
	const float first = (float)(z - base), step = (float)t->step[n];

	line += base;

	SIMD for (int l = 0; l < hi - lo; l++)
	{
		const float at = first + step * (float)l;
		const int k = (int)at;
		const float w = at - (float)k;

		sum[lo + l] += (1.f - w) * line[k] + w * line[k + 1];
	}
}

INLINE void spread_rows(const struct planes *t, int n, int lo, int hi, const float *y, float *line)
{
	const double z = t->z[n] + lo * t->step[n];
	const int base = (int)z - (z < 0.);
	const float first = (float)(z - base), step = (float)t->step[n];

	line += base;

	for (int l = 0; l < hi - lo; l++) {
		const float at = first + step * (float)l;
		const int k = (int)at;
		const float w = at - (float)k;

		line[k] += (1.f - w) * y[lo + l];
		line[k + 1] += w * y[lo + l];
	}
}

INLINE void collect_all(const struct planes *t, int rows, float *sum, const float *box)
{
	_Alignas(64) float buffer[LINE] = {0}, *line = buffer + VOXEL_0;

	if (t->unit) {
		collect_unit(t, rows, sum, box);
		return;
	}

	for (int n = 0; n < t->count; n++) {
		const int lo = t->lo[n], hi = t->hi[n];

		interpolate(line, t, n, box);

		for (int r = lo; r < hi; r += LANES)
			collect_rows(t, n, r, (r + LANES < hi) ? r + LANES : hi, sum, line);
	}
}

/** A plane of any step. */
INLINE void spread_one(const struct planes *t, int n, const float *y, float *box)
{
	float buffer[LINE], *line = buffer + PAD;
	const int lo = t->lo[n], hi = t->hi[n], from = t->from[n], to = t->to[n];

	memset(line + from - PAD, 0, (size_t)(to - from + 2 * PAD) * sizeof *line);

	for (int r = lo; r < hi; r += LANES)
		spread_rows(t, n, r, (r + LANES < hi) ? r + LANES : hi, y, line);

	share(box, t, n, line, from, to);
}

INLINE void spread_all(const struct planes *t, int rows, const float *y, float *box)
{
	(void)rows; // those of each plane are known
	if (t->unit) {
		spread_unit(t, y, box);
		return;
	}

	for (int n = 0; n < t->count; n++)
		spread_one(t, n, y, box);
}

#define KERNEL_PAIR(isa, attributes, collect, spread, get, add)                                              \
	attributes static void forward_##isa(const struct column_job *j, const float *box)                   \
	{                                                                                                    \
		float lines[COLUMNS][COLUMN_PITCH];                                                          \
		struct planes t;                                                                             \
                                                                                                             \
		for (int i = 0; i < j->columns; i++) {                                                       \
			float *line = lines[i] + COLUMN_GUARD;                                               \
                                                                                                             \
			memset(line, 0, (size_t)(j->rows + LANES) * sizeof(float));                          \
                                                                                                             \
			if (j->done >> i & 1) {                                                              \
				find_planes(&t, j, &j->column[i]);                                           \
				collect(&t, j->rows, line, box);                                             \
				scale(line, j, &j->column[i]);                                               \
			}                                                                                    \
		}                                                                                            \
                                                                                                             \
		add(j, lines);                                                                               \
	}                                                                                                    \
	attributes static void adjoint_##isa(const struct column_job *j, float *box)                         \
	{                                                                                                    \
		float lines[COLUMNS][COLUMN_PITCH];                                                          \
		struct planes t;                                                                             \
                                                                                                             \
		get(j, lines);                                                                               \
                                                                                                             \
		for (int i = 0; i < j->columns; i++) {                                                       \
			float *line = lines[i] + COLUMN_GUARD;                                               \
                                                                                                             \
			if (!(j->done >> i & 1))                                                             \
				continue;                                                                    \
                                                                                                             \
			memset(lines[i], 0, COLUMN_GUARD * sizeof(float));                                   \
			memset(line + j->rows, 0, COLUMN_GUARD * sizeof(float));                             \
			find_planes(&t, j, &j->column[i]);                                                   \
			scale(line, j, &j->column[i]);                                                       \
			spread(&t, j->rows, line, box);                                                      \
		}                                                                                            \
	}                                                                                                    \
	static const struct column_kernels kernels_##isa = {forward_##isa, adjoint_##isa};

KERNEL_PAIR(plain, , collect_all, spread_all, get_lines, add_lines)

#ifdef __x86_64__
/** Steps up to which half the rows of a register, and their upper neighbours, lie within its voxels. */
static const double widest_step = 1.9;

#define NAME(f)      f##_avx2
#define ATTRIBUTES   __attribute__((target("avx2,fma")))
#define WIDTH        8
#define VEC          __m256
#define INTS         __m256i
#define MM(f)        _mm256_##f
#define NUMBERS      _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7)
#define PERMUTE      _mm256_permutevar8x32_ps
#define UPPER(a, b)  _mm256_blend_ps(a, b, 0xf0)
#define MAGNITUDE(x) _mm256_andnot_ps(_mm256_set1_ps(-0.f), x)
#define CEIL         _mm256_ceil_ps
#define COLLECT_UNIT collect_unit
#define SPREAD_UNIT  spread_unit
#include "ct/projector/cpu/column_joseph_impl.inc"

KERNEL_PAIR(avx2, __attribute__((target("avx2,fma"))), collect_avx2, spread_avx2, get_lines256, add_lines256)

/** Rows on voxels: up to 64 sums stay in registers through all planes. */
AVX512 static void collect_unit512(const struct planes *t, int rows, float *sum, const float *box)
{
	const int on = (int)t->z[0];
	const int lo = (on < 1) ? 1 - on : 0, end = t->depth + 1 - on, hi = (rows < end) ? rows : end;

	for (int r = lo; r < hi; r += 4 * LANES) {
		__m512 s[4];
		__mmask16 in[4];

		UNROLL for (int q = 0; q < 4; q++)
		{
			const int left = hi - r - q * LANES;

			in[q] = (left >= LANES) ? 0xffff : (left > 0) ? (1u << left) - 1 : 0;
			s[q] = _mm512_maskz_loadu_ps(in[q], sum + r + q * LANES);
		}

		for (int n = 0; n < t->count; n++) {
			const float *a = box + t->line[n] + on + r, *b = a + t->next;
			const __m512 up = _mm512_set1_ps(t->up[n]), down = _mm512_set1_ps(1.f - t->up[n]);

			UNROLL for (int q = 0; q < 4; q++)
			{
				s[q] = _mm512_fmadd_ps(
				        down, _mm512_maskz_loadu_ps(in[q], a + q * LANES), s[q]);
				s[q] = _mm512_fmadd_ps(up, _mm512_maskz_loadu_ps(in[q], b + q * LANES), s[q]);
			}
		}

		UNROLL for (int q = 0; q < 4; q++) _mm512_mask_storeu_ps(sum + r + q * LANES, in[q], s[q]);
	}
}

/** The same line of rows goes to every plane: it stays in registers. */
AVX512 static void spread_unit512(const struct planes *t, const float *y, float *box)
{
	__m512 r[LEVEL_EDGE / LANES];

	UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++) r[q] =
	        _mm512_loadu_ps(y + 1 + q * LANES - (int)t->z[0]);

	for (int n = 0; n < t->count; n++) {
		float *a = box + t->line[n] + 1, *b = a + t->next;
		const __m512 up = _mm512_set1_ps(t->up[n]), down = _mm512_set1_ps(1.f - t->up[n]);

		UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++)
		{
			const int k = q * LANES;

			_mm512_storeu_ps(a + k, _mm512_fmadd_ps(down, r[q], _mm512_loadu_ps(a + k)));
			_mm512_storeu_ps(b + k, _mm512_fmadd_ps(up, r[q], _mm512_loadu_ps(b + k)));
		}
	}
}

#define NAME(f)       f##_avx512
#define ATTRIBUTES    AVX512
#define WIDTH         16
#define VEC           __m512
#define INTS          __m512i
#define MM(f)         _mm512_##f
#define NUMBERS       _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PERMUTE(x, k) _mm512_permutexvar_ps(k, x)
#define UPPER(a, b)   _mm512_mask_blend_ps(0xff00, a, b)
#define MAGNITUDE     _mm512_abs_ps
#define CEIL(x)       _mm512_roundscale_ps(x, 10)
#define COLLECT_UNIT  collect_unit512
#define SPREAD_UNIT   spread_unit512
#include "ct/projector/cpu/column_joseph_impl.inc"

KERNEL_PAIR(avx512, AVX512, collect_avx512, spread_avx512, get_lines512, add_lines512)
#endif

const struct column_kernels *column_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
