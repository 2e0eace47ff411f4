/* From terms to nodes. A term may be needed in several work types: weak terms are computed in the needed
 * type, other terms are computed once and converted. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_graph.h"
#include "num/expr/windows/sampler.h"
#include "num/kern/kern.h"

/** Work types as bits; each term has a row of DT_COUNT nodes. */
struct build {
	const struct binding *b;
	struct graph *g;
	unsigned *wanted;      // per term
	int (*made)[DT_COUNT]; // the node, by work type
};

/** The work type in which a term is computed when it is wanted as `want`. */
static enum dtype computed_as(const struct binding *b, int term, enum dtype want)
{
	const struct term *t = &b->e->terms[term];
	const struct facts *f = &b->facts[term];

	if (TERM_INPUT == t->kind)
		return want;

	if (TERM_INDEX == t->kind || TERM_COORDINATE == t->kind)
		return (dtype_is_complex(want) || DT_BOOL == want || DT_UINT64 == want) ? dtype_work(f->type)
		                                                                        : want;

	if (f->constant || TERM_WIDE == t->kind || TERM_LIKE == t->kind || TERM_SAMPLE == t->kind)
		return dtype_work(f->type);

	if (TERM_SHIFT == t->kind || TERM_MEDIAN == t->kind || TERM_BOX == t->kind)
		return computed_as(b, t->arg[0], want);

	return expr_types(b, term, want).value;
}

/** In which work type operand k of a term is needed. */
static enum dtype operand_type(const struct term *t, int k, const struct op_types *types)
{
	return (TERM_OP == t->kind && OP_SELECT == t->id && 0 == k) ? DT_BOOL : types->work;
}

static bool is_form(const struct term *t)
{
	return TERM_SHIFT == t->kind || TERM_MEDIAN == t->kind || TERM_BOX == t->kind ||
	       TERM_WIDE == t->kind || TERM_LIKE == t->kind;
}

/** In which work type the operand of a term is needed that does not compute. */
static enum dtype form_operand(const struct binding *b, int term, enum dtype want)
{
	const struct term *t = &b->e->terms[term];

	return (TERM_LIKE == t->kind) ? dtype_work(b->facts[t->arg[0]].type) : computed_as(b, term, want);
}

/** Marks, from the outputs down, which terms are wanted in which work types. */
static void mark_wanted(struct build *u)
{
	const struct expr *e = u->b->e;

	for (int i = e->n - 1; i >= 0; i--) {
		const struct term *t = &e->terms[i];
		long exponent;

		if (u->b->facts[i].constant)
			continue;

		for (int want = 0; want < DT_COUNT; want++) {
			if (!(u->wanted[i] & 1u << want))
				continue;

			struct op_types types = {0};

			if (TERM_SAMPLE == t->kind) {
				for (int k = 0; k < t->args; k++)
					u->wanted[t->arg[k]] |= 1u << DT_FLOAT64;

				continue;
			}

			if (is_form(t)) {
				u->wanted[t->arg[0]] |= 1u << form_operand(u->b, i, (enum dtype)want);
				continue;
			}

			if (0 < t->args)
				types = expr_types(u->b, i, (enum dtype)want);

			int args = expr_is_product(u->b, t, &exponent) ? 1 : t->args;

			for (int k = 0; k < t->args; k++)
				if (k < args || exponent > GRAPH_POWER_MAX || dtype_is_integer(types.work))
					u->wanted[t->arg[k]] |= 1u << operand_type(t, k, &types);
		}
	}
}

static int make_op(struct build *u, int term, enum dtype want)
{
	const struct binding *b = u->b;
	const struct term *t = &b->e->terms[term];
	struct op_types types = expr_types(b, term, want);
	int args[3];
	long exponent;

	for (int k = 0; k < t->args; k++)
		args[k] = u->made[t->arg[k]][operand_type(t, k, &types)];

	if (TERM_REDUCTION == t->kind) {
		struct node n = {.kind = NODE_REDUCTION,
		        .id = t->id,
		        .args = t->args,
		        .work = types.work,
		        .type = types.value,
		        .column = t->column};

		memcpy(n.arg, args, sizeof n.arg);

		return graph_node(u->g, n);
	}

	if (expr_is_product(b, t, &exponent) && exponent <= GRAPH_POWER_MAX &&
	        !(dtype_is_integer(types.work) && graph_power_leaves(u->g, args[0], args[1], types.work)))
		return graph_power(u->g, args[0], exponent, &types, t->column);

	bool told = DOMAIN_WARN == b->rules.domain || DOMAIN_ERROR == b->rules.domain;
	bool domain = told && op_has_domain((enum op)t->id) && !dtype_is_complex(types.work);

	return graph_op(u->g, (enum op)t->id, &types, args, domain, t->column);
}

/** Neighbours, and conversions. */
static int make_form(struct build *u, int term, enum dtype want)
{
	const struct term *t = &u->b->e->terms[term];
	const int node = u->made[t->arg[0]][form_operand(u->b, term, want)];

	if (TERM_MEDIAN == t->kind)
		return graph_window(u->g, NODE_MEDIAN, node, t->id, t->shift, t->column);

	if (TERM_BOX == t->kind)
		return graph_window(u->g, NODE_BOX, node, t->id, t->shift, t->column);

	if (TERM_SHIFT == t->kind)
		return graph_shift(u->g, node, t->id, t->shift, t->column);

	return graph_convert(u->g, node, dtype_work(u->b->facts[term].type));
}

static int make_sample(struct build *u, int term)
{
	const struct term *t = &u->b->e->terms[term];
	struct node n = {.kind = NODE_SAMPLE,
	        .id = sampler_id((enum sampler_method)t->shift[0], u->b->e->terms[t->id].id),
	        .args = t->args,
	        .work = DT_FLOAT64,
	        .type = dtype_work(u->b->facts[term].type),
	        .column = t->column};

	for (int k = 0; k < t->args; k++)
		n.arg[k] = u->made[t->arg[k]][DT_FLOAT64];

	return graph_node(u->g, n);
}

static int make_source(struct build *u, int term, enum dtype type)
{
	const struct term *t = &u->b->e->terms[term];
	struct node n = {.id = t->id, .type = type, .work = type, .column = t->column};

	n.kind = (TERM_INPUT == t->kind)   ? NODE_INPUT
	         : (TERM_INDEX == t->kind) ? NODE_INDEX
	                                   : NODE_COORDINATE;
	md_copy_dims(DIMS, n.dims, u->b->facts[term].dims);

	return graph_node(u->g, n);
}

/** The node of a term in work type `want`. */
static int make(struct build *u, int term, enum dtype want)
{
	const struct term *t = &u->b->e->terms[term];
	const struct facts *f = &u->b->facts[term];
	int node;

	if (f->constant)
		node = graph_constant(u->g, dtype_work(f->type), f->value);
	else if (is_form(t))
		node = make_form(u, term, want);
	else if (TERM_SAMPLE == t->kind)
		node = make_sample(u, term);
	else if (0 < t->args)
		node = make_op(u, term, want);
	else
		node = make_source(u, term, computed_as(u->b, term, want));

	return graph_convert(u->g, node, want);
}

void graph_build(struct graph *g, const struct binding *b, int root[])
{
	const struct expr *e = b->e;
	struct build u = {.b = b, .g = g};

	g->in = b->in;

	u.wanted = mem_calloc((size_t)e->n, sizeof *u.wanted);
	u.made = mem_calloc((size_t)e->n, sizeof *u.made);

	for (int i = 0; i < e->nout; i++)
		u.wanted[e->out[i].term] |= 1u << dtype_work(b->facts[e->out[i].term].type);

	mark_wanted(&u);

	for (int i = 0; i < e->n; i++)
		for (int want = 0; want < DT_COUNT; want++)
			if (u.wanted[i] & 1u << want)
				u.made[i][want] = make(&u, i, (enum dtype)want);

	for (int i = 0; i < e->nout; i++)
		root[i] = u.made[e->out[i].term][dtype_work(b->facts[e->out[i].term].type)];

	free(u.wanted);
	free(u.made);
	g->in = NULL; // the caller's
	graph_fuse(g, e->nout, root);
}
