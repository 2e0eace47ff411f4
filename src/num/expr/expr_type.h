#ifndef NUM_EXPR_EXPR_TYPE_H
#define NUM_EXPR_EXPR_TYPE_H

#include "num/expr/expr_tree.h"

/**
 * Types, shapes and constant values of the terms of an expression bound to operands.
 *
 * Weak terms are numbers, index variables, coordinates, results of reductions, and terms of only weak terms.
 * A weak term takes the precision of the array with which it is combined. Weak integers combined with an
 * integer array get the type of the array if that type holds their range, else the smallest type that holds
 * it. Numbers with a fraction never change float32 to float64. Weak terms combined with each other are int64,
 * float64 or complex128.
 */
struct facts {
	enum dtype type; // element type; of weak terms int64, uint64, float64, complex128, or a reduction's
	bool weak;
	bool scalar;   // one value for the whole run: neither operand nor index variable outside reductions
	bool constant; // known now: value
	bool used;     // by an output
	bool below;    // of an unsigned type, but a value on the way that may be below 0
	long dims[DIMS];
	int64_t low; // range of weak integers
	uint64_t high;
	unsigned char value[16]; // in the work type of `type`
};

struct binding {
	const struct expr *e;
	const struct expr_operand *in;
	struct array_rules rules;
	struct facts *facts;
	long dims[DIMS];      // common extents of the operands; 0 where they differ
	double spacing[DIMS]; // [mm] of the coordinates that are used
	double origin[DIMS];  // [mm]
};

/** Sets b->facts. error() naming the column if types or dims of operands are incompatible. */
extern void expr_infer(struct binding *b);

/** Types of a term with operands. For weak float terms that are not scalars, the types depend on the
 * requested work type `want`. */
extern struct op_types expr_types(const struct binding *b, int term, enum dtype want);

/** Whether a constant exponent is an integer >= 0, so that the power is a repeated product. */
extern bool expr_is_product(const struct binding *b, const struct term *t, long *exponent);

/** error("expression, column ...") */
extern void expr_error_at(long column, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
