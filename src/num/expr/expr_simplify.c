/* Replaces nodes by simpler ones with bit-identical results: products for small powers, multiplications for
 * divisions by powers of two, one node for a product and a sum. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_range.h"
#include "num/kern/kern.h"

static int plain_op(struct graph *g, enum op op, enum dtype work, enum dtype value, const int args[],
        bool domain, long column)
{
	struct node n = {.kind = NODE_OP,
	        .id = (int)op,
	        .args = op_args(op),
	        .work = work,
	        .type = value,
	        .counted = domain,
	        .column = column};

	memcpy(n.arg, args, (size_t)n.args * sizeof args[0]);

	return graph_node(g, n);
}

/** The value of a real or complex constant node, where it is real. */
static bool real_constant(const struct graph *g, int node, double *value)
{
	const struct node *n = &g->nodes[node];
	double z[2] = {0};

	if (NODE_CONSTANT != n->kind)
		return false;

	convert(DT_COMPLEX128, z, n->type, n->value, 1, NARROW_SATURATE);
	*value = z[0];

	return 0. == z[1];
}

static bool is_constant(const struct graph *g, int node, double value)
{
	double v;

	return real_constant(g, node, &v) && v == value;
}

static int real_as(struct graph *g, enum dtype type, double value)
{
	unsigned char v[16];

	convert(type, v, DT_FLOAT64, &value, 1, NARROW_SATURATE);

	return graph_constant(g, type, v);
}

int graph_power(struct graph *g, int x, long k, const struct op_types *types, long column)
{
	int power = -1;

	for (; k > 0; k /= 2) {
		if (k % 2)
			power = (power < 0) ? x
			                    : plain_op(g, OP_MUL, types->work, types->value,
			                              (const int[]){power, x}, false, column);

		if (k > 1)
			x = plain_op(g, OP_SQUARE, types->work, types->value, &x, false, column);
	}

	return (power < 0) ? real_as(g, types->value, 1.) : power;
}

bool graph_power_leaves(const struct graph *g, int x, int exponent, enum dtype work)
{
	struct node n = {
	        .kind = NODE_OP, .id = OP_POW, .args = 2, .arg = {x, exponent}, .work = work, .type = work};

	return node_range(g, &n);
}

/** Powers of floats with a constant exponent; -1 when there is nothing simpler. */
static int simpler_power(
        struct graph *g, const struct op_types *types, const int args[], bool domain, long column)
{
	double k;

	if (!real_constant(g, args[1], &k) || dtype_is_integer(types->work) || types->work != types->value)
		return -1;

	if (0.5 == k)
		return plain_op(g, OP_SQRT, types->work, types->value, args, domain, column);

	if (k != rint(k) || fabs(k) > GRAPH_POWER_MAX)
		return -1;

	int x = graph_power(g, args[0], labs((long)k), types, column);

	return (k < 0) ? plain_op(g, OP_INVERT, types->work, types->value, &x, false, column) : x;
}

/** Whether 1 / v is exact: a power of two. */
static bool has_exact_inverse(double v)
{
	int exponent;

	return 0.5 == fabs(frexp(v, &exponent)) && abs(exponent) < 100;
}

static int simpler_product(
        struct graph *g, enum op op, const struct op_types *types, const int args[], long column)
{
	double v;

	if (is_constant(g, args[1], 1.))
		return args[0];

	if (OP_MUL == op && is_constant(g, args[0], 1.))
		return args[1];

	if (OP_DIV == op && !dtype_is_complex(types->work) && real_constant(g, args[1], &v) &&
	        has_exact_inverse(v))
		return graph_op(g, OP_MUL, types, (const int[]){args[0], real_as(g, types->work, 1. / v)},
		        false, column);

	return -1;
}

static bool commutes(enum op op)
{
	switch (op) {
	case OP_ADD:
	case OP_MUL:
	case OP_EQ:
	case OP_NE:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
		return true;
	default:
		return false;
	}
}

int graph_op(
        struct graph *g, enum op op, const struct op_types *types, const int args[], bool domain, long column)
{
	const struct node a = g->nodes[args[0]];
	int simpler = -1;

	if (OP_COPY == op)
		return graph_convert(g, args[0], types->value);

	if (OP_POW == op)
		simpler = simpler_power(g, types, args, domain, column);

	if ((OP_MUL == op || OP_DIV == op) && types->work == types->value)
		simpler = simpler_product(g, op, types, args, column);

	if (OP_NEG == op && NODE_OP == a.kind && OP_NEG == a.id)
		simpler = a.arg[0];

	if (0 <= simpler)
		return simpler;

	int sorted[3] = {args[0], (op_args(op) > 1) ? args[1] : 0, (op_args(op) > 2) ? args[2] : 0};

	if (commutes(op) && sorted[0] > sorted[1]) {
		sorted[0] = args[1];
		sorted[1] = args[0];
	}

	return plain_op(g, op, types->work, types->value, sorted, domain, column);
}

/** How often each node is used by those that n roots need; 0: not at all. */
static int *count_uses(const struct graph *g, int n, const int roots[])
{
	int *uses = mem_calloc((size_t)g->n + 1, sizeof *uses);

	for (int i = 0; i < n; i++)
		uses[roots[i]]++;

	for (int i = g->n - 1; i >= 0; i--)
		for (int k = 0; 0 < uses[i] && k < g->nodes[i].args; k++)
			uses[g->nodes[i].arg[k]]++;

	return uses;
}

/** Whether operand k of s is an operator on elements of the same shape (a smaller one is computed less often)
 * whose value nothing else needs, nor counts. */
static bool is_inner(const struct graph *g, const struct node *s, int k, const int uses[])
{
	const struct node *p = &g->nodes[s->arg[k]];

	return NODE_OP == p->kind && !p->fused && !p->counted && 1 == uses[s->arg[k]] && p->type == s->work &&
	       (NODE_REDUCTION == s->kind ? !p->scalar : p->scalar == s->scalar) &&
	       md_check_equal_dims(DIMS, p->dims, s->dims, ~0ul);
}

static void fuse_product(struct graph *g, struct node *s, const int uses[])
{
	for (int k = 0; k < 2; k++) {
		const struct node *p = &g->nodes[s->arg[k]];

		if (!is_inner(g, s, k, uses) || OP_MUL != p->id)
			continue;

		int c = s->arg[1 - k];

		s->id = OP_MULADD;
		s->args = 3;
		memcpy(s->arg, (const int[]){p->arg[0], p->arg[1], c}, sizeof s->arg);
		break;
	}
}

static void fuse_inner(struct graph *g, struct node *s, const int uses[])
{
	const struct node *p = &g->nodes[s->arg[0]];

	if (1 != s->args || !is_inner(g, s, 0, uses))
		return;

	enum op inner = (enum op)p->id;

	if ((NODE_OP == s->kind && !s->scalar && NULL != kern_op_of((enum op)s->id, inner, s->work)) ||
	        (NODE_REDUCTION == s->kind && kern_reduces((enum reduction)s->id, inner, s->work))) {
		s->fused = true;
		s->inner = inner;
		s->args = p->args;
		memcpy(s->arg, p->arg, sizeof s->arg);
	}
}

void graph_fuse(struct graph *g, int n, const int roots[])
{
	int *uses = count_uses(g, n, roots);

	for (int i = 0; i < g->n; i++) {
		struct node *s = &g->nodes[i];

		if (NODE_OP == s->kind && OP_ADD == s->id && !dtype_is_integer(s->work))
			fuse_product(g, s, uses);

		if (NODE_OP == s->kind || NODE_REDUCTION == s->kind)
			fuse_inner(g, s, uses);
	}

	free(uses);
}
