/* Siddon's method along the rows of a column, float32. All rows of a column cross the faces across x and y
 * together: a slab has one stretch in one line of voxels along z, or two in neighbouring lines. In a stretch
 * a row begins in one voxel of the line and ends in the same or in the next. Plain C, AVX2 and AVX-512 give
 * the same bits. */

#include "linops/xray/column_lines.h"
#include "num/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/** The slabs of a column: where its rows enter, cross into the second line, and leave. */
struct slabs {
	_Alignas(64) double away[3][COLUMN_PLANES];                     // row r stands at z[r] + away * up[r]
	_Alignas(64) double lo[3][COLUMN_PLANES], hi[3][COLUMN_PLANES]; // rows below and above the voxels
	_Alignas(64) float length[2][COLUMN_PLANES];                    // of the stretches, along m
	_Alignas(64) int line[2][COLUMN_PLANES];                        // elements (.., z = 0)
	int count;
	double end; // cell above the voxels
	bool level; // rows stay at their heights
	_Alignas(64) double z[COLUMN_ROWS + LANES], up[COLUMN_ROWS + LANES];
	_Alignas(64) float inv_rise[COLUMN_ROWS + LANES];
};

/** Rows of 16 in a stretch: the voxels where they begin and end, and their lengths there. */
struct row_parts {
	_Alignas(64) int first[LANES], last[LANES];
	_Alignas(64) float in_first[LANES], in_last[LANES];
};

/** Point k of slab n, at position `at` along m. */
INLINE void slab_point(struct slabs *t, const struct column *c, int k, int n, double at, double top)
{
	const double away = c->away[0] + at * c->away[1], z = c->z[0] + away * c->z[1],
	             step = c->step[0] + away * c->step[1], inv = 1. / step;

	t->away[k][n] = away;
	t->lo[k][n] = (0.5 - z) * inv;
	t->hi[k][n] = (top - z) * inv;
}

INLINE void slab_find(
        struct slabs *t, const struct column *c, int n, int along, int across, double end, double top)
{
	const double face = c->first + n - 0.5, a = siddon_limit(c->from - face, 0., 1.),
	             b = siddon_limit(c->to - face, 0., 1.);
	double p0, p1;
	const double cross = siddon_cross(c->pos + c->slope * face, c->slope, a, b, end, &p0, &p1);

	t->line[0][n] = (c->first + n) * along + (int)p0 * across;
	t->line[1][n] = (c->first + n) * along + (int)p1 * across;
	t->length[0][n] = (float)(cross - a);
	t->length[1][n] = (float)(b - cross);
	slab_point(t, c, 0, n, face + a, top);
	slab_point(t, c, 1, n, face + cross, top);
	slab_point(t, c, 2, n, face + b, top);
}

INLINE void find_slabs(struct slabs *t, const struct column_job *j, const struct column *column)
{
	const struct column c = *column;
	const int along = j->x->stride[c.m], across = j->x->stride[c.p], count = c.count;
	const double end = j->b->size[c.p] + 1., top = j->b->size[2] + 0.5;
	const float rise = (float)c.rise[0], more = (float)c.rise[1];

	t->count = count;
	t->end = j->b->size[2] + 1.;
	t->level = (c.z[1] == 0. && c.step[1] == 0.);

	SIMD for (int n = 0; n < count; n++) slab_find(t, &c, n, along, across, end, top);
	SIMD for (int r = 0; r < j->rows + LANES; r++)
	{
		t->z[r] = c.z[0] + r * c.step[0];
		t->up[r] = c.z[1] + r * c.step[1]; // exactly 0 in the plane of the source
		t->inv_rise[r] = 1.f / (rise + (float)r * more);
	}
}

/** Rows that may touch voxels in stretch k of slab n. */
INLINE int stretch_first(const struct slabs *t, int k, int n)
{
	const double a = t->lo[k][n], b = t->lo[k + 1][n], lo = (a < b) ? a : b;

	return (lo > 0.) ? ((lo < COLUMN_ROWS) ? (int)lo : COLUMN_ROWS) : 0;
}

INLINE int stretch_end(const struct slabs *t, int k, int n, int rows)
{
	const double a = t->hi[k][n], b = t->hi[k + 1][n], hi = ((a > b) ? a : b) + 1.;

	return (hi < rows) ? ((hi > 0.) ? (int)hi : 0) : rows;
}

INLINE void find_rows(struct row_parts *o, const struct slabs *t, int k, int n, int row)
{
	const double a = t->away[k][n], b = t->away[k + 1][n], end = t->end;
	const double *z = t->z + row, *up = t->up + row;
	const float length = t->length[k][n], *inv_rise = t->inv_rise + row;

	SIMD for (int l = 0; l < LANES; l++)
	{
		int first, last;
		const float w = siddon_row(
		        z[l] + a * up[l], z[l] + b * up[l], length, inv_rise[l], end, &first, &last);

		o->first[l] = first;
		o->last[l] = last;
		o->in_first[l] = length - w;
		o->in_last[l] = w;
	}
}

/** The voxels of 16 rows. */
INLINE void look_up(float out[LANES], const float *line, const int at[LANES])
{
	SIMD for (int l = 0; l < LANES; l++) out[l] = line[at[l]];
}

/** Rows at their heights: the stretches' lines first, added up. */
INLINE void add_stretches(float sum[COLUMN_EDGE], const struct slabs *t, const float *box)
{
	for (int n = 0; n < t->count; n++)
		for (int k = 0; k < 2; k++) {
			const float *line = box + t->line[k][n] + 1, w = t->length[k][n];

			if (w > 0.f)
				SIMD for (int i = 0; i < COLUMN_EDGE; i++) sum[i] += w * line[i];
		}
}

INLINE void collect_level(const struct slabs *t, int rows, float *sum, const float *box)
{
	float line[COLUMN_EDGE + 2] = {0};

	add_stretches(line + 1, t, box);

	for (int r = 0; r < rows; r++)
		sum[r] += line[(int)(siddon_limit(t->z[r], 0., t->end) + 0.5)];
}

INLINE void spread_level(const struct slabs *t, int rows, const float *y, float *box)
{
	float line[COLUMN_EDGE + 2] = {0};

	for (int r = 0; r < rows; r++)
		line[(int)(siddon_limit(t->z[r], 0., t->end) + 0.5)] += y[r];

	line[(int)t->end] = 0.f;

	for (int n = 0; n < t->count; n++)
		for (int k = 0; k < 2; k++) {
			float *to = box + t->line[k][n] + 1, w = t->length[k][n];

			if (w > 0.f)
				SIMD for (int i = 0; i < COLUMN_EDGE; i++) to[i] += w * line[1 + i];
		}
}

/** Rows add to the voxels where they begin and then to those where they end: the even ones first and then the
 * odd ones, so that what is added in one go meets different voxels where rows are half a voxel apart. */
INLINE void add_rows(
        float *line, const struct row_parts *p, const float first[LANES], const float last[LANES], int n)
{
	for (int l = 0; l < n; l += 2)
		line[p->first[l]] += first[l];

	for (int l = 1; l < n; l += 2)
		line[p->first[l]] += first[l];

	for (int l = 0; l < n; l += 2)
		line[p->last[l]] += last[l];

	for (int l = 1; l < n; l += 2)
		line[p->last[l]] += last[l];
}

#define KERNEL_PAIR(isa, attributes, look, put, get, add)                                                    \
	attributes static void collect_##isa(const struct slabs *t, int rows, float *sum, const float *box)  \
	{                                                                                                    \
		float first[LANES], last[LANES];                                                             \
		struct row_parts p;                                                                          \
                                                                                                             \
		if (t->level) {                                                                              \
			collect_level(t, rows, sum, box);                                                    \
			return;                                                                              \
		}                                                                                            \
                                                                                                             \
		for (int n = 0; n < t->count; n++)                                                           \
			for (int k = 0; k < 2; k++) {                                                        \
				const float *line = box + t->line[k][n];                                     \
				const int end = stretch_end(t, k, n, rows);                                  \
                                                                                                             \
				for (int r = stretch_first(t, k, n); r < end && t->length[k][n] > 0.f;       \
				        r += LANES) {                                                        \
					find_rows(&p, t, k, n, r);                                           \
					look(first, line, p.first);                                          \
					look(last, line, p.last);                                            \
					SIMD for (int l = 0; l < LANES; l++) sum[r + l] +=                   \
					        p.in_first[l] * first[l] + p.in_last[l] * last[l];           \
				}                                                                            \
			}                                                                                    \
	}                                                                                                    \
	attributes static void forward_##isa(const struct column_job *j, const float *box)                   \
	{                                                                                                    \
		float lines[COLUMNS][COLUMN_PITCH];                                                          \
		struct slabs t;                                                                              \
                                                                                                             \
		for (int i = 0; i < j->columns; i++) {                                                       \
			float *line = lines[i] + COLUMN_GUARD;                                               \
                                                                                                             \
			memset(line, 0, (size_t)(j->rows + LANES) * sizeof(float));                          \
                                                                                                             \
			if (j->done >> i & 1) {                                                              \
				find_slabs(&t, j, &j->column[i]);                                            \
				collect_##isa(&t, j->rows, line, box);                                       \
				scale(line, j, &j->column[i]);                                               \
			}                                                                                    \
		}                                                                                            \
                                                                                                             \
		add(j, lines);                                                                               \
	}                                                                                                    \
	attributes static void spread_##isa(const struct slabs *t, int rows, const float *y, float *box)     \
	{                                                                                                    \
		_Alignas(64) float first[LANES], last[LANES];                                                \
		struct row_parts p;                                                                          \
                                                                                                             \
		if (t->level) {                                                                              \
			spread_level(t, rows, y, box);                                                       \
			return;                                                                              \
		}                                                                                            \
                                                                                                             \
		for (int n = 0; n < t->count; n++)                                                           \
			for (int k = 0; k < 2; k++) {                                                        \
				float *line = box + t->line[k][n];                                           \
				const int end = stretch_end(t, k, n, rows);                                  \
                                                                                                             \
				for (int r = stretch_first(t, k, n); r < end && t->length[k][n] > 0.f;       \
				        r += LANES) {                                                        \
					find_rows(&p, t, k, n, r);                                           \
					SIMD for (int l = 0; l < LANES; l++)                                 \
					{                                                                    \
						first[l] = p.in_first[l] * y[r + l];                         \
						last[l] = p.in_last[l] * y[r + l];                           \
					}                                                                    \
					put(line, &p, first, last, end - r < LANES ? end - r : LANES);       \
				}                                                                            \
			}                                                                                    \
	}                                                                                                    \
	attributes static void adjoint_##isa(const struct column_job *j, float *box)                         \
	{                                                                                                    \
		float lines[COLUMNS][COLUMN_PITCH];                                                          \
		struct slabs t;                                                                              \
                                                                                                             \
		get(j, lines);                                                                               \
                                                                                                             \
		for (int i = 0; i < j->columns; i++)                                                         \
			if (j->done >> i & 1) {                                                              \
				float *line = lines[i] + COLUMN_GUARD;                                       \
                                                                                                             \
				find_slabs(&t, j, &j->column[i]);                                            \
				scale(line, j, &j->column[i]);                                               \
				spread_##isa(&t, j->rows, line, box);                                        \
			}                                                                                    \
	}                                                                                                    \
	static const struct column_kernels kernels_##isa = {forward_##isa, adjoint_##isa};

KERNEL_PAIR(plain, , look_up, add_rows, get_lines, add_lines)

#ifdef __x86_64__
KERNEL_PAIR(avx2, __attribute__((target("avx2"))), look_up, add_rows, get_lines, add_lines)

/** From two registers, where the voxels lie within 32. */
AVX512 INLINE void look_up512(float out[LANES], const float *line, const int at[LANES])
{
	const __m512i k = _mm512_sub_epi32(_mm512_load_si512(at), _mm512_set1_epi32(at[0]));
	const __m512 v = (at[LANES - 1] - at[0] < 2 * LANES)
	                         ? _mm512_permutex2var_ps(_mm512_loadu_ps(line + at[0]), k,
	                                   _mm512_loadu_ps(line + at[0] + LANES))
	                         : _mm512_i32gather_ps(_mm512_load_si512(at), line, sizeof(float));

	_mm512_storeu_ps(out, v);
}

/** What rows add to 32 voxels. */
struct added {
	__m512 low[4], high[4];
	int count;
	unsigned hit;
};

/** Rows of a mask and their voxels k; false where two rows meet in one voxel. */
AVX512 INLINE bool add_apart512(struct added *a, __m512i k, __m512 value, __mmask16 rows)
{
	const unsigned hit = _mm512_reduce_or_epi32(_mm512_maskz_sllv_epi32(rows, _mm512_set1_epi32(1), k));
	const __mmask16 low = hit & 0xffff, high = hit >> LANES;
	const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
	              rest = _mm512_add_epi32(lane, _mm512_set1_epi32(__builtin_popcount(low)));
	const __m512 v = _mm512_maskz_compress_ps(rows, value);

	a->low[a->count] = _mm512_maskz_expand_ps(low, v);
	a->high[a->count++] = _mm512_maskz_expand_ps(high, _mm512_permutexvar_ps(rest, v));
	a->hit |= hit;
	return __builtin_popcount(hit) == __builtin_popcount(rows);
}

AVX512 INLINE bool add_halves512(struct added *a, __m512i k, __m512 value, __mmask16 rows)
{
	if (!rows || add_apart512(a, k, value, rows))
		return true;

	a->count--;
	return add_apart512(a, k, value, rows & 0x5555) && add_apart512(a, k, value, rows & 0xaaaa);
}

AVX512 INLINE void add_rows512(
        float *line, const struct row_parts *p, const float first[LANES], const float last[LANES], int n)
{
	const int base = (p->first[0] < p->last[0]) ? p->first[0] : p->last[0],
	          end = (p->first[n - 1] > p->last[n - 1]) ? p->first[n - 1] : p->last[n - 1];
	const __mmask16 rows = (1u << n) - 1;
	const __m512 f = _mm512_load_ps(first), l = _mm512_load_ps(last);
	const __mmask16 ends = rows & _mm512_cmpneq_ps_mask(l, _mm512_setzero_ps());
	const __m512i from = _mm512_set1_epi32(base);
	struct added a = {.count = 0, .hit = 0};

	if (end - base >= 2 * LANES ||
	        !add_halves512(&a, _mm512_sub_epi32(_mm512_load_si512(p->first), from), f, rows) ||
	        !add_halves512(&a, _mm512_sub_epi32(_mm512_load_si512(p->last), from), l, ends)) {
		add_rows(line, p, first, last, n);
		return;
	}

	__m512 low = _mm512_loadu_ps(line + base), high = _mm512_loadu_ps(line + base + LANES);

	for (int i = 0; i < a.count; i++) {
		low = _mm512_add_ps(low, a.low[i]);
		high = _mm512_add_ps(high, a.high[i]);
	}

	_mm512_storeu_ps(line + base, low);

	if (a.hit >> LANES)
		_mm512_storeu_ps(line + base + LANES, high);
}

KERNEL_PAIR(avx512, AVX512, look_up512, add_rows512, get_lines512, add_lines512)
#endif

const struct column_kernels *siddon_column_kernels(void)
{
#ifdef __x86_64__
	if (0 == strcmp(kern_isa(), "avx512"))
		return &kernels_avx512;

	if (0 == strcmp(kern_isa(), "avx2"))
		return &kernels_avx2;
#endif
	return &kernels_plain;
}
