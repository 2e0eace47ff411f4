/* The table of operators: names, argument types and result types. */

#include <assert.h>
#include <string.h>

#include "num/kern/ops.h"

static const struct {
	const char *name;
	int args;
} ops[OP_COUNT] = {
#define X(id, name, args) [OP_##id] = {name, args},
        OPS(X)
#undef X
};

static const struct {
	const char *name;
	int args;
} reductions[RED_COUNT_OF] = {
#define X(id, name, args) [RED_##id] = {name, args},
        REDUCTIONS(X)
#undef X
};

const char *op_name(enum op op)
{
	assert(op < OP_COUNT);
	return ops[op].name;
}

int op_args(enum op op)
{
	assert(op < OP_COUNT);
	return ops[op].args;
}

int op_parse(const char *name)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (0 == strcmp(ops[i].name, name))
			return i;

	return -1;
}

const char *reduction_name(enum reduction r)
{
	assert(r < RED_COUNT_OF);
	return reductions[r].name;
}

int reduction_args(enum reduction r)
{
	assert(r < RED_COUNT_OF);
	return reductions[r].args;
}

int reduction_parse(const char *name)
{
	for (int i = 0; i < RED_COUNT_OF; i++)
		if (0 == strcmp(reductions[i].name, name))
			return i;

	return -1;
}

enum dtype dtype_work(enum dtype t)
{
	switch (t) {
	case DT_BOOL:
	case DT_UINT64:
		return t;
	case DT_FLOAT16:
		return DT_FLOAT32;
	case DT_COMPLEX32:
		return DT_COMPLEX64;
	default:
		return dtype_is_integer(t) ? DT_INT64 : t;
	}
}

/** How an operator's types follow from the smallest type P that holds all operands. */
enum family {
	SAME,     // P
	SIGNED,   // P, int8 for bool
	FUNCTION, // P, float32 or float64 for integers
	POWER,    // SAME for an integer to an unsigned one, else FUNCTION
	TEST,     // computed in P, bool
	LOGIC,    // operands as bool, bool
};

enum {
	REAL_ONLY = 1, // not of complex operands
	TO_REAL = 2,   // complex operands give real results
	TO_COMPLEX = 4,
	DOMAIN = 8, // real results can be missing
	PRODUCT = 16,
};

static const struct {
	enum family family;
	int flags;
} typing[OP_COUNT] = {
        [OP_COPY] = {SAME, 0},
        [OP_NEG] = {SIGNED, 0},
        [OP_NOT] = {LOGIC, 0},
        [OP_ABS] = {SAME, TO_REAL},
        [OP_SQUARE] = {SAME, PRODUCT},
        [OP_ABS2] = {SAME, TO_REAL | PRODUCT},
        [OP_INVERT] = {FUNCTION, 0},
        [OP_SQRT] = {FUNCTION, DOMAIN},
        [OP_CBRT] = {FUNCTION, REAL_ONLY},
        [OP_EXP] = {FUNCTION, 0},
        [OP_EXP2] = {FUNCTION, 0},
        [OP_EXPM1] = {FUNCTION, 0},
        [OP_LOG] = {FUNCTION, DOMAIN},
        [OP_LOG2] = {FUNCTION, DOMAIN},
        [OP_LOG10] = {FUNCTION, DOMAIN},
        [OP_LOG1P] = {FUNCTION, DOMAIN},
        [OP_SIN] = {FUNCTION, 0},
        [OP_COS] = {FUNCTION, 0},
        [OP_TAN] = {FUNCTION, 0},
        [OP_ASIN] = {FUNCTION, DOMAIN},
        [OP_ACOS] = {FUNCTION, DOMAIN},
        [OP_ATAN] = {FUNCTION, 0},
        [OP_SINH] = {FUNCTION, 0},
        [OP_COSH] = {FUNCTION, 0},
        [OP_TANH] = {FUNCTION, 0},
        [OP_ASINH] = {FUNCTION, 0},
        [OP_ACOSH] = {FUNCTION, DOMAIN},
        [OP_ATANH] = {FUNCTION, DOMAIN},
        [OP_ERF] = {FUNCTION, REAL_ONLY},
        [OP_FLOOR] = {SAME, REAL_ONLY},
        [OP_CEIL] = {SAME, REAL_ONLY},
        [OP_ROUND] = {SAME, REAL_ONLY},
        [OP_TRUNC] = {SAME, REAL_ONLY},
        [OP_SIGN] = {SAME, 0},
        [OP_ISNAN] = {TEST, 0},
        [OP_ISINF] = {TEST, 0},
        [OP_ISFINITE] = {TEST, 0},
        [OP_REAL] = {SAME, TO_REAL},
        [OP_IMAG] = {SAME, TO_REAL},
        [OP_CONJ] = {SAME, 0},
        [OP_ARG] = {FUNCTION, TO_REAL},
        [OP_CIS] = {FUNCTION, REAL_ONLY | TO_COMPLEX},
        [OP_ADD] = {SIGNED, 0},
        [OP_SUB] = {SIGNED, 0},
        [OP_MUL] = {SAME, PRODUCT},
        [OP_MULC] = {SAME, PRODUCT},
        [OP_DIV] = {FUNCTION, 0},
        [OP_POW] = {POWER, DOMAIN | PRODUCT},
        [OP_MOD] = {SAME, REAL_ONLY},
        [OP_ATAN2] = {FUNCTION, REAL_ONLY},
        [OP_HYPOT] = {FUNCTION, REAL_ONLY},
        [OP_MIN] = {SAME, REAL_ONLY},
        [OP_MAX] = {SAME, REAL_ONLY},
        [OP_COPYSIGN] = {SAME, REAL_ONLY},
        [OP_COMPLEX] = {FUNCTION, REAL_ONLY | TO_COMPLEX},
        [OP_SOFT] = {SAME, 0},
        [OP_HARD] = {SAME, 0},
        [OP_LT] = {TEST, REAL_ONLY},
        [OP_LE] = {TEST, REAL_ONLY},
        [OP_GT] = {TEST, REAL_ONLY},
        [OP_GE] = {TEST, REAL_ONLY},
        [OP_EQ] = {TEST, 0},
        [OP_NE] = {TEST, 0},
        [OP_AND] = {LOGIC, 0},
        [OP_OR] = {LOGIC, 0},
        [OP_XOR] = {LOGIC, 0},
        [OP_SELECT] = {SAME, 0},
        [OP_CLAMP] = {SAME, REAL_ONLY},
        [OP_MULADD] = {SIGNED, PRODUCT},
};

bool op_has_domain(enum op op)
{
	assert(op < OP_COUNT);
	return typing[op].flags & DOMAIN;
}

static enum dtype complex_of(enum dtype t)
{
	return dtype_is_complex(t) ? t : DT_COMPLEX32 + (t - DT_FLOAT16);
}

/* The float type in which functions of type t are given. */
static enum dtype function_of(enum dtype t)
{
	if (!dtype_is_integer(t))
		return t;

	return dtype_size(t) <= 2 ? DT_FLOAT32 : DT_FLOAT64;
}

/* Smallest type that holds all operands that make the result. */
static enum dtype hold(enum op op, const enum dtype in[])
{
	int first = (OP_SELECT == op) ? 1 : 0;
	enum dtype t = in[first];

	for (int i = first + 1; i < op_args(op); i++)
		t = dtype_promote(t, in[i]);

	return t;
}

static bool is_unsigned(enum dtype t)
{
	return DT_BOOL == t || (t >= DT_UINT8 && t <= DT_UINT64);
}

/* The type whose work type the operator is computed in. */
static enum dtype computed(enum op op, const enum dtype in[], enum domain domain)
{
	enum family f = typing[op].family;
	enum dtype t = hold(op, in);

	if (POWER == f)
		f = (dtype_is_integer(t) && is_unsigned(in[1])) ? SAME : FUNCTION;

	if (SIGNED == f && DT_BOOL == t)
		return DT_INT8;

	if (LOGIC == f)
		return DT_BOOL;

	if (FUNCTION != f)
		return t;

	t = function_of(t);

	return (DOMAIN_COMPLEX == domain && (typing[op].flags & DOMAIN)) ? complex_of(t) : t;
}

bool op_types(enum op op, const enum dtype in[], enum domain domain, struct op_types *t)
{
	assert(op < OP_COUNT);

	int flags = typing[op].flags;

	if ((flags & REAL_ONLY) && dtype_is_complex(hold(op, in)))
		return false;

	enum dtype c = computed(op, in, domain), r = c;

	if (TEST == typing[op].family)
		r = DT_BOOL;

	if (flags & TO_REAL)
		r = dtype_real(c);

	if (flags & TO_COMPLEX)
		r = complex_of(c);

	*t = (struct op_types){.work = dtype_work(c), .value = dtype_work(r), .result = r};

	if ((flags & PRODUCT) && DT_UINT32 == c) // products of which need all 64 bits
		t->work = t->value = DT_UINT64;

	return true;
}

/* Sums: exact in 64 bits or in float64. */
static enum dtype wide(enum dtype t)
{
	if (dtype_is_complex(t))
		return DT_COMPLEX128;

	if (dtype_is_float(t))
		return DT_FLOAT64;

	return DT_UINT64 == t ? DT_UINT64 : DT_INT64;
}

/* The result type of a reduction of type t. */
static enum dtype reduced(enum reduction r, enum dtype t)
{
	switch (r) {
	case RED_SUM:
	case RED_PROD:
	case RED_DOT:
		return wide(t);
	case RED_MEAN:
		return dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
	case RED_NORM:
	case RED_NORM1:
		return DT_FLOAT64;
	case RED_MIN:
	case RED_MAX:
		return t;
	case RED_ANY:
	case RED_ALL:
		return DT_BOOL;
	default:
		return DT_INT64;
	}
}

bool reduction_types(enum reduction r, const enum dtype in[], struct op_types *t)
{
	assert(r < RED_COUNT_OF);

	enum dtype c = in[0];

	for (int i = 1; i < reduction_args(r); i++)
		c = dtype_promote(c, in[i]);

	if (dtype_is_complex(c) && (RED_MIN == r || RED_MAX == r || RED_ARGMIN == r || RED_ARGMAX == r))
		return false;

	enum dtype result = reduced(r, c);

	*t = (struct op_types){.work = dtype_work(c), .value = dtype_work(result), .result = result};

	return true;
}
