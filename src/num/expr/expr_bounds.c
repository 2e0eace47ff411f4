/* Interval arithmetic [1].
 *
 * [1] R. E. Moore, Interval analysis, Prentice-Hall 1966. */

#include "num/expr/expr_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/kern/convert.h"

struct bounds {
	double low, high;
};

static const struct bounds anything = {-INFINITY, INFINITY}, truth = {0., 1.};

/* Wider by the roundings of some operations; what is not a number is anything. */
static struct bounds widened(double low, double high)
{
	const double share = 1e-6;

	if (!(low <= high))
		return anything;

	return (struct bounds){low - share * fabs(low), high + share * fabs(high)};
}

static struct bounds product(struct bounds a, struct bounds b)
{
	const double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;

	if (isnan(p + q + r + s))
		return anything;

	return widened(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static struct bounds sum(struct bounds a, struct bounds b)
{
	return widened(a.low + b.low, a.high + b.high);
}

static struct bounds negative(struct bounds a)
{
	return (struct bounds){-a.high, -a.low};
}

static struct bounds magnitude(struct bounds a)
{
	const double most = fmax(fabs(a.low), fabs(a.high));

	return (struct bounds){a.low > 0. ? a.low : a.high < 0. ? -a.high : 0., most};
}

static struct bounds inverse(struct bounds a)
{
	return a.low > 0. || a.high < 0. ? widened(1. / a.high, 1. / a.low) : anything;
}

/* Of a function that grows. */
static struct bounds mapped(struct bounds a, double (*f)(double))
{
	return widened(f(a.low), f(a.high));
}

static struct bounds when(bool always, bool never)
{
	return (struct bounds){always ? 1. : 0., never ? 0. : 1.};
}

static bool is_true(struct bounds a)
{
	return a.low > 0. || a.high < 0.;
}

static bool is_false(struct bounds a)
{
	return 0. == a.low && 0. == a.high;
}

static struct bounds hull(struct bounds a, struct bounds b)
{
	return (struct bounds){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static struct bounds least(struct bounds a, struct bounds b)
{
	return (struct bounds){fmin(a.low, b.low), fmin(a.high, b.high)};
}

static struct bounds most(struct bounds a, struct bounds b)
{
	return (struct bounds){fmax(a.low, b.low), fmax(a.high, b.high)};
}

/* a < b; unknown where there may be a NaN. */
static struct bounds less(struct bounds a, struct bounds b)
{
	return when(a.high < b.low, a.low >= b.high);
}

static struct bounds less_or_equal(struct bounds a, struct bounds b)
{
	return when(a.high <= b.low, a.low > b.high);
}

/* Of operators whose result is a NaN where an operand is. */
static struct bounds of_number(enum op op, int args, const struct bounds x[3])
{
	const struct bounds a = x[0], b = x[1];

	for (int k = 0; k < args; k++)
		if (isinf(x[k].low) && isinf(x[k].high))
			return anything;

	switch (op) {
	case OP_COPY:
	case OP_REAL:
	case OP_CONJ:
		return a;
	case OP_NEG:
		return negative(a);
	case OP_ABS:
		return magnitude(a);
	case OP_SQUARE:
	case OP_ABS2:
		return product(magnitude(a), magnitude(a));
	case OP_INVERT:
		return inverse(a);
	case OP_SQRT:
		return a.low >= 0. ? mapped(a, sqrt) : anything;
	case OP_EXP:
		return mapped(a, exp);
	case OP_LOG:
		return a.low > 0. ? mapped(a, log) : anything;
	case OP_TANH:
		return mapped(a, tanh);
	case OP_ATAN:
		return mapped(a, atan);
	case OP_FLOOR:
		return mapped(a, floor);
	case OP_CEIL:
		return mapped(a, ceil);
	case OP_ROUND:
		return mapped(a, rint);
	case OP_TRUNC:
		return mapped(a, trunc);
	case OP_ADD:
		return sum(a, b);
	case OP_SUB:
		return sum(a, negative(b));
	case OP_MUL:
	case OP_MULC:
		return product(a, b);
	case OP_DIV:
		return product(a, inverse(b));
	case OP_MULADD:
		return sum(product(a, b), x[2]);
	case OP_MIN:
		return least(a, b);
	case OP_MAX:
		return most(a, b);
	case OP_CLAMP:
		return least(most(a, b), x[2]);
	default:
		return anything;
	}
}

static struct bounds of_op(enum op op, int args, const struct bounds x[3])
{
	const struct bounds a = x[0], b = x[1];

	switch (op) { // of anything, too
	case OP_NOT:
		return when(is_false(a), is_true(a));
	case OP_SIN:
	case OP_COS:
		return isfinite(a.low) && isfinite(a.high) ? widened(-1., 1.) : anything;
	case OP_SELECT:
		return is_true(a) ? b : is_false(a) ? x[2] : hull(b, x[2]);
	case OP_LT:
		return less(a, b);
	case OP_GT:
		return less(b, a);
	case OP_LE:
		return less_or_equal(a, b);
	case OP_GE:
		return less_or_equal(b, a);
	case OP_AND:
		return when(is_true(a) && is_true(b), is_false(a) || is_false(b));
	case OP_OR:
		return when(is_true(a) || is_true(b), is_false(a) && is_false(b));
	case OP_EQ:
	case OP_NE:
	case OP_XOR:
	case OP_ISNAN:
	case OP_ISINF:
	case OP_ISFINITE:
		return truth;
	default:
		return of_number(op, args, x);
	}
}
static struct bounds of_constant(const struct node *n)
{
	double v;

	if (dtype_is_complex(n->type))
		return anything;

	convert(DT_FLOAT64, &v, n->type, n->value, 1, NARROW_SATURATE);
	return widened(v, v);
}

static struct bounds of_operator(const struct node *n, const struct bounds x[3])
{
	if (!n->fused)
		return of_op((enum op)n->id, n->args, x);

	const struct bounds inner[3] = {of_op(n->inner, n->args, x)};

	return of_op((enum op)n->id, 1, inner);
}

static struct bounds of_node(const struct node *n, const struct bounds x[3], struct bounds input)
{
	switch (n->kind) {
	case NODE_CONSTANT:
		return of_constant(n);
	case NODE_INPUT:
		return widened(input.low, input.high);
	case NODE_CONVERT:
		if (DT_BOOL == n->type)
			return when(is_true(x[0]), is_false(x[0]));
		return dtype_is_integer(n->type) ? mapped(x[0], trunc) : x[0];
	case NODE_OP:
		return of_operator(n, x);
	default:
		return anything;
	}
}

void expr_graph_bounds(
        const struct graph *g, int root, const double lo[], const double hi[], double *low, double *high)
{
	struct bounds stack[64], *b = g->n <= 64 ? stack : mem_alloc((size_t)g->n * sizeof *b);

	for (int i = 0; i <= root; i++) {
		const struct node *n = &g->nodes[i];
		struct bounds x[3] = {anything, anything, anything}, input = anything;

		for (int k = 0; k < n->args; k++)
			x[k] = b[n->arg[k]];

		if (NODE_INPUT == n->kind)
			input = (struct bounds){lo[n->id], hi[n->id]};

		b[i] = of_node(n, x, input);
	}

	*low = b[root].low;
	*high = b[root].high;

	if (b != stack)
		free(b);
}
