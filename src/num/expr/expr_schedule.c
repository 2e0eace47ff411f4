/* The pass of each value, the order of its steps, and the places of values. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_plan.h"

static void mark_live(struct expr_plan *p)
{
	const struct graph *g = &p->g;

	p->live = mem_calloc((size_t)g->n + 1, sizeof *p->live);

	for (int i = 0; i < p->nout; i++)
		p->live[p->root[i]] = true;

	for (int i = g->n - 1; i >= 0; i--)
		for (int k = 0; p->live[i] && k < g->nodes[i].args; k++)
			p->live[g->nodes[i].arg[k]] = true;
}

/** A counter for each place that may meet values outside a real domain, or leave a 64-bit type. */
static void number_checks(struct expr_plan *p)
{
	const struct graph *g = &p->g;

	p->check_of = mem_calloc((size_t)g->n + 1, sizeof *p->check_of);
	p->check = mem_calloc((size_t)g->n + 1, sizeof *p->check);

	for (int i = 0; i < g->n; i++) {
		p->check_of[i] = -1;

		if (!p->live[i] || !g->nodes[i].counted)
			continue;

		p->check[p->checks] = (struct expr_check){
		        g->nodes[i].kind, g->nodes[i].id, g->nodes[i].type, g->nodes[i].column};
		p->check_of[i] = p->checks++;
	}
}

/** What has to be computed in which pass. */
struct agenda {
	unsigned long *reads; // per node: the inputs its value is made of within a pass, as bits
	int *reduction_in;    // per node: pass of a reduction
	int output_in[EXPR_OPERANDS];
	unsigned long *pass_reads;
};

static void find_reads(const struct graph *g, struct agenda *a)
{
	a->reads = mem_calloc((size_t)g->n + 1, sizeof *a->reads);

	for (int i = 0; i < g->n; i++) {
		const struct node *n = &g->nodes[i];

		if (NODE_INPUT == n->kind)
			a->reads[i] = 1ul << n->id;

		if (NODE_SAMPLE == n->kind)
			a->reads[i] = 1ul << n->id % EXPR_OPERANDS;

		for (int k = 0; k < n->args; k++)
			if (!g->nodes[n->arg[k]].scalar)
				a->reads[i] |= a->reads[n->arg[k]];
	}
}

static int new_pass(struct expr_plan *p, struct agenda *a, int stage, const long dims[DIMS])
{
	p->pass = mem_realloc(p->pass, (size_t)(p->passes + 1) * sizeof *p->pass);
	a->pass_reads = mem_realloc(a->pass_reads, (size_t)(p->passes + 1) * sizeof *a->pass_reads);
	p->pass[p->passes] = (struct expr_pass){.stage = stage};
	a->pass_reads[p->passes] = 0;
	md_copy_dims(DIMS, p->pass[p->passes].dims, dims);

	return p->passes++;
}

/** The pass over these dims for something that can be done from `stage` on (up to `last`) and reads these
 * inputs: the one that reads most of them anyhow; a new one where there is none. */
static int find_pass(struct expr_plan *p, struct agenda *a, int stage, int last, const long dims[DIMS],
        unsigned long reads)
{
	int best = -1, most = -1;

	for (int i = 0; i < p->passes; i++) {
		const struct expr_pass *q = &p->pass[i];

		if (q->stage < stage || q->stage > last || !md_check_equal_dims(DIMS, q->dims, dims, ~0ul))
			continue;

		int shared = __builtin_popcountl(reads & a->pass_reads[i]);

		if (shared > most || (shared == most && q->stage < p->pass[best].stage)) {
			best = i;
			most = shared;
		}
	}

	if (best < 0)
		best = new_pass(p, a, stage, dims);

	a->pass_reads[best] |= reads;

	return best;
}

/** Reductions as early as they can be, then outputs, the latest first, where they fit best. */
static void fill_agenda(struct expr_plan *p, struct agenda *a)
{
	const struct graph *g = &p->g;
	int stages = 0;

	find_reads(g, a);
	a->reduction_in = mem_calloc((size_t)g->n + 1, sizeof *a->reduction_in);

	for (int i = 0; i < g->n; i++) {
		const struct node *n = &g->nodes[i];

		stages = (p->live[i] && n->stage > stages) ? n->stage : stages;

		if (p->live[i] && NODE_REDUCTION == n->kind)
			a->reduction_in[i] =
			        find_pass(p, a, n->stage - 1, n->stage - 1, n->dims, a->reads[i]);
	}

	for (int s = stages; s >= 0; s--)
		for (int i = 0; i < p->nout; i++) {
			const struct node *n = &g->nodes[p->root[i]];

			if (!n->scalar && s == n->stage)
				a->output_in[i] = find_pass(p, a, s, stages, n->dims, a->reads[p->root[i]]);
		}
}

/** Marks the nodes that pass k computes. */
static void mark_pass(const struct expr_plan *p, const struct agenda *a, int k, bool *in_pass)
{
	const struct graph *g = &p->g;

	memset(in_pass, 0, (size_t)g->n * sizeof *in_pass);

	for (int i = 0; i < p->nout; i++)
		if (!g->nodes[p->root[i]].scalar && k == a->output_in[i])
			in_pass[p->root[i]] = true;

	for (int i = g->n - 1; i >= 0; i--) {
		const struct node *n = &g->nodes[i];

		if (NODE_REDUCTION == n->kind && p->live[i] && k == a->reduction_in[i])
			in_pass[i] = true;

		for (int j = 0; in_pass[i] && j < n->args; j++)
			if (!g->nodes[n->arg[j]].scalar)
				in_pass[n->arg[j]] = true;
	}
}

/** The step of a node; step_of[] says which steps its operands are. */
static struct step make_step(const struct expr_plan *p, struct expr_pass *q, int node, const int step_of[])
{
	static const enum step_kind kinds[] = {[NODE_INPUT] = STEP_LOAD,
	        [NODE_INDEX] = STEP_INDEX,
	        [NODE_COORDINATE] = STEP_COORDINATE,
	        [NODE_OP] = STEP_OP,
	        [NODE_CONVERT] = STEP_CONVERT,
	        [NODE_REDUCTION] = STEP_REDUCE,
	        [NODE_SHIFT] = STEP_SHIFT,
	        [NODE_MEDIAN] = STEP_MEDIAN,
	        [NODE_BOX] = STEP_BOX,
	        [NODE_SAMPLE] = STEP_SAMPLE};
	const struct node *n = &p->g.nodes[node];
	struct step s = {.kind = kinds[n->kind],
	        .id = n->id,
	        .args = n->args,
	        .work = n->work,
	        .type = n->type,
	        .lane = -1,
	        .store = -1,
	        .check = p->check_of[node],
	        .node = node,
	        .fused = n->fused,
	        .inner = n->inner};

	for (int k = 0; k < n->args; k++)
		s.arg[k] = p->g.nodes[n->arg[k]].scalar ? -1 - n->arg[k] : step_of[n->arg[k]];

	if (STEP_OP == s.kind)
		s.fn = n->fused ? kern_op_of((enum op)n->id, n->inner, n->work)
		                : kern_op_as((enum op)n->id, n->work, p->rules.narrow);

	if (STEP_REDUCE == s.kind) {
		s.reduction = (enum reduction)n->id;
		s.id = q->reductions++;
		q->ordered = q->ordered || RED_ARGMIN == s.reduction || RED_ARGMAX == s.reduction;
	}

	return s;
}

static void add_store(const struct expr_plan *p, struct expr_pass *q, int output, const int step_of[])
{
	int root = p->root[output], from = step_of[root];

	q->steps[q->n] = (struct step){.kind = STEP_STORE,
	        .id = output,
	        .args = 1,
	        .arg = {from},
	        .work = p->g.nodes[root].type,
	        .type = p->type[output],
	        .store = -1,
	        .check = -1,
	        .node = root};

	if (STEP_OP == q->steps[from].kind && q->steps[from].store < 0)
		q->steps[from].store = q->n;

	q->stores++;
	q->n++;
}

static void number_lanes(struct expr_pass *q)
{
	for (int i = 0; i < q->n; i++)
		if (STEP_LOAD == q->steps[i].kind)
			q->steps[i].lane = q->lanes++;

	q->loads = q->lanes;

	for (int i = 0; i < q->n; i++) {
		enum step_kind k = q->steps[i].kind;

		if (STEP_INDEX == k || STEP_COORDINATE == k || STEP_STORE == k)
			q->steps[i].lane = q->lanes++;
	}
}

/** Operators that take many times as long as reading their operands. */
static bool is_long(const struct step *s)
{
	const enum op op = (enum op)(s->fused && OP_NEG == s->id ? s->inner : s->id);

	return STEP_OP == s->kind && ((OP_SQRT <= op && op <= OP_ERF) || OP_POW == op || OP_ATAN2 == op ||
	                                     OP_HYPOT == op || OP_ARG == op || OP_CIS == op || OP_MOD == op);
}

/** While an operator runs on one block the memory is idle, unless blocks are so short that the processor
 * reaches the next reads meanwhile. Short blocks cost calls: they serve long operators, and any pass whose
 * operands are larger than the cache. Sums run in the order of blocks, so that a reduction keeps one length.
 */
static void choose_block(struct expr_pass *q)
{
	size_t widest = 4;
	int shorter = 1;
	const int shortest = 4;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_REDUCE != s->kind && STEP_STORE != s->kind && dtype_size(s->type) > widest)
			widest = dtype_size(s->type);

		shorter = is_long(s) ? shortest : shorter;
	}

	q->block = EXPR_BLOCK_BYTES / (long)widest / shorter;
	q->short_block = (0 < q->reductions) ? q->block : EXPR_BLOCK_BYTES / (long)widest / shortest;
}

/** Places in the scratch memory that are free again, per size of element. */
struct slots {
	int n;
	struct {
		long at;
		size_t size;
	} * free;
};

static long take_slot(struct expr_pass *q, struct slots *s, size_t size)
{
	for (int i = s->n - 1; i >= 0; i--) {
		if (s->free[i].size != size)
			continue;

		long at = s->free[i].at;

		s->free[i] = s->free[--s->n];

		return at;
	}

	long at = (long)q->slots;

	q->slots +=
	        size * (size_t)q->block + 64; // blocks of a page's size apart would share lines of the cache

	return at;
}

static void free_slots(const struct expr_pass *q, struct slots *s, int step, int last[])
{
	const struct step *t = &q->steps[step];

	for (int k = 0; k < t->args; k++) {
		int a = t->arg[k];

		if (a < 0 || step != last[a])
			continue;

		s->free[s->n].at = q->steps[a].slot;
		s->free[s->n++].size = dtype_size(q->steps[a].type);
		last[a] = -1; // an operand named twice is freed once
	}
}

/** Functions whose kernels are faster where the result has a place of its own. */
static bool keeps_operand(const struct step *s)
{
	return STEP_OP == s->kind && (OP_EXP == s->id || OP_LOG == s->id);
}

/** A value's slot is free after its last use: an operator, not a conversion, may write where an operand lies.
 */
static void assign_slots(struct expr_pass *q)
{
	int *last = mem_calloc((size_t)q->n + 1, sizeof *last);
	struct slots s = {.free = mem_calloc((size_t)q->n + 1, sizeof *s.free)};

	for (int i = 0; i < q->n; i++)
		for (int k = 0; k < q->steps[i].args; k++)
			if (0 <= q->steps[i].arg[k])
				last[q->steps[i].arg[k]] = i;

	for (int i = 0; i < q->n; i++) {
		struct step *t = &q->steps[i];

		if (STEP_OP == t->kind && !keeps_operand(t))
			free_slots(q, &s, i, last);

		if (STEP_REDUCE != t->kind && STEP_STORE != t->kind)
			t->slot = take_slot(q, &s, dtype_size(t->type));

		if (STEP_OP != t->kind || keeps_operand(t))
			free_slots(q, &s, i, last);
	}

	free(last);
	free(s.free);
}

static void make_pass(struct expr_plan *p, const struct agenda *a, int k, bool *in_pass, int *step_of)
{
	struct expr_pass *q = &p->pass[k];
	int n = 0;

	mark_pass(p, a, k, in_pass);

	for (int i = 0; i < p->g.n; i++)
		n += in_pass[i];

	q->steps = mem_calloc((size_t)(n + p->nout), sizeof *q->steps);

	for (int i = 0; i < p->g.n; i++) {
		if (!in_pass[i])
			continue;

		const enum node_kind kind = p->g.nodes[i].kind;

		q->neighbours = q->neighbours || NODE_SHIFT == kind || NODE_MEDIAN == kind ||
		                NODE_BOX == kind || NODE_SAMPLE == kind;
		step_of[i] = q->n;
		q->steps[q->n] = make_step(p, q, i, step_of);
		q->n++;
	}

	for (int i = 0; i < p->nout; i++)
		if (!p->g.nodes[p->root[i]].scalar && k == a->output_in[i])
			add_store(p, q, i, step_of);

	number_lanes(q);
	choose_block(q);
	assign_slots(q);
}

static int by_stage(const void *a, const void *b)
{
	return ((const struct expr_pass *)a)->stage - ((const struct expr_pass *)b)->stage;
}

void expr_schedule(struct expr_plan *p)
{
	struct agenda a = {0};

	mark_live(p);
	number_checks(p);
	fill_agenda(p, &a);

	bool *in_pass = mem_calloc((size_t)p->g.n + 1, sizeof *in_pass);
	int *step_of = mem_calloc((size_t)p->g.n + 1, sizeof *step_of);

	for (int k = 0; k < p->passes; k++)
		make_pass(p, &a, k, in_pass, step_of);

	if (0 < p->passes)
		qsort(p->pass, (size_t)p->passes, sizeof *p->pass, by_stage);

	free(in_pass);
	free(step_of);
	free(a.reads);
	free(a.reduction_in);
	free(a.pass_reads);
}
