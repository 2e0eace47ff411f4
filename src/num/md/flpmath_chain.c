/* Chains of operators: the builder. The back ends run them. */

#include <assert.h>

#include "misc/error.h"
#include "num/kern/convert.h"
#include "num/md/flpmath_chain.h"

static int add_value(struct md_chain *c, struct md_value v)
{
	assert(c->values < CHAIN_VALUES);
	c->value[c->values] = v;

	return c->values++;
}

int chain_operand(struct md_chain *c, enum dtype t)
{
	assert(c->operands == c->values && c->operands < CHAIN_OPERANDS && t == dtype_work(t));
	c->operands++;

	return add_value(c, (struct md_value){.kind = CHAIN_OPERAND, .type = t});
}

int chain_constant(struct md_chain *c, enum dtype t, complex double x)
{
	struct md_value v = {.kind = CHAIN_CONSTANT, .type = t};

	convert(t, v.constant, DT_COMPLEX128, &x, 1, NARROW_SATURATE);

	return add_value(c, v);
}

int chain_convert(struct md_chain *c, enum dtype t, int a)
{
	struct md_value v = {.kind = CHAIN_CONVERT, .type = t, .args = 1, .in = {a}};
	const struct md_value *from = &c->value[a];

	if (t == from->type)
		return a;

	if (CHAIN_CONSTANT == from->kind) {
		v.kind = CHAIN_CONSTANT;
		v.args = 0;
		convert(t, v.constant, from->type, from->constant, 1, NARROW_SATURATE);
	}

	return add_value(c, v);
}

static int add_op(struct md_chain *c, enum op op, int args, const int in[])
{
	struct md_value v = {.kind = CHAIN_OP, .op = op, .args = args};
	enum dtype t[3];
	struct op_types types;

	assert(args == op_args(op));

	for (int i = 0; i < args; i++)
		t[i] = c->value[in[i]].type;

	if (!op_types(op, t, DOMAIN_NAN, &types))
		error("%s is not defined for %s", op_name(op), dtype_name(t[args - 1]));

	for (int i = 0; i < args; i++)
		v.in[i] = chain_convert(c, (OP_SELECT == op && 0 == i) ? DT_BOOL : types.work, in[i]);

	v.work = types.work;
	v.type = types.value;

	return add_value(c, v);
}

int chain_op1(struct md_chain *c, enum op op, int a)
{
	return add_op(c, op, 1, (const int[]){a});
}

int chain_op2(struct md_chain *c, enum op op, int a, int b)
{
	return add_op(c, op, 2, (const int[]){a, b});
}

int chain_op3(struct md_chain *c, enum op op, int a, int b, int d)
{
	return add_op(c, op, 3, (const int[]){a, b, d});
}

int chain_by_parts(struct md_chain *c, enum op op, int a, int b)
{
	if (!dtype_is_complex(c->value[a].type))
		return chain_op2(c, op, a, b);

	int re = chain_op2(c, op, chain_op1(c, OP_REAL, a), b);
	int im = chain_op2(c, op, chain_op1(c, OP_IMAG, a), b);

	return chain_op2(c, OP_COMPLEX, re, im);
}

int chain_scale(struct md_chain *c, int a, double factor)
{
	return chain_by_parts(c, OP_MUL, a, chain_constant(c, dtype_real(c->value[a].type), factor));
}

enum dtype chain_type(const struct md_chain *c)
{
	return c->value[c->values - 1].type;
}
