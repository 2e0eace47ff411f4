/* Finds programs that are sums of neighbours with a compiled loop. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/line/stencil_sum.h"
#include "num/line/sum_kern.h"

/** A leaf at `offset` bytes; leaf < 0: none. */
struct spot {
	int leaf;
	long offset;
};

/** (a + b) weight, or a weight. weight: a node; -1: 1. */
struct weighted {
	struct spot a, b;
	int weight;
};

/** Vectors of the plain kernels, which do not stream. [bytes] */
enum { VECTOR_PLAIN = 16 };

/** The largest number of terms of a star, and of lines of a box. */
enum { TERMS = STAR_PAIRS + 1, LINES = 1024 };

/** The largest number of leaves of a star. */
enum { LEAVES = 2 * STAR_PAIRS + 2 };

struct stencil_sum {
	const struct sum_set *set;
	enum dtype type;
	int length; // of a box; 0: a star
	long low;   // its first element
	int lines, rows, slices;
	int *line;           // leaves of a box
	int factor, divisor; // nodes; -1
	int pairs;
	bool scaled;
	bool around; // of a star: the first pair is before and after the centre, in its line
	bool closed; // of a star: reads no other elements beyond the ends of its lines
	struct weighted pair[STAR_PAIRS], centre;
	struct spot base;
	int scale;
};

struct finder {
	const struct graph *g;
	const struct stencil_program *p;
	long size;
	int n;
	struct weighted term[TERMS];
};

static bool is_op(const struct finder *f, int step, enum op op)
{
	if (step < 0 || 0 <= f->p->steps[step].leaf)
		return false;

	const struct node *n = &f->g->nodes[f->p->steps[step].node];

	return NODE_OP == n->kind && !n->fused && (int)op == n->id;
}

/** Operand k of a step whose value is taken at element `at`. */
static long at_operand(const struct finder *f, int step, int k, long at)
{
	return at + f->p->steps[step].slide[k];
}

static bool find_place(const struct finder *f, int step, long at, struct spot *p)
{
	if (step < 0 || f->p->steps[step].leaf < 0)
		return false;

	*p = (struct spot){f->p->steps[step].leaf, at * f->size};

	return true;
}

/** A leaf, or the sum of two. */
static bool find_pair(const struct finder *f, int step, long at, struct weighted *w)
{
	*w = (struct weighted){.b = {.leaf = -1}, .weight = -1};

	if (find_place(f, step, at, &w->a))
		return true;

	if (!is_op(f, step, OP_ADD))
		return false;

	const struct stencil_step *t = &f->p->steps[step];

	return find_place(f, t->arg[0], at_operand(f, step, 0, at), &w->a) &&
	       find_place(f, t->arg[1], at_operand(f, step, 1, at), &w->b);
}

/** The product of operands 0 and 1 of a step: of a number, and a leaf or the sum of two. */
static bool find_product(const struct finder *f, int step, long at, struct weighted *w)
{
	const struct stencil_step *t = &f->p->steps[step];
	const int k = (t->arg[0] < 0) ? 1 : 0;

	if (t->arg[k] < 0 || 0 <= t->arg[1 - k] || !find_pair(f, t->arg[k], at_operand(f, step, k, at), w))
		return false;

	w->weight = -1 - t->arg[1 - k];

	return true;
}

static bool find_term(const struct finder *f, int step, long at, struct weighted *w)
{
	return is_op(f, step, OP_MUL) ? find_product(f, step, at, w) : find_pair(f, step, at, w);
}

/** Terms that are added from left to right. */
static bool find_terms(struct finder *f, int step, long at)
{
	const struct stencil_step *t = &f->p->steps[(step < 0) ? 0 : step];
	struct weighted w;

	if (find_term(f, step, at, &w)) {
		f->term[f->n++] = w;
		return true;
	}

	if (is_op(f, step, OP_MULADD)) {
		if (!find_product(f, step, at, &w) || !find_terms(f, t->arg[2], at_operand(f, step, 2, at)) ||
		        TERMS == f->n)
			return false;

		f->term[f->n++] = w;
		return true;
	}

	if (!is_op(f, step, OP_ADD))
		return false;

	for (int k = 0; k < 2; k++) { // the first operand that is no sum of several terms is the last term
		const int last = t->arg[1 - k];

		if (last < 0 || t->arg[k] < 0 || !find_term(f, last, at_operand(f, step, 1 - k, at), &w))
			continue;

		if (!find_terms(f, t->arg[k], at_operand(f, step, k, at)) || TERMS == f->n)
			return false;

		f->term[f->n++] = w;
		return true;
	}

	return false;
}

/** Pairs, then one element. */
static bool is_star(const struct finder *f)
{
	if (f->n < 3)
		return false;

	for (int k = 0; k < f->n; k++)
		if ((k < f->n - 1) != (0 <= f->term[k].b.leaf))
			return false;

	return true;
}

/** A sum of terms, or a multiple of it added to a leaf. */
static bool find_star(struct finder *f, int step, long at, struct stencil_sum *s)
{
	f->n = 0;

	if (find_terms(f, step, at) && is_star(f))
		return true;

	const struct stencil_step *t = &f->p->steps[step];

	if (!is_op(f, step, OP_MULADD) || !find_place(f, t->arg[2], at_operand(f, step, 2, at), &s->base))
		return false;

	const int k = (t->arg[0] < 0) ? 1 : 0;

	f->n = 0;

	if (t->arg[k] < 0 || 0 <= t->arg[1 - k] || !find_terms(f, t->arg[k], at_operand(f, step, k, at)) ||
	        !is_star(f))
		return false;

	s->scaled = true;
	s->scale = -1 - t->arg[1 - k];

	return true;
}

/* ---- boxes ---- */

/** Appends the leaves that a step adds from left to right. */
static bool find_leaves(const struct finder *f, int step, struct stencil_sum *s)
{
	const struct stencil_step *t = &f->p->steps[step];

	if (0 <= t->leaf) {
		if (LINES == s->lines)
			return false;

		s->line[s->lines++] = t->leaf;
		return true;
	}

	if (!is_op(f, step, OP_ADD) || 0 != t->slide[0] || 0 != t->slide[1])
		return false;

	const int k =
	        (0 <= t->arg[1] && 0 <= f->p->steps[t->arg[1]].leaf) ? 0 : 1; // what is added last is a leaf

	return 0 <= t->arg[0] && 0 <= t->arg[1] && 0 <= f->p->steps[t->arg[1 - k]].leaf &&
	       find_leaves(f, t->arg[k], s) && find_leaves(f, t->arg[1 - k], s);
}

/** The rows of leaves that a step adds from left to right, each of as many leaves. */
static bool find_columns(const struct finder *f, int step, struct stencil_sum *s)
{
	const struct stencil_step *t = &f->p->steps[step];
	const int before = s->lines;

	if (find_leaves(f, step, s)) {
		s->rows = 1;
		s->slices = s->lines - before;
		return true;
	}

	for (int k = 0; k < 2 && is_op(f, step, OP_ADD); k++) { // one operand is the last row
		s->lines = before;

		if (0 > t->arg[0] || 0 > t->arg[1] || 0 != t->slide[0] || 0 != t->slide[1] ||
		        !find_columns(f, t->arg[k], s))
			continue;

		const int have = s->lines;

		if (find_leaves(f, t->arg[1 - k], s) && s->slices == s->lines - have) {
			s->rows++;
			return true;
		}
	}

	s->lines = before;

	return false;
}

/** The elements of one value that a step adds from left to right: the value's step; -1. They follow each
 * other from element s->low on. */
static int find_along(const struct finder *f, int step, long at, struct stencil_sum *s)
{
	long first = 0;
	int value = -1;

	s->length = 0;

	while (is_op(f, step, OP_ADD)) {
		const struct stencil_step *t = &f->p->steps[step];
		// sums come after what they add
		const int k = (t->arg[0] > t->arg[1]) ? 0 : 1;
		const long last = at_operand(f, step, 1 - k, at);

		if (0 > t->arg[1 - k] || (0 <= value && t->arg[1 - k] != value))
			return -1;

		value = t->arg[1 - k];
		at = at_operand(f, step, k, at);
		step = t->arg[k];
		s->length++;

		if (step == value) {
			s->low = min_long(at, last);
			s->length++;

			return (max_long(at, last) == s->low + 1 && (2 == s->length || first == s->low + 2))
			               ? value
			               : -1;
		}

		if (1 < s->length && last != first - 1)
			return -1;

		first = last;
	}

	return -1;
}

/** A sum of elements of columns, or of one column, times or divided by a number. */
static bool find_box(const struct finder *f, int step, long at, struct stencil_sum *s)
{
	const struct stencil_step *t = &f->p->steps[step];
	const bool over = is_op(f, step, OP_DIV);
	int k = 0;

	s->factor = s->divisor = -1;

	if (is_op(f, step, OP_MUL) || over) {
		k = (t->arg[0] < 0) ? 1 : 0;

		if (t->arg[k] < 0 || 0 <= t->arg[1 - k] || (over && 1 == k))
			return false;

		*(over ? &s->divisor : &s->factor) = -1 - t->arg[1 - k];
		at = at_operand(f, step, k, at);
		step = t->arg[k];
	}

	const int value = find_along(f, step, at, s);

	s->line = mem_alloc(LINES * sizeof *s->line);

	return 0 <= value && find_columns(f, value, s);
}

/** Whether the elements of a spot are `elements` after those of another one in its line. */
static bool is_after(const struct stencil_sum *s, struct spot p, struct spot other, long elements)
{
	return p.leaf == other.leaf && p.offset == other.offset + elements * (long)dtype_size(s->type);
}

static bool is_around(const struct stencil_sum *s)
{
	const struct weighted *w = &s->pair[0];
	const struct spot c = s->centre.a;

	return (is_after(s, w->a, c, -1) && is_after(s, w->b, c, 1)) ||
	       (is_after(s, w->a, c, 1) && is_after(s, w->b, c, -1));
}

/** Whether only the first pair lies beyond the ends of a line, if it is around the centre. */
static bool is_closed(const struct stencil_sum *s)
{
	bool closed = 0 == s->centre.a.offset && (!s->scaled || 0 == s->base.offset);

	for (int k = s->around ? 1 : 0; k < s->pairs; k++)
		closed = closed && 0 == s->pair[k].a.offset && 0 == s->pair[k].b.offset;

	return closed;
}

struct stencil_sum *stencil_sum_find(const struct graph *g, const struct stencil_program *p)
{
	const enum dtype type = g->nodes[p->root[0].node].type;
	const int root = p->root[0].step;
	const long at = p->root[0].slide;
	struct finder f = {.g = g, .p = p, .size = (long)dtype_size(type)};
	struct stencil_sum *s = NEW(struct stencil_sum);

	s->set = *KERN_CHOOSE(sum_kern) + (DT_FLOAT64 == type);
	s->type = type;

	if (1 == p->roots && find_star(&f, root, at, s)) {
		s->pairs = f.n - 1;
		s->centre = f.term[s->pairs];

		for (int k = 0; k < s->pairs; k++)
			s->pair[k] = f.term[k];

		s->around = is_around(s);
		s->closed = is_closed(s);

		return s;
	}

	if (1 == p->roots && find_box(&f, root, at, s))
		return s;

	stencil_sum_free(s);

	return NULL;
}

void stencil_sum_free(struct stencil_sum *s)
{
	if (NULL == s)
		return;

	free(s->line);
	free(s);
}

static const void *weight_of(const struct stencil_sum *s, const unsigned char scalars[][16], int node)
{
	static const float one = 1;
	static const double one_double = 1;

	if (0 <= node)
		return scalars[node];

	return (DT_FLOAT64 == s->type) ? (const void *)&one_double : (const void *)&one;
}

static struct star_rows rows_at(const struct stencil_band *b, struct spot p)
{
	return (struct star_rows){b->leaf[p.leaf] + p.offset, b->step[p.leaf]};
}

/** What the elements `moved` bytes from those of the centre are. */
static struct star_rows rows_beside(struct star_rows centre, long moved)
{
	return (struct star_rows){centre.at + moved, centre.step};
}

/** The first element beyond an end of the centre's rows; position: -1 or n. */
static struct star_rows rows_beyond(
        const struct stencil_sum *s, const struct stencil_band *b, struct star_rows centre, long position)
{
	static const double zero;
	const long at = b->open ? position : stencil_edge(b->edge, position, b->n);

	return (!b->open && at < 0) ? (struct star_rows){(const char *)&zero, 0}
	                            : rows_beside(centre, at * (long)dtype_size(s->type));
}

void stencil_sum_run_band(
        const struct stencil_sum *s, const unsigned char scalars[][16], const struct stencil_band *b)
{
	struct star a = {.pairs = s->pairs,
	        .scaled = s->scaled,
	        .stream = b->stream,
	        .unit = true,
	        .around = s->around,
	        .centre = rows_at(b, s->centre.a),
	        .fetch = {b->fetch, b->fetch_step},
	        .fetch_bytes = b->fetch_bytes,
	        .own = weight_of(s, scalars, s->centre.weight)};
	const void *one = weight_of(s, scalars, -1);

	for (int k = 0; k < s->pairs; k++) {
		a.pair[k][0] = rows_at(b, s->pair[k].a);
		a.pair[k][1] = rows_at(b, s->pair[k].b);
		a.weight[k] = weight_of(s, scalars, s->pair[k].weight);
		a.unit = a.unit && 0 == memcmp(a.weight[k], one, dtype_size(s->type));
	}

	if (s->scaled) {
		a.base = rows_at(b, s->base);
		a.scale = scalars[s->scale];
	}

	a.before = rows_beyond(s, b, a.centre, -1);
	a.after = rows_beyond(s, b, a.centre, b->n);
	s->set->star(&a, b->root, b->root_step, b->n, b->rows);
}

bool stencil_sum_takes_bands(const struct stencil_sum *s, long n, bool open)
{
	return 0 == s->length && (open || s->closed) && n >= s->set->least;
}

static void run_star(const struct stencil_sum *s, const unsigned char scalars[][16], const char *const leaf[],
        char *root, long n, bool stream)
{
	static const long none[LEAVES];

	stencil_sum_run_band(s, scalars,
	        &(struct stencil_band){.leaf = leaf,
	                .step = none,
	                .root = root,
	                .n = n,
	                .rows = 1,
	                .open = true,
	                .stream = stream});
}

/** Elements of a line of columns before the first result and behind the last. */
static long reach_of(const struct stencil_sum *s)
{
	return max_long(-s->low, s->low + s->length - 1);
}

static void run_box(const struct stencil_sum *s, const unsigned char scalars[][16], char *room,
        const char *const leaf[], char *root, long n, const struct stencil_ends *ends)
{
	const long size = (long)dtype_size(s->type), low = (NULL == ends) ? s->low : 0;
	const char *at[LINES];
	char *line = room + (reach_of(s) * size + 63) / 64 * 64;

	for (int k = 0; k < s->lines; k++)
		at[k] = leaf[s->line[k]] + low * size;

	s->set->columns(&(struct columns){s->rows, s->slices, at}, line + low * size,
	        n + ((NULL == ends) ? s->length - 1 : 0));

	if (NULL != ends)
		ends->fill(ends->ctx, line, min_long(0, s->low), max_long(0, s->low + s->length - 1));

	const struct along a = {s->length, line + s->low * size, (s->factor < 0) ? NULL : scalars[s->factor],
	        (s->divisor < 0) ? NULL : scalars[s->divisor]};

	s->set->along(&a, root, n);
}

bool stencil_sum_is_box(const struct stencil_sum *s, long n)
{
	return 0 < s->length && n >= s->set->least;
}

size_t stencil_sum_room(const struct stencil_sum *s, long n)
{
	return (0 < s->length) ? (size_t)((n + 2 * reach_of(s)) * (long)dtype_size(s->type)) + 128 : 0;
}

bool stencil_sum_streams(const struct stencil_sum *s, const char *root, long n)
{
	const long vector = s->set->least * (long)dtype_size(s->type);

	return 0 == s->length && VECTOR_PLAIN < vector && 0 == n % s->set->least &&
	       0 == (uintptr_t)root % (uintptr_t)vector;
}

bool stencil_sum_run(const struct stencil_sum *s, const unsigned char scalars[][16], char *room,
        const char *const leaf[], char *root, long n, const struct stencil_ends *ends, bool stream)
{
	if (n < s->set->least)
		return false;

	if (0 < s->length)
		run_box(s, scalars, room, leaf, root, n, ends);
	else
		run_star(s, scalars, leaf, root, n, stream);

	return true;
}
