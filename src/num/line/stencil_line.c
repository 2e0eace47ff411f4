/* Translates programs of a pass to those of num/line/line_kern.h, for one float type and intermediate values
 * without shifts. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/stencil.h"
#include "num/line/line_kern.h"

/** Lines of a program: its leaves, its roots, then what is kept, then its
 * scalars. */
struct stencil_lines {
	const struct line_set *set;
	long size; // of an element [bytes]
	int n, moving, kept, scalars;
	struct line_step *steps;
	int *scalar; // nodes
};

enum { LINES_MAX = UINT16_MAX };

/** Offset of a scalar until all lines are known: those of elements are even. */
enum { SCALAR = -1 };

static bool operator_of(const struct node *n, enum line_op *op)
{
	static const struct {
		enum op op;
		enum line_op line;
	} known[] = {{OP_ADD, LINE_ADD}, {OP_SUB, LINE_SUB}, {OP_MUL, LINE_MUL}, {OP_DIV, LINE_DIV},
	        {OP_SQUARE, LINE_SQUARE}, {OP_ABS2, LINE_SQUARE}, {OP_NEG, LINE_NEG}, {OP_SQRT, LINE_SQRT},
	        {OP_EXP, LINE_EXP}, {OP_MULADD, LINE_MULADD}};

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

	return 0 < operators && p->leaves + p->roots + 2 * p->n < LINES_MAX;
}

/** What becomes of the steps' values. */
struct fate {
	int *last;   // step that uses it last
	bool *store; // it goes to a line
	bool *hold;  // and leaves the accumulator as it is
	int *root;   // that it is; -1
	long *at;    // elements from those of the roots to its own
};

/** The root that each step is; false where one is several or a leaf. */
static bool find_roots(const struct stencil_program *p, struct fate *f)
{
	for (int k = 0; k < p->n; k++)
		f->root[k] = -1;

	for (int k = 0; k < p->roots; k++) {
		const int step = p->root[k].step;

		if (0 <= f->root[step] || 0 <= p->steps[step].leaf)
			return false;

		f->root[step] = k;
		f->at[step] = p->root[k].slide;
	}

	return true;
}

/** Where each value is needed; false where one but a leaf is needed in two places. */
static bool find_places(const struct stencil_program *p, struct fate *f)
{
	bool *known = mem_calloc((size_t)p->n + 1, sizeof *known), one = true;

	for (int k = 0; k < p->n; k++)
		known[k] = 0 <= f->root[k];

	for (int k = p->n - 1; k >= 0; k--)
		for (int i = 0; i < p->steps[k].args; i++) {
			const int a = p->steps[k].arg[i];
			const long at = f->at[k] + p->steps[k].slide[i];

			if (a < 0 || 0 <= p->steps[a].leaf)
				continue;

			one = one && (!known[a] || at == f->at[a]);
			known[a] = true;
			f->at[a] = at;
		}

	free(known);

	return one;
}

static bool uses(const struct stencil_step *t, int value)
{
	for (int i = 0; i < t->args; i++)
		if (value == t->arg[i])
			return true;

	return false;
}

static int next_operator(const struct stencil_program *p, int k)
{
	do
		k++;
	while (k < p->n && 0 <= p->steps[k].leaf);

	return k;
}

/** The accumulator holds each value until the next; longer where the next step needs it, and not the next. */
static void find_fates(const struct stencil_program *p, struct fate *f)
{
	int held = -1;

	for (int k = 0; k < p->n; k++)
		for (int i = 0; i < p->steps[k].args; i++)
			if (0 <= p->steps[k].arg[i])
				f->last[p->steps[k].arg[i]] = k;

	for (int k = next_operator(p, -1), next; k < p->n; k = next) {
		const struct stencil_step *t = &p->steps[k];

		next = next_operator(p, k);

		for (int i = 0; i < t->args; i++)
			if (0 <= t->arg[i] && p->steps[t->arg[i]].leaf < 0 && held != t->arg[i])
				f->store[t->arg[i]] = true;

		f->store[k] = f->store[k] || 0 <= f->root[k];
		f->hold[k] =
		        0 <= held && next < p->n && uses(&p->steps[next], held) && !uses(&p->steps[next], k);
		f->store[k] = f->store[k] || f->hold[k];
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

	s->line[i] = (uint16_t)((0 <= m->p->steps[a].leaf) ? m->p->steps[a].leaf : m->line[a]);

	if (0 <= m->p->steps[a].leaf)
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

		if (0 <= a && k == m->f.last[a] && m->p->steps[a].leaf < 0 && m->f.store[a] &&
		        m->f.root[a] < 0) {
			m->spare[m->spares++] = m->line[a];
			m->f.last[a] = -1; // an operand named twice is freed once
		}
	}

	if (0 <= m->f.root[k])
		m->line[k] = m->p->leaves + m->f.root[k];
	else if (m->f.store[k])
		m->line[k] = (0 < m->spares) ? m->spare[--m->spares] : m->l->moving + m->l->kept++;
}

/** False where no such step of lines exists. */
static bool add_step(struct maker *m, const struct graph *g, int k)
{
	const struct stencil_step *t = &m->p->steps[k];
	struct line_step s = {0};
	enum line_place place[3] = {LINE_A, LINE_A, LINE_A};
	enum line_op op = LINE_ADD;

	operator_of(&g->nodes[t->node], &op);

	for (int i = 0; i < t->args; i++)
		place[i] = place_operand(m, t, i, &s);

	order_places(op, place, &s);

	if (LINE_K == place[0] && (t->args < 2 || LINE_K == place[1]))
		return false;

	place_value(m, k);
	s.to = m->f.store[k] ? (uint16_t)m->line[k] : 0;
	s.code = (uint16_t)LINE_CODE(op, place[0], place[1], place[2],
	        m->f.hold[k] ? LINE_TO_M : (m->f.store[k] ? LINE_TO_BOTH : LINE_TO_A));

	// scalars are counted once all lines are known
	for (int i = 0; i < t->args; i++)
		s.offset[i] = (LINE_K == place[i]) ? SCALAR : s.offset[i];

	m->l->steps[m->l->n++] = s;
	m->held = m->f.hold[k] ? m->held : k;

	return true;
}

static struct stencil_lines *make_lines(struct maker *m, const struct graph *g, enum dtype type)
{
	const struct stencil_program *p = m->p;
	struct stencil_lines *l = NEW(struct stencil_lines);

	*l = (struct stencil_lines){.size = (long)dtype_size(type), .moving = p->leaves + p->roots};
	l->set = *KERN_CHOOSE(line_kern) + (DT_FLOAT64 == type);
	l->steps = mem_calloc((size_t)p->n, sizeof *l->steps);
	m->l = l;
	m->held = -1;

	for (int k = next_operator(p, -1); k < p->n; k = next_operator(p, k))
		if (!add_step(m, g, k)) {
			stencil_lines_free(l);
			return NULL;
		}

	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < 3; k++)
			if (SCALAR == l->steps[i].offset[k]) {
				l->steps[i].line[k] += (uint16_t)(l->moving + l->kept);
				l->steps[i].offset[k] = 0;
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
	        .f = {.last = mem_calloc(n, sizeof(int)),
	                .store = mem_calloc(n, sizeof(bool)),
	                .hold = mem_calloc(n, sizeof(bool)),
	                .root = mem_calloc(n, sizeof(int)),
	                .at = mem_calloc(n, sizeof(long))},
	        .line = mem_calloc(n, sizeof(int)),
	        .spare = mem_calloc(n, sizeof(int))};

	struct stencil_lines *l = NULL;

	if (find_roots(p, &m.f) && find_places(p, &m.f)) {
		find_fates(p, &m.f);
		l = make_lines(&m, g, type);
	}

	free(m.f.last);
	free(m.f.store);
	free(m.f.hold);
	free(m.f.root);
	free(m.f.at);
	free(m.line);
	free(m.spare);

	return l;
}

void stencil_lines_free(struct stencil_lines *l)
{
	if (NULL == l)
		return;

	free(l->steps);
	free(l->scalar);
	free(l);
}

/** Pointers to lines, in whole lines of the cache. */
static long bases(const struct stencil_lines *l)
{
	return (l->moving + l->kept + l->scalars + 7) / 8 * 8;
}

size_t stencil_lines_room(const struct stencil_lines *l)
{
	return (size_t)bases(l) * sizeof(char *) + (size_t)l->kept * LINE_WIDE_BYTES;
}

/** Elements [at, at + what `run` computes). */
static bool run_at(const struct stencil_lines *l, bool run(const struct line_step *, int, char *const[]),
        const char *const leaf[], int leaves, char *const root[], char *base[], long at)
{
	for (int i = 0; i < leaves; i++)
		base[i] = (char *)leaf[i] + at * l->size; // only read

	for (int i = leaves; i < l->moving; i++)
		base[i] = root[i - leaves] + at * l->size;

	return run(l->steps, l->n, base);
}

bool stencil_lines_run(const struct stencil_lines *l, const unsigned char scalars[][16], void *room,
        const char *const leaf[], int leaves, char *const root[], long n, bool *negative)
{
	const struct line_set *set = l->set;
	char **base = room, *kept = (char *)(base + bases(l));
	const bool is_wide = n >= set->wide;
	const long step = is_wide ? set->wide : set->narrow;

	if (n < set->narrow)
		return false;

	for (int i = 0; i < l->kept; i++)
		base[l->moving + i] = kept + i * LINE_WIDE_BYTES;

	for (int i = 0; i < l->scalars; i++)
		base[l->moving + l->kept + i] = (char *)scalars[l->scalar[i]]; // only read

	*negative = false;

	// the last step repeats elements of the one before
	for (long at = 0; at < n; at += step)
		*negative |= run_at(l, is_wide ? set->run_wide : set->run_narrow, leaf, leaves, root, base,
		        min_long(at, n - step));

	return true;
}
