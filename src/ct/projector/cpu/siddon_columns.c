/* Siddon's method along the rows of a column, float32. All rows of a column cross the faces perpendicular to
 * x and y together. The column is therefore a sequence of segments, each in one line of voxels along z. In a
 * segment, a row begins in one voxel of the line and ends in the same or the next voxel. Plain C, AVX2 and
 * AVX-512 give the same bits. */

#include "ct/projector/model/column_lines.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

enum { MOST = 2 * COLUMN_PLANES, FEWEST = 12 };

/** The stretches of a column, one after the other along m. */
struct chain {
	_Alignas(64) long z[MOST + LANES],
	        step[MOST + LANES];                      // where stretch i begins and the one before it ends:
	                                                 // row 0, from the face below voxel 0, and per row
	_Alignas(64) double at[MOST + LANES];            // the same places along m
	_Alignas(64) unsigned units[MOST + LANES];       // `step` of positions in vectors
	_Alignas(64) float inv_step[MOST + LANES];       // rows per voxel
	_Alignas(64) float length[MOST];                 // along m
	_Alignas(64) int line[MOST];                     // elements (.., z = 0)
	_Alignas(64) unsigned flip[COLUMN_ROWS + LANES]; // of siddon_begin()
	_Alignas(64) float inv_rise[COLUMN_ROWS + LANES];
	unsigned within[SIDDON_WINDOW + COLUMN_EDGE + 1]; // voxels of the brick among 32 from i - 32 on
	int count, depth;
	int rows[2]; // at a time: forward, adjoint
	bool near;   // 4 rows, and where they end, lie within 8 voxels
};

/** The lines of a slab, and where the column crosses from one to the other. */
struct crossing {
	_Alignas(64) double begin[COLUMN_PLANES], cross[COLUMN_PLANES], end[COLUMN_PLANES];
	_Alignas(64) int line[2][COLUMN_PLANES];
};

INLINE void find_crossings(struct crossing *t, const struct column_job *j, const struct column *column)
{
	const struct column c = *column;
	const int along = j->x->stride[c.m], across = j->x->stride[c.p], count = c.count;
	const double end = j->b->size[c.p] + 1.;

	SIMD for (int n = 0; n < count; n++)
	{
		const double face = c.first + n - 0.5, a = siddon_limit(c.from - face, 0., 1.),
		             b = siddon_limit(c.to - face, 0., 1.);
		double p0, p1;

		t->cross[n] = siddon_cross(c.pos + c.slope * face, c.slope, a, b, end, &p0, &p1);
		t->begin[n] = a;
		t->end[n] = b;
		t->line[0][n] = (c.first + n) * along + (int)p0 * across;
		t->line[1][n] = (c.first + n) * along + (int)p1 * across;
	}
}

/** Those of them that have a length. */
INLINE void find_lines(struct chain *t, const struct crossing *s, int first, int count)
{
	int n = 0;

	for (int i = 0; i < count; i++) {
		const double face = first + i - 0.5;
		const float a = (float)(s->cross[i] - s->begin[i]), b = (float)(s->end[i] - s->cross[i]);

		t->at[n] = face + s->begin[i];
		t->line[n] = s->line[0][i];
		t->length[n] = a;
		t->at[n + 1] = face + s->cross[i];
		n += (a > 0.f);
		t->line[n] = s->line[1][i];
		t->length[n] = b;
		t->at[n + 1] = face + s->end[i];
		n += (b > 0.f);
	}

	t->count = n;
}

/** Rows that go together: they, and where they end, lie within so many voxels. */
INLINE int rows_within(double voxels, double step, double rise)
{
	const double n = (voxels - 1. - rise) / step + 1.;

	return (n < LANES) ? ((n > 1.) ? (int)n : 1) : LANES;
}

INLINE unsigned lane_units(long fine)
{
	const long half = 1L << (SIDDON_FINE - SIDDON_BITS - 1);

	return (unsigned)((fine + half) >> (SIDDON_FINE - SIDDON_BITS));
}

INLINE void find_places(struct chain *t, const struct column *column, int rows)
{
	const struct column c = *column;
	const double most = 1 << 16, slack = 1e-3, shift = siddon_slack(column, 1. / (1 << 23)) + 0.5;
	double widest = 0.;

	SIMD for (int n = 0; n <= t->count; n++)
	{
		const double away = c.away[0] + t->at[n] * c.away[1], step = c.step[0] + away * c.step[1];

		t->z[n] = siddon_fixed(c.z[0] + away * c.z[1] + shift);
		t->step[n] = (long)(siddon_limit(step, 0., most) * (double)(1L << SIDDON_FINE));
		t->units[n] = lane_units(t->step[n]);
		t->inv_step[n] = (float)(1. / step);
		t->at[n] = step;
	}

	for (int n = 0; n <= t->count; n++)
		widest = (t->at[n] > widest) ? t->at[n] : widest;

	const double r0 = fabs(c.rise[0]), r1 = fabs(c.rise[0] + (rows - 1) * c.rise[1]),
	             rise = (r0 > r1) ? r0 : r1;

	t->rows[0] = rows_within(SIDDON_WINDOW - slack, widest, rise);
	t->near = rows_within(SIDDON_WINDOW / 4 - slack, widest, rise) >= LANES / 4;
	t->rows[1] =
	        rows_within(SIDDON_WINDOW / 2 - slack, widest, rise); // half of it, if that is not a waste
	t->rows[1] = (t->rows[1] < FEWEST) ? t->rows[0] : t->rows[1];
}

INLINE void find_rises(struct chain *t, const struct column *c, int rows)
{
	const double rise = c->rise[0], more = c->rise[1];
	const float unit = 1.f / (1 << SIDDON_BITS);

	SIMD for (int r = 0; r < rows + LANES; r++)
	{
		const float at = (float)(rise + r * more);

		t->flip[r] = (at > 0.f) ? ~0u : 0u;
		t->inv_rise[r] = unit / fabsf(at);
	}
}

/** Bit i of within[n]: is i + n - 32 one of voxels 1..depth? */
INLINE void find_within(struct chain *t, int depth)
{
	for (int n = 0; n <= SIDDON_WINDOW + depth; n++) {
		const int first = SIDDON_WINDOW + 1 - n, end = first + depth; // bits

		t->within[n] = (unsigned)(~0ul << ((first > 0) ? first : 0) &
		                          ((1ul << ((end < SIDDON_WINDOW) ? end : SIDDON_WINDOW)) - 1ul));
	}

	t->depth = depth;
}

INLINE void find_chain(struct chain *t, const struct column_job *j, const struct column *c, bool level)
{
	struct crossing s;

	find_crossings(&s, j, c);
	find_lines(t, &s, c->first, c->count);

	if (level)
		return;

	find_places(t, c, j->rows);
	find_rises(t, c, j->rows);
}

/** As many rows at a time of a chain's stretches, from the first row on. */
struct group {
	_Alignas(64) long z[MOST + LANES],
	        jump[MOST + LANES]; // where the next group begins, and from group to group
	_Alignas(64) int cell[MOST + LANES], top[MOST + LANES]; // voxels of the first and of the last row
	_Alignas(64) unsigned unit[MOST + LANES];               // position of the first row in vectors
	_Alignas(64) unsigned first[2][MOST];   // where it begins and ends in stretch n, from `low`
	_Alignas(64) int low[MOST], high[MOST]; // voxels that the rows may be in
	int from, to;                           // stretches in which they may meet voxels
};

/** The voxel at a position; the compiler knows how to narrow a shift by 32 bits. */
INLINE int cell_of(long fine)
{
	return (int)((unsigned long)fine >> 32) >> (SIDDON_FINE - 32);
}

/** Straight lines leave the brick but once: stretches below or above all voxels are the first and the last.
 */
INLINE void find_part(struct group *o, const struct chain *t)
{
	o->from = 0;
	o->to = t->count;

	while (o->from < o->to && (o->high[o->from] < 1 || o->low[o->from] > t->depth))
		o->from++;

	while (o->from < o->to && (o->high[o->to - 1] < 1 || o->low[o->to - 1] > t->depth))
		o->to--;
}

INLINE void start_groups(struct group *o, const struct chain *t, int rows)
{
	SIMD for (int n = 0; n <= t->count; n++)
	{
		o->z[n] = t->z[n];
		o->jump[n] = rows * t->step[n];
	}
}

INLINE void next_group(struct group *o, const struct chain *t)
{
	const long round = 1L << (SIDDON_FINE - 20);

	SIMD for (int n = 0; n <= t->count; n++)
	{
		const long z = o->z[n], next = z + o->jump[n];

		o->cell[n] = cell_of(z);
		o->top[n] = cell_of(next - t->step[n] + round);
		o->unit[n] = lane_units(z);
		o->z[n] = next;
	}

	SIMD for (int n = 0; n < t->count; n++)
	{
		const int a = o->cell[n], b = o->cell[n + 1], low = (a < b) ? a : b, a1 = o->top[n],
		          b1 = o->top[n + 1];

		o->low[n] = low;
		o->high[n] = (a1 > b1) ? a1 : b1;
		o->first[0][n] = o->unit[n] - ((unsigned)low << SIDDON_BITS);
		o->first[1][n] = o->unit[n + 1] - ((unsigned)low << SIDDON_BITS);
	}

	find_part(o, t);
}

/** Do the rows of a stretch reach beyond 16 voxels? */
INLINE bool is_wide(const struct group *o, int n)
{
	return o->high[n] - o->low[n] >= LANES;
}

/** Rows of 16 in a stretch: the voxels where they begin and end, from the lowest, and their lengths there. */
struct row_parts {
	_Alignas(64) unsigned first[LANES], last[LANES];
	_Alignas(64) float in_first[LANES], in_last[LANES];
};

INLINE void find_rows(struct row_parts *o, const struct chain *t, const struct group *g, int n, int row)
{
	const unsigned a0 = g->first[0][n], b0 = g->first[1][n], da = t->units[n], db = t->units[n + 1],
	               *flip = t->flip + row;
	const float length = t->length[n], *inv_rise = t->inv_rise + row;

	SIMD for (int l = 0; l < LANES; l++)
	{
		const unsigned za = a0 + (unsigned)l * da, zb = b0 + (unsigned)l * db;
		const float w = siddon_begin(za, flip[l], inv_rise[l], length);

		o->first[l] = za >> SIDDON_BITS;
		o->last[l] = zb >> SIDDON_BITS;
		o->in_first[l] = w;
		o->in_last[l] = length - w;
	}
}

/** Voxels of 16 rows; 0 outside the brick. */
INLINE void look_up(float out[LANES], const float *line, unsigned within, const unsigned at[LANES])
{
	for (int l = 0; l < LANES; l++)
		out[l] = (within >> at[l] & 1) ? line[at[l]] : 0.f;
}

INLINE void collect(const struct chain *t, int rows, float *sum, const float *box)
{
	struct group g;

	start_groups(&g, t, t->rows[0]);

	for (int r = 0; r < rows; r += t->rows[0]) {
		float first[LANES], last[LANES];
		struct row_parts o;

		next_group(&g, t);

		for (int n = g.from; n < g.to; n++) {
			find_rows(&o, t, &g, n, r);

			const float *line = box + t->line[n] + g.low[n];
			const unsigned within = t->within[g.low[n] + SIDDON_WINDOW];

			look_up(first, line, within, o.first);
			look_up(last, line, within, o.last);

			for (int l = 0; l < t->rows[0]; l++)
				sum[r + l] += o.in_first[l] * first[l] + o.in_last[l] * last[l];
		}
	}
}

/** What rows add to 32 voxels: first where they begin, then where they end. */
INLINE void spread(const struct chain *t, int rows, const float *y, float *box)
{
	struct group g;

	start_groups(&g, t, t->rows[1]);

	for (int r = 0; r < rows; r += t->rows[1]) {
		const int count = (rows - r < t->rows[1]) ? rows - r : t->rows[1];
		struct row_parts o;

		next_group(&g, t);

		for (int n = g.from; n < g.to; n++) {
			float add[SIDDON_WINDOW] = {0};

			find_rows(&o, t, &g, n, r);

			for (int l = 0; l < count; l++)
				add[o.first[l]] += o.in_first[l] * y[r + l];

			for (int l = 0; l < count; l++)
				add[o.last[l]] += o.in_last[l] * y[r + l];

			const int size = is_wide(&g, n) ? SIDDON_WINDOW : SIDDON_WINDOW / 2;
			const unsigned within = t->within[g.low[n] + SIDDON_WINDOW];
			float *line = box + t->line[n] + g.low[n];

			for (int i = 0; i < size; i++)
				if (within >> i & 1)
					line[i] += add[i];
		}
	}
}

/* Rows at their heights: the stretches' lines first, added up. */

INLINE void add_up(float sum[LEVEL_EDGE], const struct chain *t, const float *box)
{
	float s[LEVEL_EDGE] = {0};

	for (int n = 0; n < t->count; n++) {
		const float *line = box + t->line[n] + 1, w = t->length[n];

		SIMD for (int i = 0; i < LEVEL_EDGE; i++) s[i] += w * line[i];
	}

	memcpy(sum, s, sizeof s);
}

INLINE void hand_out(const float line[LEVEL_EDGE], const struct chain *t, float *box)
{
	for (int n = 0; n < t->count; n++) {
		float *to = box + t->line[n] + 1, w = t->length[n];

		SIMD for (int i = 0; i < LEVEL_EDGE; i++) to[i] += w * line[i];
	}
}

/** Voxels of level rows, and that above the brick for rows outside; true where they follow one another. */
INLINE bool find_levels(int at[COLUMN_ROWS + LANES], const struct column_job *j, const struct column *c)
{
	const double z = c->z[0], step = c->step[0], end = j->b->size[2] + 1.;

	SIMD for (int r = 0; r < j->rows; r++)
	{
		const double k = siddon_limit(z + r * step, 0., end) + 0.5;

		at[r] = (int)k;
	}

	return step == 1. && at[0] > 0 && at[j->rows - 1] == at[0] + j->rows - 1;
}

#define LEVEL_PAIR(isa, attributes, add_up_all, hand_out_all)                                                \
	attributes static void collect_level_##isa(const struct column_job *j, const struct column *c,       \
	        const struct chain *t, float *sum, const float *box)                                         \
	{                                                                                                    \
		_Alignas(64) int at[COLUMN_ROWS + LANES];                                                    \
		_Alignas(64) float buffer[LEVEL_EDGE + LANES + 1] = {0}, *line = buffer + LANES - 1;         \
		const bool unit = find_levels(at, j, c);                                                     \
                                                                                                             \
		add_up_all(line + 1, t, box);                                                                \
		line[j->b->size[2] + 1] = 0.f;                                                               \
                                                                                                             \
		if (unit)                                                                                    \
			SIMD for (int r = 0; r < j->rows; r++) sum[r] += line[at[0] + r];                    \
		else                                                                                         \
			for (int r = 0; r < j->rows; r++)                                                    \
				sum[r] += line[at[r]];                                                       \
	}                                                                                                    \
	attributes static void spread_level_##isa(const struct column_job *j, const struct column *c,        \
	        const struct chain *t, const float *y, float *box)                                           \
	{                                                                                                    \
		_Alignas(64) int at[COLUMN_ROWS + LANES];                                                    \
		_Alignas(64) float buffer[LEVEL_EDGE + LANES + 1] = {0}, *line = buffer + LANES - 1;         \
		const bool unit = find_levels(at, j, c);                                                     \
                                                                                                             \
		if (unit)                                                                                    \
			SIMD for (int r = 0; r < j->rows; r++) line[at[0] + r] += y[r];                      \
		else                                                                                         \
			for (int r = 0; r < j->rows; r++)                                                    \
				line[at[r]] += y[r];                                                         \
                                                                                                             \
		line[j->b->size[2] + 1] = 0.f;                                                               \
		hand_out_all(line + 1, t, box);                                                              \
	}

#define KERNEL_PAIR(isa, attributes, collect_all, spread_all, get, add)                                      \
	attributes static void forward_##isa(const struct column_job *j, const float *box)                   \
	{                                                                                                    \
		float lines[COLUMNS][COLUMN_PITCH];                                                          \
		struct chain t;                                                                              \
                                                                                                             \
		find_within(&t, j->b->size[2]);                                                              \
                                                                                                             \
		for (int i = 0; i < j->columns; i++) {                                                       \
			const struct column *c = &j->column[i];                                              \
			const bool level = (c->z[1] == 0. && c->step[1] == 0.);                              \
			float *line = lines[i] + COLUMN_GUARD;                                               \
                                                                                                             \
			memset(line, 0, (size_t)(j->rows + LANES) * sizeof(float));                          \
                                                                                                             \
			if (!(j->done >> i & 1))                                                             \
				continue;                                                                    \
                                                                                                             \
			find_chain(&t, j, c, level);                                                         \
                                                                                                             \
			if (level)                                                                           \
				collect_level_##isa(j, c, &t, line, box);                                    \
			else                                                                                 \
				collect_all(&t, j->rows, line, box);                                         \
                                                                                                             \
			scale(line, j, c);                                                                   \
		}                                                                                            \
                                                                                                             \
		add(j, lines);                                                                               \
	}                                                                                                    \
	attributes static void adjoint_##isa(const struct column_job *j, float *box)                         \
	{                                                                                                    \
		float lines[COLUMNS][COLUMN_PITCH];                                                          \
		struct chain t;                                                                              \
                                                                                                             \
		find_within(&t, j->b->size[2]);                                                              \
		get(j, lines);                                                                               \
                                                                                                             \
		for (int i = 0; i < j->columns; i++) {                                                       \
			const struct column *c = &j->column[i];                                              \
			const bool level = (c->z[1] == 0. && c->step[1] == 0.);                              \
			float *line = lines[i] + COLUMN_GUARD;                                               \
                                                                                                             \
			if (!(j->done >> i & 1))                                                             \
				continue;                                                                    \
                                                                                                             \
			find_chain(&t, j, c, level);                                                         \
			scale(line, j, c);                                                                   \
                                                                                                             \
			if (level)                                                                           \
				spread_level_##isa(j, c, &t, line, box);                                     \
			else                                                                                 \
				spread_all(&t, j->rows, line, box);                                          \
		}                                                                                            \
	}                                                                                                    \
	static const struct column_kernels kernels_##isa = {forward_##isa, adjoint_##isa};

LEVEL_PAIR(plain, , add_up, hand_out)
KERNEL_PAIR(plain, , collect, spread, get_lines, add_lines)

#ifdef __x86_64__
/** Where rows of a group begin and end among voxels: row reach[.][n] + k inv_step[n], rounded up, is the
 * first that may be in voxel k, and `most` rows may. */
struct reach {
	_Alignas(64) float row[2][MOST];
	_Alignas(64) int most[MOST + LANES];
};

INLINE void find_reach(struct reach *o, const struct chain *t, const struct group *g)
{
	const float slack = 1e-3f, voxel = 1.f / (1 << SIDDON_BITS);

	SIMD for (int n = 0; n < t->count; n++)
	{
		o->row[0][n] = -(float)(int)g->first[0][n] * voxel * t->inv_step[n] - slack;
		o->row[1][n] = -(float)(int)g->first[1][n] * voxel * t->inv_step[n + 1] - slack;
	}

	SIMD for (int n = 0; n <= t->count; n++) o->most[n] = (int)(t->inv_step[n] + 2.f * slack) + 1;
}

#define AVX2_FMA __attribute__((target("avx2,fma")))

enum { HALF = LANES / 2, QUARTER = HALF / 2 };

/** Rows of 16, or what belongs to them. */
struct ints256 {
	__m256i half[2];
};
struct floats256 {
	__m256 half[2];
};

AVX2_FMA INLINE __m256i lanes256(int h)
{
	return _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(h * HALF));
}

/** Where rows begin, or end. */
AVX2_FMA INLINE struct ints256 find_ends256(unsigned first, unsigned step)
{
	struct ints256 o;

	UNROLL for (int h = 0; h < 2; h++) o.half[h] = _mm256_add_epi32(
	        _mm256_set1_epi32((int)first), _mm256_mullo_epi32(lanes256(h), _mm256_set1_epi32((int)step)));

	return o;
}

/** find_rows() of one half: the length in the first voxel. */
AVX2_FMA INLINE __m256 in_first256(__m256i za, __m256i flip, __m256 inv_rise, __m256 length)
{
	const __m256i part = _mm256_set1_epi32((1 << SIDDON_BITS) - 1),
	              from = _mm256_and_si256(_mm256_xor_si256(za, flip), part);

	return _mm256_min_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(from), inv_rise), length);
}

/** Lanes i whose bit i of `bits` is set: the sign of each. */
AVX2_FMA INLINE __m256i signs256(unsigned bits)
{
	return _mm256_sllv_epi32(
	        _mm256_set1_epi32((int)bits), _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24));
}

/** Voxels line[0], .. of the brick. */
AVX2_FMA INLINE __m256 voxels256(const float *line, unsigned within)
{
	return _mm256_maskload_ps(line, signs256(within));
}

/** Of 16, that of number k. */
AVX2_FMA INLINE __m256 pick256(__m256 low, __m256 high, __m256i k)
{
	return _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, k), _mm256_permutevar8x32_ps(high, k),
	        _mm256_castsi256_ps(_mm256_slli_epi32(k, 28)));
}

/** Of 32. */
AVX2_FMA INLINE __m256 pick_wide256(const __m256 voxel[4], __m256i k)
{
	return _mm256_blendv_ps(pick256(voxel[0], voxel[1], k), pick256(voxel[2], voxel[3], k),
	        _mm256_castsi256_ps(_mm256_slli_epi32(k, 27)));
}

/** Voxels line[low], .. of the brick. Masks take long to make. */
AVX2_FMA INLINE __m256 window256(const float *line, unsigned within, unsigned low)
{
	within >>= low;
	return ((within & 0xff) == 0xff) ? _mm256_loadu_ps(line + low) : voxels256(line + low, within);
}

/** The part of 8 rows in a stretch. low: where the first of the lower and of the upper 4 rows are. near: 4
 * rows, and where they end, lie within 8 voxels. */
AVX2_FMA INLINE __m256 collect_half256(const float *line, unsigned within, __m256i za, __m256i zb,
        __m256 in_first, __m256 length, const unsigned low[2], bool near)
{
	__m256i first = _mm256_srli_epi32(za, SIDDON_BITS), last = _mm256_srli_epi32(zb, SIDDON_BITS);
	__m256 a, b;

	if (near) {
		const __m256i start = _mm256_shuffle_epi32(_mm256_min_epu32(first, last), 0);
		const __m256 v0 = window256(line, within, low[0]), v1 = window256(line, within, low[1]);

		first = _mm256_sub_epi32(first, start);
		last = _mm256_sub_epi32(last, start);
		a = _mm256_blend_ps(
		        _mm256_permutevar8x32_ps(v0, first), _mm256_permutevar8x32_ps(v1, first), 0xf0);
		b = _mm256_blend_ps(
		        _mm256_permutevar8x32_ps(v0, last), _mm256_permutevar8x32_ps(v1, last), 0xf0);
	} else {
		__m256 voxel[4];

		UNROLL for (int q = 0; q < 4; q++) voxel[q] =
		        voxels256(line + q * HALF, within >> (q * HALF));

		a = pick_wide256(voxel, first);
		b = pick_wide256(voxel, last);
	}

	return _mm256_add_ps(_mm256_mul_ps(in_first, a), _mm256_mul_ps(_mm256_sub_ps(length, in_first), b));
}

/** Where the first of 4 rows is, from `low`, in every stretch of a group. */
struct quarters256 {
	_Alignas(64) unsigned low[LANES / QUARTER][MOST];
};

INLINE void find_quarters256(struct quarters256 *o, const struct chain *t, const struct group *g)
{
	for (unsigned q = 0; q < LANES / QUARTER; q++)
		SIMD for (int n = 0; n < t->count; n++)
		{
			const unsigned a = g->first[0][n] + q * QUARTER * t->units[n],
			               b = g->first[1][n] + q * QUARTER * t->units[n + 1];

			o->low[q][n] = ((a < b) ? a : b) >> SIDDON_BITS;
		}
}

/** Rows of a group through its stretches. */
AVX2_FMA INLINE void collect_rows256(struct floats256 *sum, const struct chain *t, const struct group *g,
        int r, const float *box, bool near)
{
	struct floats256 inv_rise;
	struct quarters256 first;
	struct ints256 flip;

	if (near)
		find_quarters256(&first, t, g);

	UNROLL for (int h = 0; h < 2; h++)
	{
		flip.half[h] = _mm256_loadu_si256((const __m256i *)(t->flip + r + h * HALF));
		inv_rise.half[h] = _mm256_loadu_ps(t->inv_rise + r + h * HALF);
	}

	for (int n = g->from; n < g->to; n++) {
		const unsigned a = g->first[0][n], b = g->first[1][n], da = t->units[n], db = t->units[n + 1];
		const struct ints256 za = find_ends256(a, da), zb = find_ends256(b, db);
		const __m256 length = _mm256_set1_ps(t->length[n]);
		const float *line = box + t->line[n] + g->low[n];
		const unsigned within = t->within[g->low[n] + SIDDON_WINDOW];

		UNROLL for (int h = 0; h < 2; h++)
		{
			const __m256 in_first =
			        in_first256(za.half[h], flip.half[h], inv_rise.half[h], length);
			const unsigned low[2] = {
			        near ? first.low[2 * h][n] : 0, near ? first.low[2 * h + 1][n] : 0};

			sum->half[h] =
			        _mm256_add_ps(sum->half[h], collect_half256(line, within, za.half[h],
			                                            zb.half[h], in_first, length, low, near));
		}
	}
}

/** Sums of rows past the group are wrong: its own are kept, and the others are those of the next one. */
AVX2_FMA static void collect256(const struct chain *t, int rows, float *sum, const float *box)
{
	const int group = t->rows[0];
	struct group g;

	start_groups(&g, t, group);

	for (int r = 0; r < rows; r += group) {
		_Alignas(32) float all[LANES];
		struct floats256 s = {{_mm256_setzero_ps(), _mm256_setzero_ps()}};

		next_group(&g, t);

		if (t->near)
			collect_rows256(&s, t, &g, r, box, true);
		else
			collect_rows256(&s, t, &g, r, box, false);

		UNROLL for (int h = 0; h < 2; h++) _mm256_store_ps(all + h * HALF, s.half[h]);

		memcpy(sum + r, all, (size_t)group * sizeof *all);
	}
}

/** The voxels in which rows of a half may begin or end, in groups of 8: the last group of the lower 8 rows,
 * and the first of the upper ones. */
struct split256 {
	_Alignas(64) int low_last[MOST], high_first[MOST];
};

INLINE void find_split256(struct split256 *o, const struct chain *t, const struct group *g, int rows)
{
	SIMD for (int n = 0; n < t->count; n++)
	{
		const unsigned da = t->units[n], db = t->units[n + 1], a = g->first[0][n] + (HALF - 1) * da,
		               b = g->first[1][n] + (HALF - 1) * db, low = (a > b) ? a : b, a1 = a + da,
		               b1 = b + db, high = (a1 < b1) ? a1 : b1;

		o->low_last[n] = (rows < HALF) ? 3 : (int)(low >> (SIDDON_BITS + 3));
		o->high_first[n] = (rows <= HALF) ? 4 : (int)(high >> (SIDDON_BITS + 3));
	}
}

/** add_those512() for 8 voxels and 8 rows: others that a look-up finds are not in these voxels. r: the first
 * row that may be in each of them, or the one before. */
AVX2_FMA INLINE __m256 add_those256(__m256 sum, __m256i k, __m256i r, __m256i voxel, __m256 value, int most)
{
	for (int i = 0; i < most; i++) {
		const __m256 here =
		        _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_permutevar8x32_epi32(voxel, r), k));

		sum = _mm256_add_ps(sum, _mm256_and_ps(here, _mm256_permutevar8x32_ps(value, r)));
		r = _mm256_add_epi32(r, _mm256_set1_epi32(1));
	}

	return sum;
}

/** What all rows give to voxels 8 h .. 8 h + 7 in stretch n. */
AVX2_FMA INLINE __m256 add_halves256(__m256 sum, int h, const struct split256 *s, int n,
        const struct ints256 *voxel, const struct floats256 *value, float first, float inv, int most)
{
	const __m256i k = lanes256(h);
	const __m256i r = _mm256_cvtps_epi32(
	        _mm256_fmadd_ps(_mm256_cvtepi32_ps(k), _mm256_set1_ps(inv), _mm256_set1_ps(first + 0.5f)));

	if (h <= s->low_last[n])
		sum = add_those256(sum, k, r, voxel->half[0], value->half[0], most);

	if (h >= s->high_first[n])
		sum = add_those256(sum, k, r, voxel->half[1], value->half[1], most);

	return sum;
}

AVX2_FMA static void spread256(const struct chain *t, int rows, const float *y, float *box)
{
	const int group = t->rows[1];
	struct group g;

	start_groups(&g, t, group);

	for (int r = 0; r < rows; r += group) {
		const int count = (rows - r < group) ? rows - r : group;
		struct floats256 inv_rise, values;
		struct ints256 flip;
		struct split256 s;
		struct reach reach;

		next_group(&g, t);
		find_reach(&reach, t, &g);
		find_split256(&s, t, &g, group);

		UNROLL for (int h = 0; h < 2; h++)
		{
			flip.half[h] = _mm256_loadu_si256((const __m256i *)(t->flip + r + h * HALF));
			inv_rise.half[h] = _mm256_loadu_ps(t->inv_rise + r + h * HALF);
			values.half[h] = _mm256_maskload_ps(
			        y + r + h * HALF, signs256(((1u << count) - 1) >> (h * HALF)));
		}

		for (int n = g.from; n < g.to; n++) {
			struct ints256 first = find_ends256(g.first[0][n], t->units[n]),
			               last = find_ends256(g.first[1][n], t->units[n + 1]);
			const __m256 length = _mm256_set1_ps(t->length[n]);
			const unsigned within = t->within[g.low[n] + SIDDON_WINDOW];
			struct floats256 va, vb;
			float *line = box + t->line[n] + g.low[n];

			UNROLL for (int h = 0; h < 2; h++)
			{
				const __m256 in_first =
				        in_first256(first.half[h], flip.half[h], inv_rise.half[h], length);

				va.half[h] = _mm256_mul_ps(in_first, values.half[h]);
				vb.half[h] = _mm256_mul_ps(_mm256_sub_ps(length, in_first), values.half[h]);
				first.half[h] = _mm256_srli_epi32(first.half[h], SIDDON_BITS);
				last.half[h] = _mm256_srli_epi32(last.half[h], SIDDON_BITS);
			}

			for (int h = 0; h < (is_wide(&g, n) ? 4 : 2); h++) {
				const unsigned in = within >> (h * HALF) & 0xff;
				float *to = line + h * HALF;
				__m256 add = _mm256_setzero_ps();

				add = add_halves256(add, h, &s, n, &first, &va, reach.row[0][n],
				        t->inv_step[n], reach.most[n]);
				add = add_halves256(add, h, &s, n, &last, &vb, reach.row[1][n],
				        t->inv_step[n + 1], reach.most[n + 1]);

				if (in == 0xff)
					_mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), add));
				else
					_mm256_maskstore_ps(to, signs256(in),
					        _mm256_add_ps(_mm256_maskload_ps(to, signs256(in)), add));
			}
		}
	}
}

LEVEL_PAIR(avx2, AVX2, add_up, hand_out)
KERNEL_PAIR(avx2, AVX2_FMA, collect256, spread256, get_lines256, add_lines256)

AVX512 INLINE __m512i lanes512(void)
{
	return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/** find_rows() in registers. */
struct rows512 {
	__m512i za, zb, first, last;
	__m512 in_first, in_last;
};

AVX512 INLINE void find_rows512(
        struct rows512 *o, const struct chain *t, const struct group *g, int n, __m512i flip, __m512 inv_rise)
{
	const __m512i lane = lanes512(), part = _mm512_set1_epi32((1 << SIDDON_BITS) - 1);
	const __m512 all = _mm512_set1_ps(t->length[n]);

	o->za = _mm512_add_epi32(_mm512_set1_epi32((int)g->first[0][n]),
	        _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)t->units[n])));
	o->zb = _mm512_add_epi32(_mm512_set1_epi32((int)g->first[1][n]),
	        _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)t->units[n + 1])));
	o->first = _mm512_srli_epi32(o->za, SIDDON_BITS);
	o->last = _mm512_srli_epi32(o->zb, SIDDON_BITS);

	const __m512i from = _mm512_and_epi32(_mm512_xor_epi32(o->za, flip), part);

	o->in_first = _mm512_min_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(from), inv_rise), all);
	o->in_last = _mm512_sub_ps(all, o->in_first);
}

AVX512 static void collect512(const struct chain *t, int rows, float *sum, const float *box)
{
	const int group = t->rows[0];
	const __mmask16 in = (1u << group) - 1;
	struct group g;

	start_groups(&g, t, group);

	for (int r = 0; r < rows; r += group) {
		const __m512i flip = _mm512_loadu_si512(t->flip + r);
		const __m512 inv_rise = _mm512_loadu_ps(t->inv_rise + r);
		__m512 s = _mm512_maskz_loadu_ps(in, sum + r);
		struct rows512 o;

		next_group(&g, t);

		for (int n = g.from; n < g.to; n++) {
			find_rows512(&o, t, &g, n, flip, inv_rise);

			const float *line = box + t->line[n] + g.low[n];
			const unsigned within = t->within[g.low[n] + SIDDON_WINDOW];
			const __m512 low = _mm512_maskz_loadu_ps((__mmask16)within, line),
			             high = _mm512_maskz_loadu_ps((__mmask16)(within >> LANES), line + LANES);
			const __m512 a = _mm512_permutex2var_ps(low, o.first, high),
			             b = _mm512_permutex2var_ps(low, o.last, high);

			s = _mm512_add_ps(
			        s, _mm512_add_ps(_mm512_mul_ps(o.in_first, a), _mm512_mul_ps(o.in_last, b)));
		}

		_mm512_mask_storeu_ps(sum + r, in, s);
	}
}

/** Adds to 16 voxels, k of them and on, of the rows in each of them, at most `most`. The first that may be:
 * by its position, and a little before that. */
AVX512 INLINE __m512 add_those512(
        __m512 sum, __m512i k, __m512i voxel, __m512 value, float first, float inv, int most)
{
	__m512i r = _mm512_cvt_roundps_epi32(
	        _mm512_fmadd_ps(_mm512_cvtepi32_ps(k), _mm512_set1_ps(inv), _mm512_set1_ps(first)),
	        _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);

	for (int i = 0; i < most; i++) {
		const __mmask16 here = _mm512_cmpeq_epi32_mask(_mm512_permutexvar_epi32(r, voxel), k);

		sum = _mm512_mask_add_ps(sum, here, sum, _mm512_permutexvar_ps(r, value));
		r = _mm512_add_epi32(r, _mm512_set1_epi32(1));
	}

	return sum;
}

AVX512 static void spread512(const struct chain *t, int rows, const float *y, float *box)
{
	const int group = t->rows[1];
	struct group g;

	start_groups(&g, t, group);

	for (int r = 0; r < rows; r += group) {
		const int count = (rows - r < group) ? rows - r : group;
		const __m512i flip = _mm512_loadu_si512(t->flip + r), lane = lanes512();
		const __m512 inv_rise = _mm512_loadu_ps(t->inv_rise + r),
		             values = _mm512_maskz_loadu_ps((1u << count) - 1, y + r);
		struct reach reach;
		struct rows512 o;

		next_group(&g, t);
		find_reach(&reach, t, &g);

		for (int n = g.from; n < g.to; n++) {
			find_rows512(&o, t, &g, n, flip, inv_rise);

			const unsigned within = t->within[g.low[n] + SIDDON_WINDOW];
			const __m512 va = _mm512_mul_ps(o.in_first, values),
			             vb = _mm512_mul_ps(o.in_last, values);
			float *line = box + t->line[n] + g.low[n];

			for (int h = 0; h < (is_wide(&g, n) ? 2 : 1); h++) {
				const __m512i k = _mm512_add_epi32(lane, _mm512_set1_epi32(h * LANES));
				const __mmask16 in = (__mmask16)(within >> (h * LANES));
				__m512 add = _mm512_setzero_ps();

				add = add_those512(
				        add, k, o.first, va, reach.row[0][n], t->inv_step[n], reach.most[n]);
				add = add_those512(add, k, o.last, vb, reach.row[1][n], t->inv_step[n + 1],
				        reach.most[n + 1]);
				_mm512_mask_storeu_ps(line + h * LANES, in,
				        _mm512_add_ps(_mm512_maskz_loadu_ps(in, line + h * LANES), add));
			}
		}
	}
}

AVX512 INLINE void add_up512(float sum[LEVEL_EDGE], const struct chain *t, const float *box)
{
	__m512 s[LEVEL_EDGE / LANES];

	UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++) s[q] = _mm512_setzero_ps();

	for (int n = 0; n < t->count; n++) {
		const float *line = box + t->line[n] + 1;
		const __m512 w = _mm512_set1_ps(t->length[n]);

		UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++) s[q] =
		        _mm512_add_ps(s[q], _mm512_mul_ps(w, _mm512_loadu_ps(line + q * LANES)));
	}

	UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++) _mm512_storeu_ps(sum + q * LANES, s[q]);
}

AVX512 INLINE void hand_out512(const float line[LEVEL_EDGE], const struct chain *t, float *box)
{
	__m512 r[LEVEL_EDGE / LANES];

	UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++) r[q] = _mm512_loadu_ps(line + q * LANES);

	for (int n = 0; n < t->count; n++) {
		float *to = box + t->line[n] + 1;
		const __m512 w = _mm512_set1_ps(t->length[n]);

		UNROLL for (int q = 0; q < LEVEL_EDGE / LANES; q++) _mm512_storeu_ps(to + q * LANES,
		        _mm512_add_ps(_mm512_loadu_ps(to + q * LANES), _mm512_mul_ps(w, r[q])));
	}
}

LEVEL_PAIR(avx512, AVX512, add_up512, hand_out512)
KERNEL_PAIR(avx512, AVX512, collect512, spread512, get_lines512, add_lines512)
#endif

const struct column_kernels *siddon_column_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
