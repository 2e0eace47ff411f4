#include "volume/parts.h"

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/kern.h"

/** Approximate number of voxels of a block of slices, and of the rows that are read at a time. */
static const long block_voxels = 1L << 22, chunk_voxels = 1L << 16;

/** The rows of one slice as runs: [start[y], start[y + 1]) of row y. */
struct slice {
	long *start; // [ny + 1]
	struct run *run;
	long cap;
	uint32_t base;  // number of the first run in the block
	uint64_t *bits; // [ny bits_words(nx)] while the block is scanned
};

struct block {
	long slices, first;
	uint32_t *part; // [runs] the component of each run
	long runs, cap;
	long locals;             // components
	struct slice head, tail; // its first and its last slice
};

/** Joins runs of two rows of bits that share faces. */
typedef void parts_faces(
        uint32_t *parent, const uint64_t *x, uint32_t a, const uint64_t *y, uint32_t b, long words);

struct parts {
	struct parts_volume v;
	long ny, nz; // of slices; an image is a stack of its rows
	int reach;   // largest distance in a diagonal: 1: 6 or 4, 2: 18 or 8, 3: 26
	bool apart;  // slices are not connected
	parts_faces *faces;
	long blocks;
	struct block *block;
	long *base;       // [blocks] number of its first component among those of all blocks
	uint32_t *number; // [all of these] the final number, from 1
	long count;
};

/* ---- union-find: the root of a set is its smallest member ---- */

static inline uint32_t parts_root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}

	return i;
}

static inline void parts_join(uint32_t *parent, uint32_t i, uint32_t j)
{
	i = parts_root(parent, i);
	j = parts_root(parent, j);

	if (i < j)
		parent[j] = i;
	else
		parent[i] = j;
}

/** Replaces parents by numbers of sets, in the order of their smallest members, from `first` on. Returns how
 * many sets there are. */
static long parts_flatten(uint32_t *parent, long n, uint32_t first)
{
	uint32_t sets = 0;

	for (long i = 0; i < n; i++) { // without a branch that nothing predicts
		const uint32_t above = parent[i], set = parent[above];
		const bool root = above == i;

		parent[i] = root ? first + sets : set;
		sets += root;
	}

	return sets;
}

/** Runs of two rows that touch: a[i] is number a0 + i, and so on. Rows that are diagonal neighbours touch one
 * voxel further (more = 1). */
struct row {
	const struct run *run;
	long n;
	uint32_t number;
};

static void parts_join_rows(uint32_t *parent, struct row a, struct row b, uint32_t more)
{
	for (long i = 0, j = 0; i < a.n && j < b.n;) {
		if (b.run[j].end + more <= a.run[i].start) {
			j++;
		} else if (a.run[i].end + more <= b.run[j].start) {
			i++;
		} else {
			parts_join(parent, a.number + (uint32_t)i, b.number + (uint32_t)j);

			if (a.run[i].end < b.run[j].end)
				i++;
			else
				j++;
		}
	}
}

/** Bits that are set where the one before, in this word or the last one, is not. */
static inline uint64_t parts_starts(uint64_t word, uint64_t last)
{
	return word & ~(word << 1 | last >> 63);
}

/** Rows of bits whose voxels share faces: where both begin to be set, the runs are those that have begun by
 * then. Their first runs are numbers a and b. Twice as fast as comparing runs, whose ends nothing predicts.
 */
static inline void parts_join_faces(
        uint32_t *parent, const uint64_t *x, uint32_t a, const uint64_t *y, uint32_t b, long words)
{
	uint64_t xs = 0, ys = 0;

	for (long k = 0; k < words; k++) {
		const uint64_t last = xs & ys, begun_x = parts_starts(x[k], xs),
		               begun_y = parts_starts(y[k], ys);

		for (uint64_t both = parts_starts(x[k] & y[k], last); both; both &= both - 1) {
			const uint64_t low = both ^ (both - 1);

			parts_join(parent, a + (uint32_t)__builtin_popcountl(begun_x & low) - 1,
			        b + (uint32_t)__builtin_popcountl(begun_y & low) - 1);
		}

		a += (uint32_t)__builtin_popcountl(begun_x);
		b += (uint32_t)__builtin_popcountl(begun_y);
		xs = x[k];
		ys = y[k];
	}
}

static void faces_plain(
        uint32_t *parent, const uint64_t *x, uint32_t a, const uint64_t *y, uint32_t b, long words)
{
	parts_join_faces(parent, x, a, y, b, words);
}

#ifdef __x86_64__
__attribute__((target("avx2,popcnt,bmi"))) static void faces_avx2(
        uint32_t *parent, const uint64_t *x, uint32_t a, const uint64_t *y, uint32_t b, long words)
{
	parts_join_faces(parent, x, a, y, b, words);
}

#define faces_avx512 faces_avx2
#endif

static struct row parts_row_of(const struct slice *s, long y)
{
	return (struct row){
	        s->run + s->start[y], s->start[y + 1] - s->start[y], s->base + (uint32_t)s->start[y]};
}

/** Row y of slice a with the rows of slice b, the one before, that are its neighbours. */
static void parts_join_before(
        const struct parts *p, uint32_t *parent, const struct slice *a, const struct slice *b, long y)
{
	const struct row r = parts_row_of(a, y);

	parts_join_rows(parent, r, parts_row_of(b, y), p->reach >= 2);

	if (p->reach < 2)
		return;

	if (y > 0)
		parts_join_rows(parent, r, parts_row_of(b, y - 1), p->reach >= 3);

	if (y + 1 < p->ny)
		parts_join_rows(parent, r, parts_row_of(b, y + 1), p->reach >= 3);
}

/* ---- reading ---- */

/** Rows as runs, read some at a time. */
struct reader {
	const struct parts *p;
	uint64_t *bits;
	long rows, words; // of the buffer; of a row
	long first, n;    // rows in it
};

static long parts_chunk_rows(const struct parts *p)
{
	const long rows = chunk_voxels / p->v.nx;

	return rows > 1 ? rows : 1;
}

static void reader_init(struct reader *r, const struct parts *p)
{
	r->p = p;
	r->rows = parts_chunk_rows(p);
	r->words = bits_words(p->v.nx);
	r->bits = mem_alloc((size_t)(r->rows * r->words) * sizeof *r->bits);
	r->first = r->n = 0;
}

/** The bits of a row; rows up to `end` may be read with it. */
static const uint64_t *reader_row(struct reader *r, long row, long end)
{
	if (row < r->first || row >= r->first + r->n) {
		r->first = row;
		r->n = (end - row < r->rows) ? end - row : r->rows;
		r->p->v.rows(r->p->v.ctx, r->first, r->n, r->bits);
	}

	return r->bits + (row - r->first) * r->words;
}

/* ---- the first pass ---- */

static void slice_init(struct slice *s, long ny, long words)
{
	s->bits = mem_alloc((size_t)(ny * words) * sizeof *s->bits);
	s->start = mem_calloc((size_t)ny + 1, sizeof *s->start);
	s->run = NULL;
	s->cap = 0;
}

static void slice_free(struct slice *s)
{
	free(s->start);
	free(s->run);
	free(s->bits);
}

static void slice_copy(struct slice *d, const struct slice *s, long ny)
{
	d->base = s->base;
	d->bits = NULL;
	d->start = mem_alloc((size_t)(ny + 1) * sizeof *d->start);
	memcpy(d->start, s->start, (size_t)(ny + 1) * sizeof *d->start);
	d->cap = s->start[ny];
	d->run = mem_alloc((size_t)(d->cap + 1) * sizeof *d->run);

	if (d->cap > 0)
		memcpy(d->run, s->run, (size_t)d->cap * sizeof *d->run);
}

/** Appends row y. */
static long slice_row(struct slice *s, long y, long nx, const uint64_t *bits)
{
	const long most = s->start[y] + (nx + 1) / 2;

	if (most > s->cap) {
		s->cap = 2 * most;
		s->run = mem_realloc(s->run, (size_t)s->cap * sizeof *s->run);
	}

	const long n = bits_runs(s->run + s->start[y], nx, bits);

	s->start[y + 1] = s->start[y] + n;

	return n;
}

/** n more runs, each alone. */
static void block_grow(struct block *b, long n)
{
	if (b->runs + n > (long)UINT32_MAX)
		error("a slice has more than %ld runs of voxels", (long)UINT32_MAX);

	if (b->runs + n > b->cap) {
		b->cap = 2 * (b->runs + n);
		b->part = mem_realloc(b->part, (size_t)b->cap * sizeof *b->part);
	}

	for (long i = 0; i < n; i++, b->runs++)
		b->part[b->runs] = (uint32_t)b->runs;
}

/** Row i of a with row j of b. */
static void slice_join_faces(const struct parts *p, uint32_t *parent, const struct slice *a, long i,
        const struct slice *b, long j, long words)
{
	p->faces(parent, a->bits + i * words, a->base + (uint32_t)a->start[i], b->bits + j * words,
	        b->base + (uint32_t)b->start[j], words);
}

static void block_slice(const struct parts *p, struct block *b, struct reader *r, long z, struct slice *now,
        struct slice *before)
{
	const long end = (b->first + b->slices) * p->ny;

	now->base = (uint32_t)b->runs;

	for (long y = 0; y < p->ny; y++) {
		const uint64_t *bits = reader_row(r, z * p->ny + y, end);

		memcpy(now->bits + y * r->words, bits, (size_t)r->words * sizeof *bits);
		block_grow(b, slice_row(now, y, p->v.nx, bits));

		if (1 == p->reach) {
			if (y > 0)
				slice_join_faces(p, b->part, now, y, now, y - 1, r->words);

			if (before)
				slice_join_faces(p, b->part, now, y, before, y, r->words);

			continue;
		}

		if (y > 0)
			parts_join_rows(b->part, parts_row_of(now, y), parts_row_of(now, y - 1), 1);

		if (before)
			parts_join_before(p, b->part, now, before, y);
	}
}

static void block_find(const struct parts *p, struct block *b)
{
	struct slice s[2];
	struct reader r;

	reader_init(&r, p);
	slice_init(&s[0], p->ny, r.words);
	slice_init(&s[1], p->ny, r.words);

	for (long k = 0; k < b->slices; k++) {
		struct slice *before = (k > 0 && !p->apart) ? &s[(k + 1) % 2] : NULL;

		block_slice(p, b, &r, b->first + k, &s[k % 2], before);

		if (0 == k)
			slice_copy(&b->head, &s[0], p->ny);
	}

	slice_copy(&b->tail, &s[(b->slices - 1) % 2], p->ny);
	b->locals = parts_flatten(b->part, b->runs, 0);
	b->part = mem_realloc(b->part, (size_t)(b->runs + 1) * sizeof *b->part);
	slice_free(&s[0]);
	slice_free(&s[1]);
	free(r.bits);
}

/** Joins components of block b with those of the one before: what touches between its first slice and the
 * last of that. */
static void parts_join_blocks(struct parts *p, long k)
{
	const struct block *b = &p->block[k], *a = &p->block[k - 1];

	/* runs stand for components: joined in a forest of the runs of both slices, whose first members are
	 * then joined by component */
	const long na = a->tail.start[p->ny], nb = b->head.start[p->ny];
	uint32_t *parent = mem_alloc((size_t)(na + nb + 1) * sizeof *parent);
	struct slice below = a->tail, above = b->head;

	for (long i = 0; i < na + nb; i++)
		parent[i] = (uint32_t)i;

	below.base = 0;
	above.base = (uint32_t)na;

	for (long y = 0; y < p->ny; y++)
		parts_join_before(p, parent, &above, &below, y);

	for (long i = 0; i < na + nb; i++) {
		const long of = parent[i];
		const uint32_t c = (i < na) ? (uint32_t)p->base[k - 1] + a->part[a->tail.base + i]
		                            : (uint32_t)p->base[k] + b->part[i - na];
		const uint32_t d = (of < na) ? (uint32_t)p->base[k - 1] + a->part[a->tail.base + of]
		                             : (uint32_t)p->base[k] + b->part[of - na];

		if (c != d)
			parts_join(p->number, c, d);
	}

	free(parent);
}

static void parts_number(struct parts *p)
{
	long all = 0;

	for (long k = 0; k < p->blocks; k++) {
		p->base[k] = all;
		all += p->block[k].locals;
	}

	if (all >= (long)UINT32_MAX)
		error("more than %ld components (label the volume in parts, or remove noise first)",
		        (long)UINT32_MAX - 1);

	p->number = mem_alloc((size_t)(all + 1) * sizeof *p->number);

	for (long i = 0; i < all; i++)
		p->number[i] = (uint32_t)i;

	for (long k = 1; k < p->blocks && !p->apart; k++)
		parts_join_blocks(p, k);

	p->count = parts_flatten(p->number, all, 1);
}

/** Slices of the volume: dimensions of length 1 are left out where that changes no neighbours, so that rows
 * are long and images have many slices. */
static void parts_shape(struct parts *p)
{
	p->apart = 4 == p->v.neighbours || 8 == p->v.neighbours;
	p->reach = (6 == p->v.neighbours || 4 == p->v.neighbours) ? 1 : (26 == p->v.neighbours) ? 3 : 2;
	p->ny = p->v.ny;
	p->nz = p->v.nz;

	if (1 == p->nz) {
		p->nz = p->ny;
		p->ny = 1;
	}

	if (1 == p->v.nx || 1 == p->v.ny || 1 == p->v.nz) // an image
		p->apart = false;
}

struct parts *parts_find(const struct parts_volume *v)
{
	struct parts *p = NEW(struct parts);

	p->v = *v;
	p->faces = KERN_CHOOSE(faces);
	parts_shape(p);

	if (v->nx > INT32_MAX)
		error("the volume has %ld voxels along x, expected at most %ld", v->nx, (long)INT32_MAX);

	const long want = block_voxels / v->nx / p->ny, slices = want > 1 ? want : 1;

	p->blocks = (p->nz + slices - 1) / slices;
	p->block = mem_calloc((size_t)p->blocks, sizeof *p->block);
	p->base = mem_calloc((size_t)p->blocks, sizeof *p->base);
	progress_start(v->what, p->nz);

#pragma omp parallel for schedule(dynamic)                                                                   \
        num_threads(threads_for(2. * (double)v->nx * (double)v->ny * (double)v->nz))
	for (long k = 0; k < p->blocks; k++) {
		struct block *b = &p->block[k];

		b->first = k * slices;
		b->slices = (p->nz - b->first < slices) ? p->nz - b->first : slices;
		block_find(p, b);
		progress_add(b->slices);
	}

	progress_end();
	parts_number(p);

	return p;
}

void parts_free(struct parts *p)
{
	for (long k = 0; k < p->blocks; k++) {
		slice_free(&p->block[k].head);
		slice_free(&p->block[k].tail);
		free(p->block[k].part);
	}

	free(p->block);
	free(p->base);
	free(p->number);
	free(p);
}

long parts_count(const struct parts *p)
{
	return p->count;
}

/* ---- the second pass ---- */

static void block_pass(const struct parts *p, const struct parts_pass *s, long k, void *shared)
{
	const struct block *b = &p->block[k];
	const long end = (b->first + b->slices) * p->ny, rows = parts_chunk_rows(p);
	long *start = mem_alloc((size_t)(rows + 1) * sizeof *start);
	struct run *run = mem_alloc((size_t)(rows * ((p->v.nx + 1) / 2 + 1)) * sizeof *run);
	struct reader r;
	long done = 0;

	reader_init(&r, p);

	for (long first = b->first * p->ny; first < end; first += rows) {
		struct parts_chunk c = {.first = first,
		        .rows = (end - first < rows) ? end - first : rows,
		        .start = start,
		        .run = run,
		        .local = b->part + done,
		        .number = p->number + p->base[k],
		        .locals = b->locals};

		start[0] = 0;

		for (long i = 0; i < c.rows; i++)
			start[i + 1] =
			        start[i] + bits_runs(run + start[i], p->v.nx, reader_row(&r, first + i, end));

		s->chunk(s->ctx, shared, &c);
		done += start[c.rows];
	}

	free(start);
	free(run);
	free(r.bits);
}

void parts_pass(const struct parts *p, const struct parts_pass *s)
{
	progress_start(s->what, p->nz);

#pragma omp parallel for ordered schedule(static, 1)                                                         \
        num_threads(threads_for(2. * (double)p->v.nx * (double)p->v.ny * (double)p->v.nz))
	for (long k = 0; k < p->blocks; k++) {
		const struct block *b = &p->block[k];
		const uint32_t *number = p->number + p->base[k];
		void *shared = s->begin ? s->begin(s->ctx, b->locals, number) : NULL;

		block_pass(p, s, k, shared);
		progress_add(b->slices);

#pragma omp ordered
		if (s->end)
			s->end(s->ctx, shared, b->locals, number);
	}

	progress_end();
}
