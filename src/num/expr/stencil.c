/* Which values of a pass are stages, the programs between them, and how many neighbours each needs. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/windows/box.h"
#include "num/expr/windows/median.h"
#include "num/expr/stencil.h"

/** What is known of the nodes of a pass while its programs are made. */
struct maker {
	struct stencil *s;
	const struct graph *g;
	int *stage_of[2]; // per node: its stage, or -1; [1]: the virtual one
	bool *in_pass;
	bool *inside; // of the program that is made
	int *step;    // per node: where its value is, ...
	long *slide;  // ... and how far it is moved along dim 0
	int *table;   // hash table of steps
	int room, size;
};

long stencil_edge(enum expr_edge edge, long i, long n)
{
	if (1 == n || (0 <= i && i < n))
		return (1 == n) ? 0 : i;

	const long period = (EXPR_EDGE_MIRROR == edge) ? 2 * n : n;

	switch (edge) {
	case EXPR_EDGE_CLAMP:
		return (i < 0) ? 0 : n - 1;
	case EXPR_EDGE_ZERO:
		return -1;
	case EXPR_EDGE_WRAP:
	case EXPR_EDGE_MIRROR:
	default:
		i = (i % period + period) % period;
		return (i < n) ? i : 2 * n - 1 - i;
	}
}

long stencil_reach_of(const struct graph *g, const struct node *n, int d)
{
	return (1 == g->nodes[n->arg[0]].dims[d]) ? 0 : n->shift[d];
}

bool stencil_input_is_plain(const struct stencil_input *in, enum dtype t)
{
	const long size = (long)dtype_size(t);

	if (in->type != t || in->swapped || size != in->strs[0] || 0 != (uintptr_t)in->data % (size_t)size)
		return false;

	for (int d = 1; d < DIMS; d++)
		if (0 != in->strs[d] % size)
			return false;

	return true;
}

static bool is_source(const struct node *n)
{
	return NODE_INPUT == n->kind || NODE_INDEX == n->kind || NODE_COORDINATE == n->kind;
}

/** The stage that a shift reads, and how far it is moved. */
struct reading {
	int node;
	bool is_virtual;
	long shift[3];
};

/** Shifts of a shift read what that one reads. False where it is no more than a move along dim 0 within a
 * program. */
static bool reading_of(const struct maker *m, int node, struct reading *r)
{
	const struct node *n = &m->g->nodes[node], *a;

	*r = (struct reading){.node = n->arg[0], .is_virtual = n->id};

	for (int d = 0; d < 3; d++)
		r->shift[d] = stencil_reach_of(m->g, n, d);

	a = &m->g->nodes[n->arg[0]];

	while (r->is_virtual && NODE_SHIFT == a->kind) {
		for (int d = 0; d < 3; d++)
			r->shift[d] += stencil_reach_of(m->g, a, d);

		r->node = a->arg[0];
		r->is_virtual = a->id;
		a = &m->g->nodes[r->node];
	}

	return !r->is_virtual || 0 != r->shift[1] || 0 != r->shift[2];
}

static int add_stage(struct maker *m, int node, bool is_virtual)
{
	struct stencil *s = m->s;
	int *at = &m->stage_of[is_virtual][node];
	const struct node *n = &m->g->nodes[node];

	if (*at < 0) {
		*at = s->n;
		s->stages[s->n++] = (struct stencil_stage){
		        .node = node, .is_virtual = is_virtual, .is_source = is_source(n), .type = n->type};
	}

	return *at;
}

/** Stages in the order of their nodes, so that each comes after those it reads. */
static void find_stages(struct maker *m)
{
	const struct graph *g = m->g;
	bool *wanted[2];

	for (int k = 0; k < 2; k++)
		wanted[k] = mem_calloc((size_t)g->n + 1, sizeof(bool));

	for (int i = 0; i < g->n; i++) {
		struct reading r;

		if (!m->in_pass[i])
			continue;

		if (is_source(&g->nodes[i]))
			wanted[0][i] = true;

		if (NODE_SHIFT == g->nodes[i].kind && reading_of(m, i, &r))
			wanted[r.is_virtual][r.node] = true;

		if (NODE_MEDIAN == g->nodes[i].kind || NODE_BOX == g->nodes[i].kind)
			wanted[0][i] = wanted[0][g->nodes[i].arg[0]] = true;
	}

	m->s->stages = mem_calloc(2 * (size_t)g->n + 1, sizeof *m->s->stages);

	for (int i = 0; i < g->n; i++)
		for (int k = 0; k < 2; k++)
			if (wanted[k][i])
				add_stage(m, i, k);

	free(wanted[0]);
	free(wanted[1]);
}

/** Whether a node that a program needs is read from a stage: which one, and how far it is moved. */
static bool is_leaf(const struct maker *m, int node, int own, int *stage, long shift[3])
{
	const struct node *n = &m->g->nodes[node];
	struct reading r;

	memset(shift, 0, 3 * sizeof *shift);
	*stage = m->stage_of[0][node];

	if (0 <= *stage && node != own)
		return true;

	if (NODE_SHIFT != n->kind || !reading_of(m, node, &r))
		return false;

	*stage = m->stage_of[r.is_virtual][r.node];
	memcpy(shift, r.shift, sizeof r.shift);

	return true;
}

/* ---- programs ---- */

static unsigned hash_step(const struct maker *m, const struct stencil_step *t)
{
	const struct node *n = &m->g->nodes[t->node];
	unsigned long h = (unsigned long)(t->leaf + 1) * 0x9e3779b97f4a7c15ul;

	if (t->leaf < 0)
		h += (unsigned long)n->kind * 31 + (unsigned long)n->id * 1009 + (unsigned long)n->type * 64;

	for (int k = 0; k < t->args; k++)
		h = (h ^ ((unsigned long)(t->arg[k] + 7) * 1000003 + (unsigned long)t->slide[k])) *
		    0x9e3779b97f4a7c15ul;

	return (unsigned)(h ^ h >> 32);
}

static bool same_step(const struct maker *m, const struct stencil_step *a, const struct stencil_step *b)
{
	const struct node *x = &m->g->nodes[a->node], *y = &m->g->nodes[b->node];

	if (a->leaf != b->leaf || a->args != b->args)
		return false;

	if (0 <= a->leaf)
		return true;

	if (x->kind != y->kind || x->id != y->id || x->type != y->type || x->work != y->work ||
	        x->fused != y->fused || (x->fused && x->inner != y->inner) || x->counted != y->counted)
		return false;

	for (int k = 0; k < a->args; k++)
		if (a->arg[k] != b->arg[k] || a->slide[k] != b->slide[k])
			return false;

	return true;
}

static void clear_table(struct maker *m, int size)
{
	m->size = size;

	if (m->room < size) {
		m->room = size;
		m->table = mem_realloc(m->table, (size_t)size * sizeof *m->table);
	}

	for (int i = 0; i < size; i++)
		m->table[i] = -1;
}

/** Adds a step or finds the one that is the same. */
static int find_step(struct maker *m, struct stencil_program *p, const struct stencil_step *t)
{
	unsigned at = hash_step(m, t) % (unsigned)m->size;

	for (; 0 <= m->table[at]; at = (at + 1) % (unsigned)m->size)
		if (same_step(m, &p->steps[m->table[at]], t))
			return m->table[at];

	m->table[at] = p->n;
	p->steps[p->n] = *t;

	return p->n++;
}

static int find_leaf(struct stencil_program *p, int stage, const long shift[3])
{
	for (int i = 0; i < p->leaves; i++)
		if (stage == p->leaf[i].stage && shift[1] == p->leaf[i].shift[1] &&
		        shift[2] == p->leaf[i].shift[2])
			return i;

	p->leaf = mem_realloc(p->leaf, (size_t)(p->leaves + 1) * sizeof *p->leaf);
	p->leaf[p->leaves] =
	        (struct stencil_leaf){.stage = stage, .shift = {0, (int)shift[1], (int)shift[2]}};

	return p->leaves++;
}

/** Sums and products have one form, whichever operand came first. */
static void order_operands(const struct node *n, struct stencil_step *t)
{
	if (NODE_OP != n->kind || n->fused || !(OP_ADD == n->id || OP_MUL == n->id || OP_MULADD == n->id))
		return;

	if (t->arg[0] < t->arg[1] || (t->arg[0] == t->arg[1] && t->slide[0] <= t->slide[1]))
		return;

	const int arg = t->arg[0];
	const long slide = t->slide[0];

	t->arg[0] = t->arg[1];
	t->slide[0] = t->slide[1];
	t->arg[1] = arg;
	t->slide[1] = slide;
}

/** The value of an operator: moved so that its first operand that is an array is not. */
static void add_operator(struct maker *m, struct stencil_program *p, int node)
{
	const struct node *n = &m->g->nodes[node];
	struct stencil_step t = {.leaf = -1, .node = node, .args = n->args, .root = -1};
	long origin = 0;

	for (int k = 0; k < n->args; k++) {
		const bool scalar = m->g->nodes[n->arg[k]].scalar;

		t.arg[k] = scalar ? -1 - n->arg[k] : m->step[n->arg[k]];
		t.slide[k] = scalar ? 0 : m->slide[n->arg[k]];
	}

	order_operands(n, &t);

	for (int k = n->args - 1; k >= 0; k--)
		if (0 <= t.arg[k])
			origin = t.slide[k];

	for (int k = 0; k < n->args; k++)
		if (0 <= t.arg[k])
			t.slide[k] -= origin;

	m->slide[node] = origin;
	m->step[node] = find_step(m, p, &t);
}

static void add_node(struct maker *m, struct stencil_program *p, int node, int own)
{
	const struct node *n = &m->g->nodes[node];
	long shift[3];
	int stage;

	if (is_leaf(m, node, own, &stage, shift)) {
		const struct stencil_step t = {
		        .leaf = find_leaf(p, stage, shift), .node = m->s->stages[stage].node, .root = -1};

		m->step[node] = find_step(m, p, &t);
		m->slide[node] = shift[0];
	} else if (NODE_SHIFT == n->kind) {
		m->step[node] = m->step[n->arg[0]];
		m->slide[node] = m->slide[n->arg[0]] + stencil_reach_of(m->g, n, 0);
	} else {
		add_operator(m, p, node);
	}
}

/** Marks what a program computes and reads. */
static int mark_program(struct maker *m, const struct stencil_program *p, int own)
{
	const struct graph *g = m->g;
	long shift[3];
	int stage, n = 0;

	memset(m->inside, 0, (size_t)g->n * sizeof *m->inside);

	for (int k = 0; k < p->roots; k++)
		m->inside[p->root[k].node] = true;

	for (int i = g->n - 1; i >= 0; i--) {
		if (!m->inside[i])
			continue;

		n++;

		for (int k = 0; k < g->nodes[i].args && !is_leaf(m, i, own, &stage, shift); k++)
			if (!g->nodes[g->nodes[i].arg[k]].scalar)
				m->inside[g->nodes[i].arg[k]] = true;
	}

	return n;
}

/** How far beyond a block's ends each step is needed. */
static void find_extents(struct stencil_program *p)
{
	for (int k = 0; k < p->roots; k++) {
		struct stencil_step *t = &p->steps[p->root[k].step];

		t->low = min_long(t->low, p->root[k].slide);
		t->high = max_long(t->high, p->root[k].slide);
	}

	for (int i = p->n - 1; i >= 0; i--) {
		const struct stencil_step *t = &p->steps[i];

		for (int k = 0; k < t->args; k++) {
			if (t->arg[k] < 0)
				continue;

			struct stencil_step *a = &p->steps[t->arg[k]];

			a->low = min_long(a->low, t->low + t->slide[k]);
			a->high = max_long(a->high, t->high + t->slide[k]);
		}
	}
}

static void choose_roots(struct stencil_program *p)
{
	for (int k = 0; k < p->roots; k++) {
		struct stencil_step *t = &p->steps[p->root[k].step];

		if (t->leaf < 0 && 0 == t->low && 0 == t->high && t->root < 0)
			t->root = k;
	}
}

/** Places in the scratch memory, each free again after its last use. */
static void place_values(struct maker *m, struct stencil_program *p)
{
	int *last = mem_calloc((size_t)p->n + 1, sizeof *last),
	    *spare = mem_calloc((size_t)p->n + 1, sizeof *spare);
	long widest = 4, reach = 0;
	int spares = 0, slots = 0;

	for (int i = 0; i < p->n; i++) {
		const struct stencil_step *t = &p->steps[i];

		widest = max_long(widest, (long)dtype_size(m->g->nodes[t->node].type));
		reach = max_long(reach, t->high - t->low);
		last[i] = i;

		for (int k = 0; k < t->args; k++)
			if (0 <= t->arg[k])
				last[t->arg[k]] = i;
	}

	for (int k = 0; k < p->roots; k++)
		last[p->root[k].step] = p->n;

	p->block = EXPR_BLOCK_BYTES / widest;

	const long each = ((p->block + reach) * widest + 127) / 64 * 64;

	for (int i = 0; i < p->n; i++) {
		struct stencil_step *t = &p->steps[i];

		if (t->leaf < 0 && t->root < 0)
			t->slot = ((0 < spares) ? spare[--spares] : slots++) * each - t->low * widest;

		for (int k = 0; k < t->args; k++) {
			const int a = t->arg[k];

			if (0 <= a && i == last[a] && p->steps[a].leaf < 0 && p->steps[a].root < 0) {
				spare[spares++] = (int)((p->steps[a].slot + p->steps[a].low * widest) / each);
				last[a] = -1; // an operand named twice is freed once
			}
		}
	}

	p->slots = (size_t)slots * (size_t)each;
	free(last);
	free(spare);
}

/** Sizes and kernels of the steps. */
static void describe_steps(struct maker *m, struct stencil_program *p)
{
	for (int i = 0; i < p->n; i++) {
		struct stencil_step *t = &p->steps[i];
		const struct node *n = &m->g->nodes[t->node];

		t->size = (long)dtype_size(n->type);

		for (int k = 0; k < t->args; k++)
			if (0 <= t->arg[k])
				t->arg_size[k] = (long)dtype_size(m->g->nodes[p->steps[t->arg[k]].node].type);

		if (t->leaf < 0 && NODE_OP == n->kind)
			t->fn = n->fused ? kern_op_of((enum op)n->id, n->inner, n->work)
			                 : kern_op_as((enum op)n->id, n->work, m->s->plan->rules.narrow);
	}
}

/** Fills a program whose roots' nodes are set. own: the node of its stage, -1. */
static void make_program(struct maker *m, struct stencil_program *p, int own)
{
	const int n = mark_program(m, p, own);

	p->steps = mem_calloc((size_t)n + 1, sizeof *p->steps);
	clear_table(m, 2 * n + 7);

	for (int i = 0; i < m->g->n; i++)
		if (m->inside[i])
			add_node(m, p, i, own);

	for (int k = 0; k < p->roots; k++) {
		p->root[k].step = m->step[p->root[k].node];
		p->root[k].slide = m->slide[p->root[k].node];
	}

	for (int i = 0; i < p->n; i++)
		p->counted = p->counted || (p->steps[i].leaf < 0 && m->g->nodes[p->steps[i].node].counted);

	find_extents(p);
	choose_roots(p);
	place_values(m, p);
	describe_steps(m, p);
	stencil_find_guards(m->g, p);
	p->lines = stencil_lines_create(m->g, p);
}

static void add_root(struct stencil_program *p, int node)
{
	for (int k = 0; k < p->roots; k++)
		if (node == p->root[k].node)
			return;

	p->root = mem_realloc(p->root, (size_t)(p->roots + 1) * sizeof *p->root);
	p->root[p->roots++] = (struct stencil_root){.node = node};
}

/** Beyond the borders of an array that is repeated along a dim its elements go on, but the rule zero says 0.
 */
static void check_ball(const struct maker *m, const struct node *n)
{
	for (int d = 0; EXPR_EDGE_ZERO == m->s->plan->edge && d < 3; d++)
		if (0 < n->shift[d] && 1 == m->g->nodes[n->arg[0]].dims[d] && 1 < m->s->dims[d])
			expr_error_at(n->column,
			        "a ball around an operand that is repeated along dimension %d needs another "
			        "rule than --edge zero, or a radius of 0 along it",
			        d);
}

/** A stage of medians: leaves for each slice of the window, and no other steps. */
static void make_median(struct maker *m, struct stencil_stage *a)
{
	const struct node *n = &m->g->nodes[a->node];
	struct stencil_program *p = &a->program;
	struct window w = {.ball = n->id};

	if (w.ball)
		check_ball(m, n);

	for (int d = 0; d < 3; d++) // where the size is 1 all elements of a box along it are equal
		w.r[d] = w.ball ? n->shift[d] : stencil_reach_of(m->g, n, d);

	a->median = median_create(&w, a->type);
	p->leaves = p->n = (int)(2 * w.r[2] + 1);
	p->leaf = mem_calloc((size_t)p->leaves, sizeof *p->leaf);
	p->steps = mem_calloc((size_t)p->n + 1, sizeof *p->steps);
	p->block = 1;

	for (int i = 0; i < p->leaves; i++) {
		p->leaf[i] =
		        (struct stencil_leaf){m->stage_of[0][n->arg[0]], {0, (int)-w.r[1], i - (int)w.r[2]}};
		p->steps[i] = (struct stencil_step){.leaf = i, .low = -w.r[0], .high = w.r[0], .guard = -1};
	}
}

/** A stage of boxes, which takes the slices that it needs one after the other: the leaf is the first row. */
static void make_box(struct maker *m, struct stencil_stage *a)
{
	const struct node *n = &m->g->nodes[a->node];
	struct stencil_program *p = &a->program;
	struct box *b = a->box = NEW(struct box);

	*b = (struct box){.function = (enum box_function)n->id, .type = a->type};

	for (int d = 0; d < 3; d++) // where the size is 1 there is one element along it
		b->r[d] = stencil_reach_of(m->g, n, d);

	p->leaves = p->n = 1;
	p->leaf = mem_calloc(1, sizeof *p->leaf);
	p->steps = mem_calloc(2, sizeof *p->steps);
	p->block = 1;
	p->leaf[0] = (struct stencil_leaf){m->stage_of[0][n->arg[0]], {0, (int)-b->r[1], 0}};
	p->steps[0] = (struct stencil_step){.low = -b->r[0], .high = b->r[0], .guard = -1};
}

/** What the pass stores and reduces. */
static void make_last(struct maker *m)
{
	const struct expr_pass *q = m->s->pass;

	for (int i = 0; i < q->n; i++) {
		const struct step *t = &q->steps[i];

		if (STEP_STORE == t->kind)
			add_root(&m->s->last, t->node);

		for (int k = 0; STEP_REDUCE == t->kind && k < t->args; k++)
			if (0 <= t->arg[k])
				add_root(&m->s->last, m->g->nodes[t->node].arg[k]);
	}

	make_program(m, &m->s->last, -1);
}

/* ---- neighbours ---- */

/** What a program demands of the stages that it reads. */
static void demand(struct stencil *s, const struct stencil_program *p, int reader)
{
	const long none[3] = {0, 0, 0};
	const long *halo = (reader < 0) ? none : s->stages[reader].halo;
	const struct box *box = (reader < 0) ? NULL : s->stages[reader].box;
	const bool is_open = 0 <= reader && (s->stages[reader].is_virtual || EXPR_EDGE_WRAP == s->plan->edge);

	for (int i = 0; i < p->n; i++) {
		const struct stencil_step *t = &p->steps[i];

		if (t->leaf < 0)
			continue;

		const struct stencil_leaf *l = &p->leaf[t->leaf];
		struct stencil_stage *a = &s->stages[l->stage];

		const long reach = max_long(-t->low, t->high);

		a->halo[0] = max_long(a->halo[0], halo[0] + reach);
		a->beyond = max_long(a->beyond, (is_open ? s->stages[reader].beyond : 0) + reach);
		a->halo[1] = max_long(a->halo[1], halo[1] + labs(l->shift[1]));
		a->halo[2] = max_long(a->halo[2], halo[2] + ((NULL != box) ? box->r[2] : labs(l->shift[2])));
		a->span = max_long(a->span, labs(l->shift[2]));
		a->readers += (0 == a->readers || reader != a->reader);
		a->reader = reader;
	}
}

/** Slices that are kept: those of one step of a single reader that moves on, else all that a slice of the
 * results depends on. */
static void choose_rings(struct stencil *s, enum expr_edge edge)
{
	for (int k = 0; k < s->n; k++) {
		struct stencil_stage *a = &s->stages[k];
		const bool moves = a->reader < 0 || !s->stages[a->reader].is_virtual || a->is_virtual ||
		                   EXPR_EDGE_WRAP == edge;

		a->ring = 2 * ((1 == a->readers && moves) ? a->span : a->halo[2]) + 1;

		if (!a->is_virtual && EXPR_EDGE_WRAP != edge)
			a->ring = min_long(a->ring, s->dims[2]);

		s->pad = max_long(s->pad, a->halo[0]);
	}
}

static void free_maker(struct maker *m)
{
	free(m->stage_of[0]);
	free(m->stage_of[1]);
	free(m->in_pass);
	free(m->inside);
	free(m->step);
	free(m->slide);
	free(m->table);
}

struct stencil *stencil_create(const struct expr_plan *p, const struct expr_pass *q)
{
	const size_t n = (size_t)p->g.n + 1;
	struct stencil *s = NEW(struct stencil);
	struct maker m = {.s = s, .g = &p->g};

	s->plan = p;
	s->pass = q;
	s->dims = q->dims;
	m.in_pass = mem_calloc(n, sizeof *m.in_pass);
	m.inside = mem_calloc(n, sizeof *m.inside);
	m.step = mem_calloc(n, sizeof *m.step);
	m.slide = mem_calloc(n, sizeof *m.slide);

	for (int k = 0; k < 2; k++) {
		m.stage_of[k] = mem_alloc(n * sizeof(int));

		for (size_t i = 0; i < n; i++)
			m.stage_of[k][i] = -1;
	}

	for (int i = 0; i < q->n; i++)
		m.in_pass[q->steps[i].node] = true;

	find_stages(&m);

	if (s->n > STENCIL_STAGES)
		error("the expression needs neighbourhoods of %d intermediate values, expected at most %d",
		        s->n, STENCIL_STAGES);

	for (int k = 0; k < s->n; k++) {
		if (s->stages[k].is_source)
			continue;

		if (NODE_MEDIAN == p->g.nodes[s->stages[k].node].kind) {
			make_median(&m, &s->stages[k]);
			continue;
		}

		if (NODE_BOX == p->g.nodes[s->stages[k].node].kind) {
			make_box(&m, &s->stages[k]);
			continue;
		}

		add_root(&s->stages[k].program, s->stages[k].node);
		make_program(&m, &s->stages[k].program, s->stages[k].node);
	}

	make_last(&m);
	demand(s, &s->last, -1);

	for (int k = s->n - 1; k >= 0; k--)
		demand(s, &s->stages[k].program, k);

	choose_rings(s, p->edge);
	free_maker(&m);

	return s;
}

static void free_program(struct stencil_program *p)
{
	free(p->steps);
	free(p->leaf);
	free(p->root);
	stencil_lines_free(p->lines);
}

void stencil_free(struct stencil *s)
{
	if (NULL == s)
		return;

	for (int k = 0; k < s->n; k++) {
		free_program(&s->stages[k].program);
		median_free(s->stages[k].median);
		free(s->stages[k].box);
	}

	free_program(&s->last);
	free(s->stages);
	free(s);
}
