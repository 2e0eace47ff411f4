#ifndef NUM_MD_FLPMATH_CHAIN_H
#define NUM_MD_FLPMATH_CHAIN_H

#include <complex.h>

#include "num/kern/ops.h"

/**
 * A chain of operators (num/kern/ops.h) is an element-wise function that is computed in one pass over memory.
 * A chain is built value by value: first operands, then constants and operators in any order. Functions that
 * add a value return its number. The last value is the result. Values are converted if an operator needs
 * another type.
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
	enum dtype type; // type of the elements
	enum op op;      // CHAIN_OP
	enum dtype work; // CHAIN_OP: type of the arguments
	int args, in[3]; // CHAIN_OP, CHAIN_CONVERT: arguments
	char constant[16] __attribute__((aligned(16)));
};

struct md_chain {
	int operands, values;
	struct md_value value[CHAIN_VALUES];
};

/** Adds the next operand, of a work type such as float32 or complex128. */
extern int chain_operand(struct md_chain *c, enum dtype t);
extern int chain_constant(struct md_chain *c, enum dtype t, complex double x);
/** These functions add an operator. An operator that is not defined for the types is an error(). */
extern int chain_op1(struct md_chain *c, enum op op, int a);
extern int chain_op2(struct md_chain *c, enum op op, int a, int b);
extern int chain_op3(struct md_chain *c, enum op op, int a, int b, int d);
/** Converts value a to type t. Returns a if a has this type. */
extern int chain_convert(struct md_chain *c, enum dtype t, int a);
/** Multiplies or divides value a by a real value b, with OP_MUL or OP_DIV. If a is complex, the operator is
 * applied to each part. An infinite part then does not affect the other part. */
extern int chain_by_parts(struct md_chain *c, enum op op, int a, int b);
/** Multiplies value a by a real number, like chain_by_parts(). */
extern int chain_scale(struct md_chain *c, int a, double factor);
/** Returns the type of the result. */
extern enum dtype chain_type(const struct md_chain *c);

#endif
