/* Passes with neighbourhoods: tiles, rings of slices, programs over lines. */

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/memory.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"
#include "num/expr/windows/box.h"
#include "num/expr/windows/median.h"
#include "num/expr/windows/sampler.h"
#include "num/expr/stencil.h"
#include "num/line/stencil_rows.h"
#include "num/md/multind.h"

/** Lines longer than that are cut. [elements] */
enum { LINE_MAX_TILE = 16384 };

/** Rows, and columns times slices about, whose reductions are added up together. */
enum { GROUP_ROWS = 8, GROUP_COUNT = 1 << 15 };

/** Bytes of the second- or third-level cache; 0 if unknown. */
static double cache_bytes(int level)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
	const long bytes = sysconf((2 == level) ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);

	return (bytes > 0) ? (double)bytes : 0.;
#else
	(void)level;
	return 0.;
#endif
}

/** Bytes of rings, or of rows that are read in place, that a thread may fill where its tile can be smaller
 * without much more work: a part of the second-level cache. */
static double cache_share(void)
{
	const double least = 640 << 10, share = 0.5 * cache_bytes(2);

	return (share > least) ? share : least;
}

/** Elements left free at both ends of a slice; lines begin at multiples of LINE elements. */
enum { SLACK = 64, LINE = 16 };

enum { CACHE_LINE = 64 }; // [bytes]

/** The least rows of a tile, in units of those around it on one side. */
enum { SHARE = 6 };

static long parts(long n, long size)
{
	return (n + size - 1) / size;
}

/** The part of a slice that a thread computes, and slices of it. */
struct tile {
	long from[3], to[3];
	long rest[DIMS]; // of the further dims
};

/** How the pass is cut. */
struct cut {
	long width, rows, slices; // of a tile, the last of each may be smaller
	long group_slices;
	long groups[3];
	long pitch;    // elements of a line of a tile with what is around it
	long origin;   // of a slice: those before its first line
	bool in_place; // by num/line/stencil_rows.h
};

struct ring {
	char *data;
	long *tag; // slice in each place
	bool *full;
};

/** Rows of the inputs that are asked for while a slice is computed. */
struct ahead {
	long slice;   // of the results
	long row, to; // the next row, the last + 1
	long done,
	        share; // rows that programs computed since the last one that was asked for, and those between
	const char *at, *end; // of the rows of the only input, if they have no gaps; else NULL
	long part;            // asked for with each row of a band [bytes]
};

struct worker {
	const struct expr_run *run;
	const struct stencil *s;
	const struct stencil_work *work;
	const struct cut *cut;
	const struct tile *tile;
	struct stencil_rows *rows; // instead of all below, up to lost
	struct ring *rings;
	char *zeros, *scratch, *block, **result;
	void *room; // of programs' lines
	void **cells;
	bool *some;         // per step that guards others: whether it is not 0 somewhere in the block
	const char ***leaf; // per program: where element 0 of each leaf is
	const char **band;  // per leaf of a band
	long *step;         // from row to row [bytes]
	struct kern_acc *acc;
	const struct stencil_output *direct; // where bands of the last program may be written; NULL
	struct ahead ahead;
	int first_final;              // step of the pass that stores or reduces
	struct median_room **medians; // per stage
	struct box_room **boxes;
	long lost[EXPR_OPERANDS], *missing;
	long window_first; // first slice of the window
};

static const struct node *node_of(const struct stencil *s, int node)
{
	return &s->plan->g.nodes[node];
}

/* ---- programs ---- */

/** Elements [from, to) of a run are those whose values are counted. */
struct span {
	long from, to;
};

static const void *moved(const void *p, long elements, enum dtype t)
{
	return (const char *)p + elements * (long)dtype_size(t);
}

/** The operands of a step from its element `first` on. */
static unsigned find_operands(
        const struct worker *w, const struct stencil_step *t, long first, const void *in[3])
{
	unsigned flat = 0;

	in[0] = in[1] = in[2] = NULL;

	for (int k = 0; k < t->args; k++) {
		if (t->arg[k] < 0) {
			in[k] = w->run->scalars[-1 - t->arg[k]];
			flat |= 1u << k;
		} else {
			in[k] = (const char *)w->cells[t->arg[k]] + (t->slide[k] + first) * t->arg_size[k];
		}
	}

	return flat;
}

/** Counts what the values [from, to) of a step lose. */
static void count_step(struct worker *w, const struct stencil_step *t, long from, long to)
{
	const struct node *n = node_of(w->s, t->node);
	const int check = w->s->plan->check_of[t->node];
	const void *in[3];
	char buffer[EXPR_BLOCK_BYTES];

	if (check < 0 || from >= to)
		return;

	const unsigned flat = find_operands(w, t, from, in);

	if (NODE_OP == n->kind) {
		w->missing[check] +=
		        kern_domain((enum op)n->id, n->work, to - from, in[0], in[1], flat) +
		        kern_overflow((enum op)n->id, n->work, to - from, in[0], in[1], in[2], flat);
		return;
	}

	for (long i = from, m; i < to; i += m) {
		m = min_long(to - i, EXPR_BLOCK_BYTES / 16);
		w->missing[check] += convert(n->type, buffer, n->work, moved(in[0], i - from, n->work), m,
		        w->s->plan->rules.narrow);
	}
}

static void run_conversion(struct worker *w, const struct stencil_step *t, long n, void *out, const void *in)
{
	const struct node *x = node_of(w->s, t->node);

	if (x->counted) {
		convert(x->type, out, x->work, in, n, w->s->plan->rules.narrow);
		return;
	}

	const void *v = kern_load(x->type, out, x->work, false, in, (long)dtype_size(x->work), n);

	if (v != out)
		memcpy(out, v, (size_t)(n * t->size));
}

static void run_step(struct worker *w, const struct stencil_program *p, const struct stencil_step *t, long n)
{
	char *out = (char *)w->cells[t - p->steps] + t->low * t->size;
	const long count = n + t->high - t->low;
	const void *in[3];
	const unsigned flat = find_operands(w, t, t->low, in);

	if (NULL != t->fn)
		t->fn(count, out, in[0], in[1], in[2], flat);
	else if (NODE_SAMPLE == node_of(w->s, t->node)->kind)
		sampler_run(
		        w->work->samplers[node_of(w->s, t->node)->id], w->tile->rest, count, out, in, flat);
	else
		run_conversion(w, t, count, out, in[0]);
}

/** Whether a condition is not 0 somewhere. */
static bool is_some(
        const struct worker *w, const struct stencil_program *p, const struct stencil_step *t, long n)
{
	const unsigned char *v = (const unsigned char *)w->cells[t - p->steps] + t->low * t->size;
	const long bytes = (n + t->high - t->low) * t->size;
	unsigned char any = 0;

	for (long i = 0; i < bytes; i++)
		any |= v[i];

	return 0 != any;
}

/** Elements [0, n) of a program's roots, from where its leaves are. */
static void run_program(struct worker *w, const struct stencil_program *p, const char *const leaf[],
        char *const root[], long n, struct span counted)
{
	bool negative;

	// what is missing is counted by the steps below
	if (NULL != p->lines &&
	        stencil_lines_run(
	                p->lines, w->run->scalars, w->room, leaf, root, n, NULL, false, &negative) &&
	        (!negative || counted.from >= counted.to))
		return;

	for (long i = 0; i < n; i += p->block) {
		const long m = min_long(p->block, n - i);

		for (int k = 0; k < p->n; k++) {
			const struct stencil_step *t = &p->steps[k];

			if (0 <= t->leaf) {
				w->cells[k] = (void *)(leaf[t->leaf] + i * t->size); // only read
				w->some[k] = !t->guards || is_some(w, p, t, m);
				continue;
			}

			w->cells[k] = (0 <= t->root) ? root[t->root] + i * t->size : w->scratch + t->slot;
			w->some[k] = false;

			if (0 <= t->guard && !w->some[t->guard])
				continue;

			run_step(w, p, t, m);

			if (t->guards)
				w->some[k] = is_some(w, p, t, m);

			if (p->counted)
				count_step(w, t, max_long(counted.from - i, 0), min_long(counted.to - i, m));
		}

		for (int k = 0; k < p->roots; k++) {
			const struct stencil_step *t = &p->steps[p->root[k].step];
			const enum dtype type = node_of(w->s, p->root[k].node)->type;

			if (k != t->root)
				memcpy(root[k] + i * (long)dtype_size(type),
				        moved(w->cells[p->root[k].step], p->root[k].slide, type),
				        (size_t)m * dtype_size(type));
		}
	}
}

/* ---- slices ---- */

static bool is_open(const struct worker *w, const struct stencil_stage *a)
{
	return a->is_virtual || EXPR_EDGE_WRAP == w->s->plan->edge;
}

static long row_count(const struct worker *w, const struct stencil_stage *a)
{
	return w->cut->rows + 2 * a->halo[1];
}

static size_t slice_bytes(const struct worker *w, const struct stencil_stage *a)
{
	return (size_t)(row_count(w, a) * w->cut->pitch + 2 * w->cut->origin) * dtype_size(a->type);
}

/** Where position x of row y is in a slice of a stage. [elements] */
static long place_of(const struct worker *w, const struct stencil_stage *a, long x, long y)
{
	return w->cut->origin + (y - w->tile->from[1] + a->halo[1]) * w->cut->pitch + x - w->tile->from[0];
}

/** Along a dim: the part of a stage's tile that is computed, not filled. */
static void own_range(const struct worker *w, const struct stencil_stage *a, int d, long *from, long *to)
{
	*from = w->tile->from[d] - a->halo[d];
	*to = w->tile->to[d] + a->halo[d];

	if (!is_open(w, a)) {
		*from = max_long(*from, 0);
		*to = min_long(*to, w->s->dims[d]);
	}
}

/** Where row 0 of slice z of an input is. */
static const char *input_slice(const struct worker *w, const struct stencil_input *in, long z)
{
	const char *at = in->data + z * in->strs[2];

	for (int d = 3; d < DIMS; d++)
		at += w->tile->rest[d] * in->strs[d];

	return at;
}

/** Numbers of an index variable or coordinate from position (x, y, z) on. */
static void count_run(
        const struct worker *w, const struct node *n, char *to, long x, long y, long z, long count)
{
	const long at[3] = {x, y, z}, step = (0 == n->id) ? 1 : 0,
	           first = (n->id < 3) ? at[n->id] : w->tile->rest[n->id];
	const double *o = w->s->plan->origin, *h = w->s->plan->spacing;

	for (long i = 0; i < count; i++) {
		const long k = first + i * step;
		const double v = (NODE_COORDINATE == n->kind) ? o[n->id] + h[n->id] * (double)k : (double)k;

		if (DT_INT64 == n->type)
			((int64_t *)(void *)to)[i] = k;
		else if (DT_FLOAT32 == n->type)
			((float *)(void *)to)[i] = (float)v;
		else
			((double *)(void *)to)[i] = v;
	}
}

/** One element of a line from another. */
static void copy_one(char *to, const char *from, size_t size)
{
	if (4 == size)
		memcpy(to, from, 4);
	else if (8 == size)
		memcpy(to, from, 8);
	else
		memcpy(to, from, size);
}

/** The same element n times. */
static void repeat_one(char *to, const char *from, long n, size_t size)
{
	uint64_t v = 0;

	if (1 == n) {
		copy_one(to, from, size);
		return;
	}

	if (8 < size) {
		for (long i = 0; i < n; i++)
			memcpy(to + i * (long)size, from, size);

		return;
	}

	memcpy(&v, from, size);

	for (long i = 0; i < n; i++)
		copy_one(to + i * (long)size, (const char *)&v, size);
}

/** Positions [from, to) of a line from its elements within the array, at `line` the first position of all. */
static void fill_ends(const struct worker *w, char *line, long first, long from, long to, size_t size)
{
	if (EXPR_EDGE_CLAMP == w->s->plan->edge && from < to) {
		const long at = stencil_edge(EXPR_EDGE_CLAMP, from, w->s->dims[0]);

		repeat_one(line + (from - first) * (long)size, line + (at - first) * (long)size, to - from,
		        size);
		return;
	}

	for (long x = from; x < to; x++) {
		const long at = stencil_edge(w->s->plan->edge, x, w->s->dims[0]);
		char *p = line + (x - first) * (long)size;

		if (at < 0)
			memset(p, 0, size);
		else
			copy_one(p, line + (at - first) * (long)size, size);
	}
}

/** Repeats the ends of rows of n elements of 4 bytes, `row` bytes apart, as often as `before` and `behind`.
 */
static void repeat_ends(char *line, long n, long before, long behind, long rows, long row)
{
	for (long y = 0; y < rows; y++, line += row) {
		uint32_t first, last, *to = (uint32_t *)(void *)line;

		memcpy(&first, line, 4);
		memcpy(&last, line + 4 * n - 4, 4);

		for (long i = 1; i <= before; i++)
			memcpy(to - i, &first, 4);

		for (long i = 0; i < behind; i++)
			memcpy(to + n + i, &last, 4);
	}
}

/** Elements [x, x + n) of row y of an input in slice z, all within the array. */
struct source {
	const struct node *node;
	const struct stencil_input *in; // NULL: an index variable or coordinate
	const char *slice;
	long z;
};

static void load_run(
        const struct worker *w, const struct source *s, char *to, long x, long y, long n, size_t size)
{
	if (NULL == s->in) {
		count_run(w, s->node, to, x, y, s->z, n);
		return;
	}

	const void *v = kern_load(s->node->type, to, s->in->type, s->in->swapped,
	        s->slice + x * s->in->strs[0] + y * s->in->strs[1], s->in->strs[0], n);

	if (v != to)
		memcpy(to, v, (size_t)n * size);
}

/** Positions [from, end) of row y, which is within the array; what wraps around may lie anywhere in it. */
static void load_line(
        const struct worker *w, const struct source *s, char *to, long from, long end, long y, size_t size)
{
	const long nx = w->s->dims[0], a = max_long(from, 0), b = min_long(end, nx);

	load_run(w, s, to + (a - from) * (long)size, a, y, b - a, size);

	if (EXPR_EDGE_CLAMP == w->s->plan->edge && 4 == size) {
		repeat_ends(to + (a - from) * 4, b - a, a - from, end - b, 1, 0);
		return;
	}

	if (EXPR_EDGE_WRAP != w->s->plan->edge || (0 == a && nx == b)) {
		fill_ends(w, to, from, from, a, size);
		fill_ends(w, to, from, b, end, size);
		return;
	}

	for (long x = from; x < end; x = (x + 1 == a) ? b : x + 1)
		if (x < a || x >= b)
			load_run(w, s, to + (x - from) * (long)size, stencil_edge(EXPR_EDGE_WRAP, x, nx), y,
			        1, size);
}

static void load_slice(const struct worker *w, const struct stencil_stage *a, char *to, long z)
{
	const enum expr_edge edge = w->s->plan->edge;
	const size_t size = dtype_size(a->type);
	const long from = w->tile->from[0] - a->halo[0], end = w->tile->to[0] + a->halo[0],
	           row = w->cut->pitch * (long)size;
	struct source s = {.node = node_of(w->s, a->node), .z = stencil_edge(edge, z, w->s->dims[2])};

	if (NODE_INPUT == s.node->kind) {
		s.in = &w->work->in[s.node->id];
		s.slice = input_slice(w, s.in, s.z);
	}

	to += place_of(w, a, from, w->tile->from[1] - a->halo[1]) * (long)size;

	for (long y = w->tile->from[1] - a->halo[1]; y < w->tile->to[1] + a->halo[1]; y++, to += row) {
		const long at = stencil_edge(edge, y, w->s->dims[1]);

		if (at < 0)
			memset(to, 0, (size_t)(end - from) * size);
		else
			load_line(w, &s, to, from, end, at, size);
	}
}

/** Fills what lies beyond the ends of rows [ya, yb) of a slice that is computed. */
static void fill_lines(const struct worker *w, const struct stencil_stage *a, char *slice, long ya, long yb)
{
	const long size = (long)dtype_size(a->type), from = w->tile->from[0] - a->halo[0],
	           end = w->tile->to[0] + a->halo[0];
	long xa, xb;

	own_range(w, a, 0, &xa, &xb);

	if (from == xa && end == xb)
		return;

	if (EXPR_EDGE_CLAMP == w->s->plan->edge && 4 == size) {
		repeat_ends(slice + place_of(w, a, xa, ya) * size, xb - xa, xa - from, end - xb, yb - ya,
		        w->cut->pitch * size);
		return;
	}

	for (long y = ya; y < yb; y++) {
		char *line = slice + place_of(w, a, from, y) * size;

		fill_ends(w, line, from, from, xa, (size_t)size);
		fill_ends(w, line, from, xb, end, (size_t)size);
	}
}

/** Fills the rows beyond the borders of the array in a slice that is computed. */
static void fill_rows(const struct worker *w, const struct stencil_stage *a, char *slice)
{
	const long size = (long)dtype_size(a->type), from = w->tile->from[0] - a->halo[0],
	           end = w->tile->to[0] + a->halo[0];
	long ya, yb;

	own_range(w, a, 1, &ya, &yb);

	for (long y = w->tile->from[1] - a->halo[1]; y < w->tile->to[1] + a->halo[1]; y++) {
		const long at = stencil_edge(w->s->plan->edge, y, w->s->dims[1]);
		char *to = slice + place_of(w, a, from, y) * size;

		if (ya <= y && y < yb)
			continue;

		if (at < 0)
			memset(to, 0, (size_t)((end - from) * size));
		else
			memcpy(to, slice + place_of(w, a, from, at) * size, (size_t)((end - from) * size));
	}
}

static char *get_slice(struct worker *w, int stage, long z);

/** Where a row of an input in place lies, if it lies within the borders. */
static const char *row_in_place(
        const struct worker *w, const struct stencil_stage *a, const struct stencil_leaf *l, long y, long z)
{
	const struct stencil_input *in = &w->work->in[node_of(w->s, a->node)->id];

	z = stencil_edge(w->s->plan->edge, z + l->shift[2], w->s->dims[2]);

	return (z < 0) ? w->zeros : input_slice(w, in, z) + (y + l->shift[1]) * in->strs[1];
}

/** Where position (0, 0) of the tile's array lies for each leaf of a program, around slice z. */
static void find_leaves(
        struct worker *w, const struct stencil_program *p, const char *leaf[], long x, long y, long z)
{
	for (int i = 0; i < p->leaves; i++) {
		const struct stencil_leaf *l = &p->leaf[i];
		const struct stencil_stage *a = &w->s->stages[l->stage];

		if (a->in_place) {
			leaf[i] = row_in_place(w, a, l, y, z);
			continue;
		}

		const char *slice = get_slice(w, l->stage, z + l->shift[2]);

		leaf[i] = slice + place_of(w, a, x, y + l->shift[1]) * (long)dtype_size(a->type);
	}
}

/** What the boxes of a stage are made from. */
struct around {
	struct worker *w;
	const struct stencil_stage *stage;
	long x, y;
};

static const char *slice_around(void *ctx, long z)
{
	const struct around *c = ctx;
	const struct stencil_leaf *l = &c->stage->program.leaf[0];
	const struct stencil_stage *a = &c->w->s->stages[l->stage];
	const char *slice = get_slice(c->w, l->stage, z);

	return slice + place_of(c->w, a, c->x - c->stage->box->r[0], c->y - c->stage->box->r[1]) *
	                       (long)dtype_size(a->type);
}

static long number_around(void *ctx, long z)
{
	const struct around *c = ctx;
	const struct stencil *s = c->w->s;
	const struct stencil_stage *a = &s->stages[c->stage->program.leaf[0].stage];

	return is_open(c->w, a) ? z : stencil_edge(s->plan->edge, z, s->dims[2]);
}

/** Slice z of a stage of medians or boxes, which are no programs. */
static void run_windows_of(struct worker *w, const struct stencil_stage *a, char *slice, long z)
{
	const long number = a - w->s->stages, pitch = w->cut->pitch;
	long xa, xb, ya, yb;

	own_range(w, a, 0, &xa, &xb);
	own_range(w, a, 1, &ya, &yb);

	char *to = slice + place_of(w, a, xa, ya) * (long)dtype_size(a->type);

	if (NULL != a->median) {
		find_leaves(w, &a->program, w->leaf[number], xa, ya, z);
		median_rows(a->median, w->medians[number], w->leaf[number], to, pitch, xb - xa, yb - ya);
	} else {
		struct around c = {w, a, xa, ya};

		box_run(a->box, w->boxes[number], to, pitch, xb - xa, yb - ya, ya, z, slice_around,
		        number_around, &c);
	}

	if (!is_open(w, a))
		fill_lines(w, a, slice, ya, yb);
}

/** The slice of stage k that slice z + 1 of the results will be the first to need, if it is of an input. */
static const char *next_slice(const struct worker *w, int k, long z)
{
	const struct stencil_stage *a = &w->s->stages[k];
	const struct node *n = node_of(w->s, a->node);
	const long next = z + a->halo[2] + 1;

	if (NODE_INPUT != n->kind || next >= min_long(w->s->dims[2], w->tile->to[2] + a->halo[2]))
		return NULL;

	return input_slice(w, &w->work->in[n->id], next);
}

/** Asks for row y of the slices of the inputs that slice z + 1 will need. Inline, since gcc drops calls of
 * functions that only prefetch. */
static inline __attribute__((always_inline)) void fetch_row(const struct worker *w, long y, long z)
{
	const struct tile *t = w->tile;

	for (int k = 0; k < w->s->n; k++) {
		const char *slice = next_slice(w, k, z);

		if (NULL == slice)
			continue;

		const struct stencil_input *in = &w->work->in[node_of(w->s, w->s->stages[k].node)->id];
		const long size = (long)dtype_size(in->type);
		const char *row = slice + y * in->strs[1] + t->from[0] * size;

		for (long i = 0; size == in->strs[0] && i < (t->to[0] - t->from[0]) * size; i += CACHE_LINE)
			__builtin_prefetch(row + i, 0, 2);
	}
}

/** Asks for a part of the next rows of the inputs, so that they come while `rows` rows are computed. */
static void fetch_ahead(struct worker *w, long rows)
{
	struct ahead *a = &w->ahead;

	for (a->done += rows; a->share <= a->done && a->row < a->to; a->done -= a->share)
		fetch_row(w, a->row++, a->slice);
}

/** The rows that are asked for, if they are of one input and without gaps: then each row of a band asks for
 * an equal part. More at once would wait for the memory. */
static void find_stream(struct worker *w, long z, long rows)
{
	const struct tile *t = w->tile;
	const struct stencil_input *in = NULL;
	const char *slice = NULL;

	for (int k = 0; k < w->s->n; k++) {
		const char *next = next_slice(w, k, z);

		if (NULL != next && NULL != slice)
			return;

		if (NULL != next) {
			slice = next;
			in = &w->work->in[node_of(w->s, w->s->stages[k].node)->id];
		}
	}

	if (NULL == slice)
		return;

	const long size = (long)dtype_size(in->type), line = (t->to[0] - t->from[0]) * size;

	if (line != in->strs[1] || size != in->strs[0])
		return;

	w->ahead.at = slice + w->ahead.row * line;
	w->ahead.end = slice + w->ahead.to * line;
	w->ahead.part = parts((w->ahead.to - w->ahead.row) * line, rows * CACHE_LINE) * CACHE_LINE;
}

/** Begins slice z of the tile. */
static void start_ahead(struct worker *w, long z)
{
	const struct stencil *s = w->s;
	const struct tile *t = w->tile;
	long halo = 0, all = t->to[1] - t->from[1];

	for (int k = 0; k < s->n; k++) {
		halo = max_long(halo, s->stages[k].halo[1]);
		all += s->stages[k].is_source ? 0 : t->to[1] - t->from[1];
	}

	w->ahead = (struct ahead){.slice = z,
	        .row = max_long(0, t->from[1] - halo),
	        .to = min_long(s->dims[1], t->to[1] + halo)};
	w->ahead.share = max_long(1, all / (w->ahead.to - w->ahead.row));
	find_stream(w, z, all);
}

/* ---- bands ---- */

/** Whether bands of n elements compute a program. */
static bool takes_bands(const struct stencil_program *p, long n)
{
	return NULL != p->lines && !p->counted && stencil_lines_take_bands(p->lines, n, !p->closed);
}

/** How many rows from y to `end` a band has: one where a row in place lies beyond the borders. */
static long count_rows(const struct worker *w, const struct stencil_program *p, long y, long end)
{
	long rows = min_long(STENCIL_BAND, end - y);

	for (int i = 0; i < p->leaves; i++) {
		const long at = y + p->leaf[i].shift[1], n = w->s->dims[1];

		if (w->s->stages[p->leaf[i].stage].in_place)
			rows = (at < 0 || at >= n) ? 1 : min_long(rows, n - at);
	}

	return rows;
}

/** Steps between the rows of each leaf. */
static void find_steps(struct worker *w, const struct stencil_program *p, long z)
{
	for (int i = 0; i < p->leaves; i++) {
		const struct stencil_leaf *l = &p->leaf[i];
		const struct stencil_stage *a = &w->s->stages[l->stage];

		w->step[i] = w->cut->pitch * (long)dtype_size(a->type);

		if (a->in_place) // a slice beyond the borders may be one row of zeros
			w->step[i] = (stencil_edge(w->s->plan->edge, z + l->shift[2], w->s->dims[2]) < 0)
			                     ? 0
			                     : w->work->in[node_of(w->s, a->node)->id].strs[1];
	}
}

/** Where row y of a leaf is, which is at `leaf` for row `first`. */
static const char *row_of(
        const struct worker *w, const struct stencil_leaf *l, const char *leaf, long step, long first, long y)
{
	long at = y + l->shift[1];

	if (w->s->stages[l->stage].in_place)
		at = stencil_edge(w->s->plan->edge, at, w->s->dims[1]);

	return (at < 0 && w->s->stages[l->stage].in_place) ? w->zeros
	                                                   : leaf + (at - l->shift[1] - first) * step;
}

/** Rows [ya, yb) of n elements of a program in slice z, from where its leaves are at row `first`. */
static void run_bands(struct worker *w, const struct stencil_program *p, const char *const leaf[], long first,
        char *to, long to_step, long n, long ya, long yb, long z, bool stream)
{
	struct stencil_band b = {.leaf = w->band,
	        .step = w->step,
	        .root_step = to_step,
	        .n = n,
	        .open = !p->closed,
	        .edge = w->s->plan->edge,
	        .stream = stream};

	struct ahead *a = &w->ahead;

	find_steps(w, p, z);

	for (long y = ya; y < yb; y += b.rows) {
		b.rows = count_rows(w, p, y, yb);
		b.root = to + (y - ya) * to_step;

		for (int i = 0; i < p->leaves; i++)
			w->band[i] = row_of(w, &p->leaf[i], leaf[i], w->step[i], first, y);

		b.fetch = a->at;
		b.fetch_step = a->part;
		b.fetch_bytes = (a->at < a->end) ? a->part : 0;
		stencil_lines_run_band(p->lines, w->run->scalars, &b);

		if (NULL != a->at)
			a->at += b.rows * a->part;
		else
			fetch_ahead(w, b.rows);
	}
}

/** All rows of slice z of a stage. */
static void run_rows(struct worker *w, const struct stencil_stage *a, char *slice, long z)
{
	const struct stencil_program *p = &a->program;
	const char **leaf = w->leaf[a - w->s->stages];
	const struct tile *t = w->tile;
	const long size = (long)dtype_size(a->type), row = w->cut->pitch * size;
	long xa, xb, ya, yb;

	own_range(w, a, 0, &xa, &xb);
	own_range(w, a, 1, &ya, &yb);
	find_leaves(w, p, leaf, xa, ya, z);

	if (takes_bands(p, xb - xa)) {
		run_bands(w, p, leaf, ya, slice + place_of(w, a, xa, ya) * size, row, xb - xa, ya, yb, z,
		        false);

		if (!is_open(w, a))
			fill_lines(w, a, slice, ya, yb);

		return;
	}

	const long step = p->rows;

	for (long y = ya; y < yb; y += step) {
		const bool own =
		        p->counted && t->from[1] <= y && y < t->to[1] && t->from[2] <= z && z < t->to[2];
		const long rows = min_long(step, yb - y);
		char *to = slice + place_of(w, a, xa, y) * size;

		run_program(w, p, leaf, &to, (rows - 1) * w->cut->pitch + xb - xa,
		        own ? (struct span){t->from[0] - xa, t->to[0] - xa} : (struct span){0, 0});

		if (!is_open(w, a))
			fill_lines(w, a, slice, y, y + rows);

		fetch_ahead(w, rows);

		for (int i = 0; i < p->leaves; i++)
			leaf[i] +=
			        step * w->cut->pitch * (long)dtype_size(w->s->stages[p->leaf[i].stage].type);
	}
}

/** Slice z of a stage: kept, or computed now. */
static char *get_slice(struct worker *w, int stage, long z)
{
	const struct stencil_stage *a = &w->s->stages[stage];
	struct ring *r = &w->rings[stage];

	if (!is_open(w, a)) {
		z = stencil_edge(w->s->plan->edge, z, w->s->dims[2]);

		if (z < 0)
			return w->zeros;
	}

	const long k = (z % a->ring + a->ring) % a->ring;
	char *slice = r->data + k * (long)slice_bytes(w, a);

	if (r->full[k] && z == r->tag[k])
		return slice;

	r->full[k] = true;
	r->tag[k] = z;

	if (a->is_source) {
		load_slice(w, a, slice, z);
	} else {
		if (NULL != a->median || NULL != a->box)
			run_windows_of(w, a, slice, z);
		else
			run_rows(w, a, slice, z);

		if (!is_open(w, a))
			fill_rows(w, a, slice);
	}

	return slice;
}

/* ---- results ---- */

/** Which of the last program's roots a node is. */
static int root_of(const struct stencil_program *p, int node)
{
	for (int k = 0; k < p->roots; k++)
		if (node == p->root[k].node)
			return k;

	return -1;
}

/** Number of slice z among those of all further dims. */
static long slice_number(const struct worker *w, long z)
{
	long number = 0;

	for (int d = DIMS - 1; d >= 3; d--)
		number = number * w->s->dims[d] + w->tile->rest[d];

	return number * w->s->dims[2] + z;
}

/** Rows [ya, yb) of slice z of an output from its values, to a file. */
static void put_rows(struct worker *w, const struct stencil_output *o, long ya, long yb, long z)
{
	const long n = w->tile->to[0] - w->tile->from[0], nx = w->s->dims[0];
	const long at = (slice_number(w, z) * w->s->dims[1] + ya) * nx + w->tile->from[0];

	if (n == nx) {
		cfl_put(o->file, at, (yb - ya) * n, w->block);
		return;
	}

	for (long y = ya; y < yb; y++)
		cfl_put(o->file, at + (y - ya) * nx, n, w->block + (y - ya) * n * (long)dtype_size(o->type));
}

/** Where the tile's part of row y of slice z of an output in memory begins. */
static char *output_at(const struct worker *w, const struct stencil_output *o, long y, long z)
{
	char *at =
	        o->data + w->tile->from[0] * o->strs[0] + y * o->strs[1] + (z - w->window_first) * o->strs[2];

	for (int d = 3; d < DIMS; d++)
		at += w->tile->rest[d] * o->strs[d];

	return at;
}

static void store_rows(struct worker *w, const struct step *t, const char *value, long ya, long yb, long z)
{
	const struct stencil_output *o = &w->work->out[t->id];
	const struct tile *tile = w->tile;
	const long size = (long)dtype_size(o->type), n = tile->to[0] - tile->from[0],
	           pitch = w->cut->pitch * (long)dtype_size(t->work);
	char *to = w->block;
	long step = size, row = n * size;

	if (NULL == o->file) {
		to = output_at(w, o, ya, z);
		step = (1 == n) ? size : o->strs[0];
		row = o->strs[1];
	}

	for (long y = ya; y < yb; y++, to += row, value += pitch)
		w->lost[t->id] += kern_store(o->type, o->swapped, to, step, t->work, value, n,
		        w->s->plan->rules.narrow, NULL == o->file && o->stream);

	if (NULL != o->file)
		put_rows(w, o, ya, yb, z);
}

/** The accumulators of the group in which row y of slice z lies. */
static struct kern_acc *group_of(const struct worker *w, long y, long z)
{
	const struct cut *c = w->cut;
	const long slices = slice_number(w, 0) / w->s->dims[2], column = w->tile->from[0] / c->width;

	return w->acc + (((slices * c->groups[2] + z / c->group_slices) * c->groups[1] + y / GROUP_ROWS) *
	                                c->groups[0] +
	                        column) *
	                        w->s->pass->reductions;
}

static void reduce_row(
        struct worker *w, const struct step *t, char *const value[], long y, long offset, long z)
{
	const struct node *n = node_of(w->s, t->node);
	const long count = w->tile->to[0] - w->tile->from[0];
	const void *in[3] = {NULL, NULL, NULL};
	struct kern_acc *acc = group_of(w, y, z) + t->id;
	unsigned flat = 0;

	for (int k = 0; k < n->args; k++) {
		if (t->arg[k] < 0) {
			in[k] = w->run->scalars[n->arg[k]];
			flat |= 1u << k;
		} else {
			in[k] = moved(value[root_of(&w->s->last, n->arg[k])], offset, n->work);
		}
	}

	const long number = (slice_number(w, z) * w->s->dims[1] + y) * w->s->dims[0] + w->tile->from[0];

	if (t->fused)
		kern_reduce_of(t->reduction, t->inner, t->work, acc, count, in[0], in[1], in[2], flat);
	else
		kern_reduce(t->reduction, t->work, acc, number, count, in[0], in[1], flat);
}

/** Whether bands can be written to the output at `to`; *stream: past the cache. */
static bool is_direct(const struct worker *w, const char *to, long n, bool *stream)
{
	const struct stencil_output *o = w->direct;

	*stream = o->stream;

	return !o->stream || (stencil_lines_streams(w->s->last.lines, to, n) && 0 == o->strs[1] % CACHE_LINE);
}

/** Rows [ya, yb) of slice z: computed, stored and reduced while they are in the cache. */
static void finish_rows(struct worker *w, const char *const leaf[], long ya, long yb, long z)
{
	const struct stencil_program *p = &w->s->last;
	const struct expr_pass *q = w->s->pass;
	const long n = w->tile->to[0] - w->tile->from[0];

	if (takes_bands(p, n)) {
		run_bands(w, p, leaf, w->tile->from[1], w->result[0],
		        w->cut->pitch * (long)dtype_size(node_of(w->s, p->root[0].node)->type), n, ya, yb, z,
		        false);
	} else {
		fetch_ahead(w, yb - ya);
		run_program(w, p, leaf, w->result, (yb - ya - 1) * w->cut->pitch + n,
		        (struct span){0, p->counted ? n : 0});
	}

	for (int i = w->first_final; i < q->n; i++) {
		const struct step *t = &q->steps[i];

		if (STEP_STORE == t->kind)
			store_rows(w, t, w->result[root_of(p, t->node)], ya, yb, z);

		for (long y = ya; STEP_REDUCE == t->kind && y < yb; y++)
			reduce_row(w, t, w->result, y, (y - ya) * w->cut->pitch, z);
	}
}

/** Slice z of the results. */
static void finish_slice(struct worker *w, long z)
{
	const struct stencil_program *p = &w->s->last;
	const struct tile *t = w->tile;
	const char **leaf = w->leaf[w->s->n];
	const long step = p->rows, n = t->to[0] - t->from[0];
	const bool bands = takes_bands(p, n);
	bool stream;

	find_leaves(w, p, leaf, t->from[0], t->from[1], z);

	if (bands && NULL != w->direct) {
		char *to = output_at(w, w->direct, t->from[1], z);

		if (is_direct(w, to, n, &stream)) {
			run_bands(w, p, leaf, t->from[1], to, w->direct->strs[1], n, t->from[1], t->to[1], z,
			        stream);
			return;
		}
	}

	for (long y = t->from[1]; y < t->to[1]; y += step) {
		finish_rows(w, leaf, y, min_long(y + step, t->to[1]), z);

		for (int i = 0; i < p->leaves && !bands; i++)
			leaf[i] +=
			        step * w->cut->pitch * (long)dtype_size(w->s->stages[p->leaf[i].stage].type);
	}
}

static void run_tile(struct worker *w, const struct tile *t)
{
	w->tile = t;

	for (int k = 0; k < w->s->n; k++) {
		memset(w->rings[k].full, 0, (size_t)w->s->stages[k].ring * sizeof(bool));
		box_room_clear(w->boxes[k]);
	}

	for (long z = t->from[2]; z < t->to[2]; z++) {
		start_ahead(w, z);
		finish_slice(w, z);
	}
}

/* ---- workers ---- */

/** Memory of zeros that begins on a line of the cache. */
static void *cleared(size_t bytes)
{
	return memset(mem_alloc(bytes), 0, bytes);
}

static size_t room_of(const struct stencil_program *p, const struct cut *c)
{
	return (NULL == p->lines) ? 0 : stencil_lines_room(p->lines, p->rows * c->pitch);
}

/** The only output of a pass, if its elements are stored as the last program writes them; NULL. */
static const struct stencil_output *find_direct(const struct stencil *s, const struct stencil_work *work)
{
	const struct stencil_output *o = NULL;

	for (int i = 0; i < s->pass->n; i++) {
		const struct step *t = &s->pass->steps[i];

		if (STEP_STORE == t->kind && NULL != o)
			return NULL;

		if (STEP_STORE == t->kind) {
			o = &work->out[t->id];

			if (!stencil_output_is_plain(o, t->work))
				return NULL;
		}
	}

	return (1 == s->last.roots && 0 == s->pass->reductions) ? o : NULL;
}

static struct worker *worker_create(const struct expr_run *r, const struct stencil *s,
        const struct stencil_work *work, const struct cut *c, struct kern_acc *acc)
{
	struct worker *w = NEW(struct worker);
	size_t scratch = s->last.slots, room = room_of(&s->last, c), zeros = 64, most = (size_t)s->last.n + 1,
	       leaves = (size_t)s->last.leaves + 1;

	*w = (struct worker){.run = r, .s = s, .work = work, .cut = c, .acc = acc};
	w->missing = mem_calloc((size_t)s->plan->checks + 1, sizeof(long));

	if (c->in_place) {
		w->rows = stencil_rows_create(r, s, work);
		return w;
	}

	w->rings = mem_calloc((size_t)s->n + 1, sizeof *w->rings);
	w->medians = mem_calloc((size_t)s->n + 1, sizeof(struct median_room *));
	w->boxes = mem_calloc((size_t)s->n + 1, sizeof(struct box_room *));
	w->leaf = mem_calloc((size_t)s->n + 1, sizeof *w->leaf);
	w->leaf[s->n] = mem_calloc((size_t)s->last.leaves + 1, sizeof(char *));

	for (int k = 0; k < s->n; k++) {
		const struct stencil_stage *a = &s->stages[k];

		w->rings[k].data = a->in_place ? NULL : cleared((size_t)a->ring * slice_bytes(w, a));
		w->rings[k].tag = mem_calloc((size_t)a->ring, sizeof(long));
		w->rings[k].full = mem_calloc((size_t)a->ring, sizeof(bool));
		w->leaf[k] = mem_calloc((size_t)a->program.leaves + 1, sizeof(char *));
		w->boxes[k] = (NULL != a->box) ? box_room_create(a->box, row_count(w, a), c->pitch) : NULL;
		w->medians[k] = (NULL != a->median) ? median_room_create(a->median) : NULL;
		scratch = (a->program.slots > scratch) ? a->program.slots : scratch;
		zeros = (slice_bytes(w, a) > zeros) ? slice_bytes(w, a) : zeros;
		room = (room_of(&a->program, c) > room) ? room_of(&a->program, c) : room;
		most = ((size_t)a->program.n + 1 > most) ? (size_t)a->program.n + 1 : most;
		leaves = ((size_t)a->program.leaves + 1 > leaves) ? (size_t)a->program.leaves + 1 : leaves;
	}

	while (w->first_final < s->pass->n && STEP_STORE != s->pass->steps[w->first_final].kind &&
	        STEP_REDUCE != s->pass->steps[w->first_final].kind)
		w->first_final++;

	w->direct = find_direct(s, work);
	w->band = mem_calloc(leaves, sizeof *w->band);
	w->step = mem_calloc(leaves, sizeof *w->step);

	const long rows = s->last.rows;

	w->zeros = (EXPR_EDGE_ZERO == s->plan->edge) ? cleared(zeros) : NULL;
	w->scratch = cleared(scratch + 64);
	w->room = cleared(room + 64);
	w->cells = mem_calloc(most, sizeof(void *));
	w->some = mem_calloc(most, sizeof(bool));
	w->block = mem_calloc((size_t)(rows * c->width), 16);
	w->result = mem_calloc((size_t)s->last.roots + 1, sizeof(char *));

	for (int k = 0; k < s->last.roots; k++)
		w->result[k] = cleared((size_t)(rows * c->pitch + SLACK) * 16);

	return w;
}

static void worker_free(struct worker *w)
{
	stencil_rows_free(w->rows);

	if (w->cut->in_place) {
		free(w->missing);
		free(w);
		return;
	}

	for (int k = 0; k < w->s->n; k++) {
		free(w->rings[k].data);
		free(w->rings[k].tag);
		free(w->rings[k].full);
		median_room_free(w->medians[k]);
		box_room_free(w->boxes[k]);
		free(w->leaf[k]);
	}

	for (int k = 0; k < w->s->last.roots; k++)
		free(w->result[k]);

	free(w->leaf[w->s->n]);
	free(w->leaf);
	free(w->rings);
	free(w->medians);
	free(w->boxes);
	free(w->zeros);
	free(w->scratch);
	free(w->room);
	free(w->cells);
	free(w->some);
	free(w->band);
	free(w->step);
	free(w->block);
	free(w->result);
	free(w->missing);
	free(w);
}

/* ---- tiles ---- */

static long ceil_to(long n, long size)
{
	return parts(n, size) * size;
}

/** Rows of a tile, of so many along dim 1. */
static long rows_of(long n, long bands)
{
	return ceil_to(parts(n, bands), GROUP_ROWS);
}

/** Bytes of the rings of a tile of so many rows. */
static double rings_of(const struct stencil *s, const struct cut *c, long rows)
{
	double bytes = 0;

	for (int k = 0; k < s->n; k++) {
		const struct stencil_stage *a = &s->stages[k];
		const double lines = (double)(rows + 2 * a->halo[1]);

		const double slices = (double)(c->in_place ? 2 * a->halo[2] + STENCIL_ROWS_DEEP : a->ring);

		bytes += slices * lines * (double)c->pitch * (double)dtype_size(a->type);
		bytes += (NULL != a->box) ? box_bytes(a->box, lines, (double)c->pitch) : 0.;
	}

	return bytes;
}

static long widest_halo(const struct stencil *s, int d)
{
	long widest = 0;

	for (int k = 0; k < s->n; k++)
		widest = max_long(widest, s->stages[k].halo[d]);

	return widest;
}

/** Rows that are computed together: they stay in the first-level cache; one where values are counted, of the
 * tile itself. */
static void choose_rows(struct stencil_program *p, const struct cut *c)
{
	const long most = p->counted ? 1 : max_long(1, p->block / c->pitch);

	p->rows = (NULL == p->lines || p->counted) ? most
	                                           : stencil_lines_rows(p->lines, c->width, c->pitch, most);
}

/** The program that computes stage k; the last program for k = s->n. */
static struct stencil_program *program_of(struct stencil *s, int k)
{
	return (k < s->n) ? &s->stages[k].program : &s->last;
}

/** In tiles of all columns: programs that follow the edge rule by themselves, stages that need nothing beyond
 * the ends of rows, and inputs that are read in place. */
static void find_closed(struct stencil *s, const struct stencil_work *work)
{
	bool all = true;

	for (int k = 0; k <= s->n; k++) {
		struct stencil_program *p = program_of(s, k);
		const bool is_open = k < s->n && s->stages[k].is_virtual;

		p->closed = !is_open && NULL != p->lines && !p->counted &&
		            stencil_lines_take_bands(p->lines, s->dims[0], false);
		all = all && (p->closed || 0 == p->leaves);
	}

	// beyond the borders of arrays that are wrapped, stages are computed
	for (int k = 0; k <= s->n; k++)
		program_of(s, k)->closed &= all || EXPR_EDGE_WRAP != s->plan->edge;

	bool *open =
	        mem_calloc((size_t)s->n + 1, sizeof *open); // per stage: read by a program that is not closed

	for (int k = 0; k <= s->n; k++)
		for (int i = 0; i < program_of(s, k)->leaves; i++)
			open[program_of(s, k)->leaf[i].stage] |= !program_of(s, k)->closed;

	for (int k = 0; k < s->n; k++) {
		struct stencil_stage *a = &s->stages[k];
		const struct node *n = &s->plan->g.nodes[a->node];

		a->beyond = open[k] ? a->beyond : 0;
		a->in_place = !open[k] && NODE_INPUT == n->kind && !a->is_virtual &&
		              stencil_input_is_plain(&work->in[n->id], a->type);
	}

	free(open);
}

/** In tiles of all columns, closed stages need no more than what is read beyond the borders. */
static void narrow_halos(struct stencil *s)
{
	s->pad = 0;

	for (int k = 0; k < s->n; k++) {
		s->stages[k].halo[0] = s->stages[k].beyond;
		s->pad = max_long(s->pad, s->stages[k].halo[0]);
	}
}

/** Rows of a tile whose rings take at most so many bytes, unless it had less than `least` rows. */
static long rows_within(const struct stencil *s, const struct cut *c, int threads, long least, double bytes)
{
	long rows = rows_of(s->dims[1], threads);

	for (long bands = 2L * threads; rings_of(s, c, rows) > bytes; bands += threads) {
		const long fewer = rows_of(s->dims[1], bands);

		if (fewer < least || GROUP_ROWS == rows)
			break;

		rows = fewer;
	}

	return rows;
}

/** Lines as they are unless long; rows for the second-level cache, unless most of them were around a tile.
 * Rings too large for it have as many rows as fit into a quarter of the third-level cache. */
static struct cut choose_cut(struct stencil *s, const struct stencil_work *work, int threads)
{
	const long *n = s->dims;
	struct cut c = {.width = n[0], .in_place = stencil_rows_fit(s, work)};

	if (n[0] > LINE_MAX_TILE)
		c.width = min_long(n[0], max_long(LINE_MAX_TILE / 2, 8 * s->pad));

	if (c.width == n[0]) {
		find_closed(s, work);
		narrow_halos(s);
	}

	c.origin = SLACK + ceil_to(s->pad, LINE);
	c.pitch = ceil_to(c.width + 2 * s->pad, LINE);
	c.pitch += (0 == c.pitch % 256) ? LINE : 0; // rows a page apart would share lines of the cache
	c.group_slices = max_long(1, GROUP_COUNT / (c.width * min_long(GROUP_ROWS, n[1])));

	const long least = ceil_to(max_long(GROUP_ROWS, SHARE * widest_halo(s, 1)), GROUP_ROWS);

	c.rows = rows_within(s, &c, threads, least, cache_share());

	if (!c.in_place && rings_of(s, &c, c.rows) > ((0. < cache_bytes(2)) ? cache_bytes(2) : cache_share()))
		c.rows =
		        max_long(c.rows, rows_within(s, &c, threads, least, cache_bytes(3) / (4. * threads)));

	long tiles = parts(n[0], c.width) * parts(n[1], c.rows) * max_long(1, md_calc_size(DIMS - 3, n + 3));

	c.slices = ceil_to(parts(n[2], max_long(1, threads / max_long(1, tiles))), c.group_slices);
	c.slices = max_long(c.slices, ceil_to(8 * widest_halo(s, 2) + 1, c.group_slices));
	c.groups[0] = parts(n[0], c.width);
	c.groups[1] = parts(n[1], GROUP_ROWS);
	c.groups[2] = parts(n[2], c.group_slices);

	for (int k = 0; k < s->n; k++)
		choose_rows(&s->stages[k].program, &c);

	choose_rows(&s->last, &c);

	return c;
}

static void check_memory(const struct stencil *s, const struct cut *c, int threads)
{
	double bytes = rings_of(s, c, c->rows);

	for (int k = 0; k < s->n; k++)
		bytes += (NULL != s->stages[k].median) ? (double)median_bytes(s->stages[k].median) : 0.;

	bytes *= (double)threads;

	if (bytes > (double)memory_available())
		error("expression: its neighbourhoods need %s of memory, but %s are available",
		        human_bytes(bytes), human_bytes((double)memory_available()));
}

/** The part of all rows or slices that is computed. */
struct range {
	int d; // 1 or 2
	long from, to;
};

/** Tile number k of a range; the further dims are the slowest. */
static struct tile tile_of(const struct stencil *s, const struct cut *c, long k, const struct range *r)
{
	long n[3] = {s->dims[0], s->dims[1], s->dims[2]};
	const long size[3] = {c->width, c->rows, c->slices};
	struct tile t = {.from = {0, 0, 0}};

	t.from[r->d] = r->from;
	n[r->d] = r->to;

	for (int d = 0; d < 3; d++) {
		const long count = parts(n[d] - t.from[d], size[d]);

		t.from[d] += k % count * size[d];
		t.to[d] = min_long(t.from[d] + size[d], n[d]);
		k /= count;
	}

	for (int d = 3; d < DIMS; d++) {
		t.rest[d] = k % s->dims[d];
		k /= s->dims[d];
	}

	return t;
}

/** A range of all (rest < 0), or of one of the further dims' positions. */
static void run_window(struct worker **workers, const struct stencil *s, const struct cut *c,
        const struct range *r, long rest, int threads)
{
	const long rows = (1 == r->d) ? r->to - r->from : s->dims[1],
	           slices = (2 == r->d) ? r->to - r->from : s->dims[2],
	           each = parts(s->dims[0], c->width) * parts(rows, c->rows) * parts(slices, c->slices),
	           all = max_long(1, md_calc_size(DIMS - 3, s->dims + 3)),
	           first = (rest < 0) ? 0 : rest * each, last = (rest < 0) ? all * each : first + each;

#pragma omp parallel for schedule(dynamic) num_threads(threads)
	for (long k = first; k < last; k++) {
		const struct tile t = tile_of(s, c, k, r);
		struct worker *w = workers[omp_get_thread_num()];

		w->window_first = (rest < 0) ? 0 : r->from;

		if (NULL != w->rows)
			stencil_rows_run(w->rows, t.from, t.to, t.rest, w->window_first, w->lost);
		else
			run_tile(w, &t);

		kern_fence();
		progress_add((t.to[0] - t.from[0]) * (t.to[1] - t.from[1]) * (t.to[2] - t.from[2]));
	}
}

static void run_windows(struct worker **workers, const struct stencil *s, const struct cut *c,
        struct stencil_work *work, const struct range *r, int threads)
{
	const long all = max_long(1, md_calc_size(DIMS - 3, s->dims + 3));

	if (0 == work->window) {
		run_window(workers, s, c, r, -1, threads);
		return;
	}

	const long step = ceil_to(work->window, c->group_slices);

	for (long rest = 0; rest < all; rest++)
		for (long z = 0; z < s->dims[2]; z += step) {
			const struct range window = {2, z, min_long(z + step, s->dims[2])};

			work->next(work->ctx, window.to - z);
			run_window(workers, s, c, &window, rest, threads);
		}
}

int stencil_cut_dim(const long dims[])
{
	return (1 < dims[2]) ? 2 : 1;
}

/** All of it, what is asked for, or this rank's part: whole groups. */
static struct range choose_range(
        const struct stencil *s, const struct cut *c, const struct stencil_work *work)
{
	const int d = stencil_cut_dim(s->dims);
	struct range r = {d, 0, s->dims[d]};

	if (work->shared)
		ranks_part(r.to, (2 == d) ? c->group_slices : GROUP_ROWS, &r.from, &r.to);
	else if (0 < work->cut)
		r = (struct range){work->cut, work->from, work->to};

	return r;
}

/** Accumulators of the groups, from those who have them. */
static void gather_groups(const struct stencil *s, const struct cut *c, struct kern_acc *acc)
{
	const long dims[4] = {c->groups[0] * s->pass->reductions, c->groups[1], c->groups[2],
	        max_long(1, md_calc_size(DIMS - 3, s->dims + 3))};
	const struct sharing groups = sharing_along(4, dims, sizeof *acc, stencil_cut_dim(s->dims), 1);

	sharing_gather(&groups, acc);
}

long stencil_reach(const struct expr_plan *p, const struct expr_pass *q, int d)
{
	struct stencil *s = stencil_create(p, q);
	const long reach = widest_halo(s, d);

	stencil_free(s);

	return reach;
}

static void create_samplers(const struct expr_plan *p, const struct expr_pass *q, struct stencil_work *work)
{
	for (int i = 0; i < q->n; i++) {
		const int id = q->steps[i].id, k = id % EXPR_OPERANDS;

		if (STEP_SAMPLE == q->steps[i].kind && NULL == work->samplers[id])
			work->samplers[id] =
			        sampler_create(sampler_method_of(id), p->edge, &p->operand[k], &work->in[k]);
	}
}

void stencil_run(struct expr_run *r, const struct expr_pass *q, struct stencil_work *work)
{
	struct stencil *s = stencil_create(r->plan, q);
	const long count = md_calc_size(DIMS, q->dims),
	           further = max_long(1, md_calc_size(DIMS - 3, q->dims + 3));
	const int threads = threads_for(4. * (double)count * (double)q->n);
	const struct cut c = choose_cut(s, work, threads);
	const struct range range = choose_range(s, &c, work);
	const long groups = (0 < q->reductions) ? further * c.groups[0] * c.groups[1] * c.groups[2] : 0;

	if (!c.in_place)
		check_memory(s, &c, threads);

	create_samplers(r->plan, q, work);

	struct kern_acc *acc = expr_run_accumulators(q, groups);
	struct worker **workers = mem_calloc((size_t)threads, sizeof *workers);

	for (int i = 0; i < threads; i++)
		workers[i] = worker_create(r, s, work, &c, acc);

	if (0 < count && range.from < range.to) {
		if (NULL != work->what)
			progress_start(work->what, count / s->dims[range.d] * (range.to - range.from));

		run_windows(workers, s, &c, work, &range, threads);

		if (NULL != work->what)
			progress_end();
	}

	struct loop_worker *counted = mem_calloc((size_t)threads, sizeof *counted),
	                   **each = mem_calloc((size_t)threads, sizeof *each);

	for (int i = 0; i < threads; i++) {
		counted[i] = (struct loop_worker){.lost = workers[i]->lost, .missing = workers[i]->missing};
		each[i] = &counted[i];
	}

	if (work->shared)
		expr_run_count_shared(r, threads, each);

	for (int i = 0; i < threads; i++) {
		if (!work->shared)
			expr_run_count(r, each[i]);

		worker_free(workers[i]);
	}

	if (work->shared && 0 < groups)
		gather_groups(s, &c, acc);

	free(counted);
	free(each);
	expr_run_reduced(r, q, expr_run_merge(q, acc, groups));
	free(workers);
	free(acc);

	for (int i = 0; i < SAMPLER_METHODS * EXPR_OPERANDS; i++)
		sampler_free(work->samplers[i]);

	stencil_free(s);
}
