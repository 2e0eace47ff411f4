#ifndef NUM_EXPR_EXPR_TREE_H
#define NUM_EXPR_EXPR_TREE_H

#include <stdint.h>

#include "num/expr/expr.h"

/** A parsed expression as a list of terms. Each term comes after its operands, so that a loop over the list
 * replaces recursion. A name defined by a statement refers to the term of this statement. */

/** The maximal number of terms of an expression. */
enum { EXPR_TERMS = 100000 };

enum term_kind {
	TERM_INTEGER,
	TERM_FLOAT,
	TERM_IMAGINARY,
	TERM_INPUT,      // id: number of the input
	TERM_INDEX,      // id: dim
	TERM_COORDINATE, // id: dim; [mm]
	TERM_EXTENT,     // id: dim
	TERM_OP,         // id: enum op
	TERM_REDUCTION,  // id: enum reduction
	TERM_SHIFT,      // the operand's elements at i + shift; id: whether it is virtual (NODE_SHIFT)
	TERM_PER_MM,     // 1 / spacing; id: dim
	TERM_WIDE,   // of floats float64, of integers int64 (id 1: float64), of complex numbers complex128
	TERM_LIKE,   // in the type of term id, of integers as a quotient
	TERM_MEDIAN, // of the operand's elements around; id: whether of a ball; shift: its radii
	TERM_BOX,    // of the operand's elements around; id: enum box_function; shift: radii
	TERM_SAMPLE, // the operand of term id at the places of three terms [mm]; shift[0]: enum
	             // sampler_method
};

/** Methods of interpolation between elements. */
enum sampler_method { SAMPLER_NEAREST, SAMPLER_LINEAR, SAMPLER_CUBIC, SAMPLER_METHODS };

struct term {
	enum term_kind kind;
	int id;
	int args;
	int arg[3]; // numbers of earlier terms
	long column;
	uint64_t integer;
	double value; // of a number, and of sums and products of numbers
	bool number;
	int shift[3];
};

struct expr_name {
	char *text;
	int term; // of an output: what it is; of an input: its term
	long column;
};

struct expr {
	int n, room;
	struct term *terms;
	int nin, nout;
	enum expr_edge edge;
	struct expr_name in[EXPR_OPERANDS], out[EXPR_OPERANDS];
};

/** Adds a term: returns its number, or -1 and *err if there are too many. */
extern int expr_add_term(struct expr *e, struct term t, struct expr_error *err);

/** sampler_name(): "nearest", "linear" or "cubic". sampler_parse(): the method of this name; -1 if there is
 * none. */
extern const char *sampler_name(enum sampler_method m);
extern int sampler_parse(const char *name);

/** The name of a term's operator or reduction in messages: "+", "exp", "mean". */
extern const char *term_name(const struct term *t);

#endif
