#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/kern/kern.h"
#include "num/line/stencil_mean.h"
#include "num/line/stencil_rows.h"
#include "num/line/sum_kern.h"

/** Rows longer than that are computed in parts elsewhere; rows of a program that may be copied. [elements] */
enum { ROW_MAX = 16384, COPIED = 3 };

/** Elements before a copied row, so that it begins on a line of the cache. */
enum { MARGIN = 2048 };

enum { CACHE_LINE = 64 }; // [bytes]

/** Elements before a line of sums, and lines of sums. */
enum { SUM_MARGIN = 8, SUMS = MEAN_SLICES + 2 * MEAN_RADIUS };

/** What a program reads: elements [low, n + high) of row (y + shift[1], z + shift[2]) of an input. */
struct leaf {
	const struct stencil_input *in;
	const char *base; // row 0 of slice 0
	long shift[3], low, high;
	char *line; // for a copy with the elements around it; NULL: in place
	bool first; // of the leaves of its input: to read a row
};

/** What is stored. */
struct store {
	const struct stencil_output *out;
	int id, root;
	char *base;  // row 0 of slice 0
	bool plain;  // elements are stored as the program writes them
	bool direct; // the program writes there
};

struct stencil_rows {
	const struct expr_run *run;
	const struct stencil *s;
	const struct stencil_work *work;
	enum expr_edge edge;
	enum dtype type; // of elements
	long n[3], size;
	int leaves, stores;
	struct leaf *leaf;
	struct store *store;
	const char **at;
	long *step;  // between the rows of a leaf [bytes]
	bool banded; // computes several rows together, without copies
	char **root, *zeros, *room, *lines, *results, *block;
	bool streams; // the program writes past the cache
	long first;   // slice of the memory of outputs
	long slice;   // number of slice 0
	struct stencil_ends ends;
	const struct mean_set *means; // NULL: the program
	struct stencil_mean mean;
	double *sums[SUMS]; // along dim 1, a slice each
	float *means_of[MEAN_SLICES];
};

static const struct node *node_of(const struct stencil *s, int node)
{
	return &s->plan->g.nodes[node];
}

static const struct stencil_input *input_of(
        const struct stencil *s, const struct stencil_work *work, const struct stencil_stage *a)
{
	const struct node *n = node_of(s, a->node);

	return (NODE_INPUT == n->kind && !a->is_virtual) ? &work->in[n->id] : NULL;
}

/** The kernels for a pass of means of rows that are read in place; NULL. */
static const struct mean_set *find_means(
        const struct stencil *s, const struct stencil_work *work, struct stencil_mean *m)
{
	const struct mean_set *set = KERN_CHOOSE(mean_kern);

	if (0 == s->n || s->dims[0] < set->least || s->dims[0] > ROW_MAX || !stencil_mean_find(s, m))
		return NULL;

	const struct stencil_input *in = input_of(s, work, &s->stages[0]);

	return (NULL != in && stencil_input_is_plain(in, DT_FLOAT32)) ? set : NULL;
}

bool stencil_rows_fit(const struct stencil *s, const struct stencil_work *work)
{
	const struct stencil_program *p = &s->last;
	const long n = s->dims[0];
	struct stencil_mean m;
	int copied = 0;

	if (NULL != find_means(s, work, &m))
		return true;

	if (0 == s->n || NULL == p->lines || p->counted || 0 < s->pass->reductions || n > ROW_MAX ||
	        !stencil_lines_take(p->lines, n))
		return false;

	for (int k = 0; k < s->n; k++) {
		const struct stencil_input *in = input_of(s, work, &s->stages[k]);

		if (NULL == in || !stencil_input_is_plain(in, s->stages[k].type))
			return false;
	}

	for (int i = 0; i < p->leaves && !stencil_lines_take_bands(p->lines, n, false); i++) {
		long low, high;

		stencil_lines_reach(p->lines, i, &low, &high);
		copied += 0 > low || 0 < high;

		if (-MARGIN > low || MARGIN < high)
			return false;
	}

	return copied <= COPIED || stencil_lines_is_box(p->lines, n);
}

static void fill_one(const struct stencil_rows *w, char *row, long x, long size)
{
	const long from = stencil_edge(w->edge, x, w->n[0]);

	if (from < 0)
		memset(row + x * size, 0, (size_t)size);
	else if (4 == size)
		memcpy(row + 4 * x, row + 4 * from, 4);
	else
		memcpy(row + 8 * x, row + 8 * from, 8);
}

/** Elements [low, 0) and [n, n + high) of a row by the rule of the edges. */
static void fill_ends(const struct stencil_rows *w, char *row, long low, long high, long size)
{
	for (long x = low; x < 0; x++)
		fill_one(w, row, x, size);

	for (long x = w->n[0]; x < w->n[0] + high; x++)
		fill_one(w, row, x, size);
}

static void fill_partial(void *ctx, char *row, long low, long high)
{
	const struct stencil_rows *w = ctx;

	fill_ends(w, row, low, high, w->size);
}

static size_t line_bytes(const struct stencil_rows *w)
{
	return (size_t)((w->n[0] + 2 * MARGIN) * w->size);
}

static void add_leaves(struct stencil_rows *w)
{
	const struct stencil *s = w->s;
	const struct stencil_program *p = &s->last;
	const bool is_box = stencil_lines_is_box(p->lines, w->n[0]);

	w->banded = stencil_lines_take_bands(p->lines, w->n[0], false);
	w->leaves = p->leaves;
	w->leaf = mem_calloc((size_t)p->leaves + 1, sizeof *w->leaf);
	w->at = mem_calloc((size_t)p->leaves + 1, sizeof *w->at);
	w->step = mem_calloc((size_t)p->leaves + 1, sizeof *w->step);
	w->lines = mem_alloc(COPIED * line_bytes(w));

	for (int i = 0, copied = 0; i < p->leaves; i++) {
		const struct stencil_leaf *l = &p->leaf[i];
		struct leaf *f = &w->leaf[i];

		*f = (struct leaf){.in = input_of(s, w->work, &s->stages[l->stage]),
		        .shift = {0, l->shift[1], l->shift[2]}};
		stencil_lines_reach(p->lines, i, &f->low, &f->high);

		if ((0 > f->low || 0 < f->high) && !is_box && !w->banded)
			f->line = w->lines + (size_t)copied++ * line_bytes(w) + MARGIN * w->size;
	}
}

/** Whether a leaf reads rows before another one does. */
static bool is_before(const struct leaf *f, const struct leaf *g)
{
	return (f->shift[2] != g->shift[2]) ? f->shift[2] > g->shift[2] : f->shift[1] > g->shift[1];
}

static void find_first(struct stencil_rows *w)
{
	for (int i = 0; i < w->leaves; i++) {
		w->leaf[i].first = true;

		for (int k = 0; k < w->leaves; k++)
			if (w->leaf[k].in == w->leaf[i].in && is_before(&w->leaf[k], &w->leaf[i]))
				w->leaf[i].first = false;
	}
}

/** The rows along dim 1 that a mean is made of. */
static void add_mean(struct stencil_rows *w)
{
	const long rows = 2 * w->mean.r[1] + 1, line = (w->n[0] + 2 * SUM_MARGIN + 15) / 16 * 16;

	w->leaves = (int)rows;
	w->leaf = mem_calloc((size_t)rows, sizeof *w->leaf);
	w->at = mem_calloc((size_t)rows, sizeof *w->at);
	w->sums[0] = (double *)mem_alloc((size_t)(line * SUMS) * sizeof(double)) + SUM_MARGIN;
	w->means_of[0] = mem_alloc((size_t)(line * MEAN_SLICES) * sizeof(float));

	for (int k = 1; k < SUMS; k++)
		w->sums[k] = w->sums[k - 1] + line;

	for (int k = 1; k < MEAN_SLICES; k++)
		w->means_of[k] = w->means_of[k - 1] + line;

	for (long i = 0; i < rows; i++)
		w->leaf[i] = (struct leaf){
		        .in = input_of(w->s, w->work, &w->s->stages[0]), .shift = {0, i - w->mean.r[1], 0}};
}

static int root_of(const struct stencil_program *p, int node)
{
	int k = 0;

	while (node != p->root[k].node)
		k++;

	return k;
}

static void add_stores(struct stencil_rows *w)
{
	const struct stencil *s = w->s;
	const struct stencil_program *p = &s->last;

	w->store = mem_calloc((size_t)s->pass->n, sizeof *w->store);
	w->root = mem_calloc((size_t)p->roots, sizeof *w->root);
	w->results = mem_alloc((size_t)p->roots * line_bytes(w));
	w->block = mem_alloc((size_t)w->n[0] * 16);

	for (int k = 0; k < p->roots; k++)
		w->root[k] = w->results + (size_t)k * line_bytes(w);

	for (int i = 0; i < s->pass->n; i++) {
		const struct step *t = &s->pass->steps[i];

		if (STEP_STORE != t->kind)
			continue;

		const struct stencil_output *o = &w->work->out[t->id];
		struct store *a = &w->store[w->stores++];

		*a = (struct store){.out = o, .id = t->id, .root = root_of(p, t->node)};
		a->plain = stencil_output_is_plain(o, w->type);

		for (int k = 0; k < w->stores - 1; k++)
			a->plain = a->plain && w->store[k].root != a->root;
	}
}

struct stencil_rows *stencil_rows_create(
        const struct expr_run *r, const struct stencil *s, const struct stencil_work *work)
{
	struct stencil_rows *w = NEW(struct stencil_rows);

	*w = (struct stencil_rows){.run = r,
	        .s = s,
	        .work = work,
	        .edge = s->plan->edge,
	        .n = {s->dims[0], s->dims[1], s->dims[2]},
	        .ends = {fill_partial, w}};
	w->means = find_means(s, work, &w->mean);
	w->type = (NULL != w->means) ? DT_FLOAT32 : s->stages[0].type;
	w->size = (long)dtype_size(w->type);

	if (NULL != w->means) {
		add_mean(w);
	} else {
		add_leaves(w);
		find_first(w);
		w->room = mem_alloc(stencil_lines_room(s->last.lines, w->n[0]) + 64);
	}

	add_stores(w);
	w->zeros = memset(mem_alloc(line_bytes(w)), 0, line_bytes(w));

	return w;
}

void stencil_rows_free(struct stencil_rows *w)
{
	if (NULL == w)
		return;

	free((NULL == w->sums[0]) ? NULL : w->sums[0] - SUM_MARGIN);
	free(w->means_of[0]);
	free(w->leaf);
	free(w->store);
	free(w->at);
	free(w->step);
	free(w->root);
	free(w->zeros);
	free(w->room);
	free(w->lines);
	free(w->results);
	free(w->block);
	free(w);
}

static long inside(enum expr_edge edge, long i, long n)
{
	return (0 <= i && i < n) ? i : stencil_edge(edge, i, n);
}

static const char *find_row(const struct stencil_rows *w, const struct leaf *f, long y, long z)
{
	y = inside(w->edge, y + f->shift[1], w->n[1]);
	z = inside(w->edge, z + f->shift[2], w->n[2]);

	if (y < 0 || z < 0)
		return w->zeros + MARGIN * w->size;

	const char *row = f->base + y * f->in->strs[1] + z * f->in->strs[2];

	if (NULL == f->line)
		return row;

	memcpy(f->line, row, (size_t)(w->n[0] * w->size));
	fill_ends(w, f->line, f->low, f->high, w->size);

	return f->line;
}

/** Asks for the rows that row y + 1 of slice z is the first to read. Inline, since gcc drops calls of
 * functions that only prefetch. */
static inline __attribute__((always_inline)) void fetch_rows(const struct stencil_rows *w, long y, long z)
{
	for (int i = 0; i < w->leaves; i++) {
		const struct leaf *f = &w->leaf[i];
		const long next = y + f->shift[1] + 1, slice = z + f->shift[2];

		if (!f->first || next < 0 || next >= w->n[1] || slice < 0 || slice >= w->n[2])
			continue;

		const char *row = f->base + next * f->in->strs[1] + slice * f->in->strs[2];

		for (long k = 0; k < w->n[0] * w->size; k += CACHE_LINE)
			__builtin_prefetch(row + k);
	}
}

static char *output_row(const struct stencil_rows *w, const struct store *a, long y, long z)
{
	return a->base + y * a->out->strs[1] + (z - w->first) * a->out->strs[2];
}

static void put_row(struct stencil_rows *w, const struct store *a, long y, long z, long *lost)
{
	const struct stencil_output *o = a->out;
	const enum narrow narrow = w->s->plan->rules.narrow;
	const char *value = w->root[a->root];

	if (NULL != o->file) {
		lost[a->id] += kern_store(o->type, o->swapped, w->block, (long)dtype_size(o->type), w->type,
		        value, w->n[0], narrow, false);
		cfl_put(o->file, ((w->slice + z) * w->n[1] + y) * w->n[0], w->n[0], w->block);
		return;
	}

	lost[a->id] += kern_store(o->type, o->swapped, output_row(w, a, y, z), o->strs[0], w->type, value,
	        w->n[0], narrow, o->stream);
}

static void find_rows(struct stencil_rows *w, long y, long z)
{
	for (int i = 0; i < w->leaves; i++)
		w->at[i] = find_row(w, &w->leaf[i], y, z);
}

/** Whether a row of results, and all others of the output, can be written past the cache. */
static bool is_streamed(const struct stencil_rows *w, const struct stencil_output *o, const char *row)
{
	if (!o->stream || 1 != w->stores)
		return false;

	if (NULL == w->means)
		return stencil_lines_streams(w->s->last.lines, row, w->n[0]);

	return w->means->streams && 0 == (uintptr_t)row % CACHE_LINE && 0 == w->n[0] * w->size % CACHE_LINE &&
	       0 == o->strs[1] % CACHE_LINE && 0 == o->strs[2] % CACHE_LINE;
}

/** Where the results of a row are written. */
static void find_roots(struct stencil_rows *w, long y, long z)
{
	w->streams = false;

	for (int k = 0; k < w->stores; k++) {
		struct store *a = &w->store[k];

		if (!a->plain)
			continue;

		char *row = output_row(w, a, y, z);

		w->streams = is_streamed(w, a->out, row);
		a->direct = !a->out->stream || w->streams;

		if (a->direct)
			w->root[a->root] = row;
		else if (NULL == w->means)
			w->root[a->root] = w->results + (size_t)a->root * line_bytes(w);
	}
}

static void put_rows(struct stencil_rows *w, long y, long z, long *lost)
{
	for (int k = 0; k < w->stores; k++)
		if (!w->store[k].direct)
			put_row(w, &w->store[k], y, z, lost);
}

static void run_row(struct stencil_rows *w, long y, long z, long *lost)
{
	bool negative;

	find_rows(w, y, z);
	find_roots(w, y, z);
	fetch_rows(w, y, z);
	stencil_lines_run(w->s->last.lines, w->run->scalars, w->room, w->at, w->root, w->n[0], &w->ends,
	        w->streams, &negative);
	put_rows(w, y, z, lost);
}

/** How many rows from y to `end` are computed together: one where a leaf's row lies beyond the borders. */
static long count_rows(const struct stencil_rows *w, long y, long end)
{
	long rows = min_long(STENCIL_BAND, end - y);

	for (int i = 0; i < w->leaves; i++) {
		const long from = y + w->leaf[i].shift[1];

		rows = (from < 0 || from >= w->n[1]) ? 1 : min_long(rows, w->n[1] - from);
	}

	return rows;
}

/** Whether a row of the results, and those after it, are written in place. */
static bool is_direct(const struct stencil_rows *w)
{
	const struct store *a = &w->store[0];

	return 1 == w->stores && a->direct && (!w->streams || 0 == a->out->strs[1] % CACHE_LINE);
}

/** Rows from y on, none of which reads rows beyond the borders unless it is the only one. */
static void run_band(struct stencil_rows *w, long y, long rows, long z, long *lost)
{
	find_rows(w, y, z);
	find_roots(w, y, z);

	if (1 < rows && !is_direct(w)) {
		for (long i = 0; i < rows; i++)
			run_band(w, y + i, 1, z, lost);

		return;
	}

	struct stencil_band b = {.leaf = w->at,
	        .step = w->step,
	        .root = w->root[0],
	        .root_step = w->store[0].out->strs[1],
	        .n = w->n[0],
	        .rows = rows,
	        .edge = w->edge,
	        .stream = w->streams};

	for (int i = 0; i < w->leaves; i++) {
		const struct leaf *f = &w->leaf[i];
		const long slice = z + f->shift[2], next = y + f->shift[1] + rows;

		// a slice beyond the borders may be one row of zeros
		w->step[i] = (0 <= inside(w->edge, slice, w->n[2])) ? f->in->strs[1] : 0;

		if (f->first && 0 <= slice && slice < w->n[2] && 0 <= next && next < w->n[1]) {
			b.fetch = w->at[i] + rows * f->in->strs[1];
			b.fetch_step = f->in->strs[1];
			b.fetch_bytes = w->n[0] * w->size;
		}
	}

	stencil_lines_run_band(w->s->last.lines, w->run->scalars, &b);
	put_rows(w, y, z, lost);
}

/** The sums along dim 1 at row y of slice z, and around the ends of the row. */
static void sum_rows(struct stencil_rows *w, double *sum, long y, long z)
{
	const float *row[2 * MEAN_RADIUS + 1];
	const char *last = NULL;

	for (int i = 0; i < w->leaves; i++) {
		last = find_row(w, &w->leaf[i], y, z);
		row[i] = (const float *)(const void *)last;
	}

	// of the next row of sums
	const float *next = (const float *)(const void *)(last + w->leaf[0].in->strs[1]);

	w->means->rows(w->leaves, row, next, sum, w->n[0]);
	fill_ends(w, (char *)sum, -w->mean.r[0], w->mean.r[0], sizeof *sum);
}

_Static_assert((int)STENCIL_ROWS_DEEP <= (int)MEAN_SLICES, "a group of slices has lines of sums");

/** Row y of slices [first, end). */
static void run_means(struct stencil_rows *w, long y, long first, long end, long *lost)
{
	const long r = w->mean.r[2];
	float *out[MEAN_SLICES];
	struct mean_boxes b = {.r = (int)w->mean.r[0],
	        .slices = (int)(2 * r + 1),
	        .count = (int)(end - first),
	        .rows = (const double *const *)w->sums,
	        .out = out};

	memcpy(&b.divisor, w->run->scalars[w->mean.divisor], sizeof b.divisor);

	for (long z = first - r; z < end + r; z++)
		sum_rows(w, w->sums[z - (first - r)], y, z);

	for (long z = first; z < end; z++) {
		w->root[0] = (char *)w->means_of[z - first];
		find_roots(w, y, z);
		out[z - first] = (float *)(void *)w->root[0];
	}

	b.stream = w->streams;
	w->means->boxes(&b, w->n[0]);

	for (long z = first; z < end; z++) {
		w->root[0] = (char *)out[z - first];
		put_rows(w, y, z, lost);
	}
}

static long offset_of(const long strs[DIMS], const long rest[DIMS])
{
	long offset = 0;

	for (int d = 3; d < DIMS; d++)
		offset += rest[d] * strs[d];

	return offset;
}

void stencil_rows_run(struct stencil_rows *w, const long from[3], const long to[3], const long rest[DIMS],
        long window_first, long *lost)
{
	w->first = window_first;
	w->slice = 0;

	for (int i = 0; i < w->leaves; i++)
		w->leaf[i].base = w->leaf[i].in->data + offset_of(w->leaf[i].in->strs, rest);

	for (int k = 0; k < w->stores; k++)
		if (NULL == w->store[k].out->file)
			w->store[k].base = w->store[k].out->data + offset_of(w->store[k].out->strs, rest);

	for (int d = DIMS - 1; d >= 3; d--)
		w->slice = w->slice * w->s->dims[d] + rest[d];

	w->slice *= w->n[2];

	for (long first = from[2]; first < to[2]; first += STENCIL_ROWS_DEEP)
		for (long y = from[1], rows = 1; y < to[1]; y += rows) {
			const long end = min_long(first + STENCIL_ROWS_DEEP, to[2]);

			rows = w->banded ? count_rows(w, y, to[1]) : 1;

			for (long z = first; w->banded && z < end; z++)
				run_band(w, y, rows, z, lost);

			if (NULL != w->means)
				run_means(w, y, first, end, lost);

			for (long z = first; NULL == w->means && !w->banded && z < end; z++)
				run_row(w, y, z, lost);
		}
}
