#ifndef NUM_EXPR_EXPR_TREE_H
#define NUM_EXPR_EXPR_TREE_H

#include <stdint.h>

#include "num/expr/expr.h"

/** A parsed expression is a list of terms. Each term comes after its operands. A name defined by a
 * statement refers to the term of the statement. */

/** Maximum number of terms of an expression. */
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
	TERM_SHIFT,      // operand at index i + shift; id 1: virtual (NODE_SHIFT)
	TERM_PER_MM,     // 1 / spacing; id: dim
	TERM_WIDE,       // operand in float64, int64, uint64 or complex128; id 1: integers in float64
	TERM_LIKE,       // operand in the type of term id; float32 or float64 for integers
	TERM_MEDIAN,     // median of a window; id 1: ellipsoid, 0: box; shift: radii
	TERM_BOX,        // box filter; id: enum box_function; shift: radii
	TERM_SAMPLE,     // term id at the positions of three terms [mm]; shift[0]: enum
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
	double value; // value of a number, or of a sum or product of numbers
	bool number;
	int shift[3];
};

struct expr_name {
	char *text;
	int term; // number of the term of an input or output
	long column;
};

struct expr {
	int n, room;
	struct term *terms;
	int nin, nout;
	enum expr_edge edge;
	struct expr_name in[EXPR_OPERANDS], out[EXPR_OPERANDS];
};

/** Adds a term and returns its number. If there are too many terms, sets *err and returns -1. */
extern int expr_add_term(struct expr *e, struct term t, struct expr_error *err);

/** These functions convert methods to names and back:
 * - sampler_name() returns "nearest", "linear" or "cubic".
 * - sampler_parse() returns the method, or -1 for an unknown name. */
extern const char *sampler_name(enum sampler_method m);
extern int sampler_parse(const char *name);

/** Returns the operator or reduction of a term for messages: "+", "exp", "mean". */
extern const char *term_name(const struct term *t);

#endif
