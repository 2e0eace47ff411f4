/* The integer range of a node's values: values that cannot exceed 64 bits are not checked at run time. */

#include <stdint.h>
#include <string.h>

#include "num/expr/expr_range.h"

struct range {
	__int128 low, high;
};

static const __int128 widest = (__int128)(~(unsigned __int128)0 >> 1);

static struct range range_of_type(enum dtype t)
{
	const int bits = 8 * (int)dtype_size(t);
	const __int128 one = 1;

	if (DT_BOOL == t)
		return (struct range){0, 1};

	if (t >= DT_UINT8)
		return (struct range){0, (one << bits) - 1};

	return (struct range){-(one << (bits - 1)), (one << (bits - 1)) - 1};
}

static struct range range_of_value(const struct node *n)
{
	__int128 v = n->value[0];
	int64_t i;
	uint64_t u;

	memcpy(&i, n->value, sizeof i);
	memcpy(&u, n->value, sizeof u);

	if (DT_BOOL != n->type)
		v = (DT_UINT64 == n->type) ? (__int128)u : (__int128)i;

	return (struct range){v, v};
}

static __int128 least(__int128 a, __int128 b)
{
	return (a < b) ? a : b;
}

static __int128 most(__int128 a, __int128 b)
{
	return (a > b) ? a : b;
}

static struct range hull(struct range a, struct range b)
{
	return (struct range){least(a.low, b.low), most(a.high, b.high)};
}

static __int128 product_of(__int128 a, __int128 b)
{
	__int128 r;

	return __builtin_mul_overflow(a, b, &r) ? (((a < 0) != (b < 0)) ? -widest : widest) : r;
}

static struct range product(struct range a, struct range b)
{
	const __int128 p = product_of(a.low, b.low), q = product_of(a.low, b.high),
	               r = product_of(a.high, b.low), s = product_of(a.high, b.high);

	return (struct range){least(least(p, q), least(r, s)), most(most(p, q), most(r, s))};
}

static struct range sum(struct range a, struct range b)
{
	struct range r;

	if (__builtin_add_overflow(a.low, b.low, &r.low))
		r.low = -widest;

	if (__builtin_add_overflow(a.high, b.high, &r.high))
		r.high = widest;

	return r;
}

static struct range negative(struct range a)
{
	return (struct range){-a.high, -a.low};
}

static struct range magnitude(struct range a)
{
	const struct range both = hull(a, negative(a));

	return (struct range){(a.low > 0) ? a.low : (a.high < 0) ? -a.high : 0, both.high};
}

/** Powers with exponents up to y.high: those of 0, 1 and -1 stay small. */
static struct range power(struct range x, struct range y)
{
	const struct range size = magnitude(x);
	struct range all = hull(x, (struct range){0, 1});

	if (size.high <= 1)
		return hull(all, negative(all));

	if (y.high > 128)
		return (struct range){-widest, widest};

	for (long k = 1; k < (long)y.high; k++)
		all = hull(all, product(all, x));

	return all;
}

/** What an operator gives exactly; the whole type where that is not simple. */
static struct range range_of_op(const struct node *n, const struct range x[3])
{
	switch ((enum op)n->id) {
	case OP_COPY:
	case OP_FLOOR:
	case OP_CEIL:
	case OP_ROUND:
	case OP_TRUNC:
	case OP_REAL:
	case OP_CONJ:
		return x[0];
	case OP_NEG:
		return negative(x[0]);
	case OP_ABS:
		return magnitude(x[0]);
	case OP_COPYSIGN:
		return (x[1].high < 0)   ? negative(magnitude(x[0]))
		       : (x[1].low >= 0) ? magnitude(x[0])
		                         : hull(magnitude(x[0]), negative(magnitude(x[0])));
	case OP_ADD:
		return sum(x[0], x[1]);
	case OP_SUB:
		return sum(x[0], negative(x[1]));
	case OP_SQUARE:
	case OP_ABS2:
		return product(magnitude(x[0]), magnitude(x[0]));
	case OP_MUL:
	case OP_MULC:
		return product(x[0], x[1]);
	case OP_MULADD:
		return sum(product(x[0], x[1]), x[2]);
	case OP_POW:
		return power(x[0], x[1]);
	case OP_MIN:
	case OP_MAX:
		return hull(x[0], x[1]);
	case OP_SELECT:
		return hull(x[1], x[2]);
	case OP_CLAMP:
		return hull(x[0], hull(x[1], x[2]));
	case OP_SOFT:
	case OP_HARD:
		return hull(x[0], (struct range){0, 0});
	case OP_SIGN:
		return (struct range){-1, 1};
	default:
		return range_of_type(n->type);
	}
}

static struct range range_of(const struct graph *g, const struct node *n)
{
	struct range x[3] = {{0, 0}, {0, 0}, {0, 0}};

	for (int k = 0; k < n->args; k++) {
		const struct node *a = &g->nodes[n->arg[k]];

		x[k] = dtype_is_integer(a->type) ? (struct range){a->low, a->high} : range_of_type(n->type);
	}

	switch (n->kind) {
	case NODE_CONSTANT:
		return range_of_value(n);
	case NODE_INPUT:
		return dtype_is_integer(g->in[n->id].type) ? range_of_type(g->in[n->id].type)
		                                           : range_of_type(n->type);
	case NODE_INDEX:
		return (struct range){0, most(n->dims[n->id] - 1, 0)};
	case NODE_SHIFT:
	case NODE_MEDIAN:
	case NODE_BOX:
		return hull(x[0], (struct range){0, 0});
	case NODE_CONVERT:
		return (DT_BOOL == n->type) ? range_of_type(n->type) : x[0];
	case NODE_OP:
		return (dtype_is_integer(n->work) && DT_BOOL != n->work) ? range_of_op(n, x)
		                                                         : range_of_type(n->type);
	default:
		return range_of_type(n->type);
	}
}

bool node_range(const struct graph *g, struct node *n)
{
	if (!dtype_is_integer(n->type))
		return false;

	const struct range exact = range_of(g, n), type = range_of_type(n->type);
	const bool inside = type.low <= exact.low && exact.high <= type.high;

	n->low = inside ? exact.low : type.low;
	n->high = inside ? exact.high : type.high;

	return !inside;
}
