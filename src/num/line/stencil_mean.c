/* Finds passes that are means of small boxes. */

#include "num/line/stencil_mean.h"

#include "num/line/sum_kern.h"

/** The value of a step at an element. */
struct value {
	int step;
	long at;
};

struct finder {
	const struct graph *g;
	const struct stencil_program *p;
	long r[3];
	long at; // element of the rows that are_rows() is asked for
};

static const struct stencil_step *step_of(const struct finder *f, struct value v)
{
	return &f->p->steps[v.step];
}

static struct value operand(const struct finder *f, struct value v, int k)
{
	const struct stencil_step *t = step_of(f, v);

	return (struct value){t->arg[k], v.at + t->slide[k]};
}

static bool is_node(const struct finder *f, struct value v, enum node_kind kind, int id)
{
	if (v.step < 0 || 0 <= step_of(f, v)->leaf)
		return false;

	const struct node *n = &f->g->nodes[step_of(f, v)->node];

	return kind == n->kind && id == n->id && !n->fused && DT_FLOAT64 == n->work;
}

/** The operands of a sum. */
static bool is_sum(const struct finder *f, struct value v, struct value *a, struct value *b)
{
	if (!is_node(f, v, NODE_OP, OP_ADD))
		return false;

	*a = operand(f, v, 0);
	*b = operand(f, v, 1);

	return true;
}

static bool is_leaf(const struct finder *f, struct value v, int stage, long at, long b, long c)
{
	const int leaf = (v.step < 0) ? -1 : step_of(f, v)->leaf;

	if (leaf < 0 || at != v.at)
		return false;

	const struct stencil_leaf *l = &f->p->leaf[leaf];

	return stage == l->stage && b == l->shift[1] && c == l->shift[2];
}

/** Whether a value is term k. */
typedef bool term_fn(struct finder *f, struct value v, long k);

/** Terms -r to r, added from left to right. */
static bool are_terms(struct finder *f, struct value v, long r, term_fn *is_term)
{
	for (long k = r; k > -r; k--) {
		struct value a, b;

		if (!is_sum(f, v, &a, &b))
			return false;

		if (is_term(f, b, k))
			v = a;
		else if (is_term(f, a, k))
			v = b;
		else
			return false;
	}

	return is_term(f, v, -r);
}

static bool is_row(struct finder *f, struct value v, long k)
{
	return is_leaf(f, v, 0, f->at, k, 0);
}

/** The sum along dim 1 at an element. */
static bool are_rows(struct finder *f, struct value v, long at)
{
	f->at = at;

	return are_terms(f, v, f->r[1], is_row);
}

static bool is_pair(struct finder *f, struct value v, long at)
{
	struct value a, b;

	return is_sum(f, v, &a, &b) && ((are_rows(f, a, at) && are_rows(f, b, at + 1)) ||
	                                       (are_rows(f, b, at) && are_rows(f, a, at + 1)));
}

/** Elements 0 and 1, or (-1 and 0) and (1 and 2). */
static bool are_others(struct finder *f, struct value v)
{
	struct value a, b;

	if (1 == f->r[0])
		return is_pair(f, v, 0);

	return is_sum(f, v, &a, &b) &&
	       ((is_pair(f, a, -1) && is_pair(f, b, 1)) || (is_pair(f, b, -1) && is_pair(f, a, 1)));
}

/** The sum along dims 1 and 0. */
static bool is_slice(struct finder *f, struct value v)
{
	struct value a, b;

	if (0 == f->r[0])
		return are_rows(f, v, 0);

	return is_sum(f, v, &a, &b) && ((are_rows(f, a, -f->r[0]) && are_others(f, b)) ||
	                                       (are_rows(f, b, -f->r[0]) && are_others(f, a)));
}

static bool is_slice_at(struct finder *f, struct value v, long k)
{
	return (0 == k) ? is_slice(f, v) : is_leaf(f, v, 1, 0, 0, k);
}

static bool is_single(const struct stencil_program *p)
{
	return 1 == p->roots && !p->counted;
}

static bool are_stages(const struct stencil *s, const long r[3])
{
	const struct stencil_stage *a = s->stages;

	if (s->n != ((0 < r[2]) ? 2 : 1) || !a->is_source || DT_FLOAT64 != a->type)
		return false;

	if (0 == r[2])
		return true;

	const struct stencil_program *p = &a[1].program;

	if (!a[1].is_virtual || NULL != a[1].median || NULL != a[1].box || !is_single(p))
		return false;

	struct finder f = {.g = &s->plan->g, .p = p, .r = {r[0], r[1], r[2]}};

	return is_slice(&f, (struct value){p->root[0].step, p->root[0].slide});
}

bool stencil_mean_find(const struct stencil *s, struct stencil_mean *m)
{
	const struct stencil_program *p = &s->last;
	struct finder f = {.g = &s->plan->g, .p = p};

	if (0 < s->pass->reductions || !is_single(p))
		return false;

	const struct value root = {p->root[0].step, p->root[0].slide};

	if (!is_node(&f, root, NODE_CONVERT, 0) || DT_FLOAT32 != f.g->nodes[step_of(&f, root)->node].type)
		return false;

	const struct value mean = operand(&f, root, 0);

	if (!is_node(&f, mean, NODE_OP, OP_DIV) || 0 <= step_of(&f, mean)->arg[1])
		return false;

	for (int i = 0; i < p->leaves; i++)
		for (int d = 1; d < 3; d++)
			f.r[d] = (p->leaf[i].shift[d] > f.r[d]) ? p->leaf[i].shift[d] : f.r[d];

	if (MEAN_RADIUS < f.r[1] || MEAN_RADIUS < f.r[2])
		return false;

	for (f.r[0] = 0; f.r[0] <= MEAN_RADIUS; f.r[0]++)
		if (are_terms(&f, operand(&f, mean, 0), f.r[2], is_slice_at) && are_stages(s, f.r)) {
			*m = (struct stencil_mean){{f.r[0], f.r[1], f.r[2]}, -1 - step_of(&f, mean)->arg[1]};
			return true;
		}

	return false;
}
