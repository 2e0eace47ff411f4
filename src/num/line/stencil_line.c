/* Translates programs of a pass to those of num/line/line_kern.h, for one float type. Intermediate values
 * that are needed in several places along a line are computed first, as lines of their own. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/stencil.h"
#include "num/line/line_kern.h"
#include "num/line/stencil_sum.h"
#include "num/line/stencil_tap.h"

/** Lines of a program: its leaves, the values that are made first, its roots, then what is kept, then its
 * scalars. */
struct stencil_lines {
	const struct line_set *set;
	long size; // of an element [bytes]
	int n, leaves, moving, kept, scalars;
	struct line_step *steps;
	int *scalar; // nodes
	int parts;   // values that are made first, each by a program of the same leaves
	struct part {
		struct stencil_lines *l;
		long low, high; // how far beyond a block's ends
	} * part;
	struct stencil_sum *sum; // the same as one compiled loop; NULL
};

/** Elements for which parts are made at a time, and roots, at most. */
enum { BLOCK = 1024, ROOTS_MOST = 16 };

enum { LINES_MAX = UINT16_MAX };

/** What it costs to begin with rows: as much as that many steps of registers. */
enum { START = 16 };

/** Rows, and elements, that a compiled loop computes together. */
enum { SUM_ROWS = 16, SUM_COUNT = 8192 };

/** Offset of a scalar until all lines are known: those of elements are even. */
enum { SCALAR = -1 };

static bool operator_of(const struct node *n, enum line_op *op)
{
	static const struct {
		enum op op;
		enum line_op line;
	} known[] = {{OP_ADD, LINE_ADD}, {OP_SUB, LINE_SUB}, {OP_MUL, LINE_MUL}, {OP_DIV, LINE_DIV},
	        {OP_SQUARE, LINE_SQUARE}, {OP_ABS2, LINE_SQUARE}, {OP_NEG, LINE_NEG}, {OP_SQRT, LINE_SQRT},
	        {OP_EXP, LINE_EXP}, {OP_MAX, LINE_LARGER}, {OP_MULADD, LINE_MULADD}};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (NODE_OP == n->kind && !n->fused && (int)known[i].op == n->id) {
			*op = known[i].line;
			return true;
		}

	return false;
}

/** Whether a step is of the type, and of an operator that has steps of lines. */
static bool is_line_step(const struct graph *g, const struct stencil_program *p, int k, enum dtype type)
{
	const struct stencil_step *t = &p->steps[k];
	const struct node *n = &g->nodes[t->node];
	enum line_op op = LINE_ADD;

	if (n->type != type || t->guards)
		return false;

	if (0 <= t->leaf)
		return true;

	if (0 <= t->guard || n->work != type || !operator_of(n, &op) || (n->counted && LINE_SQRT != op))
		return false;

	for (int i = 0; i < t->args; i++)
		if (t->arg[i] < 0 && g->nodes[-1 - t->arg[i]].type != type)
			return false;

	return true;
}

static bool fits(const struct graph *g, const struct stencil_program *p, enum dtype type)
{
	int operators = 0;

	for (int k = 0; k < p->n; k++) {
		if (!is_line_step(g, p, k, type))
			return false;

		operators += p->steps[k].leaf < 0;
	}

	return 0 < operators && p->roots <= ROOTS_MOST;
}

/** What becomes of the steps' values. */
struct fate {
	int *part;   // it is made first: which of those values; -1
	bool *in;    // an operator of this program
	int *last;   // step that uses it last
	bool *store; // it goes to a line
	bool *hold;  // and leaves the accumulator as it is
	bool *pair;  // the sum of two lines, which the next step adds to the accumulator
	int *root;   // that it is; -1
	long *at;    // elements from those of the roots to its own
	bool *tap;   // the first step of a tap
};

/** The root that each step is; false where one is several, a leaf or made first. */
static bool find_roots(const struct stencil_program *p, struct fate *f)
{
	for (int k = 0; k < p->n; k++)
		f->root[k] = -1;

	for (int k = 0; k < p->roots; k++) {
		const int step = p->root[k].step;

		if (0 <= f->root[step] || 0 <= p->steps[step].leaf || 0 <= f->part[step])
			return false;

		f->root[step] = k;
		f->at[step] = p->root[k].slide;
	}

	return true;
}

/** The only root is this step, at its own place. */
static void set_root(const struct stencil_program *p, struct fate *f, int step)
{
	for (int k = 0; k < p->n; k++)
		f->root[k] = -1;

	f->root[step] = 0;
	f->at[step] = 0;
}

/** Where each value is needed for the roots. One that is needed in two places becomes a part: whether there
 * was none. */
static bool find_places(const struct stencil_program *p, struct fate *f)
{
	bool one = true;

	for (int k = 0; k < p->n; k++)
		f->in[k] = 0 <= f->root[k];

	for (int k = p->n - 1; k >= 0; k--)
		for (int i = 0; i < p->steps[k].args && f->in[k]; i++) {
			const int a = p->steps[k].arg[i];

			if (a < 0 || 0 <= p->steps[a].leaf || 0 <= f->part[a])
				continue;

			const long at = f->at[k] + p->steps[k].slide[i];

			if (f->in[a] && at != f->at[a]) {
				f->part[a] = 0;
				one = false;
			}

			f->in[a] = true;
			f->at[a] = at;
		}

	return one;
}

/** The values that are made first, of the program and of each other; false where one is a root. */
static bool find_parts(const struct stencil_program *p, struct fate *f)
{
	for (int k = 0; k < p->n; k++)
		f->part[k] = -1;

	for (bool one = false; !one;) {
		if (!find_roots(p, f))
			return false;

		one = find_places(p, f);

		for (int k = 0; k < p->n && one; k++)
			if (0 <= f->part[k]) {
				set_root(p, f, k);
				one = find_places(p, f);
			}
	}

	for (int k = 0, n = 0; k < p->n; k++)
		f->part[k] = (0 <= f->part[k]) ? n++ : -1;

	return true;
}

static bool uses(const struct stencil_step *t, int value)
{
	for (int i = 0; i < t->args; i++)
		if (value == t->arg[i])
			return true;

	return false;
}

static bool is_sum(const struct graph *g, const struct stencil_step *t)
{
	enum line_op op;

	return operator_of(&g->nodes[t->node], &op) && LINE_ADD == op;
}

/** Whether a step is the sum of two lines for the next one alone, which adds it to the value that is held. */
static bool is_pair(const struct graph *g, const struct stencil_program *p, const struct fate *f, int k,
        int next, int held)
{
	const struct stencil_step *t = &p->steps[k];

	if (held < 0 || p->n == next || next != f->last[k] || 0 <= f->root[k] || !is_sum(g, t) ||
	        !is_sum(g, &p->steps[next]) || !uses(&p->steps[next], held) || !uses(&p->steps[next], k))
		return false;

	return 0 <= t->arg[0] && 0 <= t->arg[1] && !uses(t, held);
}

static bool is_tap(const struct graph *g, const struct stencil_program *p, const struct fate *f, int k,
        struct stencil_tap *t)
{
	bool is = stencil_tap_find(t, g, p, f->in, f->last, f->at, k) && f->root[t->weights] < 0 &&
	          f->root[t->sum] < 0;

	for (int i = 0; i < TAP_STEPS && is; i++)
		is = f->root[t->step[i]] < 0;

	return is;
}

/** The sums of a tap are lines before and after it. */
static void keep_sums(struct fate *f, const struct stencil_tap *t)
{
	f->store[t->weights] = f->store[t->sum] = true;
	f->store[t->step[TAP_WEIGHTS]] = f->store[t->step[TAP_SUM]] = true;
}

/** The accumulator holds each value until the next; longer where the next step needs it, and not the next. */
static void find_fates(const struct graph *g, const struct stencil_program *p, struct fate *f)
{
	int held = -1;

	for (int k = 0; k < p->n; k++) {
		f->store[k] = f->hold[k] = f->pair[k] = f->tap[k] = false;

		for (int i = 0; i < p->steps[k].args && f->in[k]; i++)
			if (0 <= p->steps[k].arg[i])
				f->last[p->steps[k].arg[i]] = k;
	}

	for (int k = stencil_next_operator(p, f->in, -1), next; k < p->n; k = next) {
		const struct stencil_step *t = &p->steps[k];
		struct stencil_tap tap;

		if (is_tap(g, p, f, k, &tap)) {
			f->tap[k] = true;
			keep_sums(f, &tap);
			next = stencil_next_operator(p, f->in, tap.step[TAP_SUM]);
			held = -1;
			continue;
		}

		next = stencil_next_operator(p, f->in, k);

		for (int i = 0; i < t->args; i++)
			if (0 <= t->arg[i] && f->in[t->arg[i]] && held != t->arg[i] && !f->pair[t->arg[i]])
				f->store[t->arg[i]] = true;

		f->pair[k] = is_pair(g, p, f, k, next, held);
		f->store[k] = f->store[k] || 0 <= f->root[k];
		f->hold[k] = f->pair[k] || (0 <= held && next < p->n && uses(&p->steps[next], held) &&
		                                   !uses(&p->steps[next], k));
		f->store[k] = f->store[k] || (f->hold[k] && !f->pair[k]);
		held = f->hold[k] ? held : k;
	}
}

struct maker {
	struct stencil_lines *l;
	const struct stencil_program *p;
	struct fate f;
	int *line;  // per step: where its value is kept
	int *spare; // lines that are free again
	int spares, held;
};

static int find_scalar(struct stencil_lines *l, int node)
{
	for (int i = 0; i < l->scalars; i++)
		if (node == l->scalar[i])
			return i;

	l->scalar = mem_realloc(l->scalar, (size_t)(l->scalars + 1) * sizeof *l->scalar);
	l->scalar[l->scalars] = node;

	return l->scalars++;
}

static enum line_place place_operand(
        struct maker *m, const struct stencil_step *t, int i, struct line_step *s)
{
	const int a = t->arg[i];

	if (a < 0) {
		s->line[i] = (uint16_t)find_scalar(m->l, -1 - a); // counted from the first scalar
		return LINE_K;
	}

	if (a == m->held)
		return LINE_A;

	const int leaf = m->p->steps[a].leaf;

	s->line[i] = (uint16_t)((0 <= leaf) ? leaf : m->f.in[a] ? m->line[a] : m->p->leaves + m->f.part[a]);

	if (!m->f.in[a])
		s->offset[i] = (int32_t)((m->f.at[t - m->p->steps] + t->slide[i]) * m->l->size);

	return LINE_M;
}

/** The accumulator, lines, numbers: factors and summands in that order. */
static void order_places(enum line_op op, enum line_place place[3], struct line_step *s)
{
	if (place[0] <= place[1] || !(LINE_ADD == op || LINE_MUL == op || LINE_MULADD == op))
		return;

	const enum line_place p = place[0];
	const uint16_t line = s->line[0];
	const int32_t offset = s->offset[0];

	place[0] = place[1];
	s->line[0] = s->line[1];
	s->offset[0] = s->offset[1];
	place[1] = p;
	s->line[1] = line;
	s->offset[1] = offset;
}

/** A line for the value of a step; those whose last use this step is are free for it. */
static void place_value(struct maker *m, int k)
{
	const struct stencil_step *t = &m->p->steps[k];

	for (int i = 0; i < t->args; i++) {
		const int a = t->arg[i];

		if (0 <= a && k == m->f.last[a] && m->f.in[a] && m->f.store[a] && m->f.root[a] < 0) {
			m->spare[m->spares++] = m->line[a];
			m->f.last[a] = -1; // an operand named twice is freed once
		}
	}

	if (0 <= m->f.root[k])
		m->line[k] = m->l->leaves + m->f.root[k];
	else if (m->f.store[k])
		m->line[k] = (0 < m->spares) ? m->spare[--m->spares] : m->l->moving + m->l->kept++;
}

/** False where no such step of lines exists. pair: the step whose sum is added; -1. */
static bool add_step(struct maker *m, const struct graph *g, int k, int pair)
{
	const struct stencil_step *t = &m->p->steps[k], *from = (pair < 0) ? t : &m->p->steps[pair];
	struct line_step s = {0};
	enum line_place place[3] = {LINE_A, LINE_A, LINE_A};
	enum line_op op = LINE_ADD;

	operator_of(&g->nodes[t->node], &op);

	for (int i = 0; i < from->args; i++)
		place[i] = place_operand(m, from, i, &s);

	op = (0 <= pair) ? LINE_ADD3 : op;

	order_places(op, place, &s);

	if (LINE_K == place[0] && (t->args < 2 || LINE_K == place[1]))
		return false;

	if (0 <= pair)
		place_value(m, pair);

	place_value(m, k);
	s.to = m->f.store[k] ? (uint16_t)m->line[k] : 0;
	s.code = (uint16_t)LINE_CODE(op, place[0], place[1], place[2],
	        m->f.hold[k] ? LINE_TO_M : (m->f.store[k] ? LINE_TO_BOTH : LINE_TO_A));

	// scalars are counted once all lines are known
	for (int i = 0; i < from->args; i++)
		s.offset[i] = (LINE_K == place[i]) ? SCALAR : s.offset[i];

	m->l->steps[m->l->n++] = s;
	m->held = m->f.hold[k] ? m->held : k;

	return true;
}

/** The tap that begins with step k; returns its last step. */
static int add_tap(struct maker *m, const struct graph *g, int k)
{
	const struct stencil_step *t = &m->p->steps[k];
	struct line_step s = {.code = LINE_TAP_CODE};
	struct stencil_tap tap;

	is_tap(g, m->p, &m->f, k, &tap);
	m->held = -1;
	place_operand(m, t, 0, &s);
	place_operand(m, t, 1, &s);

	for (int i = 0; i < 5; i++)
		s.line[2 + i] = (uint16_t)find_scalar(m->l, -1 - tap.scalar[i]);

	// in the lines of the sums before, which are freed last
	place_value(m, tap.step[TAP_WEIGHTS]);
	place_value(m, tap.step[TAP_SUM]);
	s.to = (uint16_t)m->line[tap.step[TAP_WEIGHTS]];
	s.sum = (uint16_t)m->line[tap.step[TAP_SUM]];
	m->l->steps[m->l->n++] = s;

	return tap.step[TAP_SUM];
}

/** Scalars, counted from the first, become lines. */
static void number_scalars(const struct stencil_lines *l, struct line_step *s)
{
	const int first = l->moving + l->kept;
	const bool tap = LINE_TAP_CODE == s->code;

	for (int k = 2; k < 7 && tap; k++)
		s->line[k] += (uint16_t)first;

	for (int k = 0; k < 3 && !tap; k++)
		if (SCALAR == s->offset[k]) {
			s->line[k] += (uint16_t)first;
			s->offset[k] = 0;
		}
}

/** A program of the roots that are set. */
static struct stencil_lines *make_program(struct maker *m, const struct graph *g, enum dtype type, int roots)
{
	const struct stencil_program *p = m->p;
	struct stencil_lines *l = NEW(struct stencil_lines);
	int parts = 0, pair = -1;

	for (int k = 0; k < p->n; k++)
		parts += 0 <= m->f.part[k];

	*l = (struct stencil_lines){.size = (long)dtype_size(type), .leaves = p->leaves + parts};
	l->moving = l->leaves + roots;
	l->set = *KERN_CHOOSE(line_kern) + (DT_FLOAT64 == type);
	l->steps = mem_calloc((size_t)p->n, sizeof *l->steps);
	m->l = l;
	m->held = -1;
	m->spares = 0;
	find_fates(g, p, &m->f);

	for (int k = stencil_next_operator(p, m->f.in, -1); k < p->n;
	        k = stencil_next_operator(p, m->f.in, k)) {
		if (m->f.tap[k]) {
			k = add_tap(m, g, k);
			continue;
		}

		if (m->f.pair[k]) {
			pair = k;
			continue;
		}

		if (!add_step(m, g, k, pair)) {
			stencil_lines_free(l);
			return NULL;
		}

		pair = -1;
	}

	for (int i = 0; i < l->n; i++)
		number_scalars(l, &l->steps[i]);

	if (l->moving + l->kept + l->scalars > LINES_MAX) {
		stencil_lines_free(l);
		return NULL;
	}

	return l;
}

/** The program, and before it those of its parts in their order. */
static struct stencil_lines *make_lines(struct maker *m, const struct graph *g, enum dtype type)
{
	const struct stencil_program *p = m->p;

	find_roots(p, &m->f);
	find_places(p, &m->f);

	struct stencil_lines *l = make_program(m, g, type, p->roots);

	if (NULL == l)
		return NULL;

	l->part = mem_calloc((size_t)p->n + 1, sizeof *l->part);

	for (int k = 0; k < p->n; k++) {
		if (m->f.part[k] < 0)
			continue;

		set_root(p, &m->f, k);
		find_places(p, &m->f);

		struct part *a = &l->part[l->parts];

		*a = (struct part){make_program(m, g, type, 1), p->steps[k].low, p->steps[k].high};

		if (NULL == a->l) {
			stencil_lines_free(l);
			return NULL;
		}

		l->parts++;
	}

	return l;
}

struct stencil_lines *stencil_lines_create(const struct graph *g, const struct stencil_program *p)
{
	const enum dtype type = (0 < p->n) ? g->nodes[p->steps[0].node].type : DT_BOOL;
	const size_t n = (size_t)p->n + 1;

	if ((DT_FLOAT32 != type && DT_FLOAT64 != type) || !fits(g, p, type))
		return NULL;

	struct maker m = {.p = p,
	        .f = {.part = mem_calloc(n, sizeof(int)),
	                .in = mem_calloc(n, sizeof(bool)),
	                .last = mem_calloc(n, sizeof(int)),
	                .store = mem_calloc(n, sizeof(bool)),
	                .hold = mem_calloc(n, sizeof(bool)),
	                .pair = mem_calloc(n, sizeof(bool)),
	                .root = mem_calloc(n, sizeof(int)),
	                .at = mem_calloc(n, sizeof(long)),
	                .tap = mem_calloc(n, sizeof(bool))},
	        .line = mem_calloc(n, sizeof(int)),
	        .spare = mem_calloc(n, sizeof(int))};

	struct stencil_lines *l = find_parts(p, &m.f) ? make_lines(&m, g, type) : NULL;

	if (NULL != l)
		l->sum = stencil_sum_find(g, p);

	free(m.f.part);
	free(m.f.in);
	free(m.f.last);
	free(m.f.store);
	free(m.f.hold);
	free(m.f.pair);
	free(m.f.root);
	free(m.f.at);
	free(m.f.tap);
	free(m.line);
	free(m.spare);

	return l;
}

void stencil_lines_free(struct stencil_lines *l)
{
	if (NULL == l)
		return;

	for (int k = 0; k < l->parts; k++)
		stencil_lines_free(l->part[k].l);

	stencil_sum_free(l->sum);
	free(l->part);
	free(l->steps);
	free(l->scalar);
	free(l);
}

/** Whether operand k of a step is a line. */
static bool reads_line(const struct line_step *s, int k)
{
	const int place = s->code / 3;

	return LINE_M == ((0 == k) ? place / 9 % 3 : (1 == k) ? place / 3 % 3 : place % 3);
}

/** Pointers to lines, in whole lines of the cache. */
static long bases(const struct stencil_lines *l)
{
	return (l->moving + l->kept + l->scalars + 7) / 8 * 8;
}

/** Bytes of the pointers and kept lines of one program. */
static size_t own_room(const struct stencil_lines *l)
{
	return (size_t)bases(l) * sizeof(char *) + (size_t)l->kept * LINE_WIDE_BYTES;
}

/** Bytes of the line of a part. */
static long part_bytes(const struct stencil_lines *l, const struct part *a)
{
	return ((BLOCK + a->high - a->low) * l->size + 2 * LINE_WIDE_BYTES - 1) / LINE_WIDE_BYTES *
	       LINE_WIDE_BYTES;
}

size_t stencil_lines_room(const struct stencil_lines *l, long n)
{
	const size_t sum = (NULL == l->sum) ? 0 : stencil_sum_room(l->sum, n);
	size_t own = own_room(l), lines = 0;

	for (int k = 0; k < l->parts; k++) {
		const size_t room = own_room(l->part[k].l);

		own = (room > own) ? room : own;
		lines += (size_t)part_bytes(l, &l->part[k]);
	}

	lines += own + (size_t)(l->leaves + 8) * sizeof(char *);

	return (sum > lines) ? sum : lines;
}

/** What `rows` rows cost, in steps of registers. */
static long cost_of(const struct stencil_lines *l, long n, long pitch, long rows)
{
	return ((rows - 1) * pitch + n + l->set->wide - 1) / l->set->wide * l->n + START;
}

long stencil_lines_rows(const struct stencil_lines *l, long n, long pitch, long most)
{
	long best = 1;

	if (NULL != l->sum) // keeps no lines in the first-level cache
		return max_long(most, min_long(SUM_ROWS, SUM_COUNT / pitch));

	for (long rows = 2; rows <= most; rows++)
		if (cost_of(l, n, pitch, rows) * best < cost_of(l, n, pitch, best) * rows)
			best = rows;

	return best;
}

/** Elements [at, at + what `run` computes). */
static bool run_at(const struct stencil_lines *l, bool run(const struct line_step *, int, char *const[]),
        const char *const leaf[], char *const root[], char *base[], long at)
{
	for (int i = 0; i < l->leaves; i++)
		base[i] = (char *)leaf[i] + at * l->size; // only read

	for (int i = l->leaves; i < l->moving; i++)
		base[i] = root[i - l->leaves] + at * l->size;

	return run(l->steps, l->n, base);
}

/** One program: whether a root of a negative number was met. n >= set->narrow. */
static bool run_one(const struct stencil_lines *l, const unsigned char scalars[][16], void *room,
        const char *const leaf[], char *const root[], long n)
{
	const struct line_set *set = l->set;
	char **base = room, *kept = (char *)(base + bases(l));
	const bool is_wide = n >= set->wide;
	const long step = is_wide ? set->wide : set->narrow;
	bool negative = false;

	for (int i = 0; i < l->kept; i++)
		base[l->moving + i] = kept + i * LINE_WIDE_BYTES;

	for (int i = 0; i < l->scalars; i++)
		base[l->moving + l->kept + i] = (char *)scalars[l->scalar[i]]; // only read

	// the last step repeats elements of the one before
	for (long at = 0; at < n; at += step)
		negative |= run_at(l, is_wide ? set->run_wide : set->run_narrow, leaf, root, base,
		        min_long(at, n - step));

	return negative;
}

/** Elements [from, from + n): first the parts, each in a line of its own. */
static bool run_block(const struct stencil_lines *l, const unsigned char scalars[][16], void *room,
        const char *const leaf[], char *const root[], long from, long n)
{
	size_t own = own_room(l);
	const int leaves = l->leaves - l->parts;
	bool negative = false;

	for (int k = 0; k < l->parts; k++)
		own = (own_room(l->part[k].l) > own) ? own_room(l->part[k].l) : own;

	const char **at = (const char **)(void *)((char *)room + own);
	char *line = (char *)(at + (l->leaves + 7) / 8 * 8);

	for (int k = 0; k < l->parts; line += part_bytes(l, &l->part[k]), k++)
		at[leaves + k] = line - l->part[k].low * l->size;

	for (int k = 0; k <= l->parts; k++) {
		const struct part *a = (k < l->parts) ? &l->part[k] : NULL;
		const long low = (NULL == a) ? 0 : a->low, high = (NULL == a) ? 0 : a->high;
		char *to = (char *)at[leaves + (k < l->parts ? k : 0)];

		for (int i = 0; i < leaves; i++)
			at[i] = leaf[i] + (from + low) * l->size;

		for (int i = 0; i < k; i++)
			at[leaves + i] += low * l->size;

		if (NULL == a) {
			char *result[ROOTS_MOST];

			for (int i = 0; i < l->moving - l->leaves; i++)
				result[i] = root[i] + from * l->size;

			negative |= run_one(l, scalars, room, at, result, n);
		} else {
			to += low * l->size;
			negative |= run_one(a->l, scalars, room, at, &to, n + high - low);
		}

		for (int i = 0; i < k; i++)
			at[leaves + i] -= low * l->size;
	}

	return negative;
}

bool stencil_lines_take(const struct stencil_lines *l, long n)
{
	return n >= l->set->narrow;
}

/** Widens [*low, *high] to what one program reads of a leaf, for elements [from, n + to). */
static void widen_reach(const struct stencil_lines *l, int leaf, long from, long to, long *low, long *high)
{
	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < 3; k++)
			if (reads_line(&l->steps[i], k) && leaf == l->steps[i].line[k]) {
				*low = min_long(*low, from + l->steps[i].offset[k] / l->size);
				*high = max_long(*high, to + l->steps[i].offset[k] / l->size);
			}
}

void stencil_lines_reach(const struct stencil_lines *l, int leaf, long *low, long *high)
{
	*low = LONG_MAX;
	*high = LONG_MIN;
	widen_reach(l, leaf, 0, 0, low, high);

	for (int k = 0; k < l->parts; k++)
		widen_reach(l->part[k].l, leaf, l->part[k].low, l->part[k].high, low, high);
}

bool stencil_lines_is_box(const struct stencil_lines *l, long n)
{
	return NULL != l->sum && n >= l->set->narrow && stencil_sum_is_box(l->sum, n);
}

bool stencil_lines_streams(const struct stencil_lines *l, const char *root, long n)
{
	return NULL != l->sum && stencil_lines_take(l, n) && stencil_sum_streams(l->sum, root, n);
}

bool stencil_lines_run(const struct stencil_lines *l, const unsigned char scalars[][16], void *room,
        const char *const leaf[], char *const root[], long n, const struct stencil_ends *ends, bool stream,
        bool *negative)
{
	*negative = false;

	if (!stencil_lines_take(l, n))
		return false;

	if (NULL != l->sum && stencil_sum_run(l->sum, scalars, room, leaf, root[0], n, ends, stream))
		return true;

	if (0 == l->parts) {
		*negative = run_one(l, scalars, room, leaf, root, n);
		return true;
	}

	const long blocks = (n + BLOCK - 1) / BLOCK, block = (n + blocks - 1) / blocks;

	for (long from = 0; from < n; from += block)
		*negative |= run_block(l, scalars, room, leaf, root, min_long(from, n - block), block);

	return true;
}

bool stencil_lines_take_bands(const struct stencil_lines *l, long n, bool open)
{
	return NULL != l->sum && stencil_sum_takes_bands(l->sum, n, open);
}

void stencil_lines_run_band(
        const struct stencil_lines *l, const unsigned char scalars[][16], const struct stencil_band *b)
{
	stencil_sum_run_band(l->sum, scalars, b);
}
