#ifndef NUM_MD_FLPMATH_CHAIN_H
#define NUM_MD_FLPMATH_CHAIN_H

#include <complex.h>

#include "num/kern/ops.h"

/**
 * An element-wise function of a few operands as a chain of operators (num/kern/ops.h), which is computed in
 * one pass over memory for any number of operators. The chain is built value by value: first operands, then
 * constants and operators in any order. Every function returns the number of its value; the last value is the
 * result. Values are converted if an operator needs another type.
 *
 *     struct md_chain c = {0};                                                    // |x| > t
 *     int x = chain_operand(&c, DT_COMPLEX64);
 *
 *     chain_op2(&c, OP_GT, chain_op1(&c, OP_ABS, x), chain_constant(&c, DT_FLOAT32, t));
 */

enum { CHAIN_OPERANDS = 4, CHAIN_VALUES = 24 };

enum md_value_kind { CHAIN_OPERAND, CHAIN_CONSTANT, CHAIN_CONVERT, CHAIN_OP };

struct md_value {
	enum md_value_kind kind;
	enum dtype type; // of its elements
	enum op op;      // CHAIN_OP
	enum dtype work; // CHAIN_OP: of its arguments
	int args, in[3]; // values that it is made from
	char constant[16] __attribute__((aligned(16)));
};

struct md_chain {
	int operands, values;
	struct md_value value[CHAIN_VALUES];
};

/** Adds the next operand, whose elements have one of the work types (float32, float64, complex64, complex128,
 * ...). */
extern int chain_operand(struct md_chain *c, enum dtype t);
extern int chain_constant(struct md_chain *c, enum dtype t, complex double x);
/** Adds an operator; error() if it is not defined for the types. */
extern int chain_op1(struct md_chain *c, enum op op, int a);
extern int chain_op2(struct md_chain *c, enum op op, int a, int b);
extern int chain_op3(struct md_chain *c, enum op op, int a, int b, int d);
/** The value a in type t (a itself if it has this type). */
extern int chain_convert(struct md_chain *c, enum dtype t, int a);
/** OP_MUL or OP_DIV of a by a real value b. For complex a the operator is applied to each part, so an
 * infinite part does not affect the other. */
extern int chain_by_parts(struct md_chain *c, enum op op, int a, int b);
/** The product of value a and the real number `factor`, as by chain_by_parts(). */
extern int chain_scale(struct md_chain *c, int a, double factor);
/** The type of the result. */
extern enum dtype chain_type(const struct md_chain *c);

#endif
