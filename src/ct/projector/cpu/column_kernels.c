/* The planes of a column, float32: in plain C for any machine; with AVX-512, where a register holds 16 rows
 * or voxels and two registers hold the neighbours of 16 samples; and with AVX2, where the neighbours of 8
 * rows are in a register and in the one loaded one element later. */

#include <math.h>
#include <string.h>

#include "ct/projector/model/column_lines.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

enum { PAD = 32, LINE = PAD + COLUMN_EDGE + 2 * PAD };

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
	float buffer[LINE] = {0}, *line = buffer + PAD;

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
/** Steps up to which 16 rows and their upper neighbours lie within 32 voxels, and 4 within 8. */
static const double widest_step = 1.9;

#define AVX2_FMA __attribute__((target("avx2,fma")))

enum { WIDTH = 8, GROUPS = COLUMN_ROWS / WIDTH + 2 };

/** Where groups of 8 rows, or voxels, start: the cell, or row, and how far from it. */
struct starts {
	_Alignas(32) int cell[GROUPS];
	_Alignas(32) float at[GROUPS];
};

AVX2_FMA INLINE __m256 lanes256(float scale)
{
	return _mm256_mul_ps(_mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_ps(scale));
}

/** x, less `jump` in the upper half. */
AVX2_FMA INLINE __m256 back256(__m256 x, int jump)
{
	const float j = (float)jump;

	return _mm256_sub_ps(x, _mm256_setr_ps(0, 0, 0, 0, j, j, j, j));
}

AVX2_FMA INLINE __m256 pick256(const float *p, __m256i k)
{
	return _mm256_permutevar8x32_ps(_mm256_loadu_ps(p), k);
}

/** The same, the upper half from so many elements later. */
AVX2_FMA INLINE __m256 pick_halves256(const float *p, __m256i k, int jump)
{
	return _mm256_blend_ps(pick256(p, k), pick256(p + jump, k), 0xf0);
}

AVX2_FMA INLINE __m256 positive256(__m256 x)
{
	return _mm256_max_ps(x, _mm256_setzero_ps());
}

AVX2_FMA INLINE void interpolate256(float *line, const struct planes *t, int n, const float *box)
{
	const float *a = box + t->line[n] + 1, *b = a + t->next;
	const __m256 up = _mm256_set1_ps(t->up[n]), down = _mm256_set1_ps(1.f - t->up[n]);

	for (int k = t->from[n]; k < t->to[n]; k += WIDTH) // what is beyond the depth is the ring: zero
		_mm256_storeu_ps(line + 1 + k, _mm256_fmadd_ps(up, _mm256_loadu_ps(b + k),
		                                       _mm256_mul_ps(down, _mm256_loadu_ps(a + k))));
}

/** Groups [from, to) of rows; the last row of a group must not round up into the ninth cell. */
AVX2_FMA INLINE void find_rows256(struct starts *s, double z, double step, int from, int to)
{
	const float most = 1.f - 1.f / (1 << 21); // the last number below 8, less 7

	SIMD for (int g = from; g < to; g++)
	{
		const double a = z + g * (WIDTH * step), b = floor(a);
		const float d = (float)(a - b);

		s->cell[g] = (int)b;
		s->at[g] = (d < most) ? d : most;
	}
}

/** Where 8 rows lie within 8 cells, or, split, four of them do. */
AVX2_FMA INLINE void collect_rows256(
        float *sum, const float *line, const struct starts *s, double step, int from, int to, bool split)
{
	const int jump = split ? (int)(WIDTH / 2 * step) : 0;
	const __m256 spread = back256(lanes256((float)step), jump);

	for (int g = from; g < to; g++) {
		const float *p = line + s->cell[g];
		const __m256 at = _mm256_add_ps(spread, _mm256_set1_ps(s->at[g]));
		const __m256i k = _mm256_cvttps_epi32(at);
		const __m256 w = _mm256_sub_ps(at, _mm256_cvtepi32_ps(k));
		const __m256 c0 = split ? pick_halves256(p, k, jump) : pick256(p, k),
		             c1 = split ? pick_halves256(p + 1, k, jump) : pick256(p + 1, k);
		float *out = sum + g * WIDTH;

		_mm256_storeu_ps(out,
		        _mm256_fmadd_ps(w, _mm256_sub_ps(c1, c0), _mm256_add_ps(_mm256_loadu_ps(out), c0)));
	}
}

/** Steps of 1 to 1 + 1/7: row l lies between cells l and l + 2. */
AVX2_FMA INLINE void collect_near256(
        float *sum, const float *line, const struct starts *s, double step, int from, int to)
{
	const __m256 drift = lanes256((float)(step - 1.)), one = _mm256_set1_ps(1.f);

	for (int g = from; g < to; g++) {
		const float *p = line + s->cell[g];
		const __m256 e = _mm256_add_ps(drift, _mm256_set1_ps(s->at[g])),
		             below = positive256(_mm256_sub_ps(one, e)),
		             above = positive256(_mm256_sub_ps(e, one)), m = _mm256_loadu_ps(p + 1);
		float *out = sum + g * WIDTH;
		__m256 r = _mm256_add_ps(_mm256_loadu_ps(out), m);

		r = _mm256_fmadd_ps(below, _mm256_sub_ps(_mm256_loadu_ps(p), m), r);
		r = _mm256_fmadd_ps(above, _mm256_sub_ps(_mm256_loadu_ps(p + 2), m), r);
		_mm256_storeu_ps(out, r);
	}
}

AVX2_FMA static void collect_256(const struct planes *t, int rows, float *sum, const float *box)
{
	float buffer[LINE] = {0}, *line = buffer + PAD;
	struct starts s;

	if (t->unit) {
		collect_unit(t, rows, sum, box);
		return;
	}

	for (int n = 0; n < t->count; n++) {
		const double step = t->step[n];
		const int lo = t->lo[n], hi = t->hi[n], from = lo / WIDTH, to = (hi + WIDTH - 1) / WIDTH;

		if (lo >= hi)
			continue;

		interpolate256(line, t, n, box);

		if (step > widest_step) {
			for (int r = lo; r < hi; r += LANES)
				collect_rows(t, n, r, (r + LANES < hi) ? r + LANES : hi, sum, line);
			continue;
		}

		find_rows256(&s, t->z[n], step, from, to);

		if (step <= 1.)
			collect_rows256(sum, line, &s, step, from, to, false);
		else if ((step - 1.) * (WIDTH - 1) <= 1.)
			collect_near256(sum, line, &s, step, from, to);
		else
			collect_rows256(sum, line, &s, step, from, to, true);
	}
}

/** The first rows that groups of voxels find, and the first voxel from there. */
AVX2_FMA INLINE void find_voxels256(struct starts *s, const struct planes *t, int n)
{
	const double z = t->z[n], step = t->step[n], inv = t->inv[n], most = 1 << 20;

	SIMD for (int g = t->from[n] / WIDTH; g < (t->to[n] + WIDTH - 1) / WIDTH; g++)
	{
		const double k = 1 + g * WIDTH - z;
		double v = ceil((k - 1.) * inv);

		v = (v > -most) ? v : -most;
		v = (v < most) ? v : most;
		s->cell[g] = (int)v;
		s->at[g] = (float)(k - v * step);
	}
}

/** What voxels get is shared out to both lines. */
AVX2_FMA INLINE void share256(float *a, float *b, __m256 up, __m256 r)
{
	const __m256 rb = _mm256_mul_ps(up, r);

	_mm256_storeu_ps(a, _mm256_add_ps(_mm256_loadu_ps(a), _mm256_sub_ps(r, rb)));
	_mm256_storeu_ps(b, _mm256_add_ps(_mm256_loadu_ps(b), rb));
}

AVX2_FMA INLINE __m256 tent256(__m256 d)
{
	const __m256 sign = _mm256_set1_ps(-0.f);

	return positive256(_mm256_sub_ps(_mm256_set1_ps(1.f), _mm256_andnot_ps(sign, d)));
}

/** A plane's voxels from T candidates each, looked up; split: below step 1 four voxels at a time. What
 * rounding finds a row too early weighs nothing; a row too late would be missed. */
AVX2_FMA INLINE void spread_plane256(const struct planes *t, const struct starts *s, int n, int rows,
        const float *y, float *box, int T, bool split)
{
	const double inv = t->inv[n];
	const int jump = split ? (int)(WIDTH / 2 * inv - 1e-3) : 0;
	float *a = box + t->line[n] + 1, *b = a + t->next;
	const __m256 l = lanes256(1.f), step = _mm256_set1_ps((float)t->step[n]),
	             iv = _mm256_set1_ps((float)inv), up = _mm256_set1_ps(t->up[n]),
	             early = _mm256_fmsub_ps(
	                     _mm256_sub_ps(l, _mm256_set1_ps(1.f)), iv, _mm256_set1_ps(4e-6f));

	for (int g = t->from[n] / WIDTH; g * WIDTH < t->to[n]; g++) {
		const float *p = y + s->cell[g];

		if (s->cell[g] >= rows || s->cell[g] + WIDTH * inv + T + 1. < 0.)
			continue;

		const __m256 to = _mm256_set1_ps(s->at[g]),
		             v = positive256(_mm256_ceil_ps(_mm256_fmadd_ps(to, iv, early)));
		const __m256i k = _mm256_cvttps_epi32(back256(v, jump));
		__m256 d = _mm256_fmsub_ps(v, step, _mm256_add_ps(to, l)), r = _mm256_setzero_ps();

		UNROLL for (int i = 0; i < T; i++)
		{
			r = _mm256_fmadd_ps(
			        tent256(d), split ? pick_halves256(p + i, k, jump) : pick256(p + i, k), r);
			d = _mm256_add_ps(d, step);
		}

		share256(a + g * WIDTH, b + g * WIDTH, up, r);
	}
}

/** The same where voxel l finds its rows among l - before and the T - 1 that follow. */
AVX2_FMA INLINE void spread_near256(const struct planes *t, const struct starts *s, int n, int rows,
        const float *y, float *box, int T, int before)
{
	float *a = box + t->line[n] + 1, *b = a + t->next;
	const __m256 step = _mm256_set1_ps((float)t->step[n]), up = _mm256_set1_ps(t->up[n]),
	             drift = _mm256_sub_ps(lanes256((float)(t->step[n] - 1.)),
	                     _mm256_set1_ps((float)(before * t->step[n])));

	for (int g = t->from[n] / WIDTH; g * WIDTH < t->to[n]; g++) {
		const float *p = y + s->cell[g] - before;

		if (s->cell[g] >= rows + before || s->cell[g] + 2 * WIDTH < 0)
			continue;

		__m256 d = _mm256_sub_ps(drift, _mm256_set1_ps(s->at[g])), r = _mm256_setzero_ps();

		UNROLL for (int i = 0; i < T; i++)
		{
			r = _mm256_fmadd_ps(tent256(d), _mm256_loadu_ps(p + i), r);
			d = _mm256_add_ps(d, step);
		}

		share256(a + g * WIDTH, b + g * WIDTH, up, r);
	}
}

AVX2_FMA static void spread_256(const struct planes *t, int rows, const float *y, float *box)
{
	const double narrowest = 0.6; // 8 voxels, and their candidates, lie within two times 8 rows
	struct starts s;

	if (t->unit) {
		spread_unit(t, y, box);
		return;
	}

	for (int n = 0; n < t->count; n++) {
		const double step = t->step[n], away = (WIDTH - 1) * fabs(step - 1.),
		             reach = (step < 1.) ? (2. + away) / step : 2. + ceil(away / step);

		if (t->lo[n] >= t->hi[n])
			continue;

		if (step < narrowest) {
			spread_one(t, n, y, box);
			continue;
		}

		find_voxels256(&s, t, n);

		if (reach <= 3.)
			spread_near256(t, &s, n, rows, y, box, 3, step > 1. && reach > 2.);
		else if (reach <= 4. && step < 1.)
			spread_near256(t, &s, n, rows, y, box, 4, 0);
		else if (step >= 1.)
			spread_plane256(t, &s, n, rows, y, box, 2, false);
		else if (step >= 2. / 3.)
			spread_plane256(t, &s, n, rows, y, box, 3, true);
		else
			spread_plane256(t, &s, n, rows, y, box, 4, true);
	}
}

KERNEL_PAIR(avx2, AVX2_FMA, collect_256, spread_256, get_lines256, add_lines256)

AVX512 INLINE __m512 lanes(void)
{
	return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

AVX512 INLINE void interpolate512(float *line, const struct planes *t, int n, const float *box)
{
	const float *a = box + t->line[n] + 1, *b = a + t->next;
	const __m512 up = _mm512_set1_ps(t->up[n]), down = _mm512_set1_ps(1.f - t->up[n]);

	for (int k = t->from[n]; k < t->to[n]; k += LANES) // what is beyond the depth is the ring: zero
		_mm512_storeu_ps(line + 1 + k, _mm512_fmadd_ps(up, _mm512_loadu_ps(b + k),
		                                       _mm512_mul_ps(down, _mm512_loadu_ps(a + k))));
}

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

AVX512 static void collect_512(const struct planes *t, int rows, float *sum, const float *box)
{
	float buffer[LINE] = {0}, *line = buffer + PAD;

	if (t->unit) {
		collect_unit512(t, rows, sum, box);
		return;
	}

	for (int n = 0; n < t->count; n++) {
		const double step = t->step[n];
		const int lo = t->lo[n], hi = t->hi[n];

		interpolate512(line, t, n, box);

		if (step > widest_step) {
			for (int r = lo; r < hi; r += LANES)
				collect_rows(t, n, r, (r + LANES < hi) ? r + LANES : hi, sum, line);
			continue;
		}

		const __m512 spread = _mm512_mul_ps(lanes(), _mm512_set1_ps((float)step));
		const __m512i one = _mm512_set1_epi32(1);

		for (int r = lo & ~(LANES - 1); r < hi; r += LANES) {
			const double z = t->z[n] + r * step, base = floor(z);
			const float *p = line + (int)base;
			const __m512 at = _mm512_add_ps(spread, _mm512_set1_ps((float)(z - base)));
			const __m512i k = _mm512_cvttps_epi32(at);
			const __m512 w = _mm512_sub_ps(at, _mm512_cvtepi32_ps(k));
			const __m512 p0 = _mm512_loadu_ps(p), p1 = _mm512_loadu_ps(p + LANES);
			const __m512 c0 = _mm512_permutex2var_ps(p0, k, p1),
			             c1 = _mm512_permutex2var_ps(p0, _mm512_add_epi32(k, one), p1);
			const __m512 s = _mm512_add_ps(_mm512_loadu_ps(sum + r), c0);

			_mm512_storeu_ps(sum + r, _mm512_fmadd_ps(w, _mm512_sub_ps(c1, c0), s));
		}
	}
}

/** Voxels k..k+15 of the resampling's transpose from T candidates each, the first by rounding up. */
AVX512 INLINE __m512 resample512(const float *y, double z, double step, double inv, int k, int rows, int T)
{
	const __m512 zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1.f), sv = _mm512_set1_ps((float)step);
	const double first = ceil((k - 1 - z) * inv);
	__m512 r = zero;

	if (first >= rows || first + (LANES - 1) * inv + T < 0.)
		return r;

	const float *p = y + (int)first;
	const __m512 p0 = _mm512_loadu_ps(p), p1 = _mm512_loadu_ps(p + LANES);
	const __m512 to = _mm512_add_ps(lanes(), _mm512_set1_ps((float)(k - z - first * step)));
	const __m512 v = _mm512_max_ps(zero,
	        _mm512_roundscale_ps(_mm512_mul_ps(_mm512_sub_ps(to, one), _mm512_set1_ps((float)inv)), 10));
	__m512i id = _mm512_cvttps_epi32(v);
	__m512 d = _mm512_fmsub_ps(v, sv, to); // of row v from the voxel

	UNROLL for (int n = 0; n < T; n++)
	{
		const __m512 w = _mm512_max_ps(zero, _mm512_sub_ps(one, _mm512_abs_ps(d)));

		r = _mm512_fmadd_ps(w, _mm512_permutex2var_ps(p0, id, p1), r);
		d = _mm512_add_ps(d, sv);
		id = _mm512_add_epi32(id, _mm512_set1_epi32(1));
	}

	return r;
}

AVX512 INLINE void spread_plane(const struct planes *t, int n, int rows, const float *y, float *box, int T)
{
	float *a = box + t->line[n] + 1, *b = a + t->next;
	const __m512 up = _mm512_set1_ps(t->up[n]), down = _mm512_set1_ps(1.f - t->up[n]);
	const double inv = t->inv[n];

	for (int k = t->from[n]; k < t->to[n]; k += LANES) {
		const __m512 r = resample512(y, t->z[n], t->step[n], inv, k + 1, rows, T);

		_mm512_storeu_ps(a + k, _mm512_fmadd_ps(down, r, _mm512_loadu_ps(a + k)));
		_mm512_storeu_ps(b + k, _mm512_fmadd_ps(up, r, _mm512_loadu_ps(b + k)));
	}
}

AVX512 static void spread_512(const struct planes *t, int rows, const float *y, float *box)
{
	if (t->unit) {
		spread_unit512(t, y, box);
		return;
	}

	for (int n = 0; n < t->count; n++) {
		const double step = t->step[n];

		if (step >= 1.)
			spread_plane(t, n, rows, y, box, 2);
		else if (step >= 2. / 3.)
			spread_plane(t, n, rows, y, box, 3);
		else if (15. / step + 4. <= 31.)
			spread_plane(t, n, rows, y, box, 4);
		else
			spread_one(t, n, y, box);
	}
}

KERNEL_PAIR(avx512, AVX512, collect_512, spread_512, get_lines512, add_lines512)
#endif

const struct column_kernels *column_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
