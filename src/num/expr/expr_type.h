#ifndef NUM_EXPR_EXPR_TYPE_H
#define NUM_EXPR_EXPR_TYPE_H

#include "num/expr/expr_tree.h"

/**
 * Types, shapes and constant values of the terms of an expression with known operands.
 *
 * Weak terms are numbers, index variables, coordinates, reductions, and terms of only weak terms. A weak
 * term takes the precision of the array with which it is combined. A weak integer takes the type of an
 * integer array if that type holds the integer's range. Otherwise the result has the smallest integer type
 * that holds the range. Numbers with a fraction never change float32 to float64. Weak terms combined with
 * each other are int64, float64 or complex128. Beside a uint64, weak integers that are not negative are
 * uint64.
 */
struct facts {
	enum dtype type; // element type; weak terms: int64, uint64, float64, complex128, or a reduction's
	bool weak;
	bool scalar;   // one value for the whole run
	bool constant; // the value is known before the run
	bool used;     // an output needs the term
	bool below;    // unsigned type, but an intermediate value may be negative
	long dims[DIMS];
	int64_t low; // range of weak integers
	uint64_t high;
	unsigned char value[16]; // constant value in the work type of `type`
};

struct binding {
	const struct expr *e;
	const struct expr_operand *in;
	struct array_rules rules;
	struct facts *facts;
	long dims[DIMS];      // common extents of the operands; 0 where they differ
	double spacing[DIMS]; // [mm], for coordinates that are used
	double origin[DIMS];  // [mm]
};

/** Sets b->facts. Operands of incompatible types or dims are an error() that names the column. */
extern void expr_infer(struct binding *b);

/** Returns the types of a term with operands. Types of weak floats that are not scalars depend on the
 * requested work type `want`. */
extern struct op_types expr_types(const struct binding *b, int term, enum dtype want);

/** Returns whether t is a power with a constant integer exponent >= 0. Sets *exponent. */
extern bool expr_is_product(const struct binding *b, const struct term *t, long *exponent);

/** Calls error() with the position in front: "expression, column ..." */
extern void expr_error_at(long column, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
