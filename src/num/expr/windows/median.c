#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/windows/median.h"

/** Sizes of a block of results along x and y, and the number of bits of a digit of the sort. */
enum { BLOCK_X = 64, BLOCK_Y = 32, DIGIT = 11, BINS = 1 << DIGIT };

/** Neighbours in a column of the block that reach equally far along x. */
struct run {
	long at, n, reach; // at: of the first, from the element at (-, -r[1], -r[2])
};

struct median {
	enum dtype type;
	long r[3], count; // elements of a window
	int runs;
	struct run *run;
};

struct item {
	uint64_t key; // in the order of the values
	uint32_t at;
};

struct median_room {
	struct item *item, *other;
	uint32_t *rank; // of the element at (x nz + z) ny + y
	uint64_t *bits;
};

static long block_elements(const struct median *m)
{
	return (BLOCK_X + 2 * m->r[0]) * (BLOCK_Y + 2 * m->r[1]) * (2 * m->r[2] + 1);
}

size_t median_bytes(const struct median *m)
{
	return (size_t)block_elements(m) * (2 * sizeof(struct item) + sizeof(uint32_t) + 1);
}

struct median *median_create(const struct window *w, enum dtype work)
{
	struct median *m = NEW(struct median);

	*m = (struct median){.type = work};
	memcpy(m->r, w->r, sizeof m->r);
	m->run = mem_calloc((size_t)((2 * w->r[1] + 1) * (2 * w->r[2] + 1)), sizeof *m->run);

	for (long z = -w->r[2]; z <= w->r[2]; z++)
		for (long y = -w->r[1]; y <= w->r[1]; y++) {
			const long reach = window_reach(w, y, z);
			struct run *last = (0 < m->runs) ? &m->run[m->runs - 1] : NULL;
			const long at = (z + w->r[2]) * (BLOCK_Y + 2 * w->r[1]) + y + w->r[1];

			if (reach < 0)
				continue;

			if (NULL != last && reach == last->reach && at == last->at + last->n)
				last->n++;
			else
				m->run[m->runs++] = (struct run){at, 1, reach};

			m->count += 2 * reach + 1;
		}

	return m;
}

void median_free(struct median *m)
{
	if (NULL == m)
		return;

	free(m->run);
	free(m);
}

struct median_room *median_room_create(const struct median *m)
{
	struct median_room *r = NEW(struct median_room);
	const size_t n = (size_t)block_elements(m);

	r->item = mem_alloc(n * sizeof *r->item);
	r->other = mem_alloc(n * sizeof *r->other);
	r->rank = mem_alloc(n * sizeof *r->rank);
	r->bits = mem_alloc((n / 64 + 2) * sizeof *r->bits);

	return r;
}

void median_room_free(struct median_room *r)
{
	if (NULL == r)
		return;

	free(r->item);
	free(r->other);
	free(r->rank);
	free(r->bits);
	free(r);
}

/* ---- keys ---- */

static const uint64_t sign = (uint64_t)1 << 63;
static const uint32_t sign32 = (uint32_t)1 << 31;

static uint64_t key_of_float(float f)
{
	uint32_t u;

	f += 0.F; // one zero
	memcpy(&u, &f, sizeof u);

	return isnan(f) ? UINT64_MAX : (u & sign32) ? ~u : u | sign32;
}

static uint64_t key_of_double(double d)
{
	uint64_t u;

	d += 0.;
	memcpy(&u, &d, sizeof u);

	return isnan(d) ? UINT64_MAX : (u & sign) ? ~u : u | sign;
}

/** Keys of n elements: numbers whose order is that of the values; NaN the last. */
static void find_keys(enum dtype t, struct item *to, const char *from, long n)
{
	const float *f = (const void *)from;
	const double *d = (const void *)from;
	const uint64_t *u = (const void *)from;

	for (long i = 0; i < n; i++)
		to[i].key = (DT_FLOAT32 == t)   ? key_of_float(f[i])
		            : (DT_FLOAT64 == t) ? key_of_double(d[i])
		            : (DT_INT64 == t)   ? u[i] ^ sign
		            : (DT_UINT64 == t)  ? u[i]
		                                : (uint64_t)(unsigned char)from[i];
}

static bool is_float(enum dtype t)
{
	return DT_FLOAT32 == t || DT_FLOAT64 == t;
}

static void put_value(enum dtype t, char *to, uint64_t key)
{
	const uint32_t v = (uint32_t)key, u32 = (v & sign32) ? v & ~sign32 : ~v;
	const uint64_t u64 = (key & sign) ? key & ~sign : ~key, i64 = key ^ sign;
	const double nan_double = (double)NAN;
	const float nan_float = NAN;
	const bool bad = is_float(t) && UINT64_MAX == key;

	if (DT_FLOAT32 == t)
		memcpy(to, bad ? (const void *)&nan_float : (const void *)&u32, sizeof u32);
	else if (DT_FLOAT64 == t)
		memcpy(to, bad ? (const void *)&nan_double : (const void *)&u64, sizeof u64);
	else if (DT_INT64 == t)
		memcpy(to, &i64, sizeof i64);
	else if (DT_UINT64 == t)
		memcpy(to, &key, sizeof key);
	else
		*to = (char)key;
}

/** Sorts n items by their keys, digit by digit; digits in which all agree are left out. */
static void sort_items(struct median_room *r, long n)
{
	uint64_t all = ~(uint64_t)0, any = 0;

	for (long i = 0; i < n; i++) {
		all &= r->item[i].key;
		any |= r->item[i].key;
	}

	for (int shift = 0; shift < 64; shift += DIGIT) {
		long start[BINS] = {0}, sum = 0;

		if (0 == ((all ^ any) >> shift & (BINS - 1)))
			continue;

		for (long i = 0; i < n; i++)
			start[r->item[i].key >> shift & (BINS - 1)]++;

		for (int k = 0; k < BINS; k++) {
			const long count = start[k];

			start[k] = sum;
			sum += count;
		}

		for (long i = 0; i < n; i++)
			r->other[start[r->item[i].key >> shift & (BINS - 1)]++] = r->item[i];

		struct item *t = r->item;

		r->item = r->other;
		r->other = t;
	}
}

/* ---- windows ---- */

/** The window's elements as bits; `low` of them lie below bit `at`. */
struct window_set {
	uint64_t *bits;
	uint32_t at, first_nan;
	long low, nans;
};

static inline void enter(struct window_set *s, const uint32_t *rank, long n)
{
	for (long i = 0; i < n; i++) {
		const uint32_t k = rank[i];

		s->bits[k / 64] |= (uint64_t)1 << k % 64;
		s->low += k < s->at;
		s->nans += k >= s->first_nan;
	}
}

static inline void leave_set(struct window_set *s, const uint32_t *rank, long n)
{
	for (long i = 0; i < n; i++) {
		const uint32_t k = rank[i];

		s->bits[k / 64] &= ~((uint64_t)1 << k % 64);
		s->low -= k < s->at;
		s->nans -= k >= s->first_nan;
	}
}

/** The first element at bit k or later; there is one. */
static uint32_t next_bit(const struct window_set *s, uint32_t k)
{
	uint32_t word = k / 64;
	uint64_t v = s->bits[word] >> k % 64 << k % 64;

	while (0 == v)
		v = s->bits[++word];

	return word * 64 + (uint32_t)__builtin_ctzll(v);
}

/** The last one before bit k; there is one. */
static uint32_t previous_bit(const struct window_set *s, uint32_t k)
{
	uint32_t word = k / 64;
	uint64_t v = s->bits[word] & (((uint64_t)1 << k % 64) - 1);

	while (0 == v)
		v = s->bits[--word];

	return word * 64 + 63 - (uint32_t)__builtin_clzll(v);
}

/** Moves to the element that has `half` others below it. */
static void find_middle(struct window_set *s, long half)
{
	for (; s->low > half; s->low--)
		s->at = previous_bit(s, s->at);

	s->at = next_bit(s, s->at);

	for (; s->low < half; s->low++)
		s->at = next_bit(s, s->at + 1);
}

/** Ranks of the elements around nx x ny results; the first of a NaN. */
static uint32_t rank_block(const struct median *m, struct median_room *r, const char *const slice[],
        long pitch, long nx, long ny)
{
	const long size = (long)dtype_size(m->type), nz = 2 * m->r[2] + 1, rows = BLOCK_Y + 2 * m->r[1];
	long n = 0;

	for (long z = 0; z < nz; z++)
		for (long y = 0; y < ny + 2 * m->r[1]; y++) {
			const char *line = slice[z] + (y * pitch - m->r[0]) * size;

			find_keys(m->type, r->item + n, line, nx + 2 * m->r[0]);

			for (long x = 0; x < nx + 2 * m->r[0]; x++)
				r->item[n++].at = (uint32_t)((x * nz + z) * rows + y);
		}

	sort_items(r, n);

	for (long i = 0; i < n; i++)
		r->rank[r->item[i].at] = (uint32_t)i;

	long first = n;

	while (is_float(m->type) && 0 < first && UINT64_MAX == r->item[first - 1].key)
		first--;

	memset(r->bits, 0, (size_t)(n / 64 + 1) * sizeof *r->bits);

	return (uint32_t)first;
}

/** One row of a block: the window slides along it, and is empty again at its end. */
static void slide(
        const struct median *m, const struct median_room *r, struct window_set *s, long y, char *out, long nx)
{
	const long step = (2 * m->r[2] + 1) * (BLOCK_Y + 2 * m->r[1]), size = (long)dtype_size(m->type);
	const uint32_t *centre = r->rank + m->r[0] * step + y;

	s->low = s->nans = 0;

	for (int k = 0; k < m->runs; k++)
		for (long x = -m->run[k].reach; x < m->run[k].reach; x++)
			enter(s, centre + m->run[k].at + x * step, m->run[k].n);

	for (long x = 0; x < nx; x++) {
		for (int k = 0; k < m->runs; k++) {
			const struct run *u = &m->run[k];

			enter(s, centre + u->at + (x + u->reach) * step, u->n);
		}

		find_middle(s, m->count / 2);
		put_value(m->type, out + x * size, (0 < s->nans) ? UINT64_MAX : r->item[s->at].key);

		for (int k = 0; k < m->runs; k++) {
			const struct run *u = &m->run[k];

			leave_set(s, centre + u->at + (x - u->reach) * step, u->n);
		}
	}

	for (int k = 0; k < m->runs; k++)
		for (long x = nx - m->run[k].reach; x < nx + m->run[k].reach; x++)
			leave_set(s, centre + m->run[k].at + x * step, m->run[k].n);
}

void median_rows(const struct median *m, struct median_room *r, const char *const slice[], char *out,
        long pitch, long nx, long ny)
{
	const long size = (long)dtype_size(m->type);
	const char **at = mem_calloc((size_t)(2 * m->r[2] + 1), sizeof *at);

	for (long y = 0; y < ny; y += BLOCK_Y)
		for (long x = 0; x < nx; x += BLOCK_X) {
			const long bx = min_long(BLOCK_X, nx - x), by = min_long(BLOCK_Y, ny - y);
			struct window_set s = {.bits = r->bits};

			for (long z = 0; z < 2 * m->r[2] + 1; z++)
				at[z] = slice[z] + (y * pitch + x) * size;

			s.first_nan = rank_block(m, r, at, pitch, bx, by);

			for (long k = 0; k < by; k++)
				slide(m, r, &s, k, out + ((y + k) * pitch + x) * size, bx);
		}

	free(at);
}
